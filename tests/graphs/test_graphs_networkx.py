"""networkx graphs become symmetric weights by the rules, and get positions back in their own type."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nelayout as nl
from nelayout.errors import InputError
from nelayout.graphs import read

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def dense(G, **options):
    return read(G, **options).adjacency.toarray()


def by_hand(G, weight="weight"):
    """The rule, edge by edge: every edge adds its weight to P_ij and P_ji, self-loops add nothing."""
    index = {v: k for k, v in enumerate(G)}
    P = np.zeros((len(G), len(G)))
    for u, v, w in G.edges(data=weight, default=1):
        if u != v:
            P[index[u], index[v]] += w
            P[index[v], index[u]] += w
    return P


def assert_canonical(A):
    assert A.data.dtype == np.float64
    assert A.indices.dtype == A.indptr.dtype == np.int32
    assert A.has_canonical_format
    assert (A.data > 0).all()
    assert not A.diagonal().any()
    assert np.array_equal(A.toarray(), A.toarray().T)


edge_lists = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([None, 0, 1, 2, 0.1, 7.25, True])), max_size=30
)


@pytest.mark.parametrize("kind", KINDS)
@given(edges=edge_lists)
def test_every_kind_follows_the_rule(kind, edges):
    G = kind()
    G.add_nodes_from("abcdefg"[k] for k in (3, 1, 0, 2))
    for u, v, w in edges:
        G.add_edge("abcdefg"[u], "abcdefg"[v], **({} if w is None else {"weight": w}))
    network = read(G)
    assert list(network.labels) == list(G)
    assert network.directed == G.is_directed()
    assert_canonical(network.adjacency)
    np.testing.assert_allclose(network.adjacency.toarray(), by_hand(G), rtol=1e-15)


def test_many_parallel_edges_sum_to_the_same_bits_on_both_sides():
    rng = np.random.default_rng(3)
    M = nx.MultiDiGraph()
    for w in rng.lognormal(sigma=8, size=500):
        u, v = rng.choice(4, 2, replace=False)
        M.add_edge(int(u), int(v), weight=float(w))
    A = read(M).adjacency.toarray()
    assert np.array_equal(A, A.T)


def test_views_are_graphs():
    G = nx.grid_2d_graph(5, 5)
    for u, v in G.edges:
        G.edges[u, v]["weight"] = 1 + u[0] + 2 * v[1]
    view = G.subgraph([(i, j) for i in range(3) for j in range(4)])
    assert np.array_equal(dense(view), by_hand(view))
    assert list(read(view).labels) == list(view)
    filtered = nx.subgraph_view(G, filter_edge=lambda u, v: u[0] == v[0])
    assert np.array_equal(dense(filtered), by_hand(filtered))
    D = nx.DiGraph([(0, 1), (1, 2), (2, 1)])
    assert np.array_equal(dense(D.reverse(copy=False)), dense(D))
    assert np.array_equal(dense(D.to_undirected(as_view=True)), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert np.array_equal(dense(D.edge_subgraph([(0, 1)])), [[0, 1], [1, 0]])


def test_small_graphs():
    for n in (0, 1, 2):
        network = read(nx.empty_graph(n))
        assert network.adjacency.shape == (n, n)
        assert network.adjacency.nnz == 0
        assert network.host.write(np.zeros((n, 2))).keys() == set(range(n))
    loop = nx.Graph([(0, 0)])
    assert read(loop).adjacency.nnz == 0


@pytest.mark.parametrize(
    "wrong", [-1, float("nan"), float("inf"), "heavy", "3", None, 1 + 2j, [1], np.float64("nan"), {}, 10**400]
)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_weight_names_the_edge(kind, wrong):
    G = kind([("a", "b", {"weight": 1}), (("t", 1), "b", {"weight": wrong})])
    with pytest.raises(nx.NetworkXError, match="weight") as caught:
        read(G)
    assert isinstance(caught.value, InputError)
    assert "('t', 1)" in str(caught.value)
    assert "'b'" in str(caught.value)
    assert "'a'" not in str(caught.value)


def path(*weights):
    """A path with these weights of its edges; None is an edge without one."""
    return nx.Graph([(k, k + 1, {} if w is None else {"weight": w}) for k, w in enumerate(weights)])


LOOPS = [(3, 3, {"weight": 50.0})]
ANY_NUMBERS = path(np.float32(0.5), np.int8(3), Decimal("0.25"), Fraction(1, 8), True, np.bool_(True), 2**70)
PARALLEL = [(0, 1, {"weight": 1.0}), (0, 1, {"weight": 4.0}), (1, 2, {"weight": 1.0})]
NO_NUMBERS = [(0, 1, {"weight": float("nan")}), (1, 0, {"weight": -4}), (0, 1, {"weight": "x"})]


@pytest.mark.parametrize(
    ("G", "options", "weights"),
    [
        (ANY_NUMBERS, {}, [0.5, 3, 0.25, 0.125, 1, 1, 2.0**70]),
        (nx.MultiDiGraph(NO_NUMBERS), {"weight": None}, [3]),
        (nx.Graph([(0, 1), (1, 1, {"weight": -1})]), {}, [1]),
        (nx.Graph([*path(1.0, 2.0, 6.0).edges(data=True), *LOOPS]), {"weight_kind": "distance"}, [3, 1.5, 0.5]),
        (path(1024.0, 2048.0, 6144.0), {"weight_kind": "distance"}, [3, 1.5, 0.5]),
        (nx.MultiGraph(PARALLEL), {"weight_kind": "distance"}, [2.5, 2]),
        (path(0, 1e9, None), {"weight_kind": "log"}, [0, np.log1p(1e9), np.log1p(1)]),
    ],
)
def test_weights_of_paths(G, options, weights):
    network = read(G, **options)
    A = network.adjacency.toarray()
    assert A.diagonal(1).tolist() == weights
    assert np.array_equal(A, np.diag(weights, 1) + np.diag(weights, -1))
    assert network.adjacency.data.all(), "a weight of 0 is no entry"
    assert network.weighted == (set(weights) - {0} != {1} and options.get("weight", "weight") is not None)
    assert bool(network.notes) == (0 in weights)


@pytest.mark.parametrize(
    ("G", "weighted", "said"),
    [
        (path(0, 1, False), False, "2 edges of weight 0"),
        (path(1.0), False, None),
        (path(1.5, None), True, None),
        (nx.DiGraph([(0, 1), (1, 0)]), False, None),
        (nx.Graph([(0, 1, {"kind": "road", "open": True})]), False, None),
        (
            nx.Graph([(0, 1, {"value": 3, "name": "x", "id": 4}), (1, 2, {"value": 2.5})]),
            False,
            "; weight='value' would",
        ),
        (nx.Graph([(0, 1, {"value": 3, "cost": 1})]), False, "'cost', 'value'"),
    ],
)
def test_whether_weights_were_read_is_said_and_unused_numbers_too(G, weighted, said):
    network = read(G)
    assert network.weighted == weighted
    assert len(network.notes) == (said is not None)
    assert said is None or said in network.notes[0]
    assert read(G, weight=None).notes == ()
    if said is not None and "value" in said:
        assert read(G, weight="value").weighted
        assert read(G, weight="value").notes == ()


def test_sums_beyond_the_largest_float_are_refused():
    M = nx.MultiGraph([(0, 1, {"weight": 1e308}), (0, 1, {"weight": 1e308})])
    with pytest.raises(nx.NetworkXError, match="too large to be added up"):
        read(M)


@pytest.mark.parametrize("wrong", [0, -2.0, float("nan"), 1e-320])
def test_wrong_distance_names_the_edge(wrong):
    G = nx.Graph([("a", "b", {"weight": 1.0}), ("b", "c", {"weight": wrong})])
    with pytest.raises(nx.NetworkXError, match=r"edge \('b', 'c'\) has weight"):
        read(G, weight_kind="distance")


def test_unknown_kind_is_answered_with_the_near_one():
    with pytest.raises(nx.NetworkXError, match="did you mean 'distance'"):
        read(nx.path_graph(2), weight_kind="distanse")
    no_kind: Any = None
    with pytest.raises(InputError, match="unknown weight_kind None"):
        read(nx.path_graph(2), weight_kind=no_kind)


@pytest.mark.parametrize("host", ["networkx", "igraph"])
def test_a_name_that_was_typed_and_no_edge_has_is_an_error(host):
    H = nx.Graph([(0, 1, {"value": 3, "kind": "x"}), (1, 2, {"value": 2.5})])
    if host == "igraph":
        H = pytest.importorskip("igraph").Graph.from_networkx(H)
    with pytest.raises(InputError) as caught:
        read(H, weight="vallue")
    assert str(caught.value) == (
        "no edge has the attribute 'vallue': did you mean 'value'? The edge attributes are 'kind', 'value'; "
        "weight=None takes every edge as 1"
    )
    with pytest.raises(InputError, match=r"'wieght'\. The edges have no attributes; weight=None takes"):
        read(nx.path_graph(3), weight="wieght")
    assert read(nx.empty_graph(3), weight="vallue").notes == ()  # no edge could have it


# positions, fixed nodes and values


@pytest.fixture
def host():
    G: Any = nx.Graph([("a", "b"), ("b", (1, 2))])
    nx.set_node_attributes(G, {"a": 1, "b": 2.5}, "size")
    nx.set_node_attributes(G, dict.fromkeys(G, 7), "age")
    return read(G).host


def test_positions_partial_and_with_strangers(host):
    Y = host.positions({"b": (1, 2), "nobody": "text", (1, 2): np.array([3.0, 4.0])}, 2)
    assert np.isnan(Y[0]).all()
    assert Y[1:].tolist() == [[1, 2], [3, 4]]
    assert np.isnan(host.positions(None, 3)).all()
    assert np.isnan(host.positions({}, 2)).all()
    for rows in (np.arange(6).reshape(3, 2), [(0, 1), (2, 3), (4, 5)]):
        assert host.positions(rows, 2).tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("pos", "message"),
    [
        ({"b": (1, 2, 3)}, "node 'b' has 3 coordinates and dim=2"),
        ({"b": (1, float("nan"))}, "node 'b' is .*finite"),
        ({"b": (1, float("inf")), "a": (0, 0)}, "node 'b' is .*finite"),
        ({"b": "here"}, "node 'b' is 'here'"),
        ({"b": 3}, "node 'b' is 3"),
        ({"b": None, "a": (0, 0)}, "node 'b' is None"),
        (np.zeros((2, 2)), "2 rows and the graph has 3 nodes"),
        (np.zeros((3, 3)), "3 coordinates and dim=2; pass dim=3"),
        (np.full((3, 2), np.nan), "node 'a'"),
        ("spring", "pos is 'spring'"),
        (3, "pos is 3"),
        ({(0, 0), (0, 1), (1, 0)}, r"\(set\)"),
        *(({"b": place}, "pos of node 'b'.* 2") for place in ((1.0,), "ab", (1.0, "x"), (1j, 0), [[1.0, 2.0]])),
    ],
)
def test_wrong_positions_name_the_node(host, pos, message):
    with pytest.raises(InputError, match=message):
        host.positions(pos, 2)


def test_nodes_by_label(host):
    mask = np.array([False, True, True])
    given = [None, [], [(1, 2), "a", "a"], {"b": 0}, (1, 2), "b", mask, (v for v in ["b"])]
    assert [host.nodes(each).tolist() for each in given] == [[], [], [0, 2], [1], [2], [1], [1, 2], [1]]


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (["c"], "fixed holds 'c', which is not a node"),
        (["A"], "did you mean 'a'"),
        ("ab", "fixed holds 'ab'"),
        (7, "fixed holds 7"),
        ([["a"]], "not a node"),
        (np.array([True]), r"mask of shape \(1,\)"),
    ],
)
def test_wrong_nodes_are_named(host, which, message):
    with pytest.raises(InputError, match=message):
        host.nodes(which)


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (2, [2, 2, 2]),
        (np.float32(0.5), [0.5, 0.5, 0.5]),
        ([1, 2, 3], [1, 2, 3]),
        ({"a": 1, "b": 2, (1, 2): 3, "z": "?"}, [1, 2, 3]),
        ("age", [7, 7, 7]),
    ],
)
def test_values_from_anything(host, given, values):
    assert host.values(given, "mass").tolist() == values
    assert list(host.attributes()) == ["age", "size"]


def test_pandas_series_goes_by_its_index(host):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([3.0, 1.0, 2.0], index=pandas.Index([(1, 2), "a", "b"], tupleize_cols=False))
    assert host.values(series, "node_size").tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ("size", r"node \(1, 2\) has no mass 'size' \(1 of 3"),
        ("aeg", "did you mean 'age'"),
        ({"a": 1}, r"node 'b' has no mass \(2 of 3"),
        ([1, 2], "mass has 2 rows and the graph has 3"),
        ([1, 2, float("nan")], r"node \(1, 2\) has mass nan"),
        ([1, -2, 3], "node 'b' has mass -2"),
        ({"a": 1, "b": "heavy", (1, 2): 3}, "node 'b' has mass 'heavy'"),
        (float("inf"), "every node has mass inf"),
        (None, "mass is None"),
        ({1.0, 2.0, 3.0}, r"\(set\)"),
    ],
)
def test_wrong_values_name_the_node(host, x, message):
    with pytest.raises(InputError, match=message):
        host.values(x, "mass", nonnegative=True)


def test_write_gives_a_dict_in_node_order(host):
    Y = np.arange(6, dtype=np.float32).reshape(3, 2)
    pos = host.write(Y)
    assert list(pos) == ["a", "b", (1, 2)]
    assert all(p.dtype == np.float64 and p.shape == (2,) for p in pos.values())
    Y[:] = -1
    assert pos["b"].tolist() == [2, 3]
    assert "pos" not in host.G.nodes["a"]
    host.write(np.ones((3, 2)), store_pos_as="pos")
    assert host.G.nodes["b"]["pos"].tolist() == [1, 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 1.0, 2, 3], [False, True, 2, 3], [3, 1, 0, 2], [1, 2, 3, 4]])
@pytest.mark.parametrize("own", [{}, {"weight": 2.5}, {"color": "red"}])
def test_numbers_as_nodes_are_not_their_places(kind, order, own):
    G = kind()
    G.add_nodes_from(order)
    a, b, c, d = order
    G.add_edges_from([(a, c, own), (d, b, {}), (c, d, {}), (b, b, {})])
    assert np.array_equal(dense(G), by_hand(G))
    assert np.array_equal(dense(G.subgraph(order[1:])), by_hand(G.subgraph(order[1:])))


def test_the_hint_on_lengths_names_their_kind():
    streets = nx.MultiDiGraph()
    streets.add_edges_from([(1, 2, {"osmid": "7", "length": 10.0}), (2, 3, {"osmid": "8", "length": 900.0})])
    note = read(streets).notes[0]
    assert "weight='length' with weight_kind=\"distance\" would use the numbers there" in note
    with pytest.warns(UserWarning, match='with weight_kind="distance"'):
        nl.layout(streets, seed=0, max_iter=1)
    nx.set_edge_attributes(streets, 3, "lanes")
    assert (
        "'lanes', 'length' hold numbers: weight= uses one of them, with weight_kind=\"distance\" for 'length'"
        in (read(streets).notes[0])
    )
    (near,) = read(streets, "length").notes
    assert "are read as similarities: a large number draws two nodes near" in near
    assert near.endswith('weight_kind="distance" draws them far apart')
    assert read(streets, "length", "similarity").notes == read(streets, "length", "distance").notes == ()
