"""The size search of `run.size` for a batch: each graph has its own bracket, all are evaluated at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nelayout.objective.batch import BatchObjective
from nelayout.run.size import DOUBLINGS, EVEN, FLAT_VALUE, HALVINGS, NARROW, NARROWINGS

__all__ = ["size_search_batch"]


def size_search_batch(objective: BatchObjective, Y: np.ndarray, guess: np.ndarray | None = None) -> np.ndarray:
    """(C,) the s > 0 of each graph that minimizes its J(s Y), from the radius ``guess`` (C,) (NaN: none); 1 without."""
    parts = objective.parts
    size = parts.radius(Y)
    if objective.scale_free:
        return np.ones(len(size))
    even = EVEN * np.sqrt(parts.sizes)
    there = even if guess is None else np.where(np.isnan(guess), even, guess)
    sized = size > 0
    unit = np.where(sized, size / there, 1.0)

    def value(x: np.ndarray) -> np.ndarray:
        found = objective.evaluate((np.exp(x) / unit)[parts.of][:, None] * Y, gradient=False).value
        return np.where(np.isfinite(found), found, np.inf)

    x, above = _narrow(value, *_bracket(value, len(size)))
    return np.where(sized, np.where(above == np.inf, 0.5, 1.0) * np.exp(x) / unit, 1.0)


Value = Callable[[np.ndarray], np.ndarray]


def _bracket(value: Value, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (3, C), ln 2 apart, the middle one the lowest, and J there."""
    zero, log2 = np.zeros(count), np.log(2.0)
    x = np.stack([zero - log2, zero, zero + log2])
    f = np.stack([value(each) for each in x])
    for _ in range(HALVINGS):
        lost = np.min(f, axis=0) == np.inf
        if not lost.any():
            break
        lower = np.where(lost, x[0] - log2, x[0])
        x = np.where(lost, np.stack([lower, x[0], x[1]]), x)
        f = np.where(lost, np.stack([value(lower), f[0], f[1]]), f)
    down, middle, up = f
    going = np.minimum(up, down) < middle
    step = np.where(up < down, log2, -log2)
    # from here the last row is ahead, wherever that is
    turned = going & (step < 0)
    x, f = np.where(turned, x[::-1], x), np.where(turned, f[::-1], f)
    for _ in range(DOUBLINGS):
        if not going.any():
            break
        ahead = x[2] + step
        there = value(np.where(going, ahead, x[2]))
        x = np.where(going, np.stack([x[1], x[2], ahead]), x)
        f = np.where(going, np.stack([f[1], f[2], there]), f)
        going = going & (f[2] < f[1] - FLAT_VALUE * (1.0 + np.abs(f[1])))
    backward = x[0] > x[2]
    return np.where(backward, x[::-1], x), np.where(backward, f[::-1], f)


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def _narrow(value: Value, x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Narrow the brackets by parabolas: (C,) the lowest places, and J at the upper ends."""
    live, best = np.ones(x.shape[1], dtype=bool), x[1].copy()
    for _ in range(NARROWINGS):
        here = _lowest(x, f)
        near = live & (np.abs(here - x[1]) < NARROW / 2.0)
        best = np.where(live, np.where(near & np.isfinite(f[0] + f[2]), here, x[1]), best)
        live = live & ~near
        if not live.any():
            return best, f[2]
        tried = value(np.where(live, here, x[1]))
        lower, left = tried < f[1], here < x[1]
        # the bracket of three among low, here, middle, high
        parts = [(lower & left, (0, 3, 1)), (lower & ~left, (1, 3, 2)), (~lower & left, (3, 1, 2)),
                 (~lower & ~left, (0, 1, 3))]
        xs, fs = np.vstack([x, here]), np.vstack([f, tried])
        for which, order in parts:
            x = np.where(live & which, xs[list(order)], x)
            f = np.where(live & which, fs[list(order)], f)
        best = np.where(live, x[1], best)
    return best, f[2]


def _lowest(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    """(C,) minima of the parabolas through three points; where there is none, the middle of the longer side."""
    (a, m, b), (fa, fm, fb) = x, f
    left, right = (fa - fm) * (b - m), (fb - fm) * (m - a)
    bent = (left + right > 0) & (left + right < np.inf) & (left >= 0) & (right >= 0)
    vertex = m + 0.5 * (left * (b - m) - right * (m - a)) / np.where(bent, left + right, 1.0)
    return np.where(bent, vertex, np.where(m - a > b - m, 0.5 * (a + m), 0.5 * (m + b)))
