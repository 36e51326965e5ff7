"""The loop of `communities` that moves nodes, interpreted or compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

__all__ = ["compiled_loop", "move_nodes"]

# Part of a node's weight by which another community must be better: rounding moves no node.
LEAST_GAIN = 1e-9


def move_nodes(
    indptr, indices, data, order, strength, shares, label, totals, stale, waiting, ties, visit, near
) -> None:
    """Move nodes to the best community of their neighbors, as long as neighbors move.

    It takes lists, and compiled arrays.  The last four are scratch: the nodes that wait, and, for each community, the
    weight of a node's edges there, the visit that has set it, and the communities near a node.
    """
    count, visits = len(order), 0
    while count:
        for k in range(count):
            v = waiting[k]
            stale[v] = False
            own, share = label[v], shares[v]
            totals[own] -= strength[v]
            near[0], ties[own], visit[own], many = own, 0.0, visits, 1
            for entry in range(indptr[v], indptr[v + 1]):
                j = indices[entry]
                if j != v:
                    there = label[j]
                    if visit[there] != visits:
                        near[many], ties[there], visit[there] = there, 0.0, visits
                        many += 1
                    ties[there] += data[entry]
            visits += 1
            best, most = own, ties[own] - totals[own] * share + LEAST_GAIN * strength[v]
            for each in range(many):
                gain = ties[near[each]] - totals[near[each]] * share
                if gain > most:
                    best, most = near[each], gain
            totals[best] += strength[v]
            if best != own:
                label[v] = best
                for entry in range(indptr[v], indptr[v + 1]):
                    if label[indices[entry]] != best:
                        stale[indices[entry]] = True
        count = 0
        for k in range(len(order)):
            if stale[order[k]]:
                waiting[count] = order[k]
                count += 1


@cache
def compiled_loop() -> Callable[..., None]:
    """Return the loop, compiled."""
    from nelayout.numerics.compiling import exact_loop

    return exact_loop(move_nodes)
