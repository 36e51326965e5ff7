"""Nearest nodes and distances by definition, for the tests of measures."""

import numpy as np
from scipy.spatial.distance import cdist

from nelayout.quality.distances import InputDistances


def others(Y):
    """All other nodes of each node, nearest first: (n, n - 1)."""
    D = cdist(Y, Y)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1)[:, :-1]


def distances_of(D):
    return InputDistances(len(D), lambda nodes: D[nodes])
