"""Record of an objective at one drawing: value, gradient, and other requested results."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

__all__ = ["NOTHING", "Evaluation"]

# Value of results that were not requested.
NOTHING = np.empty(0)


class Evaluation(NamedTuple):
    """J at one drawing, lambda, and requested results; other fields are empty.

    If J is infinite, other fields have no meaning.

    value       J
    lam         lambda; the geometric mean if each row has its own
    gradient    (n, d)
    weights     (nnz,) attraction omega of each edge, symmetric; a sign is possible
    lost        indices of nodes too far from all others for floats, which make J infinite
    strength    |dJ / d ln lambda| through the edges, their total pull, and gravity's share of J
    stiffness   (n,) a bound on the curvature of gravity, springs and terms; 0 without them
    attraction  (n,) sum over each node's edges of max(omega, 0)
    """

    value: float
    lam: float
    gradient: Any = NOTHING
    weights: Any = NOTHING
    lost: np.ndarray = NOTHING.astype(np.intp)
    strength: float = math.nan
    stiffness: Any = 0.0
    attraction: Any = NOTHING
