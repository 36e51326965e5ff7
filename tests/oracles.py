"""Every divergence as its definition: phi(p, b) as it stands in the papers, with none of the package's sums.

`ORACLES` has a line for each line of `nelayout.divergences.DIVERGENCES`; `NAMES` are the members of families at which
they are tested.  A divergence that is infinite at p = 0 is given a background by `dense_value`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.formula.divergences import DIVERGENCES, divergence_named, f_divergence
from nelayout.core.objective import Affinity, Objective
from nelayout.core.sums.nbody import Exact

DELTA = 0.01  # the background, unless it is said


def xlogy(x, y):
    return np.where(x > 0, x * np.log(np.where(x > 0, y, 1.0)), 0.0)


def boxcox(b, t):
    return np.log(b) if t == 0 else (b**t - 1) / t


def kl(p, b):
    return xlogy(p, p / b) - p + b


def reverse_kl(p, b):
    return b * np.log(b / p) - b + p


def alpha(t):
    if t == 1:
        return kl
    return reverse_kl if t == 0 else lambda p, b: (p**t * b ** (1 - t) - t * p + (t - 1) * b) / (t * (t - 1))


def beta(t):
    """phi itself; up to the order 0.1 without p^t / (t (t - 1)), and with b^t - 1 for b^t, which are infinite at 0."""
    if t == 1:
        return kl
    if t > 0.1:
        return lambda p, b: (p**t + (t - 1) * b**t - t * p * b ** (t - 1)) / (t * (t - 1))
    return lambda p, b: p * b ** (t - 1) / (1 - t) + boxcox(b, t)


def jse(kappa):
    def phi(p, b):
        z = kappa * p + (1 - kappa) * b
        return xlogy(p, p / z) / (1 - kappa) + xlogy(b, b / z) / kappa

    return {0: kl, 1: reverse_kl}.get(kappa, phi)


# name -> its phi at the family's numbers, or [(weight, phi), ...] where phi is a sum
ORACLES: dict[str, Callable[..., Any]] = {
    "beta": beta,
    "alpha": alpha,
    "i-divergence": lambda: beta(1),
    "kl": lambda: beta(1),
    "itakura-saito": lambda: beta(0),
    "reverse-kl": lambda: reverse_kl,
    "js": lambda: lambda p, b: xlogy(p, 2 * p / (p + b)) + xlogy(b, 2 * b / (p + b)),
    "hellinger": lambda: lambda p, b: (np.sqrt(p) - np.sqrt(b)) ** 2,
    "chi2": lambda: lambda p, b: (p - b) ** 2 / b,
    "nerv": lambda kappa: [(1 - kappa, kl), (kappa, reverse_kl)],
    "jse": jse,
    "mix": lambda share, first, second: [
        *((share * weight, phi) for weight, phi in first), *(((1 - share) * weight, phi) for weight, phi in second)
    ],
    "forceatlas2": lambda s: lambda p, b: p / (4 * b) + s / 4 * np.log(b),
    "t-fdp": lambda r, a, g: lambda p, b: (
        p * ((1 / b - 1) / 8 - a / 4 * np.log(b)) + r / (4 * (g - 1)) * b ** (g - 1)
    ),
    "forceatlas2-linlog": lambda s: lambda p, b: (
        p / 2 * ((1 + b**-0.5) * np.log(1 + b**-0.5) - b**-0.5) + s / 4 * np.log(b)
    ),
}
# Families are tested at these numbers, others that take numbers at the first of ANY.
NUMBERS: dict[str, list[tuple[float, ...]]] = {
    "beta": [(t,) for t in (-0.5, 0.0, 0.05, 0.5, 1.0, 1.5, 2.0, 3.0)],
    "alpha": [(t,) for t in (-1.0, 0.0, 0.3, 0.5, 1.0, 1.0001, 1.5, 2.0, 3.0)],
    "nerv": [(0.0,), (0.3,), (1.0,)],
    "jse": [(0.0,), (0.3,), (0.5,), (1.0,)],
    "t-fdp": [(10.0, 8.0, 2.0), (0.7, 0.6, 1.5)],
}
ANY = (0.7, 0.6, 0.3)
MIXTURES = ["mix:0.4:js:reverse-kl", "mix:0.3:alpha:0.5:mix:0.5:kl:chi2"]


def members(name: str) -> list[str]:
    """A line of the table at the numbers at which it is tested."""
    if name == "mix":
        return MIXTURES
    least = sum(p.default is p.empty for p in inspect.signature(DIVERGENCES[name]).parameters.values())
    return [":".join([name, *map(repr, numbers)]) for numbers in NUMBERS.get(name, [ANY[:least]])]


def _triangular(t):
    return (t - 1) ** 2 / (t + 1)


NAMED = [member for name in DIVERGENCES for member in members(name)]
# Functions of the user's own, beside the table.
OWN = {"own f": (f_divergence(_triangular, name="triangular"), lambda p, b: (p - b) ** 2 / (p + b))}
NAMES = [*NAMED, *OWN]


def part(name: str) -> Any:
    return OWN[name][0] if name in OWN else divergence_named(name)


def definition(name: str) -> list[tuple[float, Callable[..., Any]]]:
    """phi of a name as a weighted sum."""
    return [(1.0, OWN[name][1])] if name in OWN else _read(name.split(":"))[0]


def _read(words: list[str]) -> tuple[list[tuple[float, Callable[..., Any]]], list[str]]:
    head, *rest = words
    given: list[Any] = []
    while rest and rest[0].lstrip("-")[0].isdigit():
        given.append(float(rest.pop(0)))
    if head == "mix":
        for _ in range(2):
            phi, rest = _read(rest)
            given.append(phi)
    made = ORACLES[head](*given)
    return (made if isinstance(made, list) else [(1.0, made)]), rest


def random_case(seed: int, mass: str, n: int = 8, d: int = 2, density: float = 0.4):
    """A connected graph of sum 1, masses and a drawing."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1) + np.diag(np.full(n - 1, 0.3), 1)
    A = A + A.T
    m = np.ones(n) if mass == "unit" else rng.uniform(0.3, 2.0, n)
    return csr_array(A / A.sum()), m, rng.normal(size=(n, d))


