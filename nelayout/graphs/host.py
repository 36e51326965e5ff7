"""`Host`: one graph of a library, with its edges, values per node, and positions.

>>> host = Host(None, [["a", "b"]])
>>> host.positions({"b": (3, 4), "elsewhere": (0, 0)}, 2)
array([[nan, nan],
       [ 3.,  4.]])
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError, InputTypeError, near_matches, unknown, warn
from nelayout.graphs.plain import Named, categories_of, is_missing, listed, name_of
from nelayout.graphs.to_floats import REAL, numbers, short_repr

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "Attributes", "Host", "Links", "Places", "as_mapping", "holds_weights", "is_a", "networkx_graph", "warn_of_others",
]  # fmt: skip

MISSING: Any = object()
# Values of a node or an edge by the names of the attributes.
Attributes = dict[str, Any]
# Names of the axes, in the order of the coordinates.
AXES = ("x", "y", "z")
# Largest number of keys in a warning.
MAX_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Edges of a graph as its library lists them, with self-loops and parallel edges.

    rows, cols  (m,) int64, the nodes that each edge leaves and enters
    names       the edge attributes
    attribute   name of an attribute -> its value for each edge, `absent` where an edge has none
    notes       sentences on edges that are left out
    """

    rows: np.ndarray
    cols: np.ndarray
    names: Sequence[str]
    attribute: Callable[[str], list]
    absent: Any = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Opened positions of any type.

    given  a dict keyed by node, or one row of coordinates per node in node order
    close  convert rows of numbers, in the order of `rows`, to the type of the opened positions
    """

    given: Any
    close: Callable[[np.ndarray], Any]

    @property
    def keys(self) -> list[Hashable] | None:
        """Nodes that have a row; None if the rows are in node order."""
        return list(self.given) if isinstance(self.given, Mapping) else None

    @property
    def rows(self) -> Sequence:
        """Coordinates of each node, as the caller gave them."""
        return list(self.given.values()) if isinstance(self.given, Mapping) else self.given

    @property
    def dim(self) -> int:
        """Number of coordinates of the first position; 2 without positions."""
        return int(np.size(next(iter(self.rows), (0, 0))))


class Host:
    """One graph and its library: lists edges, reads values per node, writes positions back.

    Each library implements `links`, `columns` or `attribute`, `close`, and perhaps `places`, `opened` and `store`.

    package, kinds  name of the library, and its classes of graphs
    aliases   label sequences in node order, each usable for nodes; the first one is `Network.labels`
    stores    whether `write` can keep positions in the graph itself
    directed  whether edges have a direction
    kind      name of a node attribute in messages
    bare      message for a library without attributes of nodes, of n nodes
    lengths   heading of the column of distances, if a table has one and no column of weights
    about_numbers  a note on the meaning of whole numbers as nodes, if ambiguous; else empty
    """

    G: Any  # the graph, of a class of the library
    package: str = ""
    kinds: tuple[str, ...] = ()
    aliases: Sequence[Sequence[Hashable]]
    stores: bool = False
    directed: bool = False
    kind, bare = "node attribute", ""
    lengths: str | None = None
    about_numbers: tuple[str, ...] = ()

    def __init__(self, G: object, aliases: Sequence[Sequence[Hashable]] = (), directed: bool = False):
        self.G, self.aliases, self.directed = G, aliases, directed

    @classmethod
    def recognizes(cls, G: object) -> bool:
        """Return whether `G` is a graph of the library."""
        return is_a(G, cls.package, *cls.kinds)

    @staticmethod
    def translated_errors() -> AbstractContextManager[None]:
        """Turn errors of nelayout, within the block, into errors of the library too."""
        return nullcontext()

    @staticmethod
    def places(pos: object) -> Places | None:  # noqa: ARG004  # most libraries have a type of positions
        """Open positions of the library's type; None for others."""
        return None

    def links(self, weight: object = MISSING) -> Links:
        """Return the edges in the library's order; `weight`: as a network of this weight has."""
        raise TypeError("a host lists its edges")

    def as_networkx(self, labels: Sequence[Hashable], node_data: Mapping[str, object]) -> nx.Graph:
        """Copy nodes and edges with attributes to networkx; parallel edges make a multigraph."""
        listed, every = self.links(), {**self.columns(), **node_data}
        known = {name: x for name, x in every.items() if getattr(x, "ndim", 1) == 1 and len(x) == len(labels)}
        nodes = {v: {name: x[k] for name, x in known.items() if x[k] is not None} for k, v in enumerate(labels)}
        columns = {name: listed.attribute(name) for name in listed.names}
        edges = [
            (labels[i], labels[j], None, {name: x[k] for name, x in columns.items() if x[k] is not None})
            for k, (i, j) in enumerate(zip(listed.rows.tolist(), listed.cols.tolist(), strict=True))
        ]
        directed, ends = self.directed, np.column_stack([listed.rows, listed.cols])
        ends = ends if directed else np.sort(ends, axis=1)
        return networkx_graph(nodes, edges, directed, len(np.unique(ends, axis=0)) < len(ends))

    def columns(self) -> Mapping[str, list]:
        """Return {node attribute: values in node order, None where a node has none}."""
        return {}

    def attributes(self) -> Sequence[str]:
        """Return the names of the node attributes."""
        return sorted(self.columns())

    def attribute(self, name: str, what: str) -> list:
        """Return a node attribute in node order, None where a node has none; `what` it is for."""
        if self.bare:
            raise InputError(f"{what}={name!r}: {self.bare.format(n=len(self.aliases[0]))}")
        columns = self.columns()
        if name not in columns:
            raise unknown(f"{self.kind} for {what}", name, columns)
        return columns[name]

    def opened(self, x: object) -> Any:
        """Convert values and nodes of the library's types to labels or node order."""
        return x

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """Return positions (n, dim) in the library's type; `store_pos_as` also stores them."""
        self.check_stores(store_pos_as)
        pos = self.close(np.array(Y, dtype=np.float64))
        if store_pos_as is not None:
            self.store(store_pos_as, pos)
        return pos

    def check_stores(self, store_pos_as: str | None) -> None:
        """Raise `InputError` if positions shall be stored in a graph that cannot hold them."""
        if store_pos_as is not None and not self.stores:
            raise InputError(
                "store_pos_as needs a graph whose nodes have attributes: one of networkx, igraph or graph-tool, or of "
                "rustworkx with a dict for each node; use the positions that come back"
            )

    def close(self, Y: np.ndarray) -> Any:
        """Return positions (n, dim) in the library's type: rows in node order."""
        return Y

    def with_nodes(self, labels: Sequence[Hashable]) -> Host:
        """Return a host of other nodes, which closes positions as this one does."""
        other = copy(self)
        other.aliases = [labels]
        return other

    def store(self, name: str, pos: object) -> None:
        """Keep what `close` returned in a node attribute of the graph."""

    def positions(self, pos: object, dim: int) -> np.ndarray:
        """Return (n, dim) float64 positions in node order, NaN rows where a node has none."""
        pos = self.opened(pos)
        where: Sequence[int] = range(len(self.aliases[0]))
        result = np.full((len(where), dim), np.nan)
        if pos is None:
            return result
        found = self._found(pos)
        if found is None:
            rows = self._sequence(pos, "pos")
        else:
            where = [i for i, row in enumerate(found) if row is not MISSING]
            rows = [found[i] for i in where]
        try:
            coordinates = np.array(rows, dtype=np.float64)
        except (ValueError, TypeError):
            coordinates = np.zeros(0)
        if where and (coordinates.shape != (len(where), dim) or not np.isfinite(coordinates).all()):
            coordinates = np.array([self._position(row, dim, i) for row, i in zip(rows, where, strict=True)])
        if where:
            result[where] = coordinates
        return result

    def values(self, x: object, what: str, *, nonnegative: bool = False) -> np.ndarray:
        """Return one number per node, (n,) float64, from a scalar, dict, array or node attribute."""
        labels, given = self.aliases[0], None

        def name(k: int) -> str:
            return f"node {short_repr(labels[k])}"

        if isinstance(x, str):
            what, given = f"{what} {x!r}", [MISSING if v is None else v for v in self.attribute(x, what)]
        else:
            x = self.opened(x)
            if isinstance(x, REAL) or (isinstance(x, np.ndarray) and x.ndim == 0):
                return np.full(len(labels), numbers([x], what, lambda _: "every node", nonnegative))
            given = self._found(x)
        without = [] if given is None else [k for k, value in enumerate(given) if value is MISSING]
        if without:
            raise InputError(
                f"{name(without[0])} has no {what} ({len(without)} of {len(labels)} nodes have none); give every node "
                "one"
            )
        return numbers(self._sequence(x, what) if given is None else given, what, name, nonnegative)

    def objects(self, x: Any, what: str) -> Named:
        """Return one value per node or None, from a dict, an array or a node attribute.

        Warn of keys that are not nodes.
        """
        if isinstance(x, str):
            return Named(listed(self.attribute(x, what)), x)
        name, categories, n = name_of(x), categories_of(x), len(self.aliases[0])
        x = self.opened(x)
        given = self._found(x)
        if given is not None:
            if n and all(value is MISSING for value in given):
                raise InputError(
                    f"no key of {what} is a node of the graph; give a dict keyed by node, or one entry per node ({n})"
                )
            self.warn_of_others(x, what)
            values = (None if value is MISSING or is_missing(value) else value for value in given)
            return Named(values, name, categories)
        if not hasattr(x, "__len__") or len(x) != n:
            size = f"has {len(x)} entries" if hasattr(x, "__len__") else f"is {short_repr(x)}"
            raise InputError(
                f"{what} {size} and the graph has {n} nodes; give one entry per node, a dict keyed by node, or the "
                "name of a node attribute"
            )
        return Named(listed(x), name, categories)

    def warn_of_others(self, x: object, what: str) -> None:
        """Warn of keys of a mapping that are not nodes of the graph."""
        mapping = as_mapping(self.opened(x))
        if mapping is not None:
            warn_of_others(mapping, set().union(*self.aliases), what, "nodes")

    def keyed_by_edge(self, x: Any) -> Mapping | None:
        """Return `x` if its keys are edges: a mapping, or a Series indexed by pairs; else None."""
        mapping = as_mapping(x)
        pairs = isinstance(x, Mapping) or all(isinstance(key, tuple) for key in mapping or ())
        return mapping if pairs else None

    def edge_names(self, links: Links) -> list[list]:
        """Return the keys of each edge: (u, v), and (v, u) if it is undirected."""
        ends = list(zip(links.rows.tolist(), links.cols.tolist(), strict=True))
        names = [[(labels[i], labels[j]) for labels in self.aliases] for i, j in ends]
        return names if self.directed else [[*keys, *((v, u) for u, v in keys)] for keys in names]

    def nodes(self, which: Iterable | None, what: str = "fixed") -> np.ndarray:
        """Return sorted, unique int64 indices of node labels, of one label, or of a boolean mask."""
        which, n = self.opened(which), len(self.aliases[0])
        if which is None:
            return np.zeros(0, dtype=np.int64)
        flags = isinstance(which, (list, tuple)) and len(which) and all(isinstance(x, (bool, np.bool_)) for x in which)
        if flags and not any(isinstance(label, bool) for label in self.aliases[0]):
            which = np.array(which)
        mask = which if isinstance(which, np.ndarray) and which.dtype == bool else None
        if mask is not None:
            if mask.shape != (n,):
                raise InputError(f"{what} is a mask of shape {mask.shape}; the graph has {n} nodes: make it ({n},)")
            return np.flatnonzero(mask)
        index: dict[Hashable, int] = {}
        for labels in reversed(self.aliases):
            index.update(zip(labels, range(n), strict=True))
        if _is_key(which, index):
            which = [which]
        found = set()
        for label in [which] if isinstance(which, str) or not isinstance(which, Iterable) else which:
            if not _is_key(label, index):
                near = near_matches(label, [name for name in self.aliases[0] if isinstance(name, str)])
                hint = f"did you mean {near[0]!r}?" if near else f"give labels of the graph's {n} nodes"
                raise InputError(f"{what} holds {short_repr(label)}, which is not a node of the graph; {hint}")
            found.add(index[label])
        return np.array(sorted(found), dtype=np.int64)

    def held(self, which: Any, dim: int, what: str = "fixed") -> np.ndarray:
        """Return the (n, dim) mask of held coordinates of nodes, of {node: "xy"}, or of a mask."""
        which, n = self.opened(which), len(self.aliases[0])
        if isinstance(which, np.ndarray) and which.dtype == bool and which.ndim == 2:
            if which.shape != (n, dim):
                raise InputError(
                    f"{what} is a mask of shape {which.shape}, the graph has {n} nodes and the drawing {dim} "
                    f"dimensions: make it ({n}, {dim}), or ({n},) to hold nodes on every axis"
                )
            return which.copy()
        mask, mapping = np.zeros((n, dim), dtype=bool), as_mapping(which)
        if mapping is None or not any(isinstance(axes, str) for axes in mapping.values()):
            mask[self.nodes(which, what)] = True
            return mask
        alike: dict[str, list[Hashable]] = {}
        for label, axes in mapping.items():
            if not isinstance(axes, str) or not axes or not set(axes) <= set(AXES[:dim]):
                allowed = ", ".join(repr(axis) for axis in AXES[:dim])
                joined = f" or several of them, as {''.join(AXES[:dim])!r}" if dim > 1 else ""
                raise InputError(
                    f"{what} of node {short_repr(label)} is {short_repr(axes)}; in {dim} dimensions a node is held on "
                    f"{allowed}{joined}; a list of nodes holds them on every axis"
                )
            alike.setdefault(axes, []).append(label)
        for axes, labels in alike.items():
            mask[self.nodes(labels, what)[:, None], [AXES.index(letter) for letter in axes]] = True
        return mask

    def _found(self, x: object) -> list | None:
        """Return the value of each node, `MISSING` if it is no key; None if `x` is no mapping."""
        mapping = as_mapping(x)
        if mapping is None:
            return None
        given = [mapping.get(label, MISSING) for label in self.aliases[0]]
        for labels in self.aliases[1:]:
            pairs = zip(given, labels, strict=True)
            given = [mapping.get(label, MISSING) if value is MISSING else value for value, label in pairs]
        return given

    def _sequence(self, x: Any, what: str) -> Sequence | np.ndarray:
        """Return one value per node in node order; raise `InputError` for another number or type."""
        n = len(self.aliases[0])
        if isinstance(x, np.ma.MaskedArray):
            x = np.ma.filled(x.astype(float), np.nan)  # the check for numbers then names the masked entry
        if isinstance(x, (str, bytes, AbstractSet)) or not hasattr(x, "__len__"):  # a set has no order
            raise InputTypeError(
                f"{what} is {short_repr(x)} ({type(x).__name__}); "
                "allowed are a dict keyed by node and an array in node order"
            )
        if len(x) != n:
            raise InputError(
                f"{what} has {len(x)} rows and the graph has {n} nodes; give one row per node in node order, "
                "or a dict keyed by node"
            )
        return x if isinstance(x, np.ndarray) else list(x)

    def _position(self, row: object, dim: int, i: int) -> np.ndarray:
        """Return one node's position; raise the error that names the node."""
        node, must = f"pos of node {short_repr(self.aliases[0][i])}", f"it must be {dim} finite numbers"
        try:
            array = np.asarray(row, dtype=np.float64)
        except (ValueError, TypeError):
            raise InputError(f"{node} is {short_repr(row)}; {must}") from None
        if array.ndim != 1:
            raise InputError(f"{node} is {short_repr(row)}; it must be a list of {dim} numbers")
        found = len(array)
        if found != dim:
            pass_it = f"pass dim={found}, or positions with {dim} coordinates"
            raise InputError(f"{node} has {found} coordinates and dim={dim}; {pass_it}")
        if not np.isfinite(array).all():
            out = "leave a node without position out of a dict"
            raise InputError(f"{node} is {short_repr(array.tolist())}; {must}: {out}")
        return array


