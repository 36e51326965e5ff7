"""Rings: nodes on circles about one point.

A node keeps its radius, and only its angle is free.  On one circle with equal angles only the order of the nodes is
free.  `sifted` takes each node in turn to the place in the order where its edges cross the fewest others.

>>> from scipy.sparse import csr_array
>>> ring = csr_array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])
>>> sifted(ring, np.arange(4))[1]
0

Sources: Baur & Brandes, Graph-Theoretic Concepts in Computer Science (WG) 2004 (sifting on a circle); Yee, Fisher,
Dhamija & Hearst, IEEE Symposium on Information Visualization 2001 (a tree in sectors); Eades, Bulletin of the Institute
of Combinatorics and its Applications 5, 1992 (how wide a sector may be).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.placing.final import dot_diameter

__all__ = ["Rings", "in_sectors", "on_circles", "side_by_side", "sifted", "sifting_rounds", "spaced"]

# Most rounds of sifting, and comparisons of a node's place with an edge in all of them.
MAX_ROUNDS, MAX_COMPARED = 30, 1e8
# Least gap of neighbors on a ring, in parts of an even gap, and of the distance between rings; and the largest part of
# an even gap that it takes for the dots of a picture.
GAP, GAP_OF_RINGS, GAP_OF_DOTS = 0.5, 0.5, 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Circles about the origin on which nodes lie.

    radius  (n,) of each node's circle, >= 0, in any unit
    even    whether all nodes are on one circle at equal angles
    groups  arrays of nodes that are side by side on this circle, nested or disjoint
    """

    radius: np.ndarray
    even: bool = False
    groups: tuple[np.ndarray, ...] = ()

    @property
    def kind(self) -> str:
        """Return "circle" for one with equal angles, else "rings"."""
        return "circle" if self.even else "rings"


