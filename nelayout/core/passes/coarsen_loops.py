"""Compiled loop of `coarsen`: favorites of nodes, without arrays of all entries."""

from __future__ import annotations

from nelayout.numerics.compiling import exact_loop

__all__ = ["favorites"]


@exact_loop
def favorites(indptr, cols, weights, mass, tickets, ties, golden, chooses, chosen, choice):
    """Set choice[i] to the first neighbor of row i with the largest score; -1 without one.

    Only neighbors that are ``chosen`` count.  Scores round as in NumPy.
    """
    for i in range(len(indptr) - 1):
        choice[i] = -1
        if not chooses[i]:
            continue
        best = -1.0
        for k in range(indptr[i], indptr[i + 1]):
            j = cols[k]
            if chosen[j]:
                jitter = ((tickets[i] + tickets[j]) * golden) % 1.0
                score = weights[k] / (mass[i] * mass[j]) * (1.0 + ties * jitter)
                if score > best:
                    best, choice[i] = score, j
