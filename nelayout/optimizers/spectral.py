"""Spectral direction (Vladymyrov & Carreira-Perpinan 2012): the curvature of the attraction, held fixed.

    direction = -(4 L_W + mu I)^-1 grad J,        W_ij = attraction of an edge of length 0,

then a line search.  It starts from the last step length, or from twice that where the last step was taken at the
first trial: under a heavy-tailed kernel the edges of a grown drawing pull far less than edges of length 0, so steps
longer than 1 are right.  W is P times a number, so the matrix never changes and one solve per iteration, from the
gradient alone, is enough.  Where the kernel is singular, edges of length 0 attract infinitely and there is no such
matrix: majorization, which takes the attraction at the current lengths, serves there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nelayout.errors import Unsupported
from nelayout.objective import Evaluation, Objective

__all__ = ["SpectralDirection"]

SUFFICIENT = 1e-4
MAX_TRIALS = 30
RIDGE = 1e-3  # mu, as a part of the mean diagonal


@dataclass(frozen=True, slots=True)
class SpectralState:
    evaluation: Evaluation
    length: float = 1.0  # where the next line search starts
    trials: int = 0
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class SpectralDirection:
    """``tolerance``, ``inner``: of the conjugate gradients of one direction."""

    tolerance: float = 0.02
    inner: int = 60
    name: str = "spectral-direction"

    def check(self, kernel, divergence) -> None:
        """Unsupported for kernels that are infinite at distance 0."""
        if kernel.singular:
            raise Unsupported(
                f"optimizer 'spectral-direction' needs a kernel that is finite at distance 0; {kernel.name!r} is not: "
                "use optimizer='majorize'"
            )

    def init(self, objective: Objective, Y: np.ndarray) -> SpectralState:
        return SpectralState(objective.evaluate(Y))

    def step(self, objective: Objective, Y: np.ndarray, state: SpectralState) -> tuple[np.ndarray, SpectralState]:
        now = state.evaluation
        weights = objective.attraction_at_zero(now.lam)
        ridge = RIDGE * 4.0 * float(np.mean(objective.edges.row_sums(weights)))
        direction = objective.edges.solve(
            weights, 4.0, ridge, -now.gradient, self.tolerance, self.inner, objective.free
        )
        slope = float(np.sum(direction * now.gradient))
        length = state.length
        for trial in range(1, MAX_TRIALS + 1):
            candidate = Y + length * direction
            then = objective.evaluate(candidate)
            if math.isfinite(then.value) and then.value <= now.value + SUFFICIENT * length * slope:
                following = 2.0 * length if trial == 1 else length
                return candidate, SpectralState(then, following, state.trials + trial)
            length *= 0.5
        return Y, SpectralState(now, state.length, state.trials + MAX_TRIALS, stuck=True)
