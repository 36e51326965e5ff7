"""Terms of the objective beside pairs: stress with its emphasis, and springs to places with their stability."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from oracles import dense_walk, off_diagonal
from scipy.sparse import csr_array
from tables import EVERY_METHOD, RECIPES, thinned
from test_added import ONE, objective

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.formula.potentials import Springs
from nelayout.core.formula.potentials.stress import Stress
from nelayout.core.objective import Objective
from nelayout.core.optimizers import OPTIMIZERS, optimizer_named
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.passes.drawing import Drawing, Part
from nelayout.core.passes.springs import springs
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact
from nelayout.numerics import distances
from nelayout.numerics.communities import communities, together
from nelayout.numerics.distances import Distances, hop_distances_of_each
from nelayout.numerics.parallel import Threads

KARATE = nx.karate_club_graph()
EACH = thinned(EVERY_METHOD, plain=lambda name: name in RECIPES)


def some_distances(n: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pivots and distances between points of space, some below 1, (n, k)."""
    rng = np.random.default_rng(seed)
    points, pivots = rng.normal(size=(n, 3)), np.sort(rng.permutation(n)[:k])
    return pivots, np.linalg.norm(points[:, None] - points[pivots], axis=2)


def slope(f, Y, toward, h=1e-5):
    """The derivative of f at Y in one direction, by differences of fourth order."""
    return sum(c * f(Y + k * h * toward) for k, c in ((1, 8), (-1, -8), (2, -1), (-2, 1))) / (12 * h)


def sigma(pivots, lengths, Y) -> float:
    """The definition, pair by pair."""
    wdd = wd2 = w2 = 0.0
    for i in range(len(Y)):
        for k, pivot in enumerate(pivots):
            D, d = lengths[i, k], np.linalg.norm(Y[i] - Y[pivot])
            if D > 0:
                w = 1.0 / max(D, 1.0) ** 2
                wdd, wd2, w2 = wdd + w * D * d, wd2 + w * d * d, w2 + w * D * D
    return float(1.0 - wdd**2 / (wd2 * w2))


def stress_of(Y, distances, factor=1.0, **options):
    """The pull of the stress of a graph at a drawing."""
    return Stress(factor, distances, **options).at(Y)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("k", [1, 6, 23])
@pytest.mark.parametrize("compiled", [False, True])
def test_the_value_is_the_definition(d, k, compiled):
    given, Y = some_distances(23, k), np.random.default_rng(1).normal(size=(23, d))
    at = [stress_of(Z, Distances.of(*given), factor=3.0, compiled=compiled).cost for Z in (Y, 1e3 * Y + 5.0)]
    assert at[0].sum() == pytest.approx(3.0 * sigma(*given, Y), rel=1e-6)
    np.testing.assert_allclose(at[1], at[0], atol=1e-9)


@pytest.mark.parametrize("nodes", [[2], [0, 5, 6, 11]])
@pytest.mark.parametrize("k", [6, 23])
@pytest.mark.parametrize("compiled", [False, True])
def test_near_a_drawing_moved_nodes_cost_what_the_forces_say(nodes, k, compiled):
    (pivots, lengths), Y = some_distances(23, k), np.random.default_rng(1).normal(size=(23, 2))
    stress = Stress(3.0, Distances.of(pivots, lengths), compiled=compiled)
    assert len(nodes) == 1 or set(nodes) & set(pivots), "some moved nodes are pivots"
    toward = np.zeros_like(Y)
    toward[nodes] = np.random.default_rng(3).normal(size=(len(nodes), 2))
    cost, gradient = stress.near(Y), stress.at(Y).gradient
    found = slope(lambda Z: float(cost(Y, np.array(nodes), Z[None, nodes])[0]), Y, toward)
    assert found == pytest.approx(float(np.sum(gradient * toward)), rel=1e-6)


