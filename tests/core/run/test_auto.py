"""The choices of "auto": masses, stars, rings, symmetry, and how much large distances count."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.passes.facts import is_round
from nelayout.core.passes.score import Score
from nelayout.core.similarities.masses import node_mass
from nelayout.graphs import read
from nelayout.numerics.parallel import Threads


def adjacency(G: nx.Graph) -> csr_array:
    return read(G).adjacency


def drawn(G: nx.Graph, **options) -> np.ndarray:
    return np.array([*nl.layout(G, seed=0, **options).values()])


def variation(x: np.ndarray) -> float:
    return float(np.std(x) / np.mean(x))


# --- masses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("G", "power"),
    [
        (nx.barabasi_albert_graph(300, 2, seed=0), 0.25),  # sparse
        (nx.barabasi_albert_graph(300, 8, seed=0), 0.8),  # dense and crowded
        (nx.complete_bipartite_graph(5, 1000), 0.8),  # mean degree 9.95, 0.99 %; squares 50 times its square
        (nx.complete_bipartite_graph(4, 1000), 0.25),  # mean degree 7.97, though 63 times
        (nx.gnm_random_graph(1100, 5500, seed=0), 0.25),  # mean degree 10, 0.9 %, no hubs
    ],
    ids=["sparse", "crowded", "crowded by hubs", "of low degree", "large"],
)
def test_masses_are_powers_of_the_strengths(G, power):
    P = adjacency(G)
    strength = P.sum(axis=1)
    found, notes = node_mass(P, "auto")
    assert notes == ()
    np.testing.assert_allclose(found, strength**power / np.mean(strength**power), rtol=1e-9)


def test_the_masses_of_auto_are_these():
    G = nx.karate_club_graph()
    own = nl.layout(G, seed=0)
    masses = "auto", node_mass(adjacency(G), "auto")[0], "strength"
    named, given, other = (nl.layout(G, mass=mass, seed=0) for mass in masses)
    assert all(np.array_equal(own[v], named[v]) for v in G)
    np.testing.assert_allclose([given[v] for v in G], [own[v] for v in G], atol=1e-9)  # an array is scaled once more
    assert np.abs(np.array([other[v] for v in G]) - [own[v] for v in G]).max() > 0.1


def test_masses_of_auto_keep_the_mean_of_the_strengths_under_gravity():
    P = adjacency(nx.karate_club_graph())
    assert np.mean(node_mass(P, "auto", relative=False)[0]) == pytest.approx(np.mean(P.sum(axis=1)))


def test_the_value_is_that_of_the_drawing_that_was_taken():
    """A drawing that is given back without a step has the value that it was drawn with."""
    for G in (nx.lollipop_graph(8, 8), nx.karate_club_graph(), nx.path_graph(9)):
        solution = nl.solve(G, seed=0)
        values = [step.value for step in solution.trace]
        assert min(abs(solution.value - value) for value in values) < 1e-5 * abs(solution.value)  # leaves are opened


# --- stars, rings and symmetric graphs ------------------------------------------------------------------------------


@pytest.mark.parametrize("leaves", [3, 5, 8, 60, 160, 1000, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_leaves_of_a_star_lie_evenly_on_a_circle(leaves, weight):
    G = nx.star_graph(leaves)
    nx.set_edge_attributes(G, weight, "weight")
    Y = drawn(G)
    assert variation(np.linalg.norm(Y[1:] - Y[0], axis=1)) < 1e-9
    angles = np.sort(np.arctan2(*(Y[1:] - Y[0]).T))
    assert np.diff(angles) == pytest.approx(np.full(leaves - 1, 2 * np.pi / leaves))


@pytest.mark.parametrize("G", [nx.wheel_graph(20), nx.star_graph(20), nx.star_graph(1500)], ids=str)
def test_an_even_circle_has_the_least_value_of_all_sizes_and_says_that_it_rests(G):
    found = nl.solve(G, seed=0)
    assert found.reason == "converged"
    light = nl.method("auto", kernel=next(s.kernel for s in nl.method("auto").stages if isinstance(s, nl.Descend)))
    for factor in (0.999, 1.001):
        pos = {v: factor * y * found.unit for v, y in found.positions.items()}
        assert nl.evaluate(G, pos, light).value > found.value


def test_heavy_edges_of_a_star_are_short():
    weights = np.random.default_rng(0).permutation(np.linspace(1.0, 10.0, 40))
    G = nx.Graph()
    G.add_weighted_edges_from(("hub", k, weight) for k, weight in enumerate(weights))
    Y = drawn(G)
    lengths = np.linalg.norm(Y[1:] - Y[0], axis=1)
    assert np.all(np.diff(lengths[np.argsort(weights)]) < 0)


@pytest.mark.parametrize("G", [nx.cycle_graph(20), nx.wheel_graph(20), nx.star_graph(20)], ids=str)
def test_unequal_masses_count_on_a_circle(G):
    """Heavy nodes repel more: their distances differ as soon as their masses do."""
    nx.set_node_attributes(G, {v: 1.0 + 40.0 * (k % 4 == 0) for k, v in enumerate(G)}, "heft")
    plain, heavy = drawn(G), drawn(G, mass="heft")
    rim = [k for k, v in enumerate(G) if G.degree[v] < 19]
    assert variation(np.linalg.norm(plain[rim] - plain[rim].mean(axis=0), axis=1)) < 1e-9
    assert variation(np.linalg.norm(heavy[rim] - heavy[rim].mean(axis=0), axis=1)) > 1e-3


def test_stars_in_space_fill_it():
    Y = drawn(nx.star_graph(40), dim=3)
    assert np.linalg.svd(Y - Y.mean(axis=0))[1].min() > 1.0


@pytest.mark.parametrize("n", [3, 4, 30, 1000, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("dim", [2, 3])
def test_rings_are_circles(n, dim):
    if n > 30 and dim == 3:
        pytest.skip("as the plane, only slower")
    Y = drawn(nx.cycle_graph(n), dim=dim)
    assert variation(np.linalg.norm(Y - Y.mean(axis=0), axis=1)) < 1e-3
    assert variation(np.linalg.norm(np.roll(Y, 1, axis=0) - Y, axis=1)) < 1e-2


@pytest.mark.parametrize("n", [20, 60, 160])
def test_wheels_are_round(n):
    """The hub lies in the middle; the names of the nodes tell nothing of their order."""
    order = np.random.default_rng(n).permutation(n).tolist()
    G = nx.relabel_nodes(nx.wheel_graph(n), dict(enumerate(order)))
    G = nx.Graph(sorted(G.edges))
    Y = dict(zip(G, drawn(G), strict=True))
    rim = np.array([Y[order[k]] for k in range(1, n)])
    assert variation(np.linalg.norm(rim - Y[order[0]], axis=1)) < 1e-3
    assert variation(np.linalg.norm(np.roll(rim, 1, axis=0) - rim, axis=1)) < 1e-3


def test_what_is_round():
    two_rims = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(4))
    two_rims.add_edges_from((8, k) for k in range(8))
    others = nx.complete_graph(4), nx.complete_graph(5), nx.path_graph(3), nx.path_graph(5), nx.full_rary_tree(3, 13)
    rings, stars = (nx.cycle_graph(3), nx.cycle_graph(9), nx.wheel_graph(5), nx.wheel_graph(9)), (3, 500)
    for graphs, dims in ((others, []), ((two_rims,), []), (rings, [2, 3]), (map(nx.star_graph, stars), [2])):
        for P in map(adjacency, graphs):
            assert [dim for dim in (1, 2, 3) if is_round(P, dim)] == dims


# --- emphases ---------------------------------------------------------------------------------------------------------


def test_placed_nodes_numbers_and_other_methods_have_no_emphases():
    def planned(G, **options):
        return any("emphasis" in each.name for each in nl.plan(G, **options).passes)

    G = nx.grid_2d_graph(8, 6)
    start = nx.circular_layout(G)
    assert planned(G)
    for options in ({"method": "ws-sne"}, {"emphasis": 0}, {"emphasis": 0.4}, {"pos": start}):
        assert not planned(G, **options)
    assert not planned(G, pos=start, fixed=[(0, 0), (1, 0)])


def test_an_emphasis_is_kept_where_the_score_rises_and_values_are_those_of_the_drawing():
    """Of a tree: its value has the stress in it, and its score is above the score of J alone."""
    G = nx.random_labeled_tree(60, seed=3)
    P = adjacency(G)
    score = Score(P, Threads())
    found, plain = nl.solve(P, seed=0), nl.solve(P, seed=0, emphasis=0)
    kept = [step for step in found.trace if step.stage == "best drawing"][-1]
    assert (kept.stage, kept.value) == ("best drawing", pytest.approx(found.value, rel=1e-9))
    assert found.value == pytest.approx(found.node_cost.sum(), rel=1e-9)
    assert found.value > plain.value
    assert score(found.positions) > 1.05 * score(plain.positions)


@pytest.mark.parametrize("graph", [nx.star_graph(30), nx.cycle_graph(12), nx.wheel_graph(12), nx.balanced_tree(3, 3)])
def test_a_number_for_the_emphasis_counts_on_graphs_of_every_shape(graph):
    """The value holds mu sigma, which no drawing of these graphs makes 0, and sigma is no larger than without it."""
    D, sigma, values = nx.floyd_warshall_numpy(graph), [], []
    w = (D > 0) / np.maximum(D, 1.0) ** 2
    for emphasis in (0.0, 0.5):
        found = nl.solve(graph, "auto", emphasis=emphasis, scale=None, node_size=None, seed=0)
        Y = np.array([found.positions[v] for v in graph])
        d = np.sqrt(((Y[:, None] - Y) ** 2).sum(axis=2))
        sigma.append(1.0 - (w * D * d).sum() ** 2 / ((w * d * d).sum() * (w * D * D).sum()))
        values.append(found.value)
    assert sigma[1] <= sigma[0] + 1e-6
    assert values[1] > values[0] + sigma[1]
