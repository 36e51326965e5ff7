"""All nodes and edges that a changing graph ever has, as films need them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs

__all__ = ["Snapshot", "Union", "union_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One graph of a sequence: node labels, weights (n, n), and the host that writes positions."""

    labels: Sequence[Any]
    adjacency: csr_array
    host: graphs.Host


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """The n nodes and m edges of all T snapshots.

    labels  (n) in the order in which they came
    Y       (T, n, 2) places, NaN where a node is not there; drawings on a line lie on y = 0, those in space are seen
            along z
    ends    (m, 2) the nodes of each edge
    edges   (T, m) whether each edge is there
    """

    labels: list[Hashable]
    Y: np.ndarray
    ends: np.ndarray
    edges: np.ndarray


def union_of(snapshots: Sequence[Snapshot], positions: Sequence[Any]) -> Union:
    """The nodes and edges of all snapshots, and where and when they are there."""
    number: dict[Hashable, int] = {}
    rows = [np.array([number.setdefault(label, len(number)) for label in each.labels], int) for each in snapshots]
    n, keys = len(number), []
    Y = np.full((len(snapshots), n, 2), np.nan)
    for t, (each, pos) in enumerate(zip(snapshots, positions, strict=True)):
        opened = graphs.places(pos)
        here = each.host.positions(opened.given, opened.dim)[:, :2]
        Y[t, rows[t], 1] = 0.0
        Y[t, rows[t], : here.shape[1]] = here
        A = each.adjacency
        i, j = rows[t][np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))], rows[t][A.indices]
        keys.append((i * n + j)[i < j])
    every = np.unique(np.concatenate(keys))
    edges = np.stack([np.isin(every, key) for key in keys])
    return Union(list(number), Y, np.stack([every // max(n, 1), every % max(n, 1)], axis=1), edges)
