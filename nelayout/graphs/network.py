"""`Network`, the only graph type outside this room, and how a list of edges becomes one.

A digraph with an edge 0 -> 1 of weight 2, an edge 1 -> 0 of weight 3 and a self-loop at 1 becomes one
undirected edge of weight 5::

    >>> symmetric(2, np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([2.0, 3.0, 7.0])).toarray()
    array([[0., 5.],
           [5., 0.]])

Nothing else is decided here: which attribute is the weight and what it means is read in
`nelayout.graphs.weights`, and each host (networkx, igraph, arrays) has a file of its own.
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
    """One graph as its library knows it: reads what is given for each node, writes positions back.

    A host says what differs between libraries (`attributes`, `attribute`, `write`, perhaps `opened`); the rest follows.

    aliases  the names that a node answers to, as sequences in node order; the first one is `Network.labels`
    stores   whether `write` can keep positions in the graph itself
    about_numbers  what a whole number means as a node, where that may be doubted; else nothing
    """

    aliases: Sequence[Sequence[Hashable]]
    stores: bool
    about_numbers: tuple[str, ...] = ()

    def attributes(self) -> Sequence[str]:
        """The names of the node attributes."""
        ...

    def attribute(self, name: str, what: str) -> list:
        """A node attribute in node order, None where a node has none.

        Raises `InputError` with near matches if there is no such attribute; `what` says what it was wanted for.
        """
        ...

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """Positions (n, dim) in the host's own type; with `store_pos_as` also kept in the graph."""
        ...

    def opened(self, x: Any) -> Any:
        """Values and nodes in a type of the library's own, by label or in node order; anything else as it is."""
        return x

    def positions(self, pos: Any, dim: int) -> np.ndarray:
        """Positions as they were given -> (n, dim) float64 in node order, NaN rows where a node has none.

        Extra keys are ignored.  Raises `InputError` naming the node for a wrong length or a number that
        is not finite.
        """
        return per_node.positions(self.opened(pos), dim, self.aliases)

    def held(self, which: Any, dim: int, what: str = "fixed") -> np.ndarray:
        """Nodes, or axes for each, as users give them -> (n, dim) mask of the coordinates that are held.

        Raises `InputError` naming the label that is no node of the graph, or what is no axis.
        """
        return per_node.held(self.opened(which), dim, what, self.aliases)

    def nodes(self, which: Iterable | None, what: str = "fixed") -> np.ndarray:
        """Node labels (or one label, or a boolean mask) -> their indices, int64, sorted, each once.

        Raises `InputError` naming the label that is no node of the graph.
        """
        return per_node.nodes(self.opened(which), what, self.aliases)

    def values(self, x: Any, what: str, *, nonnegative: bool = False) -> np.ndarray:
        """One number per node, (n,) float64, from a scalar, dict, array or the name of a node attribute.

        Raises `InputError` naming the node with a value that is missing, not a number or not finite (with
        `nonnegative`: or negative), and for an attribute that does not exist, with near matches.
        """
        if not isinstance(x, str):
            return per_node.values(self.opened(x), what, self.aliases, nonnegative=nonnegative)
        named = zip(self.aliases[0], self.attribute(x, what), strict=True)
        given = {label: value for label, value in named if value is not None}
        return per_node.values(given, f"{what} {x!r}", self.aliases[:1], nonnegative=nonnegative)

    def objects(self, x: Any, what: str) -> list:
        """One object per node, None where there is none, from a dict, an array or the name of a node attribute.

        Raises `InputError` for a wrong length, a dict without any node of the graph, an unknown attribute.
        """
        return self.attribute(x, what) if isinstance(x, str) else per_node.objects(self.opened(x), what, self.aliases)


class Library(Protocol):
    """A module of `nelayout.graphs` that knows the graphs of one library."""

    def recognizes(self, G: Any) -> bool:
        """Whether `G` is a graph of the library."""
        ...

    def read(self, G: Any, weight: str | None, weight_kind: str) -> Network:
        """See `nelayout.graphs.read`."""
        ...

    def links(self, G: Any) -> Links:
        """The edges one by one, in the library's own order and direction."""
        ...

    def host(self, G: Any, /) -> Host:
        """The graph as a host, its edges unread."""
        ...

    def guard(self) -> AbstractContextManager[None]:
        """Within it, `InputError` and `Unsupported` become errors of the library as well, if it has any."""
        ...

    def places(self, pos: Any, /) -> per_node.Places | None:
        """Positions of the library's own type, opened; None for others."""
        ...

    def as_networkx(self, G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
        """The graph as a networkx graph of the nodes `labels`, with all attributes."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Node labels and symmetric weights.

    labels     node labels in the host's order (``range(n)`` for arrays)
    adjacency  (n, n) symmetric csr_array, float64 > 0, int32 indices, sorted, without duplicates, without
               diagonal: P_ij = P_ji, for a directed graph w_ij + w_ji
    directed   whether the host's graph was (then opposite edges have been added up)
    weighted   whether an edge weight other than 1 was read
    notes      sentences about what was read otherwise than a user may expect (a numeric attribute left unused)
    host       writes positions back and reads what is given for each node
    zeros      whether edges of weight 0 were left out
    doubts     sentences on input that was most likely meant otherwise; drawings warn of it
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
    """The edges of a graph as its library lists them, self-loops and parallel ones among them.

    rows, cols  (m,) int64, the nodes that each edge leaves and enters
    names       the edge attributes
    attribute   one of them -> its value for each edge, None where an edge has none
    """

    rows: np.ndarray
    cols: np.ndarray
    names: Sequence[str]
    attribute: Callable[[str], list]


def symmetric(n: int, rows: np.ndarray, cols: np.ndarray, weights: np.ndarray) -> csr_array:
    """Sum of the edges (rows[k], cols[k]) of weight weights[k], taken as undirected.

    Self-loops and weights 0 are dropped, parallel and opposite edges add up.  Summed once, in the upper
    triangle, and mirrored: the result equals its transpose bit by bit.

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
    """Sort and sum the entries of a matrix, with int32 indices; takes over the memory of `matrix`."""
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
    """Raises `Unsupported` before a graph is built that 32-bit indices cannot number."""
    if max(n, entries) > LARGEST_INDEX:
        raise Unsupported(
            f"the graph has {n} nodes and {entries} matrix entries; at most {LARGEST_INDEX} of each can be "
            "indexed: lay out a part of it, or a coarser graph"
        )