def objective(P, m, kernel, divergence, connection, rows=None, compiled=False, **options) -> Any:
    affinity = Affinity(P, m, rows=rows)
    return Objective(affinity, kernel, divergence, connection, Exact(compiled), compiled=compiled, **options)


def q_of(kernel, Y):
    """(n, n) (c + a xi)^(-b/a), 0 on the diagonal."""
    xi = ((Y[:, None] - Y[None]) ** 2).sum(-1)
    with np.errstate(divide="ignore"):
        q = np.exp(-kernel.b * xi) if kernel.a == 0 else (kernel.c + kernel.a * xi) ** (-kernel.b / kernel.a)
    np.fill_diagonal(q, 0.0)
    return q


def dense_value(P, m, Y, kernel, name, connection, *, delta=DELTA, lam=None) -> float:
    """J by its definition over all pairs; ``lam``: in place of the connection's own."""
    n = len(Y)
    off = ~np.eye(n, dtype=bool)
    q = q_of(kernel, Y)
    if connection.by_rows:
        M = np.tile(m, (n, 1))
        P = P / P.sum(axis=1, keepdims=True)
        drawn = M * q / (M * q).sum(axis=1, keepdims=True)
    else:
        M = np.outer(m, m)
        if lam is None:
            lam = 1.0 / (M * q).sum() if connection.name == "normalized" else connection.value
        drawn = lam * M * q
    axis = 1 if connection.by_rows else None
    edge = off & (P > 0)
    near = (M * edge).sum(axis=axis, keepdims=True)
    eps = delta * P.sum(axis=axis, keepdims=True) / np.maximum((M * off).sum(axis=axis, keepdims=True) - near, near)
    spread = np.where(edge, np.maximum((1 - delta) * P, eps * M), eps * M)
    whole = (edge | ~off).all(axis=axis, keepdims=True)  # no pair is without an edge: no background
    spread = np.where(whole, P, spread)
    given, spread, drawn, M = P[off] / M[off], spread[off] / M[off], drawn[off] / M[off], M[off]
    total = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        for weight, phi in definition(name):
            infinite = not np.isfinite(phi(np.zeros(1), np.ones(1))[0])
            total += weight * float((M * phi(spread if infinite else given, drawn)).sum())
    return total


def dense_walk(A: csr_array, rho: float) -> np.ndarray:
    """(n, n) p of a random walk by its definition."""
    full = A.toarray()
    root = np.sqrt(full.sum(axis=1))
    return (1 - rho) * np.linalg.inv(np.eye(len(full)) - rho * full / np.outer(root, root))


def off_diagonal(p: np.ndarray) -> np.ndarray:
    return p - np.diag(np.diag(p))


def differences(f: Callable[[np.ndarray], float], Y: np.ndarray) -> np.ndarray:
    """The gradient of f by fourth-order central differences.

    Steps are in proportion to the nearest neighbor: singular kernels vary quickly near a collision.
    """
    slopes = np.empty_like(Y)
    for i, c in np.ndindex(*Y.shape):
        h = 3e-3 * min(np.sort(((Y - Y[i]) ** 2).sum(1))[1] ** 0.5, 1.0)
        steps = []
        for k in (1, -1, 2, -2):
            Z = Y.copy()
            Z[i, c] += k * h
            steps.append(f(Z))
        slopes[i, c] = (8 * (steps[0] - steps[1]) - (steps[2] - steps[3])) / (12 * h)
    return slopes
