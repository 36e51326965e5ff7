"""The compiled loop of `truncated_walk`: one row of p at a time, by pushing.

Row i of p solves K x = (1 - rho) e_i, K = I - rho S.  Pushing at node j moves omega r_j of its residual r_j
into x_j and sends rho S_jk of it on to each neighbor k; nodes wait in a queue while their residual is worth
it, so the work does not depend on the size of the graph (Andersen, Chung & Lang 2006).  omega > 1 is
successive over-relaxation: each push still lowers x K x / 2 - (1 - rho) x_i, by omega (2 - omega) r_j^2 / 2,
and a walk with rho near 1 needs several times fewer of them.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import exact_loop

__all__ = ["largest_of_rows"]


@exact_loop
def largest_of_rows(indptr, indices, S, root, rho, tolerance, start, stop, columns, values, own):
    """Find the largest off-diagonal entries of rows start..stop of p, and its diagonal, with root = D^1/2.

    Every entry is right to tolerance * root_i root_j.  ``columns`` and ``values`` (n, k) get at most k
    positive entries a row, in no order; unused places keep what they hold.
    """
    n = len(root)
    omega = 2.0 / (1.0 + math.sqrt(1.0 - rho * rho))  # the best one when the spectrum of S fills [-1, 1]
    x, residual = np.zeros(n), np.zeros(n)
    queue, touched = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    queued, known = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    for i in range(start, stop):
        # K^-1 root = root / (1 - rho), so residuals below this leave errors within the tolerance
        enough = (1.0 - rho) * tolerance * root[i]
        residual[i] = 1.0 - rho
        queue[0], queued[i], touched[0], known[i] = i, True, i, True
        head, waiting, seen = 0, 1, 1
        while waiting > 0:
            j = queue[head]
            head = head + 1 if head + 1 < n else 0
            waiting -= 1
            queued[j] = False
            part = omega * residual[j]
            x[j] += part
            residual[j] -= part
            for e in range(indptr[j], indptr[j + 1]):
                k = indices[e]
                if not known[k]:
                    known[k] = True
                    touched[seen] = k
                    seen += 1
                residual[k] += rho * S[e] * part
                if not queued[k] and abs(residual[k]) > enough * root[k]:
                    end = head + waiting
                    queue[end if end < n else end - n] = k
                    queued[k] = True
                    waiting += 1
            if not queued[j] and abs(residual[j]) > enough * root[j]:
                end = head + waiting
                queue[end if end < n else end - n] = j
                queued[j] = True
                waiting += 1
        own[i] = x[i]
        x[i] = 0.0
        _keep_largest(x, touched, seen, columns[i], values[i])
        for t in range(seen):
            j = touched[t]
            x[j] = residual[j] = 0.0
            known[j] = False


@exact_loop
def _keep_largest(x, touched, seen, columns, values):
    """Keep the largest positive x of the touched nodes, in a heap whose root is the least that is kept."""
    kept, size = len(columns), 0
    for t in range(seen):
        j = touched[t]
        entry = x[j]
        if entry <= 0.0:
            continue
        if size < kept:  # climb
            at = size
            size += 1
            while at > 0 and values[(at - 1) // 2] > entry:
                above = (at - 1) // 2
                values[at], columns[at] = values[above], columns[above]
                at = above
        elif entry > values[0]:  # sink
            at = 0
            while True:
                below = 2 * at + 1
                if below >= kept:
                    break
                if below + 1 < kept and values[below + 1] < values[below]:
                    below += 1
                if values[below] >= entry:
                    break
                values[at], columns[at] = values[below], columns[below]
                at = below
        else:
            continue
        values[at], columns[at] = entry, j
