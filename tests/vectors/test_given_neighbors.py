"""Neighbors that the caller brings give the drawing that our own search would."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from tables import first

import nelayout as nl
from nelayout.vectors.input import read_neighbors

X = np.concatenate([np.random.default_rng(0).standard_normal((50, 5)) + 6 * k for k in range(2)])
CLOUD = np.random.default_rng(1).standard_normal((100, 5))
LISTS = NearestNeighbors(n_neighbors=16).fit(X).kneighbors()[::-1]
WITH_SELF = NearestNeighbors(n_neighbors=16).fit(X).kneighbors(X)[::-1]


def nearest(k: int) -> Any:
    """The lists of the k nearest rows."""
    return LISTS[0][:, :k], LISTS[1][:, :k]


@pytest.mark.parametrize("perplexity", [None, 5.0])
def test_the_drawing_is_that_of_our_search(perplexity):
    k: dict[str, Any] = {"n_neighbors": 15, "perplexity": perplexity, "init": "pca", "random_state": 0}
    expected, given = nl.embed(X, **k), nl.embed(X, knn=nearest(15), **k)
    np.testing.assert_allclose(given, expected, atol=1e-6 * np.abs(expected).max())
    for knn in (WITH_SELF, (*nearest(15), object())):  # UMAP's lists hold an index too
        assert np.array_equal(nl.embed(X, knn=knn, **k), given)


@pytest.mark.parametrize("rows", first([5, 11, 8], 2))
def test_an_estimator_of_few_rows_takes_what_is_known(rows):
    search = NearestNeighbors(n_neighbors=3).fit(X[:rows])
    stored = search.kneighbors_graph(mode="distance")
    for given, how in ((X[:rows], {"knn": search.kneighbors()[::-1]}), (stored, {"metric": "precomputed"})):
        drawn = nl.embed(given, random_state=0, **how)
        assert np.array_equal(nl.NeighborEmbedding(random_state=0, **how).fit_transform(given), drawn)


def test_a_row_without_any_stored_distance_is_named():
    stored = sp.lil_array(cdist(X[:8], X[:8]))
    stored[3] = 0.0
    with pytest.raises(ValueError, match="row 3 of the distances has none to another row"):
        nl.embed(stored.tocsr(), metric="precomputed")


@pytest.mark.full
def test_without_a_number_all_that_are_given_count():
    given = nl.embed(X, knn=nearest(12), random_state=0)
    assert np.array_equal(given, nl.embed(X, knn=nearest(12), n_neighbors=12, perplexity=8.0, random_state=0))
    expected = nl.embed(X, n_neighbors=3, perplexity=2.0, random_state=0)
    assert np.array_equal(nl.embed(X, knn=nearest(3), random_state=0), expected)


def test_fewer_neighbors_than_given_are_the_nearest():
    given = nl.embed(X, knn=LISTS, n_neighbors=6, random_state=0)
    assert np.array_equal(given, nl.embed(X, n_neighbors=6, random_state=0))


@pytest.mark.full
def test_an_estimator_takes_them_and_places_new_rows_by_a_search_of_its_own():
    given, plain = (nl.NeighborEmbedding(knn=knn, n_neighbors=10, random_state=0).fit(X) for knn in (LISTS, None))
    assert np.array_equal(given.embedding_, plain.embedding_)
    assert np.array_equal(given.transform(X[:5] + 0.1), plain.transform(X[:5] + 0.1))


def test_a_row_in_some_lists_of_its_own():
    indices = np.array([[0, 1], [0, 2], [1, 0]])
    found = read_neighbors((indices, np.array([[0.0, 2.0], [2.0, 3.0], [3.0, 5.0]])), 3)
    assert found.indices.tolist() == [[1], [0], [1]]


def test_sparse_distances_are_neighbor_lists():
    """As scikit-learn's KNeighborsTransformer gives them; what is not stored is no neighbor, and not at distance 0."""
    graph = NearestNeighbors(n_neighbors=15).fit(CLOUD).kneighbors_graph(mode="distance")
    start = CLOUD[:, :2] - CLOUD[:, :2].mean(axis=0)  # distances have no components to begin with
    with pytest.raises(ValueError, match=r"row 0 has 15 stored distances .* n_neighbors=20"):
        nl.embed(graph, metric="precomputed", n_neighbors=20)
    keywords: dict[str, Any] = {"n_neighbors": 12, "init": start, "random_state": 0}
    given = nl.NeighborEmbedding(metric="precomputed", **keywords).fit(graph)
    dense = nl.NeighborEmbedding(**keywords).fit(CLOUD)
    np.testing.assert_allclose(given.embedding_, dense.embedding_, atol=1e-6)
    new = NearestNeighbors(n_neighbors=14).fit(CLOUD).kneighbors_graph(CLOUD[:4] + 0.1, mode="distance")
    np.testing.assert_allclose(given.transform(new), dense.transform(CLOUD[:4] + 0.1), atol=1e-4)


def test_sparse_distances_of_zero_count():
    D = cdist(X, X)
    D[0, 1] = D[1, 0] = 0.0
    near = np.argsort(D + np.diag(np.full(100, np.inf)), axis=1, kind="stable")[:, :12]
    rows = np.repeat(np.arange(100), 12)
    stored = sp.csr_array((D[rows, near.ravel()], (rows, near.ravel())), shape=(100, 100))
    assert stored.nnz == 1200
    assert nl.knn_graph(stored, 12, metric="precomputed", symmetrize="none").toarray()[rows, near.ravel()].all()
