"""Planar graphs: straight placing, held descents and whole drawings have no crossing."""

from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.objective import Affinity, Objective
from nelayout.core.passes.tidiness import crossings
from nelayout.core.sums.nbody import Exact
from nelayout.core.untangling.held import Held, held
from nelayout.core.untangling.tutte import straight
from nelayout.numerics.planarity import embedding
from nelayout.quality.edges import edges


def adjacency(G):
    return csr_array(nx.to_scipy_sparse_array(G, nodelist=sorted(G), weight=None, dtype=float))


def thinned(n, kept, seed):
    """A spanning tree of a triangulation, and a part of its other edges."""
    rng = np.random.default_rng(seed)
    G = nx.Graph([(a, b) for s in Delaunay(rng.random((n, 2))).simplices.tolist() for a in s for b in s if a < b])
    for edge in G.edges:
        G.edges[edge]["length"] = rng.random()
    found = nx.Graph()
    found.add_nodes_from(range(n))
    found.add_edges_from(nx.minimum_spanning_edges(G, weight="length", data=False))
    rest = [edge for edge in sorted(G.edges) if not found.has_edge(*edge)]
    found.add_edges_from(rest[k] for k in rng.permutation(len(rest))[: int(kept * len(rest))])
    return found


GRAPHS = {
    "path": nx.path_graph(60), "star": nx.star_graph(20), "cube": nx.cubical_graph(), "tutte": nx.tutte_graph(),
    "triangle": nx.complete_graph(3), "ladder": nx.circular_ladder_graph(20),
    "tree": nx.random_labeled_tree(80, seed=2),
    **{f"thinned {kept}": thinned(70, kept, 3) for kept in (0.05, 0.3, 0.8, 1.0)},
}


@pytest.mark.parametrize("rounds", [1, 4])
@pytest.mark.parametrize("name", list(GRAPHS))
def test_straight_drawings_have_no_crossing_whatever_drawing_guides_them(name, rounds):
    P = adjacency(GRAPHS[name])
    Y = np.random.default_rng(1).standard_normal((P.shape[0], 2))
    orders = embedding(P, Y)
    assert orders is not None
    Z = straight(orders, Y, rounds)
    assert crossings(P, Z) == 0
    assert len(np.unique(Z.round(12), axis=0)) == len(Z)


def objective(P):
    method = METHODS["ws-sne"]
    return Objective(Affinity(P, np.ones(P.shape[0])), method.kernel, method.divergence, method.connection, Exact())


def barrier_and_start(name):
    P = adjacency(GRAPHS[name])
    Y = np.random.default_rng(1).standard_normal((P.shape[0], 2))
    Z = straight(embedding(P, Y) or [], Y, 4)
    i, j = edges(P)
    length = float(np.median(np.linalg.norm(Z[i] - Z[j], axis=1)))
    return P, Held(objective(P), i, j, 0.1, length), Z


@pytest.mark.parametrize("name", ["cube", "ladder", "tutte", "thinned 1.0"])
def test_the_gradient_of_the_barrier_is_its_slope(name):
    _, f, Z = barrier_and_start(name)
    Z = held(f, Z, 10, lambda *_: None)[0]
    toward, h = np.random.default_rng(0).standard_normal(Z.shape), 1e-5 * f(Z)[2].min()
    up, down = f(Z + h * toward)[0], f(Z - h * toward)[0]
    assert (up - down) / (2 * h) == pytest.approx(float(np.sum(f(Z)[1] * toward)), rel=1e-3)


@pytest.mark.parametrize("name", ["cube", "ladder", "thinned 0.3", "thinned 1.0"])
def test_held_descents_lower_the_value_and_cross_nothing(name):
    P, f, Z = barrier_and_start(name)
    seen = []
    Y, value = held(f, Z, 60, lambda value, Y: seen.append((value, crossings(P, Y))))
    assert value < f(Z)[0]
    assert [each for each, _ in seen] == sorted((each for each, _ in seen), reverse=True)
    assert all(count == 0 for _, count in seen)
    assert crossings(P, Y) == 0


@pytest.mark.parametrize("seed", range(4))
def test_every_planar_graph_has_a_candidate_without_crossings(seed):
    G = thinned(40, 0.3, seed)
    with patch("nelayout.core.passes.tidiness.CROSSINGS_POWER", 9.0):  # the candidate is kept
        pos, same = (nl.layout(G, seed=0, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert float(nl.measure(G, pos, measures=["crossings"])["crossings"]) == 0
    assert all(np.array_equal(pos[v], same[v]) for v in G)


def test_the_plan_names_the_pass_for_planar_graphs_alone():
    def names(G):
        return {each.name for each in nl.plan(G).passes}

    planar = thinned(200, 0.3, 1)
    assert "without crossings" in names(planar)
    more = planar.copy()
    more.add_edges_from(nx.complete_graph(5).edges)
    assert "without crossings" not in names(more)
    assert "without crossings" not in names(nx.random_labeled_tree(50, seed=1))
