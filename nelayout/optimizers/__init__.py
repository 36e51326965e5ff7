"""Minimisers: what goes from one drawing to the next, one file each.

An optimizer is a frozen record of settings with two methods; its state is a small record of its own, and
annealing hands it a changed copy of the objective, never a changed setting:

    state = optimizer.init(objective, Y)
    Y, state = optimizer.step(objective, Y, state)         # state.evaluation is J at the new Y

>>> from nelayout.optimizers import optimizer_named
>>> optimizer_named("majorize").name
'majorize'
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError, unknown
from .lbfgs import LBFGS
from .majorize import Majorize
from .momentum import Momentum
from .spectral_direction import SpectralDirection
from .step import Optimizer, State

__all__ = ["LBFGS", "OPTIMIZERS", "Majorize", "Momentum", "Optimizer", "SpectralDirection", "State", "optimizer_named"]

OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "majorize": Majorize,
    "momentum": Momentum,
    "spectral-direction": SpectralDirection,
    "lbfgs": LBFGS,
}


def optimizer_named(optimizer: str | Optimizer) -> Optimizer:
    """The optimizer of that name with its own settings; an Optimizer is given back as it is."""
    if isinstance(optimizer, Optimizer) and not isinstance(optimizer, type):
        return optimizer
    if not isinstance(optimizer, str):
        given = f"the class {optimizer.__name__}" if isinstance(optimizer, type) else type(optimizer).__name__
        raise InputError(f"optimizer must be a name or an Optimizer with its settings, given {given}")
    name = optimizer.strip().lower().replace("_", "-")
    name = {"l-bfgs": "lbfgs", "mm": "majorize"}.get(name, name)
    if name not in OPTIMIZERS:
        raise unknown("optimizer", optimizer, ["auto", *OPTIMIZERS])
    return OPTIMIZERS[name]()
