"""Places for nodes that a start has none for: where each one's own part of J is lowest, the others held still.

Wave after wave: nodes that are joined to placed ones first, then those that are joined to these.  What they share is
settled by the steps that follow; here each is placed for itself, by `nelayout.added`.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.added.descent import place
from nelayout.added.objective import AddedNodes, ties_of
from nelayout.catalogue.record import Method
from nelayout.optimizers.size import size_search
from nelayout.run.start import place_missing, radius
from nelayout.run.state import Component, Run

__all__ = ["place_newcomers"]

# Waves of nodes that are placed by the objective, each of which takes the sums over all pairs once; nodes further from
# all placed ones (a chain of new nodes) lie about the mean of their neighbors.
WAVES = 8


def place_newcomers(component: Component, start: np.ndarray, method: Method, run: Run) -> np.ndarray:
    """Positions (n, d) for all nodes of a component, of which ``start`` has NaN rows where there are none."""
    P = component.affinity.P
    placed = ~np.isnan(start[:, 0])
    Y = place_missing(start, P, run.rng)
    if placed.all() or np.count_nonzero(placed) < 2 or not radius(start[placed]) > 0:
        return Y
    objective = run.sums.on_cpu.objective(method, component.affinity)
    middle = np.sum(Y, axis=0) / len(Y)
    size = size_search(objective, Y - middle)
    Z = size * (Y - middle)
    for _ in range(WAVES):
        reached = ~placed & (_pattern(P) @ placed.astype(float) > 0)
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


def _pattern(P: csr_array) -> csr_array:
    """1 for every edge, however light."""
    return csr_array((np.ones_like(P.data), P.indices, P.indptr), shape=P.shape)
