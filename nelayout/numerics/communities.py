"""Communities: groups with more edges inside than chance gives, and how sure they are.

Several runs of the Louvain method differ in the order of the nodes.  Two nodes belong together by the share of runs
that put them into one community.  Where a graph has groups, all runs agree.  On a mesh each run cuts elsewhere, so that
the share falls off with distance, and no border stands out.

Source: Blondel, Guillaume, Lambiotte & Lefebvre, Fast unfolding of communities in large networks, J. Stat. Mech. 2008;
for shares of runs: Lancichinetti & Fortunato, Consensus clustering in complex networks, Sci. Rep. 2012.

>>> edges = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
>>> edges[0, 4] = edges[4, 0] = 1.0
>>> together(csr_array(edges))[0]
array([1., 1., 1., 1., 0., 0., 0., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.communities_loops import compiled_loop, move_nodes

__all__ = ["communities", "together", "together_in_each"]

# Runs of the Louvain method.
# see tuning: RUNS
RUNS = 8
# Entries of the graphs and copies in one run.
# see tuning: MAX_ENTRIES
MAX_ENTRIES = 1 << 17


def together(P: csr_array) -> np.ndarray:
    """Return (n, n) the share of runs that put both nodes into one community."""
    return together_in_each(P, np.array([P.shape[0]]))[0]


def together_in_each(P: csr_array, sizes: np.ndarray) -> list[np.ndarray]:
    """Return the shares (n, n) of each of several graphs, which lie one after another in P."""
    n, rng, labels = P.shape[0], np.random.default_rng(0), list[np.ndarray]()
    at_once = min(RUNS, max(1, MAX_ENTRIES // max(P.nnz, 1)))
    while len(labels) < RUNS:
        copies = np.arange(min(at_once, RUNS - len(labels)))
        indices = np.add.outer(n * copies, P.indices).ravel()
        indptr = np.append(np.add.outer(P.nnz * copies, P.indptr[:-1]), P.nnz * len(copies))
        several = csr_array((np.tile(P.data, len(copies)), indices, indptr), (n * len(copies), n * len(copies)))
        graph = np.repeat(np.arange(len(sizes) * len(copies)), np.tile(sizes, len(copies)))
        labels.extend(communities(several, rng, graph, n > COMPILED_ABOVE).reshape(-1, n))
    each = np.split(np.array(labels), np.cumsum(sizes)[:-1], axis=1)
    return [np.mean(own[:, :, None] == own[:, None], axis=0) for own in each]


def communities(
    P: csr_array, rng: np.random.Generator, graph: np.ndarray | None = None, compiled: bool = False
) -> np.ndarray:
    """Return the community (n,) of each node by one Louvain run; ``graph`` (n,) of each node."""
    label, merged, graph = np.arange(P.shape[0]), P, np.zeros(P.shape[0], dtype=int) if graph is None else graph
    whole = np.bincount(graph, np.asarray(P.sum(axis=1)))
    whole = np.where(whole > 0, whole, 1.0)
    while True:
        found = _moved(merged, rng.permutation(merged.shape[0]), whole[graph], compiled)
        names, first, found = np.unique(found, return_index=True, return_inverse=True)
        if len(names) == merged.shape[0]:
            return label
        label, graph = found[label], graph[first]
        member = csr_array((np.ones(len(found)), found, np.arange(len(found) + 1)), (len(found), len(names)))
        merged = csr_array(member.T @ merged @ member)


def _moved(P: csr_array, order: np.ndarray, whole: np.ndarray, compiled: bool) -> np.ndarray:
    """Move nodes to the best community of neighbors; ``whole`` (n,): weight of a node's graph."""
    n = len(order)
    strength = np.asarray(P.sum(axis=1), dtype=float)
    graph = P.indptr, P.indices, P.data, order, strength, strength / whole
    state = np.arange(n), strength.copy(), np.ones(n, dtype=bool)
    scratch = order.copy(), np.zeros(n), np.full(n, -1), np.empty(n, dtype=np.int64)
    if compiled:
        compiled_loop()(*graph, *state, *scratch)
        return state[0]
    lists: Any = [each.tolist() for each in (*graph, *state, *scratch)]
    move_nodes(*lists)
    return np.array(lists[6])
