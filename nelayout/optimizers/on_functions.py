"""The optimizers as functions, on an objective of the caller's own.

An objective is a function of the positions that gives its value and its gradient; everything else is the minimizer's.
Majorization and the spectral direction also want the curvature of the part of J that attracts: with

    J = A + B,        A(Z) <= A(Y) + <grad A(Y), Z - Y> + 1/2 <Z - Y, H (Z - Y)>        near Y,

a matrix H that bounds A from above in this way (equal to it, where A is quadratic), or a function of Y that gives it.
An attraction sum_ij W_ij |y_i - y_j|^2 has H = 2 L_(W + W^T), that is 4 L for symmetric W, with L their graph
Laplacian; any other that is concave in the squared distances xi has it with W_ij = dA/d xi_ij.  B may be anything
smooth, neither convex nor concave: its curvature is found by trying (Yang, Peltonen & Kaski 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.objective.whole import Objective
from nelayout.optimizers.function_objective import Function, OnFunction, problem_of
from nelayout.optimizers.limited_memory import LBFGS
from nelayout.optimizers.majorization import Majorize
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.momentum_descent import Momentum
from nelayout.optimizers.spectral import SpectralDirection
from nelayout.optimizers.step import Optimizer
from nelayout.record.progress import Observer, Stopped
from nelayout.record.solution import Progress, Step

__all__ = ["Minimum", "lbfgs", "majorize", "momentum", "spectral_direction"]

# A run ends when this many steps together bring less than the part ``tol`` of the whole decrease so far.
LULL = 5


@dataclass(frozen=True, slots=True)
class Minimum:
    """The end of a run of one optimizer.

    positions  as the start was given: (n, d) or (n,)
    value      the objective there
    trace      (iteration, value, seconds, stage) of every step
    reason     "converged", "max_iter" or "stopped" (by the callback)
    """

    positions: np.ndarray
    value: float
    trace: tuple[Step, ...]
    reason: str


def majorize(
    objective: Function | Objective,
    Y: np.ndarray,
    curvature: Any = None,
    *,
    max_iter: int = 300,
    tol: float = 1e-6,
    free: np.ndarray | None = None,
    callback: Callable[[Progress], object] | None = None,
    tolerance: float = 0.05,
    inner: int = 40,
) -> Minimum:
    """Majorization-minimization: (H + rho I) (Y_new - Y) = -grad J, with a rho such that J never rises.

    With grad J = H Y + Psi this is the update (H + rho I) Y_new = rho Y - Psi of Yang, Peltonen & Kaski (2015).

    Parameters
    ----------
    objective : Y -> (value, gradient), the gradient an array like Y; or an Objective of this package.
    Y : where to start, (n, d) or (n,), finite; it is not changed.
    curvature : H, (n, n), symmetric, positive semidefinite, an array or a sparse matrix, or a function Y -> H; see the
        module.  An Objective has its own: None.
    max_iter : most steps.
    tol : end when 5 steps have brought less than this part of all the decrease so far.
    free : (n,) mask of the rows that may move; None: all.
    callback : is given a record of iteration, stage, value and positions (read-only) after each step; True ends
        the run.
    tolerance, inner : relative residual and most iterations of the conjugate gradients that solve one system.

    Raises
    ------
    InputError
        for arguments of other shapes, numbers that are not finite at the start, or an H that is not symmetric.

    Examples
    --------
    A ring of eight, drawn by Elastic Embedding, which takes two lines to write down:

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
    objective: Function | Objective,
    Y: np.ndarray,
    curvature: Any = None,
    *,
    max_iter: int = 300,
    tol: float = 1e-6,
    free: np.ndarray | None = None,
    callback: Callable[[Progress], object] | None = None,
    tolerance: float = 0.02,
    inner: int = 60,
) -> Minimum:
    """Steps along -(H + mu I)^-1 grad J, as long as a line search finds them good; H is what it is at the start.

    Arguments and errors are those of `majorize`; Vladymyrov & Carreira-Perpinan (2012).

    >>> import numpy as np, nelayout as nl
    >>> H = np.diag([1.0, 100.0, 10_000.0])
    >>> found = nl.optimizers.spectral_direction(lambda y: (y @ H @ y / 2, H @ y), np.ones(3), H)
    >>> bool(np.abs(found.positions).max() < 1e-2), len(found.trace) < 20
    (True, True)
    """
    return _run(objective, Y, curvature, SpectralDirection(tolerance, inner), max_iter, tol, free, callback)


