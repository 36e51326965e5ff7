"""`measure_vectors`, the curves and `stability`: against the measures of graphs, metrics, packages; what is refused."""

import networkx as nx
import numpy as np
import pytest
from measured import others
from scipy.sparse import csr_array
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

import nelayout as nl
from nelayout.comparison.measuring import vector_distances
from nelayout.errors import InputError
from nelayout.quality.classes import class_accuracy, class_ari, class_auc
from nelayout.quality.table import MEASURES
from nelayout.vectors.input import read_rows
from nelayout.vectors.metrics import prepare

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = X[:, :2] + 0.3 * RNG.normal(size=(60, 2))
KIND = np.arange(60) % 3


def test_default_and_all():
    default = nl.measure_vectors(X, Y)
    assert list(default) == ["coincident", "trustworthiness", "continuity", "q_nx", "r_nx_area", "spearman"]
    everything = nl.measure_vectors(X, Y, KIND, coords=X[:, :3], node_size=0.1, measures="all")
    assert set(MEASURES) - set(everything) == {line["name"] for line in nl.measures() if line["applies"] == "graphs"}
    assert default == {name: everything[name] for name in default}
    for name, m in everything.items():
        assert 0 <= m.score <= 1, name
        assert m.exact
    classes = nl.measure_vectors(X, Y, KIND)
    assert set(classes) - set(default) == {"class_auc", "class_accuracy"}
    for name, of in (("class_auc", class_auc), ("class_accuracy", class_accuracy), ("class_ari", class_ari)):
        assert everything[name].value == of(Y, KIND).value


def test_neighbors_of_rows_are_their_nearest_ten():
    lists = zip(others(X)[:, :10], others(Y)[:, :10], strict=True)
    shared = np.array([len(set(a) & set(b)) for a, b in lists])
    found = nl.measure_vectors(X, Y, measures=["neighborhood", "q_nx"])
    assert found["neighborhood"].value == pytest.approx((shared / (20 - shared)).mean())
    assert found["q_nx"].value == pytest.approx(shared.mean() / 10)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "chebyshev"])
def test_distances_are_those_of_scipy(metric):
    close = np.concatenate([X, X[:5] + 1e-9, X[:3]]) + 100.0
    name = {"manhattan": "cityblock"}.get(metric, metric)
    found = vector_distances(prepare(read_rows(close, metric), metric), len(close)).rows(np.arange(len(close)))
    expected = cdist(close, close, name)
    # Rows as long as these differ in digits that the cosine itself loses in SciPy.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-13 if metric in ("cosine", "correlation") else 0)
    assert (found[60 + 5 :, :3].diagonal() == 0).all()


def test_tables_frames_sparse_rows_and_solutions():
    from pandas import DataFrame

    expected = nl.measure_vectors(X, Y)
    assert nl.measure_vectors(cdist(X, X), Y, metric="precomputed") == pytest.approx(expected)
    assert nl.measure_vectors(DataFrame(X), Y.tolist()) == expected
    sparse = nl.measure_vectors(csr_array(X), Y)
    for name, m in expected.items():
        assert sparse[name].value == pytest.approx(m.value)
    solution = nl.solve_vectors(X, random_state=0)
    assert nl.measure_vectors(X, solution) == nl.measure_vectors(X, solution.positions)


def test_a_perfect_embedding():
    found = nl.measure_vectors(X[:, :2], -3 * X[:, 1::-1] + 5, KIND, measures="all")
    for name in ("neighborhood", "trustworthiness", "continuity", "q_nx", "b_nx", "r_nx", "r_nx_area", "retrieval_auc",
                 "spearman", "nonmetric_stress", "distance_correlation", "stress"):  # fmt: skip
        assert found[name].score == pytest.approx(1, abs=1e-9), name


def test_equal_rows_and_positions_in_one_place():
    found = nl.measure_vectors(np.ones((12, 3)), Y[:12], KIND[:12], measures="all")
    assert np.isnan(found["trustworthiness"].value)
    assert np.isnan(found["stress"].value)
    found = nl.measure_vectors(X, np.zeros((60, 2)), KIND, measures="all")
    assert found["coincident"].value == 60
    assert found["r_nx_area"].value == pytest.approx(0, abs=1e-9)
    assert found["stress"].value == found["nonmetric_stress"].value == 1
    assert np.isnan(found["spearman"].value)
    assert found["distance_correlation"].value == 0


def test_curves():
    curve = nl.rank_curves_vectors(X, Y)
    found = nl.measure_vectors(X, Y, measures=["q_nx", "r_nx", "b_nx"])
    assert curve.k.tolist() == list(range(1, 60))
    assert (curve.q_nx[9], curve.r_nx[9], abs(curve.b_nx[9])) == pytest.approx(tuple(m.value for m in found.values()))
    G = nx.gnm_random_graph(40, 80, seed=1)
    pos = nx.spring_layout(G, seed=0)
    curve = nl.rank_curves(G, pos)
    assert curve.r_nx[9] == pytest.approx(nl.measure(G, pos, measures="r_nx")["r_nx"].value)
    assert curve.exact
    assert not nl.rank_curves(G, pos, sample=20).exact
    with pytest.raises(nx.NetworkXError, match="position for node 3"):
        nl.rank_curves(G, {v: p for v, p in pos.items() if v != 3})


