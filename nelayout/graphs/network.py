"""Define `Network`, the graph type of all other packages, and build it from edges.

A digraph with an edge 0 -> 1 of weight 2, an edge 1 -> 0 of weight 3 and a self-loop at 1 becomes one
undirected edge of weight 5::

    >>> symmetric(2, np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([2.0, 3.0, 7.0])).toarray()
    array([[0., 5.],
           [5., 0.]])

Layouts use similarities: a large P_ij draws i and j together.  ``weight_kind`` states what the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, Unsupported, near_matches, unknown
from nelayout.graphs.headings import is_length
from nelayout.graphs.host import Host, holds_weights
from nelayout.graphs.to_floats import TEXT, numbers, plain_numbers, short_repr
from nelayout.numerics.compressed_rows import canonical

__all__ = [
    "NEGATIVE", "Network", "canonical", "check_kind", "check_size", "length_note", "network_of", "similarities",
    "symmetric", "whole_matrix", "zero_note",
]  # fmt: skip

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
    lengths    whether the weights were read as distances
    negative   (n, n) amounts of negative weights, of which each pair has its sum; None: they are errors
    """

    labels: Sequence[Hashable]
    adjacency: csr_array
    directed: bool
    weighted: bool
    notes: tuple[str, ...]
    host: Host
    zeros: bool = False
    doubts: tuple[str, ...] = ()
    lengths: bool = False
    negative: csr_array | None = None


def network_of(host: Host, weight: Any, weight_kind: str, signed: bool = False) -> Network:
    """Return the `Network` of a graph's edges; see `nelayout.graphs.read` for the rules."""
    column, said = host.lengths, ()
    if weight == "weight" and column is not None:
        weight = column
        if weight_kind == "auto":
            weight_kind, said = "distance", (length_note(column),)
    listed, weight = host.links(weight), "weight" if holds_weights(weight) else weight
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
            # an edge without a length weighs 1, as one of mean length does
            there = [k for k, x in enumerate(values) if x is not listed.absent or weight_kind != "distance"]
            ends = (edges[there] for edges in (rows, cols))
            weights[there] = similarities(
                [1 if values[k] is listed.absent else values[k] for k in there],
                weight_kind,
                "weight" if weight == "weight" else f"weight {weight!r}",
                partial(_edge_name, labels, *ends),
                signed=signed,
            )
            notes = zero_note(int(np.count_nonzero(weights == 0)))
            if weight_kind == "auto" and isinstance(weight, str) and is_length(weight):
                near = f"the weights {weight!r} are read as similarities: a large number draws two nodes near"
                said = (f'{near}; weight_kind="distance" draws them far apart',)
        else:
            notes, doubts = unread(weight, [name for name in listed.names if name != weight], numeric)
    negative = symmetric(len(labels), rows, cols, np.maximum(-weights, 0.0)) if signed else None
    return Network(
        labels=labels,
        adjacency=symmetric(len(labels), rows, cols, np.maximum(weights, 0.0)),
        directed=host.directed,
        weighted=bool(np.any((weights != 1) & (weights != 0))),
        notes=(*listed.notes, *said, *notes),
        host=host,
        zeros=bool(np.any(weights == 0)),
        doubts=doubts,
        lengths=weight_kind == "distance",
        negative=negative,
    )


def _edge_name(labels: Sequence[Hashable], rows: np.ndarray, cols: np.ndarray, k: int) -> str:
    return f"edge ({short_repr(labels[rows[k]])}, {short_repr(labels[cols[k]])})"


def length_note(column: str) -> str:
    """Return the note on a column that is read as distances because of its heading."""
    return (
        f"the column {column!r} is read as distances: a large number draws two nodes far apart; "
        'weight_kind="similarity" draws them near, weight=None takes every edge as 1'
    )


