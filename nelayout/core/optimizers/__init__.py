"""Optimizers: each goes from one drawing to the next; `minimize` is their common loop.

Four functions minimize an objective of your own: `majorize`, `lbfgs`, `momentum` and `spectral_direction`::

    nl.optimizers.lbfgs(objective, Y)                      # objective(Y) returns a value and a gradient

Within a layout, an optimizer is a frozen record of settings with two methods. Its state is a small record. A step is
one trial, taken or not::

    state = optimizer.init(objective, Y)
    Y, state = optimizer.step(objective, Y, state)         # state.taken: whether; state.evaluation: J at the new Y
"""

from __future__ import annotations

from collections.abc import Callable

from nelayout.core.catalogue.stages import optimizer_name
from nelayout.core.optimizers.limited_memory import LBFGS
from nelayout.core.optimizers.majorization import Majorize
from nelayout.core.optimizers.momentum_descent import Momentum
from nelayout.core.optimizers.on_functions import Minimum, lbfgs, majorize, momentum, spectral_direction
from nelayout.core.optimizers.spectral import SpectralDirection
from nelayout.core.optimizers.step import Optimizer, State
from nelayout.errors import InputError

__all__ = [
    "LBFGS", "OPTIMIZERS", "Majorize", "Minimum", "Momentum", "Optimizer", "SpectralDirection", "State", "lbfgs",
    "majorize", "momentum", "optimizer_named", "spectral_direction",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "majorize": Majorize,
    "momentum": Momentum,
    "spectral-direction": SpectralDirection,
    "lbfgs": LBFGS,
}


def optimizer_named(optimizer: str | Optimizer) -> Optimizer:
    """Return the optimizer with a name, or the Optimizer itself."""
    if isinstance(optimizer, Optimizer) and not isinstance(optimizer, type):
        return optimizer
    if not isinstance(optimizer, str):
        given = f"the class {optimizer.__name__}" if isinstance(optimizer, type) else type(optimizer).__name__
        raise InputError(f"optimizer must be a name or an Optimizer with its settings, given {given}")
    return OPTIMIZERS[optimizer_name(optimizer)]()
