"""Define `Network`, the graph type of all other packages, and build it from edges.

A digraph with an edge 0 -> 1 of weight 2, an edge 1 -> 0 of weight 3 and a self-loop at 1 becomes one
undirected edge of weight 5::

    >>> symmetric(2, np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([2.0, 3.0, 7.0])).toarray()
    array([[0., 5.],
           [5., 0.]])

`nelayout.graphs.weights` selects the weight attribute and converts its numbers.  Each graph library has its own
file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, Unsupported
from nelayout.graphs import per_node

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["Host", "Library", "Links", "Network", "canonical", "check_size", "symmetric"]

LARGEST_INDEX = np.iinfo(np.int32).max


class Host(Protocol):
    """One graph and its library: reads values per node, writes positions back.

    Each library implements `attributes`, `attribute`, `write` and perhaps `opened`; the other methods follow.

    aliases  label sequences in node order, each usable for nodes; the first one is `Network.labels`
    stores   whether `write` can keep positions in the graph itself
    about_numbers  a note on the meaning of whole numbers as nodes, if ambiguous; else empty
    """

    aliases: Sequence[Sequence[Hashable]]
    stores: bool
    about_numbers: tuple[str, ...] = ()

    def attributes(self) -> Sequence[str]:
        """Return the names of the node attributes."""
        ...

    def attribute(self, name: str, what: str) -> list:
        """Return a node attribute in node order, None where a node has none.

        Raises `InputError` with near matches for an unknown name; `what` is the purpose for the message.
        """
        ...

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """Return positions (n, dim) in the library's type; `store_pos_as` also stores them."""
        ...

    def opened(self, x: Any) -> Any:
        """Convert values and nodes of the library's types to labels or node order."""
        return x

    def positions(self, pos: Any, dim: int) -> np.ndarray:
        """Return (n, dim) float64 positions in node order, NaN rows where a node has none.

        Extra keys are ignored.  Raises `InputError` naming the node for a wrong length or a number that
        is not finite.
        """
        return per_node.positions(self.opened(pos), dim, self.aliases)

    def held(self, which: Any, dim: int, what: str = "fixed") -> np.ndarray:
        """Return the (n, dim) mask of held coordinates, from nodes or from axes for each node.

        Raises `InputError` naming an unknown node or axis.
        """
        return per_node.held(self.opened(which), dim, what, self.aliases)

    def nodes(self, which: Iterable | None, what: str = "fixed") -> np.ndarray:
        """Return sorted, unique int64 indices of node labels, of one label, or of a boolean mask.

        Raises `InputError` naming the label that is not in the graph.
        """
        return per_node.nodes(self.opened(which), what, self.aliases)

    def values(self, x: Any, what: str, *, nonnegative: bool = False) -> np.ndarray:
        """Return one number per node, (n,) float64, from a scalar, dict, array or node attribute.

        Raises `InputError` naming the node with a value that is missing, not a number or not finite (with
        `nonnegative`: or negative).  For an unknown attribute, the error has near matches.
        """
        if not isinstance(x, str):
            return per_node.values(self.opened(x), what, self.aliases, nonnegative=nonnegative)
        named = zip(self.aliases[0], self.attribute(x, what), strict=True)
        given = {label: value for label, value in named if value is not None}
        return per_node.values(given, f"{what} {x!r}", self.aliases[:1], nonnegative=nonnegative)

    def objects(self, x: Any, what: str) -> list:
        """Return one object per node or None, from a dict, an array or a node attribute.

        Raises `InputError` for a wrong length, a dict without any node of the graph, an unknown attribute.
        """
        return self.attribute(x, what) if isinstance(x, str) else per_node.objects(self.opened(x), what, self.aliases)


class Library(Protocol):
    """A module of `nelayout.graphs` for the graphs of one library."""

    def recognizes(self, G: Any) -> bool:
        """Return whether `G` is a graph of the library."""
        ...

    def read(self, G: Any, weight: str | None, weight_kind: str) -> Network:
        """See `nelayout.graphs.read`."""
        ...

    def links(self, G: Any) -> Links:
        """Return the edges one by one, in the library's own order and direction."""
        ...

    def host(self, G: Any, /) -> Host:
        """Return the host of the graph without reading its edges."""
        ...

    def guard(self) -> AbstractContextManager[None]:
        """Turn `InputError` and `Unsupported` into errors of the library too, if it has any."""
        ...

    def places(self, pos: Any, /) -> per_node.Places | None:
        """Open positions of the library's own type; None for others."""
        ...

    def as_networkx(self, G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
        """Return the graph as a networkx graph of the nodes `labels`, with all attributes."""
        ...


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


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Edges of a graph as its library lists them, with self-loops and parallel edges.

    rows, cols  (m,) int64, the nodes that each edge leaves and enters
    names       the edge attributes
    attribute   name of an attribute -> its value for each edge, None where an edge has none
    """

    rows: np.ndarray
    cols: np.ndarray
    names: Sequence[str]
    attribute: Callable[[str], list]


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
