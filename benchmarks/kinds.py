"""Generated graphs of kinds that one pass or another may take too long for."""

from __future__ import annotations

import networkx as nx
import numpy as np
from scipy.spatial import Delaunay

__all__ = ["cactus", "caterpillar", "triangulation"]


def caterpillar(spine: int, seed: int = 0) -> nx.Graph:
    """Return a path with 0 to 4 leaves at each node."""
    G, rng = nx.path_graph(spine), np.random.default_rng(seed)
    for node in range(spine):
        for _ in range(int(rng.integers(0, 5))):
            G.add_edge(node, len(G))
    return G


def cactus(n: int, seed: int = 0) -> nx.Graph:
    """Return a graph of rings of 3 to 7 nodes that hang at single nodes."""
    G, rng = nx.path_graph(1), np.random.default_rng(seed)
    while len(G) < n:
        first, ring = len(G), int(rng.integers(2, 7))
        nx.add_cycle(G, [int(rng.integers(0, first)), *range(first, first + ring)])
    return G


def triangulation(n: int, seed: int = 0) -> nx.Graph:
    """Return the Delaunay triangulation of random points."""
    corners = Delaunay(np.random.default_rng(seed).random((n, 2))).simplices
    return nx.Graph([(a, b) for s in corners.tolist() for a in s for b in s if a < b])
