"""Measures of ranks: against all orders of ties, against sets, against scikit-learn, perfect and random drawings."""

import networkx as nx
import numpy as np
import pytest
from measured import distances_of, others
from scipy.spatial.distance import cdist

from nelayout.graphs import read
from nelayout.quality import ranks
from nelayout.quality.distances import hop_distances
from nelayout.quality.ranks import NEIGHBORS, RELEVANT, RETRIEVED, by_ranks, neighborhood_size, ranks_of
from nelayout.quality.samples import Sweep

ALL = (ranks.trustworthiness, ranks.continuity, ranks.q_nx, ranks.b_nx, ranks.r_nx,
       ranks.r_nx_area, ranks.retrieval_auc)  # fmt: skip


def chances(d):
    """(m, m) chance of each to have each rank when ties are ordered at random."""
    before, same = (d[None, :] < d[:, None] - 1e-12).sum(axis=1), (abs(d[None, :] - d[:, None]) < 1e-12).sum(axis=1)
    rank = np.arange(1, len(d) + 1)
    return ((rank > before[:, None]) & (rank <= (before + same)[:, None])) / same[:, None]


def by_chances(D, E, k=NEIGHBORS, relevant=RELEVANT):
    """The sums of `Ranks` over all nodes from the chances of every pair of ranks; D: infinite distances are one tie."""
    n = len(D)
    m = n - 1
    k, relevant, most = neighborhood_size(n, k), neighborhood_size(n, relevant), min(RETRIEVED, m)
    D = np.where(np.isfinite(D), D, 1e6)
    sums = {name: np.zeros(m) for name in ("hits", "early", "late", "best")}
    sums |= {"intruded": np.zeros(3), "extruded": np.zeros(3), "found": np.zeros(most), "findable": np.zeros(most)}
    ranks = np.arange(1, m + 1)
    over = np.maximum(ranks - k, 0)
    for i in range(n):
        others = np.arange(n) != i
        p, q = chances(D[i, others]), chances(E[i, others])
        # A drawing without ties in the order of the input, and one in the reverse order.
        perfect, reverse = (np.eye(m)[np.argsort(np.argsort(sign * D[i, others]))] for sign in (1, -1))
        for K in ranks:
            both = np.einsum("jr,js->rs", q[:, :K], p[:, :K])  # [rank in the drawing, rank in the input]
            sums["hits"][K - 1] += both.sum()
            sums["early"][K - 1] += np.triu(both, 1).sum()
            sums["late"][K - 1] += np.tril(both, -1).sum()
            sums["best"][K - 1] += (perfect[:, :K].sum(axis=1) * p[:, :K].sum(axis=1)).sum()
        for at, drawn in enumerate((q, perfect, reverse)):
            sums["intruded"][at] += (drawn[:, :k].sum(axis=1) * (p @ over)).sum()
            sums["extruded"][at] += ((drawn @ over) * p[:, :k].sum(axis=1)).sum()
        for K in range(1, most + 1):
            sums["found"][K - 1] += (q[:, :K].sum(axis=1) * p[:, :relevant].sum(axis=1)).sum()
            sums["findable"][K - 1] += (perfect[:, :K].sum(axis=1) * p[:, :relevant].sum(axis=1)).sum()
    return sums


def cases():
    rng = np.random.default_rng(0)
    falling_apart = nx.disjoint_union(nx.gnm_random_graph(9, 14, seed=1), nx.path_graph(4))
    for G in (nx.gnm_random_graph(23, 50, seed=2), nx.star_graph(11), nx.complete_graph(7), nx.path_graph(2),
              falling_apart, nx.empty_graph(4), nx.cycle_graph(24)):  # fmt: skip
        A = read(G).adjacency
        for Y in (rng.normal(size=(len(G), 2)), rng.integers(3, size=(len(G), 2)).astype(float), np.zeros((len(G), 2))):
            yield hop_distances(A), hop_distances(A).rows(np.arange(len(G))), Y
    for n in (5, 22, 30):
        X = rng.integers(6, size=(n, 3)).astype(float)
        yield distances_of(cdist(X, X)), cdist(X, X), X[:, :2] + 0.5 * rng.normal(size=(n, 2))


@pytest.mark.parametrize("case", range(24))
def test_sums_equal_those_of_all_orders_of_ties(case):
    distances, D, Y = list(cases())[case]
    found = ranks_of(Sweep(distances, Y))
    for name, expected in by_chances(D, cdist(Y, Y)).items():
        np.testing.assert_allclose(getattr(found, name)[0], expected, atol=1e-9, err_msg=name)
    assert found.count.tolist() == [len(Y)]


