"""Exact sums for some of the nodes: what they feel of all others, and what all others feel of them.

Fast backends are accurate against the typical potential.  A node far from all others has a tiny one, and where it is
divided by that (connections by rows), its few pairs are summed one by one.
"""

from __future__ import annotations

import numpy as np

from ..kernels import Radial
from ..parallel import Workers
from .exact import form_of
from .field import Field

__all__ = ["felt", "felt_from"]

TASK_PAIRS = 1 << 19


def felt(Y: np.ndarray, charges: np.ndarray, radial: Radial, nodes: np.ndarray, crew: Workers) -> Field:
    """Potential (k,) and force (k, d) at ``nodes`` (k,) of all others."""
    from .. import compiled

    points = compiled.as_points(Y)
    return _sums(points, charges, radial, np.ascontiguousarray(points[:, nodes]), nodes, Y.shape[1], crew)


def felt_from(Y: np.ndarray, charges: np.ndarray, radial: Radial, nodes: np.ndarray, crew: Workers) -> np.ndarray:
    """Force (n, d) on all nodes of the charges (k,) that ``nodes`` (k,) carry."""
    from .. import compiled

    points = compiled.as_points(Y)
    own = np.full(len(Y), -1)
    own[nodes] = np.arange(len(nodes))
    return _sums(np.ascontiguousarray(points[:, nodes]), charges, radial, points, own, Y.shape[1], crew).force


def _sums(
    points: np.ndarray, charges: np.ndarray, radial: Radial, at: np.ndarray, own: np.ndarray, d: int, crew: Workers
) -> Field:
    from .. import compiled

    k = at.shape[1]
    potential, force = np.empty(k), np.empty((3, k))
    form = form_of(radial)
    rows = max(1, TASK_PAIRS // points.shape[1])

    def work(start: int) -> None:
        compiled.pair_sums(points, charges, *form, at, own, start, min(start + rows, k), potential, force)

    crew.map(work, range(0, k, rows))
    return Field(potential, np.ascontiguousarray(force[:d].T))
