"""The bend of a finished drawing of "auto", which lowers its stress and leaves neighbors where they are.

The whole of a drawing is often too flat or too round for its distances; `run.bending` moves it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import hops_from
from nelayout.numerics.parallel import Threads
from nelayout.run.bending import FEWEST, NODES, Goal, bent, pivots_of, sampled

__all__ = ["bend", "bent_pairs"]

# The part of the way to the least stress that is gone.  Over the 14 graphs of the benchmark that are not crowded, half
# of the way gains 0.013 in the balance, and all of it 0.014, for which it takes 0.008 of the neighborhoods in place of
# 0.002.
PART = 0.5
# Nodes from which hops are counted at a time: each holds a number for every node of the graph.
AT_ONCE = 20


def bend(P: csr_array, Y: np.ndarray, threads: Threads) -> np.ndarray:
    """Bend the drawing Y (n, d) of a connected graph half of the way to the bend that makes its stress least.

    Stress is that of distances relative to hops, as in `nelayout.measure`.

    >>> path = csr_array(np.diag(np.ones(40), 1) + np.diag(np.ones(40), -1))
    >>> arc = np.stack([np.arange(41.0), 0.03 * np.arange(-20.0, 21.0) ** 2], axis=1)
    >>> straighter = bend(path, arc, Threads())
    >>> bool(np.ptp(straighter[:, 1]) < np.ptp(arc[:, 1]))
    True
    """
    pivots, others = sampled(len(Y))
    hops = np.empty((len(pivots), len(others)))
    for start in range(0, len(pivots), AT_ONCE):
        some = hops_from(P, pivots[start : start + AT_ONCE], threads)
        hops[start : start + AT_ONCE] = [row[others] for row in some]
    away = hops > 0
    weights = np.where(away, 1.0 / np.where(away, hops, 1.0) ** 2, 0.0)
    return bent(Y, Goal(pivots, others, hops, weights), PART)


def bent_pairs(n: int) -> int:
    """The pairs of nodes whose distances a bend of a drawing of n nodes looks at; 0 where there is none.

    >>> [bent_pairs(n) for n in (30, 100, 10**6)]
    [0, 10000, 100000]
    """
    return 0 if n < FEWEST else min(pivots_of(n), n) * min(n, NODES)
