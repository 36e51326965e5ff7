"""Stacking: drawings with given coordinates on some axes lie one behind the other on the first of the other axes.

A bipartite graph of three components, for example, has two layers, which all three share: the largest component lies
lowest, the next one above it.  Isolated nodes of the left layer come above what is there, whatever lies on the right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["stacked"]

# Room between two drawings, in nodes: a drawing of k nodes is given a root mean square of k, and so is sqrt(12) k high
# where its nodes lie evenly.
GAP = 1.5 * 12**0.5


def stacked(drawings: Sequence[np.ndarray], held: np.ndarray) -> list[np.ndarray]:
    """The drawings (n, d), their axes that are not in the mask ``held`` (d,) brought to sizes and places of a stack.

    >>> two = [np.array([[0.0, 0.0], [1.0, 9.0]]), np.array([[0.0, 5.0], [1.0, 5.5]])]
    >>> [Y.round(2).tolist() for Y in stacked(two, np.array([True, False]))]
    [[[0.0, -2.0], [1.0, 2.0]], [[0.0, 7.2], [1.0, 11.2]]]
    """
    along, answer = int(np.argmin(held)), list[np.ndarray]()
    low, high = (np.array([end(Y[:, held], axis=0) for Y in drawings]) for end in (np.min, np.max))
    top = np.zeros(len(drawings))
    for k, Y in enumerate(drawings):
        columns = Y[:, ~held] - np.mean(Y[:, ~held], axis=0)
        size = float(np.sqrt(np.mean(np.sum(columns * columns, axis=1))))
        new = Y.copy()
        new[:, ~held] = columns * (len(Y) / size if size > 0 else 0.0)
        below = np.flatnonzero(np.all((low[:k] <= high[k]) & (high[:k] >= low[k]), axis=1))
        if len(below):
            new[:, along] += float(top[below].max()) + GAP - float(new[:, along].min())
        top[k] = float(new[:, along].max())
        answer.append(new)
    return answer
