"""What carries an objective's sums: the N-body backend, the threads, and whether loops over edges are compiled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.method import Method
from nelayout.nbody import NBody
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Objective
from nelayout.row_objective import RowObjective

__all__ = ["Floor"]


@dataclass(frozen=True, slots=True)
class Floor:
    """Carries the sums of every objective of a run."""

    nbody: NBody
    threads: Threads
    compiled: bool

    def objective(self, method: Method, affinity: Affinity, free: np.ndarray | None = None) -> Objective:
        kind = RowObjective if method.connection.by_rows else Objective
        return kind(
            affinity, method.kernel, method.divergence, method.connection, self.nbody, self.threads, self.compiled,
            free=free
        )
