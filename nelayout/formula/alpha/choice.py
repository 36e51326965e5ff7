"""Choice of the order alpha: data are drawn at each order, and the order whose density fits its drawing best is taken.

The pairs (v, m) of a drawing, given and drawn similarities, are data for the density in `density` (Amid, Dikmen & Oja
2015, section 3).  For example, alpha = 1/2 is chosen for pairs whose square roots differ by Gaussian noise::

    >>> rng = np.random.default_rng(0)
    >>> m = np.exp(rng.normal(size=40_000))
    >>> root = np.sqrt(m) + rng.normal(size=40_000) / 2
    >>> v, m = root[root > 0] ** 2, m[root > 0]
    >>> choice, drawing = choose_order(lambda alpha, start: ("a drawing", v, m))
    >>> abs(choice.alpha - 0.5) < 0.05, abs(choice.likelihood_alpha - 0.5) < 0.05
    (True, True)

The caller passes a function that draws at an order; nothing here depends on how it draws.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from nelayout.errors import InputError, missing_extra, unknown
from nelayout.formula.alpha.density import likelihood, order_number, score_matching

__all__ = ["ESTIMATORS", "GRID", "AlphaChoice", "ExactFit", "choose_order", "golden_section"]

Result = TypeVar("Result")  # of the caller's drawing, which is passed back as it is

ESTIMATORS = ("score matching", "likelihood")
# Orders tried unless the caller names others.
GRID = tuple(k / 10 for k in range(10, 0, -1))
# Golden section stops at this width of the bracket in alpha: below the standard errors of both estimators.
REFINED = 0.02
# A phi below this part of the mean similarity is rounding: the drawing gives the similarities back exactly.
EXACT = 1e-10
# A phi below this part of the mean similarity leaves alpha barely identified, which a note says.
VAGUE = 0.02
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class ExactFit(InputError):
    """Raised for a drawing that gives the similarities back exactly: every order fits it."""


class Evidence(NamedTuple):
    """Values of both estimators for the pairs of one drawing, and the phi of each."""

    values: tuple[float, float]  # of the two estimators, in their order
    phis: tuple[float, float]
    mean: float  # of the similarities


@dataclass(frozen=True, slots=True)
class AlphaChoice:
    """The order that was chosen, and the evidence: both estimators at every order for which there is a drawing.

    alpha             the chosen order
    phi               of the chosen estimator at alpha, in the unit of the similarities
    estimator         "score matching" or "likelihood": the one that decided
    alphas            increasing
    scores            values of `density.score_matching` at each of them
    likelihoods       values of `density.likelihood` at each of them
    score_alpha       the best of alphas by score matching
    likelihood_alpha  the best of alphas by likelihood; around the chosen one alphas are dense, elsewhere the grid
    notes             sentences on how far the choice may be trusted
    """

    alpha: float
    phi: float
    estimator: str
    alphas: tuple[float, ...]
    scores: tuple[float, ...]
    likelihoods: tuple[float, ...]
    score_alpha: float
    likelihood_alpha: float
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The order, its phi and what the other estimator would choose, in one line."""
        other = 1 - ESTIMATORS.index(self.estimator)
        value = (self.score_alpha, self.likelihood_alpha)[other]
        return (
            f"alpha = {self.alpha:.3g} was chosen from the data by {self.estimator} (phi = {self.phi:.3g}); by "
            f"{ESTIMATORS[other]} it would be {value:.3g}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Both curves over alpha: score matching on the left axis, log-likelihood on the right one.

        Parameters
        ----------
        ax : matplotlib axes to draw on; default a new figure.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingExtra
            without matplotlib; the message names the install command.
        """
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError as error:
            if error.name and error.name.partition(".")[0] != "matplotlib":
                raise
            raise missing_extra("matplotlib", "draw", "pictures") from None

        if ax is None:
            figure = Figure(figsize=(6.0, 4.0), dpi=100, facecolor="white", layout="constrained")
            FigureCanvasAgg(figure)
            ax = figure.add_subplot()
        curves = (
            (ax, self.scores, "score matching", "#0072b2"),
            (ax.twinx(), self.likelihoods, "log-likelihood", "#d55e00"),
        )
        for side, values, label, color in curves:
            shown = np.where(np.isfinite(values), values, np.nan)
            side.plot(self.alphas, shown, "o-", color=color, markersize=4)
            side.set_ylabel(label, color=color)
        ax.axvline(self.alpha, color="#888888", linestyle="--", linewidth=1)
        ax.set_xlabel("alpha")
        ax.set_title(f"alpha = {self.alpha:.2f} by {self.estimator}")
        return ax.figure


def choose_order(
    fit: Callable[[float, Result | None], tuple[Result, np.ndarray, np.ndarray]],
    *,
    grid: Iterable[float] = GRID,
    estimator: str = "score matching",
    refine: bool = True,
) -> tuple[AlphaChoice, Result]:
    """The order whose density fits its own drawing best, and the drawing.

    Every order is drawn anew: alternating between alpha and one drawing would stay near where it began.  The walk
    begins at the largest order of the grid up to 1 and goes down, each drawing starting from the one before; orders
    above 1 follow, upward from where the walk began.  Golden section between the neighbors of the best order then
    refines it to 0.02.

    Parameters
    ----------
    fit : fit(alpha, start) gives (drawing, v, m): the drawing of least divergence of order alpha, begun from the
        drawing `start` (None at first), and its pairs, (N,) positive numbers each.
    grid : orders to try, at least one; any order, each once.
    estimator : "score matching" or "likelihood"; both are computed, this one decides.
    refine : whether to look between the orders of the grid.

    Returns
    -------
    AlphaChoice, drawing

    Raises
    ------
    InputError
        for an empty grid, an unknown estimator, pairs that are not positive, a drawing that gives the similarities
        back exactly (then every order fits), and if no order admits a phi > 0.

    References
    ----------
    Amid, Dikmen & Oja 2015, section 3.

    Examples
    --------
    >>> v, m = np.array([0.5, 1.5, 2.0, 4.0]), np.array([1.0, 1.0, 2.5, 3.0])
    >>> choice, drawing = choose_order(lambda alpha, start: ("a drawing", v, m), grid=[1.0, 0.5], refine=False)
    >>> choice.alphas, len(choice.scores), drawing
    ((0.5, 1.0), 2, 'a drawing')
    """
    if estimator not in ESTIMATORS:
        raise unknown("estimator", estimator, ESTIMATORS)
    orders = sorted({order_number(alpha) for alpha in grid}, reverse=True)
    if not orders:
        raise InputError("the grid of orders is empty; give at least one alpha, such as 0.5")
    drawings: dict[float, Result] = {}
    found: dict[float, Evidence] = {}

    def examine(alpha: float, start: Result | None) -> Evidence:
        drawings[alpha], v, m = fit(alpha, start)
        found[alpha] = _evidence(v, m, alpha)
        return found[alpha]

    below = [alpha for alpha in orders if alpha <= 1.0]
    above = [alpha for alpha in reversed(orders) if alpha > 1.0]
    for walk, first in ((below, None), (above, below[0] if below else None)):
        at = None if first is None else drawings[first]
        for alpha in walk:
            examine(alpha, at)
            at = drawings[alpha]

    which = ESTIMATORS.index(estimator)
    best = _best(found, which)
    if not found[best].values[which] > -math.inf:
        raise InputError(
            f"no alpha from {orders[-1]:g} to {orders[0]:g} fits by {estimator}: the drawings are so far from the "
            "similarities that no phi > 0 is left; give alpha as a number, or a grid of other orders"
        )
    if refine and len(orders) > 1:

        def value(alpha: float) -> float:
            nearest = min(drawings, key=lambda other: abs(other - alpha))
            return examine(alpha, drawings[nearest]).values[which]

        place = orders.index(best)
        golden_section(value, orders[min(place + 1, len(orders) - 1)], orders[max(place - 1, 0)], REFINED)
        best = _best(found, which)
    alphas = tuple(sorted(found))
    return (
        AlphaChoice(
            alpha=best,
            phi=found[best].phis[which],
            estimator=estimator,
            alphas=alphas,
            scores=tuple(found[alpha].values[0] for alpha in alphas),
            likelihoods=tuple(found[alpha].values[1] for alpha in alphas),
            score_alpha=_best(found, 0),
            likelihood_alpha=_best(found, 1),
            notes=tuple(_notes(found, best, which, orders)),
        ),
        drawings[best],
    )


def _evidence(v: np.ndarray, m: np.ndarray, alpha: float) -> Evidence:
    score, phi = score_matching(v, m, alpha)
    mean = float(np.mean(v))
    if phi <= EXACT * mean:
        raise ExactFit(
            f"the drawing at alpha = {alpha:g} gives the similarities back exactly, so that every alpha fits equally "
            "well; give alpha as a number"
        )
    value, wide = likelihood(v, m, alpha)
    return Evidence((score, value), (phi, wide), mean)


def _best(found: dict[float, Evidence], which: int) -> float:
    """The order with the greatest value; among equals the nearest to 1."""
    return max(found, key=lambda alpha: (found[alpha].values[which], -abs(alpha - 1.0)))


def _notes(found: dict[float, Evidence], best: float, which: int, orders: list[float]) -> list[str]:
    notes = []
    lowest, highest = orders[-1], orders[0]
    if len(orders) > 1 and min(best - lowest, highest - best) < REFINED:
        notes.append(f"alpha = {best:.3g} lies at the end of the orders tried, {lowest:g} to {highest:g}")
    part = found[best].phis[which] / found[best].mean
    if part < VAGUE:
        notes.append(
            f"phi is {part:.2g} of the mean similarity: the drawing is so close to the similarities that alpha is "
            "barely identified"
        )
    other = _best(found, 1 - which)
    spacing = max((a - b for a, b in itertools.pairwise(orders)), default=0.0)
    if abs(other - best) > spacing:
        notes.append(f"{ESTIMATORS[1 - which]} would have chosen alpha = {other:.3g}")
    return notes


def golden_section(function: Callable[[float], float], low: float, high: float, width: float) -> float:
    """Place in [low, high] where a function with one peak is greatest, to `width`; one evaluation a step.

    >>> round(golden_section(lambda x: -((x - 0.3) ** 2), 0.0, 1.0, 1e-6), 5)
    0.3
    """
    inner, outer = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    left, right = function(inner), function(outer)
    while high - low > width:
        if left >= right:
            high, outer, right = outer, inner, left
            inner = high - GOLDEN * (high - low)
            left = function(inner)
        else:
            low, inner, left = inner, outer, right
            outer = low + GOLDEN * (high - low)
            right = function(outer)
    return inner if left >= right else outer
