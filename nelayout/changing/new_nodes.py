"""`add_nodes`: new nodes get positions in a finished drawing, old nodes keep every bit."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Unpack, cast

import numpy as np

from nelayout import graphs
from nelayout.catalogue import with_own
from nelayout.catalogue.keywords import takes_addition_keywords
from nelayout.catalogue.options import LayoutOptions, MethodOptions
from nelayout.catalogue.record import Method
from nelayout.errors import InputError
from nelayout.graphs.to_floats import short_repr
from nelayout.run.pipeline import run_method
from nelayout.run.request import NOTHING_KNOWN, Kept

__all__ = ["add_nodes", "given_places"]


@takes_addition_keywords
def add_nodes(G: Any, pos: Any, method: str | Method = "auto", **options: Unpack[MethodOptions]) -> Any:
    """Add new nodes to a drawing of the old nodes, which do not move by a bit.

    Each new node first minimizes its own terms of the objective J among the old nodes. Then all new nodes settle
    together. New nodes without a path to an old node are drawn separately and packed around the drawing.
    `layout_sequence` moves old nodes a little, to make space for new ones.

    Parameters
    ----------
    pos : dict, igraph.Layout, (m, dim) array or Solution
        positions of the old nodes; for a matrix, of its first m rows. Removed nodes are left out
    method : default "auto"
        the method of the drawing: a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a
        ``nelayout.Method``. "auto" takes its objective with the best fit to the drawing

    Returns
    -------
    dict {node: (dim,) array} for networkx, igraph.Layout for igraph, (n, dim) array for matrices
        positions of all nodes, in the units of ``pos``

    Raises
    ------
    InputError
        if no node of G has a position, and as `layout` does

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> pos = nl.layout(G, seed=0)
    >>> G.add_edges_from([("new", 0), ("new", 1), ("newer", "new")])
    >>> more = nl.add_nodes(G, pos, seed=0)
    >>> len(more), all((more[v] == pos[v]).all() for v in pos)
    (36, True)
    """
    record, common = with_own(method, options)
    network = graphs.read(G, weight=None)
    places, dim = given_places(network, pos, "pos")
    if not places and len(network.labels):
        raise InputError(
            f"pos has no position for any of the {len(network.labels)} nodes of the graph: give positions of the old "
            "nodes, or draw the graph with nelayout.layout"
        )
    known = NOTHING_KNOWN._replace(kept=Kept(None, np.zeros(len(network.labels), dtype=bool)))
    o = cast("LayoutOptions", {**common, "dim": dim})
    return run_method(G, record, places, list(places) or None, o, known).positions


def given_places(network: graphs.Network, pos: Any, what: str) -> tuple[dict[Hashable, np.ndarray], int]:
    """Return {label: (dim,)} of nodes with a position, and dim; an array may lack last rows."""
    opened = graphs.places(pos)
    given = opened.given
    if opened.keys is None:
        if len(given) > len(network.labels):
            raise InputError(
                f"{what} has {len(given)} rows and the graph has {len(network.labels)} nodes; give one row for each "
                "old node, and drop the rows of removed nodes"
            )
        given = dict(zip(network.labels, given, strict=False))
    dim = opened.dim
    Y = network.host.positions(given, dim)
    there = np.flatnonzero(~np.isnan(Y).any(axis=1)).tolist()
    try:
        return {network.labels[k]: Y[k] for k in there}, dim
    except TypeError:
        raise InputError(f"{what}: node {short_repr(network.labels[there[0]])} cannot be a key") from None
