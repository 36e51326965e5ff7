"""Planar embeddings: the orders of edges around nodes in drawings without crossings.

A connected graph falls into blocks at its cut nodes.  The left-right test embeds each block: a depth-first search
makes each edge a tree arc down or a back arc up.  Back arcs that overlap return on different sides of the tree.
Constraints between sides form groups.  A group may be mirrored, so a given drawing chooses its side.  The orders are
like the orders of the drawing if the graph allows it.  Blocks hang on their cut nodes, in the direction of the drawing.

Source: de Fraysseix, Ossona de Mendez & Rosenstiehl, Trémaux trees and planarity, Int. J. Found. Comput. Sci. 17, 2006;
Brandes, The left-right planarity test, 2009.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

__all__ = ["Orders", "embedding", "faces", "is_planar", "likeness"]

# Clockwise neighbors of each node.
Orders = list[list[int]]
# Embeddings of each block that are tried, from different nodes: the orders most like the drawing's orders stay.
# see tuning: EMBEDDINGS
EMBEDDINGS = 8


def is_planar(P: csr_array) -> bool:
    """Return True if a connected graph has a drawing without crossings.

    >>> is_planar(csr_array(np.ones((4, 4)) - np.eye(4))), is_planar(csr_array(np.ones((5, 5)) - np.eye(5)))
    (True, False)
    """
    n = P.shape[0]
    if P.nnz // 2 > max(3 * n - 6, n - 1):
        return False
    blocks = (links for nodes, links in _blocks(_neighbors(P)) if len(nodes) > 4)
    return all(_Test(links, [[0.0, 0.0]] * len(links), 0).is_planar() for links in blocks)


def embedding(P: csr_array, Y: np.ndarray) -> Orders | None:
    """Return clockwise neighbors, as in a drawing Y (n, 2) if possible; None if not planar.

    The graph is connected.

    >>> square = csr_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]))
    >>> embedding(square, np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    [[1, 3], [0, 2], [1, 3], [2, 0]]
    """
    points, orders = Y.tolist(), [list[int]() for _ in range(len(Y))]
    for nodes, links in _blocks(_neighbors(P)):
        found = _block(nodes, links, points)
        if found is None:
            return None
        for v, order in zip(nodes, found, strict=True):
            orders[v] = _hung(orders[v], order, v, points) if orders[v] else order
    return orders


def _neighbors(P: csr_array) -> Orders:
    return [each.tolist() for each in np.split(P.indices, P.indptr[1:-1])]


def _blocks(neighbors: Orders) -> list[tuple[list[int], Orders]]:
    """Return the blocks, largest first: nodes, and neighbors by place in nodes."""
    n, count, edges = len(neighbors), 1, list[tuple[int, int]]()
    number, low, ways = [0] * n, [0] * n, [iter(each) for each in neighbors]
    number[0] = low[0] = 1
    path, found = [(0, -1, 0)], list[tuple[list[int], Orders]]()
    while path:
        v, parent, begin = path[-1]
        for w in ways[v]:
            if not number[w]:
                count += 1
                number[w] = low[w] = count
                path.append((w, v, len(edges)))
                edges.append((v, w))
                break
            if w != parent and number[w] < number[v]:
                edges.append((v, w))
                low[v] = min(low[v], number[w])
        else:
            path.pop()
            if parent >= 0:
                low[parent] = min(low[parent], low[v])
                if low[v] >= number[parent]:
                    found.append(_block_of(edges[begin:]))
                    del edges[begin:]
    return sorted(found, key=lambda each: -len(each[0]))


def _block_of(edges: list[tuple[int, int]]) -> tuple[list[int], Orders]:
    nodes = sorted({v for edge in edges for v in edge})
    place = {v: k for k, v in enumerate(nodes)}
    links: Orders = [[] for _ in nodes]
    for v, w in edges:
        links[place[v]].append(place[w])
        links[place[w]].append(place[v])
    return nodes, links


def faces(orders: Orders) -> list[list[int]]:
    """Return the nodes along each face; a face of a bridge has its ends twice."""
    after = {(w, v): order[k - 1] for v, order in enumerate(orders) for k, w in enumerate(order)}
    found, left = list[list[int]](), dict.fromkeys(after)
    while left:
        (v, w), face = next(iter(left)), list[int]()
        while (v, w) in left:
            del left[v, w]
            face.append(v)
            v, w = w, after[v, w]
        found.append(face)
    return found


def likeness(orders: Orders, points: list[list[float]]) -> int:
    """Return how many triples of neighbors turn as in a drawing, less the other triples."""
    total = 0
    for v, order in enumerate(orders):
        if len(order) > 2:
            at = [_angle(points[v], points[w]) for w in order]
            for k in range(len(at)):
                turn, both = (at[k - 2] - at[k - 1]) % math.tau, (at[k - 2] - at[k]) % math.tau
                total += 1 if turn < both else -1
    return total


def _angle(a: list[float], b: list[float]) -> float:
    return math.atan2(b[1] - a[1], b[0] - a[0])


def _block(nodes: list[int], links: Orders, points: list[list[float]]) -> Orders | None:
    """Return the orders of a block, as nodes of the graph, most like a drawing."""
    if len(nodes) == 2:
        return [[nodes[1]], [nodes[0]]]
    at, best = [points[v] for v in nodes], (-math.inf, Orders())
    most = sum(len(each) for each in links if len(each) > 2)
    for k in range(EMBEDDINGS):
        orders = _Test(links, at, k * len(nodes) // EMBEDDINGS).orders()
        if orders is None:
            return None
        for found in (orders, [order[::-1] for order in orders]):
            best = max(best, (likeness(found, at), found), key=lambda each: each[0])
        if best[0] == most:
            break
    return [[nodes[w] for w in order] for order in best[1]]


def _hung(order: list[int], piece: list[int], v: int, points: list[list[float]]) -> list[int]:
    """Return the order around v with a piece in the corner where its edges are in the drawing."""
    at = [_angle(points[v], points[w]) for w in order]
    piece = _opened(piece, at, v, points)
    angle = [_angle(points[v], points[w]) for w in piece]
    toward = math.atan2(sum(map(math.sin, angle)), sum(map(math.cos, angle)))

    def outside(k: int) -> tuple[bool, float]:
        """Return whether the direction is not in the corner before k, and the corner's angle."""
        turn, to = (at[k - 1] - at[k]) % math.tau, (at[k - 1] - toward) % math.tau
        whole = turn if len(at) > 1 else math.tau
        return to > whole, min(to, whole)

    k = min(range(len(at)), key=outside)
    return order[:k] + piece + order[k:]


def _opened(piece: list[int], others: list[float], v: int, points: list[list[float]]) -> list[int]:
    """Return a cyclic order as a list that begins after its corner with most other edges."""
    at = [_angle(points[v], points[w]) for w in piece]

    def within(k: int) -> tuple[int, float]:
        turn = (at[k - 1] - at[k]) % math.tau or math.tau
        return sum((at[k - 1] - other) % math.tau < turn for other in others), turn

    k = max(range(len(at)), key=within)
    return piece[k:] + piece[:k]


class _Test:
    """The left-right test of a block, from a root; ``at``: positions of its nodes.

    An arc is a number.  These lists have an item for each arc:

    tail, head   its nodes
    low, second  the two lowest heights to which arcs return from it and below it
    nest         arcs leave a node in the order of this number, inner ones first
    within       of a back arc: the tree arc that leaves its head on the way to it; -1 of a tree arc
    side         1 or -1, relative to the side of the arc ``ref``

    A pair of the stack is [low left, high left, low right, high right]: the arcs that return lowest and highest on each
    side; -1 if there is none.
    """

    def __init__(self, links: Orders, at: list[list[float]], root: int) -> None:
        n = len(links)
        self.links, self.at, self.root = links, at, root
        self.height, self.up, self.out = [-1] * n, [-1] * n, [list[int]() for _ in range(n)]
        self.tail, self.head, self.low, self.second, self.nest, self.within = (list[int]() for _ in range(6))
        self._orient()
        m = len(self.tail)
        self.side, self.ref, self.lowest, self.bottom = [1] * m, [-1] * m, [-1] * m, [0] * m
        self.stack: list[list[int]] = []

    def orders(self) -> Orders | None:
        """Return the clockwise neighbors of each node; None if the block is not planar."""
        return self._ordered() if self.is_planar() else None

    def _orient(self) -> None:
        """Number the arcs of a depth-first search."""
        height, ways, path = self.height, [iter(each) for each in self.links], [self.root]
        height[self.root] = 0
        while path:
            v = path[-1]
            for w in ways[v]:
                parent = self.up[v] >= 0 and self.tail[self.up[v]] == w
                if height[w] < 0:
                    height[w], self.up[w] = height[v] + 1, self._arc(v, w, height[v])
                    path.append(w)
                    break
                if height[w] < height[v] and not parent:
                    e = self._arc(v, w, height[w])
                    self.within[e] = self.up[path[height[w] + 1]]
                    self._nested(e)
            else:
                path.pop()
                if self.up[v] >= 0:
                    self._nested(self.up[v])

    def _arc(self, v: int, w: int, low: int) -> int:
        self.out[v].append(len(self.tail))
        arrays = self.tail, self.head, self.low, self.second, self.nest, self.within
        for each, value in zip(arrays, (v, w, low, self.height[v], 0, -1), strict=True):
            each.append(value)
        return len(self.tail) - 1

    def _nested(self, e: int) -> None:
        """Set the nesting of an arc, and the heights of the arc above."""
        low, second, v = self.low, self.second, self.tail[e]
        self.nest[e] = 2 * low[e] + (second[e] < self.height[v])
        a = self.up[v]
        if a >= 0:
            if low[e] < low[a]:
                low[a], second[a] = low[e], min(low[a], second[e])
            else:
                second[a] = min(second[a], second[e] if low[e] == low[a] else low[e])

    def _walk(self) -> Iterator[tuple[int, bool]]:
        """Yield (arc, False) depth-first, and (tree arc, True) on the way back."""
        ways, path = [iter(each) for each in self.out], [self.root]
        while path:
            e = next(ways[path[-1]], -1)
            if e >= 0:
                yield e, False
                if self.within[e] < 0:
                    path.append(self.head[e])
                continue
            e = self.up[path.pop()]
            if e >= 0:
                yield e, True

    def is_planar(self) -> bool:
        """Return whether the sides of all arcs can be chosen; set ``side`` and ``ref``."""
        for each in self.out:
            each.sort(key=self.nest.__getitem__)
        for e, back in self._walk():
            if back:
                self._trim(e)
            else:
                self.bottom[e] = len(self.stack)
                if self.within[e] < 0:
                    continue
                self.lowest[e] = e
                self.stack.append([-1, -1, e, e])
            if not self._joined(e):
                return False
        return True

    def _joined(self, e: int) -> bool:
        """Join an arc's constraints to the earlier ones; False if they contradict."""
        v = self.tail[e]
        if self.low[e] >= self.height[v]:
            return True
        if e == self.out[v][0]:
            self.lowest[self.up[v]] = self.lowest[e]
            return True
        return self._constrained(e, self.up[v])

    def _constrained(self, e: int, above: int) -> bool:
        stack, low, ref, pair = self.stack, self.low, self.ref, [-1, -1, -1, -1]
        while True:
            other = stack.pop()
            if other[0] >= 0:
                other = other[2:] + other[:2]
            if other[0] >= 0:
                return False
            if low[other[2]] > low[above]:
                if pair[3] < 0:
                    pair[3] = other[3]
                else:
                    ref[pair[2]] = other[3]
                pair[2] = other[2]
            else:
                ref[other[2]] = self.lowest[above]
            if len(stack) == self.bottom[e]:
                break

        def conflicts(high: int) -> bool:
            return high >= 0 and low[high] > low[e]

        while stack and (conflicts(stack[-1][1]) or conflicts(stack[-1][3])):
            other = stack.pop()
            if conflicts(other[3]):
                other = other[2:] + other[:2]
            if conflicts(other[3]):
                return False
            if pair[2] >= 0:
                ref[pair[2]] = other[3]
            else:
                pair[3] = other[3]
            if other[2] >= 0:
                pair[2] = other[2]
            if pair[1] < 0:
                pair[1] = other[1]
            else:
                ref[pair[0]] = other[1]
            pair[0] = other[0]
        if pair[0] >= 0 or pair[2] >= 0:
            stack.append(pair)
        return True

    def _trim(self, e: int) -> None:
        """Take out arcs that return to the tail of a tree arc."""
        u, stack, low, ref, side = self.tail[e], self.stack, self.low, self.ref, self.side
        while stack and min(low[k] for k in (stack[-1][0], stack[-1][2]) if k >= 0) == self.height[u]:
            pair = stack.pop()
            if pair[0] >= 0 and pair[2] >= 0:
                ref[pair[0]], side[pair[0]] = pair[2], -1
        if stack:
            pair = stack[-1]
            for k, other in ((0, 2), (2, 0)):
                while pair[k + 1] >= 0 and self.head[pair[k + 1]] == u:
                    pair[k + 1] = ref[pair[k + 1]]
                if pair[k + 1] < 0 <= pair[k]:
                    ref[pair[k]], side[pair[k]], pair[k] = pair[other], -1, -1
        if low[e] < self.height[u]:
            left, right = stack[-1][1], stack[-1][3]
            ref[e] = left if left >= 0 and (right < 0 or low[left] > low[right]) else right

    def _sides(self) -> None:
        """Make sides absolute; each group takes the side of most of its arcs in the drawing."""
        side, group = self.side, list(range(len(self.side)))
        for e, known in enumerate(self.ref):
            chain = [e]
            while known >= 0:
                chain.append(known)
                known = self.ref[known]
            for below, above in pairwise(chain[::-1]):
                side[above] *= side[below]
                self.ref[above], group[above] = -1, group[below]
        votes = [0] * len(side)
        for e, within in enumerate(self.within):
            w = self.head[e]
            if within >= 0 and self.up[w] >= 0:
                toward, child = self._turn(w, self.tail[e]), self._turn(w, self.head[within])
                votes[group[e]] += side[e] if toward > child else -side[e]
        for e in range(len(side)):
            side[e] *= 1 if votes[group[e]] >= 0 else -1

    def _turn(self, v: int, w: int) -> float:
        """Return the clockwise angle at v from its parent to w."""
        first = self.tail[self.up[v]] if self.up[v] >= 0 else self.links[v][0]
        return (_angle(self.at[v], self.at[first]) - _angle(self.at[v], self.at[w])) % math.tau

    def _ordered(self) -> Orders:
        """Return the clockwise neighbors of each node: the parent, then arcs from left to right."""
        self._sides()
        left, right = ([list[int]() for _ in self.tail] for _ in range(2))
        for v, each in enumerate(self.out):
            each.sort(key=lambda e, v=v: (self.side[e] * self.nest[e], self._turn(v, self.head[e])))
        for e, _ in self._walk():
            if self.within[e] >= 0:
                (right if self.side[e] > 0 else left)[self.within[e]].append(self.tail[e])
        orders: Orders = [[] if up < 0 else [self.tail[up]] for up in self.up]
        for order, each in zip(orders, self.out, strict=True):
            for e in each:
                order += [*left[e][::-1], self.head[e], *right[e][::-1]]
        return orders
