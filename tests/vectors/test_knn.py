"""The neighbor graph against its definition: every pair measured, sorted by distance and then by index."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

import nelayout as nl
from nelayout.errors import MissingExtra
from nelayout.numerics import nearest, nearest_loops
from nelayout.numerics.parallel import Threads, blas_on_one_thread, threads_for
from nelayout.numerics.principal import principal_components
from nelayout.vectors import backends, neighbors
from nelayout.vectors.input import read_rows
from nelayout.vectors.joining import join_components
from nelayout.vectors.neighbors import NeighborIndex


def by_definition(X, k, distances=None):
    """(n, k) indices of the k nearest others, equal distances in the order of their index."""
    X = np.asarray(X, dtype=float)
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2) if distances is None else distances.copy()
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


def dense(indices):
    A = np.zeros((len(indices), len(indices)))
    A[np.arange(len(indices))[:, None], indices] = 1
    return A


def rng():
    return np.random.default_rng(0)


ZOO = {
    "few columns": rng().standard_normal((300, 4)),
    "many columns": rng().standard_normal((200, 90)),
    "more columns than rows": rng().standard_normal((30, 200)),
    "integers, full of ties": rng().integers(0, 3, (250, 4)),
    "bits": rng().integers(0, 2, (200, 12)),
    "lattice": np.indices((14, 14)).reshape(2, -1).T,
    "lattice for the tree": np.indices((12, 12, 12)).reshape(3, -1).T,
    "all equal": np.full((40, 3), 7.0),
    "five of each": np.repeat(rng().standard_normal((30, 5)), 5, axis=0),
    "one of many copies": np.r_[np.zeros((60, 2)), np.ones((1, 2)), np.full((3, 2), 4.0)],
    "far from the origin": 1e8 + rng().standard_normal((150, 30)),
    "one outlier": np.r_[rng().standard_normal((150, 8)), np.full((1, 8), 1e12)],
    "two rows": np.array([[0.0], [1.0]]),
}


@pytest.mark.parametrize("k", [1, 4, 15])
@pytest.mark.parametrize("name", ZOO)
def test_nearest_by_definition(name, k):
    X = ZOO[name]
    k = min(k, len(X) - 1)
    graph = nl.knn_graph(X, k, symmetrize="none")
    assert np.array_equal(graph.toarray(), dense(by_definition(X, k)))


@pytest.mark.parametrize("symmetrize", ["union", "intersection"])
@pytest.mark.parametrize("name", ["few columns", "integers, full of ties", "five of each"])
def test_symmetrization(name, symmetrize):
    A = dense(by_definition(ZOO[name], 5)) > 0
    graph = nl.knn_graph(ZOO[name], 5, symmetrize=symmetrize)
    assert np.array_equal(graph.toarray(), A | A.T if symmetrize == "union" else A & A.T)
    assert isinstance(graph, sp.csr_array)
    assert (graph.data.dtype, graph.indices.dtype) == (np.float64, np.int32)
    assert graph.data.all()
    assert graph.has_canonical_format


DISTANCES = ("manhattan", "chebyshev", "canberra", "braycurtis", "hamming", "seuclidean", "euclidean", "cosine",
             "correlation", "minkowski", "sqeuclidean", "haversine")  # fmt: skip


@pytest.mark.parametrize("metric", DISTANCES)
def test_metrics_of_scikit_learn(metric):
    pairwise = pytest.importorskip("sklearn.metrics").pairwise_distances
    X = rng().integers(1, 6, (120, 2 if metric == "haversine" else 5)) + 0.1 * rng().integers(0, 2, (120, 1))
    D = pairwise(X, metric=metric, **({"V": np.var(X, axis=0, ddof=1)} if metric == "seuclidean" else {}))
    # whether two sums that should be equal are equal is decided by their last bit: distances are compared
    found = NeighborIndex(X, metric).nearest(6, rng(), Threads())
    np.fill_diagonal(D, np.inf)
    assert np.allclose(np.sort(D, axis=1)[:, :6], found.distances, rtol=1e-6, atol=1e-12)
    assert np.allclose(np.take_along_axis(D, found.indices, axis=1), found.distances, rtol=1e-6, atol=1e-12)


def test_a_table_of_distances_and_a_function():
    X = rng().standard_normal((80, 3))
    expected = nl.knn_graph(X, 5, "manhattan").toarray()
    D, power = cdist(X, X, "cityblock"), {"metric_params": {"p": 1.0}}
    ways = [(D, "precomputed", {}), (X, lambda u, v: abs(u - v).sum(), {}), (X, "minkowski", power)]
    assert all(np.array_equal(nl.knn_graph(Z, 5, metric, **more).toarray(), expected) for Z, metric, more in ways)


def test_rows_of_zeros_under_cosine():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.1], [0.0, 0.0], [-1.0, 0.0]])
    found = NeighborIndex(X, "cosine").nearest(2, rng(), Threads())
    assert found.indices[0].tolist() == [3, 1]
    assert found.distances[0].tolist() == pytest.approx([0, 1])
    assert found.indices[1].tolist() == [2, 0]


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "bool"])
def test_numbers_of_any_type(dtype):
    X = rng().integers(0, 2 if dtype == "bool" else 200, (90, 7)).astype(dtype)
    before = X.copy()
    assert np.array_equal(nl.knn_graph(X, 6).toarray(), nl.knn_graph(X.astype(float), 6).toarray())
    assert np.array_equal(X, before)


def test_frames_lists_and_sparse_matrices():
    pandas = pytest.importorskip("pandas")
    X = rng().integers(0, 4, (60, 5)).astype(float)
    expected = nl.knn_graph(X, 4).toarray()
    frame = pandas.DataFrame(X, columns=list("abcde")).astype({"a": "int64"})
    for given in (frame, X.tolist(), sp.csr_matrix(X), sp.coo_array(X), sp.csc_array(X), X[:, ::-1][:, ::-1]):
        assert np.array_equal(nl.knn_graph(given, 4).toarray(), expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows_too_large_to_be_dense(metric, monkeypatch):
    monkeypatch.setattr("nelayout.vectors.input.DENSE_ENTRIES", 0)
    dense_rows = rng().random((150, 400)) * (rng().random((150, 400)) < 0.03)
    assert dense_rows.any(axis=1).all()
    found = nl.knn_graph(sp.csr_array(dense_rows), 5, metric)
    assert np.array_equal(found.toarray(), nl.knn_graph(dense_rows, 5, metric).toarray())


@pytest.mark.parametrize("kind", ["float32", "float64", "int16"])
def test_large_sparse_rows_share_their_pattern_with_what_was_given(kind, monkeypatch):
    monkeypatch.setattr("nelayout.vectors.input.DENSE_ENTRIES", 0)
    given = sp.csr_array(np.arange(12).reshape(4, 3) % 4, dtype=kind)
    rows = read_rows(given)
    assert rows.dtype == np.float64
    assert np.array_equal(rows.toarray(), given.toarray())
    assert np.shares_memory(rows.indices, given.indices)
    assert np.shares_memory(rows.data, given.data) == (kind == "float64")
    assert given.dtype == kind


@pytest.mark.parametrize("directions", [5, 30])
def test_bounds_along_principal_directions_leave_the_neighbors_exact(directions, monkeypatch):
    """The first comparison, which large data get, on small data; many directions bound well, few hardly."""
    monkeypatch.setattr(nearest, "LONG_WORK", 1.0)
    monkeypatch.setattr(nearest, "DIRECTIONS", directions)
    X = rng().standard_normal((600, 40)) * np.linspace(3, 0.1, 40)
    table = nearest.Table(X, 7)
    with threads_for(2) as threads:
        indices, squared = nearest.nearest_rows(table, 7, threads, np.arange(600))
    expected = by_definition(X, 7)
    assert np.array_equal(indices, expected)
    assert np.allclose(squared, ((X[:, None] - X[expected]) ** 2).sum(axis=2), rtol=1e-13)
    assert (table.bound.project is not None) == (directions == 30)


def test_principal_components():
    X = rng().standard_normal((300, 12)) * np.arange(1, 13) + 5
    scores, directions, mean = principal_components(X, 3)
    _, S, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert np.allclose(mean, X.mean(axis=0))
    assert np.allclose(directions.T @ directions, np.eye(3), atol=1e-12)
    assert np.allclose(np.abs(V[:3] @ directions), np.eye(3), atol=1e-3)
    assert np.allclose(np.sqrt((scores**2).sum(axis=0)), S[:3], rtol=1e-4)
    sparse = principal_components(sp.csr_array(X), 3)[0]
    assert np.allclose(sparse, scores, atol=1e-3 * S[0])


def test_products_keep_to_one_thread_where_threads_share_them():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def most():
        return {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}

    before = most()
    with blas_on_one_thread():
        assert most() == {1}
    assert most() == before


def test_products_without_threadpoolctl(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with blas_on_one_thread():
        assert nl.knn_graph(rng().standard_normal((300, 20)), 3).nnz > 900


def test_reduced_rows():
    X = np.c_[rng().standard_normal((100, 3)) * 10, 1e-3 * rng().standard_normal((100, 60))]
    assert np.array_equal(nl.knn_graph(X, 5, pca=3).toarray(), nl.knn_graph(X[:, :3], 5).toarray())


SCRIPT = """
import hashlib, sys
import numpy as np, nelayout as nl
from nelayout.numerics.principal import principal_components
from nelayout.numerics import nearest
r = np.random.default_rng(0)
told = hashlib.sha256()
X = r.standard_normal((1500, 300)) * np.linspace(2, 0.1, 300)
for pca in ("auto", 20):
    told.update(nl.knn_graph(X, 10, pca=pca).indices.tobytes())
