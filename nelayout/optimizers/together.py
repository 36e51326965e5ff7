"""Limited-memory BFGS of several drawings of one small graph at once, each on its own way.

The arithmetic is that of `limited_memory`, on arrays with a row for each drawing: a round of eight drawings of 30 nodes
takes as long as one of a single drawing.

>>> def bowl(Y):
...     return np.sum(Y * Y, axis=1), 2.0 * Y
>>> value, Y = descend_together(bowl, np.array([[1.0, 2.0], [-3.0, 0.5]]), np.full(2, 0.25), 10)
>>> value.round(6).tolist()
[0.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["descend_together"]

# Curvature pairs, the part of a promised decrease that a step must bring, and the part of its length that follows one
# that does not.
PAIRS, SUFFICIENT, SHORTER = 5, 1e-4, 0.3


def descend_together(
    evaluate: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], Y: np.ndarray, inverse: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Take ``steps`` rounds from each row of Y (S, N): J (S,) and the rows at the end.

    evaluate  J (S,) and its gradient (S, N) at such rows
    inverse   (N,) > 0, about the inverse of the curvature of J along each number

    A row whose step is refused, because J rises or is no number, tries a shorter one in the next round.
    """
    value, slopes = evaluate(Y)
    length, pairs = np.ones((len(Y), 1)), list[tuple[np.ndarray, np.ndarray, np.ndarray]]()
    for _ in range(steps):
        direction = _direction(slopes, pairs, inverse)
        promised = _dots(direction, slopes)
        downhill = promised < 0
        direction = np.where(downhill, direction, -inverse * slopes)
        promised = np.where(downhill, promised, _dots(direction, slopes))
        move = length * direction
        then, slopes_then = evaluate(Y + move)
        taken = (then <= value + SUFFICIENT * (length * promised)[:, 0])[:, None]
        change = slopes_then - slopes
        curvature = _dots(move, change)
        sound = taken & (curvature > 0)
        pairs = [*pairs, (np.where(sound, move, 0.0), np.where(sound, change, 0.0), np.where(sound, curvature, 1.0))]
        pairs = pairs[-PAIRS:]
        Y, slopes = np.where(taken, Y + move, Y), np.where(taken, slopes_then, slopes)
        value, length = np.where(taken[:, 0], then, value), np.where(taken, 1.0, SHORTER * length)
    return value, Y


def _direction(slopes: np.ndarray, pairs: list, inverse: np.ndarray) -> np.ndarray:
    """The approximate inverse Hessian times -slopes, row by row; pairs of zeros count for nothing."""
    q, parts = -slopes, []
    factor = np.ones((len(slopes), 1))
    for move, change, curvature in reversed(pairs):
        parts.append(_dots(move, q) / curvature)
        q = q - parts[-1] * change
    for _, change, curvature in pairs:
        weighed = _dots(change, inverse * change)
        factor = np.where(weighed > 0, curvature / np.where(weighed > 0, weighed, 1.0), factor)
    q = factor * inverse * q
    for (move, change, curvature), part in zip(pairs, reversed(parts), strict=True):
        q = q + (part - _dots(change, q) / curvature) * move
    return q


def _dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(S, 1) sums of products of rows."""
    return np.einsum("si,si->s", a, b)[:, None]