def symmetric(n: int, rows: np.ndarray, cols: np.ndarray, weights: np.ndarray) -> csr_array:
    """Return the (n, n) sum of undirected edges (rows[k], cols[k]) of weight weights[k].

    Self-loops and weights 0 are dropped; parallel and opposite edges add up.  The upper triangle is summed and
    then mirrored, so the result equals its transpose bit by bit.
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


def whole_matrix(A: np.ndarray) -> tuple[np.ndarray, bool, str]:
    """Return the adjacency matrix of a table, whether it is directed, and a note or "".

    A table with numbers on one side of its diagonal alone is undirected: people fill in each pair once.

    >>> whole_matrix(np.array([[0, 2], [0, 0]]))[:2]
    (array([[0, 2],
           [2, 0]]), False)
    """
    upper, lower = np.triu(A, 1), np.tril(A, -1)
    if upper.any() and lower.any() and not np.array_equal(upper, lower.T):
        return A, True, ""
    if upper.any() == lower.any():
        return A, False, ""
    note = "the numbers are on one side of the diagonal, so edges are undirected; a GraphML file keeps directions"
    return A + upper.T + lower.T, False, note


def check_size(n: int, entries: int) -> None:
    """Raise `Unsupported` if the graph is too large for 32-bit indices, before it is built."""
    if max(n, entries) > LARGEST_INDEX:
        raise Unsupported(
            f"the graph has {n} nodes and {entries} matrix entries; at most {LARGEST_INDEX} of each can be "
            "indexed: lay out a part of it, or a coarser graph"
        )


# Numeric edge attributes that only identify edges, in GraphML, GEXF and multigraphs.
NOT_A_WEIGHT = frozenset({"id", "key"})


# Advice of the error for negative weights, such as correlations.
NEGATIVE = (
    "negative='repel' pushes such nodes apart; weight=None takes every edge as 1; or leave the negative ones out, "
    "or take abs of them in Python"
)
# Advice on text in place of a weight.
TEXT_WEIGHTS = f"{TEXT}, or weight=None takes every edge as 1"

# Meanings of the numbers of edges. With "log", a few heavy edges do not outweigh all others. "auto" is "distance" for
# a column of a table with the heading of a length, else "similarity".
KINDS = ("auto", "similarity", "distance", "log")


def check_kind(weight_kind: str) -> None:
    """Raise `InputError` with near matches unless `weight_kind` is in `KINDS`."""
    if not isinstance(weight_kind, str) or weight_kind not in KINDS:
        raise unknown("weight_kind", weight_kind, KINDS)


def similarities(
    values: Sequence | np.ndarray, weight_kind: str, attribute: str, name: Callable[[int], str],
    negative: str = NEGATIVE, signed: bool = False,
) -> np.ndarray:  # fmt: skip
    """Return the similarity of each edge, (m,) float64 >= 0, before parallel edges add up.

    "similarity" and "auto" are the number itself, "distance" mean(d) / d, so that the unit of length does not matter,
    "log" ln(1 + w).  `attribute`, `name` of the k-th edge and advice on a `negative` number are for messages.
    `signed`: negative numbers are allowed, and stay negative; not with "distance".
    """
    check_kind(weight_kind)
    if weight_kind != "distance":
        result = numbers(values, attribute, name, not signed, negative, TEXT_WEIGHTS)
        return np.copysign(np.log1p(np.abs(result)), result) if weight_kind == "log" else result

    def refuse(wrong: np.ndarray, why: str) -> None:
        if wrong.any():
            k = int(np.argmax(wrong))
            raise InputError(
                f'{name(k)} has {attribute} {short_repr(values[k])}; with weight_kind="distance" {why}: '
                "remove or merge such edges, or say what the numbers are with another weight_kind"
            )

    distances = numbers(values, attribute, name, text=TEXT_WEIGHTS)
    refuse(distances <= 0, "distances must be > 0")
    if not len(distances):
        return distances
    relative = distances / distances.max()  # first, so that the mean of huge numbers stays finite
    with np.errstate(over="ignore", divide="ignore"):
        result = relative.mean() / relative
    refuse(~np.isfinite(result), "mean / distance overflows")
    return result


def unread(
    weight: str, attributes: Iterable[object], numeric: Callable[[str], bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes and doubts (see `Network`) on a graph without the edge attribute `weight`.

    The default name may be absent.  The note then names the numeric attributes.  If there is exactly one, the user
    probably meant it, and the note is a doubt too.
    """
    present = sorted(name for name in attributes if isinstance(name, str))
    if weight != "weight":
        near = near_matches(weight, present)
        hint = f": did you mean {near[0]!r}?" if near else "."
        there = "The edges have no attributes"
        if present:
            there = f"The edge attributes are {', '.join(map(repr, present))}"
        raise InputError(f"no edge has the attribute {weight!r}{hint} {there}; weight=None takes every edge as 1")
    could = [name for name in present if name not in NOT_A_WEIGHT and numeric(name)]
    could = [name for name in could if name.lower() == weight] or could  # "Weight" is the one that is meant
    if not could:
        return (), ()
    note = "no edge has the attribute 'weight', all weigh 1"
    far = [name for name in could if is_length(name)]
    if len(could) > 1:
        how = f', with weight_kind="distance" for {" and ".join(map(repr, far))}' if far else ""
        note += f"; the edge attributes {', '.join(map(repr, could))} hold numbers: weight= uses one of them{how}"
        return (note,), ()
    how = ' with weight_kind="distance"' if far else ""
    note += f"; weight={could[0]!r}{how} would use the numbers there"
    return (note,), (f"{note}, and weight=None takes every edge as 1 without this warning",)


def zero_note(zeros: int, what: str = "edges") -> tuple[str, ...]:
    """Return a note about edges of weight 0, which are not in the network."""
    if not zeros:
        return ()
    return (f"{zeros} {what} of weight 0 taken as no edge; weight=None takes every edge as 1",)
