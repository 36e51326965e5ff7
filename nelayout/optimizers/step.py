"""The interface between an optimizer and the loop that drives it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from nelayout.formula.divergences import Divergence
from nelayout.formula.kernels import Kernel
from nelayout.objective import Evaluation, Objective

__all__ = ["Optimizer", "State", "attraction_of"]


class State(Protocol):
    """The memory of an optimizer between trials: a named tuple.

    ``evaluation`` is J at the current positions.  ``taken``: whether the last trial was a step; else positions stay.
    ``stuck``: no trial brings a decrease.  On several graphs these are masks (C,).  A field's annotation names what
    its first axis counts if it is not the graphs; see `nelayout.record.evaluation`.
    """

    @property
    def evaluation(self) -> Evaluation: ...

    @property
    def taken(self) -> Any: ...

    @property
    def stuck(self) -> Any: ...


@runtime_checkable
class Optimizer(Protocol):
    """See the package docstring."""

    @property
    def name(self) -> str: ...

    def check(self, kernel: Kernel, divergence: Divergence) -> None:
        """Raise Unsupported for objectives that this optimizer is not valid for."""
        ...

    def init(self, objective: Objective, Y: np.ndarray) -> Any: ...

    def step(self, objective: Objective, Y: np.ndarray, state: Any) -> tuple[np.ndarray, Any]: ...


def attraction_of(objective: Objective, evaluation: Evaluation) -> Any:
    """Return w_i = sum_j max(omega_ij, 0), (n,), at least the mean: 1/4 of edge curvature.

    Gravity and springs add to it.
    """
    parts, pull = objective.parts, evaluation.attraction
    mean = parts.mean(pull)
    # If nothing attracts (NeRV of a single pair), any length is as good as another to start with.
    return np.maximum(pull, parts.spread(parts.where(mean > 0, mean, 1.0))) + 0.25 * evaluation.stiffness
