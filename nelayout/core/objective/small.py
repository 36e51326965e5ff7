"""J of a small graph, and whole descents by L-BFGS, in one compiled loop.

The loop takes the steps of `LBFGS` under a `StoppingRule`, up to rounding.  Objectives that the loop does not know are
minimized as usual, and so are all without the library, see `nelayout.core.objective.small_library`.
"""

from __future__ import annotations

import ctypes
from itertools import accumulate
from typing import Any

import numpy as np

from nelayout.core.formula.connections import Fixed
from nelayout.core.formula.divergences.alpha import Alpha
from nelayout.core.formula.divergences.beta import Beta
from nelayout.core.formula.divergences.protocol import SMALL_ORDER
from nelayout.core.objective.small_library import loop
from nelayout.core.record.evaluation import Evaluation
from nelayout.core.sums.edges.matrix import Edges
from nelayout.core.sums.nbody.combination_loops import COMBINATIONS

__all__ = ["SmallGraph", "packed"]

# Steps between two looks at interrupts.
STEPS_AT_ONCE = 25
REASONS = ("", "converged", "lull", "collapsed")
GIVEN = 13  # first rows of the table: the arrays of an objective
RULES = {"optimal": 1, "normalized": 2, "normalized-rows": 3}


class _Room:
    """Memory of the loop for one thread: a table of all arrays, for objectives of one shape."""

    def __init__(self, n: int, d: int, k: int, entries: int, pairs: int, stalled: int) -> None:
        m, axes, stored = n * d, (3, n, 0), (pairs + 1, n * d, 0)
        shapes = [
            (k, 8, 0), *[axes] * 5, (n, 0, 0), (n, 0, 0), (k, n, 0), (k + 1, 3, n), (6, max(entries, n), 0), (5, n, 0),
            stored, stored, (2, pairs + 1, 0), (stalled + 1, 0, 0), (5, 0, 0), (8, 0, 0), (10, 0, 0), (5, 0, 0),
            (STEPS_AT_ONCE, 0, 0),
        ]
        starts = [0, *accumulate([a * (b or 1) * (c or 1) for a, b, c in shapes])]
        room = np.zeros(starts[-1])
        address = room.__array_interface__["data"][0]
        rows = [(address + 8 * start, *shape) for start, shape in zip(starts, shapes, strict=False)]
        rad, moving, work = rows[0], rows[1:6], rows[6:]
        flat, unset = [(each[0], m, 0, 0) for each in moving], (0, 0, 0, 0)
        self.table = np.array([unset, unset, rad, *[unset] * (GIVEN - 3), *moving, *flat, *work, unset])

        def part(number: int) -> np.ndarray:
            return room[starts[number] : starts[number + 1]]

        self.radials = part(0)
        self.X, self.gradient = part(1).reshape(3, n), part(4).reshape(3, n)
        self.rest, self.numbers, self.out, self.values = part(16), part(17), part(19), part(20)
        self.counts = part(18).view(np.int64)
        self.most, self.reason, self.unused = self.table[-1], ctypes.c_int64(), ctypes.c_void_p()
        table = self.table.__array_interface__["data"][0]
        self.ends = ctypes.addressof(self.reason), ctypes.addressof(self.unused), table

    def hold(self, arrays: tuple[np.ndarray, ...], given: np.ndarray) -> None:
        """Take the arrays of an objective, and their rows of the table."""
        self.radials[:] = arrays[2].reshape(-1)
        self.table[:2], self.table[3:GIVEN] = given[:2], given[3:]
        self.counts[:] = 0

    def run(self, most: int) -> int:
        """Take at most so many steps, or evaluate; return the reason of the end."""
        self.most[0] = most
        loop()(*self.ends)
        return self.reason.value


