"""igraph graphs give the same weights as the same networkx graphs, and get an igraph.Layout back."""

import networkx as nx
import numpy as np
import pytest

from nelayout.errors import InputError
from nelayout.graphs import read

igraph = pytest.importorskip("igraph")


def random_multigraph(directed, seed=0):
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, 12, (60, 2)).tolist()
    G = igraph.Graph(n=15, edges=edges, directed=directed)
    G.es["weight"] = [None if k % 7 == 0 else float(w) for k, w in enumerate(rng.integers(0, 5, 60))]
    return G


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("options", [{}, {"weight": None}, {"weight_kind": "log"}])
def test_same_as_networkx(directed, options):
    G = random_multigraph(directed)
    H = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    H.add_nodes_from(range(15))
    for e in G.es:
        H.add_edge(*e.tuple, **({} if e["weight"] is None else {"weight": e["weight"]}))
    ours, theirs = read(G, **options), read(H, **options)
    np.testing.assert_allclose(ours.adjacency.toarray(), theirs.adjacency.toarray(), rtol=1e-15)
    assert ours.directed == directed
    assert ours.weighted == theirs.weighted
    assert ours.notes == theirs.notes
    assert ours.adjacency.indices.dtype == np.int32


def test_names_are_labels_where_they_tell_vertices_apart():
    G = igraph.Graph([(0, 1)])
    assert list(read(G).labels) == [0, 1]
    G.vs["name"] = ["a", "b"]
    assert list(read(G).labels) == ["a", "b"]
    G.vs["name"] = ["a", "a"]
    assert list(read(G).labels) == [0, 1]
    G.vs["name"] = ["a", None]
    assert list(read(G).labels) == [0, 1]


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "heavy", 1j])
def test_wrong_weight_names_the_edge(wrong):
    G = igraph.Graph([(0, 1), (2, 2), (1, 2)])
    G.es["weight"] = [1, wrong, wrong]
    G.vs["name"] = ["a", "b", "c"]
    with pytest.raises(InputError, match=r"edge \('b', 'c'\) has weight"):
        read(G)
    del G.vs["name"]
    with pytest.raises(InputError, match=r"edge \(1, 2\) has weight"):
        read(G)


def test_notes_on_unused_numbers():
    G = igraph.Graph([(0, 1), (1, 2)])
    G.es["km"] = [3, 4.5]
    G.es["kind"] = ["road", "rail"]
    assert "weight='km'" in read(G).notes[0]
    assert read(G, weight="km").notes == ()
    with pytest.raises(InputError, match="did you mean 'distance'"):
        read(G, weight="km", weight_kind="dist")


def test_positions_by_name_index_layout_and_rows():
    G = igraph.Graph([(0, 1), (1, 2)])
    G.vs["name"] = ["a", "b", "c"]
    host = read(G).host
    assert host.positions({"b": (1, 2), 2: (3, 4), "z": 0}, 2)[1:].tolist() == [[1, 2], [3, 4]]
    rows = [[0, 1], [2, 3], [4, 5]]
    for pos in (igraph.Layout(rows), rows, np.array(rows)):
        assert host.positions(pos, 2).tolist() == rows
    with pytest.raises(InputError, match="node 'a' has 3 coordinates and dim=2"):
        host.positions(igraph.Layout([[0, 0, 0]] * 3), 2)
    with pytest.raises(InputError, match="2 rows and the graph has 3"):
        host.positions(igraph.Layout([[0, 0]] * 2), 2)


def test_nodes_and_values():
    G = igraph.Graph([(0, 1), (1, 2)])
    G.vs["name"] = ["a", "b", "c"]
    G.vs["age"] = [3, 4, None]
    G.vs["size"] = [1, 2, 3]
    host = read(G).host
    assert host.nodes(["c", 0]).tolist() == [0, 2]
    assert host.nodes("b").tolist() == [1]
    assert host.values("size", "mass").tolist() == [1, 2, 3]
    assert host.values({"a": 1, 1: 2, "c": 3}, "mass").tolist() == [1, 2, 3]
    with pytest.raises(InputError, match="node 'c' has no mass 'age'"):
        host.values("age", "mass")
    with pytest.raises(InputError, match="did you mean 'size'"):
        host.values("sizes", "mass")


def test_write_gives_a_layout_and_leaves_the_graph():
    G = igraph.Graph([(0, 1)])
    host = read(G).host
    for dim in (2, 3):
        layout = host.write(np.ones((2, dim)))
        assert isinstance(layout, igraph.Layout)
        assert layout.dim == dim
    assert host.write(np.array([[1.5, 2], [3, 4]])).coords == [[1.5, 2.0], [3.0, 4.0]]
    assert G.vs.attributes() == []
    host.write(np.array([[1.5, 2], [3, 4]]), store_pos_as="xy")
    assert G.vs["xy"] == [[1.5, 2.0], [3.0, 4.0]]


def test_empty_graph():
    network = read(igraph.Graph())
    assert network.adjacency.shape == (0, 0)
    assert len(network.host.write(np.zeros((0, 2)))) == 0


def test_input_is_not_changed():
    G = random_multigraph(directed=True)
    G.vs["name"] = list("abcdefghijklmno")
    before = G.get_edgelist(), list(G.es["weight"]), list(G.vs["name"]), G.attributes()
    read(G)
    read(G, weight_kind="log")
    assert before == (G.get_edgelist(), list(G.es["weight"]), list(G.vs["name"]), G.attributes())
