"""What a divergence is made of: the similarity it looks at, the terms of its tail, and its interface."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from nelayout.errors import InputError
from nelayout.kernels import Kernel, Radial, boxcox

__all__ = ["Divergence", "PowerEdges", "Powers", "Similarity", "Tail", "number_within"]

# Below this order the Box-Cox form is summed itself; above, q^t is, which decays and loses no digits against 1/t.
SMALL_ORDER = 0.1


@dataclass(frozen=True, slots=True)
class Similarity:
    """b = lambda q(xi) over some pairs, evaluated only in the form that is asked for.

    ``connection`` is lambda, or each pair's own; ``known`` is ln b where it is at hand.
    """

    kernel: Kernel
    xi: np.ndarray
    connection: Any = 1.0
    known: np.ndarray | None = None

    @property
    def _plain(self) -> bool:
        return isinstance(self.connection, float) and self.connection == 1.0

    def log(self) -> np.ndarray:
        """ln b."""
        if self.known is not None:
            return self.known
        log_q = self.kernel.log(self.xi)
        return log_q if self._plain else log_q + np.log(self.connection)

    def power(self, order: float) -> np.ndarray:
        """b^order."""
        if isinstance(self.connection, np.ndarray):  # of a node far away lambda is huge and q tiny, b is neither
            return np.exp(order * self.log())
        power = self.kernel.power(self.xi, order)
        return power if self._plain else power * self.connection**order

    def boxcox(self, order: float) -> np.ndarray:
        """(b^order - 1) / order, ln b at order 0."""
        return boxcox(self.log(), order)


@dataclass(frozen=True, slots=True)
class Tail:
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

    def combine(
        self, sums: tuple[Any, ...], total: Any, connection: Any
    ) -> tuple[Any, tuple[Any, ...], Any]:
        """Value, d value / d sums and d value / d ln(connection), for the sums of ``radials`` and total = sum M.

        Sums over all pairs are numbers; sums over each node's pairs, arrays, give each node's value, also where each
        node has a connection of its own.
        """
        scale = self.coefficient * connection**self.order
        if self.form == "power":
            return scale * sums[0], (scale,), self.order * scale * sums[0]
        if self.form == "power-log":
            log_scale = np.log(connection)
            value = scale * (sums[0] + log_scale * sums[1])
            return value, (scale, scale * log_scale), self.order * value + scale * sums[1]
        if abs(self.order) > SMALL_ORDER:
            value = (scale * sums[0] - self.coefficient * total) / self.order
            return value, (scale / self.order,), scale * sums[0]
        shift = self.coefficient * boxcox(np.log(np.asarray(connection)), self.order)
        return scale * sums[0] + shift * total, (scale,), scale * (self.order * sums[0] + total)


@dataclass(frozen=True, slots=True)
class Powers:
    """edge(p, b) as factor b^order + constant, ln b in place of b^order at order 0.

    The factor is each pair's own; the constant is, too, or their sum over each row.
    """

    order: float
    factor: np.ndarray
    constant: np.ndarray


@runtime_checkable
class PowerEdges(Protocol):
    """A divergence whose edges look at b through one power: all that depends on p is known before the drawing."""

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        """The factors and constants of pairs of given p; None at orders that are not split, such as those near 1."""
        ...


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


@runtime_checkable
class Divergence(Protocol):
    """phi(p, b) in two halves; see the package docstring."""

    @property
    def name(self) -> str: ...

    @property
    def linear(self) -> bool:
        """Whether edge(p, b) is linear in p, so that M edge(P/M, b) = edge(P, b) and masses leave the edges."""
        ...

    @property
    def degree(self) -> float | None:
        """h with slope(p, lambda b) = lambda^h slope(p, b), where there is one: then the best lambda has a closed
        form.
        """
        ...

    @property
    def background(self) -> float:
        """Part of all similarity that pairs without an edge share; 0 unless phi is infinite at p = 0, see `reverse`."""
        ...

    def bound(self, eps: Any) -> Divergence:
        """The same with p/M of pairs without an edge set to ``eps``."""
        ...

    @property
    def tail(self) -> tuple[Tail, ...]: ...

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """phi(p, b) - phi(0, b)."""
        ...

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """d edge / d ln b."""
        ...

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        """The scale-invariant form at the best lambda (gamma of beta, Renyi of alpha), as attraction and repulsion.

        ``edges`` = sum M edge(P/M, q) and ``tail`` = sum M phi(0, q), both at lambda = 1; weight = sum P, total =
        sum M.
        """
        ...