class SmallGraph:
    """An objective of a small graph, as the arrays of `small_loops`."""

    def __init__(self, arrays: tuple[np.ndarray, ...], spare: dict[tuple[int, ...], list[_Room]]) -> None:
        self.arrays, self._spare = arrays, spare
        rows = [(each.__array_interface__["data"][0], *each.shape, 0, 0)[:4] for each in arrays]
        self._given = np.array(rows)
        self._shape = len(arrays[7]), int(arrays[0][1]), len(arrays[2]), len(arrays[4])

    def _room(self, pairs: int, stalled: int) -> _Room:
        """Return memory that no other thread has."""
        try:
            room = self._spare[*self._shape, pairs, stalled].pop()
        except (KeyError, IndexError):
            room = _Room(*self._shape, pairs, stalled)
        room.hold(self.arrays, self._given)
        return room

    def _give_back(self, room: _Room, pairs: int, stalled: int) -> None:
        self._spare.setdefault((*self._shape, pairs, stalled), []).append(room)

    def evaluate(self, Y: np.ndarray) -> Evaluation:
        """Return J at Y (n, d), its gradient and the strength of the edges."""
        room, d = self._room(1, 0), Y.shape[1]
        room.X[:d] = Y.T
        room.run(0)
        value, strength, lam = room.out[:3].tolist()
        found = Evaluation(value, lam, np.ascontiguousarray(room.gradient[:d].T), strength=strength)
        self._give_back(room, 1, 0)
        return found

    def descend(
        self, Y: np.ndarray, pairs: int, max_iter: int, rule: tuple[float, float | None, float, int, int, float],
        report: Any,
    ) -> tuple[np.ndarray, float, str] | None:
        """Return positions, J and the reason of the end, or None where J is infinite at Y.

        ``rule``: force, stall, point, window, stall steps and move of a `StoppingRule`.
        """
        d, (force, stall, point, window, stalled, move) = Y.shape[1], rule
        room = self._room(pairs, stalled)
        room.X[:d] = Y.T
        room.rest[:] = force, -1.0 if stall is None else stall, point, window, move
        while True:
            before = int(room.counts[1])
            reason = room.run(min(STEPS_AT_ONCE, max_iter - before))
            if reason > len(REASONS):
                return None
            now = np.ascontiguousarray(room.X[:d].T)
            for value in room.values[: int(room.counts[1]) - before].tolist():
                report(value, now)
            if reason or room.counts[1] >= max_iter:
                self._give_back(room, pairs, stalled)
                return now, float(room.numbers[0]), REASONS[reason] or "max_iter"


def packed(objective: Any, d: int) -> SmallGraph | None:
    """Return the arrays of an objective in d dimensions; None for parts unknown to the loop."""
    if loop() is None:
        return None
    edges, by_rows = objective.edges, objective.by_rows
    free = objective.gravity is None and objective.springs is None and not objective.affinity.terms
    plain = isinstance(edges, Edges) and free
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
    hidden = float(objective.affinity.merged_pairs) if objective._has_hidden else 0.0
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
    form = 0 if powers.form == "power" else 1 if powers.order else 2
    needs = objective.plain in radials

    def edge_arrays() -> tuple[np.ndarray, ...]:
        rows, cols = edges.rows.astype(np.int64), edges.indices.astype(np.int64)
        kept = slice(None) if by_rows else rows < cols
        own = np.broadcast_to(powers.factor, rows.shape)[kept]
        return rows[kept], cols[kept], np.ascontiguousarray(own, dtype=float), np.asarray(objective.mass, dtype=float)

    def stress_arrays() -> tuple[Any, ...]:
        if stress is None:
            return np.zeros((0, n)), np.zeros((0, n)), np.zeros(0, dtype=np.int64), np.zeros(n), 0.0
        near, far = map(np.ascontiguousarray, stress.distances.weights.swapaxes(1, 2).astype(float))
        squares = float(np.sum(stress.distances.squares))
        return near, far, stress.distances.pivots.astype(np.int64), np.asarray(stress._weights, dtype=float), squares

    *ends, factors, mass = objective.shared(("edges of the loop", phi, by_rows), edge_arrays)
    near, far, pivots, stiff, squares = objective.shared(("stress of the loop", objective.emphasis), stress_arrays)
    factor = 0.0 if stress is None or not squares > 0 else float(stress.factor)
    free = np.ones((3, n))
    if objective.free is not None:
        free[:d] = objective.free.T
    iv = (
        n, d, len(radials), len(term), len(factors), form, code, int(isinstance(phi, Alpha)), len(pivots),
        int(objective.free is not None), radials.index(objective.plain) if needs else -1,
    )
    lam = rule.value if isinstance(rule, Fixed) else 1.0
    order = float(getattr(phi, "order", 0.0))
    fv = (
        kernel.a, kernel.b, kernel.c, powers.order, powers.times, float(np.sum(powers.constant)),
        objective.exaggeration, lam, 0.0 if by_rows else float(objective.total),
        0.0 if by_rows else float(objective._weight), float(np.sum(objective.constants)), order, factor,
        squares or 1.0, hidden, inside, 1.0 / (phi.pairs[0].order - phi.degree) if code == 1 else 1.0,
    )
    return SmallGraph(
        (np.array(iv), np.array(fv), rad, term, *ends, factors, mass, free, near, far, pivots, stiff),
        objective.affinity.shared.setdefault("memory of the loop", {}),
    )
