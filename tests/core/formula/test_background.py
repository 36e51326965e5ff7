"""The background of divergences that are infinite at p = 0: where it enters, where it does not, and how large it is."""

from typing import Any

import numpy as np
import pytest
from oracles import objective, q_of
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.catalogue import METHODS, tune
from nelayout.core.formula.connections import Normalized, NormalizedRows
from nelayout.core.formula.divergences import BACKGROUND, alpha, jse_divergence, nerv_divergence, reverse_kl
from nelayout.core.formula.divergences.protocol import BackgroundShare, Similarity
from nelayout.core.formula.kernels import KERNELS

GAUSSIAN = KERNELS["gaussian"]
OFF = ~np.eye(80, dtype=bool)
X = np.random.default_rng(0).normal(size=(80, 3))
Y = np.random.default_rng(1).normal(size=(80, 2))


def kl(p, q):
    return float(np.sum(p[OFF] * np.log(p[OFF] / q[OFF])))


def rows(Y):
    q = q_of(GAUSSIAN, Y)
    return q / q.sum(axis=1, keepdims=True)


def every_pair(X, perplexity=10):
    """(n, n) p_j|i of all pairs."""
    return nl.entropic_affinity(X, perplexity, n_neighbors="all", symmetrize="none").toarray()


def by_rows(p, divergence, kernel=GAUSSIAN):
    """J of dense rows p_j|i."""
    P = csr_array(p + p.T)
    return objective(P, np.ones(len(p)), kernel, divergence, NormalizedRows(), rows=p[OFF])


@pytest.mark.parametrize(
    ("divergence", "kappa"),
    [(nerv_divergence(0.3), 0.3), (nerv_divergence(1.0), 1.0), (jse_divergence(1.0), 1.0), (alpha(0.0), 1.0)],
)
def test_where_every_pair_has_a_similarity_the_value_is_the_divergence(divergence, kappa):
    p, q = every_pair(X), rows(Y)
    assert by_rows(p, divergence).evaluate(Y).value == pytest.approx((1 - kappa) * kl(p, q) + kappa * kl(q, p))


def test_graphs_without_a_missing_edge_have_no_background():
    w = np.random.default_rng(2).uniform(0.1, 1.0, (80, 80))
    p = np.where(OFF, w + w.T, 0.0)
    p /= p.sum()
    J = objective(csr_array(p), np.ones(80), KERNELS["cauchy"], reverse_kl(), Normalized())
    q = q_of(KERNELS["cauchy"], Y)
    assert J.evaluate(Y).value == pytest.approx(kl(q / q.sum(), p), rel=1e-12)


def test_one_missing_pair_takes_the_background_to_its_own_row():
    p = every_pair(X)
    whole = by_rows(p, reverse_kl()).node_cost(Y, 1.0)
    p[3, 7] = 0.0
    p[3] /= p[3].sum()
    costs = by_rows(p, reverse_kl()).node_cost(Y, 1.0)
    assert np.flatnonzero(np.abs(costs - whole) > 1e-9).tolist() == [3]


def test_jse_and_alpha_come_to_their_ends_where_every_pair_has_a_similarity():
    p = every_pair(X, 70)
    end = by_rows(p, reverse_kl()).evaluate(Y).value
    for near, far in ((jse_divergence(1 - 1e-6), jse_divergence(1 - 1e-3)), (alpha(1e-6), alpha(1e-3))):
        close, away = (by_rows(p, d).evaluate(Y).value for d in (near, far))
        assert close == pytest.approx(end, rel=1e-4)
        assert abs(close - end) < 0.01 * abs(away - end)


def test_the_less_similar_a_pair_is_the_more_it_costs_to_draw_it_near():
    """In data a row ever farther away, down to similarities beyond floats, and drawn where it was."""
    values = []
    for away in (0.0, 3.0, 10.0, 30.0, 100.0, 1e3, 1e6):
        moved = X.copy()
        moved[0] += away
        p = every_pair(moved)
        assert p[OFF].min() > 0
        values.append(by_rows(p, nerv_divergence(0.5)).node_cost(Y, 1.0)[1:].sum())
    assert values == sorted(values)
    assert values[0] < values[1] < values[2] < values[3]


def test_weights_that_underflow_beside_others_cost_no_less_than_small_ones():
    w = np.where(OFF, 1.0, 0.0)
    values = []
    for weight in (1e-10, 1e-100, 1e-300, 5e-324):
        w[0, 1] = w[1, 0] = weight
        J = objective(csr_array(w), np.ones(80), GAUSSIAN, nerv_divergence(0.5), NormalizedRows())
        values.append(J.evaluate(Y).value)
    assert values[0] < values[1] < values[2] < values[3]


@pytest.mark.parametrize("divergence", [reverse_kl(), alpha(-1.0)])
def test_beside_a_background_no_edge_costs_more_than_none(divergence):
    """Under the share of a pair without an edge, edges have that share: their sum, which falls with p, ends at 0."""
    made: Any = divergence.bound(BackgroundShare(1e-3, True))
    p, b = np.array([1.0, 1e-2, 1e-3, 1e-10, 1e-300]), Similarity(GAUSSIAN, np.full(5, 0.7))
    slope = made.slope(p, b)
    assert slope[0] < slope[1] < -1e-6
    assert np.abs(slope[2:]).max() < 1e-15


@pytest.mark.full
@pytest.mark.parametrize("n_neighbors", ["all", 15])
def test_rows_far_apart_are_joined_by_an_edge_of_the_row_too(n_neighbors):
    """Two heaps whose similarities to each other are next to nothing: the edge that joins them is drawn as one."""
    far = np.concatenate([X[:40], X[40:] + 1e4])
    for method in ("sne", "tsne"):
        s = nl.solve_vectors(far, method=method, perplexity=5, n_neighbors=n_neighbors, random_state=0)
        assert any("1 shortest edge between them was added" in note for note in s.notes)
        ends = np.linalg.norm(s.positions[:40, None] - s.positions[None, 40:], axis=2)
        assert ends.min() < np.linalg.norm(s.positions[:40] - s.positions[:40].mean(0), axis=1).max() * 6


@pytest.mark.full
def test_the_usual_background_lets_nothing_collapse_at_a_large_kappa():
    """With 0.1 a drawing shrunk to a point costs too little: it keeps half as much."""
    cloud = np.random.default_rng(0).normal(size=(300, 10))
    kept = {}
    for background in (0.1, BACKGROUND):
        method = tune("nerv", kappa=0.95, background=background)
        s = nl.solve_vectors(cloud, method=method, perplexity=8, random_state=0)
        kept[background] = nl.measure_vectors(cloud, s, measures="r_nx")["r_nx"].value
    assert kept[BACKGROUND] > 2 * kept[0.1]
    assert tune("nerv", kappa=0.95) == tune("nerv", kappa=0.95, background=BACKGROUND)
    assert METHODS["nerv"].divergence.background == BACKGROUND
