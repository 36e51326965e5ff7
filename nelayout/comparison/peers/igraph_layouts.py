"""Layouts of igraph as peers: every name that `igraph.Graph.layout` takes and draws in the plane is "igraph:NAME"."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu

from nelayout.comparison.peers.peer import Draw, Peer

__all__ = ["igraph_layouts"]

# Layouts that pull nodes together by an edge's weight. kamada_kawai and umap take weights for lengths, and get none.
BY_SIMILARITY = {"drl", "fr", "fruchterman_reingold"}
# Layouts that are the same whatever the seed.
STILL = {
    "circle", "grid", "kamada_kawai", "mds", "reingold_tilford", "reingold_tilford_circular", "star", "sugiyama",
}
# Layouts in space, and one that needs more than the graph.
UNFIT = {"sphere", "bipartite"}
# igraph's short names -> the method's.
SHORT = {
    "dh": "davidson_harel", "fr": "fruchterman_reingold", "kk": "kamada_kawai", "rt": "reingold_tilford",
    "rt_circular": "reingold_tilford_circular", "tree": "reingold_tilford", "circular": "circle",
}


def igraph_layouts() -> dict[str, Peer]:
    """Name -> peer, of those that this igraph has; the usual ones where it is not installed."""
    try:
        import igraph
    except ImportError:
        names = sorted([*SHORT, *SHORT.values(), "auto", "drl", "graphopt", "grid", "lgl", "mds", "random", "umap"])
    else:
        methods = [name.removeprefix("layout_") for name in dir(igraph.Graph) if name.startswith("layout_")]
        methods = [name for name in methods if not name.endswith("_3d") and name not in UNFIT]
        methods = [name for name in methods if not _is_ours(getattr(igraph.Graph, f"layout_{name}"))]
        names = sorted([*methods, *(short for short, name in SHORT.items() if name in methods)])
    return {
        f"igraph:{name}": Peer(
            f"igraph:{name}",
            partial(_prepare, name),
            package="igraph",
            seeded=name not in STILL and SHORT.get(name) not in STILL,
            weighted=name in BY_SIMILARITY,
        )
        for name in names
    }


def _is_ours(method: Any) -> bool:
    """Whether a layout of igraph's graphs is one that `nelayout.plugins.igraph` gave them."""
    return str(getattr(method, "__module__", "")).startswith("nelayout.")


def _prepare(layout: str, adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    import random

    import igraph

    upper: Any = triu(adjacency, 1).tocoo()
    graph = igraph.Graph(adjacency.shape[0], np.column_stack([upper.row, upper.col]).tolist())
    given = {"weights": upper.data.tolist()} if layout in BY_SIMILARITY and np.any(upper.data != 1) else {}
    function = getattr(graph, f"layout_{SHORT.get(layout, layout)}")

    def draw() -> np.ndarray:
        before = random.getstate()  # igraph draws its random numbers from here
        random.seed(seed)
        try:
            return np.array(function(**given).coords, np.float64).reshape(-1, 2)
        finally:
            random.setstate(before)

    return draw
