"""Pairs of nodes with their distance in the input and in the drawing, as a Shepard diagram shows them.

The path a - b - c drawn at 0, 1, 3 has the pairs (1, 1), (1, 2) and (2, 3): distance in the graph, in the drawing.
Pairs that no path joins have no distance, and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.numerics.memory import warn_if_short
from nelayout.quality.input_distances import dense_levels
from nelayout.quality.samples import sample_of
from nelayout.quality.sweep import GROUPS, ROWS_ABOVE, ROWS_SAMPLED, Sweep

__all__ = ["Pairs", "Products", "pairs_of", "products_of"]

# Other nodes that each sampled node is paired with: the spread between nodes, not within, makes the error.
PARTNERS = 3_000
# Bytes of a pair where every pair is looked at: its entries, and what ranking them needs at the same time.
PAIR_BYTES = 17 + 60
# Rows that are held at a time.
AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Distances of pairs, (p,) each.

    d, e  in the input and in the drawing
    of    group of each pair, that of the node whose row it comes from
    """

    d: np.ndarray
    e: np.ndarray
    of: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums over rows of the largest component, (r,) each.

    d, e        sums of the distances in the input and in the drawing
    dd, de, ee  sums of their products
    of          (r,) the group of each row, all 0 where all nodes of the component have one
    size        number of nodes of the component
    exact       whether all of them have one
    """

    d: np.ndarray
    e: np.ndarray
    dd: np.ndarray
    de: np.ndarray
    ee: np.ndarray
    of: np.ndarray
    size: int
    exact: bool


def pairs_of(sweep: Sweep) -> Pairs:
    """Return every pair once where nothing is sampled, else each sampled node with up to 3,000 others.

    A warning comes before the work starts where memory is short for every pair.
    """
    n, rng = len(sweep.Y), np.random.default_rng([sweep.seed, 2])
    if sweep.exact:
        remedy = 'sample="auto" looks at 300 nodes and tells the standard error'
        warn_if_short(PAIR_BYTES * n * (n - 1) // 2, f"ranking the distances of all pairs of {n:,} nodes", remedy)
    parts_d, parts_e, parts_of = [], [], []
    for start in range(0, len(sweep.nodes), AT_ONCE):
        some = sweep.nodes[start : start + AT_ONCE]
        for t, (node, row) in enumerate(zip(some.tolist(), sweep.distances.rows(some), strict=True), start):
            if sweep.exact:
                others = np.arange(node + 1, n)
            elif n - 1 <= PARTNERS:
                others = np.delete(np.arange(n), node)
            else:
                others = rng.choice(n - 1, PARTNERS, replace=False)
                others += others >= node
            d = row[others]
            joined = np.isfinite(d)
            parts_d.append(d[joined])
            parts_e.append(_drawn(sweep.places, node, others[joined]))
            parts_of.append(np.full(len(parts_e[-1]), sweep.group[t], np.int8))
    if not parts_d:
        return Pairs(np.zeros(0), np.zeros(0), np.zeros(0, np.int8))
    return Pairs(np.concatenate(parts_d), np.concatenate(parts_e), np.concatenate(parts_of))


def products_of(sweep: Sweep) -> Products:
    """Sum the rows of the largest component: all distances from each of its nodes, or of a sample, to the others in
    it.
    """
    component = sweep.component
    count = np.bincount(component) if len(component) else np.zeros(1, np.int64)
    inside = np.flatnonzero(component == count.argmax())
    rng = np.random.default_rng([sweep.seed, 3])
    nodes, exact = sample_of(inside, sweep.sample, ROWS_ABOVE, ROWS_SAMPLED, rng)
    sums = np.zeros((5, len(nodes)))
    for start in range(0, len(nodes), AT_ONCE):
        some = nodes[start : start + AT_ONCE]
        for t, (node, row) in enumerate(zip(some.tolist(), sweep.distances.rows(some), strict=True), start):
            d, e = row[inside], _drawn(sweep.places, node, inside)
            sums[:, t] = d.sum(), e.sum(), (d * d).sum(), (d * e).sum(), (e * e).sum()
    d, e, dd, de, ee = sums
    groups = 1 if exact else GROUPS
    of = rng.permutation(np.arange(len(nodes)) % min(groups, max(len(nodes), 1)))
    return Products(d, e, dd, de, ee, of, len(inside), exact)


def _drawn(Y: np.ndarray, node: int, others: np.ndarray) -> np.ndarray:
    total = np.zeros(len(others))
    for column in Y.T:
        total += (column[others] - column[node]) ** 2
    return np.sqrt(total)


def levels_of(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Rank classes of distances: small integers, as numbers of edges are, need no sorting."""
    if len(values) and values.max() <= len(values) and (values == np.rint(values)).all():
        present = np.zeros(int(values.max()) + 1, bool)
        number = values.astype(np.int64)
        present[number] = True
        place = np.cumsum(present) - 1
        return place[number].astype(np.int32), int(place[-1]) + 1
    return dense_levels(values)
