"""Vectors to positions: classes kept, options passed on, separate data joined; copies of rows, and defaults."""

import math
import time
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist, squareform

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.keywords.options import DEFAULTS
from nelayout.keywords.signatures import PASSED_ON
from nelayout.numerics.parallel import Threads
from nelayout.vectors.embedding import fit_vectors, solve_vectors
from nelayout.vectors.neighbors import NeighborIndex, Neighbors


def blobs(*centers, size=25, seed=0):
    """Normal clouds about the centers (rows), and the number of each row's cloud."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([np.asarray(c, dtype=float) + rng.standard_normal((size, len(c))) for c in centers])
    return X, np.repeat(np.arange(len(centers)), size)


def asked(row, other):
    """Return the distance between two rows. nelayout does not ask a function for all pairs: the graph alone counts."""
    return float(np.sqrt(np.sum((row - other) ** 2)))


def accuracy(Y, labels):
    """Share of points with mostly their own label among the 10 nearest others."""
    near = labels[np.argsort(squareform(pdist(Y)) + np.diag(np.full(len(Y), np.inf)), axis=1)[:, :10]]
    return np.mean([np.bincount(row).argmax() == label for row, label in zip(near, labels, strict=True)])


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("method", ["ws-sne", "tsne", "nerv", "ee", "gamma-quadlog", "auto"])
def test_tables_of_a_few_rows(method, n):
    X = np.random.default_rng(n).random((n, 3))
    solution = nl.solve_vectors(X, method, random_state=0)
    assert solution.positions.shape == (n, 2)
    assert np.isfinite(solution.positions).all()
    assert np.array_equal(solution.positions, nl.embed(X, method, n_neighbors=n - 1, random_state=0))
    assert nl.knn_graph(X).nnz == n * (n - 1)


@pytest.mark.full
def test_digits_keep_their_classes():
    """t-SNE (openTSNE 1.0.4) has 0.988 here, two principal components 0.64, random points 0.11."""
    digits = pytest.importorskip("sklearn.datasets").load_digits()
    Y = nl.embed(digits.data, random_state=0)
    assert Y.shape == (1797, 2)
    assert Y.dtype == np.float64
    assert accuracy(Y, digits.target) > 0.978


@pytest.mark.full
def test_mnist_keeps_its_classes(shared_data):
    """openTSNE has 0.904 on these rows with its perplexity of 30, two principal components 0.43."""
    mnist = np.load(shared_data / "vectors" / "mnist.npz")
    rows = np.random.default_rng(0).choice(70000, 3000, replace=False)
    assert accuracy(nl.embed(mnist["X"][rows], random_state=0), mnist["y"][rows]) > 0.88


@pytest.mark.parametrize("init", ["auto", "random"])
def test_the_same_seed_gives_the_same_bits(init):
    X, labels = blobs([0] * 6, [9] * 6, [0, 9] * 3)
    before = X.copy()
    one, other = (nl.embed(X, init=init, random_state=seed, n_jobs=1) for seed in (3, 4))
    assert np.array_equal(one, nl.embed(X, init=init, random_state=3, n_jobs=2))
    assert np.array_equal(one, nl.embed(X, init=init, random_state=np.random.default_rng(3)))
    assert not np.array_equal(one, other)
    assert accuracy(one, labels) == accuracy(other, labels) == 1
    assert np.array_equal(X, before)


@pytest.mark.parametrize("method", ["ws-sne", "ee", "linlog", "gamma-quadlog"])
def test_clouds_far_apart_are_joined_and_kept_in_order(method):
    """Three clouds on a line, which no neighbors join: the middle one stays in the middle."""
    X, labels = blobs([0.0] * 5, [40.0] * 5, [120.0] * 5)
    solution = solve_vectors(X, n_neighbors=5, method=method, random_state=0)
    assert solution.notes[0] == (
        "the graph of the 5 nearest neighbors has 3 components; 2 shortest edges between them were added"
    )
    Y = solution.positions
    assert np.isfinite(Y).all()
    assert accuracy(Y, labels) == 1
    first, second, whole = pdist([Y[labels == c].mean(axis=0) for c in (0, 1, 2)])[[0, 2, 1]]
    assert whole > max(first, second)


@pytest.mark.parametrize(
    ("method", "keywords"),
    [
        ("ws-sne", {"metric": asked}),
        ("ssne", {"metric": "cosine"}),
        ("ssne", {"metric": "minkowski", "metric_params": {"p": 1.0}}),
        ("ssne", {"pca": 2}),
    ],
)
def test_it_is_the_neighbor_graph_drawn_by_solve(method, keywords):
    X, _ = blobs([3, 2, 1, 0], size=40)
    drawn = nl.solve(nl.knn_graph(X, 9, **keywords), method, scale=None, seed=1, components="joint")
    solution = solve_vectors(X, method, n_neighbors=9, random_state=1, **keywords)
    assert np.array_equal(solution.positions, drawn.positions)
    assert solution.value == drawn.value
    assert np.array_equal(nl.embed(X, method, n_neighbors=9, random_state=1, **keywords), drawn.positions)


@pytest.mark.parametrize("more", [{}, {"perplexity": 3, "perplexity_annealing": True}])
def test_its_seconds_count_the_search_which_ends_before_the_first_step(monkeypatch, more):
    def slow(*given: Any) -> Neighbors:
        time.sleep(0.2)
        return nearest(*given)

    nearest = NeighborIndex.nearest
    monkeypatch.setattr(NeighborIndex, "nearest", slow)
    solution = solve_vectors(blobs([0] * 4)[0], random_state=0, **more)
    assert 0.2 <= solution.trace[0].seconds <= solution.trace[-1].seconds <= solution.seconds


@pytest.mark.parametrize(
    ("method", "options", "function"),
    [
        ("hssne", {"tail": 3.0}, nl.hssne_layout),
        ("polylog", {"r": 1.5}, nl.polylog_layout),
        ("ee", {"repulsion": 0.1}, nl.ee_layout),
        ("ws-sne", {"kernel": "gaussian"}, nl.ws_sne_layout),
        ("ws-sne", {"mass": "unit"}, nl.ws_sne_layout),
        ("t_sne", {"mass": "degree"}, nl.tsne_layout),
    ],
)
def test_method_options_are_those_of_the_layout_function(method, options, function):
    X, _ = blobs([0] * 4)
    graph = nl.knn_graph(X, 6, metric=asked)
    expected = function(graph, scale=None, node_size=None, seed=0, max_iter=40, **options)
    run: dict[str, Any] = {"method": method, "n_neighbors": 6, "metric": asked, "random_state": 0, "max_iter": 40}
    Y = nl.embed(X, **run, method_options=options)
    assert np.array_equal(Y, expected)
    assert not np.array_equal(Y, nl.embed(X, **run))


def test_common_keywords_that_are_passed_on_exist():
    assert set(PASSED_ON) <= set(DEFAULTS)


@pytest.mark.parametrize("method", ["ws-sne", "nerv", "auto"])
def test_an_emphasis_leads_to_the_distances_between_rows(method):
    """Not to the numbers of edges of the neighbor graph: correlation with them rises from each emphasis to the next."""
    X, _ = blobs([0] * 5, [6] * 5, [0, 9, 0, 9, 0])
    found = [nl.embed(X, method, random_state=0, emphasis=each) for each in (0, 0.3, 0.7)]
    agreement = [np.corrcoef(pdist(X), pdist(Y))[0, 1] for Y in found]
    assert agreement[0] < agreement[1] < agreement[2]
    own = nl.NeighborEmbedding(method=method, random_state=0, method_options={"emphasis": 0.3}).fit_transform(X)
    np.testing.assert_array_equal(own, found[1])


def test_starts():
    X, labels = blobs([0] * 5, [6] * 5)
    for init in ("auto", "pca", np.random.default_rng(0).standard_normal((50, 2))):
        Y = nl.embed(X, init=init, random_state=0)
        assert accuracy(Y, labels) == 1
    start = np.random.default_rng(1).standard_normal((50, 2))
    assert np.allclose(nl.embed(X, init=start, max_iter=0), start)
    first = nl.embed(X, init="pca", max_iter=0)
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert np.allclose(np.abs(np.corrcoef(first[:, 0], U[:, 0])[0, 1]), 1, atol=1e-6)
    assert np.allclose((first**2).sum(axis=0), S[:2] ** 2, rtol=1e-3)


@pytest.mark.parametrize("dim", [1, 3])
def test_other_dimensions(dim):
    X, labels = blobs([0] * 5, [9] * 5)
    Y = nl.embed(X, n_components=dim, random_state=0)
    assert Y.shape == (50, dim)
    assert accuracy(Y, labels) == 1


def test_a_callback_stops_it():
    X, _ = blobs([0] * 5)
    X = np.concatenate([X, X[:5]])  # copies count
    seen = []

    def watch(state):
        seen.append(state.positions.shape)
        return len(seen) == 4

    assert solve_vectors(X, random_state=0, callback=watch).reason == "stopped"
    assert seen == [(30, 2)] * 4


def test_pairs_of_whole_numbers_are_doubted_to_be_rows():
    edges = np.random.default_rng(0).integers(0, 40, (60, 2))
    with pytest.warns(UserWarning, match=r"like a list of edges; .*networkx\.Graph\(X\.tolist\(\)\)"):
        nl.embed(edges, n_neighbors=5, random_state=0)
    assert nl.embed(edges.astype(float), n_neighbors=5, random_state=0).shape == (60, 2)


# --- copies of rows -------------------------------------------------------------------------------------------------

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


POOR = ("ws-sne", np.zeros((60, 3))), ("ws-sne", np.arange(60.0)[:, None] * np.ones(3))


@pytest.mark.parametrize(
    ("method", "X"),
    [*product(["ws-sne", "nerv", "linlog", "auto", "ftsne"], [np.full((n, 3), 7.0) for n in (2, 3, 40)]), *POOR],
)
def test_rows_that_are_equal_or_on_a_line(method, X):
    Y = nl.embed(X, method, random_state=0)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == len(X)


# --- defaults -------------------------------------------------------------------------------------------------------


def rows(n, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 4))


@pytest.mark.parametrize(
    ("n", "k", "perplexity"),
    [(11, 10, 20 / 3), (13, 12, 8), (17, 16, 10), (61, 60, 30), (500, 60, 30), (1000, 30, 15), (2400, 15, 10)],
)
def test_the_default_is_a_share_of_30_000_neighbors_and_their_perplexity(n, k, perplexity):
    fit = fit_vectors(rows(n), random_state=0, max_iter=0)
    assert (fit.k, fit.perplexity) == (k, pytest.approx(perplexity))
    assert abs(fit.graph - nl.entropic_affinity(rows(n), fit.perplexity, n_neighbors=k)).max() <= 1e-15


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"n_neighbors": 20, "perplexity": 7.0}, (20, 7.0)),
        ({"perplexity": 7.0}, (21, 7.0)),
        ({"n_neighbors": 12}, (12, None)),
        ({"knn": 9}, (9, 6.0)),
        ({"knn": 70}, (60, 30.0)),
    ],
    ids=str,
)
def test_neighborhoods_are_as_they_were_asked_for(keywords, expected):
    X = rows(100)
    if "knn" in keywords:
        found = NeighborIndex(X).nearest(keywords["knn"], np.random.default_rng(0), Threads())
        keywords = {"knn": (found.indices, found.distances)}
    fit = fit_vectors(X, random_state=0, max_iter=0, **keywords)
    assert (fit.k, fit.perplexity) == expected


@pytest.mark.full
def test_rows_count_alike_where_they_have_weights():
    """ws-SNE of vectors is t-SNE; binary neighbors keep the masses of the method, and so does a method of one's own."""
    X = rows(60)

    def alike(**keywords):
        return np.array_equal(fit_vectors(X, random_state=0, max_iter=0, **keywords).drawing.affinity.mass, np.ones(60))

    own = nl.Method(kernel="cauchy", connection="optimal", mass="strength", name="mine")
    assert all(alike(**given) for given in ({}, {"method": "gamma-linlog"}, {"method": nl.method("ws-sne")}))
    assert not any(alike(**given) for given in ({"mass": "strength"}, {"n_neighbors": 5}, {"method": own}))
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
    if method in ("auto", "ee", "linlog", "quadlog", "polylog", "forceatlas2", "tfdp"):
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
    for seed in range(3):
        Y = nl.embed(flat, n_neighbors=10, random_state=seed)
        # The components are the axes of the sheet; which side is up, the drawing's own weight decides.
        for axis, least in enumerate((0.9, 0.5)):
            assert abs(np.corrcoef(Y[:, axis], flat[:, axis])[0, 1]) > least