def networkx_graph(nodes: Mapping, edges: Sequence[tuple], directed: bool, several: bool | None = None) -> nx.Graph:
    """Build a networkx graph of edges (u, v, key, attributes); None: several if any repeat."""
    import networkx

    if several is None:
        several = len({(u, v) if directed else frozenset((u, v)) for u, v, *_ in edges}) < len(edges)
    kinds = (networkx.DiGraph, networkx.MultiDiGraph) if directed else (networkx.Graph, networkx.MultiGraph)
    G: Any = kinds[several]()
    G.add_nodes_from(nodes.items())
    if not several:
        G.add_edges_from((u, v, own) for u, v, _, own in edges)
        return G
    for u, v, key, own in edges:
        G.add_edges_from([(u, v, None if key is None or G.has_edge(u, v, key) else key, own)])
    return G


def is_a(x: object, package: str, *names: str) -> bool:
    """Return whether `x` is an instance of a class of the package; do not import the package."""
    module = sys.modules.get(package)
    return isinstance(x, tuple(kind for name in names if (kind := getattr(module, name, None)) is not None))


def holds_weights(weight: object) -> bool:
    """Return whether `weight` is an edge property map of graph-tool: the weights themselves."""
    return is_a(weight, "graph_tool", "EdgePropertyMap")


def as_mapping(x: Any) -> Mapping | None:
    """Return `x` if it is a mapping, a pandas Series as a dict by its index, else None."""
    return x if isinstance(x, Mapping) else x.to_dict() if is_a(x, "pandas", "Series") else None


def warn_of_others(keys: Collection, known: Container, what: str, kind: str) -> None:
    """Warn of unknown keys of the mapping `what`; `kind` is "nodes" or "edges"."""
    others = [key for key in keys if key not in known]
    if others:
        shown = ", ".join(map(short_repr, others[:MAX_SHOWN])) + ", ..." * (len(others) > MAX_SHOWN)
        few = f"{len(others)} of {len(keys)} ({shown})"
        warn(f"keys of {what} that are not {kind} of the graph: {few}. They are left out; give no other keys")


def _is_key(label: object, index: Mapping) -> bool:
    try:
        return label in index
    except TypeError:  # not hashable, for example a list of labels
        return False
