"""alpha="auto": the order comes from the data, the drawing is that of the order, keywords keep their meaning."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.catalogue import tune
from nelayout.core.formula.alpha_choice import GRID, AlphaSearch, auto_alpha, score_matching
from nelayout.core.formula.divergences import alpha
from nelayout.core.objective import Affinity, Objective
from nelayout.core.sums.nbody.exact import Exact
from nelayout.numerics.parallel import Threads
from nelayout.vectors.embedding import solve_vectors

AUTO = tune("alpha-sne", alpha="auto")


def evidence(G, Y, mass=None):
    """P_j|i and q_j|i of the ordered pairs with an edge, by the definition."""
    A = nx.to_numpy_array(G)
    m = np.ones(len(A)) if mass is None else mass
    q = np.exp(-((Y[:, None] - Y) ** 2).sum(axis=2)) * m
    np.fill_diagonal(q, 0)
    P, q = A / A.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    return P[A > 0], q[A > 0]


def array(positions):
    return np.array(list(positions.values()))


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("compiled", [True, False])
def test_the_pairs_are_those_of_the_definition(even, compiled):
    """Also of a node far out, whose similarities hang on its nearest ones alone."""
    G = nx.les_miserables_graph()
    rng = np.random.default_rng(0)
    Y, m = rng.normal(size=(len(G), 2)), np.ones(len(G)) if even else rng.uniform(0.5, 2, len(G))
    Y[7] += 4
    P = csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    objective = Objective(
        Affinity(P, m), AUTO.kernel, AUTO.divergence, AUTO.connection, Exact(), Threads(), compiled
    )
    for found, defined in zip(objective.pairs(Y), evidence(G, Y, m), strict=True):
        np.testing.assert_allclose(found, defined, rtol=1e-4 if compiled else 1e-12)
    far = 1e3 * Y
    assert objective.pairs(far)[1].min() > 0  # what underflows is floored


@pytest.mark.full
def test_the_chosen_drawing_is_the_one_that_comes_back():
    G = nx.karate_club_graph()
    solution = nl.solve(G, AUTO, seed=0, scale=None, tol=1e-7)
    choice = solution.choice
    assert choice is not None
    v, m = evidence(G, array(solution.positions))
    best, phi = score_matching(v, m, choice.alpha)
    assert best == pytest.approx(max(choice.scores), rel=0.05)
    assert phi == pytest.approx(choice.phi, rel=0.05)


@pytest.mark.full
def test_choice_tells_the_user():
    solution = nl.solve(nx.karate_club_graph(), AUTO, seed=0)
    choice = solution.choice
    assert isinstance(choice, nl.AlphaChoice)
    assert set(GRID) <= set(choice.alphas)
    assert choice.scores[choice.alphas.index(choice.alpha)] == max(choice.scores)
    assert choice.summary in solution.notes
    assert f"{choice.alpha:.3g}" in choice.summary
    assert f"{choice.phi:.3g}" in choice.summary
    assert {f"alpha {alpha:.3g}" for alpha in GRID} <= {step.stage for step in solution.trace}
    assert nl.solve(nx.karate_club_graph(), "alpha-sne", seed=0).choice is None


@pytest.mark.full
def test_all_doors_lead_to_the_same_drawing():
    G = nx.karate_club_graph()
    pos = nl.alpha_sne_layout(G, alpha="auto", seed=3, node_size=None)
    again = nl.solve(G, AUTO, seed=3)
    assert all(np.array_equal(pos[v], again.positions[v]) for v in G)
    composed = nl.Method(kernel="gaussian", divergence="alpha:auto", connection="normalized-rows")
    assert np.array_equal(array(nl.solve(G, composed, seed=3).positions), array(pos))
    assert nl.choose_alpha(G, seed=3) == again.choice
    X = np.random.default_rng(0).normal(size=(60, 3))
    embedded = solve_vectors(X, method="alpha-sne", method_options={"alpha": "auto"}, random_state=0)
    assert embedded.choice is not None
    Y = nl.embed(X, method="alpha-sne", method_options={"alpha": "auto"}, random_state=0)
    assert np.array_equal(Y, embedded.positions)


def test_grid_and_refinement_are_the_callers():
    coarse = nl.choose_alpha(nx.les_miserables_graph(), grid=[0.4, 1.0, 1.5], refine=False, seed=0, max_iter=5)
    assert coarse is not None
    assert coarse.alphas == (0.4, 1.0, 1.5)


@pytest.mark.full
def test_components_are_drawn_at_the_order_of_the_largest():
    large, small = nx.karate_club_graph(), nx.cycle_graph(9)
    both = nx.disjoint_union(small, nx.disjoint_union(large, nx.empty_graph(2)))
    solution = nl.solve(both, AUTO, seed=0)
    alone = nl.solve(large, AUTO, seed=0)
    assert solution.choice is not None
    assert alone.choice is not None
    assert solution.choice.alpha == alone.choice.alpha
    rest = nl.solve(small, tune("alpha-sne", alpha=alone.choice.alpha), seed=0)
    assert solution.value == pytest.approx(alone.value + rest.value, rel=0.02)


@pytest.mark.parametrize(
    "G", [nx.path_graph(2), nx.complete_graph(3), nx.empty_graph(3), nx.empty_graph(0)], ids=["2", "K3", "3 x 1", "0"]
)
def test_where_every_alpha_fits(G):
    solution = nl.solve(G, AUTO, seed=0)
    assert solution.choice is None
    assert len(solution.positions) == len(G)
    assert any("every alpha fits" in note for note in solution.notes) == (G.number_of_edges() > 0)
    assert nl.choose_alpha(G, seed=0) is None


@pytest.mark.full
def test_fixed_nodes_and_starts_keep_their_meaning():
    G = nx.karate_club_graph()
    start = {v: np.array([100.0 + 3 * np.cos(v), -50 + np.sin(2.0 * v)]) for v in G}
    pos = nl.alpha_sne_layout(G, start, [0, 5, 33], alpha="auto", seed=0)
    assert all(np.array_equal(pos[v], start[v]) for v in (0, 5, 33))
    assert np.abs(array(pos) - [100, -50]).max() < 60
    kept = nl.alpha_sne_layout(G, start, alpha="auto", max_iter=0)
    assert np.array_equal(array(kept), array(start))


def test_max_iter_bounds_each_drawing():
    solution = nl.solve(nx.karate_club_graph(), AUTO, seed=0, max_iter=3)
    stages = [step.stage for step in solution.trace if step.stage != "shape"]
    assert max(stages.count(stage) for stage in set(stages)) == 3


def test_the_callback_ends_it_at_once():
    seen = []

    def look(state):
        seen.append(state)
        return state.stage == "alpha 0.7"

    solution = nl.solve(nx.karate_club_graph(), AUTO, seed=0, callback=look)
    assert solution.reason == "stopped"
    assert solution.choice is None
    assert seen[-1].stage == "alpha 0.7"
    assert [s.iteration for s in seen] == list(range(len(seen)))
    assert any("stopped before alpha was chosen" in note for note in solution.notes)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nl.embed(np.eye(5), "alpha-sne", n_neighbors=2, alpha="best"), "'auto', must be a finite number"),
        (lambda: auto_alpha(grid=[]), "at least one order"),
        (lambda: auto_alpha(grid=[1.0, 0.0]), "all > 0"),
        (lambda: auto_alpha(grid=[1.0, float("nan")]), "finite number"),
        (lambda: auto_alpha(grid=0.5), "list of orders"),
        (lambda: auto_alpha(refine="no"), "refine"),
        (lambda: nl.divergences.mix(0.5, "alpha:auto", "kl"), "mixture"),
        (lambda: nl.Method(divergence="alpha:auto", connection="optimal"), "normalized-rows"),
        (lambda: replace(AUTO, divergence="js"), "leave out one"),
        (lambda: nl.Method(connection="normalized-rows", choose=0.5), "auto_alpha"),
        (lambda: nl.Method(stages=(nl.Descend("x", 9, divergence=auto_alpha()),)), "stage"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_estimate_knows_of_the_walk():
    G = nx.random_geometric_graph(300, 0.1, seed=0)
    plans = nl.estimate(G, AUTO), nl.estimate(G, "alpha-sne")  # whether loops are loaded depends on other tests
    auto, plain = (sum(p.seconds for p in plan.passes if p.name != "compile and load loops") for plan in plans)
    assert 2 < auto / plain < 15


@pytest.mark.full
def test_annealing_the_perplexity_chooses_once():
    X = np.random.default_rng(0).normal(size=(80, 3))
    solution = solve_vectors(
        X,
        method="alpha-sne",
        perplexity=10,
        perplexity_annealing=True,
        random_state=0,
        method_options={"alpha": "auto"},
    )
    assert solution.choice is not None
    assert sum("was chosen" in note for note in solution.notes) == 1
    assert not any(step.stage.startswith("perplexity 40: alpha") for step in solution.trace)


def test_an_open_order_draws_as_the_one_it_begins_with():
    assert AUTO.choose == AlphaSearch()
    assert AUTO.divergence == alpha(1.0)
    assert auto_alpha(grid=[0.2, 0.8, 3.0]).first == 0.8
    assert replace(AUTO, divergence=alpha(0.5), choose=None).choose is None


def area(X, Y):
    """Under mean precision over mean recall: 20 nearest rows of X are relevant, 1 to 100 are retrieved in Y."""
    near, drawn = (((Z[:, None] - Z) ** 2).sum(axis=2) for Z in (X, Y))
    for distances in (near, drawn):
        np.fill_diagonal(distances, np.inf)
    relevant, retrieved = np.argsort(near)[:, :20], np.argsort(drawn)[:, :100]
    hits = np.array([np.isin(y, x) for x, y in zip(relevant, retrieved, strict=True)]).cumsum(axis=1)
    precision, recall = (hits / np.arange(1, 101)).mean(axis=0), (hits / 20).mean(axis=0)
    return np.trapezoid(np.r_[precision[0], precision], np.r_[0.0, recall])


@pytest.mark.full  # some twenty drawings of each
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_the_chosen_alpha_retrieves_as_well_as_the_best(name):
    """Amid, Dikmen & Oja 2015, table 1: within 0.01 of the best of ten orders that are drawn from scratch."""
    datasets = pytest.importorskip("sklearn.datasets", reason="needs scikit-learn")
    X = getattr(datasets, f"load_{name}")().data
    X = np.unique(X, axis=0) if name == "iris" else (X - X.mean(axis=0)) / X.std(axis=0)

    def drawn(alpha):
        return area(
            X, nl.embed(X, method="alpha-sne", method_options={"alpha": alpha}, perplexity=20, random_state=0)
        )

    best = max(drawn(k / 10) for k in range(1, 11))
    assert drawn("auto") > best - 0.01
