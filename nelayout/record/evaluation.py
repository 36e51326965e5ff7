"""The record of an objective at one drawing: its value, its gradient, and what minimizers and tests ask beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

__all__ = ["NOTHING", "Evaluation"]

# Stands for results that were not requested.
NOTHING = np.empty(0)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """J at one drawing, its lambda, and the results that were requested; the others are empty."""

    value: float
    lam: float
    gradient: np.ndarray = field(default_factory=lambda: NOTHING)
    # omega >= or < 0, on the pattern of P: the attraction of each edge
    weights: np.ndarray = field(default_factory=lambda: NOTHING)
    # indices of nodes too far from all others for floats, where J is infinite for their sake
    lost: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    # |dJ / d ln lambda| through the edges alone, how hard they pull together: 1 where lambda is optimal, sum P under a
    # normalized I-divergence; gravity's part of J is added
    strength: float = math.nan
    # (n,) a bound on the curvature of gravity and anchors; a zero where there are none
    stiffness: np.ndarray = field(default_factory=lambda: np.zeros(()))
