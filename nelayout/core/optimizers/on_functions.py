"""The optimizers as functions, on an objective of the caller's own.

An objective is a function of the positions that gives its value and its gradient.  Majorization and the spectral
direction also need the curvature of the attraction A in J:

    J = A + B,        A(Z) <= A(Y) + <grad A(Y), Z - Y> + 1/2 <Z - Y, H (Z - Y)>        near Y.

The matrix H bounds A from above in this way (equal to it if A is quadratic).  A function of Y may give it instead.
An attraction sum_ij W_ij |y_i - y_j|^2 has H = 2 L_(W + W^T), that is 4 L for symmetric W.  L is their graph
Laplacian.  Any other concave function of the squared distances xi has it with W_ij = dA/d xi_ij.  B may be anything
smooth, neither convex nor concave: its curvature is found by trying (Yang, Peltonen & Kaski 2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from nelayout.core.objective import Evaluation
from nelayout.core.optimizers.limited_memory import LBFGS
from nelayout.core.optimizers.majorization import Majorize
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.optimizers.momentum_descent import Momentum
from nelayout.core.optimizers.spectral import SpectralDirection
from nelayout.core.optimizers.step import Optimizer
from nelayout.core.record.progress import Observer, Stopped
from nelayout.core.record.solution import Frame, Progress, Step
from nelayout.errors import InputError, InputTypeError
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.conjugate_gradients import conjugate_gradients
from nelayout.numerics.parallel import Threads

__all__ = ["Minimum", "lbfgs", "majorize", "momentum", "spectral_direction"]

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]
Callback = Callable[[Progress], object]

# Length, as a part of Y's own, over which the curvature of an objective that names none is measured.
PROBE = 1e-4


@dataclass(frozen=True, slots=True)
class Minimum:
    """The end of a run: positions, J there, (iteration, value, seconds, stage) of each step.

    ``reason``: "converged", "max_iter" or "stopped" (by the callback).
    """

    positions: np.ndarray
    value: float
    trace: tuple[Step, ...]
    reason: str


def majorize(
    objective: Function, Y: np.ndarray, curvature: Any = None, *, max_iter: int = 300, tol: float = 1e-6,
    free: np.ndarray | None = None, callback: Callback | None = None, tolerance: float = 0.05, inner: int = 40
) -> Minimum:
    """Take majorization steps (H + rho I) (Y_new - Y) = -grad J; rho keeps J from rising.

    Parameters
    ----------
    objective : Y -> (value, gradient), the gradient an array like Y.
    Y : where to start, (n, d) or (n,), finite; it is not changed.
    curvature : H, (n, n), symmetric, positive semidefinite, dense or sparse, or a function Y -> H; see the module.
    max_iter : most steps.
    tol : end when 10 steps have brought less than this fraction of all the decrease so far.
    free : (n,) mask of the rows that may move; None: all.
    callback : is given iteration, stage, value and positions (read-only) after each step; True ends the run.
    tolerance, inner : relative residual and most iterations of the conjugate gradients that solve one system.

    Raises
    ------
    InputError
        for arguments of other shapes, numbers that are not finite at the start, or an H that is not symmetric.

    Examples
    --------
    A ring of eight, drawn by Elastic Embedding:

    >>> import networkx as nx, numpy as np, nelayout as nl
    >>> L = nx.laplacian_matrix(nx.cycle_graph(8)).toarray()
    >>> def elastic(Y):
    ...     q = np.exp(-((Y[:, None] - Y) ** 2).sum(axis=2))
    ...     R = np.diag(q.sum(axis=1)) - q
    ...     return 2 * np.sum(Y * (L @ Y)) + np.sum(q), 4 * (L - R) @ Y
    >>> start = np.random.default_rng(0).normal(size=(8, 2))
    >>> found = nl.optimizers.majorize(elastic, start, 4 * L)
    >>> found.reason, bool(np.abs(elastic(found.positions)[1]).max() < 1e-2)
    ('converged', True)
    """
    return _run(objective, Y, curvature, Majorize(tolerance, inner), max_iter, tol, free, callback)


def spectral_direction(
    objective: Function, Y: np.ndarray, curvature: Any = None, *, max_iter: int = 300, tol: float = 1e-6,
    free: np.ndarray | None = None, callback: Callback | None = None, tolerance: float = 0.02, inner: int = 60
) -> Minimum:
    """Take steps -(H + mu I)^-1 grad J, H at the start (Vladymyrov & Carreira-Perpinan 2012).

    Arguments and errors as for `majorize`.

    >>> import numpy as np, nelayout as nl
    >>> H = np.diag([1.0, 100.0, 10_000.0])
    >>> found = nl.optimizers.spectral_direction(lambda y: (y @ H @ y / 2, H @ y), np.ones(3), H)
    >>> bool(np.abs(found.positions).max() < 1e-2), len(found.trace) < 20
    (True, True)
    """
    return _run(objective, Y, curvature, SpectralDirection(tolerance, inner), max_iter, tol, free, callback)


def lbfgs(
    objective: Function, Y: np.ndarray, curvature: Any = None, *, max_iter: int = 300, tol: float = 1e-9,
    free: np.ndarray | None = None, callback: Callback | None = None, memory: int = 10
) -> Minimum:
    """Take limited-memory BFGS steps (Nocedal & Wright 2006); J never rises.

    Arguments and errors as for `majorize`.  Of ``curvature`` only the diagonal is used, as a preconditioner; None
    measures one number for all.  ``memory``: how many steps are remembered.

    >>> import numpy as np, nelayout as nl
    >>> def rosenbrock(y):
    ...     a, b = 1 - y[0], y[1] - y[0] ** 2
    ...     return a * a + 100 * b * b, np.array([-2 * a - 400 * y[0] * b, 200 * b])
    >>> found = nl.optimizers.lbfgs(rosenbrock, np.array([-1.2, 1.0]))
    >>> bool(np.abs(found.positions - 1).max() < 1e-4)
    True
    """
    return _run(objective, Y, curvature, LBFGS(memory), max_iter, tol, free, callback)


def momentum(
    objective: Function, Y: np.ndarray, curvature: Any = None, *, max_iter: int = 1000, tol: float = 1e-6,
    free: np.ndarray | None = None, callback: Callback | None = None, momentum: float = 0.9, rate: float = 1.0
) -> Minimum:
    """Gradient descent with momentum and gains, as in t-SNE; J may rise on the way.

    Arguments and errors as for `majorize`, ``curvature`` as for `lbfgs`.  ``momentum``: part of the last move
    that is kept; ``rate``: step length, 1 is the inverse curvature.

    >>> import numpy as np, nelayout as nl
    >>> found = nl.optimizers.momentum(lambda y: (float(y @ y), 2 * y), np.ones(3))
    >>> bool(found.value < 1e-3)
    True
    """
    return _run(objective, Y, curvature, Momentum(momentum, rate), max_iter, tol, free, callback)


def _run(
    objective: Function, Y: Any, curvature: Any, optimizer: Optimizer, max_iter: int, tol: float,
    free: np.ndarray | None, callback: Callback | None
) -> Minimum:
    """Check the arguments and minimize; see `majorize`."""
    start = np.array(Y, dtype=np.float64)
    if start.ndim not in (1, 2) or not start.size or not np.all(np.isfinite(start)):
        raise InputError(f"Y must be finite, of shape (n, d) or (n,) and not empty, given shape {start.shape}")
    X = start.reshape(len(start), -1)
    n = len(X)
    if free is not None:
        free = np.asarray(free)
        if free.dtype != bool or free.shape != (n,):
            raise InputError(f"free must be a mask of booleans of shape ({n},), given {free.dtype} {free.shape}")
        free = np.repeat(free[:, None], X.shape[1], axis=1)
    if not isinstance(max_iter, Integral) or isinstance(max_iter, bool) or max_iter < 0:
        raise InputError(f"max_iter must be a whole number >= 0, given {max_iter!r}")
    if not isinstance(tol, Real) or not tol >= 0:
        raise InputError(f"tol must be a number >= 0, given {tol!r}")
    if not callable(objective):
        raise InputTypeError(f"objective must be a function Y -> (value, gradient), given {type(objective).__name__}")
    if curvature is None and isinstance(optimizer, (Majorize, SpectralDirection)):
        raise InputError(
            f"{optimizer.name} needs the curvature of the attraction, an (n, n) matrix or a function of Y; "
            "lbfgs and momentum do without"
        )
    problem = _Own(objective, start.shape, free, _Curvature(csr_array((n, n))), np.ones(n))
    given = diags_array(np.full(n, _measured(problem, X))) if curvature is None else curvature
    now = problem.evaluate(X)
    if not math.isfinite(now.value) or not np.all(np.isfinite(now.gradient)):
        raise InputError(f"objective is {now.value} at Y, or its gradient not finite: start elsewhere")
    problem.edges = _curved(given(start.copy()) if callable(given) else given, n)
    observer, end = Observer(callback), [X]

    def report(value: float, Y: np.ndarray) -> None:
        end[0] = Y
        if callable(curvature) and not isinstance(optimizer, SpectralDirection):
            problem.edges = _curved(curvature(Y.reshape(start.shape).copy()), n)
        observer.record(optimizer.name, value, lambda: Frame(lambda: Y.reshape(start.shape)))

    try:
        reason = minimize(problem, X, optimizer, max_iter, StoppingRule(stall=tol), report).reason
        reason = "converged" if reason == "lull" else reason  # little gain is the rule that tol states here
    except Stopped:
        reason = "stopped"
    value = observer.trace[-1].value if observer.trace else problem.evaluate(X).value
    return Minimum(end[0].reshape(start.shape), value, tuple(observer.trace), reason)


@dataclass(frozen=True)
class _Curvature:
    """`Edges` for a given curvature: C = H / 4 replaces a Laplacian."""

    C: csr_array

    def row_sums(self, weights: np.ndarray) -> np.ndarray:
        """Return the diagonal, which for the Laplacian of w is sum_j w_ij."""
        return float(weights[0]) * self.C.diagonal()

    def solve(self, weights, scale, ridge, right, tolerance, max_iter, free=None) -> np.ndarray:
        """As `Edges.solve`."""
        factor, ridges = scale * float(weights[0]), np.full(len(right), ridge)
        return conjugate_gradients(
            lambda X: factor * (self.C @ X) + ridges[:, None] * X, factor * self.C.diagonal() + ridges, right,
            tolerance=tolerance, max_iter=max_iter, free=free,
        )


@dataclass
class _Own:
    """The caller's function and curvature, with the interface of `Objective` for optimizers."""

    function: Function
    shape: tuple[int, ...]
    free: np.ndarray | None
    edges: _Curvature
    mass: np.ndarray
    arithmetic: Arithmetic = field(default_factory=lambda: Arithmetic(Threads(), False))

    def to_device(self, x: Any) -> Any:
        return x

    def evaluate(self, Y: np.ndarray, *, value: bool = True, gradient: bool = True, weights=False, attraction=False):
        answer = self.function(Y.reshape(self.shape).copy())
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise InputTypeError(f"objective must return (value, gradient), given {type(answer).__name__}")
        slopes = np.array(answer[1], dtype=np.float64)
        if slopes.shape != self.shape:
            raise InputError(f"objective must return a gradient of shape {self.shape}, given {slopes.shape}")
        slopes = slopes.reshape(Y.shape)
        if self.free is not None:
            slopes[~self.free] = 0.0
        one = np.ones(1)
        return Evaluation(float(answer[0]), 1.0, gradient=slopes, weights=one, attraction=self.edges.row_sums(one))

    def attraction_at_zero(self, lam: float) -> np.ndarray:
        return np.ones(1)


