"""Planar embeddings: networkx knows which graphs are planar, Euler counts the faces, and orders are as drawn."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

from nelayout.numerics.planarity import embedding, faces, is_planar, likeness


def adjacency(G):
    return csr_array(nx.to_scipy_sparse_array(G, nodelist=sorted(G), weight=None, dtype=float))


def component(G):
    return nx.convert_node_labels_to_integers(G.subgraph(max(nx.connected_components(G), key=len)), ordering="sorted")


def triangulation(n, rng, dropped=0.0):
    """A triangulation of random points without a part of its edges, and the points."""
    points = rng.random((n, 2))
    G = nx.Graph([(a, b) for s in Delaunay(points).simplices.tolist() for a in s for b in s if a < b])
    G.add_nodes_from(range(n))
    every = sorted(G.edges)
    G.remove_edges_from([every[k] for k in rng.permutation(len(every))[: int(dropped * len(every))]])
    return G, points


def some(kind, rng):
    """A connected graph with 3 to 40 nodes."""
    n = int(rng.integers(5, 40))
    if kind == "any":
        return component(nx.gnm_random_graph(n, int(rng.integers(n, 3 * n)), seed=int(rng.integers(2**31))))
    if kind == "sparse":
        return component(nx.gnm_random_graph(n, int(1.15 * n), seed=int(rng.integers(2**31))))
    G, _ = triangulation(n, rng, 0.5 * rng.random())
    if kind == "one edge more":
        G.add_edge(*rng.choice(n, 2, replace=False).tolist())
    return component(G)


@pytest.mark.parametrize("kind", ["any", "sparse", "planar", "one edge more"])
def test_planar_graphs_are_found_and_embedded_on_the_sphere(kind):
    rng, found = np.random.default_rng(5), set()
    for _ in range(150):
        G = some(kind, rng)
        P = adjacency(G)
        planar = nx.check_planarity(G)[0]
        assert is_planar(P) == planar
        orders = embedding(P, rng.standard_normal((len(G), 2)))
        assert (orders is not None) == planar
        found.add(planar)
        if orders is not None:
            assert [sorted(order) for order in orders] == [sorted(G[v]) for v in range(len(G))]
            assert len(G) - G.number_of_edges() + len(faces(orders)) == 2
    assert found == ({True} if kind == "planar" else {True, False})


@pytest.mark.parametrize("dropped", [0.0, 0.2, 0.4, 0.55])
def test_a_drawing_without_crossings_gives_its_own_orders(dropped):
    """Blocks, groups of arcs and cut nodes could be mirrored or exchanged: the drawing decides all of them."""
    whole = alike = 0
    for seed in range(20):
        G, points = triangulation(30, np.random.default_rng(seed), dropped)
        nodes = sorted(max(nx.connected_components(G), key=len))
        G, points = component(G), points[nodes]
        orders = embedding(adjacency(G), points)
        assert orders is not None
        alike += likeness(orders, points.tolist())
        whole += sum(degree for _, degree in G.degree if degree > 2)
    assert alike > (0.999 if not dropped else 0.85) * whole


def test_faces_of_a_bridge_have_its_ends_twice():
    """A triangle with a pendant edge: the inner face has three corners and the outer one five."""
    G = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])
    orders = embedding(adjacency(G), np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.5], [2.0, 0.5]]))
    assert orders is not None
    assert sorted(map(len, faces(orders))) == [3, 5]


@pytest.mark.parametrize("G", [nx.complete_graph(5), nx.complete_bipartite_graph(3, 3), nx.petersen_graph()])
def test_subdivided_and_hung_up_they_stay_nonplanar(G):
    long = nx.Graph()
    for k, (a, b) in enumerate(G.edges):
        nx.add_path(long, [a, 100 + k, b])
    nx.add_path(long, [0, 200, 201, 202, 200])
    assert not is_planar(adjacency(component(long)))
    long.remove_edge(0, 100)
    assert is_planar(adjacency(component(long))) == nx.check_planarity(long)[0]
