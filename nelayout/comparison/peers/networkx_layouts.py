"""Layouts of networkx as peers: every function `NAME_layout(G)` that needs nothing but the graph is "nx:NAME"."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.comparison.peers.peer import Draw, Peer

__all__ = ["networkx_layouts"]

# Layouts that pull nodes together by an edge's weight. kamada_kawai takes weights for lengths, and gets none.
BY_SIMILARITY = {"spring", "fruchterman_reingold", "spectral", "forceatlas2"}

# Layouts that read an attribute of the nodes.
NEEDS_ATTRIBUTES = {"multipartite"}


def networkx_layouts() -> dict[str, Peer]:
    """Name -> peer, of those that this networkx has.

    >>> peers = networkx_layouts()
    >>> peers["nx:spring"].seeded, peers["nx:kamada_kawai"].seeded, "nx:bfs" in peers
    (True, False, False)
    """
    import networkx as nx

    found = {}
    for function in sorted(name for name in dir(nx) if name.endswith("_layout")):
        parameters = list(inspect.signature(getattr(nx, function)).parameters.values())
        needed = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        layout, keywords = function.removesuffix("_layout"), {p.name for p in parameters}
        if needed != ["G"] or layout in NEEDS_ATTRIBUTES:  # bfs_layout needs a start
            continue
        found[f"nx:{layout}"] = Peer(
            f"nx:{layout}",
            partial(_prepare, layout, keywords),
            package="networkx",
            seeded="seed" in keywords,
            weighted=layout in BY_SIMILARITY,
        )
    return found


def _prepare(layout: str, keywords: set[str], adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    import networkx as nx

    graph = nx.from_scipy_sparse_array(adjacency)
    given: dict[str, Any] = {"seed": seed} if "seed" in keywords else {}
    if "weight" in keywords:
        given["weight"] = "weight" if layout in BY_SIMILARITY else None
    function = getattr(nx, f"{layout}_layout")

    def draw() -> np.ndarray:
        pos = function(graph, **given)
        return np.array([pos[node] for node in graph], np.float64).reshape(-1, 2)

    return draw
