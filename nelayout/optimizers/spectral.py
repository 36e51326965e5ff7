"""Spectral direction (Vladymyrov & Carreira-Perpinan 2012): the curvature of the attraction, held fixed.

    direction = -(4 L_W + mu I)^-1 grad J,        W_ij = attraction of an edge of length 0,

then a line search.  It starts from the last step length, or from twice that where the last step was taken at the
first trial: under a heavy-tailed kernel the edges of a grown drawing pull far less than edges of length 0, so steps
longer than 1 are right.  W is P times a number, so the matrix never changes and one solve per iteration, from the
gradient alone, is enough.  Where the kernel is singular, edges of length 0 attract infinitely and there is no such
matrix: majorization, which takes the attraction at the current lengths, serves there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nelayout.errors import Unsupported
from nelayout.objective.whole import Evaluation, Objective
from nelayout.optimizers.line_search import MAX_TRIALS, search

__all__ = ["SpectralDirection"]

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
    solves: bool = True

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
        ridge = RIDGE * 4.0 * float(np.mean(objective.edges.row_sums(weights))) + now.stiffness
        direction = objective.edges.solve(
            weights, 4.0, ridge, -now.gradient, self.tolerance, self.inner, objective.free
        )
        slope = float(np.sum(direction * now.gradient))
        found = search(objective, Y, now, direction, slope, length=state.length)
        if found is None:
            return Y, replace(state, trials=state.trials + MAX_TRIALS, stuck=True)
        following = 2.0 * found.length if found.trials == 1 else found.length
        return found.Y, SpectralState(found.evaluation, following, state.trials + found.trials)
