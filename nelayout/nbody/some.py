"""Exact sums for some of the nodes: what they feel of all others, and what all others feel of them.

Fast backends are accurate against the typical potential.  A node far from all others has a tiny one, and where it is
divided by that (connections by rows), its few pairs are summed one by one.
"""

from __future__ import annotations

import numpy as np

from ..kernels import Radial
from .field import Field

__all__ = ["felt", "felt_from"]

BLOCK_PAIRS = 1 << 17


def _blocks(Y: np.ndarray, nodes: np.ndarray):
    """Ranges of ``nodes``, their differences to all nodes and squared distances, 1 where a node meets itself."""
    n = len(Y)
    size = max(1, BLOCK_PAIRS // n)
    for start in range(0, len(nodes), size):
        stop = min(start + size, len(nodes))
        here = nodes[start:stop]
        diffs = [Y[here, c, None] - Y[None, :, c] for c in range(Y.shape[1])]
        xi = diffs[0] * diffs[0]
        for diff in diffs[1:]:
            xi += diff * diff
        own = (np.arange(stop - start), here)
        xi[own] = 1.0
        yield start, stop, diffs, xi, own


def felt(Y: np.ndarray, charges: np.ndarray, radial: Radial, nodes: np.ndarray) -> Field:
    """Potential (k,) and force (k, d) at ``nodes`` (k,) of all others."""
    potential, force = np.empty(len(nodes)), np.empty((len(nodes), Y.shape[1]))
    for start, stop, diffs, xi, own in _blocks(Y, nodes):
        weight = charges * radial.value(xi)
        weight[own] = 0.0
        potential[start:stop] = weight.sum(axis=1)
        weight = charges * radial.slope(xi)
        weight[own] = 0.0
        for c, diff in enumerate(diffs):
            force[start:stop, c] = 2.0 * (weight * diff).sum(axis=1)
    return Field(potential, force)


def felt_from(Y: np.ndarray, charges: np.ndarray, radial: Radial, nodes: np.ndarray) -> np.ndarray:
    """Force (n, d) on all nodes of the charges (k,) that ``nodes`` (k,) carry."""
    force = np.zeros_like(Y)
    for start, stop, diffs, xi, own in _blocks(Y, nodes):
        weight = charges[start:stop, None] * radial.slope(xi)
        weight[own] = 0.0
        for c, diff in enumerate(diffs):
            force[:, c] -= 2.0 * (weight * diff).sum(axis=0)
    return force
