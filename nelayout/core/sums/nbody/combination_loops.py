"""Kinds and forms of radial functions that loops over all pairs know, by number."""

from __future__ import annotations

__all__ = ["COMBINATIONS"]

# (kind, form) of `nelayout.core.sums.nbody.law_loops.radial`.
COMBINATIONS = [
    ("gaussian", "power"), ("inverse", "power"), ("half power", "power"), ("general", "power"), ("logarithm", "log"),
    ("general", "boxcox"), ("gaussian", "log"), ("gaussian", "boxcox"), ("gaussian", "power-log"),
    ("inverse and logarithm", "power-log"), ("general", "power-log"),
]  # fmt: skip
