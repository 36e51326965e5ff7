"""Choice of the order alpha: draw the data at each order, and take the best score.

The pairs (v, m) of a drawing, input and drawn similarities, are data for the density

    p(v; m, alpha, phi) = v^(-1/2) exp(-D_alpha(v||m) / phi) / Z(m, alpha, phi)

with D_alpha(v||m) = m d(v/m) (Amid, Dikmen & Oja 2015, section 3, eq. 10). So an order alpha assumes a distribution of
v around m, and data can decide between orders. Score matching compares slopes of ln p and needs no Z. For example,
alpha = 1/2 is chosen for pairs with square roots that differ by Gaussian noise::

    >>> rng = np.random.default_rng(0)
    >>> m = np.exp(rng.normal(size=40_000))
    >>> root = np.sqrt(m) + rng.normal(size=40_000) / 2  # at 1/2, sqrt v is normal around sqrt m, cut off at 0
    >>> v, m = root[root > 0] ** 2, m[root > 0]
    >>> choice, drawing = choose_order(lambda alpha, start: ("a drawing", v, m))
    >>> bool(abs(choice.alpha - 0.5) < 0.05)
    True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from nelayout.core.formula.kernels import boxcox
from nelayout.core.formula.part_names import split
from nelayout.errors import InputError

__all__ = [
    "GRID", "AlphaChoice", "AlphaSearch", "ExactFit", "alpha_search", "auto_alpha", "choose_order", "score_matching",
]

Result = TypeVar("Result")  # the caller's drawing, returned unchanged

# Default orders.
GRID = tuple(k / 10 for k in range(10, 0, -1))
# Error in alpha that ends the search between orders of the grid.
ALPHA_TOLERANCE = 0.02
# Phi relative to the mean similarity: up to EXACT_PHI_SHARE a drawing equals the similarities, up to VAGUE_PHI_SHARE
# alpha is barely identified.
EXACT_PHI_SHARE, VAGUE_PHI_SHARE = 1e-10, 0.02
# Approximate number of drawings in the search between orders of the grid.
REFINEMENTS = 7


class ExactFit(InputError):
    """Raised for a drawing that equals the similarities: every order fits it."""


@dataclass(frozen=True, slots=True)
class AlphaChoice:
    """The chosen order, and the score at every order with a drawing.

    alpha   the chosen order
    phi     spread of similarities at alpha, in their unit
    alphas  increasing; dense around the chosen order, elsewhere the grid
    scores  values of `score_matching` at each of them
    notes   sentences on the reliability of the choice
    """

    alpha: float
    phi: float
    alphas: tuple[float, ...]
    scores: tuple[float, ...]
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """Order and its phi in one line."""
        return f"alpha = {self.alpha:.3g} was chosen from the data by score matching (phi = {self.phi:.3g})"


def choose_order(
    fit: Callable[[float, Result | None], tuple[Result, np.ndarray, np.ndarray]],
    *,
    grid: Iterable[float] = GRID,
    refine: bool = True,
) -> tuple[AlphaChoice, Result]:
    """Return the order that fits its own drawing best, and the drawing.

    Every order gets its own drawing: alternating between alpha and one drawing would stay near the first alpha. The
    search begins at the largest order of the grid up to 1 and goes down. Each drawing starts from the one before.
    Orders above 1 follow, upward from the first drawing. Brent's search between the neighbors of the best order then
    refines it to 0.02.

    fit(alpha, start) returns (drawing, v, m). It minimizes the divergence of order alpha from the drawing `start` (None
    at first). v and m are the pairs of the drawing, (N,) positive numbers each.
    """
    orders = sorted({order_number(alpha) for alpha in grid}, reverse=True)
    if not orders:
        raise InputError("the grid of orders is empty; give at least one alpha, such as 0.5")
    drawings: dict[float, Result] = {}
    found: dict[float, tuple[float, float, float]] = {}  # score, phi, phi / mean similarity

    def examine(alpha: float, start: Result | None) -> float:
        drawings[alpha], v, m = fit(alpha, start)
        score, phi = score_matching(v, m, alpha)
        found[alpha] = score, phi, phi / float(np.mean(v))
        if found[alpha][2] <= EXACT_PHI_SHARE:
            raise ExactFit(
                f"the drawing at alpha = {alpha:g} equals the similarities exactly, so that every alpha fits equally "
                "well; give alpha as a number"
            )
        return score

    def best_of_all() -> float:
        """Return the order of greatest score; among equal scores the order nearest to 1."""
        return max(found, key=lambda alpha: (found[alpha][0], -abs(alpha - 1.0)))

    below = [alpha for alpha in orders if alpha <= 1.0]
    above = [alpha for alpha in reversed(orders) if alpha > 1.0]
    for walk in (below, above):
        at = drawings.get(below[0]) if below else None
        for alpha in walk:
            examine(alpha, at)
            at = drawings[alpha]

    best = best_of_all()
    if not found[best][0] > -math.inf:
        raise InputError(
            f"no alpha from {orders[-1]:g} to {orders[0]:g} fits: the drawings are so far from the similarities that "
            "no phi > 0 is left; give alpha as a number, or a grid of other orders"
        )
    if refine and len(orders) > 1:
        from scipy.optimize import minimize_scalar

        def loss(alpha: float) -> float:
            return -examine(alpha, drawings[min(drawings, key=lambda other: abs(other - alpha))])

        place = orders.index(best)
        bounds = orders[min(place + 1, len(orders) - 1)], orders[max(place - 1, 0)]
        minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": ALPHA_TOLERANCE})
        best = best_of_all()
    _, phi, part = found[best]
    notes = []
    if len(orders) > 1 and min(best - orders[-1], orders[0] - best) < ALPHA_TOLERANCE:
        notes.append(f"alpha = {best:.3g} lies at the end of the orders tried, {orders[-1]:g} to {orders[0]:g}")
    if part < VAGUE_PHI_SHARE:
        notes.append(
            f"phi is {part:.2g} of the mean similarity: the drawing is so close to the similarities that alpha is "
            "barely identified"
        )
    alphas = tuple(sorted(found))
    return AlphaChoice(best, phi, alphas, tuple(found[a][0] for a in alphas), tuple(notes)), drawings[best]


def score_matching(v: np.ndarray, m: np.ndarray, alpha: float) -> tuple[float, float]:
    """Return the score of an order alpha (non-negative score matching) and its best phi.

    With r = v/m, k = v r^(alpha-1) and g = v (r^(alpha-1) - 1)/(alpha-1), g = v ln r at alpha = 1, the loss is

        L(alpha, phi) = -3N/8 - B/phi + A/(2 phi^2),    A = sum g^2,    B = sum(3g/2 + k),

    least at phi = A/B, where it is -3N/8 - (B^2/A)/2. B^2/A does not change when v and m are scaled together.

    The result is (B^2/A, A/B): larger is better, and phi is in the unit of v. It is (-inf, nan) if B <= 0, which allows
    no phi > 0, and (inf, 0) if v = m. See Hyvarinen 2007, "Some extensions of score matching", section 3.

    >>> score_matching([1.0, 2.0], [1.0, 1.0], 2.0)  # g = 0, 2; k = 1, 4; A = 4, B = 8
    (16.0, 0.5)
    """
    v, m = _pairs(v, m)
    order = order_number(alpha)
    apart, ln_v = v - m, np.log(v)
    near = np.abs(apart) < 0.5 * m
    ln_r = np.where(near, np.log1p(np.where(near, apart, 0.0) / m), ln_v - np.log(m))  # v/m may overflow
    x = (order - 1.0) * ln_r
    unit = float(np.max(ln_v + np.maximum(x, 0.0)))  # ln of the largest number that follows: nothing overflows
    v, k = np.exp(ln_v - unit), np.exp(ln_v + x - unit)
    near = np.abs(x) < 1.0  # for these the difference k - v would cancel
    g = np.where(near, v * boxcox(np.where(near, ln_r, 0.0), order - 1.0), 0.0)
    if order != 1.0:
        g = np.where(near, g, (k - v) / (order - 1.0))
    A, B = float(np.sum(g * g)), float(np.sum(1.5 * g + k))
    if not B > 0:
        return -math.inf, math.nan
    if A == 0:
        return math.inf, 0.0
    with np.errstate(over="ignore"):  # a phi that overflows is infinite
        phi = np.exp(unit) * (A / B) if unit < 700.0 else np.exp(unit + math.log(A / B))
    return B * B / A, float(phi)


def _pairs(v: Any, m: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return v and m as arrays, or raise InputError."""
    v, m = np.asarray(v, dtype=float), np.asarray(m, dtype=float)
    if v.ndim != 1 or v.shape != m.shape or not len(v):
        raise InputError(
            f"v and m must be two lists of one length, at least 1; got arrays of shape {v.shape} and {m.shape}"
        )
    for name, values in (("v", v), ("m", m)):
        wrong = np.flatnonzero(~((values > 0) & (values < np.inf)))
        if len(wrong):
            raise InputError(
                f"{name}[{wrong[0]}] is {values[wrong[0]]}; pairs are positive finite numbers: leave out other values"
            )
    return v, m


