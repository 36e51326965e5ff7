"""`NeighborEmbedding` as scikit-learn's users know estimators: fit, transform, clones, pickles, pipelines, errors."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tables import RECIPES, thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.numerics.nearest import Table, nearest_rows
from nelayout.numerics.parallel import Threads
from nelayout.vectors.neighbors import NeighborIndex

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.standard_normal((40, 6)) + 5 * k for k in range(3)])
NEW = np.concatenate([RNG.standard_normal((10, 6)) + 5 * k for k in range(3)])
CLASS = np.repeat(np.arange(3), 40)
START = RNG.standard_normal((120, 2))
METRICS = {metric: {} for metric in ("euclidean", "sqeuclidean", "seuclidean", "cosine", "correlation", "manhattan")}
METRICS["minkowski"] = {"p": 3}


def checks_of(*estimators):
    """The checks of scikit-learn as cases of a test; version 1.6 makes a generator of them, which pytest refuses."""
    mark = parametrize_with_checks(list(estimators))
    names, cases = mark.args
    return pytest.mark.parametrize(names, list(cases), **mark.kwargs)


@checks_of(nl.NeighborEmbedding())
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


OTHERS = {"method": ("nerv", "auto"), "metric": ("precomputed", "similarity")}


@pytest.mark.full
@checks_of(*(nl.NeighborEmbedding(**{word: value}) for word, values in OTHERS.items() for value in values))
def test_checks_of_other_methods(estimator, check):
    check(estimator)


@pytest.mark.full
@pytest.mark.parametrize("method", thinned([*METHODS, "auto"], plain=lambda name: name in (*RECIPES, "auto")))
def test_new_rows_join_their_own(method):
    """Rows of three clouds lie among the fitted rows of their cloud; fitted rows stay, and lie where they are."""
    estimator = nl.NeighborEmbedding(method=method, random_state=0).fit(X)
    before = estimator.embedding_.copy()
    nearest = np.argmin(cdist(estimator.transform(NEW), before), axis=1)
    assert np.array_equal(CLASS[nearest], np.repeat(np.arange(3), 10))
    assert np.array_equal(estimator.embedding_, before)
    assert np.array_equal(estimator.transform(X), before)


def test_a_fitted_row_lies_where_it_is_also_after_rounding():
    """Rows once more through single precision, principal components, or a table of distances come to lie on themselves;
    a row that is another one, if only by a thousandth, does not."""
    Y = (estimator := nl.NeighborEmbedding(random_state=0).fit(X)).embedding_
    assert np.array_equal(estimator.transform(X.astype(np.float32)), Y)
    assert not np.isin(estimator.transform(X * 1.001), Y).any()
    reduced = make_pipeline(PCA(3, random_state=0), nl.NeighborEmbedding(random_state=0))
    assert np.array_equal(reduced.fit_transform(X), reduced.transform(X))
    D = cdist(X, X)
    for metric, rows, rounded in (("precomputed", D, np.abs(D - 1e-9)), ("cosine", X, 7.0 * X)):
        estimator = nl.NeighborEmbedding(metric=metric, random_state=0).fit(rows)
        assert np.array_equal(estimator.transform(rounded), estimator.embedding_)


def test_rows_and_drawing_belong_to_the_caller():
    rows = X.copy()
    estimator = nl.NeighborEmbedding(random_state=0)
    Y = estimator.fit_transform(rows)
    placed, Y[:] = estimator.transform(NEW), 0.0
    rows *= 2.0
    assert np.array_equal(estimator.transform(NEW), placed)


@pytest.mark.full
@pytest.mark.parametrize("method", ["ws-sne", "linlog", "nerv"])
@pytest.mark.parametrize("perplexity", [None, 8.0])
def test_a_new_row_does_not_know_the_others(method, perplexity):
    estimator = nl.NeighborEmbedding(method=method, perplexity=perplexity, random_state=0, n_jobs=2).fit(X)
    whole = estimator.transform(NEW)
    assert np.array_equal(estimator.transform(NEW[::-1])[::-1], whole)
    assert np.array_equal(np.concatenate([estimator.transform(NEW[k : k + 1]) for k in range(30)]), whole)
    assert np.array_equal(estimator.set_params(n_jobs=1).transform(NEW), whole)


@pytest.mark.full
def test_held_back_digits_have_the_classes_of_their_neighbors():
    images, digit = load_digits(return_X_y=True)
    together, lead = nl.embed(images, random_state=0), []
    for split in range(3):
        fitted, new = np.split(np.random.default_rng(split).permutation(len(images)), [1200])
        estimator = nl.NeighborEmbedding(random_state=0).fit(images[fitted])
        ways = (estimator.embedding_, estimator.transform(images[new])), (together[fitted], together[new])
        held_back, joint = (KNeighborsClassifier(10).fit(Y, digit[fitted]).score(Z, digit[new]) for Y, Z in ways)
        lead.append(held_back - joint)
    assert np.mean(lead) > -0.015


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("pca", [None, 3])
def test_neighbors_of_new_rows_are_those_of_the_metric(metric, pca):
    params = METRICS[metric]
    pca = pca if params == {} and metric != "manhattan" else None
    space = NeighborIndex(X, metric, params, pca)
    found, same = space.nearest_from(NEW, 4, Threads(2)), space.nearest_from(X[:9], 1, Threads(1))
    if pca is None:
        V = {"V": np.var(X, axis=0, ddof=1)} if metric == "seuclidean" else params
        D = cdist(NEW, X, "cityblock" if metric == "manhattan" else metric, **V)
        np.testing.assert_array_equal(found.indices, np.argsort(D, axis=1, kind="stable")[:, :4])
        np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :4], rtol=1e-9)
    assert same.indices.ravel().tolist() == list(range(9))
    np.testing.assert_allclose(same.distances, 0.0, atol=1e-6)


@pytest.mark.parametrize("columns", [3, 300])
@pytest.mark.parametrize("far", [1.0, 1e20])
def test_search_from_other_rows_is_exact(columns, far, monkeypatch):
    monkeypatch.setattr("nelayout.numerics.nearest.LONG_WORK", 1e5)  # bounds along directions
    rng = np.random.default_rng(5)
    table, others = rng.standard_normal((700, columns)), rng.standard_normal((40, columns))
    others[3] *= far
    indices, squared = nearest_rows(Table(table, 5), 5, Threads(2), others=others)
    D = cdist(others, table, "sqeuclidean")
    np.testing.assert_allclose(squared, np.sort(D, axis=1)[:, :5], rtol=1e-9)
    near = np.arange(40) != 3
    np.testing.assert_array_equal(indices[near], np.argsort(D, axis=1, kind="stable")[near, :5])


def test_sparse_rows_are_dense_ones(monkeypatch):
    # One graph and one start, so that the last bits of distances decide nothing.
    alike = {"n_neighbors": 10, "init": START, "random_state": 0}
    dense = nl.NeighborEmbedding(**alike).fit(np.maximum(X, 0)).transform(np.maximum(NEW, 0))
    for rows, new in [(sp.csr_matrix, sp.csc_array), (sp.csr_array, np.asarray)]:
        sparse = nl.NeighborEmbedding(**alike).fit(rows(np.maximum(X, 0)))
        assert np.array_equal(sparse.transform(new(np.maximum(NEW, 0))), dense)
    monkeypatch.setattr("nelayout.vectors.input.DENSE_ENTRIES", 0)  # as if it were too large to be made dense
    sparse = nl.NeighborEmbedding(**alike).fit(sp.csr_array(np.maximum(X, 0)))
    np.testing.assert_allclose(sparse.transform(sp.csr_array(np.maximum(NEW, 0))), dense, atol=1e-6)


def test_precomputed_distances():
    alike = {"n_neighbors": 10, "init": START, "random_state": 0}  # distances have no principal components
    plain = nl.NeighborEmbedding(**alike).fit(X)
    given = nl.NeighborEmbedding(metric="precomputed", **alike).fit(cdist(X, X))
    np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=1e-9)
    np.testing.assert_allclose(given.transform(cdist(NEW, X)), plain.transform(NEW), atol=1e-6)
    assert np.array_equal(given.transform(cdist(X, X)), given.embedding_)


@pytest.mark.full
@pytest.mark.parametrize("parameters", [{}, {"metric": "cosine", "pca": 3}, {"method": "ftsne", "perplexity": 5.0}])
def test_copies_and_pickles_place_alike(parameters):
    estimator = nl.NeighborEmbedding(random_state=0, **parameters).fit(X)
    for other in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        assert np.array_equal(other.transform(NEW), estimator.transform(NEW))
    fresh: Any = clone(estimator)
    with pytest.raises(NotFittedError):
        fresh.transform(NEW)
    assert np.array_equal(fresh.fit_transform(X), estimator.embedding_)


def test_it_is_embed():
    estimator = nl.NeighborEmbedding(method="nerv", method_options={"kappa": 0.3}, random_state=3).fit(X)
    assert np.array_equal(estimator.embedding_, nl.embed(X, method="nerv", kappa=0.3, random_state=3))
    P = nl.entropic_affinity(X, 30, n_neighbors=60)
    assert len(abs(estimator.affinity_ - P).nonzero()[0]) <= 4  # edges that join the clouds
    assert estimator.solution_.value == nl.solve_vectors(X, method="nerv", kappa=0.3, random_state=3).value
    assert estimator.n_iter_ == len(estimator.solution_.trace) > 10
    estimator = nl.NeighborEmbedding(n_neighbors=10, random_state=3).fit(X)
    assert len(abs(estimator.affinity_ - nl.knn_graph(X)).nonzero()[0]) <= 4  # edges that join the clouds


def test_frames_pipelines_and_searches():
    frame = pd.DataFrame(X, columns=list("abcdef"), index=[f"row {k}" for k in range(120)])
    named = nl.NeighborEmbedding(random_state=0).set_output(transform="pandas").fit_transform(frame)
    assert named.columns.tolist() == ["neighborembedding0", "neighborembedding1"]
    assert named.index.equals(frame.index)
    steps = make_pipeline(StandardScaler(), nl.NeighborEmbedding(random_state=0), KNeighborsClassifier(5))
    search = GridSearchCV(steps, {"neighborembedding__n_neighbors": [5, 15]}, cv=3).fit(X, CLASS)
    assert search.best_score_ == 1.0


def test_neighbors_are_clamped_with_a_warning():
    with pytest.warns(UserWarning, match=r"n_neighbors=10 is more than the 5 other rows"):
        estimator = nl.NeighborEmbedding(n_neighbors=10, random_state=0).fit(X[:6])
    assert np.array_equal(estimator.embedding_, nl.embed(X[:6], n_neighbors=5, random_state=0))


WRONG, NEGATIVE = X.copy(), cdist(NEW, X)
WRONG[7, 2], NEGATIVE[1, 4] = np.nan, -5.0


@pytest.mark.parametrize(
    ("metric", "new", "words"),
    [
        ("euclidean", X[:, :5], "X has 5 features, but NeighborEmbedding is expecting 6"),
        ("euclidean", WRONG, "NaN in row 7"),
        ("euclidean", np.stack([X[0], np.full(6, 1e300)]), "row 1 of X is so far from the fitted rows"),
        ("precomputed", NEGATIVE, r"-5\.0 between new row 1 and row 4"),
        (lambda a, b: abs(a - b).max() * (20 - max(a)), np.stack([X[0], X[0] + 99]), "between new row 1 and row 0"),
    ],
)
def test_bad_rows_to_place(metric, new, words, monkeypatch):
    estimator = nl.NeighborEmbedding(metric=metric, random_state=0, max_iter=1)
    estimator.fit(cdist(X, X) if metric == "precomputed" else X)
    monkeypatch.setattr("nelayout.numerics.nearest.rows_at_once", lambda _: 1)
    with pytest.raises(ValueError, match=words):
        estimator.transform(new)
