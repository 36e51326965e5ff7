"""Snapshots: what two graphs after each other have in common, by the names of their nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from scipy.sparse import csr_array

from nelayout.graphs import Network
from nelayout.placing.components import component_labels

__all__ = ["common_rows", "keep_places", "unchanged"]

# A part that has become joined to a larger one keeps its place if it has at least so many nodes, and so many in parts
# of the other's: smaller ones go where their new neighbors are, for pieces that lay about the map would tear it.
MAP, EQUAL = 50, 0.5


def common_rows(before: Sequence[Hashable], now: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """(k,) rows of the nodes that are in both, in the earlier and in the later graph.

    >>> [rows.tolist() for rows in common_rows(["a", "b", "c"], ["c", "d", "a"])]
    [[2, 0], [0, 2]]
    """
    number = {label: k for k, label in enumerate(before)}
    pairs = [(number[label], k) for k, label in enumerate(now) if label in number]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def unchanged(before: Network, now: Network) -> np.ndarray:
    """Mask (n,) of the later graph's nodes whose component has the nodes, edges and weights that it had before."""
    old, new = common_rows(before.labels, now.labels)
    same = np.zeros(len(now.labels), dtype=bool)
    A, B = csr_array(before.adjacency), csr_array(now.adjacency)
    difference = csr_array(A[old][:, old] - B[new][:, new])
    difference.eliminate_zeros()
    alike = (np.diff(difference.indptr) == 0) & (np.diff(A.indptr)[old] == np.diff(B.indptr)[new])
    same[new] = alike
    labels = component_labels(now.adjacency)
    broken = np.zeros(int(labels.max(initial=-1)) + 1, dtype=bool)
    broken[labels[~same]] = True
    return ~broken[labels]


def keep_places(before: Network, now: Network) -> np.ndarray:
    """Mask (n,) of the later graph's nodes whose old places are of use.

    Of the parts that a component has been joined from, the largest keep their places and the others lose them; nodes
    that were in none of them, having been away, keep theirs.
    """
    old, new = common_rows(before.labels, now.labels)
    part = np.full(len(now.labels), -1)
    part[new] = component_labels(before.adjacency)[old]
    labels, kept = component_labels(now.adjacency), np.ones(len(now.labels), dtype=bool)
    known = np.flatnonzero(part >= 0)
    pairs, inverse, counts = np.unique(
        np.stack([labels[known], part[known]], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    order = np.lexsort((-counts, pairs[:, 0]))  # of equal parts the one that was larger before comes first
    largest = np.zeros(len(order), dtype=bool)
    largest[order] = np.r_[True, np.diff(pairs[order, 0]) > 0][: len(order)]
    most = np.zeros(int(labels.max(initial=-1)) + 1, dtype=int)
    np.maximum.at(most, pairs[:, 0], counts)
    stays = largest | (counts >= np.maximum(MAP, EQUAL * most[pairs[:, 0]]))
    kept[known] = stays[inverse.reshape(-1)]
    return kept
