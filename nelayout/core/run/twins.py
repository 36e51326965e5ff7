"""Small graphs that are equal up to the order of their nodes: each kind is drawn once.

Colors of nodes are refined by the colors and weights around them.  While nodes share a color, one of them gets a new
color.  The order of the colors is then an order of the nodes, and two graphs with equal arrays in this order are
isomorphic.  In trees nodes of one color are images of each other, so that isomorphic trees always get equal arrays.
Other isomorphic graphs may be missed; then both are drawn.

>>> from scipy.sparse import csr_array
>>> path, other = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]), np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]])
>>> in_order(csr_array(path), np.ones(3))[0] == in_order(csr_array(other), np.ones(3))[0]
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.passes.drawing import Drawing, Part

__all__ = ["Twin", "in_order", "twins_of"]

# Nodes of a graph that is drawn once for all that are equal to it.
MAX_REPEATED_NODES = 30
# Decimals, in parts of the extent, to which positions that stay are equal.
DECIMALS = 9


class Twin:
    """A part that is drawn as the earlier part ``first``.

    ``there``, ``here``: the nodes of the earlier part and of this one, in one order; None: both as they are.
    """

    def __init__(self, first: int, there: np.ndarray | None = None, here: np.ndarray | None = None) -> None:
        self.first, self.there, self.here = first, there, here

    def drawn(self, drawing: Drawing, part: Part) -> Drawing:
        """Return the drawing of this part from the drawing of the earlier one."""
        if self.here is None or self.there is None:
            return replace(drawing, given=part)
        Y = np.empty_like(drawing.Y)
        Y[self.here] = drawing.Y[self.there]
        return replace(drawing, Y=Y, affinity=part.affinity, given=part)


def twins_of(parts: Sequence[Part]) -> dict[int, Twin]:
    """Return the twin of each part of two or more nodes, itself if no earlier part is equal."""
    as_given, ordered = dict[object, Twin](), dict[object, tuple[int, np.ndarray]]()
    found = dict[int, Twin]()
    for k, part in enumerate(parts):
        if len(part.nodes) < 2:
            continue
        key = _as_given(part)
        if key is None:
            found[k] = Twin(k)
            continue
        if key not in as_given:
            twin = Twin(k)
            if part.start is None:
                kind, order = in_order(part.affinity.P, part.affinity.mass)
                first, there = ordered.setdefault(kind, (k, order))
                twin = Twin(k) if first == k else Twin(first, there, order)
            as_given[key] = twin
        found[k] = as_given[key]
    return found


def _as_given(part: Part) -> object:
    """Return the key that equal small graphs share.

    None: the graph is large, has terms or lines, or its given positions may move.
    """
    n, P = len(part.nodes), part.affinity.P
    moves = part.start is not None and not part.rests
    if n > MAX_REPEATED_NODES or part.affinity.terms or part.lines is not None or moves:
        return None
    key = [P.indptr, P.indices, P.data, part.affinity.mass]
    if part.start is not None:
        about = part.start - np.sum(part.start, axis=0) / n
        key.append(np.round(about / (np.max(np.abs(about)) or 1.0), DECIMALS) + 0.0)
    return tuple(each.tobytes() for each in key)


def in_order(P: csr_array, mass: np.ndarray) -> tuple[object, np.ndarray]:
    """Return the arrays of a small graph in an order of its structure, and the order."""
    n, weights, ends = P.shape[0], P.data.tolist(), P.indices.tolist()
    around = [list(zip(ends[a:b], weights[a:b], strict=True)) for a, b in pairwise(map(int, P.indptr))]
    color, count = _ranked([(m, len(each)) for m, each in zip(mass.tolist(), around, strict=True)])
    while True:
        while count < n:
            beside = [sorted([(color[w], p) for w, p in each]) for each in around]
            refined = _ranked([(color[v], tuple(beside[v])) for v in range(n)])
            if refined[1] == count:
                break
            color, count = refined
        if count == n:
            break
        sizes = [0] * count
        for each in color:
            sizes[each] += 1
        shared = next(c for c in range(count) if sizes[c] > 1)
        alone = color.index(shared)
        color, count = _ranked([(c, v != alone) if c == shared else (c, False) for v, c in enumerate(color)])
    order = sorted(range(n), key=color.__getitem__)
    edges = [sorted((color[w], p) for w, p in around[v]) for v in order]
    return (tuple(mass[order].tolist()), tuple(map(tuple, edges))), np.array(order)


def _ranked(values: list[tuple[Any, ...]]) -> tuple[list[int], int]:
    """Return the rank of each value among the different ones, and their number."""
    rank = {value: k for k, value in enumerate(sorted(set(values)))}
    return [rank[value] for value in values], len(rank)
