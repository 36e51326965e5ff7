"""Define `Network`, the graph type of all other packages, and build it from edges.

A digraph with an edge 0 -> 1 of weight 2, an edge 1 -> 0 of weight 3 and a self-loop at 1 becomes one
undirected edge of weight 5::

    >>> symmetric(2, np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([2.0, 3.0, 7.0])).toarray()
    array([[0., 5.],
           [5., 0.]])

`nelayout.graphs.weights` selects the weight attribute and converts its numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, Unsupported
from nelayout.graphs.host import Host, Links
from nelayout.graphs.to_floats import plain_numbers, short_repr
from nelayout.graphs.weights import attribute_words, check_kind, similarities, unread, zero_note

__all__ = ["Network", "canonical", "check_size", "network_of", "symmetric"]

LARGEST_INDEX = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Node labels and symmetric weights.

    labels     node labels in the library's order (``range(n)`` for arrays)
    adjacency  (n, n) symmetric csr_array, float64 > 0, int32 indices, sorted, without duplicates, without
               diagonal: P_ij = P_ji, for a directed graph w_ij + w_ji
    directed   whether the input was directed (then opposite edges have been added up)
    weighted   whether an edge weight other than 1 was read
    notes      sentences on input that nelayout read in an unexpected way (a numeric attribute left unused)
    host       writes positions back and reads values per node
    zeros      whether edges of weight 0 were left out
    doubts     sentences on input that is probably a mistake; layouts warn of it
    """

    labels: Sequence[Hashable]
    adjacency: csr_array
    directed: bool
    weighted: bool
    notes: tuple[str, ...]
    host: Host
    zeros: bool = False
    doubts: tuple[str, ...] = ()


def network_of(listed: Links, host: Host, weight: Any, weight_kind: str) -> Network:
    """Return the `Network` of listed edges; see `nelayout.graphs.read` for the rules.

    An edge without the attribute weighs 1.  Messages name an edge by the labels of its ends.

    >>> host = Host(None)
    >>> host.aliases = ["abc"]
    >>> listed = Links(np.array([0, 1, 2]), np.array([1, 2, 2]), ["km"], {"km": [2.0, None, 9.0]}.__getitem__)
    >>> network_of(listed, host, "km", "similarity").adjacency.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    """
    check_kind(weight_kind)
    labels = host.aliases[0]
    edges = np.flatnonzero(listed.rows != listed.cols)
    rows, cols = listed.rows[edges], listed.cols[edges]
    weights, notes, doubts = np.ones(len(edges)), (), ()

    def given(attribute: str) -> Sequence:
        values = listed.attribute(attribute)
        return values if len(edges) == len(values) else [values[k] for k in edges.tolist()]

    def numeric(attribute: str) -> bool:
        """Return whether all values that are set are numbers; booleans do not count as numbers."""
        known = [value for value in given(attribute) if value is not listed.absent]
        return bool(known) and not isinstance(known[0], (bool, str)) and plain_numbers(known) is not None

    if weight is not None and len(edges):
        values = given(weight) if weight in listed.names else []
        if any(value is not listed.absent for value in values):
            weights = similarities(
                [1 if value is listed.absent else value for value in values],
                weight_kind,
                attribute_words(weight),
                lambda k: f"edge ({short_repr(labels[rows[k]])}, {short_repr(labels[cols[k]])})",
            )
            notes = zero_note(int(np.count_nonzero(weights == 0)))
        else:
            notes, doubts = unread(weight, [name for name in listed.names if name != weight], numeric)
    return Network(
        labels=labels,
        adjacency=symmetric(len(labels), rows, cols, weights),
        directed=host.directed,
        weighted=bool(np.any((weights != 1) & (weights != 0))),
        notes=(*listed.notes, *notes),
        host=host,
        zeros=bool(np.any(weights == 0)),
        doubts=doubts,
    )


def symmetric(n: int, rows: np.ndarray, cols: np.ndarray, weights: np.ndarray) -> csr_array:
    """Return the (n, n) sum of undirected edges (rows[k], cols[k]) of weight weights[k].

    Self-loops and weights 0 are dropped; parallel and opposite edges add up.  The upper triangle is summed and
    then mirrored, so the result equals its transpose bit by bit.

    Raises
    ------
    InputError
        if weights add up to more than the largest float.

    Examples
    --------
    >>> symmetric(2, np.array([1, 0]), np.array([0, 1]), np.array([1.0, 1.0])).data
    array([2., 2.])
    """
    keep = (rows != cols) & (weights != 0)
    if not keep.all():
        rows, cols, weights = rows[keep], cols[keep], weights[keep]
    check_size(n, 2 * len(rows))
    low = np.minimum(rows, cols).astype(np.int32, copy=False)
    high = np.maximum(rows, cols).astype(np.int32, copy=False)
    with np.errstate(over="ignore"):
        upper = csr_array((weights, (low, high)), shape=(n, n), dtype=np.float64)
        upper.sum_duplicates()
    return canonical(upper + upper.T)


def canonical(matrix: Any) -> csr_array:
    """Sort and sum the entries of a matrix, with int32 indices; reuse the memory of `matrix`."""
    matrix = csr_array(matrix)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError(
            "edge weights are too large to be added up in double precision; divide all of them by their "
            'largest, or use weight_kind="log"'
        )
    matrix.indices = matrix.indices.astype(np.int32, copy=False)
    matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


def check_size(n: int, entries: int) -> None:
    """Raise `Unsupported` if the graph is too large for 32-bit indices, before it is built."""
    if max(n, entries) > LARGEST_INDEX:
        raise Unsupported(
            f"the graph has {n} nodes and {entries} matrix entries; at most {LARGEST_INDEX} of each can be "
            "indexed: lay out a part of it, or a coarser graph"
        )