def _curved(H: Any, n: int) -> _Curvature:
    """Return H as a curvature, or raise InputError."""
    given = csr_array(H, dtype=np.float64)
    if given.shape != (n, n) or not np.all(np.isfinite(given.data)):
        raise InputError(f"curvature must be a finite matrix of shape ({n}, {n}), given shape {given.shape}")
    largest = float(np.max(np.abs(given.data), initial=0.0))
    if float(np.max(np.abs(csr_array(given - given.T).data), initial=0.0)) > 1e-9 * largest:
        raise InputError("curvature must be symmetric: an attraction W has 2 L of W + W^T, L the graph Laplacian")
    if not largest or np.any(given.diagonal() < 0):
        raise InputError("curvature must be positive semidefinite and not 0, given one with a diagonal that is not")
    return _Curvature(csr_array(given / 4.0))


def _measured(problem: _Own, X: np.ndarray) -> float:
    """Return how much the gradient changes along itself, per length; 1 where it does not."""
    here = problem.evaluate(X).gradient
    size = math.sqrt(float(np.sum(here * here)))
    if not (0 < size < math.inf):
        return 1.0
    length = PROBE * (math.sqrt(float(np.sum(X * X))) or 1.0)
    change = problem.evaluate(X - (length / size) * here).gradient - here
    found = math.sqrt(float(np.sum(change * change))) / length
    return found if 0 < found < math.inf else 1.0
