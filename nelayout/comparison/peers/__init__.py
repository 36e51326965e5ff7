"""Layouts of other packages, called by name where they are installed: "nx:spring", "igraph:drl", "graphviz:sfdp".

>>> import numpy as np
>>> from scipy.sparse import csr_array
>>> square = csr_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0.0]]))
>>> draw = graph_peer("nx:circular").prepare(square, 0, None)
>>> draw().shape
(4, 2)
>>> graph_peer("ws-sne") is None
True
"""

from __future__ import annotations

from functools import cache

from nelayout.comparison.peers.embeddings import graph_embeddings, vector_embeddings
from nelayout.comparison.peers.graphviz import graphviz_layouts
from nelayout.comparison.peers.igraph_layouts import igraph_layouts
from nelayout.comparison.peers.networkx_layouts import networkx_layouts
from nelayout.comparison.peers.peer import Draw, Peer
from nelayout.comparison.peers.sklearn_maps import sklearn_maps

__all__ = ["Draw", "Peer", "graph_peer", "graph_peers", "vector_peer", "vector_peers"]

# Spellings of what stands before the colon.
PREFIXES = {"networkx": "nx", "ig": "igraph", "gv": "graphviz", "scikit-learn": "sklearn"}
# Other spellings of whole names.
SPELLINGS = {"sfdp": "graphviz:sfdp", "umap-learn": "umap", "s-gd2": "s_gd2"}


@cache
def graph_peers() -> dict[str, Peer]:
    """Peers that draw graphs, by name, whether installed or not."""
    return {**networkx_layouts(), **igraph_layouts(), **graphviz_layouts(), **graph_embeddings()}


@cache
def vector_peers() -> dict[str, Peer]:
    """Peers that draw vectors, by name, whether installed or not."""
    return {**vector_embeddings(), **sklearn_maps()}


def graph_peer(name: str) -> Peer | None:
    """The peer of that name, however spelt ("networkx:kamada-kawai", "openTSNE"); None for no peer's name."""
    return graph_peers().get(_spelled(name))


def vector_peer(name: str) -> Peer | None:
    """The peer of that name among those of vectors; None for no peer's name."""
    return vector_peers().get(_spelled(name))


def _spelled(name: str) -> str:
    """The name as the tables write it.

    >>> _spelled("NetworkX:Kamada-Kawai"), _spelled("nx:spring_layout"), _spelled("openTSNE")
    ('nx:kamada_kawai', 'nx:spring', 'opentsne')
    """
    prefix, colon, layout = name.strip().lower().partition(":")
    if not colon:
        return SPELLINGS.get(prefix, prefix)
    layout = layout.replace("-", "_").removesuffix("_layout")
    return f"{PREFIXES.get(prefix, prefix)}:{layout.removeprefix('layout_')}"
