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

from nelayout.core.optimizers.line_search import MAX_TRIALS, Trial, tried
from nelayout.core.optimizers.step import Minimizable
from nelayout.core.record.evaluation import Evaluation
from nelayout.errors import Unsupported

__all__ = ["SpectralDirection"]

# mu, in parts of the mean diagonal.
RIDGE = 1e-3


class SpectralState(NamedTuple):
    """See `nelayout.core.optimizers.step.State`."""

    evaluation: Evaluation
    trial: Trial
    taken: bool = True
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

    def init(self, objective: Minimizable, Y: Any) -> SpectralState:
        now = objective.evaluate(Y)
        return SpectralState(now, self._aimed(objective, now, 1.0))

    def step(self, objective: Minimizable, Y: Any, state: SpectralState) -> tuple[Any, SpectralState]:
        trial = state.trial
        Y, _, now, following, taken = tried(objective, Y, state.evaluation, trial)
        if not taken:
            return Y, SpectralState(now, following, False, following.failed >= MAX_TRIALS)
        return Y, SpectralState(now, self._aimed(objective, now, trial.length * (1.0 if trial.failed else 2.0)))

    def _aimed(self, objective: Minimizable, now: Evaluation, length: float) -> Trial:
        """Return the first trial from here."""
        weights = objective.attraction_at_zero(now.lam)
        pulls = objective.edges.row_sums(weights)
        ridge = RIDGE * 4.0 * (float(np.add.reduce(pulls, axis=0)) / max(len(pulls), 1)) + now.stiffness
        system = weights, 4.0, ridge, -now.gradient, self.tolerance, self.inner, objective.free
        direction = objective.edges.solve(*system)
        return Trial(direction, objective.arithmetic.product(direction, now.gradient), length)
