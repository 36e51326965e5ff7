"""Compiled loops of coarsening: whom each node would be matched with, and the graph of what is merged.

They round as NumPy does, so that the same nodes are matched in small graphs and in large ones.
"""

from __future__ import annotations

import math

from nelayout.numerics.compiling import exact_loop

__all__ = ["favorites", "merged"]


@exact_loop
def _score(i, j, weight, mass, tickets, share, golden):
    """P_ij / (m_i m_j), ties broken at random but alike from both ends."""
    ticket = (tickets[i] + tickets[j]) * golden
    return weight / (mass[i] * mass[j]) * (1.0 + share * (ticket - math.floor(ticket)))


@exact_loop
def favorites(indptr, indices, P, mass, tickets, share, golden, chooses, chosen, choice):
    """choice[i] = the neighbor in ``chosen`` with the highest score, of each node in ``chooses``; -1 if none."""
    for i in range(len(choice)):
        choice[i] = -1
        if not chooses[i]:
            continue
        best = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if chosen[j]:
                score = _score(i, j, P[k], mass, tickets, share, golden)
                if choice[i] < 0 or score > best:
                    choice[i], best = j, score


@exact_loop
def merged(indptr, indices, P, cluster, starts, members, place, out_indptr, out_indices, out):
    """Rows of the merged graph, columns as they are met, and the weight within clusters.

    ``members`` cluster by cluster from ``starts``; ``place`` (clusters,) comes in as -1.
    """
    inside = 0.0
    at = 0
    for c in range(len(starts) - 1):
        first = at
        for s in range(starts[c], starts[c + 1]):
            i = members[s]
            for k in range(indptr[i], indptr[i + 1]):
                other = cluster[indices[k]]
                if other == c:
                    inside += P[k]
                elif place[other] < first:
                    place[other] = at
                    out_indices[at] = other
                    out[at] = P[k]
                    at += 1
                else:
                    out[place[other]] += P[k]
        out_indptr[c + 1] = at
    return inside
