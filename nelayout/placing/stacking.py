"""Stack layouts with given coordinates on some axes along the first of the other axes.

For example, a bipartite graph of three components has two layers, which all three share.  The largest component is at
the bottom, the next one above it.  Isolated nodes of the left layer are above other nodes of this layer only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["stacked"]

# Distance between two layouts, in nodes: a layout of k nodes gets a root mean square of k, and so has the height
# sqrt(12) k if its nodes are even.
GAP = 1.5 * 12**0.5


def stacked(drawings: Sequence[np.ndarray], held: np.ndarray) -> list[np.ndarray]:
    """Scale and move the layouts (n, d) to a stack, along axes not in the mask ``held`` (d,).

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
