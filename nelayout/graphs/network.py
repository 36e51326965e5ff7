"""Define `Network`, the graph type of all other packages, and build it from edges.

A digraph with an edge 0 -> 1 of weight 2, an edge 1 -> 0 of weight 3 and a self-loop at 1 becomes one
undirected edge of weight 5::

    >>> symmetric(2, np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([2.0, 3.0, 7.0])).toarray()
    array([[0., 5.],
           [5., 0.]])

Layouts use similarities: a large P_ij draws i and j together.  ``weight_kind`` states what the numbers are;
nelayout never guesses it.  For the numbers 1, 2 and 3 (mean 2)::

    >>> for kind in KINDS:
    ...     print(kind, similarities(np.array([1.0, 2.0, 3.0]), kind, "weight", str).round(3))
    similarity [1. 2. 3.]
    distance [2.    1.    0.667]
    log [0.693 1.099 1.386]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, Unsupported, near_matches, unknown
from nelayout.graphs.host import Host, holds_weights
from nelayout.graphs.to_floats import TEXT, numbers, plain_numbers, short_repr

__all__ = [
    "NEGATIVE", "Network", "canonical", "check_kind", "check_size", "network_of", "similarities", "symmetric",
    "zero_note",
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
    """

    labels: Sequence[Hashable]
    adjacency: csr_array
    directed: bool
    weighted: bool
    notes: tuple[str, ...]
    host: Host
    zeros: bool = False
    doubts: tuple[str, ...] = ()


def network_of(host: Host, weight: Any, weight_kind: str) -> Network:
    """Return the `Network` of a graph's edges; see `nelayout.graphs.read` for the rules.

    An edge without the attribute weighs 1.  Messages name an edge by the labels of its ends.

    >>> from nelayout.graphs import Links
    >>> class Path(Host):
    ...     def links(self, weight=None):
    ...         return Links(np.array([0, 1, 2]), np.array([1, 2, 2]), ["km"], lambda name: [2.0, None, 9.0])
    >>> host = Path(None)
    >>> host.aliases = ["abc"]
    >>> network_of(host, "km", "similarity").adjacency.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    """
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


# Numeric edge attributes that only identify edges, in GraphML, GEXF and multigraphs.
NOT_A_WEIGHT = frozenset({"id", "key"})


def _distance(values: np.ndarray) -> np.ndarray:
    """Return mean(d) / d: an edge of mean length weighs 1, independent of the unit of length."""
    if len(values) == 0:
        return values
    relative = values / values.max()  # first, so that the mean of huge numbers stays finite
    with np.errstate(over="ignore", divide="ignore"):
        return relative.mean() / relative


# Advice of the error for negative weights, such as correlations.
NEGATIVE = "weight=None takes every edge as 1; or take absolute values (abs), or leave the negative ones out"
# Advice on text in place of a weight.
TEXT_WEIGHTS = f"{TEXT}, or weight=None takes every edge as 1"

# `weight_kind` -> (numbers of all edges -> similarities). With "log", a few heavy edges do not outweigh all others.
KINDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "similarity": lambda values: values,
    "distance": _distance,
    "log": np.log1p,
}


def check_kind(weight_kind: str) -> None:
    """Raise `InputError` with near matches unless `weight_kind` is in `KINDS`."""
    if not isinstance(weight_kind, str) or weight_kind not in KINDS:
        raise unknown("weight_kind", weight_kind, KINDS)


def similarities(
    values: Sequence | np.ndarray,
    weight_kind: str,
    attribute: str,
    name: Callable[[int], str],
    negative: str = NEGATIVE,
) -> np.ndarray:
    """Return the similarity of each edge, (m,) float64 >= 0, before parallel edges add up.

    Parameters
    ----------
    values : the number of each edge (each undirected edge once, or each twice; self-loops left out).
    weight_kind : "similarity" (w), "distance" (mean(d) / d), "log" (ln(1 + w)).
    attribute : name of the numbers, for messages.
    name : returns the name of the k-th edge, for messages.
    negative : advice about a negative number, for messages.

    Raises
    ------
    InputError
        naming the first edge with a number that is negative, NaN, infinite or missing; for distances also
        a 0, or a distance so short beside the mean that mean(d) / d overflows.
    """
    check_kind(weight_kind)
    if weight_kind == "distance":
        read = numbers(values, attribute, name, text=TEXT_WEIGHTS)
        _refuse_distances(read <= 0, values, attribute, name, "distances must be > 0")
        result = KINDS[weight_kind](read)
        _refuse_distances(~np.isfinite(result), values, attribute, name, "mean / distance overflows")
        return result
    return KINDS[weight_kind](numbers(values, attribute, name, True, negative, TEXT_WEIGHTS))


def _refuse_distances(
    wrong: np.ndarray, values: Sequence | np.ndarray, attribute: str, name: Callable[[int], str], why: str
) -> None:
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            f'{name(k)} has {attribute} {short_repr(values[k])}; with weight_kind="distance" {why}: '
            "remove or merge such edges, or say what the numbers are with another weight_kind"
        )


def attribute_words(weight: object) -> str:
    """Return the attribute's name in messages: "weight", or "weight 'km'" for any other name."""
    return "weight" if weight == "weight" else f"weight {weight!r}"


def unread(
    weight: Any, attributes: Iterable[Any], numeric: Callable[[Any], bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes and doubts (see `Network`) on a graph without the edge attribute `weight`.

    The default name may be absent.  The note then names the numeric attributes.  If there is exactly one, the user
    probably meant it, and the note is a doubt too.

    Raises
    ------
    InputError
        for any name except the default, with near matches.

    Examples
    --------
    >>> unread("weight", ["value", "color"], lambda name: name == "value")[0]
    ("no edge has the attribute 'weight', all weigh 1; weight='value' would use the numbers there",)
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
    if len(could) > 1:
        note += f"; the edge attributes {', '.join(map(repr, could))} hold numbers: weight= uses one of them"
        return (note,), ()
    note += f"; weight={could[0]!r} would use the numbers there"
    return (note,), (f"{note}, and weight=None takes every edge as 1 without this warning",)


def zero_note(zeros: int, what: str = "edges") -> tuple[str, ...]:
    """Return a note about edges of weight 0, which are not in the network."""
    if not zeros:
        return ()
    return (f"{zeros} {what} of weight 0 taken as no edge; weight=None takes every edge as 1",)
