"""The size search: the size at which an objective takes over a drawing of any size.

It minimizes J(s Y) as a function of x = ln s: powers of two bracket the minimum, and parabolas narrow the bracket.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nelayout.numerics.groups import WHOLE, several
from nelayout.objective import Objective

__all__ = ["FLAT_SIZE", "best_size", "means", "size_search", "spread_search"]

# Without a guess, the search begins at the radius EVEN sqrt(n): nodes are then about one unit apart.
EVEN = 0.5
# Precision of ln s: the first steps of the minimizer settle the rest, but not for the size of fixed nodes, and not
# without steps.
NARROW, NARROW_SPREAD, NARROW_ALONE = 0.05, 0.01, 1e-5
# Doublings after which the search ends: weights may be of any magnitude; fixed nodes begin near their best size.
DOUBLINGS, DOUBLINGS_SPREAD = 1000, 20
# Smallest decrease of J, in parts of 1 + |J|, for which doubling goes on: some objectives have no best size.
FLAT_VALUE = 1e-6
# Halvings after which a drawing of infinite J is left as it is, and most parabolas.
HALVINGS = 60

# Least distance of fixed nodes, in lengths of an edge, or in typical distances between nodes if these are less.  J may
# be lowest if two such nodes coincide, with all others drawn millions of times as far apart.
TOGETHER = 0.1

# Least number of sizes that `best_size` tries, as powers of 2 of nodes one unit apart.  The relative rise of J to the
# next or previous size that is rounding.  The precision of ln s.
SMALLEST, LARGEST, FLAT_SIZE, PRECISE = -8, 16, 1e-10, 1e-11

# J of a size, of each graph.
Value = Callable[[Any], Any]
LOG2 = math.log(2.0)


def size_search(objective: Objective, Y: np.ndarray, guess: Any = None, alone: bool = False) -> Any:
    """Return the s > 0 of each graph with the least J(s Y); 1 if J does not depend on s.

    ``guess``: the radius at the start, one or (C,), NaN: no guess.  ``alone``: no step follows.
    """
    parts = objective.parts
    size = parts.radius(Y)
    if objective.scale_free or not parts.any(size > 0):
        return parts.full(1.0)
    there = EVEN * np.sqrt(parts.sum(np.ones(len(Y))))
    if guess is not None:
        there = parts.where(np.isnan(guess), there, guess)
    unit = parts.where(size > 0, parts.where(size > 0, size, 1.0) / there, 1.0)

    def value(x: Any) -> Any:
        return _finite_value(objective, parts.columns(np.exp(x) / unit) * Y)

    x, above = _narrow(parts, value, *_bracket(parts, value, DOUBLINGS), NARROW_ALONE if alone else NARROW)
    # A drawing just short of too wide has no room for a step.
    s = parts.where(above == math.inf, 0.5, 1.0) * np.exp(x) / unit
    s = parts.where(size > 0, s, 1.0)
    return float(s) if parts is WHOLE else s


def spread_search(objective: Objective, Y: np.ndarray, part: np.ndarray) -> float:
    """Return the s > 0 with the least J if the mask ``part`` (n, d) is spread by s, and apart."""
    away = np.where(part, Y - means(Y, part), 0.0)
    if not away.any():
        return 1.0
    nearest = math.log(_nearest_spread(objective, Y, away))
    begun = max(0.0, nearest)

    def value(x: float) -> float:
        return _finite_value(objective, Y + math.expm1(begun + x) * away) if begun + x >= nearest else math.inf

    return math.exp(begun + _narrow(WHOLE, value, *_bracket(WHOLE, value, DOUBLINGS_SPREAD), NARROW_SPREAD)[0])


def _nearest_spread(objective: Objective, Y: np.ndarray, away: np.ndarray) -> float:
    """Return the s > 0 at which nodes moved by s times ``away`` (n, d) are at least distance."""
    P = objective.affinity.P
    edges = Y[np.repeat(np.arange(len(Y)), np.diff(P.indptr))] - Y[P.indices]
    typical = WHOLE.radius(Y) / math.sqrt(len(Y))
    length = math.sqrt(np.sum(edges * edges) / max(len(edges), 1)) or typical
    apart = math.sqrt(np.sum(away * away) / np.count_nonzero(away.any(axis=1)))
    return TOGETHER * min(length, typical) / apart


def means(Y: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Return the mean of each column (d,) of Y (n, d) over a mask (n, d); 0 if it is empty."""
    return np.sum(Y, axis=0, where=part) / np.maximum(np.count_nonzero(part, axis=0), 1)


