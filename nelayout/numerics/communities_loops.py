"""Compiled loop of `communities`, from the same source as the interpreted one."""

from __future__ import annotations

from nelayout.numerics import communities
from nelayout.numerics.compiling import exact_loop

__all__ = ["move_nodes"]

move_nodes = exact_loop(communities.move_nodes)
