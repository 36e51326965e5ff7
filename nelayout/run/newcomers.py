"""Positions for nodes without an initial position: each takes the least own part of J.

Nodes that are joined to placed nodes come first, then the nodes that are joined to these.  Each is placed by itself, by
`nelayout.added`; later iterations settle what they share.
"""

from __future__ import annotations

import numpy as np

from nelayout.added.descent import place
from nelayout.added.objective import AddedNodes, ties_of
from nelayout.catalogue.record import Method
from nelayout.optimizers.size import size_search
from nelayout.run.drawing import Drawing, Run
from nelayout.run.placement import place_missing, radius

__all__ = ["place_newcomers"]

# Waves of nodes that the objective positions; farther nodes start about the mean of their neighbors.
WAVES = 8


def place_newcomers(drawing: Drawing, start: np.ndarray, method: Method, run: Run) -> np.ndarray:
    """Return positions (n, d) of one graph's nodes; ``start`` has NaN rows for missing ones."""
    P = drawing.affinity.P
    placed = ~np.isnan(start[:, 0])
    Y = place_missing(start, P, run.rng)
    if placed.all() or np.count_nonzero(placed) < 2 or not radius(start[placed]) > 0:
        return Y
    objective = run.sums.on_cpu.objective(method, drawing.affinity)
    middle = np.sum(Y, axis=0) / len(Y)
    size = size_search(objective, Y - middle)
    Z = size * (Y - middle)
    for _ in range(WAVES):
        reached = ~placed & (P @ placed.astype(float) > 0)
        if not reached.any():
            break
        at = place(AddedNodes(objective, Z, run.sums.threads, placed), ties_of(objective, reached, placed))
        sound = np.isfinite(at).all(axis=1)
        Z[np.flatnonzero(reached)[sound]] = at[sound]
        placed = placed | reached
        if placed.all():
            break
        Z = place_missing(np.where(placed[:, None], Z, np.nan), P, run.rng)
    return Z / size + middle