def _finite_value(objective: Objective, Y: np.ndarray) -> Any:
    """Return J of each graph, or infinity if it overflows, as far from the right size."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = objective.evaluate(Y, gradient=False).value
    if several(value):
        return np.where(np.isfinite(value), value, np.inf)
    return value if math.isfinite(value) else math.inf


def _bracket(parts: Any, value: Value, doublings: int) -> tuple[list[Any], list[Any]]:
    """Return points [low, middle, high] ln 2 apart, the middle lowest, and J there."""
    where, full = parts.where, parts.full

    def chosen(condition: Any, these: list[Any], those: list[Any]) -> list[Any]:
        return [where(condition, this, that) for this, that in zip(these, those, strict=True)]

    x = [full(-LOG2), full(0.0), full(LOG2)]
    f = [value(each) for each in x]
    for _ in range(HALVINGS):
        lost = (f[0] == math.inf) & (f[1] == math.inf) & (f[2] == math.inf)
        if not parts.any(lost):
            break
        lower = where(lost, x[0] - LOG2, x[0])
        x, f = chosen(lost, [lower, *x[:2]], x), chosen(lost, [value(lower), *f[:2]], f)
    going = (f[0] < f[1]) | (f[2] < f[1])
    # from here the last point is ahead, below the others or above them
    down = going & (f[2] >= f[0])
    x, f = chosen(down, x[::-1], x), chosen(down, f[::-1], f)
    step = where(down, -LOG2, LOG2)
    for _ in range(doublings):
        if not parts.any(going):
            break
        ahead = x[2] + step
        there = value(where(going, ahead, x[2]))
        x, f = chosen(going, [*x[1:], ahead], x), chosen(going, [*f[1:], there], f)
        going = going & (f[2] < f[1] - FLAT_VALUE * (1.0 + abs(f[1])))
    return chosen(down, x[::-1], x), chosen(down, f[::-1], f)


def _narrow(parts: Any, value: Value, x: list[Any], f: list[Any], precision: float) -> tuple[Any, Any]:
    """Narrow the bracket by parabolas; return the lowest point and J at the upper end."""
    where = parts.where
    best, live = x[1], parts.full(True)
    for _ in range(HALVINGS):
        here = _lowest(parts, x, f)
        near = live & (abs(here - x[1]) < precision / 2.0)
        # beside infinite values a parabola is meaningless, and ``here`` was not tried
        best = where(near & np.isfinite(f[0] + f[2]), here, best)
        live = live & np.logical_not(near)
        if not parts.any(live):
            break
        there = value(where(live, here, x[1]))
        lower, left = there < f[1], here < x[1]
        # the new point is an end of the bracket or its middle; in the second case the old middle becomes an end
        low, high = live & (lower != left), live & (lower == left)
        ends_x, ends_f = where(lower, x[1], here), where(lower, f[1], there)
        middle = live & lower
        x = [where(low, ends_x, x[0]), where(middle, here, x[1]), where(high, ends_x, x[2])]
        f = [where(low, ends_f, f[0]), where(middle, there, f[1]), where(high, ends_f, f[2])]
        best = where(live, x[1], best)
    return best, f[2]


def _lowest(parts: Any, x: list[Any], f: list[Any]) -> Any:
    """Return the minimum of the parabola by three points, or the middle of the longer side."""
    (a, m, b), (fa, fm, fb) = x, f
    with np.errstate(invalid="ignore", over="ignore"):
        left, right = (fa - fm) * (b - m), (fb - fm) * (m - a)
        bent = (left + right > 0) & (left + right < math.inf) & (left >= 0) & (right >= 0)
        vertex = m + 0.5 * (left * (b - m) - right * (m - a)) / parts.where(bent, left + right, 1.0)
    return parts.where(bent, vertex, parts.where(m - a > b - m, 0.5 * (a + m), 0.5 * (m + b)))


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
    unit, step = max(WHOLE.radius(Y) / (EVEN * math.sqrt(len(Y))) for _, Y in sized), LOG2

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
