"""Equal rows get nearly equal places, whatever the method, the metric and the neighbors that ties leave them."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist

import nelayout as nl

KIND = np.r_[np.repeat(np.arange(30), 2), np.arange(30, 60), np.zeros(40, int)]
X = np.random.default_rng(0).standard_normal((60, 5))[KIND]


def farthest_apart(Y):
    """The largest distance between copies, in parts of the diameter."""
    return max(cdist(Y[k == KIND], Y[k == KIND]).max() for k in range(60)) / pdist(Y).max()


@pytest.mark.parametrize("method", ["ws-sne", "nerv", "linlog", "ee", "auto"])
@pytest.mark.parametrize("neighbors", [{}, {"n_neighbors": 7}, {"perplexity": 8}])
def test_copies_lie_together_and_apart(method, neighbors):
    solution = nl.solve_vectors(X, method, random_state=0, **neighbors)
    assert farthest_apart(solution.positions) < 3e-3
    assert len(np.unique(solution.positions, axis=0)) == len(X)
    assert "70 of the 130 rows are copies of others" in " ".join(solution.notes)
    assert np.isfinite(solution.value)
    assert solution.node_cost.shape == solution.components.shape == (130,)


@pytest.mark.parametrize(
    ("rows", "keywords"),
    [
        (sp.csr_array(np.maximum(X, 0)), {}),
        (cdist(X, X), {"metric": "precomputed"}),
        (X, {"metric": "manhattan", "pca": None}),
        (X, {"metric": lambda a, b: abs(a - b).sum()}),
        (X, {"init": "spectral"}),
        (X, {"init": "pca", "n_components": 3}),
        (X, {"init": np.random.default_rng(1).random((130, 2))}),
        (X, {"mass": np.arange(1.0, 131.0)}),
        (X, {"mass": "degree"}),
        (X, {"perplexity": 8, "perplexity_annealing": True}),
    ],
)
def test_copies_of_other_tables_lie_together(rows, keywords):
    assert farthest_apart(nl.embed(rows, random_state=0, max_iter=30, **keywords)) < 3e-3


def test_the_value_is_that_of_the_whole_graph():
    estimator = nl.NeighborEmbedding(method="tsne", perplexity=8, random_state=0).fit(X)
    again = nl.evaluate(estimator.affinity_, estimator.embedding_, "tsne")
    assert estimator.solution_.value == pytest.approx(again.value)
    assert np.allclose(estimator.solution_.node_cost, again.node_cost)
    best = nl.evaluate(estimator.affinity_, estimator.embedding_, "tsne", size="best")
    assert best.unit == pytest.approx(1, abs=0.05)
    assert np.array_equal(estimator.transform(X[60:]), estimator.embedding_[[*range(60, 90), *[0] * 40]])


def test_copies_cost_little_where_they_are_few():
    once = X[60:90]
    twice = np.concatenate([once, once])
    together = nl.solve_vectors(twice, "tsne", perplexity=8, random_state=0).value
    apart = nl.solve_vectors(twice + 1e-9 * np.arange(180).reshape(60, 3)[:, :1], "tsne", perplexity=8, random_state=0)
    assert together < 1.1 * apart.value


def test_a_callback_sees_all_rows():
    shapes = set()
    nl.embed(X, random_state=0, max_iter=5, callback=lambda state: shapes.add(state.positions.shape))
    assert shapes == {(130, 2)}


@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize("method", ["ws-sne", "nerv", "linlog", "auto", "ftsne"])
def test_all_rows_equal(method, n):
    Y = nl.embed(np.full((n, 3), 7.0), method, random_state=0)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == n
