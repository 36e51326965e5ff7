"""A potential at one drawing: what it adds to J, and its derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["TINY", "Pull", "about_middle", "flat"]

# Added to squared distances, so that nodes at one place divide nothing by 0.
TINY = 1e-300


class Pull(NamedTuple):
    """A potential at one drawing: node costs (n,), gradient (n, d), curvature bounds (n,)."""

    cost: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray


def flat(x: np.ndarray, dim: int) -> np.ndarray:
    """Return x (..., d) in ``dim`` >= d dimensions, with 0 on further axes.

    Drawings in the plane may pass through space.


    >>> flat(np.array([1.0, 2.0]), 3)
    array([1., 2., 0.])
    """
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, dim - x.shape[-1])])


# Radius, in parts of the largest coordinate, below which nodes count as coincident: the rest is rounding.
ROUNDING = 1e-13


def about_middle(Y: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, float]:
    """Return Y (n, d) about its mean, with parts (n,) of sum 1 as weights, and its radius.

    The radius is sqrt(sum part |y - mean|^2); 0 where the nodes coincide.

    >>> about_middle(np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([0.5, 0.5]))
    (array([[-1.,  0.],
           [ 1.,  0.]]), 1.0)
    """
    about = Y - np.einsum("i,ij->j", part, Y)
    radius = float(np.sqrt(np.einsum("i,ij,ij->", part, about, about)))
    return about, radius if radius > ROUNDING * float(np.abs(Y).max(initial=0.0)) else 0.0
