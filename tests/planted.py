"""Graphs with honest drawings, and faults that are put into a drawing on purpose."""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

import nelayout as nl


def blocks(sizes, inside, between, seed):
    """A graph of communities, with chances of edges inside and between."""
    chances = np.where(np.eye(len(sizes), dtype=bool), inside, between).tolist()
    return nx.stochastic_block_model(sizes, chances, seed=seed)


def roads(n, seed):
    """A planar graph like roads: the shortest tree of random places, and a quarter of the short Delaunay edges."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    G = nx.Graph()
    G.add_nodes_from(range(n))
    for simplex in Delaunay(X).simplices.tolist():
        for a, b in zip(simplex, [*simplex[1:], simplex[0]], strict=True):
            G.add_edge(a, b, length=float(np.hypot(*(X[a] - X[b]))))
    tree = nx.minimum_spanning_tree(G, weight="length")
    short = [(a, b) for a, b, length in sorted(G.edges(data="length")) if length < 1.5 / np.sqrt(n)]
    tree.add_edges_from(edge for edge in short if rng.random() < 0.25)
    return tree


GRAPHS = {
    "grid": lambda: nx.grid_2d_graph(16, 14),
    "triangles": lambda: nx.triangular_lattice_graph(12, 22),
    "hexagons": lambda: nx.hexagonal_lattice_graph(9, 10),
    "blocks": lambda: blocks([50] * 4, 0.25, 0.01, 1),
    "uneven blocks": lambda: blocks([15, 25, 40, 60, 70], 0.3, 0.01, 4),
    "cliques in a ring": lambda: nx.ring_of_cliques(10, 9),
    "roads": lambda: roads(200, 2),
    "les miserables": nx.les_miserables_graph,
    "near in the plane": lambda: nx.random_geometric_graph(300, 0.1, seed=3),
    "random": lambda: nx.gnm_random_graph(250, 750, seed=1),
}


@cache
def matrix(name: str) -> csr_array:
    """The largest component of a graph, each edge with weight 1."""
    G = GRAPHS[name]()
    nodes = [v for v in G if v in max(nx.connected_components(G), key=len)]
    return csr_array(nx.to_scipy_sparse_array(G, nodelist=nodes, weight=None, dtype=float))


@cache
def drawing(name: str, method: str = "auto", seed: int = 11) -> np.ndarray:
    Y = np.asarray(nl.layout(matrix(name), method, seed=seed))
    Y.flags.writeable = False
    return Y


def references(name: str) -> list[np.ndarray]:
    return [drawing(name, "auto", seed) for seed in range(3, 8)]


def size(Y):
    return float(np.sqrt(Y.var(axis=0).sum()))


def torn_along_a_line(Y, rng):
    """Both sides of a line, and the drawing with the sides moved apart."""
    turn = rng.uniform(0, np.pi)
    along = Y @ [np.cos(turn), np.sin(turn)]
    right = along > np.quantile(along, rng.uniform(0.3, 0.7))
    return np.flatnonzero(right), np.flatnonzero(~right), Y + np.outer(right, [np.cos(turn), np.sin(turn)]) * size(Y)


def split_in_two(Y, community, rng):
    """Both halves of a community, and the drawing with the first far outside, as dense as a whole community."""
    half = rng.permutation(community)[: len(community) // 2]
    turn, Z = rng.uniform(0, 2 * np.pi), Y.copy()
    outside = 1.6 * np.sqrt(((Y - Y.mean(axis=0)) ** 2).sum(axis=1).max())
    Z[half] = Y.mean(axis=0) + (Y[half] - Y[half].mean(axis=0)) / np.sqrt(2)
    Z[half] += outside * np.array([np.cos(turn), np.sin(turn)])
    return half, np.setdiff1d(community, half), Z


def merged(Y, A, B):
    """The drawing with B moved over A, as wide."""
    Z = Y.copy()
    own = Y[B] - Y[B].mean(axis=0)
    Z[B] = Y[A].mean(axis=0) + own * size(Y[A]) / size(own)
    return Z


def jaccard(a, b):
    a, b = set(a), set(b)
    return len(a & b) / len(a | b)
