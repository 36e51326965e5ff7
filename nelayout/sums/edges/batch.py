"""Sums over the edges of a batch of graphs: as in `rows`, for similarities that are not shared out by rows.

Each row has the lambda of its graph.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.formula.divergences.protocol import Divergence, PowerEdges, Powers, Spread
from nelayout.numerics.parallel import Threads
from nelayout.sums.edges.rows import RowEdges

__all__ = ["BatchEdges"]

# Order of a Box-Cox form from which it is summed as a power; nearer to 0 its digits would cancel.
CLEAR_ORDER = 0.5


class BatchEdges(RowEdges):
    """The edges of graphs one after another in P; ``spread``: the background of each row's graph, if there is one."""

    def __init__(self, P: csr_array, mass: np.ndarray, spread: Spread | None, threads: Threads) -> None:
        super().__init__(P, P.data, mass, spread, threads, True)
        self.pair_mass = mass[self.rows] * mass[P.indices]
        self.ratio = np.where(P.data > 0, P.data, 1.0) / self.pair_mass

    def symmetric(self, omega: np.ndarray) -> np.ndarray:
        """omega itself: it is symmetric."""
        return omega

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _powers_of(self, divergence: Divergence) -> Powers | None:
        found = super()._powers_of(divergence)
        if found is not None or not isinstance(divergence, PowerEdges) or self.spread is not None:
            return found
        form = divergence.edge_powers(self.ratio)
        if form is None or form.form != "boxcox" or abs(form.order) < CLEAR_ORDER:
            return None
        factor = self._own(self.pair_mass * form.factor / form.order, 0, self.size)
        constant = self._own(self.pair_mass * (form.constant - form.factor / form.order), 0, self.size)
        found = Powers(form.order, factor, self.row_sums(constant))
        self._powers = divergence, found
        return found
