"""Distances between rows count in the stages before the last, where rows are not rolled up."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import load_digits, make_swiss_roll
from tables import first

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.passes.coarsen import merged, strong_edges
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.passes import Descent
from nelayout.core.problem import Settings
from nelayout.core.run.plan import passes_for
from nelayout.numerics.distances import row_distances
from nelayout.vectors import embedding
from nelayout.vectors.metrics import prepare

DIGITS = load_digits(return_X_y=True)[0]


def order_of_distances(X, Y) -> float:
    i, j = np.random.default_rng(0).integers(len(X), size=(2, 50_000))
    there, here = (np.linalg.norm(Z[i] - Z[j], axis=1)[i != j] for Z in (X, Y))
    result: Any = spearmanr(there, here)
    return float(result.statistic)


def without(monkeypatch):
    monkeypatch.setattr(embedding, "row_distances", lambda *_: None)


@pytest.mark.full
@pytest.mark.parametrize("method", ["ws-sne", "hssne"])
def test_large_distances_come_into_order_at_nearly_the_same_value(method, monkeypatch):
    def drawn():
        """Medians over three seeds: order of distances, trustworthiness, J."""
        found = [nl.solve_vectors(DIGITS, method=method, random_state=seed) for seed in range(3)]
        trust = [nl.measure_vectors(DIGITS, each.positions, measures="trustworthiness") for each in found]
        order = [order_of_distances(DIGITS, each.positions) for each in found]
        kept = [each["trustworthiness"].value for each in trust]
        return tuple(np.median(each) for each in (order, kept, [each.value for each in found]))

    bent = drawn()
    without(monkeypatch)
    plain = drawn()
    assert bent[0] > plain[0] + 0.02
    assert bent[1] > plain[1] - 0.003
    assert bent[2] < 1.02 * plain[2]


def lengths(goal) -> np.ndarray:
    """The distances (n, k) of pairs that count, and 0."""
    weights, pulls = goal.weights
    return np.where(weights > 0, pulls / np.where(weights > 0, weights, 1.0), 0.0)


def test_goals_leave_out_what_all_distances_have_in_common():
    """Distances of 100 and a little more: the little is the goal, in the same order."""
    rng = np.random.default_rng(0)
    little = rng.uniform(0.0, 5.0, (60, 60))
    little = little + little.T
    np.fill_diagonal(little, -100.0)
    near = row_distances(60, lambda rows, others: (100.0 + little)[np.ix_(rows, others)])
    far = row_distances(60, lambda rows, others: (1e4 + little)[np.ix_(rows, others)])
    assert near is not None
    assert far is not None
    apart = ~np.eye(60, dtype=bool)
    np.testing.assert_allclose(lengths(near)[apart], lengths(far)[apart], rtol=1e-4)
    assert lengths(near)[apart].min() < 0.1 * np.median(lengths(near)[apart])
    assert (near.weights[:, ~apart] == 0).all()
    assert row_distances(60, lambda rows, others: 1.0 - (rows[:, None] == others)) is None


@pytest.mark.full
def test_what_is_rolled_up_in_the_rows_stays_unrolled(monkeypatch):
    roll = make_swiss_roll(1500, random_state=0)[0]
    Y = nl.embed(roll, random_state=0)
    without(monkeypatch)
    assert np.array_equal(Y, nl.embed(roll, random_state=0))


def test_distances_between_rows_count_in_the_first_descent():
    known, unknown = (
        passes_for(METHODS["ws-sne"], Facts(500, 4000, row_distances=each), Settings()) for each in (True, False)
    )
    assert [each.emphasis for each in known if isinstance(each, Descent)] == [0.3, None, None, None]
    assert all(each.emphasis is None for each in unknown if isinstance(each, Descent))


@pytest.mark.full
@pytest.mark.parametrize(
    "keywords",
    [{"method": "nerv"}, {"method": "gamma-quadlog"}, {"method": "auto", "emphasis": 0}, {"init": "pca"}],
)
def test_under_other_kernels_without_emphasis_and_from_starts_they_do_not_count(keywords, monkeypatch):
    X = DIGITS[:300]
    Y = nl.embed(X, random_state=0, **keywords)
    without(monkeypatch)
    assert np.array_equal(Y, nl.embed(X, random_state=0, **keywords))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "chebyshev", "correlation"])
def test_distances_are_those_of_the_metric(metric):
    X = np.abs(np.random.default_rng(0).standard_normal((50, 7)))
    rows, others = np.array([0, 3, 9]), np.array([3, 20, 41, 9])
    expected = cdist(X[rows], X[others], "cityblock" if metric == "manhattan" else metric)
    found = prepare(X, metric).between_some(rows, others)
    assert found is not None
    np.testing.assert_allclose(found, expected, atol=1e-7)
    if metric in ("euclidean", "cosine"):
        sparse = prepare(csr_array(X), metric).between_some(rows, others)
        np.testing.assert_allclose(sparse, expected, atol=1e-7)


def test_of_tables_what_is_known():
    X = np.random.default_rng(0).standard_normal((50, 3))
    D, rows, others = cdist(X, X), np.array([4, 7]), np.array([1, 4])
    np.testing.assert_array_equal(prepare(D, "precomputed").between_some(rows, others), D[np.ix_(rows, others)])
    assert prepare(csr_array(np.where(D < 2, D, 0)), "precomputed").between_some(rows, others) is None
    assert prepare(X, lambda a, b: float(np.abs(a - b).sum())).between_some(rows, others) is None


def test_the_goal_counts_no_row_against_itself_and_outliers_by_their_own_distance():
    X = np.random.default_rng(0).standard_normal((200, 3))
    X[0] = 1e6
    goal = row_distances(200, prepare(X).between_some)
    assert goal is not None
    own = np.eye(200, dtype=bool)
    assert (goal.weights[:, own] == 0).all()
    assert (goal.weights[:, ~own] > 0).all()
    far = goal.weights[1] * lengths(goal)
    assert far.max() == pytest.approx(1.0)
    assert row_distances(200, prepare(np.ones((200, 2))).between_some) is None
    many = row_distances(1500, prepare(np.random.default_rng(0).standard_normal((1500, 3))).between_some)
    assert many is not None
    assert many.weights.shape == (2, 1500, 400)


@pytest.mark.full
@pytest.mark.parametrize("perplexity", first([5, 10], 1))
def test_a_rolled_sheet_is_unrolled_in_spite_of_weak_edges_from_turn_to_turn(perplexity):
    roll, angle = make_swiss_roll(1500, random_state=0)
    length = 0.5 * (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle))
    Y = nl.embed(roll, perplexity=perplexity, n_neighbors=15, random_state=0)
    sheet = np.stack([length, roll[:, 1]], axis=1)
    assert nl.measure(nl.knn_graph(roll), Y, coords=sheet, measures="map_r2")["map_r2"].value > 0.85


def test_the_pattern_of_clusters_is_that_of_the_product():
    rng = np.random.default_rng(0)
    P = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.2), 1)
    P, cluster = csr_array(P + P.T), np.concatenate([np.arange(9), rng.integers(0, 9, 21)])
    C = np.eye(9)[cluster]
    expected = C.T @ P.toarray() @ C > 0
    np.fill_diagonal(expected, False)
    found = merged(P, cluster, int(cluster.max()) + 1)
    assert np.array_equal(found.toarray() > 0, expected)
    assert found.has_sorted_indices


def test_graphs_without_weights_keep_all_edges_and_weighted_ones_stay_connected():
    plain = nl.knn_graph(DIGITS[:200])
    assert strong_edges(plain) is plain
    weighted = nl.entropic_affinity(DIGITS[:200], perplexity=10)
    kept = strong_edges(weighted)
    assert kept.nnz < weighted.nnz
    assert connected_components(kept)[0] == connected_components(weighted)[0]
    assert (kept != kept.T).nnz == 0


def test_nothing_moves_after_the_last_step():
    seen: list[np.ndarray] = []
    ended = nl.solve_vectors(
        DIGITS[:400], random_state=0, max_iter=0, callback=lambda now: seen.append(np.array(now.positions))
    )
    i, j = np.random.default_rng(0).integers(400, size=(2, 2000))
    apart = i != j
    last, end = (np.linalg.norm(Y[i] - Y[j], axis=1)[apart] for Y in (seen[-1], ended.positions))
    np.testing.assert_allclose(end / last, np.median(end / last), rtol=1e-6)
