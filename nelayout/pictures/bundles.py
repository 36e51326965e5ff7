"""Edge-path bundling: a long edge is bent along a path of shorter edges, so that many of them share a way.

Nothing is bundled that the graph does not hold together: an edge follows only a path that joins its own ends, and one
without such a path stays straight (Wallinger, Archambault, Auber, Nöllenburg and Peltonen, "Edge-Path Bundling: A Less
Ambiguous Edge Bundling Approach", IEEE Transactions on Visualization and Computer Graphics 28(1), 2022).

Three edges of a triangle, the longest of which goes around by the third node:

>>> Y = np.array([[0.0, 0.0], [1.0, 0.4], [2.0, 0.0]])
>>> ways = detours(Y, np.array([0, 1, 0]), np.array([1, 2, 2]))
>>> [way.tolist() for way in ways]
[[0, 1], [1, 2], [0, 1, 2]]
>>> curves(Y, ways)[2][[0, _SAMPLES // 2, -1]].round(2).tolist()
[[0.0, 0.0], [1.0, 0.2], [2.0, 0.0]]
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

__all__ = ["BUNDLED_UP_TO", "curves", "detours"]

# Edges up to which a picture bundles them: the time grows with the square of their number, and the 16,000 edges of a
# network of e-mails take some ten seconds.
BUNDLED_UP_TO = 20_000
# The paper's parameters, at the values that it recommends: how many times longer than the edge a path may be, and the
# power of its length that an edge weighs; of a larger power paths take more and shorter edges.
_LONGEST, _POWER = 2.0, 2.0
# Points of a curve, odd so that one is the middle: bends of a page-wide curve look smooth with 0.3 inches between them.
_SAMPLES = 25


def detours(Y: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> list[np.ndarray]:
    """The nodes (2 or more,) that the line of each edge (rows[k], cols[k]) follows, its own ends first and last.

    `Y` (n, dim) are places; parallel edges and those back take the same way.  Long edges come first: each takes the
    path that is lightest by the squares of lengths, unless that is more than twice as long, and the edges of that path
    stay straight, so that every curve follows lines that are seen.
    """
    from nelayout.pictures.detour_loops import lightest_path

    n = len(Y)
    low, high = np.minimum(rows, cols).astype(np.int64), np.maximum(rows, cols).astype(np.int64)
    pairs, edge = np.unique(low * n + high, return_inverse=True)
    ends = np.stack([pairs // n, pairs % n])
    m = len(pairs)
    length = np.sqrt(((Y[ends[0]] - Y[ends[1]]) ** 2).sum(axis=1))
    weight = length**_POWER
    numbers = np.tile(np.arange(m), 2)
    graph = csr_array((numbers + 1, (np.concatenate(ends), np.concatenate(ends[::-1]))), shape=(n, n))
    indptr, indices, which = graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data - 1
    left_out, kept = np.zeros(m, dtype=np.bool_), np.zeros(m, dtype=np.bool_)
    found, seen, before = np.empty(n), np.full(n, -1), np.empty(n, dtype=np.int64)
    keys, heap, path = np.empty(2 * m + 2), np.empty(2 * m + 2, dtype=np.int64), np.empty(n, dtype=np.int64)
    number = {pair: k for k, pair in enumerate(pairs.tolist())}
    ways: dict[int, np.ndarray] = {}
    for turn, k in enumerate(np.argsort(-length, kind="stable").tolist()):
        if kept[k] or length[k] == 0.0:
            continue
        left_out[k] = True
        most = (_LONGEST * length[k]) ** _POWER  # the squares of lengths add up to no more than the square of their sum
        scratch = (found, seen, turn, before, keys, heap, path)
        count = lightest_path(indptr, indices, which, weight, left_out, ends[0, k], ends[1, k], most, *scratch)
        way = path[:count][::-1].copy()
        steps = [number[pair] for pair in (np.minimum(way[1:], way[:-1]) * n + np.maximum(way[1:], way[:-1])).tolist()]
        if not count or length[steps].sum() > _LONGEST * length[k]:
            left_out[k] = False
            continue
        kept[steps] = True
        ways[k] = way
    result = []
    for k, i, j in zip(edge.tolist(), rows.tolist(), cols.tolist(), strict=True):
        way = ways.get(k)
        result.append(np.array([i, j]) if way is None else way if way[0] == i else way[::-1])
    return result


def curves(Y: np.ndarray, ways: list[np.ndarray]) -> list[np.ndarray]:
    """The points (2 or 25, dim) of the line of each way: the Bezier curve whose control points are its nodes."""
    share = np.linspace(0.0, 1.0, _SAMPLES)[:, None, None]
    result = []
    for way in ways:
        points = Y[way]
        if len(way) > 2:
            points = np.broadcast_to(points, (_SAMPLES, *points.shape))
            while points.shape[1] > 1:  # de Casteljau: stable for paths of any length
                points = (1 - share) * points[:, :-1] + share * points[:, 1:]
            points = points[:, 0]
        result.append(points)
    return result