def test_stability_is_that_of_scipy():
    drawings = [Y, Y[:, ::-1] * 4 + 0.1 * RNG.normal(size=Y.shape), X[:, 2:4]]
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = nl.stability(drawings)
    assert found["procrustes"].value == pytest.approx(
        np.mean([procrustes(drawings[a], drawings[b])[2] for a, b in pairs])
    )
    lists = [[set(row[:10]) for row in others(Z).tolist()] for Z in drawings]
    index = [len(p & q) / len(p | q) for a, b in pairs for p, q in zip(lists[a], lists[b], strict=True)]
    assert found["neighbors"].value == pytest.approx(np.mean(index))
    assert found["neighbors"].score == found["neighbors"].value
    assert found["procrustes"].score == 1 - found["procrustes"].value
    assert all(0 < m.error < 1 and not m.exact for m in found.values())


def test_drawings_that_are_alike_are_stable():
    G = nx.relabel_nodes(nx.cycle_graph(30), {v: f"v{v}" for v in range(30)})
    pos = nx.circular_layout(G)
    turned = dict(sorted(((v, (-p[1] * 2, p[0] * 2)) for v, p in pos.items()), reverse=True))
    found = nl.stability([pos, turned])
    assert found["procrustes"].value == pytest.approx(0, abs=1e-12)
    assert found["procrustes"].error == np.inf
    noise = nl.stability([RNG.normal(size=(400, 2)) for _ in range(5)])
    assert noise["procrustes"].value > 0.97
    assert noise["neighbors"].value == pytest.approx(10 / 399 / 2, abs=0.01)


HOLES, TABLE = Y.copy(), cdist(X, X)
HOLES[7, 1] = np.nan
TABLE[3, 5] += 1
REFUSED = [
    ((X, Y[1:]), {}, "Y has 59 entries and X has 60 rows"),
    ((X, HOLES), {}, r"Y must .* 2 finite numbers .*nan\] for row 7\."),
    ((np.where(np.arange(60)[:, None] == 7, np.nan, X), Y), {}, "7"),
    ((X, Y, KIND[1:]), {}, "labels has 59 entries and X has 60 rows"),
    ((X, Y, "kind"), {}, "no attr"),
    ((X, Y, {99: 1}), {}, "99"),
    ((X, Y[:, 0]), {}, r"Y must have a list .* for row 0\."),
    ((X, [[0.0, 1], [2]] * 30), {}, r"got \[2\] for row 1\."),
    ((X, np.ma.masked_invalid(HOLES)), {}, r"for row 7\."),
    ((X, dict(enumerate(Y[1:]))), {}, r"got None for row 59\."),
    ((X, {row + 1: y for row, y in enumerate(Y)}), {}, "key 60"),
    ((TABLE, Y), {"metric": "precomputed"}, r"rows 3 and 5 is .* rows 5 and 3 .* mean"),
    ((cdist(X, X) + 1, Y), {"metric": "precomputed"}, "row 0 to itself is 1"),
    ((csr_array(cdist(X, X)), Y), {"metric": "precomputed"}, "sparse table"),
    ((X, Y), {"measures": "trustworthyness"}, "did you mean 'trustworthiness'"),
    ((X, Y), {"measures": "crossings"}, "needs edges"),
    ((X, Y), {"measures": "class_ari"}, r"class_ari.*labels"),
    ((X, Y), {"metric": "cosin"}, "did you mean 'cosine'"),
]


@pytest.mark.parametrize(("arguments", "keywords", "said"), REFUSED)
def test_what_is_refused(arguments, keywords, said):
    with pytest.raises(InputError, match=said):
        nl.measure_vectors(*arguments, **keywords)


@pytest.mark.parametrize(
    ("drawings", "said"),
    [
        ({0: (0, 1)}, "several drawings; got one dict"),
        ([Y], "at least two drawings; got 1"),
        ([{"a": (0, 1), "b": (1, 1)}, {"a": (0, 1), "c": (1, 1)}], "drawing 1 has other nodes"),
        ([Y, X[:, :3]], "3 dimensions"),
        ([Y, Y, HOLES], r"drawing 2: pos of node 7 is .*nan\]"),
    ],
)
def test_drawings_that_cannot_be_compared(drawings, said):
    with pytest.raises(InputError, match=said):
        nl.stability(drawings)


def test_samples_are_of_rows():
    found = nl.measure_vectors(X, Y, measures="trustworthiness", sample=30, seed=2)["trustworthiness"]
    assert not found.exact
    assert found.error > 0
    assert found == nl.measure_vectors(X, Y, measures="trustworthiness", sample=30, seed=2)["trustworthiness"]