def on_circles(radius: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return positions (n, 2) with these radii and angles."""
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def sifted(
    P: csr_array, order: np.ndarray, rounds: int = MAX_ROUNDS, block: np.ndarray | None = None,
    over: Callable[[], bool] = bool,
) -> tuple[np.ndarray, int]:
    """Return an order of the nodes on a circle with few crossings, and their number.

    ``order``: another one.  ``rounds``: the most; in a round every node moves once.  Where two places have
    equally few crossings, a node takes the place with the shorter edges.  ``block`` (n,): nodes of a block are side by
    side, and stay so; -1: a node does not move.  ``over``: whether time is over; the order is then as it is.
    """
    n, degree = P.shape[0], np.diff(P.indptr)
    rows, cols, place = np.repeat(np.arange(n), degree), P.indices.astype(np.int64), np.arange(n)
    turns = np.argsort(-degree, kind="stable")
    turns = (turns if block is None else turns[block[turns] >= 0]).tolist()
    for _ in range(rounds):
        before = order
        for v in turns:
            if over():
                break
            order = _moved(order, v, P.indices[P.indptr[v] : P.indptr[v + 1]], rows, cols, place, block)
        if np.array_equal(order, before):
            break
    return order, _chord_crossings(np.argsort(order), rows, cols)


def sifting_rounds(n: int, entries: int) -> int:
    """Return the most rounds of sifting of n nodes; 0 for a graph that would take too long."""
    return min(MAX_ROUNDS, int(MAX_COMPARED / max(n * entries, 1)))


def _moved(
    order: np.ndarray, v: int, around: np.ndarray, rows: np.ndarray, cols: np.ndarray, place: np.ndarray,
    block: np.ndarray | None,
) -> np.ndarray:
    """Return the order with a node at its best place; ``around``: its neighbors."""
    n, own = len(order), len(around)
    if not own:
        return order
    rest = order[order != v]
    at = np.empty(n, dtype=np.int64)
    at[rest] = np.arange(n - 1)
    near = np.zeros(n, dtype=np.int64)
    near[at[around]] = 1
    up_to = np.concatenate([[0], np.cumsum(near)])
    # v passes each other node w in turn; edges from v and w cross if their ends are in the wrong order
    others = (rows != v) & (cols != v)
    here, there = at[rows[others]], at[cols[others]]
    between = up_to[there] - up_to[here + 1]
    between += np.where(there < here, own, 0)
    beyond = own - between - near[here] - near[there]
    crossings = np.concatenate([[0], np.cumsum(np.bincount(here, beyond - between, minlength=n - 1))])
    away = np.abs((place[:, None] - 0.5) - at[around])
    length = np.sum(np.minimum(away, n - 1 - away), axis=1)
    cost = crossings + length / (n * own)  # the length is less than one crossing
    if block is not None:
        beside = np.flatnonzero(block[rest] == block[v])
        if not len(beside):
            return order
        cost[: beside[0]], cost[beside[-1] + 2 :] = math.inf, math.inf
    best, now = int(np.argmin(cost)), int(np.argmax(order == v))
    return np.insert(rest, best, v) if cost[best] < cost[now] - 1e-9 else order


def side_by_side(
    P: csr_array, order: np.ndarray, groups: Sequence[np.ndarray], rounds: int, over: Callable[[], bool] = bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return an order in which members of groups are neighbors, and blocks for `sifted`.

    Groups, and nodes in no group, are sifted as nodes of a graph of blocks; within each group its own groups are.

    >>> path = csr_array(np.diag([1.0, 1.0, 1.0], 1) + np.diag([1.0, 1.0, 1.0], -1))
    >>> side_by_side(path, np.arange(4), [np.array([0, 2])], 3)[0].tolist()
    [0, 2, 1, 3]
    """
    leaf = np.full(len(order), -1)

    def arranged(nodes: np.ndarray, inner: list[np.ndarray]) -> list[int]:
        label, outer = np.full(len(order), -1), list[np.ndarray]()
        for group in sorted(inner, key=len, reverse=True):
            if label[group[0]] < 0:
                label[group] = len(outer)
                outer.append(group)
        if not outer:
            leaf[nodes] = nodes[0]
            return nodes.tolist()
        alone = nodes[label[nodes] < 0]
        label[alone] = len(outer) + np.arange(len(alone))
        own = label[nodes]
        part = csr_array(P[nodes][:, nodes])
        of, to = np.repeat(own, np.diff(part.indptr)), own[part.indices]
        apart, count = of != to, len(outer) + len(alone)
        graph = csr_array((np.ones(int(apart.sum())), (of[apart], to[apart])), shape=(count, count))
        graph.sum_duplicates()
        first = own[np.sort(np.unique(own, return_index=True)[1])]
        found = list[int]()
        for k in sifted(graph, first, rounds, over=over)[0].tolist():
            members = nodes[own == k]
            more = [g for g in inner if k < len(outer) and g is not outer[k] and label[g[0]] == k]
            found += arranged(members, more) if k < len(outer) else members.tolist()
        return found

    return np.array(arranged(order, list(groups))), leaf


def _chord_crossings(at: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> int:
    """Return the crossings of edges between places (n,) on a circle."""
    low, high = at[rows], at[cols]
    low, high = low[low < high], high[low < high]
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    found, ends = 0, np.searchsorted(low, high)  # edges that begin within each edge
    begins = np.searchsorted(low, low, side="right")
    for k in np.flatnonzero(ends > begins).tolist():
        found += int(np.count_nonzero(high[begins[k] : ends[k]] > high[k]))
    return found


def in_sectors(P: csr_array, radius: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return angles (n,) that give each node a sector of the circle for all nodes behind it.

    A node is behind the neighbor on a smaller ring that is nearest to it by the angles given (n,).  Sectors follow
    these angles, and their width is the number of nodes in them.

    >>> star = csr_array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> in_sectors(star, np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.1, 0.2])).round(2).tolist()
    [0.0, -1.57, 1.57]
    """
    n, order = len(radius), np.argsort(radius, kind="stable").tolist()
    behind, top, count = [list[int]() for _ in range(n)], list[int](), np.ones(n)
    for v in order:
        near = P.indices[P.indptr[v] : P.indptr[v + 1]]
        inner = near[radius[near] < radius[v]]
        if len(inner):
            inner = inner[radius[inner] == radius[inner].max()]
            behind[int(inner[np.argmin(np.abs(_turn(angle[inner] - angle[v])))])].append(v)
        else:
            top.append(v)
    for v in reversed(order):
        count[v] += sum(count[w] for w in behind[v])
    found, left = np.zeros(n), [(top, -math.pi, 2.0 * math.pi, 0.0)]
    while left:
        nodes, begin, width, middle = left.pop()
        share = width / sum(count[v] for v in nodes)
        for v in sorted(nodes, key=lambda v: _turn(angle[v] - middle)):
            own = share * count[v]
            found[v] = begin + own / 2
            if behind[v]:
                # from outside a ring, edges do not pass through it
                seen = math.acos(float(radius[v] / radius[behind[v]].min())) if radius[v] > 0 else math.pi
                inner = min(own, 2.0 * seen)
                left.append((behind[v], begin + (own - inner) / 2, inner, angle[v] if radius[v] > 0 else 0.0))
            begin += own
    return found


def spaced(radius: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return angles (n,) in the same order, with no two nodes of a ring too near.

    >>> spaced(np.ones(3), np.array([0.0, 0.0, 3.0])).round(3).tolist()
    [-0.25, 0.25, 3.0]
    """
    from scipy.optimize import isotonic_regression  # not loaded without rings

    angle, (values, ring) = angle.copy(), np.unique(radius, return_inverse=True)
    dots = dot_diameter(len(radius)) * float(values[-1])
    step = float(values[-1]) / max(np.count_nonzero(values), 1)
    for k in np.flatnonzero(np.bincount(ring) > 1):
        nodes = np.flatnonzero(ring == k)
        nodes = nodes[np.argsort(np.mod(angle[nodes], 2 * math.pi), kind="stable")]
        turned = np.mod(angle[nodes], 2 * math.pi)
        cut = int(np.argmax(np.diff(turned, prepend=turned[-1] - 2 * math.pi)))
        nodes, turned = np.roll(nodes, -cut), np.roll(turned, -cut)
        turned[len(turned) - cut :] += 2 * math.pi
        even, own = 2 * math.pi / len(nodes), float(values[k])
        gap = max(min(GAP * even, GAP_OF_RINGS * step / own), min(GAP_OF_DOTS * even, dots / own))
        steps = gap * np.arange(len(nodes))
        apart = isotonic_regression(turned - steps).x + steps
        reach, most = float(apart[-1] - apart[0]), 2 * math.pi - gap
        if reach > most:  # around the whole ring
            apart += (reach - most) / (reach - steps[-1]) * (apart[0] + steps - apart)
        angle[nodes] = apart
    return angle


def _turn(angle):
    """Return angles in [-pi, pi)."""
    return np.mod(np.asarray(angle) + math.pi, 2.0 * math.pi) - math.pi
