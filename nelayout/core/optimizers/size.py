"""The size search: the size at which an objective takes over a drawing of any size.

It minimizes J(s Y) as a function of x = ln s by its slope: steps downhill bracket the minimum, and cubics through the
values and slopes at both ends narrow the bracket.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nelayout.core.objective import Objective
from nelayout.numerics.arithmetic import radius

__all__ = ["FLAT_SIZE", "best_size", "means", "size_search", "spread_search"]

# Without a guess, the search begins at the radius EVEN sqrt(n): nodes are then about one unit apart.
EVEN = 0.5
# Precision of ln s: the first steps of the minimizer settle the rest, but not for the size of fixed nodes, and not
# without steps.
NARROW, NARROW_SPREAD, NARROW_ALONE = 0.05, 0.01, 1e-5
# Steps, each a doubling or more, after which a search ends: weights may be of any magnitude; fixed nodes begin near
# their best size.
DOUBLINGS, DOUBLINGS_SPREAD = 1000, 20
# Smallest decrease of J, in parts of 1 + |J|, for which a search goes on: some objectives have no best size.
FLAT_VALUE = 1e-6
# Halvings of a drawing of infinite J, and cubics, after which a search ends.
HALVINGS = 60

# Least distance of fixed nodes, in lengths of an edge, or in typical distances between nodes if these are less.  J may
# be lowest if two such nodes coincide, with all others drawn millions of times as far apart.
TOGETHER = 0.1

# Least number of sizes that `best_size` tries, as powers of 2 of nodes one unit apart.  The relative rise of J to the
# next or previous size that is rounding.  The precision of ln s.
SMALLEST, LARGEST, FLAT_SIZE, PRECISE = -8, 16, 1e-10, 1e-11

# J and its derivative in ln s, at ln s.
Sloped = Callable[[float], tuple[float, float]]
LOG2 = math.log(2.0)


def size_search(objective: Objective, Y: np.ndarray, guess: float | None = None, alone: bool = False) -> float:
    """Return the s > 0 with the least J(s Y); 1 if J does not depend on s.

    ``guess``: the radius at the start.  ``alone``: no step follows.
    """
    size = radius(Y)
    if objective.scale_free or not size > 0:
        return 1.0
    objective = _free(objective)
    unit = size / (EVEN * math.sqrt(len(Y)) if guess is None or math.isnan(guess) else guess)

    def sloped(x: float) -> tuple[float, float]:
        Z = (_exp(x) / unit) * Y
        return _sloped(objective, Z, Z)

    x, above = _least(sloped, DOUBLINGS, NARROW_ALONE if alone else NARROW)
    # A drawing just short of too wide has no room for a step.
    return (0.5 if above == math.inf else 1.0) * _exp(x) / unit


def spread_search(objective: Objective, Y: np.ndarray, part: np.ndarray) -> float:
    """Return the s > 0 with the least J if the mask ``part`` (n, d) is spread by s, and apart."""
    away = np.where(part, Y - means(Y, part), 0.0)
    if not away.any():
        return 1.0
    nearest, objective = math.log(_nearest_spread(objective, Y, away)), _free(objective)
    begun = max(0.0, nearest)

    def sloped(x: float) -> tuple[float, float]:
        if begun + x < nearest:
            return math.inf, -math.inf
        return _sloped(objective, Y + math.expm1(begun + x) * away, math.exp(begun + x) * away)

    return math.exp(begun + _least(sloped, DOUBLINGS_SPREAD, NARROW_SPREAD)[0])


def _nearest_spread(objective: Objective, Y: np.ndarray, away: np.ndarray) -> float:
    """Return the s > 0 at which nodes moved by s times ``away`` (n, d) are at least distance."""
    P = objective.affinity.P
    edges = Y[np.repeat(np.arange(len(Y)), np.diff(P.indptr))] - Y[P.indices]
    typical = radius(Y) / math.sqrt(len(Y))
    length = math.sqrt(np.sum(edges * edges) / max(len(edges), 1)) or typical
    apart = math.sqrt(np.sum(away * away) / np.count_nonzero(away.any(axis=1)))
    return TOGETHER * min(length, typical) / apart


def means(Y: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Return the mean of each column (d,) of Y (n, d) over a mask (n, d); 0 if it is empty."""
    return np.sum(Y, axis=0, where=part) / np.maximum(np.count_nonzero(part, axis=0), 1)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _sloped(objective: Objective, Y: np.ndarray, way: np.ndarray) -> tuple[float, float]:
    """Return J and its derivative along ``way`` (n, d); infinite if J overflows."""
    found = objective.evaluate(Y)
    slope = objective.arithmetic.product(found.gradient, objective.to_device(way))
    finite = math.isfinite(found.value) and math.isfinite(slope)
    return (found.value, slope) if finite else (math.inf, math.inf)


def _exp(x: float) -> float:
    """Return exp(x), infinity where it overflows."""
    return float(np.exp(x))


def _free(objective: Objective) -> Objective:
    """Return the objective with all coordinates free: a size search moves fixed nodes too."""
    return objective if objective.free is None else objective.sharing(free=None)


