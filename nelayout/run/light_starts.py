"""Rough drawings of a small graph from random places, by a Gaussian: copies of the graph are minimized as one stack.

>>> from scipy.sparse import csr_array
>>> path = csr_array(np.array([[0.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]))
>>> light_starts(path, np.ones(4), 3, 2, True, np.random.default_rng(0)).shape
(3, 4, 2)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue import METHODS
from nelayout.objective import Affinity
from nelayout.objective.stacks import stacked, tiled
from nelayout.optimizers.limited_memory import LBFGS
from nelayout.optimizers.minimize import Rest, minimize

__all__ = ["light_starts"]

# Moves of a random start towards the means of neighbors.
SMOOTHINGS = 10
# Steps of each start.
STEPS = 25


def light_starts(
    P: csr_array, mass: np.ndarray, count: int, dim: int, by_rows: bool, rng: np.random.Generator
) -> np.ndarray:
    """Rough drawings (count, n, dim) of a graph with edges, the lowest first; ``by_rows``: rows are compared alone."""
    n, total = P.shape[0], P.sum()
    strength = np.asarray(P.sum(axis=1)).ravel()
    walk = csr_array(P.toarray() / np.where(strength > 0, strength, 1.0)[:, None])
    Y = np.concatenate(rng.standard_normal((count, n, dim)), axis=1)
    for _ in range(SMOOTHINGS):
        Y = 0.5 * Y + 0.5 * (walk @ Y)
        Y = Y - (strength / total) @ Y
    Y = Y / np.sqrt(np.mean(Y * Y, axis=0))
    Y = np.concatenate(np.split(Y, count, axis=1))
    method = replace(METHODS["sne" if by_rows else "ssne"], stages=())
    objective = stacked(*tiled(Affinity(csr_array(P / total), mass / mass.mean()), count), method)
    Y, value, _ = minimize(objective, Y, LBFGS(), STEPS, Rest())
    return Y.reshape(count, n, dim)[np.argsort(value, kind="stable")]
