"""Read graphs of networkx, igraph and other libraries; write positions in their types.

Only this package handles labels, attributes, directions, parallel edges and self-loops of the libraries.
`HOSTS` lists them.  nelayout looks a library up in `sys.modules`, because the caller of a graph has loaded it.

    >>> import networkx as nx
    >>> network = read(nx.path_graph(["a", "b", "c"]))
    >>> network.labels, network.adjacency.nnz, network.directed, network.weighted
    (['a', 'b', 'c'], 4, False, False)
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs.host import Host, Links, Places, holds_weights, is_a
from nelayout.graphs.libraries import LIBRARIES, ArrayHost
from nelayout.graphs.network import Network, canonical, network_of

__all__ = [
    "HOSTS", "ArrayHost", "Host", "Links", "Network", "Places", "canonical", "every_position", "graph_of",
    "holds_weights", "host_of", "translated_errors", "links", "places", "points", "read",
]  # fmt: skip

# Name of a library -> its host. The first one that recognizes a graph reads it.
HOSTS: dict[str, type[Host]] = {host.package: host for host in (*LIBRARIES, ArrayHost)}

# Accepted graph types, for messages.
TAKEN = (
    "networkx graphs, igraph.Graph, rustworkx.PyGraph and PyDiGraph, networkit.Graph, graph_tool.Graph, tables of "
    "edges of pandas, polars and pyarrow (columns source and target), adjacency tables of pandas, scipy.sparse "
    "matrices or arrays, and square NumPy arrays"
)
# Package of unsupported graphs -> how to convert them to an accepted type.
CONVERSIONS = {
    "cugraph": "G.to_pandas_edgelist() gives a pandas table of edges",
    "dgl": "dgl.to_networkx(g) gives a networkx graph",
    "polars": "frame.collect() of a LazyFrame gives a table",
    "pyarrow": "dataset.to_table() of a dataset and reader.read_all() of a stream give a table",
    "pydot": "networkx.nx_pydot.from_pydot(P) gives a networkx graph",
    "pygraphviz": "networkx.nx_agraph.from_agraph(A) gives a networkx graph",
    "torch": "tensor.numpy() gives an array; a torch_geometric graph becomes one of networkx with to_networkx(data)",
    "torch_geometric": "torch_geometric.utils.to_networkx(data) gives a networkx graph",
}


def read(
    G: Any, weight: str | None = "weight", weight_kind: str = "auto", signed: bool = False
) -> Network:
    """Read any graph into a `Network`: node labels and symmetric weights.

    P_ij = P_ji = w for an undirected edge, and w_ij + w_ji for directed edges.  Parallel edges add up.  Self-loops
    and edges of weight 0 are dropped.  `G` is not changed, and the result shares no memory with it.

    `weight` names the edge attribute that holds the weights; None takes every edge as 1.  An edge without it weighs 1.
    If no edge has "weight", all weigh 1, and `Network.notes` names the numeric attributes that were not used.  Any
    other name that no edge has is an error.  A matrix has its entries under any name; None takes stored ones as 1.
    See `similarities` for `weight_kind`; "auto" is "distance" for a column of a table with the heading of a length.
    `signed`: weights < 0 are allowed, and `Network.negative` holds them.  Errors name the edge.
    """
    if is_a(G, "nelayout.graphs.files.record", "GraphFile"):
        if weight == "weight":
            weight, weight_kind = G.weight, G.weight_kind if weight_kind == "auto" else weight_kind
        network = read(G.graph, weight, weight_kind, signed)
        return replace(network, notes=(*G.notes, *network.notes))
    try:
        with translated_errors(G):
            host = host_of(G)
            if isinstance(host, ArrayHost):
                return host.read(weight, weight_kind, signed)
            return network_of(host, weight, weight_kind, signed)
    except AttributeError as error:  # a name that this version of the library does not have
        package = type(G).__module__.partition(".")[0]
        version = getattr(sys.modules.get(package), "__version__", "of an unknown version")
        raise InputTypeError(
            f"this {_kind(G)} cannot be read: {error} ({package} {version}); install a version that nelayout supports, "
            f"or convert the graph: allowed are {TAKEN}"
        ) from error


def graph_of(G: object) -> Any:
    """Return `G`, or an empty networkx graph for the empty list, as networkx's layouts do."""
    if not (isinstance(G, list) and not G):
        return G
    from networkx import Graph

    return Graph()


