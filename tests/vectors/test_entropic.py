"""Entropic affinities: every row worth its perplexity, whatever the data's scale, order and ties."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.distance import cdist
from scipy.stats import entropy

import nelayout as nl
from nelayout.core.similarities.entropic import calibrate
from nelayout.numerics.parallel import threads_for
from nelayout.vectors import embedding
from nelayout.vectors.embedding import scales, solve_vectors
from nelayout.vectors.joining import join_components
from nelayout.vectors.knn import entropic_rows
from nelayout.vectors.neighbors import NeighborIndex


def excess(p, perplexity):
    """The largest difference between the entropies of a row and of the perplexity, in nats."""
    p = p.toarray() if hasattr(p, "toarray") else p
    return np.abs(entropy(p, axis=1) - math.log(perplexity)).max()


def by_root_finding(D, perplexity, k):
    """The definition, row by row: brentq in ln pi on the k nearest others."""
    P = np.zeros_like(D)
    for i, row in enumerate(D):
        near = np.argsort(np.where(np.arange(len(D)) == i, np.inf, row), kind="stable")[:k]
        d2 = row[near] ** 2

        def p(log_pi, d2=d2):
            x = np.exp(-0.5 * math.exp(log_pi) * (d2 - d2.min()))
            return x / x.sum()

        middle = -math.log(d2.mean())
        root: Any = brentq(lambda t, p=p: entropy(p(t)) - math.log(perplexity), middle - 30, middle + 30, xtol=1e-13)
        P[i, near] = p(root)
    return P


def table(X):
    """(n, n - 1) distances to the others, nearest first."""
    D = cdist(X, X)
    np.fill_diagonal(D, -1.0)
    return np.sort(D, axis=1)[:, 1:]


X60 = np.random.default_rng(0).standard_normal((60, 4)) * np.array([1, 2, 5, 0.1])


@pytest.mark.parametrize(("perplexity", "k"), [(1.01, 59), (5, 15), (7.3, 59), (30, 59), (58.9, 59), (2, 3)])
def test_rows_are_those_of_the_definition(perplexity, k):
    p = nl.entropic_affinity(X60, perplexity, n_neighbors=k, symmetrize="none")
    assert excess(p, perplexity) < 1e-9
    np.testing.assert_allclose(p.toarray(), by_root_finding(cdist(X60, X60), perplexity, k), rtol=1e-6, atol=1e-9)
    assert np.allclose(p.sum(axis=1), 1, rtol=1e-14)
    assert p.indices.dtype == np.int32
    assert p.has_sorted_indices


def test_the_joint_form_is_the_mean_of_both_directions():
    p = nl.entropic_affinity(X60, 8, symmetrize="none").toarray()
    P = nl.entropic_affinity(X60, 8)
    np.testing.assert_allclose(P.toarray(), (p + p.T) / 120, rtol=1e-14)
    assert P.sum() == pytest.approx(1, abs=1e-13)
    assert np.array_equal(P.toarray(), P.toarray().T)
    assert not P.diagonal().any()


def test_the_default_support_is_three_times_the_perplexity():
    assert np.diff(nl.entropic_affinity(X60, 5, symmetrize="none").indptr).tolist() == [15] * 60
    whole = nl.entropic_affinity(X60, 5, n_neighbors="all")
    assert np.array_equal(whole.toarray(), nl.entropic_affinity(X60, 5, n_neighbors=59).toarray())
    assert whole.nnz == 60 * 59


@pytest.mark.parametrize("perplexity", [1.5, 10, 40])
def test_rows_of_any_kind_have_their_entropy(perplexity):
    """Rows of a cloud, near and far outliers, ties, copies and short rows (padded by inf)."""
    rng = np.random.default_rng(1)
    D = table(np.concatenate([rng.standard_normal((200, 3)), 1e6 + 1e3 * rng.standard_normal((50, 3))]))
    D = np.concatenate([D, np.full((1, 249), 3.0), np.zeros((1, 249)), np.r_[np.zeros(20), np.ones(229)][None]])
    D[:50, 45:] = np.inf
    p = calibrate(D, perplexity)
    assert excess(p[:250], perplexity) < 1e-9
    assert not p[:50, 45:].any()
    assert p[:50, :45].min() > 0


@pytest.mark.parametrize("scale", [1e6, 1e-6, 2.0**500, 2.0**-500, 1e150, 1e-150])
def test_the_scale_of_the_data_does_not_matter(scale):
    P, scaled = nl.entropic_affinity(X60, 7), nl.entropic_affinity(X60 * scale, 7)
    assert np.array_equal(P.indices, scaled.indices)
    np.testing.assert_allclose(scaled.data, P.data, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-320])
def test_distances_whose_squares_are_no_floats(scale):
    D = table(X60)
    if scale < 1e-310:  # a few digits are left
        D = np.rint(D * 20) / 20 + 0.05
    p = calibrate(D * scale, 5)
    assert excess(p, 5) < 1e-9
    np.testing.assert_allclose(p, calibrate(D, 5), rtol=0.02 if scale < 1e-310 else 1e-9, atol=1e-9)


def test_distances_of_all_magnitudes_in_a_row():
    """Each neighbor 1e10 times as far as the one before: the nearest two share what a perplexity of 1.5 leaves."""
    D = 10.0 ** np.arange(-150, 150, 10)[None]
    p, three = calibrate(D, 1.5), calibrate(D, 3.0)
    assert max(excess(p, 1.5), excess(three, 3)) < 1e-9
    assert p[0, 2:].max() < 1e-250
    np.testing.assert_allclose(three[0, :4], [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-4)  # the only way is three equal ones


def test_more_copies_than_the_perplexity_share_alike():
    X = np.concatenate([np.zeros((9, 2)), np.random.default_rng(0).standard_normal((30, 2))])
    p, exact, fewer = (nl.entropic_affinity(X, k, symmetrize="none").toarray() for k in (5, 8, 9))
    assert np.array_equal(p[:9, :9], (1 - np.eye(9)) / 8)
    assert np.array_equal(p[9], np.r_[np.full(9, 1 / 9), np.zeros(30)])  # the nine are nearest to this row too
    assert excess(p[10:], 5) < 1e-9
    assert np.array_equal(exact[:9, :9], (1 - np.eye(9)) / 8)  # as many as the perplexity
    assert excess(fewer, 9) < 1e-9


def test_equal_distances_share_alike():
    """A simplex, and a grid whose four nearest differ by rounding only."""
    p = nl.entropic_affinity(np.eye(8), 3, n_neighbors="all", symmetrize="none").toarray()
    np.testing.assert_allclose(p, (1 - np.eye(8)) / 7)
    x = np.arange(7) * 0.1 + 0.3
    grid = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    row = nl.entropic_affinity(grid, 3.5, symmetrize="none").toarray()[24]
    assert np.flatnonzero(row).tolist() == [17, 23, 25, 31]
    np.testing.assert_allclose(row[row > 0], 0.25)


def test_distances_are_those_of_the_metric():
    D = cdist(X60, X60, "cityblock")
    P = nl.entropic_affinity(X60, 6, metric="manhattan")
    np.testing.assert_allclose(P.toarray(), nl.entropic_affinity(D, 6, metric="precomputed").toarray(), rtol=1e-9)
    expected = by_root_finding(1 - (X60 @ X60.T) / np.outer(*[np.linalg.norm(X60, axis=1)] * 2), 6, 18)
    p = nl.entropic_affinity(X60, 6, metric="cosine", symmetrize="none")
    np.testing.assert_allclose(p.toarray(), expected, rtol=1e-5, atol=1e-8)


def test_large_tables_have_the_same_bits_for_any_threads():
    D = table(np.random.default_rng(3).standard_normal((1100, 3)))
    with threads_for(1) as one, threads_for(2) as two:
        p = calibrate(D, 30, one)
        assert np.array_equal(p, calibrate(D, 30, two))
    assert excess(p, 30) < 1e-9


def test_the_input_is_not_changed():
    X, D = X60.copy(), table(X60)
    nl.entropic_affinity(X, 5)
    calibrate(D, 5)
    assert np.array_equal(X, X60)
    assert np.array_equal(D, table(X60))


@pytest.mark.parametrize("support", ["all", 20, None])
def test_embed_draws_the_joint_similarities(support):
    """Also where the weakest hold nothing together: the graph that is drawn is still all of P."""
    P = nl.entropic_affinity(X60, 5, n_neighbors=support)
    assert P.data.min() < 1e-3 / (2 * 60 * 5)
    drawn = nl.solve(P, "ssne", scale=None, seed=1, mass="unit", components="joint", max_iter=40)
    solution = solve_vectors(X60, method="ssne", perplexity=5, n_neighbors=support, random_state=1, max_iter=40)
    assert solution.notes == drawn.notes == ()
    assert np.array_equal(solution.positions, drawn.positions)
    assert solution.value == drawn.value


def test_joining_leaves_the_given_graph_alone():
    P = nl.entropic_affinity(X60, 5, n_neighbors="all")
    before = P.copy()
    with threads_for(1) as threads:
        graph, added = join_components(NeighborIndex(X60), P, threads, 1 / (2 * 60 * 5))
    assert added == 0
    for A in (P, graph):
        for part in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(A, part), getattr(before, part))


def test_clouds_that_only_negligible_similarities_join_are_joined():
    """One edge of weight 1 / (2 n perplexity) between clouds, where the whole support has some 1e-200."""
    X = np.concatenate([X60, X60 + 60])
    space = NeighborIndex(X)
    with threads_for(1) as threads:
        found = space.nearest(119, np.random.default_rng(0), threads)
        P = nl.entropic_affinity(X, 6, n_neighbors="all")
        graph, _, notes = embedding.at_perplexity(space, found, 6.0, threads)
    D = cdist(X[:60], X[60:])
    i, j = np.unravel_index(np.argmin(D), D.shape)
    changed = np.argwhere((graph - P).toarray())
    assert changed.tolist() == [[i, j + 60], [j + 60, i]]
    assert graph[i, j + 60] == graph[j + 60, i] == 1 / (2 * 120 * 6)
    words = "the similarities of perplexity 6 leave 2 components apart; 1 shortest edge between them was added"
    assert notes == (words,)


def helix(n):
    t = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.stack([(2 + np.cos(8 * t)) * np.cos(t), (2 + np.cos(8 * t)) * np.sin(t), np.sin(8 * t)], axis=1)


def sphere(n):
    X = np.random.default_rng(5).standard_normal((n, 3))
    return X / np.sqrt((X**2).sum(axis=1, keepdims=True))


def test_the_entropy_of_every_scale_is_exact():
    X = helix(200)
    plan = scales(200, 12.0, 36)
    assert plan == ((100.0, 199), (50.0, 150), (25.0, 75), (12.5, 38), (12.0, 36))
    with threads_for(1) as threads:
        space, rng = NeighborIndex(X), np.random.default_rng(0)
        wide = space.nearest(199, rng, threads)
        for perplexity, k in plan:
            near = space.nearest(k, rng, threads)
            assert np.array_equal(wide.indices[:, :k], near.indices)
            assert excess(entropic_rows(near, perplexity, threads), perplexity) < 1e-9


@pytest.mark.full
@pytest.mark.parametrize(("X", "perplexity"), [(helix(400), 15), (sphere(500), 30)], ids=["helix", "sphere"])
def test_annealing_ends_no_higher(X, perplexity):
    """So it is on curves and closed surfaces; on rolled sheets it ends some 8 % higher, as the docs say."""
    plain = solve_vectors(X, method="tsne", perplexity=perplexity, random_state=0)
    annealed = solve_vectors(X, method="tsne", perplexity=perplexity, perplexity_annealing=True, random_state=0)
    assert annealed.value < 1.02 * plain.value
    Q = 1 / (1 + cdist(annealed.positions, annealed.positions, "sqeuclidean")) - np.eye(len(X))
    Q /= Q.sum()
    P = nl.entropic_affinity(X, perplexity).toarray()
    assert annealed.value == pytest.approx(np.sum(P[P > 0] * np.log(P[P > 0] / Q[P > 0])), rel=1e-2)


@pytest.mark.full
def test_annealing_is_one_run_for_those_who_look_on():
    seen = []
    X, D = helix(100), cdist(helix(100), helix(100))
    keywords: dict[str, Any] = {"method": "tsne", "perplexity": 12, "perplexity_annealing": True, "random_state": 0}
    s = solve_vectors(X, max_iter=23, callback=lambda state: seen.append((state.iteration, state.stage)), **keywords)
    assert [step.iteration for step in s.trace] == list(range(len(s.trace)))
    assert seen == [*((step.iteration, step.stage) for step in s.trace), (len(s.trace), "result")]
    names = list(dict.fromkeys(step.stage for step in s.trace))
    assert names == ["perplexity 50: descend", "perplexity 25: descend", "perplexity 12.5: descend", "descend"]
    assert len(s.trace) <= 23
    stopped = solve_vectors(X, callback=lambda state: state.iteration == 3, **keywords)
    assert (stopped.reason, len(stopped.trace)) == ("stopped", 4)
    assert np.allclose(solve_vectors(X, init=X[:, :2], max_iter=0, **keywords).positions, X[:, :2])
    assert solve_vectors(D, metric="precomputed", **keywords).value == pytest.approx(
        solve_vectors(X, **keywords).value, rel=0.05
    )


def test_too_many_rows_begin_at_a_lower_perplexity(monkeypatch):
    monkeypatch.setattr(embedding, "ANNEALED_PAIRS", 100 * 80)
    assert scales(100, 12.0, 36) == ((25.0, 75), (12.5, 38), (12.0, 36))
    s = solve_vectors(helix(100), perplexity=12, perplexity_annealing=True, max_iter=6, random_state=0)
    assert s.notes == (
        "the annealing of the perplexity begins at 25, the widest that 100 rows afford (8e+03 similarities), not at 50",
    )


def test_rows_are_taken_by_methods_that_compare_rows():
    """SNE of vectors compares the calibrated rows themselves, not the rows of their joint form."""
    X = np.random.default_rng(3).standard_normal((60, 4))
    solution = solve_vectors(X, method="sne", perplexity=8, n_neighbors="all", random_state=0)
    p = nl.entropic_affinity(X, 8, n_neighbors="all", symmetrize="none").toarray()
    q = np.exp(-cdist(solution.positions, solution.positions, "sqeuclidean")) * (1 - np.eye(60))
    q /= q.sum(axis=1, keepdims=True)
    assert solution.value == pytest.approx(np.sum(p[p > 0] * np.log(p[p > 0] / q[p > 0])), rel=1e-9)
    assert np.allclose(solution.node_cost.sum(), solution.value)
