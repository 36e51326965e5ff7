"""Nodes that a stage left far out, though their own objective is lower at home.

L-BFGS on a large graph has one length of step for all nodes.  A leaf of a hub that an early step threw out feels a
force that is a millionth of the others', so that no later step brings it back.
"""

from __future__ import annotations

import numpy as np

from nelayout.added.descent import place
from nelayout.added.objective import AddedNodes, Ties, ties_of
from nelayout.objective import Objective

__all__ = ["brought_home"]

# Distances from the middle beyond which a node is asked, in that of half of all nodes and in that of all but a
# thousandth: even discs end at 1.4 of the first, and of 10,000 normally distributed nodes about 20 lie beyond 3.
FAR, FARTHER = 3.0, 1.3
# Nodes that are asked in a round at most, the farthest: more of them are no strays but the shape of the drawing.
ASKED = 1_000
# Rounds: a node whose neighbor is brought home in one follows it in the next.
ROUNDS = 3


def brought_home(objective: Objective, Y: np.ndarray) -> np.ndarray:
    """A drawing Y (n, d) whose nodes far out are put where their own J is lowest, where that is lower than where it is.

    Each is placed by its ties to the nodes that are not far out, as if it were added to them; one without such ties
    stays, and so does a node at rest, like those of a path that leads far away.
    """
    for _ in range(0 if objective.affinity.walk else ROUNDS):  # a walk's similarities are known as an operator alone
        far = _far(Y) if objective.free is None else _far(Y) & objective.free.all(axis=1)
        ties = ties_of(objective, far)
        at_home = ~far[ties.to]
        tied = ties.sums(at_home.astype(float)) > 0
        nodes, ties = np.flatnonzero(far)[tied], ties.some(tied)
        if not len(nodes):
            break
        added = AddedNodes(objective, Y, objective.threads, ~far)
        at_home = ~far[ties.to]
        home = Ties(ties.of[at_home], ties.to[at_home], ties.weight[at_home], ties.back[at_home], ties.mass)
        at = place(added, home)
        lower = added.evaluate(at, ties).value < added.evaluate(Y[nodes], ties).value
        if not lower.any():
            break
        Y = Y.copy()
        Y[nodes[lower]] = at[lower]
    return Y


def _far(Y: np.ndarray) -> np.ndarray:
    """The nodes (n,) that are asked."""
    off = Y - np.median(Y, axis=0)
    away = np.einsum("ic,ic->i", off, off)
    least = min(FAR**2 * np.median(away), FARTHER**2 * np.quantile(away, 0.999, method="lower"))
    if np.count_nonzero(away > least) > ASKED:
        least = np.partition(away, -ASKED - 1)[-ASKED - 1]
    return away > least
