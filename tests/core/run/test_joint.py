"""components="joint": drawn where a background holds components together, refused where they would part forever."""

import networkx as nx
import numpy as np
import pytest
from tables import first

import nelayout as nl
from nelayout.core.catalogue import METHODS, tune
from nelayout.core.formula.divergences import mix
from nelayout.core.objective import Objective
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact
from nelayout.graphs import read
from nelayout.numerics.parallel import Threads

# The usual background holds graphs of six nodes so loosely that J is flat around its minimum.
FIRM = 0.1
WITH_BACKGROUND = {
    "nerv": tune("nerv", background=FIRM),
    "nerv, kappa 1": tune("nerv", kappa=1.0, background=FIRM),
    "jse, kappa 1": tune("jse", kappa=1.0, background=FIRM),
    "alpha 0": tune("alpha-sne", alpha=0.0, background=FIRM),
    "alpha -1": tune("alpha-sne", alpha=-1.0, background=FIRM),
    "reverse KL": tune("ftsne", divergence="reverse-kl", background=FIRM),
}
WITHOUT = {
    **{name: method for name, method in METHODS.items() if name not in ("auto", "nerv", "forceatlas2", "tsnet")},
    "forceatlas2, no gravity": tune("forceatlas2", gravity=0.0),
    "tsnet, no compression": tune("tsnet", compression=0.0),
    "nerv, kappa 0": tune("nerv", kappa=0.0),
    "half of KL, none of its reverse": nl.Method(divergence=mix(1.0, "kl", "reverse-kl"), connection="normalized"),
}


def two_paths(lone: int = 0) -> nx.Graph:
    return nx.disjoint_union_all([nx.path_graph(3), nx.path_graph(3), nx.empty_graph(lone)])


def objective(G, method):
    P = read(G).adjacency
    threads = Threads()
    affinity, _ = input_affinity(P, node_mass(P, method.mass)[0], method, 0.0, threads)
    return Objective.of(method, affinity, Exact(), threads, False)


def drawn(G, method, **options) -> np.ndarray:
    return np.array(list(nl.layout(G, method, components="joint", scale=None, seed=0, **options).values()))


def lengths(Y: np.ndarray) -> np.ndarray:
    return np.linalg.norm(Y[:, None] - Y, axis=-1)


@pytest.mark.parametrize("method", first(WITH_BACKGROUND.values(), 3), ids=WITH_BACKGROUND)
def test_where_there_is_a_minimum_components_lie_apart_and_no_further(method):
    G = two_paths()
    J = objective(G, method)
    Y = drawn(G, method)
    first, second = Y[:3], Y[3:]
    edge = max(lengths(Y)[u, v] for u, v in G.edges)
    assert edge < lengths(Y)[:3, 3:].min() < 8 * edge
    away = second.mean(axis=0) - first.mean(axis=0)
    least = J.evaluate(Y).value
    # moving the second path, either way, costs; the further, the more
    for direction in (1, -0.5):
        values = [J.evaluate(np.vstack([first, second + direction * t * away])).value for t in (0.2, 0.5, 1.0)]
        assert least < values[0] < values[1] < values[2]


@pytest.mark.parametrize("method", WITHOUT.values(), ids=WITHOUT)
def test_what_is_refused_has_no_minimum(method):
    """J falls as long as the components part."""
    G = two_paths()
    path = np.array([[-1.0, 0.0], [0.0, 0.1], [1.0, 0.0]])
    J = objective(G, method)
    values = [J.evaluate(np.vstack([path, path + np.array([0.0, gap])])).value for gap in (1.5, 2.0, 2.5, 3.0, 3.5)]
    assert values == sorted(set(values), reverse=True)
    with pytest.raises(nl.Unsupported, match=r"only repel.*components='pack'"):
        nl.layout(G, method, components="joint")


@pytest.mark.full
@pytest.mark.parametrize("method", WITH_BACKGROUND.values(), ids=WITH_BACKGROUND)
def test_isolated_nodes_do_not_fly_away(method):
    G = two_paths(lone=1)
    for steps in (None, 500):
        Y = drawn(G, method, max_iter=steps, tol=None if steps is None else 0.0)
        D = lengths(Y)
        edge = max(D[u, v] for u, v in G.edges)
        assert edge < D[6, :6].min()
        assert D.max() < 12 * edge


def test_value_is_that_of_the_one_objective():
    G, method = two_paths(), METHODS["nerv"]
    solution = nl.solve(G, method, components="joint", scale=None, seed=0)
    Y = np.array(list(solution.positions.values()))
    assert solution.value == pytest.approx(objective(G, method).evaluate(Y).value, rel=1e-9)
    assert solution.components.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_start_is_drawn_on():
    G, place = two_paths(), {i: (float(i), float(i % 2)) for i in range(6)}
    apart = drawn(G, "nerv", pos=place)
    assert lengths(apart)[:3, 3:].min() > lengths(apart)[0, 1]
    assert np.array_equal(drawn(G, "nerv"), drawn(G, "nerv", pos={}))  # a pos without places is none


@pytest.mark.parametrize("method", ["ws-sne", "linlog", "gamma-quadlog", "nerv"])
def test_what_moves_nothing_is_not_refused(method):
    place = {i: (float(i), float(i % 2)) for i in range(7)}
    for G in (two_paths(lone=1), nx.empty_graph(7)):
        for keywords in ({"max_iter": 0}, {"fixed": list(G)}):
            pos = nl.layout(G, method, pos=place, components="joint", **keywords)
            assert {node: tuple(at) for node, at in pos.items()} == place


def test_no_edge_no_objective():
    with pytest.raises(nl.Unsupported, match=r"no edges.*pack"):
        nl.nerv_layout(nx.empty_graph(3), components="joint")
    with pytest.raises(nl.Unsupported, match="2 components"):  # no place is given, so max_iter=0 keeps none
        nl.ws_sne_layout(two_paths(), components="joint", max_iter=0)
    assert len(nl.ws_sne_layout(nx.path_graph(4), components="joint", seed=0)) == 4


@pytest.mark.parametrize("method", ["ws-sne", "tsne", "ssne", "nerv"])
def test_costs_of_equal_neighborhoods_are_equal_in_components_of_any_size(method):
    """A ring of 12 nodes costs its nodes as much as a ring of 36 does, though each is an objective of its own."""
    G = nx.disjoint_union(nx.cycle_graph(36), nx.cycle_graph(12))
    cost = nl.solve(G, method, seed=0).node_cost
    assert np.median(cost[36:]) < 1.5 * np.median(cost[:36])
    connected = nl.solve(nx.cycle_graph(36), method, seed=0)
    assert connected.node_cost.sum() == pytest.approx(connected.value, rel=1e-6)


def test_packed_components_are_noted():
    G = nx.disjoint_union_all([nx.path_graph(4), nx.cycle_graph(3), nx.empty_graph(4)])
    note = "6 components, packed; distances between components have no meaning"
    for method in ("auto", "ws-sne"):
        assert note in nl.solve(G, method, seed=0).notes
    pos = nl.layout(G, seed=0)
    assert note not in nl.solve(G, "ws-sne", pos, seed=0).notes
    assert nl.solve(nx.path_graph(4), "ws-sne", seed=0).notes == ()