@pytest.mark.parametrize("far", [1e15, 1e23, 1e30])
@pytest.mark.parametrize("method", ["tsne", "ws-sne", "nerv"])
def test_a_far_out_row_among_others(method, far):
    """Weights of its distances vanish in single precision; the others keep their neighbors."""
    X, kept = np.random.default_rng(0).standard_normal((300, 5)), []
    for factor in (1.0, far):
        X[0] *= factor
        Y = nl.embed(X, method=method, random_state=0)
        assert np.isfinite(Y).all()
        near, drawn = (cdist(Z[1:], Z[1:]).argsort(axis=1)[:, 1:11] for Z in (X, Y))
        kept.append(sum(len(set(a) & set(b)) for a, b in zip(near, drawn, strict=True)))
    assert kept[1] > 0.95 * kept[0]


def test_a_rolled_sheet_is_unrolled():
    """Its principal components show the roll from the side."""
    flat, rolled = sheet(1000)
    assert likeness(flat, nl.embed(rolled, n_neighbors=10, random_state=0)) > 0.9


@pytest.mark.parametrize(
    ("method", "perplexity", "own"), [("tsne", None, {}), ("nerv", 10, {}), ("ws-sne", 5, {"emphasis": 0.5})]
)
def test_large_tables_are_drawn_in_another_order_of_rows(method, perplexity, own, monkeypatch):
    """The order is that of a large table's graph: neighbors are close in memory."""
    rng = np.random.default_rng(0)
    X, start, others = (rng.standard_normal(shape) for shape in ((200, 6), (200, 2), (5, 6)))
    X[50:53] = X[0]
    found, placed = [], []
    for cached in (1000, 40):
        monkeypatch.setattr("nelayout.core.placing.components.MAX_CACHED_NODES", cached)
        how = {"init": start, "max_iter": 0, "perplexity": perplexity, "method_options": own, "random_state": 0}
        found.append(nl.solve_vectors(X, method, **how))
        fitted = nl.NeighborEmbedding(method=method, **how).fit(X)
        placed.append(fitted.transform(np.concatenate([others, X[3:5]])))
    nodes = fit_vectors(X, method, **how).drawing.part.nodes
    assert sorted(nodes) == list(range(len(nodes))) != nodes.tolist()
    assert found[1].value == pytest.approx(found[0].value, rel=1e-12)
    np.testing.assert_allclose(found[1].node_cost, found[0].node_cost, rtol=1e-9)
    np.testing.assert_allclose(found[1].positions, found[0].positions, atol=1e-12)
    np.testing.assert_allclose(placed[1], placed[0], atol=1e-5)