def lbfgs(
    objective: Function | Objective,
    Y: np.ndarray,
    curvature: Any = None,
    *,
    max_iter: int = 300,
    tol: float = 1e-9,
    free: np.ndarray | None = None,
    callback: Callable[[Progress], object] | None = None,
    memory: int = 10,
) -> Minimum:
    """Limited-memory BFGS (Nocedal & Wright 2006): the curvature is learned on the way, J never rises.

    Arguments and errors are those of `majorize`.  Of ``curvature`` only the diagonal is used, as a preconditioner; None
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
    objective: Function | Objective,
    Y: np.ndarray,
    curvature: Any = None,
    *,
    max_iter: int = 1000,
    tol: float = 1e-6,
    free: np.ndarray | None = None,
    callback: Callable[[Progress], object] | None = None,
    momentum: float = 0.9,
    rate: float = 1.0,
) -> Minimum:
    """Gradient descent with momentum and gains, as in t-SNE; J may rise on the way.

    Arguments and errors are those of `majorize`.  Of ``curvature`` only the diagonal is used, for the length of steps;
    None measures one number for all.  ``momentum``: part of the last move that is kept; ``rate``: length of a step, 1
    is the inverse curvature.

    >>> import numpy as np, nelayout as nl
    >>> found = nl.optimizers.momentum(lambda y: (float(y @ y), 2 * y), np.ones(3))
    >>> bool(found.value < 1e-3)
    True
    """
    return _run(objective, Y, curvature, Momentum(momentum, rate), max_iter, tol, free, callback)


def _run(
    objective: Function | Objective,
    Y: np.ndarray,
    curvature: Any,
    optimizer: Optimizer,
    max_iter: int,
    tol: float,
    free: np.ndarray | None,
    callback: Callable[[Progress], object] | None,
) -> Minimum:
    start = np.array(Y, dtype=np.float64)
    if start.ndim not in (1, 2) or not start.size or not np.all(np.isfinite(start)):
        raise InputError(f"Y must be finite, of shape (n, d) or (n,) and not empty, given shape {start.shape}")
    X = start.reshape(len(start), -1)
    if free is not None:
        free = np.asarray(free)
        if free.dtype != bool or free.shape != (len(X),):
            raise InputError(f"free must be a mask of booleans of shape ({len(X)},), given {free.dtype} {free.shape}")
    if not isinstance(max_iter, Integral) or isinstance(max_iter, bool) or max_iter < 0:
        raise InputError(f"max_iter must be a whole number >= 0, given {max_iter!r}")
    if not isinstance(tol, Real) or not tol >= 0:
        raise InputError(f"tol must be a number >= 0, given {tol!r}")
    free = None if free is None else np.repeat(free[:, None], X.shape[1], axis=1)
    problem = problem_of(objective, start, curvature, optimizer, free)
    moves = callable(curvature) and not isinstance(optimizer, SpectralDirection)
    optimizer = OnFunction(optimizer, (lambda Y: curvature(Y.reshape(start.shape))) if moves else None)
    observer, end = Observer(callback), [X]

    def report(value: float, Y: np.ndarray) -> None:
        end[0] = Y
        observer.record(optimizer.name, value, lambda: Y.reshape(start.shape))

    try:
        _, _, reason = minimize(problem, X, optimizer, max_iter, Rest(gain=tol, lull=LULL), report)
        reason = "converged" if reason == "lull" else reason  # little gain is the rule that tol states here
    except Stopped:
        reason = "stopped"
    value = observer.trace[-1].value if observer.trace else optimizer.init(problem, X).evaluation.value
    return Minimum(end[0].reshape(start.shape), value, tuple(observer.trace), reason)
