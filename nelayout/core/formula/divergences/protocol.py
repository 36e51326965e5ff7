"""The interface of a divergence, the drawn similarity, and the summed terms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from nelayout.core.formula.kernels import Kernel, Radial, boxcox
from nelayout.numerics.arithmetic import is_array

__all__ = ["SMALL_ORDER", "Divergence", "PairTerm", "Powers", "Similarity", "BackgroundShare", "spread"]

# Largest order with sums of the Box-Cox form; for larger orders q^t is summed.
SMALL_ORDER = 0.1


class Similarity(NamedTuple):
    """b = lambda q(xi) of pairs; ``lam``: one lambda or one per pair.

    ``known`` is ln b and ``base`` is c + a xi, see `Kernel.base`; or None.
    """

    kernel: Kernel
    xi: np.ndarray
    lam: Any = 1.0
    known: np.ndarray | None = None
    base: np.ndarray | None = None

    def log(self) -> np.ndarray:
        """ln b."""
        if self.known is not None:
            return self.known
        log_q = self.kernel.log(self.xi, self.base)
        return log_q if isinstance(self.lam, float) and self.lam == 1.0 else log_q + np.log(self.lam)

    def power(self, order: float) -> np.ndarray:
        """b^order."""
        if self.known is not None or is_array(self.lam):  # lambda may be huge and q tiny, and b of usual size
            return np.exp(order * self.log())
        power = self.kernel.power(self.xi, order, self.base)
        return power if self.lam == 1.0 else power * self.lam**order

    def boxcox(self, order: float) -> np.ndarray:
        """(b^order - 1) / order, ln b at order 0."""
        return boxcox(self.log(), order)


class PairTerm(NamedTuple):
    """A term coefficient * form(b, order) of phi(0, b), see `Radial`; coefficients per row."""

    coefficient: Any
    order: float
    form: Literal["power", "boxcox", "power-log"] = "power"

    def radials(self, kernel: Kernel) -> tuple[Radial, ...]:
        """Return the radial functions of q that are summed for this term."""
        if self.form == "boxcox" and abs(self.order) <= SMALL_ORDER:
            return (Radial(kernel, self.order, "boxcox"),)
        if self.form == "power-log":
            return (Radial(kernel, self.order, "power-log"), Radial(kernel, self.order))
        return (Radial(kernel, self.order),)

    def combine(self, sums: tuple[Any, ...], total: Any, lam: Any) -> tuple[Any, tuple[Any, ...], Any]:
        """Return value, d value / d sums and d value / d ln(lambda); total: sum M."""
        scale = self.coefficient * lam**self.order
        product = _product(scale, sums[0], lam, self.order)
        if self.form == "power":
            return product, (scale,), self.order * product
        if self.form == "power-log":
            log_scale = np.log(lam)
            value = product + scale * log_scale * sums[1]
            return value, (scale, scale * log_scale), self.order * value + scale * sums[1]
        if abs(self.order) > SMALL_ORDER:
            return (product - self.coefficient * total) / self.order, (scale / self.order,), product
        shift = self.coefficient * boxcox(np.log(np.asarray(lam)), self.order)
        return product + shift * total, (scale,), scale * (self.order * sums[0] + total)


def _product(scale: Any, total: Any, lam: Any, order: float) -> Any:
    """Return scale * total for scale ~ lambda^order, by logarithms if lambda^order overflows.

    >>> with np.errstate(over="ignore", divide="ignore"):
    ...     huge = np.float64(1e160)
    ...     round(float(_product(huge**2, 1e-315, huge, 2.0)) / 1e5, 6), float(_product(huge**2, 0.0, huge, 2.0))
    (1.0, inf)
    """
    if isinstance(scale, float) and math.isfinite(scale):
        return scale * total
    lost = np.isinf(scale) & np.isfinite(lam)
    if not np.any(lost):
        return scale * total
    known = np.sign(scale) * np.where(total > 0, np.exp(order * np.log(lam) + np.log(total)), np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(lost, known, scale * total)[()]


class Powers(NamedTuple):
    """edge(p, b) as times * factor * form(b, order) + constant, factor and constant per pair."""

    order: float
    factor: np.ndarray
    constant: Any
    form: Literal["power", "boxcox"] = "power"
    times: float = 1.0

    def at(self, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        """Return the edge and its slope in ln b; their sums over many edges are compiled."""
        value, slope = self.varying(b)
        return value + self.constant, slope

    def varying(self, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        """Return the edge less its constant, and its slope in ln b."""
        factor = self.factor if self.times == 1.0 else self.times * self.factor
        scaled = factor * b.power(self.order) if self.order else factor
        return (factor * b.boxcox(self.order), scaled) if self.form == "boxcox" else (scaled, self.order * scaled)


class Divergence:
    """phi(p, b) = phi(0, b) + edge(p, b); see the package docstring.

    A divergence has a name, ``pairs`` and one of ``edge_powers``, ``edge_and_slope``, or ``edge`` and ``slope``.

    name        for which `nelayout.divergences.divergence_named` returns an equal divergence
    pairs       the terms of phi(0, b), a tuple of `PairTerm`
    linear      whether edge(p, b) is linear in p: M edge(P/M, b) = edge(P, b), without masses
    background  share of all similarity for pairs without an edge; 0: phi is finite at p = 0
    degree      h with slope(p, lambda b) = lambda^h slope(p, b), if the best lambda then has a closed form.  Such a
                divergence also has the methods ``invariant`` and ``invariant_constant``, see `alpha.Alpha`
    """

    __slots__ = ()
    name: Any  # these are attributes or properties
    pairs: Any
    invariant: Any
    invariant_constant: Any
    linear = False
    background: float = 0.0
    degree: float | None = None

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """phi(p, b) - phi(0, b)."""
        return self.edge_and_slope(p, b)[0]

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """d edge / d ln b."""
        return self.edge_and_slope(p, b)[1]

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        """Return edge(p, b) and d edge / d ln b."""
        powers = self.edge_powers(p)
        return (self.edge(p, b), self.slope(p, b)) if powers is None else powers.at(b)

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        """Return factors and constants of edges of given p; None if edges are not one power of b."""
        return None

    def left_out(self, p: np.ndarray) -> tuple[np.ndarray, float]:
        """Return finite parts of phi(p, b) - phi(0, b) - edge(p, b) and phi(0, b) - pair terms."""
        return np.zeros_like(p), 0.0

    def bound(self, spread: BackgroundShare) -> Any:
        """Return the divergence with this background spread, if it has one."""
        return self


@dataclass(frozen=True, slots=True)
class BackgroundShare:
    """Background on one graph: numbers, or one per row or entry.

    ``eps``: p/M of a pair without an edge. ``missing``: whether such a pair exists. If not, nothing is spread.

    >>> float(spread(0.01, weight=1.0, near=3.0, total=13.0, missing=True).eps)
    0.001
    """

    eps: Any
    missing: Any

    def at(self, rows: Any) -> BackgroundShare:
        """Return the numbers of these rows."""
        return BackgroundShare(self.eps[rows], self.missing[rows])

    def carried(self, p: np.ndarray, background: float) -> np.ndarray:
        """Return p/M of edges beside that background, at least p/M of pairs without an edge."""
        return np.where(self.missing, np.maximum((1.0 - background) * p, self.eps), p)


def spread(background: float, weight: Any, near: Any, total: Any, missing: Any) -> BackgroundShare:
    """Spread a share of ``weight`` by mass over pairs without an edge.

    ``near`` and ``total`` are sum M of edges and of all pairs. A pair gets at most ``background`` of a mean edge.
    """
    return BackgroundShare(np.where(missing, background, 1.0) * weight / np.maximum(total - near, near), missing)