# distances that differ in their last bits only, or not at all
near = np.sin(np.arange(900 * 40)).reshape(900, 40) + 1e-16 * r.integers(0, 2, (900, 40))
near[450:] = near[:450][:, ::-1]
told.update(nl.knn_graph(near, 10).indices.tobytes())
nearest.LONG_WORK = 1.0
told.update(nl.knn_graph(X, 10).indices.tobytes())
for found in principal_components(X, 2):
    told.update(found.tobytes())
print(told.hexdigest())
"""


@pytest.mark.full
def test_the_same_bits_for_any_number_of_threads():
    def told(threads: str) -> str:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        command, environment = [sys.executable, "-c", SCRIPT], {**os.environ, **dict.fromkeys(names, threads)}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    assert told("1") == told("3")


APPROXIMATE = [
    "faiss",
    "hnswlib",
    pytest.param("pynndescent", marks=pytest.mark.full),  # it compiles for half a minute
]


def are_others(indices, k):
    """Assert that each row has k different neighbors, and never itself."""
    assert (indices != np.arange(len(indices))[:, None]).all()
    assert all(len(set(row)) == k for row in indices.tolist())


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_approximate_search_where_all_pairs_are_too_many(backend, monkeypatch):
    pytest.importorskip(backend)
    monkeypatch.setattr(neighbors, "EXACT_PAIRS", 1.0)
    X = rng().standard_normal((400, 120)) * np.linspace(2, 0.1, 120)
    X[200:210] = X[0]
    given = X.copy()
    for name in {"faiss", "hnswlib", "pynndescent"} - {backend}:
        monkeypatch.setitem(sys.modules, name, None)
    found = NeighborIndex(X, pca="auto").nearest(10, rng(), Threads())
    assert np.array_equal(X, given)
    (note,) = found.notes
    assert re.search(rf"approximate, (9\d|100)\.\d% of the nearest were found \(by {backend}", note)
    assert note.endswith("they may differ from run to run" if backend == "pynndescent" else "backend='exact' finds all")
    are_others(found.indices, 10)
    assert set(found.indices[0].tolist()) == set(range(200, 210))
    assert np.sum(dense(found.indices) * dense(by_definition(X, 10))) > 0.9 * 4000


def test_the_stated_recall_is_the_true_one():
    pytest.importorskip("faiss")
    X = rng().standard_normal((3000, 30))  # without structure, which is hard
    found, exact = (NeighborIndex(X).nearest(15, rng(), Threads(), backend=name) for name in ("faiss", "exact"))
    true = np.mean(found.distances <= exact.distances[:, -1:])
    stated = float(re.search(r"([\d.]+)% of the nearest", found.notes[0])[1]) / 100
    assert 0.95 < true < 1
    assert abs(true - stated) < 0.02
    assert not exact.notes


@pytest.mark.parametrize("backend", ["faiss", "hnswlib"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_one_seed_gives_the_same_approximate_bits_for_any_number_of_threads(backend, metric):
    pytest.importorskip(backend)
    X = rng().standard_normal((9000, 12)).astype(np.float32)
    one, other = (NeighborIndex(X, metric).nearest(6, rng(), Threads(count), backend=backend) for count in (1, 3))
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.distances, other.distances)
    again = NeighborIndex(X.astype(np.float64), metric).nearest(6, rng(), Threads(2), backend="exact")
    assert np.mean(one.indices == again.indices) > 0.9
    here = one.indices == again.indices
    assert np.allclose(one.distances[here], again.distances[here], rtol=1e-6)


@pytest.mark.parametrize("backend", ["faiss", "hnswlib"])
@pytest.mark.parametrize("shape", ["two rows", "copies only", "far groups", "huge numbers", "wide lists"])
def test_approximate_search_gives_each_row_k_others(backend, shape):
    pytest.importorskip(backend)
    groups = np.repeat(rng().standard_normal((40, 4)) * 1e4, 20, axis=0)
    X, k = {
        "two rows": (np.array([[0.0], [1.0]]), 1),
        "copies only": (np.ones((30, 3)), 4),
        "far groups": (groups + 1e-2 * rng().standard_normal(groups.shape), 5),
        "huge numbers": (1e180 * rng().standard_normal((300, 4)), 5),
        "wide lists": (groups + rng().standard_normal(groups.shape), 60),
    }[shape]
    found, exact = (NeighborIndex(X).nearest(k, rng(), Threads(2), backend=name) for name in (backend, "exact"))
    assert found.indices.shape == (len(X), k)
    are_others(found.indices, k)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert (found.distances >= exact.distances).all()
    assert np.mean(found.indices == exact.indices) > 0.8


@pytest.mark.parametrize("backend", ["faiss", "hnswlib"])
@pytest.mark.parametrize("far", ["one number", "one row", "a tenth of a column", "one column"])
def test_far_out_numbers_cost_the_other_rows_no_neighbors(backend, far):
    """Codes of missing values are such numbers; single precision would leave all other rows equal."""
    pytest.importorskip(backend)
    X = rng().standard_normal((3000, 12))
    rows, columns = {
        "one number": (0, 0), "one row": (0, slice(None)), "a tenth of a column": (slice(0, 300), 0),
        "one column": (slice(None), 0),
    }[far]  # fmt: skip
    X[rows, columns] = {"one number": -999_999_999.0, "one row": 1e30, "a tenth of a column": -1e9}.get(far, 7e12)
    found, exact = (NeighborIndex(X).nearest(10, rng(), Threads(2), backend=name) for name in (backend, "exact"))
    share = np.mean([len(set(a) & set(b)) for a, b in zip(found.indices[1:], exact.indices[1:], strict=True)]) / 10
    assert share > 0.95


@pytest.mark.parametrize("n", [2, 5, 30])
def test_faiss_prints_nothing_about_few_rows(n, capfd):
    pytest.importorskip("faiss")
    NeighborIndex(rng().standard_normal((n, 4))).nearest(1, rng(), Threads(), backend="faiss")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_long_rows_of_large_tables_are_measured_by_a_compiled_loop(kind, monkeypatch):
    X = (rng().standard_normal((300, 130)) * np.linspace(2, 0.1, 130)).astype(kind)
    X[200:204] = X[0]
    one = NeighborIndex(X).nearest(7, rng(), Threads(), backend="exact")
    monkeypatch.setattr(nearest, "LONG_ROWS", 0)
    loop, lengths = nearest_loops.sum_squares, list[int]()
    monkeypatch.setattr(nearest_loops, "sum_squares", lambda *given: (lengths.append(len(given[1])), loop(*given)))
    other = NeighborIndex(X).nearest(7, rng(), Threads(3), backend="exact")
    assert sum(lengths) > 0
    assert np.array_equal(other.indices, one.indices)
    np.testing.assert_allclose(other.distances, one.distances, rtol=1e-12)


@pytest.mark.parametrize("enough", [1, 2, 3, 5, 37, 64])
def test_a_search_makes_no_more_effort_than_it_needs(enough):
    """The index finds all neighbors from some effort on, and none below."""
    X, k = np.random.default_rng(0).standard_normal((30, 2)), 3
    near, efforts = by_definition(X, k), list[int]()

    @contextmanager
    def build(rows, k, seed):
        def look(some):
            found = np.argsort(cdist(some, rows), axis=1)[:, : k + 1]
            return found if efforts[-1] >= enough else np.full_like(found, -1)

        yield look, efforts.append, 1, 64, rng().permutation(len(rows))

    found, _ = backends._indexed(build)(X, k, 0, Threads(), None, (np.arange(10), near[:10]), int)
    assert np.array_equal(found[:, 1:], near)
    assert enough <= efforts[-1] <= max(enough + 1, 8 / 7 * enough)
    assert len(efforts) < 14


def test_a_backend_that_is_not_installed(monkeypatch):
    X = rng().standard_normal((50, 20))
    for name, extra in (("faiss", "faiss"), ("hnswlib", "hnswlib"), ("pynndescent", "vectors")):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingExtra, match=rf'neighbors among 50 rows and .*pip install "nelayout\[{extra}\]"'):
            nl.knn_graph(X, 3, backend=name)
    monkeypatch.setattr(neighbors, "EXACT_PAIRS", 1.0)
    with pytest.raises(MissingExtra, match=r'too many to compare all .*pip install "nelayout\[faiss\]"'):
        nl.knn_graph(X, 3)


def test_the_recall_is_said_where_the_user_looks():
    pytest.importorskip("faiss")
    X = rng().standard_normal((600, 8))
    with pytest.warns(UserWarning, match=r"% of the nearest were found \(by faiss, measured on 200 rows\)"):
        nl.knn_graph(X, 5, backend="faiss", seed=1)
    notes = nl.solve_vectors(X, n_neighbors=5, max_iter=1, backend="faiss", random_state=0).notes
    assert any("of the nearest were found (by faiss" in note for note in notes)
    with pytest.raises(ValueError, match="knn has the neighbors, and backend='faiss' would search"):
        nl.embed(X, knn=(np.zeros((600, 1), int), np.ones((600, 1))), backend="faiss")


def rings(gap):
    angle = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    ring = np.c_[np.cos(angle), np.sin(angle)]
    return np.concatenate([ring, ring + np.array([gap, 0.0]), ring + np.array([0.0, 3 * gap])])


def test_components_are_joined_by_the_shortest_edges():
    X = rings(10.0)
    graph = nl.knn_graph(X, 2)
    joined = join_components(NeighborIndex(X), graph, Threads(2))[0]
    added = np.argwhere(np.triu((joined - graph).toarray()))
    between = [tuple(sorted({i // 30, j // 30})) for i, j in added.tolist()]
    assert sorted(between) == [(0, 1), (0, 2)]
    D = cdist(X, X)
    for (i, j), (a, b) in zip(added.tolist(), between, strict=True):
        assert D[i, j] == D[30 * a : 30 * a + 30, 30 * b : 30 * b + 30].min()
    assert np.array_equal(joined.toarray(), joined.toarray().T)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_joining_many_components_is_a_minimum_spanning_tree(metric):
    X = rng().standard_normal((60, 3))
    tree = join_components(NeighborIndex(X, metric), sp.csr_array((60, 60)), Threads(2))[0]
    D = cdist(X, X, "cityblock" if metric == "manhattan" else metric)
    assert tree.nnz == 2 * 59
    assert connected_components(tree)[0] == 1
    assert np.isclose((D * tree.toarray()).sum() / 2, minimum_spanning_tree(D).sum())


def test_thinned_out_joining_still_joins(monkeypatch):
    monkeypatch.setattr("nelayout.vectors.joining.JOINING_PAIRS", 400.0)
    X = rings(10.0)
    graph = nl.knn_graph(X, 2)
    assert join_components(NeighborIndex(X), graph, Threads(2))[0].nnz == graph.nnz + 4


METRICS = ("euclidean", "sqeuclidean", "seuclidean", "manhattan", "chebyshev", "canberra", "braycurtis", "correlation")
GOOD = rng().standard_normal((5, 3))


@pytest.mark.parametrize("name", ["dice", "yule", "p", "m", "hamming", "minkowski", "seuclidean", "mahalanobis"])
def test_a_function_counts_as_it_is_whatever_its_name(name):
    X = rng().random((40, 5))

    def distance(a, b, power=1):
        return float((abs(a - b) ** power).sum())

    plain = nl.knn_graph(X, 3, metric="manhattan")
    squares = nl.knn_graph(X, 3, metric="sqeuclidean")
    spread = nl.measure_vectors(X, X[:, :2], metric=distance)
    distance.__name__ = name
    assert sp.csr_array(nl.knn_graph(X, 3, metric=distance) != plain).nnz == 0
    assert sp.csr_array(nl.knn_graph(X, 3, metric=distance, metric_params={"power": 2}) != squares).nnz == 0
    assert nl.measure_vectors(X, X[:, :2], metric=distance) == spread


def test_rounding_below_zero_counts_as_zero():
    X = rng().standard_normal((40, 5))
    X = np.concatenate([X, X])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    same = nl.knn_graph(X, 3, metric="cosine")
    D = 1 - X @ X.T
    assert D.min() < 0
    assert sp.csr_array(nl.knn_graph(D, 3, metric="precomputed") != same).nnz < 10  # copies differ by rounding
    assert sp.csr_array(nl.knn_graph(X, 3, metric=lambda a, b: 1 - a @ b) != same).nnz < 10


def test_hellinger_by_its_definition():
    X = rng().random((50, 6))
    X[3] = X[7] = 0.0
    P = np.sqrt(X / np.maximum(X.sum(axis=1, keepdims=True), 1e-300))
    D = np.sqrt(np.maximum(1 - P @ P.T, 0))
    D[3, 7] = D[7, 3] = 0.0  # rows of zeros are alike
    np.fill_diagonal(D, 0.0)
    right, others = dense(by_definition(X, 4, D)), np.delete(np.arange(50), [3, 7])
    for rows in (X, 1e250 * X, sp.csr_array(X)):
        found = nl.knn_graph(rows, 4, "hellinger", "none").toarray()
        assert np.array_equal(found[others], right[others])
        assert found[3, 7] == found[7, 3] == 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.exp(-cdist(GOOD, GOOD)), "the distance of row 0 to itself is 1 and not 0; .* metric='similarity'"),
        (cdist(GOOD, GOOD) + np.tril(np.ones((5, 5)), -1), r"rows 0 and 1 .* rows 1 and 0 .* \(X \+ X.T\) / 2"),
    ],
)
def test_odd_distances_are_noted(table, words):
    for given in (table, sp.csr_array(table)):
        with pytest.warns(UserWarning, match=words):
            nl.knn_graph(given, 2, metric="precomputed")
        assert re.search(words, nl.solve_vectors(given, metric="precomputed", n_neighbors=2, random_state=0).notes[0])


@pytest.mark.parametrize("size", [1e-200, 1e200, 1e307])
@pytest.mark.parametrize("metric", [*METRICS, "precomputed"])
def test_rows_of_any_magnitude(metric, size):
    X = rng().random((60, 4))
    rows, large = (cdist(X, X), cdist(X, X) * size) if metric == "precomputed" else (X, X * size)
    same = nl.knn_graph(rows, 5, metric=metric)
    assert sp.csr_array(nl.knn_graph(large, 5, metric=metric) != same).nnz == 0
    solution = nl.solve_vectors(large, metric=metric, max_iter=3, random_state=0)
    assert np.allclose(solution.positions, nl.embed(rows, metric=metric, max_iter=3, random_state=0), rtol=1e-3)
    measured, usual = (float(nl.measure_vectors(D, X[:, :2], metric=metric)["spearman"]) for D in (large, rows))
    assert measured == pytest.approx(usual)


def test_the_search_tells_how_far_it_is_and_never_goes_back(capsys):
    X = rng().standard_normal((3000, 12))
    graph = nl.knn_graph(X, 5, progress=True)
    shown = [int(number) for number in re.findall(r"(\d+)/3000", capsys.readouterr().err)]
    assert shown == sorted(shown)
    assert shown[-1] == 3000
    assert sp.csr_array(nl.knn_graph(X, 5) != graph).nnz == 0
    nl.embed(X[:300], max_iter=2, progress=True, random_state=0)
    assert "neighbors: 100%" in capsys.readouterr().err