def test_without_ties_they_are_sets():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(60, 4)), rng.normal(size=(60, 2))
    Y += X[:, :2]
    D, E = cdist(X, X), cdist(Y, Y)
    near, drawn, n, sweep = others(X), others(Y), 60, Sweep(distances_of(D), Y)
    curve = ranks.curves(sweep)
    for K in (1, 7, 10, 31, 58):
        nearest = np.mean([len(set(a[:K]) & set(b[:K])) / K for a, b in zip(near, drawn, strict=True)])
        farthest = np.mean([len(set(a[-K:]) & set(b[-K:])) / K for a, b in zip(near, drawn, strict=True)])
        assert curve.q_nx[K - 1] == pytest.approx(nearest)
        assert curve.r_nx[K - 1] == pytest.approx(((n - 1) * nearest - K) / (n - 1 - K))
        assert curve.farthest[K - 1] == pytest.approx(farthest)
    assert (curve.attainable == 1).all()
    assert np.isnan(curve.r_nx[-1])
    assert by_ranks(sweep, ranks.q_nx).value == pytest.approx(curve.q_nx[9])
    assert by_ranks(sweep, ranks.r_nx).value == pytest.approx(curve.r_nx[9])
    weights = 1 / np.arange(1, n - 1)
    area = (curve.r_nx[:-1] * weights).sum() / weights.sum()
    assert by_ranks(sweep, ranks.r_nx_area).value == pytest.approx(area)
    rank_in, rank_out = np.argsort(np.argsort(D, axis=1), axis=1), np.argsort(np.argsort(E, axis=1), axis=1)
    both = (rank_in <= 10) & (rank_out <= 10) & ~np.eye(n, dtype=bool)
    bias = ((rank_out < rank_in) & both).sum() - ((rank_out > rank_in) & both).sum()
    assert curve.b_nx[9] == pytest.approx(bias / (10 * n))
    assert by_ranks(sweep, ranks.b_nx).value == pytest.approx(abs(bias) / (10 * n))
    hits = np.cumsum([[j in a[:20] for j in b] for a, b in zip(near, drawn, strict=True)], axis=1).mean(axis=0)
    precision, recall = hits / np.arange(1, n), hits / 20
    area = np.trapezoid(np.r_[precision[0], precision], np.r_[0, recall])
    assert by_ranks(sweep, ranks.retrieval_auc).value == pytest.approx(area)


def test_scikit_learn_finds_the_same_trustworthiness():
    from sklearn.manifold import trustworthiness

    rng = np.random.default_rng(2)
    for n in (40, 150):
        X, Y = rng.normal(size=(n, 5)), rng.normal(size=(n, 2))
        Y[:, 0] += X[:, 0]
        sweep, exchanged = Sweep(distances_of(cdist(X, X)), Y), Sweep(distances_of(cdist(Y, Y)), X)
        assert by_ranks(sweep, ranks.trustworthiness).value == pytest.approx(trustworthiness(X, Y, n_neighbors=10))
        # Continuity is the trustworthiness of the input as a drawing of the drawing.
        for found in (by_ranks(sweep, ranks.continuity), by_ranks(exchanged, ranks.trustworthiness)):
            assert found.value == pytest.approx(trustworthiness(Y, X, n_neighbors=10))


def test_a_drawing_in_the_order_of_the_graph_is_perfect_however_many_ties_there_are():
    jitter, turn = 1e-5 * np.random.default_rng(1).normal(size=(40, 2)), 2 * np.pi * np.arange(31) / 31
    line, circle = np.c_[np.arange(40), np.zeros(40)], np.c_[np.cos(turn), np.sin(turn)]
    for G, Y in ((nx.path_graph(40), line + jitter), (nx.cycle_graph(31), circle + jitter[:31])):
        sweep = Sweep(hop_distances(read(G).adjacency), Y)
        for measure in ALL:
            assert by_ranks(sweep, measure).value == pytest.approx(0 if measure is ranks.b_nx else 1, abs=0.02)
        for measure in (ranks.trustworthiness, ranks.r_nx_area):
            assert by_ranks(sweep, measure).value == pytest.approx(1, abs=1e-12)
        assert ranks.curves(sweep).attainable.min() < 1


def test_a_thinned_curve_keeps_the_area(monkeypatch):
    A = read(nx.random_geometric_graph(300, 0.1, seed=2)).adjacency
    Y = np.random.default_rng(0).normal(size=(300, 2))
    expected = by_ranks(Sweep(hop_distances(A), Y, 100), ranks.r_nx_area).value
    monkeypatch.setattr(ranks, "EVERY_K", 60)
    sweep = Sweep(hop_distances(A), Y, 100)
    assert len(ranks.ranks_of(sweep).k) < 220
    assert by_ranks(sweep, ranks.r_nx_area).value == pytest.approx(expected, abs=2e-4)
