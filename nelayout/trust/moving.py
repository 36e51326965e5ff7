"""How much J of ws-SNE would fall if one node took the place of another, all else still.

J is -sum_ij p_ij ln q_ij + ln sum_ij m_i m_j q_ij with q = 1 / (1 + d^2), p = P / W and W the sum of P.  If node v
goes to the place of node c, W J / 2 changes by

    sum_j P_vj ln((1 + |y_c - y_j|^2) / (1 + |y_v - y_j|^2)) + W / 2 ln(1 + 2 m_v (F_c - F_v) / Z)

with the field F_v = sum_j m_j q(|y_v - y_j|) and Z = sum_j m_j F_j.  One pass over all nodes gives F at every node.
So each place of a node costs as many operations as v has edges.  The pair of v and c counts as it is now, as if the
two were exchanged: sums over j are without c, F_c is without v, and F_v without c.

Each component is judged alone, at the size with the least J.  Nodes nearer than half of the usual distance to the
nearest node count as that far apart.  Otherwise nodes that nearly coincide would outweigh all others.

Source of J: Yang, Peltonen & Kaski, ICML 2014, sec. 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.formula.kernels import KERNELS, Radial
from nelayout.core.sums.nbody.outside import Sources
from nelayout.numerics.parallel import Threads
from nelayout.quality.distances import nearest_in_tree

__all__ = ["MIN_JUDGED", "Moves", "Part", "at_best_size", "fields", "moves_of", "parts_of"]

CAUCHY = Radial(KERNELS["cauchy"])
# Least number of nodes of a component with a judgment of its nodes, and most components that are judged.
MIN_JUDGED, MAX_PARTS = 10, 200
# Places that each node tries: of some other nodes at random, of some of its neighbors, and beside these neighbors.
RANDOM_PLACES, NEIGHBOR_PLACES, BESIDE = 300, 30, 3
# Length of the median edge at which the search for the best size begins, and powers of 2 that it goes up or down.
EDGE_LENGTH, DOUBLINGS = 3.0, 12
# Number of nodes up to which the distances of all pairs are kept for the search.
MAX_TABLE_NODES = 600
# Precision of the best size, in parts of it: J is flat there.
SIZE_PRECISION = 1e-3
# Smallest part of Z that is left if one node goes away, up to rounding.
ROUNDING = 1e-12
# Least distance of two nodes that counts, in median distances to the nearest node.
NEAREST_COUNTED = 0.5
# Nearer nodes of a place for which this is corrected.
MAX_NEARER = 8
# Numbers that one block of work holds in memory.
BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class Part:
    """One component of n nodes.

    nodes   rows of the whole graph
    P       (n, n) weights
    random  nodes of the component: their places are tried by all
    """

    nodes: np.ndarray
    P: csr_array
    random: np.ndarray

    @cached_property
    def degree(self) -> np.ndarray:
        """Number of neighbors (n,), the masses of ws-SNE."""
        return np.diff(self.P.indptr).astype(np.float64)

    @cached_property
    def unit(self) -> np.ndarray:
        """Divisor (n,) of gains: root of the sum of squared weights, sqrt(degree) if all are 1."""
        return np.sqrt(np.bincount(self.owner, self.P.data**2, minlength=len(self.nodes)))

    def push(self, Z: float, mass: Any, change: np.ndarray) -> np.ndarray:
        """Return the change of W / 2 ln Z if nodes of some masses see the field change so much."""
        return 0.5 * float(self.P.data.sum()) * np.log1p(np.maximum(2.0 * mass * change / Z, -1.0 + ROUNDING))

    @cached_property
    def owner(self) -> np.ndarray:
        """Row of each entry of P."""
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.P.indptr))

    @cached_property
    def tried(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (node, neighbor): the node tries the place of the neighbor."""
        rank = np.arange(self.P.nnz) - self.P.indptr[self.owner]
        often = -(-np.diff(self.P.indptr) // NEIGHBOR_PLACES)[self.owner]
        few = rank % np.maximum(often, 1) == 0
        return self.owner[few], self.P.indices[few].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Savings of the nodes of one part in one drawing.

    Y     (n, dim) positions at the best size
    F     (n,) field at each node
    Z     sum of masses times fields
    least  square of the least distance that counts
    J     least J of ws-SNE over sizes
    near  (n, 3) nearest nodes
    gain  (n,) how much W J / 2 falls at the best other place, negative if it rises
    best  (n,) node at that place
    rank  (n,) share of random places where J would be lower
    """

    part: Part
    Y: np.ndarray
    F: np.ndarray
    Z: float
    least: float
    J: float
    near: np.ndarray
    gain: np.ndarray
    best: np.ndarray
    rank: np.ndarray


def parts_of(P: csr_array, labels: np.ndarray, seed: int) -> list[Part]:
    """Return components with enough nodes, largest first; labels (n,) number them by size."""
    sizes, parts = np.bincount(labels), []
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    for label in np.flatnonzero(sizes >= MIN_JUDGED)[:MAX_PARTS]:
        nodes = order[ends[label] - sizes[label] : ends[label]]
        n, rng = len(nodes), np.random.default_rng([seed, int(label)])
        places = np.arange(n) if n <= RANDOM_PLACES else np.sort(rng.choice(n, RANDOM_PLACES, replace=False))
        parts.append(Part(nodes, P if n == P.shape[0] else csr_array(P[nodes][:, nodes]), places))
    return parts


def moves_of(part: Part, Y: np.ndarray, threads: Threads) -> Moves:
    """Judge the places of all nodes of a part in the drawing Y (n, dim) of the part alone."""
    from scipy.spatial import KDTree

    Y, J = at_best_size(part, Y, threads)
    tree = KDTree(Y)
    near = nearest_in_tree(tree, Y, np.arange(len(Y)), min(BESIDE, len(Y) - 1))
    least = float(np.median(_pairwise(Y, np.arange(len(Y)), near[:, 0], 0.0))) * NEAREST_COUNTED**2
    field = fields(part, Y, Y, least, threads) - part.degree / (1.0 + least)
    Z = float(part.degree @ field)
    gain, best, rank = _at_random_places(part, Y, field, Z, least)
    own, other = part.tried
    node = np.concatenate([own] * (1 + near.shape[1]))
    place = np.concatenate([other, near[other].T.ravel()])
    node, place = node[node != place], place[node != place]
    delta = _delta(part, Y, field, Z, least, node, place)
    order = np.lexsort((delta, node))
    first = order[np.diff(node[order], prepend=-1) > 0]
    first = first[-delta[first] > gain[node[first]]]
    gain[node[first]], best[node[first]] = -delta[first], place[first]
    return Moves(part, Y, field, Z, least, J, near, gain, best, rank)


def fields(part: Part, Y: np.ndarray, at: np.ndarray, least: float, threads: Threads) -> np.ndarray:
    """Return the field (m,) of nodes at Y (n, dim) at points ``at`` (m, dim).

    Nodes nearer than the least distance count as at this distance, also a node at the point itself.
    """
    from scipy.spatial import KDTree

    found = Sources(Y, part.degree, threads).potentials(at, (CAUCHY,))[0]
    count: Any = np.arange(1, min(MAX_NEARER, len(Y)) + 1)
    found_near: Any = KDTree(Y).query(at, count, distance_upper_bound=np.sqrt(least), workers=-1)
    far, near = found_near
    point, k = np.nonzero(np.isfinite(far))
    xi = far[point, k] ** 2
    extra = part.degree[near[point, k]] * (1.0 / (1.0 + xi) - 1.0 / (1.0 + least))
    return found - np.bincount(point, extra, minlength=len(at))


def _pairwise(Y: np.ndarray, i: np.ndarray, j: np.ndarray, least: float) -> np.ndarray:
    """Return |y_i - y_j|^2, at least ``least``."""
    total = np.zeros(len(i))
    for column in Y.T:
        total += (column[i] - column[j]) ** 2
    return np.maximum(total, least)


def _pull(part: Part, Y: np.ndarray, least: float) -> np.ndarray:
    """Return sum_j P_vj ln(1 + |y_v - y_j|^2) of each node."""
    each = part.P.data * np.log1p(_pairwise(Y, part.owner, part.P.indices, least))
    return np.bincount(part.owner, each, minlength=len(Y))


def _at_random_places(
    part: Part, Y: np.ndarray, F: np.ndarray, Z: float, least: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return gain, best node and rank over the places that all nodes try."""
    n, mass, now = len(Y), part.degree, _pull(part, Y, least)
    gain, best, cheaper, tried = np.full(n, -np.inf), np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
    step = max(1, BLOCK // n)
    for start in range(0, len(part.random), step):
        at = part.random[start : start + step]
        xi = np.maximum(np.sum([np.subtract.outer(column, column[at]) ** 2 for column in Y.T], axis=0), least)
        far = np.log1p(xi)
        delta = part.P @ far - now[:, None]
        pair = csr_array(part.P[:, at]).tocoo()
        delta[pair.row, pair.col] += pair.data * far[pair.row, pair.col]
        change = F[at][None, :] - F[:, None] + (mass[at][None, :] - mass[:, None]) / (1.0 + xi)
        delta += part.push(Z, mass[:, None], change)
        itself = at[None, :] == np.arange(n)[:, None]
        delta[itself] = np.inf
        lowest = np.argmin(delta, axis=1)
        value = -delta[np.arange(n), lowest]
        better = value > gain
        gain[better], best[better] = value[better], at[lowest[better]]
        cheaper += np.count_nonzero(delta < 0, axis=1)
        tried += np.count_nonzero(~itself, axis=1)
    return gain, best, cheaper / np.maximum(tried, 1.0)


def _delta(
    part: Part, Y: np.ndarray, F: np.ndarray, Z: float, least: float, node: np.ndarray, place: np.ndarray
) -> np.ndarray:
    """Return the change of W J / 2 if one node takes the place of another, for each pair."""
    indptr, mass, now = part.P.indptr, part.degree, _pull(part, Y, least)
    count = np.diff(indptr)[node]
    xi = _pairwise(Y, node, place, least)
    result = part.push(Z, mass[node], F[place] - F[node] + (mass[place] - mass[node]) / (1.0 + xi)) - now[node]
    result += np.asarray(part.P[node, place]).ravel() * np.log1p(xi)
    ends = np.cumsum(count)
    start = 0
    while start < len(node):
        before = ends[start] - count[start]
        stop = max(start + 1, int(np.searchsorted(ends, before + BLOCK, "right")))
        here = count[start:stop]
        pair = np.repeat(np.arange(start, stop), here)
        begin = indptr[node[start:stop]] - (np.cumsum(here) - here)
        entry = np.arange(len(pair)) + np.repeat(begin, here)
        each = part.P.data[entry] * np.log1p(_pairwise(Y, place[pair], part.P.indices[entry], least))
        result[start:stop] += np.bincount(pair - start, each, minlength=stop - start)
        start = stop
    return result


def at_best_size(part: Part, Y: np.ndarray, threads: Threads) -> tuple[np.ndarray, float]:
    """Return Y (n, dim), centered, at the size with the least J of ws-SNE, and this J.

    J of many lattices and trees falls for ever as they grow.  The search then ends `DOUBLINGS` above its start.
    """
    from scipy.optimize import brentq

    Y = Y - Y.mean(axis=0)
    mass, P = part.degree, part.P
    p = P.data / P.data.sum()
    xi = _pairwise(Y, part.owner, P.indices, 0.0)
    constant = float(p @ (np.log(p) - np.log(mass[part.owner]) - np.log(mass[P.indices])))
    typical = math.sqrt(float(np.median(xi))) or math.sqrt(float(xi.mean())) or float(np.abs(Y).max()) or 1.0
    unit = EDGE_LENGTH / typical

    pairs = _pair_sums(Y, mass, threads)

    def slope(x: float) -> float:
        s = unit * math.exp(x)
        Z, change = pairs(s)
        return float(p @ (2.0 * s * s * xi / (1.0 + s * s * xi))) + change / Z

    step, x = math.log(2.0), 0.0
    here = slope(x)
    way = -1.0 if here > 0 else 1.0
    for _ in range(DOUBLINGS):
        beyond = slope(x + way * step)
        if beyond * here <= 0.0:
            root: Any = brentq(slope, x, x + way * step, xtol=SIZE_PRECISION) if beyond != here else x
            x = float(root)
            break
        x, here = x + way * step, beyond
    s = unit * math.exp(x)
    return s * Y, constant + float(p @ np.log1p(s * s * xi)) + math.log(pairs(s)[0])


def _pair_sums(Y: np.ndarray, mass: np.ndarray, threads: Threads) -> Callable[[float], tuple[float, float]]:
    """Return a function of the size s: Z of s Y, and its derivative in ln s."""
    if len(Y) <= MAX_TABLE_NODES:
        i, j = np.triu_indices(len(Y), 1)
        xi, M = _pairwise(Y, i, j, 0.0), 2.0 * mass[i] * mass[j]

        def by_table(s: float) -> tuple[float, float]:
            q = 1.0 / (1.0 + s * s * xi)
            return float(M @ q), -2.0 * float(M @ (q - q * q))

        return by_table

    def by_sums(s: float) -> tuple[float, float]:
        (found,) = Sources(s * Y, mass, threads).fields(s * Y, (CAUCHY,))
        return float(mass @ (found.potential - mass)), 2.0 * float(mass @ np.sum(found.force * s * Y, axis=1))

    return by_sums
