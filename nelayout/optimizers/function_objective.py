"""A caller's function and curvature with the interface of `Objective`, for the optimizers as functions.

Optimizers look at an objective's value, gradient and edges; here a matrix stands for the edges.  Where the curvature
moves with Y, each step gets a copy of the objective with the matrix at its own Y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, InputTypeError
from nelayout.numerics.conjugate_gradients import conjugate_gradients
from nelayout.numerics.parallel import Threads
from nelayout.objective.whole import Evaluation, Objective
from nelayout.optimizers.majorization import Majorize
from nelayout.optimizers.spectral import SpectralDirection
from nelayout.optimizers.step import Optimizer

__all__ = ["Function", "OnFunction", "problem_of"]

# Length, as a part of Y's own, over which the curvature of an objective that names none is measured.
PROBE = 1e-4

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class _Matrix:
    """`edges.Edges` for a curvature that is given: scale weights[0] C + ridge with C = H / 4."""

    C: csr_array

    def row_sums(self, weights: np.ndarray) -> np.ndarray:
        """The diagonal, which for the Laplacian of w is sum_j w_ij."""
        return float(weights[0]) * self.C.diagonal()

    def solve(self, weights, scale, ridge, right, tolerance, max_iter, free=None) -> np.ndarray:
        """As `edges.Edges.solve`."""
        factor = scale * float(weights[0])
        ridges = np.full(len(right), ridge)
        return conjugate_gradients(
            lambda X: factor * (self.C @ X) + ridges[:, None] * X,
            factor * self.C.diagonal() + ridges,
            right,
            tolerance=tolerance,
            max_iter=max_iter,
            free=free,
        )


@dataclass(frozen=True)
class _Own:
    """The caller's function and curvature with the interface of `Objective`, as far as optimizers look at it."""

    function: Function
    shape: tuple[int, ...]
    free: np.ndarray | None
    edges: _Matrix
    affinity: Any
    threads: Threads = field(default_factory=Threads)
    compiled: bool = False

    @property
    def mass(self) -> np.ndarray:
        return self.affinity.mass

    def evaluate(self, Y: np.ndarray, *, value: bool = True, gradient: bool = True, weights: bool = False):
        answer = self.function(Y.reshape(self.shape).copy())
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise InputTypeError(f"objective must return (value, gradient), given {type(answer).__name__}")
        slopes = np.array(answer[1], dtype=np.float64)
        if slopes.shape != self.shape:
            raise InputError(f"objective must return a gradient of shape {self.shape}, given {slopes.shape}")
        slopes = slopes.reshape(Y.shape)
        if self.free is not None:
            slopes[~self.free] = 0.0
        return Evaluation(float(answer[0]), 1.0, gradient=slopes, weights=np.ones(1))

    def attraction_at_zero(self, lam: float) -> np.ndarray:
        return np.ones(1)


def problem_of(
    objective: Function | Objective, start: np.ndarray, curvature: Any, optimizer: Optimizer, free: np.ndarray | None
) -> Any:
    """The objective that an optimizer works on: an Objective as it is, a function behind the same interface."""
    if isinstance(objective, Objective):
        if curvature is not None:
            raise InputError("an Objective knows its curvature: leave out curvature, or give a function for it")
        optimizer.check(objective.kernel, objective.divergence)
        return objective if free is None else replace(objective, free=free)
    if not callable(objective):
        raise InputTypeError(f"objective must be a function Y -> (value, gradient), given {type(objective).__name__}")
    n = len(start)
    problem = _Own(objective, start.shape, free, _Matrix(csr_array((n, n))), SimpleNamespace(mass=np.ones(n)))
    if curvature is None:
        if isinstance(optimizer, (Majorize, SpectralDirection)):
            raise InputError(
                f"{optimizer.name} needs the curvature of the attraction, an (n, n) matrix or a function of Y; "
                "lbfgs and momentum do without"
            )
        H = csr_array((np.full(n, _measured(problem, start.reshape(n, -1))), np.arange(n), np.arange(n + 1)))
        return replace(problem, edges=_matrix(H, n))
    return replace(problem, edges=_matrix(curvature(start.copy()) if callable(curvature) else curvature, n))


@dataclass(frozen=True, slots=True)
class OnFunction:
    """An optimizer on a caller's function: refuses a start that is not finite, and moves the curvature with Y.

    ``curvature`` : Y -> H, asked for at every step but the first, whose H the objective has; None: it stays.
    """

    optimizer: Optimizer
    curvature: Callable[[np.ndarray], Any] | None = None

    @property
    def name(self) -> str:
        return self.optimizer.name

    @property
    def solves(self) -> bool:
        return self.optimizer.solves

    def check(self, kernel: Any, divergence: Any) -> None:
        """Valid if the optimizer is."""
        self.optimizer.check(kernel, divergence)

    def init(self, objective: Any, Y: np.ndarray) -> Any:
        inner = self.optimizer.init(objective, Y)
        now = inner.evaluation
        if not math.isfinite(now.value) or not np.all(np.isfinite(now.gradient)):
            raise InputError(f"objective is {now.value} at Y, or its gradient not finite: start elsewhere")
        return _Started(inner, objective)

    def step(self, objective: Any, Y: np.ndarray, state: _Started) -> tuple[np.ndarray, _Started]:
        if state.objective is not None or self.curvature is None:
            here = objective
        else:
            here = replace(objective, edges=_matrix(self.curvature(Y.copy()), len(Y)))
        Y, inner = self.optimizer.step(here, Y, state.inner)
        return Y, _Started(inner)


@dataclass(frozen=True, slots=True)
class _Started:
    inner: Any
    objective: Any = None  # before the first step

    @property
    def evaluation(self) -> Evaluation:
        return self.inner.evaluation

    @property
    def stuck(self) -> bool:
        return self.inner.stuck


def _matrix(H: Any, n: int) -> _Matrix:
    """H as a curvature, or InputError."""
    given = csr_array(H, dtype=np.float64)
    if given.shape != (n, n) or not np.all(np.isfinite(given.data)):
        raise InputError(f"curvature must be a finite matrix of shape ({n}, {n}), given shape {given.shape}")
    largest = float(np.max(np.abs(given.data), initial=0.0))
    difference = csr_array(given - given.T)
    if float(np.max(np.abs(difference.data), initial=0.0)) > 1e-9 * largest:
        raise InputError("curvature must be symmetric: an attraction W has 2 L of W + W^T, L the graph Laplacian")
    if not largest or np.any(given.diagonal() < 0):
        raise InputError("curvature must be positive semidefinite and not 0, given one with a diagonal that is not")
    return _Matrix(csr_array(given / 4.0))


def _measured(problem: _Own, X: np.ndarray) -> float:
    """How much the gradient changes along itself, per length; 1 where it does not."""
    here = problem.evaluate(X).gradient
    size = math.sqrt(float(np.sum(here * here)))
    if not (0 < size < math.inf):
        return 1.0
    length = PROBE * (math.sqrt(float(np.sum(X * X))) or 1.0)
    change = problem.evaluate(X - (length / size) * here).gradient - here
    found = math.sqrt(float(np.sum(change * change))) / length
    return found if 0 < found < math.inf else 1.0
