"""Breadth-first search from one node. Imported only where it is used."""

from __future__ import annotations

from nelayout.numerics.compiling import compiled_loop

__all__ = ["hops"]


@compiled_loop
def hops(indptr, indices, source, out, queue):
    """Set out[i] = number of edges between source and i; ``out`` must be zeros."""
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if out[j] == 0 and j != source:
                out[j] = out[i] + 1
                queue[tail] = j
                tail += 1