def order_number(alpha: Any) -> float:
    """Return alpha as a float, or raise `InputError`."""
    try:
        order = float(alpha)
    except (TypeError, ValueError):
        order = math.nan
    if not math.isfinite(order):
        raise InputError(f"alpha must be a finite number; got {alpha!r}")
    return order


@dataclass(frozen=True, slots=True)
class AlphaSearch:
    """How to choose the order of an alpha divergence; see `auto_alpha`; ``grid`` decreases."""

    grid: tuple[float, ...] = GRID
    refine: bool = True

    @property
    def first(self) -> float:
        """First order of the search: the largest of the grid up to 1, else its smallest."""
        return max((order for order in self.grid if order <= 1.0), default=min(self.grid))

    @property
    def drawings(self) -> int:
        """Approximate number of drawings in the search."""
        return len(self.grid) + (REFINEMENTS if self.refine and len(self.grid) > 1 else 0)


def alpha_search(divergence: Any) -> AlphaSearch | None:
    """Return an AlphaSearch in the role of a divergence ("alpha:auto": the default), or None."""
    if isinstance(divergence, str) and split(divergence) == ("alpha", ["auto"]):
        return AlphaSearch()
    return divergence if isinstance(divergence, AlphaSearch) else None


def auto_alpha(*, grid: Iterable[float] = GRID, refine: bool = True) -> AlphaSearch:
    """Return a search for the best-fitting alpha divergence (Amid, Dikmen & Oja 2015, sec. 3).

    Give it to `nelayout.Method` instead of a divergence. The name "alpha:auto" has the defaults.

    Parameters
    ----------
    grid : default 1, 0.9, ..., 0.1
        orders to try, > 0 (for other orders, pairs without an edge need a background, which cannot be fitted)
    refine : default True
        whether to search between the orders of the grid

    Examples
    --------
    >>> auto_alpha(grid=[1.0, 0.5]).grid
    (1.0, 0.5)
    """
    if not isinstance(refine, bool):
        raise InputError(f"refine must be True or False; got {refine!r}")
    try:
        orders = tuple(sorted({order_number(order) for order in grid}, reverse=True))
    except TypeError:
        raise InputError(f"grid must be a list of orders > 0; got {grid!r}") from None
    if not orders or orders[-1] <= 0:
        raise InputError(f"grid must hold at least one order, all > 0; got {orders}")
    return AlphaSearch(orders, refine)