def test_of_all_pairs_of_a_graph_it_is_the_measure_and_distances_within_communities_are_shorter():
    Y = np.random.default_rng(2).normal(size=(34, 2))
    P = csr_array(nx.to_scipy_sparse_array(KARATE, weight=None))
    lengths = np.array(nx.floyd_warshall_numpy(KARATE, weight=None)) * (1.0 - 0.45 * together(P))
    plain, grouped = (
        stress_of(Y, hop_distances_of_each([P], Threads(), grouped=each)[0]).cost.sum() for each in (False, True)
    )
    assert plain == pytest.approx(float(nl.measure(P, Y)["stress"]), rel=1e-6)
    assert grouped == pytest.approx(sigma(np.arange(34), lengths, Y), rel=1e-6)


@pytest.mark.parametrize("name", ["karate", "les_miserables", "caves", "grid"])
def test_communities_are_as_good_as_those_of_networkx(name):
    G = {
        "karate": KARATE, "les_miserables": nx.les_miserables_graph(), "caves": nx.connected_caveman_graph(6, 6),
        "grid": nx.grid_2d_graph(9, 9),
    }[name]  # fmt: skip
    G = nx.convert_node_labels_to_integers(G)
    P = csr_array(nx.to_scipy_sparse_array(G, weight="weight", dtype=float))

    def modularity(label: np.ndarray) -> float:
        return nx.community.modularity(G, [set(np.flatnonzero(label == k).tolist()) for k in np.unique(label)])

    ours = [modularity(communities(P, np.random.default_rng(seed))) for seed in range(5)]
    theirs = [nx.community.modularity(G, nx.community.louvain_communities(G, seed=seed)) for seed in range(5)]
    assert np.median(ours) >= np.median(theirs) - 0.01


@pytest.mark.parametrize("seed", range(4))
def test_both_forms_find_the_same_communities(seed):
    """Weights, loops and several graphs included."""
    rng = np.random.default_rng(seed)
    parts = [nx.gnm_random_graph(n, 2 * n, seed=seed) for n in (3, 20, 60)]
    A = nx.to_scipy_sparse_array(nx.disjoint_union_all(parts), format="csr", dtype=float)
    A = csr_array((rng.random(A.nnz), A.indices, A.indptr), A.shape)
    P = csr_array(A + A.T + csr_array(np.diag(rng.random(A.shape[0]))))
    graph = np.repeat(np.arange(3), [3, 20, 60])
    one, other = (communities(P, np.random.default_rng(seed), graph, compiled) for compiled in (False, True))
    np.testing.assert_array_equal(one, other)


def test_runs_agree_on_groups_and_disagree_on_a_mesh():
    caves = nx.planted_partition_graph(5, 12, 0.8, 0.02, seed=0)
    same = np.arange(60)[:, None] // 12 == np.arange(60) // 12
    np.testing.assert_array_equal(together(csr_array(nx.to_scipy_sparse_array(caves, dtype=float))), same)
    mesh = nx.to_scipy_sparse_array(nx.grid_2d_graph(12, 12), dtype=float)
    share = together(csr_array(mesh))
    assert share[mesh.nonzero()].min() > 0, "a border that no run crosses"
    assert together(csr_array((1, 1))).tolist() == [[1.0]]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("size", [(9, 9), (31, 4), (2, 2), (12, 12)], ids=str)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_gradient_is_the_slope_of_the_value(compiled, size, d):
    """Of graphs with all pairs, with pivots, and of two nodes."""
    distances = Distances.of(*some_distances(*size))
    Y, toward = np.random.default_rng(3).normal(size=(2, size[0], d))

    def pull(Z):
        return stress_of(Z, distances, factor=2.0, compiled=compiled)

    found = slope(lambda Z: pull(Z).cost.sum(), Y, toward)
    np.testing.assert_allclose(np.sum(pull(Y).gradient * toward), found, rtol=1e-7, atol=1e-7)


