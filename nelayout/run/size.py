"""The size search: the size at which an objective takes over a drawing whose size means nothing to it.

J(s Y) is looked at as a function of the one number x = ln s: its minimum is bracketed by powers of two, then narrowed
by parabolas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nelayout.objective.whole import Objective
from nelayout.run.start import radius

__all__ = ["best_size", "means", "size_search", "spread_search"]

# The search begins, unless there is a guess, at a radius of so many times sqrt n: nodes then lie about one unit apart.
EVEN = 0.5
# Precision of ln s: the first steps of the minimizer settle the rest, but not for the size of fixed nodes.
NARROW, NARROW_SPREAD = 0.05, 0.01
# Parabolas after which the search ends.
NARROWINGS = 8
# Doublings after which the search ends: weights may be of any magnitude; fixed nodes begin near their best size.
DOUBLINGS, DOUBLINGS_SPREAD = 1000, 20
# Smallest decrease of J, in parts of 1 + |J|, for which doubling goes on: some objectives have no best size.
FLAT_VALUE = 1e-6
# Halvings after which a drawing of infinite J is left as it is: its nodes lie 1e18 times nearer by then.
HALVINGS = 60

# Fixed nodes are brought no nearer to each other than this many times the length of an edge, or the typical distance
# between nodes if that is less.  A ring whose start is folded may have both of two such nodes in one crossing, where J
# is lowest if they coincide: the others would then be drawn millions of times as far apart as the two are.
TOGETHER = 0.1

# Sizes that `best_size` tries at least, as powers of 2 of nodes one unit apart; the rise of J, in parts of itself, to
# the size before or after that is rounding; and the precision of ln s.
SMALLEST, LARGEST, FLAT_SIZE, PRECISE = -8, 16, 1e-10, 1e-11

Point = tuple[float, float]  # x and J there


def size_search(objective: Objective, Y: np.ndarray, guess: float | None = None) -> float:
    """The s > 0 that minimizes J(s Y), searched for from the radius ``guess``; 1 where J has no size."""
    size = radius(Y)
    if not size > 0 or objective.scale_free:
        return 1.0
    unit = size / (EVEN * math.sqrt(len(Y)) if guess is None else guess)

    def value(x: float) -> float:
        return _finite_value(objective, (math.exp(x) / unit) * Y)

    x, above = _narrow(value, *_bracket(value, DOUBLINGS), NARROW)
    # A drawing just short of too wide has no room for a step.
    return (0.5 if above == math.inf else 1.0) * math.exp(x) / unit


def spread_search(objective: Objective, Y: np.ndarray, part: np.ndarray) -> float:
    """The s > 0 that minimizes J when the coordinates of the mask ``part`` (n, d) are spread by s about their means.

    It is so large that those nodes are apart, see `TOGETHER`.
    """
    away = np.where(part, Y - means(Y, part), 0.0)
    if not away.any():
        return 1.0
    nearest = math.log(_nearest_spread(objective, Y, away))
    begun = max(0.0, nearest)

    def value(x: float) -> float:
        return _finite_value(objective, Y + math.expm1(begun + x) * away) if begun + x >= nearest else math.inf

    return math.exp(begun + _narrow(value, *_bracket(value, DOUBLINGS_SPREAD), NARROW_SPREAD)[0])


def _nearest_spread(objective: Objective, Y: np.ndarray, away: np.ndarray) -> float:
    """The s > 0 at which nodes that are spread by s times the offsets ``away`` (n, d) are as near as they may be."""
    P = objective.affinity.P
    edges = Y[np.repeat(np.arange(len(Y)), np.diff(P.indptr))] - Y[P.indices]
    typical = radius(Y) / math.sqrt(len(Y))
    length = math.sqrt(np.sum(edges * edges) / max(len(edges), 1)) or typical
    apart = math.sqrt(np.sum(away * away) / np.count_nonzero(away.any(axis=1)))
    return TOGETHER * min(length, typical) / apart


def means(Y: np.ndarray, part: np.ndarray) -> np.ndarray:
    """(d,) the mean of each column of Y (n, d) over the mask ``part`` (n, d); 0 of a column without a part."""
    return np.sum(Y, axis=0, where=part) / np.maximum(np.count_nonzero(part, axis=0), 1)


def _finite_value(objective: Objective, Y: np.ndarray) -> float:
    """J, or infinity where it leaves the range of floats, as it may far from the right size."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = objective.evaluate(Y, gradient=False).value
    return value if math.isfinite(value) else math.inf


def _bracket(value: Callable[[float], float], doublings: int) -> tuple[Point, Point, Point]:
    """Three points, ln 2 apart, the middle one the lowest.

    Where J is infinite at all sizes around, as by a Gaussian that does not reach the farthest node, the drawing is
    made smaller until it is not.
    """
    step = math.log(2.0)
    middle, up, down = ((x, value(x)) for x in (0.0, step, -step))
    for _ in range(HALVINGS):
        if min(up[1], middle[1], down[1]) < math.inf:
            break
        up, middle, down = middle, down, (down[0] - step, value(down[0] - step))
    if not min(up[1], down[1]) < middle[1]:
        return down, middle, up
    step = step if up[1] < down[1] else -step
    behind, middle = middle, up if step > 0 else down
    ahead = middle[0] + step, value(middle[0] + step)
    for _ in range(doublings):
        if not ahead[1] < middle[1] - FLAT_VALUE * (1.0 + abs(middle[1])):
            break
        behind, middle = middle, ahead
        ahead = middle[0] + step, value(middle[0] + step)
    return (behind, middle, ahead) if step > 0 else (ahead, middle, behind)


