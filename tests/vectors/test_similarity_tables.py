"""Similarities in the place of vectors, the spectral start, and what is said of the search for neighbors."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

import nelayout as nl
from nelayout.errors import InputError
from nelayout.vectors.input import read_rows

METHODS = ("ws-sne", "linlog", "nerv", pytest.param("ee", marks=pytest.mark.full))


def similarities(n=40):
    X = np.random.default_rng(3).standard_normal((n, 3))
    S = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    S[S < 0.02] = 0.0
    return S


@pytest.mark.parametrize("method", METHODS)
def test_similarities_are_the_graph_that_a_layout_function_draws(method):
    S = similarities()
    apart = S.copy()
    np.fill_diagonal(apart, 0.0)
    Y = nl.embed(S, method=method, metric="similarity", random_state=0)
    same = nl.layout(apart, method.replace("_", "-"), components="joint", scale=None, node_size=None, seed=0)
    if method == "ws-sne":  # of vectors a kernel with a tail takes fewer last steps
        value, other = (nl.evaluate(apart, drawing, method, "best").value for drawing in (Y, same))
        assert value == pytest.approx(other, rel=0.01)
    else:
        assert np.array_equal(Y, same)


def test_dense_and_sparse_similarities_are_alike_and_stay_as_they_are():
    S = similarities()
    sparse = csr_array(S)
    Y, same = (nl.embed(table, metric="similarity", random_state=0) for table in (S, sparse))
    assert np.array_equal(Y, same)
    assert np.array_equal(S, similarities())
    assert np.array_equal(sparse.toarray(), S)


def test_new_rows_of_similarities_lie_at_those_they_are_similar_to():
    S = similarities()
    estimator = nl.NeighborEmbedding(metric="similarity", random_state=0).fit(S)
    Y = estimator.embedding_
    assert np.array_equal(estimator.transform(S), Y)
    new = S[:6].copy()
    new[new > 0] *= 0.5  # parts of the row count, not its sum; and it is no fitted row
    new[np.arange(6), np.arange(6)] = 1.0
    places = estimator.transform(new)
    assert np.array_equal(estimator.transform(8.0 * new), places)
    off = np.hypot(*(places - Y[:6]).T)
    assert off.max() < 0.15 * np.ptp(Y)  # two rows of one normal sample lie 0.45 apart on average
    assert np.array_equal(estimator.transform(csr_array(new))[::-1], estimator.transform(new[::-1]))
    new[2] = 0.0
    with pytest.raises(InputError, match="row 2 of X has no similarity > 0"):
        estimator.transform(new)


def test_groups_of_similarities_and_of_stored_distances_are_joined_and_that_is_said():
    """Two clouds that nothing joins are drawn, apart, and new rows find their own; a note says what was added."""
    X = np.concatenate([np.random.default_rng(k).standard_normal((40, 4)) + 50 * k for k in range(2)])
    clouds, new = np.repeat([0, 1], 40), X[[3, 50]] + 0.1
    search = NearestNeighbors(n_neighbors=15).fit(X)
    stored, newly = (search.kneighbors_graph(rows, mode="distance") for rows in (None, new))
    like, alike = stored.copy(), newly.copy()
    like.data, alike.data = np.exp(-stored.data), np.exp(-newly.data)
    tables = {"precomputed": (stored, newly), "similarity": (like, alike)}
    for metric, (table, others) in tables.items():
        estimator = nl.NeighborEmbedding(metric=metric, random_state=0).fit(table)
        (note,) = [note for note in estimator.solution_.notes if "apart" in note or "components" in note]
        assert note.endswith("1 edge between their heaviest rows was added")
        Y = estimator.embedding_
        nearest = cdist(Y, Y) + np.diag(np.full(80, np.inf))
        assert np.array_equal(clouds[np.argmin(nearest, axis=1)], clouds)
        ends = np.argwhere(np.triu(estimator.affinity_.toarray() > 0) & (clouds[:, None] != clouds))
        assert len(ends) == 1
        assert np.array_equal(clouds[np.argmin(cdist(estimator.transform(others), Y), axis=1)], [0, 1])


def test_spectral_start_holds_the_slowest_eigenvectors_of_the_normalized_laplacian():
    X = np.random.default_rng(0).standard_normal((60, 3)) * [9, 3, 1]
    solution = nl.solve_vectors(X, init="spectral", n_neighbors=8, max_iter=0, random_state=0)
    A = nl.knn_graph(X, 8).toarray()
    root = np.sqrt(A.sum(axis=1, keepdims=True))
    eigenvalues, vectors = np.linalg.eigh(np.eye(60) - A / root / root.T)
    Y, slow = (places - places.mean(axis=0) for places in (np.asarray(solution.positions), vectors[:, 1:3] / root))
    left = Y - slow @ np.linalg.lstsq(slow, Y, rcond=None)[0]
    assert eigenvalues[3] - eigenvalues[2] > 0.01  # else the plane is not defined
    assert np.abs(left).max() < 0.02 * np.abs(Y).max()


def test_spectral_start_without_vectors():
    D = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    Y = nl.embed(D, metric="precomputed", n_neighbors=3, init="spectral", random_state=0)
    assert np.argsort(Y[:, 0]).tolist() in ([*range(20)], [*range(20)][::-1])


@pytest.mark.parametrize("metric", ["precomputed", "similarity"])
def test_sparse_tables_are_not_copied_and_not_changed(metric):
    table = csr_array(similarities())
    assert np.shares_memory(read_rows(table, metric).data, table.data)
    pieces = csr_array((np.ones(3), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert read_rows(pieces, metric).toarray().tolist() == [[0.0, 2.0], [1.0, 0.0]]
    assert pieces.nnz == 3
