"""J of many small graphs, and whole descents by L-BFGS, in one compiled loop.

A run of many small graphs has the loop compiled, see `nelayout.run.drawing.Summation`.  The loop takes the steps of
`LBFGS` under a `StoppingRule`, up to rounding.  Objectives that the loop does not know are minimized as usual.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nelayout.formula.connections import Fixed
from nelayout.formula.divergences.alpha import Alpha
from nelayout.formula.divergences.beta import Beta
from nelayout.formula.divergences.protocol import SMALL_ORDER
from nelayout.record.evaluation import Evaluation
from nelayout.sums.edges.matrix import Edges

__all__ = ["SmallGraph", "packed"]

# Steps between two looks at interrupts.
STEPS_AT_ONCE = 25
REASONS = ("", "converged", "lull", "collapsed")
RULES = {"optimal": 1, "normalized": 2, "normalized-rows": 3}


class SmallGraph(NamedTuple):
    """The arrays of an objective, as `small_loops` has them."""

    iv: np.ndarray
    fv: np.ndarray
    rad: np.ndarray
    term: np.ndarray
    rows: np.ndarray
    cols: np.ndarray
    factor: np.ndarray
    mass: np.ndarray
    free: np.ndarray
    weights: np.ndarray
    pulls: np.ndarray
    pivots: np.ndarray
    stiff: np.ndarray

    def _scratch(self) -> tuple[np.ndarray, ...]:
        """Return the memory of an evaluation, which no other thread has."""
        n, k = len(self.mass), len(self.rad)
        room = np.empty((6, max(len(self.rows), n)))
        return np.zeros(n), np.empty((k, n)), np.empty((k + 1, 3, n)), room, np.zeros((5, n))

    def evaluate(self, Y: np.ndarray) -> Evaluation:
        """Return J at Y (n, d), its gradient and the strength of the edges."""
        from nelayout.objective import small_loops

        n, d = Y.shape
        X, G = np.zeros((2, 3, n))
        X[:d] = Y.T
        out = np.zeros(5)
        small_loops.value(*self[:2], self.rad.copy(), *self[3:-1], X, G, *self._scratch(), out)
        return Evaluation(float(out[0]), float(out[2]), np.ascontiguousarray(G[:d].T), strength=float(out[1]))

    def descend(
        self, Y: np.ndarray, pairs: int, max_iter: int, rule: tuple[float, float | None, float, int, int], report: Any
    ) -> tuple[np.ndarray, float, str] | None:
        """Return positions, J and the reason of the end, or None where J is infinite at Y.

        ``rule``: force, stall, point, window and stall steps of a `StoppingRule`.
        """
        from nelayout.objective import small_loops

        (n, d), (force, stall, point, window, stalled) = Y.shape, rule
        X, G, Xn, Gn, D = np.zeros((5, 3, n))
        X[:d] = Y.T
        state = (
            X, G, Xn, Gn, D, np.empty(n), *self._scratch(), np.zeros((pairs + 1, n * d)), np.zeros((pairs + 1, n * d)),
            np.zeros((2, pairs + 1)), np.empty(stalled + 1),
            np.array([force, -1.0 if stall is None else stall, point, window]), np.zeros(8),
            np.zeros(9, dtype=np.int64), np.zeros(5),
        )
        numbers, counts, given = state[-3], state[-2], (*self[:2], self.rad.copy(), *self[3:])
        while True:
            before = int(counts[1])
            most = min(STEPS_AT_ONCE, max_iter - before)
            values = np.empty(most)
            reason = small_loops.descend(*given, *state, most, values)
            if reason > len(REASONS):
                return None
            now = np.ascontiguousarray(X[:d].T)
            for value in values[: int(counts[1]) - before].tolist():
                report(value, now)
            if reason or counts[1] >= max_iter:
                return now, float(numbers[0]), REASONS[reason] or "max_iter"


def packed(objective: Any, d: int) -> SmallGraph | None:
    """Return the arrays of an objective in d dimensions; None for parts unknown to the loop."""
    edges, by_rows = objective.edges, objective.by_rows
    plain = isinstance(edges, Edges) and objective.gravity is None and objective.anchors is None
    if not plain or objective.device is not None or objective._spread is not None:
        return None
    phi, rule = objective.phi, objective.connection
    powers = edges._powers_of(phi)
    if powers is None or (rule.name not in RULES and not isinstance(rule, Fixed)):
        return None
    code = RULES.get(rule.name, 0)
    inside = float(objective._inside)
    if (code == 1 and not isinstance(phi, (Beta, Alpha))) or (inside and not isinstance(phi, Beta)):
        return None
    radials = list(objective.radials)
    if by_rows and (len(objective._terms) != 1 or objective._terms[0][0].form == "power-log" or len(radials) > 2):
        return None
    from nelayout.objective.small_loops import COMBINATIONS

    hidden = float(objective.affinity.hidden) if objective._has_hidden else 0.0
    rad = np.zeros((len(radials), 8))
    for row, radial in zip(rad, radials, strict=True):
        key, *numbers = radial.code
        if key not in COMBINATIONS:
            return None
        row[:6] = COMBINATIONS.index(key), *numbers, radial.at_zero if hidden else 0.0
    term = np.zeros((len(objective._terms), 5))
    for row, (each, own) in zip(term, objective._terms, strict=True):
        if np.ndim(each.coefficient):
            return None
        small = abs(each.order) <= SMALL_ORDER
        form = {"power": 0, "boxcox": 2 if small else 1, "power-log": 3}[each.form]
        row[:] = each.coefficient, each.order, form, radials.index(own[0]), radials.index(own[-1])
    n, kernel, stress = edges.n, objective.kernel, objective.stress
    rows, cols = edges.rows.astype(np.int64), edges.indices.astype(np.int64)
    kept = slice(None) if by_rows else rows < cols
    form = 0 if powers.form == "power" else 1 if powers.order else 2
    needs = objective.plain in radials
    pivots = np.zeros(0, dtype=np.int64) if stress is None else stress.distances.pivots.astype(np.int64)
    weights = np.zeros((2, 0, n)) if stress is None else stress.distances.weights.swapaxes(1, 2).astype(float)
    squares = 0.0 if stress is None else float(np.sum(stress.distances.squares))
    factor = 0.0 if stress is None or not squares > 0 else float(stress.factor)
    free = np.ones((3, n))
    if objective.free is not None:
        free[:d] = objective.free.T
    iv = (
        n, d, len(radials), len(term), len(rows[kept]), form, code, int(isinstance(phi, Alpha)), len(pivots),
        int(objective.free is not None), radials.index(objective.plain) if needs else -1,
    )
    lam = rule.value if isinstance(rule, Fixed) else 1.0
    order = float(getattr(phi, "order", 0.0))
    fv = (
        kernel.a, kernel.b, kernel.c, powers.order, powers.times, float(np.sum(powers.constant)),
        objective.exaggeration, lam, 0.0 if by_rows else float(objective.total),
        0.0 if by_rows else float(objective._weight), float(np.sum(objective.constants)), order, factor,
        squares or 1.0, hidden, inside,
    )
    own = np.broadcast_to(powers.factor, rows.shape)[kept]
    stiff = np.zeros(n) if stress is None else np.asarray(stress._weights, dtype=float)
    factors, (near, far) = np.ascontiguousarray(own, dtype=float), map(np.ascontiguousarray, weights)
    mass = np.asarray(objective.mass, dtype=float)
    ends = rows[kept], cols[kept]
    return SmallGraph(
        np.array(iv), np.array(fv, dtype=float), rad, term, *ends, factors, mass, free, near, far, pivots, stiff
    )