def test_nodes_at_one_place_have_no_force_and_threads_change_no_bit():
    pull = stress_of(np.ones((5, 2)), Distances.of(*some_distances(5, 5)), factor=2.0)
    assert 0.0 < pull.cost.sum() <= 2.0
    assert not pull.gradient.any()
    given, Y = Distances.of(*some_distances(3000, 7)), np.random.default_rng(4).normal(size=(3000, 2))
    one, two = (stress_of(Y, given, threads=Threads(count), compiled=True) for count in (1, 2))
    assert np.array_equal(one.gradient, two.gradient)
    assert np.array_equal(one.cost, two.cost)


def test_hops_are_those_from_the_pivots(monkeypatch):
    monkeypatch.setattr(distances, "PAIRS", 37 * 25)
    monkeypatch.setattr(distances, "MIN_PIVOTS", 2)
    P = csr_array(nx.to_scipy_sparse_array(nx.disjoint_union(KARATE, nx.path_graph(3)), weight=None))
    found = hop_distances_of_each([P], Threads())[0]
    hops = dict(nx.all_pairs_shortest_path_length(nx.from_scipy_sparse_array(P)))
    assert len(found.pivots) == 25
    for k, pivot in enumerate(found.pivots.tolist()):
        for i in range(37):
            D = hops[pivot].get(i, 0)  # pairs without a path do not count
            assert found.weights[:, i, k] == pytest.approx((0.0 if not D else 1 / D**2, 0.0 if not D else 1 / D))


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("term", ["stress", "springs"])
def test_the_gradient_with_stress_or_springs_is_the_slope_of_the_value(name, term):
    J, rng = objective(name), np.random.default_rng(3)
    Y, toward = 2.0 * rng.standard_normal((77, 2)), rng.standard_normal((77, 2))
    if term == "stress":
        affinity = replace(J.affinity, distances=Distances.of(*some_distances(77, 77)))
        J = replace(J, affinity=affinity, emphasis=5.0)
    else:
        J = J.sharing(springs=Springs(rng.standard_normal((77, 2)), rng.uniform(0.0, 2.0, 77)))
    slopes = slope(lambda Z: J.evaluate(Z).value, Y, toward)
    assert np.sum(J.evaluate(Y).gradient * toward) == pytest.approx(slopes, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", ["auto", "ws-sne", "nerv", "linlog", "gamma-quadlog"])
def test_an_emphasis_leads_from_neighbors_to_distances(name):
    """Stress falls from each emphasis to the next, and the value is J + mu sigma."""
    found = [nl.solve(KARATE, name, seed=0, scale=None, emphasis=each) for each in (0, 0.4, 1)]
    stress = [float(nl.measure(KARATE, one.positions)["stress"]) for one in found]
    assert stress[0] > 1.1 * stress[1] > 1.1 * stress[2]
    if name != "auto":
        J, both = (nl.evaluate(KARATE, found[1], name, emphasis=each).value for each in (0, 0.4))
        assert both == pytest.approx(found[1].value)
        unit = {"nerv": 34.0, "linlog": float(2 * KARATE.size(weight="weight"))}.get(name, 1.0)
        assert both - J == pytest.approx(unit * (128**0.4 - 1) * stress[1], rel=1e-5)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.connection.name == "fixed"])
def test_an_emphasis_weighs_stress_once_for_each_unit_of_similarity(name, rho):
    """Of similarities between two nodes: a walk that comes back to its node is none."""
    A = csr_array(nx.to_scipy_sparse_array(KARATE, dtype=float))
    unit = off_diagonal(dense_walk(A, rho)).sum() if rho else A.sum()
    pos = nx.circular_layout(KARATE)
    J, both = (nl.evaluate(KARATE, pos, name, smoothing=rho, emphasis=each).value for each in (0, 0.5))
    stress = float(nl.measure(KARATE, pos)["stress"])
    assert both - J == pytest.approx(unit * (128**0.5 - 1) * stress, rel=1e-5)


