"""Snapshots: what two graphs after each other have in common, by the names of their nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from scipy.sparse import csr_array

from nelayout.graphs import Network
from nelayout.placing.components import component_labels

__all__ = ["common_rows", "unchanged"]


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
