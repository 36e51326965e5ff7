"""The compiled loop of `centrality`: the search of `shortest_paths`."""

from __future__ import annotations

from nelayout.numerics.compiling import exact_loop
from nelayout.similarities.shortest_paths import search_from

__all__ = ["search_from_compiled"]

search_from_compiled = exact_loop(search_from)