def host_of(G: Any) -> Host:
    """Return the host of a graph or a `GraphFile`; raise `InputTypeError` for others."""
    if is_a(G, "nelayout.graphs.files.record", "GraphFile"):
        return G.host
    for host in HOSTS.values():
        if host.recognizes(G):
            return host(G)
    raise _no_graph(G)


def links(G: object) -> Links:
    """Return the edges of `G` one by one in its library's order; parallel edges stay separate."""
    return host_of(G).links()


def points(pos: object) -> Network:
    """Return a network without edges: one node per key of the positions, or per row."""
    opened = places(pos)
    labels = range(len(opened.given)) if opened.keys is None else opened.keys
    matrix = csr_array((len(labels), len(labels)))
    host = ArrayHost(matrix)
    host.aliases = [labels]
    return Network(labels, canonical(matrix), False, False, (), host)


def places(pos: object, host: Host | None = None) -> Places:
    """Open positions of any library's type, or of a `Solution`, as a dict or as rows.

    For a matrix, positions are rows, even if they come in a frame with an index.
    """
    pos = getattr(pos, "positions", pos)
    pos = host.opened(pos) if isinstance(host, ArrayHost) else pos
    cells = hasattr(pos, "obsm")  # AnnData: an array of it would be an array of objects
    for each in () if cells else HOSTS.values():
        opened = each.places(pos)
        if opened is not None:
            return opened
    hint = ". Pass a part of obsm, such as adata.obsm['X_nelayout'], which nelayout.embed_cells writes" * cells
    raise InputTypeError(
        "positions must be a dict keyed by node, an igraph.Layout, a vertex property map of graph-tool, a DataFrame "
        f"indexed by node, an array (n, dim) in node order, or a Solution; got {type(pos).__name__}{hint}"
    )


def every_position(network: Network, pos: object, what: str = "pos") -> np.ndarray:
    """Return the positions of all nodes, (n, dim) float64; the first position gives dim."""
    opened = places(pos, network.host)
    Y = network.host.positions(opened.given, opened.dim)
    missing = np.flatnonzero(np.isnan(Y).any(axis=1))
    if opened.keys and len(missing) == len(Y) > 0:
        key, node = opened.keys[0], network.labels[0]
        raise InputError(
            f"{what} must have nodes of the graph for keys, such as {node!r} ({type(node).__name__}); got "
            f"{key!r} ({type(key).__name__}). Keys of JSON are texts: turn them into nodes of the graph"
        )
    if len(missing):
        raise InputError(
            f"{what} has no position for node {network.labels[missing[0]]!r} "
            f"({len(missing)} of {len(Y)} nodes have none); "
            "give every node a position, or take a subgraph"
        )
    return Y


def translated_errors(G: object) -> AbstractContextManager[None]:
    """Turn errors of nelayout, within the block, into errors of the package of `G` as well."""
    return next((host.translated_errors() for host in HOSTS.values() if host.recognizes(G)), nullcontext())


def _kind(G: object) -> str:
    return f"{type(G).__module__}.{type(G).__qualname__}".removeprefix("builtins.")


def _no_graph(G: Any) -> InputTypeError:
    hint = CONVERSIONS.get(type(G).__module__.partition(".")[0]) or (
        "another object becomes a graph by the list of its edges: networkx.Graph([(u, v), ...]), or "
        "networkx.Graph() and add_weighted_edges_from([(u, v, weight), ...])"
    )
    arrays = isinstance(G, (list, tuple)) and all(isinstance(each, np.ndarray) for each in G)
    if arrays and len(G) == 2:
        hint = "arrays of ends become a graph by networkx.Graph(zip(source.tolist(), target.tolist()))"
    elif arrays and len(G) == 3:
        hint = (
            "arrays of ends and weights become a graph by G = networkx.Graph() and "
            "G.add_weighted_edges_from(zip(source.tolist(), target.tolist(), weight.tolist()))"
        )
    elif isinstance(G, (list, tuple, set, dict)):
        hint = (
            "a list of edges or a dict of neighbors becomes a graph with networkx.Graph(...), "
            "a list of rows a matrix with numpy.array(...)"
        )
    elif isinstance(G, (str, bytes)) or hasattr(G, "__fspath__"):
        hint = "a file is read with nelayout.graphs.files.read_graph(path), or on the command line"
    elif hasattr(G, "obsp"):
        hint = "nelayout.embed_cells draws single cells by the graph in obsp, and nelayout.plot shows a part of obsm"
    elif isinstance(G, type):
        hint = "this is a class: pass an instance of it"
    return InputTypeError(f"{_kind(G)} is not a graph; allowed are {TAKEN}; {hint}")
