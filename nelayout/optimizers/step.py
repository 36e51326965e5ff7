"""The interface between an optimizer and the loop that drives it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..objective import Evaluation, Objective

__all__ = ["Optimizer", "State"]


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

    def init(self, objective: Objective, Y: np.ndarray) -> Any: ...

    def step(self, objective: Objective, Y: np.ndarray, state: Any) -> tuple[np.ndarray, Any]: ...
