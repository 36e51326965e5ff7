"""The interface between an optimizer and the loop that drives it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..divergences import Divergence
from ..kernels import Kernel
from ..objective import Evaluation, Objective

__all__ = ["Optimizer", "State", "attraction_of"]


class State(Protocol):
    """What an optimizer remembers between steps."""

    @property
    def evaluation(self) -> Evaluation:
        """J at the current drawing."""
        ...

    @property
    def stuck(self) -> bool:
        """No trial brought a decrease: the drawing is as good as this optimizer can make it."""
        ...


@runtime_checkable
class Optimizer(Protocol):
    """See the package docstring."""

    @property
    def name(self) -> str: ...

    def check(self, kernel: Kernel, divergence: Divergence) -> None:
        """Unsupported, in words, for objectives that this optimizer is not valid for."""
        ...

    def init(self, objective: Objective, Y: np.ndarray) -> Any: ...

    def step(self, objective: Objective, Y: np.ndarray, state: Any) -> tuple[np.ndarray, Any]: ...


def attraction_of(objective: Objective, evaluation: Evaluation) -> np.ndarray:
    """(n,) w_i = sum_j max(omega_ij, 0), never below the mean: a quarter of the curvature of each node's edges."""
    pull = objective.edges.row_sums(np.maximum(evaluation.weights, 0.0))
    # Where nothing attracts (NeRV of a single pair), any length is as good as another to start with.
    return np.maximum(pull, float(np.mean(pull)) or 1.0)
