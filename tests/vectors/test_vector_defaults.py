"""The defaults of `embed`; its start knows large distances and no folds."""

import math

import numpy as np
import pytest

import nelayout as nl
from nelayout.catalogue import METHODS
from nelayout.numerics.parallel import Threads
from nelayout.vectors.embedding import fit_vectors
from nelayout.vectors.neighbors import Space


def rows(n, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 4))


@pytest.mark.parametrize(("n", "k"), [(11, 10), (61, 60), (500, 60), (1000, 30), (1501, 20)])
def test_the_default_is_a_share_of_30_000_neighbors_and_half_of_them_as_perplexity(n, k):
    fit = fit_vectors(rows(n), random_state=0, max_iter=0)
    assert (fit.k, fit.perplexity) == (k, k / 2)
    assert abs(fit.graph - nl.entropic_affinity(rows(n), k / 2, n_neighbors=k)).max() <= 1e-15


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"n_neighbors": 20, "perplexity": 7.0}, (20, 7.0)),
        ({"perplexity": 7.0}, (21, 7.0)),
        ({"n_neighbors": 12}, (12, None)),
        ({"knn": 9}, (9, 4.5)),
        ({"knn": 70}, (60, 30.0)),
    ],
    ids=str,
)
def test_neighborhoods_are_as_they_were_asked_for(keywords, expected):
    X = rows(100)
    if "knn" in keywords:
        found = Space(X).nearest(keywords["knn"], np.random.default_rng(0), Threads())
        keywords = {"knn": (found.indices, found.distances)}
    fit = fit_vectors(X, random_state=0, max_iter=0, **keywords)
    assert (fit.k, fit.perplexity) == expected


@pytest.mark.full
def test_rows_count_alike_where_they_have_weights():
    """ws-SNE of vectors is t-SNE; binary neighbors keep the masses of the method, and so does a method of one's own."""
    X = rows(60)

    def masses(**keywords):
        return fit_vectors(X, random_state=0, max_iter=0, **keywords).drawing.affinity.mass

    one = np.ones(60)
    assert np.array_equal(masses(), one)
    assert np.array_equal(masses(method="gamma-linlog"), one)
    assert np.array_equal(masses(method=nl.method("ws-sne")), one)
    assert not np.array_equal(masses(mass="strength"), one)
    assert not np.array_equal(masses(n_neighbors=5), one)
    own = nl.Method(kernel="cauchy", connection="optimal", mass="strength", name="mine")
    assert not np.array_equal(masses(method=own), one)
    drawing = nl.embed(X, random_state=0)
    P = nl.entropic_affinity(X, 29.5, n_neighbors=59)
    values = [nl.evaluate(P, drawing, method, "best", mass="unit").value for method in ("ws-sne", "t-sne")]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_weights_that_a_method_cannot_compare_are_not_its_default(method):
    """Either the default is weighed, or it is the graph of 10 neighbors; a given number of neighbors has no weights."""
    plain = nl.knn_graph(rows(30), 10)
    keywords = {"method": method, "random_state": 0, "max_iter": 0}
    graph = fit_vectors(rows(30), **keywords).graph
    unweighed = ("auto", "ee", "linlog", "quadlog", "polylog", "forceatlas2", "tfdp")
    if method in unweighed:
        assert abs(graph - plain).max() == 0
    else:
        assert math.isclose(graph.sum(), 1.0)
    assert abs(fit_vectors(rows(30), n_neighbors=10, **keywords).graph - plain).max() == 0


def sheet(n):
    """n points of a sheet of 4 x 1, and the same rolled up one and a half times, in space."""
    rng = np.random.default_rng(0)
    turn, across = 1.5 * np.pi * (1 + 2 * rng.random(n)), 21 * rng.random(n)
    along = (turn * np.sqrt(1 + turn**2) + np.arcsinh(turn)) / 2
    return np.column_stack([along, across]), np.column_stack([turn * np.cos(turn), across, turn * np.sin(turn)])


def likeness(flat, Y):
    """R^2 of the best similarity between a map and a drawing."""
    flat, Y = flat - flat.mean(axis=0), Y - Y.mean(axis=0)
    singular = np.linalg.svd(flat.T @ Y, compute_uv=False).sum()
    return singular**2 / (flat**2).sum() / (Y**2).sum()


@pytest.mark.full
def test_a_drawing_lies_as_the_principal_components_do():
    flat, _ = sheet(600)
    middle = flat - flat.mean(axis=0)
    for seed in range(3):
        Y = nl.embed(flat, n_neighbors=10, random_state=seed)
        Y = Y - Y.mean(axis=0)
        # The components are the axes of the sheet; which side is up, the drawing's own weight decides.
        assert abs(np.corrcoef(Y[:, 0], middle[:, 0])[0, 1]) > 0.9
        assert abs(np.corrcoef(Y[:, 1], middle[:, 1])[0, 1]) > 0.5


def test_a_rolled_sheet_is_unrolled():
    """Its principal components show the roll from the side."""
    flat, rolled = sheet(1000)
    assert likeness(flat, nl.embed(rolled, n_neighbors=10, random_state=0)) > 0.9


@pytest.mark.parametrize("X", [np.zeros((60, 3)), np.arange(60.0)[:, None] * np.ones(3)], ids=["equal", "on a line"])
def test_rows_without_two_components(X):
    Y = nl.embed(X, random_state=0)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == 60