def test_an_emphasis_of_a_method_is_a_number_from_0_to_1_and_a_variational_form_has_none():
    for wrong in (-0.1, 1.5, "much", True):
        with pytest.raises(ValueError, match="emphasis must be a number from 0 to 1"):
            nl.method("ws-sne", emphasis=wrong)
    with pytest.raises(nl.Unsupported, match="emphasis"):
        nl.method(nl.method("ftsne", variational=True), emphasis=0.5)


# --- springs to places ----------------------------------------------------------------------------------------------


def springs_of(J, Y, stability, size=1.0):
    """The springs from a drawing Y to itself, which the caller has in other units."""
    part = Part(np.arange(len(Y)), J.affinity, start=Y / size)
    drawing = replace(Drawing.of(part, 2), Y=Y, size=np.full(2, size))
    external = springs(J, drawing, stability).springs
    assert external is not None
    return external


@pytest.mark.parametrize("name", EACH)
def test_springs_add_their_own_energy_and_nothing_else(name):
    rng, J = np.random.default_rng(4), objective(name)
    Y, places, k = rng.standard_normal((77, 2)), rng.standard_normal((77, 2)), rng.uniform(0.0, 2.0, 77)
    plain, both = J.evaluate(Y), J.sharing(springs=Springs(places, k)).evaluate(Y)
    energy = 0.5 * sum(k[i] * ((Y[i] - places[i]) ** 2).sum() for i in range(77))
    assert both.value - plain.value == pytest.approx(energy)
    np.testing.assert_allclose(both.gradient - plain.gradient, k[:, None] * (Y - places), atol=1e-10)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("stability", [0.5, 0.9])
def test_springs_resist_a_stretch_of_the_map_by_their_part(name, stability):
    """Work of the springs on a stretch of the whole drawing: s / (1 - s) times that of the edges' attraction."""
    J, Y = objective(name), 2.0 * np.random.default_rng(5).standard_normal((77, 2))
    about = Y - Y.mean(axis=0)
    omega = np.maximum(J.evaluate(Y, weights=True).weights, 0.0)
    P = J.affinity.P
    rows = np.repeat(np.arange(77), np.diff(P.indptr))
    edges = 0.5 * 4.0 * 0.5 * sum(
        w * ((Y[i] - Y[j]) ** 2).sum() for w, i, j in zip(omega, rows, P.indices, strict=True)
    )
    found = springs_of(J, Y, stability)
    work = 0.5 * float(np.sum(found.stiffness * (about**2).sum(axis=1)))
    assert work == pytest.approx(stability / (1 - stability) * edges)
    np.testing.assert_allclose(found.places, Y)


def test_units_change_no_spring_and_no_stability_and_fixed_coordinates_have_none():
    J, Y = objective("ws-sne"), np.random.default_rng(6).standard_normal((77, 2))
    one, other = springs_of(J, Y, 0.8), springs_of(J, Y, 0.8, size=1e-3)
    np.testing.assert_allclose(one.stiffness, other.stiffness)
    np.testing.assert_allclose(one.places, other.places)
    assert not springs_of(J, Y, 0.0).stiffness.any()
    fixed = np.zeros((77, 2), dtype=bool)
    fixed[3] = True
    assert springs(J, Drawing.of(Part(np.arange(77), J.affinity, Y, fixed), 2).at(Y), 0.9) is J


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_goes_to_the_places_of_stiff_springs(optimizer):
    """However stiff they are, the energy is quadratic there, so that all end within a hair of them."""
    A, method = csr_array(nx.to_scipy_sparse_array(KARATE, dtype=float, weight=None)), EVERY_METHOD["ws-sne"]
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    affinity, _ = input_affinity(A, node_mass(A, method.mass)[0], method, 0.0, ONE)
    J = Objective.of(method, affinity, Exact(False, ONE), ONE, False)
    rng = np.random.default_rng(7)
    places, Y = rng.standard_normal((34, 2)), rng.standard_normal((34, 2))
    J = J.sharing(springs=Springs(places, np.full(34, 1e6)))
    Y, _, _ = minimize(J, Y, optimizer_named(optimizer), 100, StoppingRule())
    assert np.abs(Y - places).max() < 1e-3
