"""Vectors to pictures: classes kept, the same bits again, options passed on, separate data joined."""

import time
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist

import nelayout as nl
from nelayout.catalogue.keywords import PASSED_ON
from nelayout.catalogue.options import DEFAULTS
from nelayout.errors import InputError, InputTypeError
from nelayout.vectors.embedding import solve_vectors
from nelayout.vectors.neighbors import Neighbors, Space


def blobs(*centers, size=25, seed=0):
    """Normal clouds about the centers (rows), and the number of each row's cloud."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([np.asarray(c, dtype=float) + rng.standard_normal((size, len(c))) for c in centers])
    return X, np.repeat(np.arange(len(centers)), size)


def asked(row, other):
    """Return the distance between two rows. nelayout does not ask a function for all pairs: the graph alone counts."""
    return float(np.sqrt(np.sum((row - other) ** 2)))


def accuracy(Y, labels, k=10):
    """Share of points whose k nearest others mostly have their label."""
    D = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    near = labels[np.argsort(D, axis=1)[:, :k]]
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


def test_random_initial_positions_come_from_the_seed():
    X, labels = blobs([0] * 5, [9] * 5)
    first, again, other = (nl.embed(X, init="random", random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert accuracy(first, labels) == accuracy(other, labels) == 1


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((1, 3)), "X has 1 row; neighbors need two or more: give more"),
        (np.ones((0, 3)), "X has no rows; neighbors need two or more: give more"),
        (np.array([["a", "b"], ["c", "d"]]), "dtype <U1; vectors are real numbers: encode text .* as numbers"),
        (np.array([[1j, 2], [3, 4]]), r"dtype complex128; .*np\.abs"),
        (np.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[D]"), "dtype datetime64.*: give times .* as numbers"),
        (np.array([[1], [2]], dtype="m8[s]"), "dtype timedelta64.*: divide by a unit"),
        (csr_array(np.array([[1j, 2], [3, 4]])), r"dtype complex128; .*np\.abs"),
    ],
)
def test_what_are_no_vectors_and_what_to_do(X, message):
    with pytest.raises(InputError, match=message):
        nl.embed(X, n_neighbors=1)


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


def test_the_same_seed_gives_the_same_bits():
    X, _ = blobs([0] * 6, [4] * 6, [0, 4] * 3)
    before = X.copy()
    one = nl.embed(X, random_state=3, n_jobs=1)
    assert np.array_equal(one, nl.embed(X, random_state=3, n_jobs=2))
    assert np.array_equal(one, nl.embed(X, random_state=np.random.default_rng(3)))
    assert not np.array_equal(one, nl.embed(X, random_state=4))
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
    middle = np.stack([Y[labels == c].mean(axis=0) for c in range(3)])
    apart = np.sqrt(((middle[:, None] - middle[None]) ** 2).sum(axis=2))
    assert apart[0, 2] > max(apart[0, 1], apart[1, 2])


def test_it_is_the_neighbor_graph_drawn_by_solve():
    X, _ = blobs([0] * 4)
    drawn = nl.solve(nl.knn_graph(X, 6, metric=asked), "ws-sne", scale=None, seed=1, components="joint")
    solution = solve_vectors(X, n_neighbors=6, metric=asked, random_state=1)
    assert np.array_equal(solution.positions, drawn.positions)
    assert solution.value == drawn.value
    assert np.array_equal(nl.embed(X, n_neighbors=6, metric=asked, random_state=1), drawn.positions)


@pytest.mark.parametrize("more", [{}, {"perplexity": 3, "perplexity_annealing": True}])
def test_its_seconds_count_the_search_which_ends_before_the_first_step(monkeypatch, more):
    def slow(*given: Any) -> Neighbors:
        time.sleep(0.2)
        return nearest(*given)

    nearest = Space.nearest
    monkeypatch.setattr(Space, "nearest", slow)
    solution = solve_vectors(blobs([0] * 4)[0], random_state=0, **more)
    assert 0.2 <= solution.trace[0].seconds <= solution.trace[-1].seconds <= solution.seconds


def test_other_metrics_and_reduced_rows_reach_the_graph():
    X, _ = blobs([3, 2, 1, 0], size=40)
    keywords: dict[str, Any]
    for keywords in ({"metric": "cosine"}, {"metric": "minkowski", "metric_params": {"p": 1.0}}, {"pca": 2}):
        drawn = nl.solve(nl.knn_graph(X, 9, **keywords), "ssne", scale=None, seed=1, components="joint")
        assert np.array_equal(nl.embed(X, method="ssne", n_neighbors=9, random_state=1, **keywords), drawn.positions)


@pytest.mark.parametrize(
    ("method", "options", "function", "keywords"),
    [
        ("hssne", {"tail": 3.0}, nl.hssne_layout, {"tail": 3.0}),
        ("polylog", {"r": 1.5}, nl.polylog_layout, {"r": 1.5}),
        ("ee", {"repulsion": 0.1}, nl.ee_layout, {"repulsion": 0.1}),
        ("ws-sne", {"kernel": "gaussian"}, nl.ws_sne_layout, {"kernel": "gaussian"}),
        ("ws-sne", {"mass": "unit"}, nl.ws_sne_layout, {"mass": "unit"}),
        ("t_sne", {"mass": "degree"}, nl.tsne_layout, {"mass": "degree"}),
    ],
)
def test_method_options_are_those_of_the_layout_function(method, options, function, keywords):
    X, _ = blobs([0] * 4)
    graph = nl.knn_graph(X, 6, metric=asked)
    expected = function(graph, scale=None, node_size=None, seed=0, max_iter=40, **keywords)
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
    centered = X - X.mean(axis=0)
    U, S, _ = np.linalg.svd(centered, full_matrices=False)
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
    seen = []

    def watch(state):
        seen.append(state.positions.shape)
        return len(seen) == 4

    assert solve_vectors(X, random_state=0, callback=watch).reason == "stopped"
    assert seen == [(25, 2)] * 4


X20 = blobs([0] * 3, size=20)[0]


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"n_neighbors": 20}, InputError, "from 1 to 19"),
        ({"method": "ws-sen"}, InputError, "did you mean 'ws-sne'"),
        ({"init": "pcs"}, InputError, "did you mean 'pca'"),
        ({"init": np.zeros((19, 2))}, InputError, r"\(20, 2\) numbers; got \(19, 2\)"),
        ({"init": np.full((20, 2), np.nan)}, InputError, "row 0"),
        ({"init": ["a", "b"]}, InputTypeError, "init"),
        ({"n_components": 4}, InputError, "1, 2 or 3"),
        ({"n_components": True}, InputError, "1, 2 or 3"),
        ({"init": "pca", "n_components": "2"}, InputError, "1, 2 or 3"),
        ({"method_options": {"tail": 2.0}}, InputError, "'ws-sne' has no keyword 'tail'; tail is a keyword of 'hssne'"),
        ({"method_options": {"mas": "unit"}}, InputError, "did you mean 'mass'"),
        ({"method_options": {"seed": 1}}, InputError, "cannot hold 'seed'"),
        ({"method_options": [("mass", "unit")]}, InputTypeError, "list"),
        ({"method": "ee", "method_options": {"repulsion": -1}}, InputError, "repulsion"),
        ({"random_state": "0"}, InputError, "random_state must be"),
        ({"metric_params": 3}, InputTypeError, "metric_params"),
    ],
)
def test_refused_in_words(keywords, error, words):
    with pytest.raises(error, match=words):
        nl.embed(X20, **{"n_neighbors": 5, **keywords})


def test_a_table_of_distances_has_no_principal_components():
    D = np.abs(np.arange(12.0)[:, None] - np.arange(12.0))
    assert nl.embed(D, metric="precomputed", n_neighbors=3, random_state=0).shape == (12, 2)
    with pytest.raises(InputError, match="'auto', 'spectral' or an array"):
        nl.embed(D, metric="precomputed", n_neighbors=3, init="pca")


def test_pairs_of_whole_numbers_are_doubted_to_be_rows():
    edges = np.random.default_rng(0).integers(0, 40, (60, 2))
    with pytest.warns(UserWarning, match=r"like a list of edges; .*networkx\.Graph\(X\.tolist\(\)\)"):
        nl.embed(edges, n_neighbors=5, random_state=0)
    assert nl.embed(edges.astype(float), n_neighbors=5, random_state=0).shape == (60, 2)