def _narrow(
    value: Callable[[float], float], low: Point, middle: Point, high: Point, precision: float
) -> tuple[float, float]:
    """Narrow the bracket by parabolas: x of the lowest point, and J at the bracket's upper end."""
    for _ in range(NARROWINGS):
        x = _lowest(low, middle, high)
        if abs(x - middle[0]) < precision / 2.0:
            if math.isfinite(low[1] + high[1]):
                return x, high[1]
            break  # beside infinite values the parabola knows nothing, and x was not tried
        tried = x, value(x)
        if tried[1] < middle[1]:
            low, middle, high = (low, tried, middle) if x < middle[0] else (middle, tried, high)
        else:
            low, high = (tried, high) if x < middle[0] else (low, tried)
    return middle[0], high[1]


def _lowest(low: Point, middle: Point, high: Point) -> float:
    """The minimum of the parabola through three points; if it has none, the middle of the longer side."""
    (a, fa), (x, fx), (b, fb) = low, middle, high
    left, right = (fa - fx) * (b - x), (fb - fx) * (x - a)
    if 0.0 < left + right < math.inf and left >= 0.0 <= right:
        return x + 0.5 * (left * (b - x) - right * (x - a)) / (left + right)
    return 0.5 * (a + x) if x - a > b - x else 0.5 * (x + b)


def best_size(drawings: Sequence[tuple[Objective, np.ndarray]]) -> tuple[float, str]:
    """The s > 0 that minimizes the sum of J(s Y) over drawings (n, d), and a sentence where there is none.

    Sizes at which nodes lie 2^-8 to 2^16 units apart are tried, each twice the one before, and further ones while J
    falls.  About the lowest, s is where the derivative of J in ln s changes its sign.
    """
    sized = [(objective, Y) for objective, Y in drawings if np.any(Y) and not objective.scale_free]
    if not sized:
        return 1.0, ""
    near_one = 0.5 ** math.frexp(max(float(np.max(np.abs(Y))) for _, Y in sized))[1]  # squares shall be within floats
    found, about = _best_size([(objective, near_one * Y) for objective, Y in sized])
    return near_one * found, about


def _best_size(sized: Sequence[tuple[Objective, np.ndarray]]) -> tuple[float, str]:
    """`best_size` of drawings whose largest coordinate is near 1."""
    from scipy.optimize import brentq, minimize_scalar

    unit, step = max(radius(Y) / (EVEN * math.sqrt(len(Y))) for _, Y in sized), math.log(2.0)

    def at(x: float) -> list[tuple[Objective, np.ndarray]]:
        return [(objective, (math.exp(x) / unit) * Y) for objective, Y in sized]

    def value(k: float) -> float:
        return sum(_finite_value(objective, Y) for objective, Y in at(k * step))

    def slope(x: float) -> float:
        """dJ / dx; huge towards sizes at which J is infinite."""
        total = 0.0
        for objective, Y in at(x):
            found = objective.evaluate(Y)
            total += float(np.sum(Y * found.gradient)) if math.isfinite(found.value) else math.nan
        return total if math.isfinite(total) else math.copysign(1e300, x - lowest * step)

    known = {k: value(k) for k in range(SMALLEST, LARGEST + 1)}
    while min(known.values()) == math.inf and len(known) < HALVINGS:  # one node far out, and the others together
        known[min(known) - 1] = value(min(known) - 1)
    lowest = min(known, key=lambda k: known[k])
    if not math.isfinite(known[lowest]):
        return 1.0, "J is infinite at all sizes that were tried"
    for way in (-1, 1):
        while len(known) < DOUBLINGS:
            beyond = known.setdefault(lowest + way, value(lowest + way))
            if not beyond < known[lowest]:
                break
            lowest += way
    rounding = FLAT_SIZE * max(abs(known[k]) for k in (0, lowest) if math.isfinite(known[k]))
    if known[max(known)] - known[lowest] <= rounding:
        return math.exp(lowest * step) / unit, "J falls for ever as the drawing grows, so it has no best size"
    if known[min(known)] - known[lowest] <= rounding:
        return math.exp(lowest * step) / unit, "J falls for ever as the drawing shrinks to a point: it has no best size"
    low, high = (lowest - 1) * step, (lowest + 1) * step
    if not slope(low) < 0 < slope(high):  # J has more than one minimum between them
        options, limits = {"xatol": PRECISE}, (low, high)
        found: Any = minimize_scalar(lambda x: value(x / step), bounds=limits, method="bounded", options=options)
        return math.exp(found.x) / unit, ""
    x: Any = brentq(slope, low, high, xtol=PRECISE)
    return math.exp(x) / unit, ""
