"""The size search: the size at which an objective takes over a drawing whose size means nothing to it.

J(s Y) is looked at as a function of the one number x = ln s: its minimum is bracketed by powers of two, then narrowed
by parabolas.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nelayout.objective import Objective
from nelayout.run.start import radius

__all__ = ["size_search", "spread_search"]

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
    """The s > 0 that minimizes J when the nodes of the mask ``part`` are spread by s about their own centroid."""
    here = Y[part]
    if not radius(here) > 0:
        return 1.0
    center = np.sum(here, axis=0) / len(here)

    def value(x: float) -> float:
        spread = Y.copy()
        spread[part] = center + math.exp(x) * (here - center)
        return _finite_value(objective, spread)

    return math.exp(_narrow(value, *_bracket(value, DOUBLINGS_SPREAD), NARROW_SPREAD)[0])


def _finite_value(objective: Objective, Y: np.ndarray) -> float:
    """J, or infinity where it leaves the range of floats, as it may far from the right size."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = objective.evaluate(Y, gradient=False).value
    return value if math.isfinite(value) else math.inf


def _bracket(value: Callable[[float], float], doublings: int) -> tuple[Point, Point, Point]:
    """Three points, ln 2 apart, the middle one the lowest."""
    step = math.log(2.0)
    middle, up, down = ((x, value(x)) for x in (0.0, step, -step))
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
