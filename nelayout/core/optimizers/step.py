"""The interface between an optimizer and the loop that drives it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from nelayout.core.formula.divergences import Divergence
from nelayout.core.formula.kernels import Kernel
from nelayout.core.record.evaluation import Evaluation
from nelayout.numerics.arithmetic import Arithmetic

__all__ = ["Minimizable", "Optimizer", "State", "attraction_of"]


class Minimizable(Protocol):
    """The view of J that optimizers have: an `Objective`, or a caller's function.

    edges  has ``row_sums(weights)``, (n,), and ``solve``, see `nelayout.core.sums.edges.matrix.Edges`
    mass   (n,)
    free   (n, d) mask of the coordinates that may change; None: all
    """

    @property
    def arithmetic(self) -> Arithmetic: ...

    @property
    def edges(self) -> Any: ...

    @property
    def mass(self) -> Any: ...

    @property
    def free(self) -> np.ndarray | None: ...

    def evaluate(
        self, Y: Any, *, gradient: bool = True, weights: bool = False, attraction: bool = False
    ) -> Evaluation: ...

    def attraction_at_zero(self, lam: float) -> Any: ...

    def to_device(self, x: Any) -> Any: ...


class State(Protocol):
    """The memory of an optimizer between trials: a named tuple.

    ``evaluation`` is J at the current positions.  ``taken``: whether the last trial was a step; else positions stay.
    ``stuck``: no trial brings a decrease.
    """

    @property
    def evaluation(self) -> Evaluation: ...

    @property
    def taken(self) -> bool: ...

    @property
    def stuck(self) -> bool: ...


@runtime_checkable
class Optimizer(Protocol):
    """See the package docstring."""

    @property
    def name(self) -> str: ...

    def check(self, kernel: Kernel, divergence: Divergence) -> None:
        """Raise Unsupported for objectives that this optimizer is not valid for."""
        ...

    def init(self, objective: Minimizable, Y: np.ndarray) -> Any: ...

    def step(self, objective: Minimizable, Y: np.ndarray, state: Any) -> tuple[np.ndarray, Any]: ...


def attraction_of(evaluation: Evaluation) -> Any:
    """Return w_i = sum_j max(omega_ij, 0), (n,), at least the mean: 1/4 of edge curvature.

    Gravity and springs add to it.
    """
    pull = evaluation.attraction
    mean = float(np.add.reduce(pull, axis=0)) / max(len(pull), 1)
    # If nothing attracts (NeRV of a single pair), any length is as good as another to start with.
    return np.maximum(pull, mean if mean > 0 else 1.0) + 0.25 * evaluation.stiffness
