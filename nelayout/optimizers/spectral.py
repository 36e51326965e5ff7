"""Spectral direction (Vladymyrov & Carreira-Perpinan 2012): fixed attraction curvature.

    direction = -(4 L_W + mu I)^-1 grad J,        W_ij = attraction of an edge of length 0,

then a line search.  It starts from the last step length, or from twice this length if the first trial was taken: under
a heavy-tailed kernel edges of a grown drawing pull far less than edges of length 0.  If the kernel is singular, edges
of length 0 attract infinitely and the matrix does not exist.  Then use majorization, which takes the current lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.errors import Unsupported
from nelayout.objective import Evaluation, Objective
from nelayout.optimizers.line_search import MAX_TRIALS, Trial, tried
from nelayout.record.evaluation import chosen

__all__ = ["SpectralDirection"]

# mu, in parts of the mean diagonal.
RIDGE = 1e-3


class SpectralState(NamedTuple):
    """See `nelayout.optimizers.step.State`."""

    evaluation: Evaluation
    trial: Trial
    taken: Any = True
    stuck: Any = False


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

    def init(self, objective: Objective, Y: Any) -> SpectralState:
        now, full = objective.evaluate(Y), objective.parts.full
        return SpectralState(now, self._aimed(objective, now, full(1.0)), full(True), full(False))

    def step(self, objective: Objective, Y: Any, state: SpectralState) -> tuple[Any, SpectralState]:
        parts, trial = objective.parts, state.trial
        Y, _, now, following, taken = tried(objective, Y, state.evaluation, trial)
        stuck = following.failed >= MAX_TRIALS
        if parts.any(taken):
            first = trial.failed == 0
            aimed = self._aimed(objective, now, trial.length * parts.where(first, 2.0, 1.0))
            following = chosen(objective, taken, aimed, following)
        return Y, state._replace(evaluation=now, trial=following, taken=taken, stuck=stuck & np.logical_not(taken))

    def _aimed(self, objective: Objective, now: Evaluation, length: Any) -> Trial:
        """Return the first trial from here."""
        parts = objective.parts
        weights = objective.attraction_at_zero(now.lam)
        mean = parts.mean(objective.edges.row_sums(weights))
        ridge = parts.spread(RIDGE * 4.0 * mean) + now.stiffness
        system = weights, 4.0, ridge, -now.gradient, self.tolerance, self.inner, objective.free
        direction = objective.edges.solve(*system)
        return Trial(direction, objective.arithmetic.product(direction, now.gradient), length, parts.full(0))
