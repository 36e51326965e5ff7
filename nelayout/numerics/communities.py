"""Communities of a graph: groups of nodes with more edges inside than chance gives, and how sure they are.

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

from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

__all__ = ["communities", "together"]

# Runs of the Louvain method.
RUNS = 8
# Part of a node's weight by which another community must be better: rounding moves no node.
LEAST_GAIN = 1e-9


def together(P: csr_array) -> np.ndarray:
    """Return (n, n) the share of runs that put both nodes into one community."""
    found = [communities(P, np.random.default_rng(k)) for k in range(RUNS)]
    return np.mean([label[:, None] == label for label in found], axis=0)


def communities(P: csr_array, rng: np.random.Generator) -> np.ndarray:
    """Return the community (n,) of each node by one run of the Louvain method."""
    label, merged = np.arange(P.shape[0]), P
    while True:
        found = _moved(merged, rng.permutation(merged.shape[0]).tolist())
        names, found = np.unique(found, return_inverse=True)
        if len(names) == merged.shape[0]:
            return label
        label = found[label]
        member = csr_array((np.ones(len(found)), found, np.arange(len(found) + 1)), (len(found), len(names)))
        merged = csr_array(member.T @ merged @ member)


def _moved(P: csr_array, order: list[int]) -> list[int]:
    """Move node after node to the best community of its neighbors, until none moves."""
    strength = np.asarray(P.sum(axis=1), dtype=float).tolist()
    ends, others, weights = P.indptr.tolist(), P.indices.tolist(), P.data.tolist()
    links = [list(zip(others[a:b], weights[a:b], strict=True)) for a, b in pairwise(ends)]
    label, totals, whole = list(range(len(order))), strength.copy(), sum(strength) or 1.0
    moving = True
    while moving:
        moving = False
        for v in order:
            own, share = label[v], strength[v] / whole
            totals[own] -= strength[v]
            tied = {own: 0.0}
            for j, weight in links[v]:
                if j != v:
                    tied[label[j]] = tied.get(label[j], 0.0) + weight
            best, most = own, tied[own] - totals[own] * share + LEAST_GAIN * strength[v]
            for each, weight in tied.items():
                gain = weight - totals[each] * share
                if gain > most:
                    best, most = each, gain
            totals[best] += strength[v]
            if best != own:
                label[v], moving = best, True
    return label
