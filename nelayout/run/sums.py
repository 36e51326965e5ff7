"""Summation: N-body backend, threads, and whether loops over edges are compiled, for every objective of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.method import Method
from nelayout.nbody import NBody
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Objective
from nelayout.row_objective import RowObjective

__all__ = ["Summation"]


@dataclass(frozen=True, slots=True)
class Summation:
    """Means by which the objectives of a run take their sums."""

    nbody: NBody
    threads: Threads
    compiled: bool

    def objective(self, method: Method, affinity: Affinity, free: np.ndarray | None = None) -> Objective:
        """The objective of a method on an affinity; ``free`` masks the nodes that may move."""
        kind = RowObjective if method.connection.by_rows else Objective
        return kind(
            affinity, method.kernel, method.divergence, method.connection, self.nbody, self.threads, self.compiled,
            free=free,
        )