def _finite_value(objective: Objective, Y: np.ndarray) -> float:
    """Return J of one graph, or infinity if it overflows, as far from the right size."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = objective.evaluate(Y, gradient=False).value
    return value if math.isfinite(value) else math.inf


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _least(sloped: Sloped, steps: int, precision: float) -> tuple[float, float]:
    """Return the point with the least J downhill from 0, and J above it.

    ``near`` and ``far`` are points with J and its derivative; J falls from the first towards the second.
    """
    near = 0.0, *sloped(0.0)
    for _ in range(HALVINGS):
        if near[1] < math.inf:
            break
        x = near[0] - LOG2
        near = x, *sloped(x)
    way, far, step = -1.0 if near[2] > 0 else 1.0, near, LOG2
    going = near[2] != 0 and near[1] < math.inf
    for _ in range(steps):
        if not going:
            break
        x = far[0] + way * step
        near, far = far, (x, *sloped(x))
        going = way * far[2] < 0 and far[1] < near[1] - FLAT_VALUE * (1.0 + abs(near[1]))
        width, bend = abs(far[0] - near[0]), way * (far[2] - near[2])
        step = min(max(-way * far[2] * width / bend if bend > 0 else math.inf, LOG2), 2.0 * width)
    best = far[0]
    if near[0] != far[0] and (way * far[2] >= 0 or far[1] > near[1]):
        for _ in range(HALVINGS):
            x, sure = _within(near, far, precision)
            if sure:
                best = near[0] if far[1] == math.inf else x
                break
            best, now = x, (x, *sloped(x))
            if now[1] <= near[1] and way * now[2] < 0:
                near = now
            else:
                far = now
    return best, far[1] if way > 0 else near[1]


def _within(near: Sequence[float], far: Sequence[float], precision: float) -> tuple[float, bool]:
    """Return the next point to try between two ends, and whether it is that precise.

    It is the minimum of the cubic through both ends (Nocedal & Wright 2006, eq. 3.59).  It is precise enough if a
    parabola would give the same point.  Beside infinite J, and where both slopes have one sign, it is the middle.
    """
    (a, J_a, slope_a), (b, J_b, slope_b) = (tuple(map(np.float64, end)) for end in (near, far))
    width = b - a
    both = slope_a + slope_b - 3.0 * (J_b - J_a) / width
    root = np.copysign(np.sqrt(both * both - slope_a * slope_b), width)
    cubic = b - width * (slope_b + root - both) / (slope_b - slope_a + 2.0 * root)
    line = a - slope_a * width / (slope_b - slope_a)
    bent = slope_a * slope_b < 0 and np.isfinite(cubic)
    sure = abs(width) < precision or (bent and abs(cubic - line) < precision)
    return float(cubic if bent else a + 0.5 * width), bool(sure)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def best_size(drawings: Sequence[tuple[Objective, np.ndarray]]) -> tuple[float, str]:
    """Return the s > 0 with the least sum of J(s Y), and a sentence if it does not exist.

    It tries sizes at which nodes are 2^-8 to 2^16 units apart, each twice the one before.  It tries further ones while
    J falls.  Near the lowest, s is the zero of the derivative of J in ln s.
    """
    from scipy.optimize import brentq, minimize_scalar

    sized = [(objective, Y) for objective, Y in drawings if np.any(Y) and not objective.scale_free]
    if not sized:
        return 1.0, ""
    near_one = 0.5 ** math.frexp(max(float(np.max(np.abs(Y))) for _, Y in sized))[1]  # squares shall be within floats
    sized = [(objective, near_one * Y) for objective, Y in sized]
    unit, step = max(radius(Y) / (EVEN * math.sqrt(len(Y))) for _, Y in sized), LOG2

    def value(k: float) -> float:
        return sum(_finite_value(objective, (math.exp(k * step) / unit) * Y) for objective, Y in sized)

    def slope(x: float) -> float:
        """dJ / dx; huge towards sizes at which J is infinite."""
        total = 0.0
        for objective, Y in [(objective, (math.exp(x) / unit) * Y) for objective, Y in sized]:
            found = objective.evaluate(Y)
            total += float(np.sum(Y * found.gradient)) if math.isfinite(found.value) else math.nan
        return total if math.isfinite(total) else math.copysign(1e300, x - lowest * step)

    known = {k: value(k) for k in range(SMALLEST, LARGEST + 1)}
    while min(known.values()) == math.inf and len(known) < HALVINGS:  # one node far out, and the others together
        known[min(known) - 1] = value(min(known) - 1)
    lowest = min(known, key=lambda k: known[k])
    if not math.isfinite(known[lowest]):
        return near_one, "J is infinite at all sizes that were tried"
    for way in (-1, 1):
        while len(known) < DOUBLINGS:
            beyond = known.setdefault(lowest + way, value(lowest + way))
            if not beyond < known[lowest]:
                break
            lowest += way
    about, low, high = "", (lowest - 1) * step, (lowest + 1) * step
    rounding = FLAT_SIZE * max(abs(known[k]) for k in (0, lowest) if math.isfinite(known[k]))
    found: Any = lowest * step
    if known[max(known)] - known[lowest] <= rounding:
        about = "J falls for ever as the drawing grows, so it has no best size"
    elif known[min(known)] - known[lowest] <= rounding:
        about = "J falls for ever as the drawing shrinks to a point: it has no best size"
    elif slope(low) < 0 < slope(high):
        found = brentq(slope, low, high, xtol=PRECISE)
    else:  # J has more than one minimum between them
        options = {"xatol": PRECISE}
        found = minimize_scalar(lambda x: value(x / step), bounds=(low, high), method="bounded", options=options)
        found = found.x
    return near_one * (math.exp(found) / unit), about
