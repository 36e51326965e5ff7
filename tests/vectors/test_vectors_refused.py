"""What the functions of vectors refuse, and what they say of it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import nelayout as nl
from nelayout.errors import InputError, InputTypeError, Unsupported

RNG = np.random.default_rng(0)
X20 = RNG.standard_normal((20, 3))
X60 = RNG.standard_normal((60, 4)) * np.array([1, 2, 5, 0.1])
TWO = np.concatenate([RNG.standard_normal((50, 5)) + 6 * k for k in range(2)])
FAR = np.linalg.norm(TWO[:, None] - TWO, axis=2)
LISTS = np.argsort(FAR, axis=1)[:, 1:17], np.sort(FAR, axis=1)[:, 1:17]
GOOD = RNG.standard_normal((5, 3))
NAN = GOOD.copy()
NAN[2, 1] = np.nan
ROWS = RNG.standard_normal((120, 6))
WRONG = ROWS.copy()
WRONG[7, 2] = np.nan
S = np.exp(-((ROWS[:40, None] - ROWS[:40]) ** 2).sum(axis=2))
DAYS = pd.to_datetime(["2020", "2021"])
affinity, graph = nl.entropic_affinity, nl.knn_graph


def few(X: Any, **keywords: Any) -> Any:
    return nl.embed(X, n_neighbors=1, **keywords)


def five(X: Any, **keywords: Any) -> Any:
    return nl.embed(X, **{"n_neighbors": 5, **keywords})


def given(knn: Any) -> Any:
    return nl.embed(TWO, knn=knn)


def similar(S: Any, **keywords: Any) -> Any:
    return nl.embed(S, metric="similarity", **keywords)


def fit(X: Any) -> Any:
    return nl.NeighborEmbedding().fit(X)


@pytest.mark.parametrize(
    ("call", "X", "keywords", "error", "words"),
    [
        (few, np.ones((1, 3)), {}, InputError, "X has 1 row; neighbors need two or more: give more"),
        (few, np.ones((0, 3)), {}, InputError, "X has no rows; neighbors need two or more: give more"),
        (few, np.array([["a", "b"], ["c", "d"]]), {}, InputError, "dtype <U1; vectors are real .*: encode text .* as"),
        (few, np.array([[1j, 2], [3, 4]]), {}, InputError, r"dtype complex128; .*np\.abs"),
        (few, np.array([["2020-01-01"]] * 2, dtype="M8[D]"), {}, InputError, "dtype datetime64.*: give times .* as"),
        (few, np.array([[1], [2]], dtype="m8[s]"), {}, InputError, "dtype timedelta64.*: divide by a unit"),
        (few, sp.csr_array(np.array([[1j, 2], [3, 4]])), {}, InputError, r"dtype complex128; .*np\.abs"),
        (few, [[0.0], [1.0]], {"init": "spectral"}, InputError, "at most 1 .*, n_components is 2"),
        (five, FAR, {"metric": "precomputed", "init": "pca"}, InputError, "'auto', 'spectral' or an array"),
        (five, X20, {"backend": "fais"}, InputError, "unknown backend 'fais': did you mean 'faiss'"),
        (five, X20, {"n_neighbors": 20}, InputError, "from 1 to 19"),
        (five, X20, {"method": "ws-sen"}, InputError, "did you mean 'ws-sne'"),
        (five, X20, {"init": "pcs"}, InputError, "did you mean 'pca'"),
        (five, X20, {"init": np.zeros((19, 2))}, InputError, r"\(20, 2\) numbers; got \(19, 2\)"),
        (five, X20, {"init": np.full((20, 2), np.nan)}, InputError, "row 0"),
        (five, X20, {"init": ["a", "b"]}, InputTypeError, "init"),
        (five, X20, {"n_components": 4}, InputError, "1, 2 or 3"),
        (five, X20, {"n_components": True}, InputError, "1, 2 or 3"),
        (five, X20, {"init": "pca", "n_components": "2"}, InputError, "1, 2 or 3"),
        (five, X20, {"method_options": {"tail": 2.0}}, InputError, "'ws-sne' has no keyword 'tail'; .* of 'hssne'"),
        (five, X20, {"method_options": {"mas": "unit"}}, InputError, "did you mean 'mass'"),
        (five, X20, {"method_options": {"seed": 1}}, InputError, "cannot hold 'seed'"),
        (five, X20, {"method_options": [("mass", "unit")]}, InputTypeError, "list"),
        (five, X20, {"method": "ee", "method_options": {"repulsion": -1}}, InputError, "repulsion"),
        (five, X20, {"random_state": "0"}, InputError, "random_state must be"),
        (five, X20, {"metric_params": 3}, InputTypeError, "metric_params"),
        (five, X60, {"n_neighbors": 10, "perplexity": 12}, InputError, "below n_neighbors"),
        (five, X60, {"n_neighbors": "all"}, InputTypeError, "n_neighbors='all' needs a perplexity, e.g. perplexity=30"),
        (nl.embed, X60, {"perplexity_annealing": True}, InputError, "the perplexity to end at"),
        (nl.embed, X60, {"perplexity": 5, "perplexity_annealing": True, "max_iter": -1}, InputError, "max_iter"),
        (affinity, X60, {"perplexity": 3, "backend": "fais"}, InputError, "did you mean 'faiss'"),
        (affinity, X60, {"perplexity": "30"}, InputTypeError, "must be a number > 1"),
        (affinity, X60, {"perplexity": None}, InputTypeError, "must be a number > 1"),
        (affinity, X60, {"perplexity": True}, InputTypeError, "got True"),
        (affinity, X60, {"perplexity": float("nan")}, InputError, "got nan"),
        (affinity, X60, {"perplexity": 1}, InputError, "> 1; got 1"),
        (affinity, X60, {"perplexity": -3.0}, InputError, "got -3"),
        (affinity, X60, {"perplexity": float("inf")}, InputError, "got inf"),
        (affinity, X20, {"perplexity": 30}, InputError, r"< 19 \(20 rows have 19 neighbors each\); got 30. Try 5.5"),
        (affinity, X60, {"perplexity": 59}, InputError, "> 1 and < 59"),
        (affinity, X60, {"perplexity": 9, "n_neighbors": 9}, InputError, "below n_neighbors; got 9 of 9. .* takes 27"),
        (affinity, X60, {"perplexity": 10, "n_neighbors": 60}, InputError, "from 1 to 59"),
        (affinity, X60, {"perplexity": 10, "n_neighbors": "al"}, InputTypeError, "n_neighbors"),
        (affinity, X60[:2], {"perplexity": 1.5}, InputError, "three rows"),
        (affinity, X60, {"perplexity": 10, "symmetrize": "union"}, InputError, "'joint', 'none'"),
        (affinity, X60, {"perplexity": 10, "metric": "euclid"}, InputError, "did you mean 'euclidean'"),
        (nl.embed, TWO, {"knn": LISTS, "n_neighbors": 30}, InputError, r"from 1 to 16 \(knn has 16\)"),
        (nl.embed, TWO, {"knn": LISTS, "perplexity": "30"}, InputTypeError, "must be a number > 1"),
        (given, LISTS[0], {}, InputTypeError, "two .* arrays"),
        (given, (LISTS[0][:9], LISTS[1][:9]), {}, InputError, "X has 100 rows"),
        (given, (LISTS[0] + 0.5, LISTS[1]), {}, InputTypeError, "not integers"),
        (given, (LISTS[0] + 95, LISTS[1]), {}, InputError, "there are rows 0 to 99"),
        (given, (LISTS[0], -1 - LISTS[1]), {}, InputError, "finite numbers >= 0"),
        (given, (np.repeat(LISTS[0][:, :1], 3, axis=1), LISTS[1][:, :3]), {}, InputError, "twice"),
        (given, (np.arange(100)[:, None], np.zeros((100, 1))), {}, InputError, "its only neighbor"),
        (given, ([["a"] * 3] * 100, LISTS[1][:, :3]), {}, InputTypeError, "not integers"),
        (graph, NAN, {}, InputError, "NaN in row 2, column 1"),
        (graph, np.where(np.isnan(NAN), np.inf, NAN), {}, InputError, "infinity in row 2, column 1"),
        (graph, sp.csr_array(np.nan_to_num(NAN, nan=np.inf)), {}, InputError, "infinity in row 2, column 1"),
        (graph, np.zeros(5), {}, InputError, r"reshape\(-1, 1\)"),
        (graph, np.zeros((2, 3, 4)), {}, InputError, r"reshape\(len\(X\), -1\)"),
        (graph, np.zeros((4, 0)), {}, InputError, "no columns"),
        (graph, [[1.0, 2.0], [3.0]], {}, InputError, "different lengths"),
        (graph, np.array([[1, "b"], [2, 3]], dtype=object), {}, InputTypeError, "'b' in row 0, column 1"),
        (graph, np.array([[1, None], [2, 3]], dtype=object), {}, InputTypeError, "None in row 0, column 1"),
        (graph, "digits.csv", {}, InputTypeError, "str"),
        (graph, GOOD, {"n_neighbors": 5}, InputError, "from 1 to 4"),
        (graph, GOOD, {"n_neighbors": 0}, InputError, "from 1 to 4"),
        (graph, GOOD, {"n_neighbors": True}, InputTypeError, "True"),
        (graph, GOOD, {"n_neighbors": 2.0}, InputTypeError, "2.0"),
        (graph, GOOD, {"metric": "euclidian"}, InputError, "did you mean 'euclidean'"),
        (graph, GOOD, {"metric": 3}, InputTypeError, "int"),
        (graph, GOOD, {"symmetrize": "unoin"}, InputError, "did you mean 'union'"),
        (graph, GOOD, {"pca": 4}, InputError, "from 1 to 3"),
        (graph, GOOD, {"pca": "mle"}, InputError, "'auto', None or a number"),
        (graph, GOOD, {"seed": -1}, InputError, "seed"),
        (graph, GOOD, {"metric": "mahalanobis"}, InputError, "VI"),
        (graph, GOOD, {"metric": "haversine"}, InputError, "latitude"),
        (graph, GOOD, {"metric": "precomputed"}, InputError, "square"),
        (graph, -np.ones((3, 3)), {"metric": "precomputed"}, InputError, "got -1.0 between rows 0 and 0"),
        (graph, GOOD, {"metric": "minkowski", "metric_params": {"q": 3}}, InputError, "'q'"),
        (graph, np.zeros((4, 2)), {"metric": "braycurtis"}, InputError, "finite numbers >= 0; got nan"),
        (graph, GOOD, {"metric": lambda a, b: -1.0}, InputError, "got -1 between row 0 and row 0"),
        (graph, GOOD, {"metric": "hellinger"}, InputError, "got .* in row .*, column"),
        (graph, np.ma.masked_array(GOOD, NAN != NAN), {}, InputError, "NaN in row 2, column 1"),
        (graph, GOOD, {"backend": "fais"}, InputError, "did you mean 'faiss'"),
        (graph, GOOD, {"metric": "manhattan", "backend": "faiss"}, Unsupported, "'manhattan'; use 'exact' or 'pynn"),
        (graph, sp.eye_array(9000, format="csr"), {"backend": "hnswlib"}, Unsupported, "sparse rows; use 'exact' or"),
        (graph, FAR, {"metric": "precomputed", "backend": "faiss"}, Unsupported, "X holds distances; leave .* out"),
        (graph, pd.DataFrame(NAN, columns=list("abc")), {}, InputError, "NaN in row 2, column 'b'"),
        (graph, pd.DataFrame({"color": ["red", "blue"]}), {}, InputTypeError, "'red' in row 0, column 'color'"),
        (graph, S, {"metric": "similarity"}, InputError, "X is already a graph"),
        (nl.embed, S, {"metric": "similarty"}, InputError, "did you mean 'similarity'"),
        (similar, S, {"n_neighbors": 5}, InputError, "n_neighbors would change it"),
        (similar, S, {"perplexity": 5}, InputError, "perplexity would change it"),
        (similar, S, {"pca": 2}, InputError, "pca would change it"),
        (similar, S, {"init": "pca"}, InputError, "'spectral' or an array"),
        (similar, S[:7], {}, InputError, r"square \(n, n\) similarities; got \(7, 40\)"),
        (similar, -S, {}, InputError, "similarities must be >= 0; got -1.0 between rows 0 and 0"),
        (similar, np.eye(5), {}, InputError, "no two of the 5 rows have a similarity > 0"),
        (nl.NeighborEmbedding(perplexity=500).fit, ROWS, {}, ValueError, "perplexity must be"),
        (nl.NeighborEmbedding(method="tsn").fit, ROWS, {}, ValueError, "did you mean 'tsne'"),
        (fit, WRONG, {}, ValueError, "NaN in row 7, column 2"),
        (fit, np.where(np.isnan(WRONG), np.inf, WRONG), {}, ValueError, "infinity in row 7, column 2"),
        (fit, sp.csr_array(WRONG), {}, ValueError, "NaN in row 7, column 2"),
        (fit, pd.DataFrame(WRONG, columns=list("abcdef")), {}, ValueError, "NaN in row 7, column 'c'"),
        (fit, ROWS[:1], {}, ValueError, "1 sample"),
        (fit, ROWS[:, :0], {}, ValueError, "0 feature"),
        (fit, ROWS[0], {}, ValueError, "Reshape your data"),
        (fit, [["a", "b"], ["c", "d"]], {}, ValueError, "numeric"),
        (fit, pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), {}, ValueError, "'x' in row 0, column 'b'.*encode text"),
        (fit, pd.DataFrame({"b": DAYS, "a": [1.0, 2.0]}), {}, ValueError, "column 'b'.*date as"),
        (fit, pd.DataFrame({"a": [1.0, 2.0], "b": DAYS - DAYS[0]}), {}, ValueError, "row 0, column 'b'.*by a unit"),
        (fit, pd.DataFrame({"a": [1j, 2.0]}), {}, ValueError, "real and imaginary parts as columns"),
        (fit, pd.DataFrame(index=range(9)), {}, ValueError, "no columns"),
    ],
)
def test_what_is_refused(call, X, keywords, error, words):
    with pytest.raises(error, match=words):
        call(X, **keywords)
