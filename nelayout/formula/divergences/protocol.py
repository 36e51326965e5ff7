"""The interface of a divergence, the similarity it looks at, and the terms it is made of.

A divergence needs `Divergence` alone: a name, ``pairs``, ``edge`` and ``slope``.  The other protocols are for those
that can do more; a divergence that cannot leaves their members out.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from nelayout.errors import InputError
from nelayout.formula.kernels import Kernel, Radial, boxcox

__all__ = [
    "SMALL_ORDER",
    "Background",
    "Divergence",
    "Homogeneous",
    "Linear",
    "PairTerm",
    "PowerEdges",
    "Powers",
    "SharedTerms",
    "Similarity",
    "Spread",
    "UpToConstants",
    "background_of",
    "bind",
    "edge_and_slope",
    "is_linear",
    "number_within",
    "softplus_both_ways",
]

# Below this order the Box-Cox form is summed itself; above, q^t is, which decays and loses no digits against 1/t.
SMALL_ORDER = 0.1


@dataclass(frozen=True, slots=True)
class Similarity:
    """b = lambda q(xi) over some pairs, evaluated only in the form that is asked for.

    ``lam`` is lambda, or each pair's own; ``known`` is ln b where it is at hand.
    """

    kernel: Kernel
    xi: np.ndarray
    lam: Any = 1.0
    known: np.ndarray | None = None

    @property
    def _plain(self) -> bool:
        return isinstance(self.lam, float) and self.lam == 1.0

    def log(self) -> np.ndarray:
        """ln b."""
        if self.known is not None:
            return self.known
        log_q = self.kernel.log(self.xi)
        return log_q if self._plain else log_q + np.log(self.lam)

    def power(self, order: float) -> np.ndarray:
        """b^order."""
        if np.ndim(self.lam) > 0:  # of a node far away lambda is huge and q tiny, b is neither
            return np.exp(order * self.log())
        power = self.kernel.power(self.xi, order)
        return power if self._plain else power * self.lam**order

    def boxcox(self, order: float) -> np.ndarray:
        """(b^order - 1) / order, ln b at order 0."""
        return boxcox(self.log(), order)


@dataclass(frozen=True, slots=True)
class PairTerm:
    """One term coefficient * form(b, order) of phi(0, b), summed with measure M over all pairs by N-body.

    "boxcox" is (b^order - 1)/order, "power" b^order, "power-log" b^order ln b.  Where lambda is each row's own, the
    coefficient may be too.
    """

    coefficient: Any
    order: float
    form: Literal["power", "boxcox", "power-log"] = "power"

    def radials(self, kernel: Kernel) -> tuple[Radial, ...]:
        """The radial functions of q whose sums this term needs."""
        if self.form == "boxcox" and abs(self.order) <= SMALL_ORDER:
            return (Radial(kernel, self.order, "boxcox"),)
        if self.form == "power-log":
            return (Radial(kernel, self.order, "power-log"), Radial(kernel, self.order))
        return (Radial(kernel, self.order),)

    def combine(self, sums: tuple[Any, ...], total: Any, lam: Any) -> tuple[Any, tuple[Any, ...], Any]:
        """Value, d value / d sums and d value / d ln(lambda), for the sums of ``radials`` and total = sum M.

        Sums over all pairs are numbers; sums over each node's pairs, arrays, give each node's value, also where each
        node has a lambda of its own.
        """
        scale = self.coefficient * lam**self.order
        if self.form == "power":
            return scale * sums[0], (scale,), self.order * scale * sums[0]
        if self.form == "power-log":
            log_scale = np.log(lam)
            value = scale * (sums[0] + log_scale * sums[1])
            return value, (scale, scale * log_scale), self.order * value + scale * sums[1]
        if abs(self.order) > SMALL_ORDER:
            value = (scale * sums[0] - self.coefficient * total) / self.order
            return value, (scale / self.order,), scale * sums[0]
        shift = self.coefficient * boxcox(np.log(np.asarray(lam)), self.order)
        return scale * sums[0] + shift * total, (scale,), scale * (self.order * sums[0] + total)


@dataclass(frozen=True, slots=True)
class Powers:
    """edge(p, b) as factor * form(b, order) + constant, the forms "power" and "boxcox" being those of `PairTerm`.

    "power" suits edges that are of the size of b, "boxcox" those that pass into ln b at order 0.  Factor and constant
    are each pair's own; edges keep the sum of the constants.
    """

    order: float
    factor: np.ndarray
    constant: Any
    form: Literal["power", "boxcox"] = "power"


@runtime_checkable
class Divergence(Protocol):
    """phi(p, b) in two halves; see the package docstring."""

    @property
    def name(self) -> str:
        """The name by which `nelayout.divergences.divergence_named` gives an equal divergence."""
        ...

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        """phi(0, b), which is summed over all pairs."""
        ...

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """phi(p, b) - phi(0, b)."""
        ...

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """d edge / d ln b."""
        ...


@runtime_checkable
class Linear(Protocol):
    """A divergence whose edge(p, b) is linear in p, so that M edge(P/M, b) = edge(P, b): masses leave the edges."""

    linear: Any


def is_linear(divergence: Any) -> bool:
    """Whether edge(p, b) is linear in p.

    >>> from nelayout.formula.divergences import beta, alpha
    >>> is_linear(beta(0.5)), is_linear(alpha(0.5))
    (True, False)
    """
    return isinstance(divergence, Linear) and bool(divergence.linear)


@runtime_checkable
class Homogeneous(Protocol):
    """A divergence whose slope is a power of b: its best lambda has a closed form."""

    @property
    def degree(self) -> float:
        """h with slope(p, lambda b) = lambda^h slope(p, b)."""
        ...

    def invariant(
        self, edges: float, pairs: float, slopes: tuple[float, float], weight: float, total: float
    ) -> tuple[float, float]:
        """The scale-invariant form at the best lambda (gamma of beta, Renyi of alpha), as attraction and repulsion.

        ``edges`` = sum M edge(P/M, q) and ``pairs`` = sum M phi(0, q), both at lambda = 1, ``slopes`` their derivatives
        in ln lambda; weight = sum P, total = sum M.
        """
        ...

    def invariant_constant(self, edges: Any, weight: Any, total: Any) -> Any:
        """The constant that makes of the invariant form the divergence, 0 for a drawing as similar as the input.

        ``edges`` = sum M edge(P/M, P/M).  Where p = 0 costs infinitely much, the form stays as it is.
        """
        ...


@runtime_checkable
class UpToConstants(Protocol):
    """A divergence whose two halves lack what p alone decides; those of others add up to phi(p, b)."""

    def left_out(self, p: np.ndarray) -> tuple[np.ndarray, float]:
        """The parts that they lack: phi(p, b) - phi(0, b) - edge(p, b) of each p, and phi(0, b) less its pair terms.

        Where phi(0, b) is infinite for every b, what is finite.
        """
        ...


@dataclass(frozen=True, slots=True)
class Spread:
    """A background as one graph has it: numbers, or one for each row or entry.

    ``eps``: p/M of a pair without an edge.  ``missing``: whether there is such a pair; where there is none, nothing is
    spread, and ``eps`` is some similarity to measure others by.

    >>> float(spread(0.01, weight=1.0, near=3.0, total=13.0, missing=True).eps)
    0.001
    """

    eps: Any
    missing: Any

    def at(self, rows: Any) -> Spread:
        """The numbers of these rows."""
        return Spread(self.eps[rows], self.missing[rows])

    def carried(self, p: np.ndarray, background: float) -> np.ndarray:
        """p/M of edges beside that background: what is left of them, but no less than a pair without an edge has."""
        return np.where(self.missing, np.maximum((1.0 - background) * p, self.eps), p)


def spread(background: float, weight: Any, near: Any, total: Any, missing: Any) -> Spread:
    """The spread of a part ``background`` of the similarity ``weight`` over the pairs without an edge, by their masses.

    ``near`` and ``total`` are sum M of the edges and of all pairs.  Where edges are more than half of all pairs, the
    others get that part of what an edge has, and share less.
    """
    return Spread(np.where(missing, background, 1.0) * weight / np.maximum(total - near, near), missing)


@runtime_checkable
class Background(Protocol):
    """A divergence that is infinite at p = 0: pairs without an edge share a part of all similarity."""

    @property
    def background(self) -> float:
        """That part, see `with_background`; 0 where none is needed after all."""
        ...

    def bound(self, spread: Spread) -> Divergence:
        """The divergence with its background spread."""
        ...


def background_of(divergence: Any) -> float:
    """Part of all similarity that pairs without an edge share: 0 unless phi is infinite at p = 0."""
    return getattr(divergence, "background", 0.0)  # in a tenth of the time that a protocol takes to be looked up


def bind(divergence: Any, spread: Spread) -> Any:
    """The divergence with its background spread, where it has one."""
    return divergence.bound(spread) if background_of(divergence) else divergence


@runtime_checkable
class PowerEdges(Protocol):
    """A divergence whose edges look at b through one power: all that depends on p is known before the drawing.

    Its sums over edges are compiled.
    """

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        """Factors and constants of pairs of given p; None for members of a family that are not split."""
        ...


@runtime_checkable
class SharedTerms(Protocol):
    """A divergence whose edge and slope share logarithms: together they take about half of the time."""

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        """Both, of the same pairs."""
        ...


def edge_and_slope(divergence: Any, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
    """edge(p, b) and d edge / d ln b."""
    if hasattr(divergence, "edge_and_slope"):  # `SharedTerms`; a protocol takes ten times as long to be looked up
        return divergence.edge_and_slope(p, b)
    return divergence.edge(p, b), divergence.slope(p, b)


def softplus_both_ways(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln(1 + e^x) and ln(1 + e^-x), each to all its digits.

    >>> [part.round(6).tolist() for part in softplus_both_ways(np.array([0.0, 800.0, -800.0]))]
    [[0.693147, 800.0, 0.0], [0.693147, 0.0, 800.0]]
    """
    rest = np.log1p(np.exp(-np.abs(x)))
    return np.maximum(x, 0.0) + rest, np.maximum(-x, 0.0) + rest


def number_within(value: Any, name: str, low: float, high: float, *, open_ends: bool = False) -> float:
    """The number, or InputError unless it lies in [low, high] ((low, high) with open ends).

    >>> number_within(1, "kappa", 0.0, 1.0)
    1.0
    """
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        number = float(value)
        if low < number < high if open_ends else low <= number <= high:
            return number
    ends = "between" if open_ends else "from"
    and_to = "and" if open_ends else "to"
    raise InputError(f"{name} must be a number {ends} {low:g} {and_to} {high:g}, given {value!r}")
