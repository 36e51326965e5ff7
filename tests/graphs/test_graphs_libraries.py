"""igraph, rustworkx, networkit, graph-tool and pandas: one graph gives one drawing, whichever library holds it.

graph-tool is not on PyPI: where it is not installed, its tests run on a small one with the calls of its documentation.
"""

from __future__ import annotations

import sys

import fake_graph_tool
import igraph
import networkx as nx
import numpy as np
import pandas
import pytest

import nelayout as nl
from nelayout import graphs
from nelayout.errors import InputError, InputTypeError
from nelayout.graphs import files

N = 12


def needed(package):
    return pytest.importorskip(package, reason=f"{package} is not installed, or not on PyPI")


RNG = np.random.default_rng(3)
RANDOM = [(int(u), int(v), float(w)) for u, v, w in zip(*RNG.integers(0, N, (2, 25)), RNG.random(25), strict=True)]
# (u, v, w) of a connected graph with parallel and opposite edges, a self-loop and a weight of 0.
EDGES = [*((k, k + 1, 1.0 + k) for k in range(N - 1)), *RANDOM, (2, 2, 5.0), (3, 4, 0.0), (4, 3, 7.0), (3, 4, 2.0)]
PAIRS, WEIGHTS = [edge[:2] for edge in EDGES], [weight for *_, weight in EDGES]


def in_networkx(directed):
    G = nx.MultiDiGraph() if directed else nx.MultiGraph()
    G.add_nodes_from(range(N))
    G.add_weighted_edges_from(EDGES)
    return G


def in_igraph(directed=False):
    return igraph.Graph(n=N, edges=PAIRS, directed=directed, edge_attrs={"weight": WEIGHTS})


def in_rustworkx(directed=False):
    G = getattr(needed("rustworkx"), "PyDiGraph" if directed else "PyGraph")()
    G.add_nodes_from([None] * N)
    G.add_edges_from(EDGES)
    return G


def in_networkit(directed=False):
    G = needed("networkit").Graph(N, weighted=True, directed=directed)
    for edge in EDGES:
        G.addEdge(*edge)
    return G


def in_graph_tool(directed=False):
    G = needed("graph_tool").Graph(directed=directed)
    G.add_vertex(N)
    G.add_edge_list(PAIRS)
    G.edge_properties["weight"] = G.new_edge_property("double", vals=WEIGHTS)
    return G


def in_pandas(directed=False):
    return pandas.DataFrame(EDGES, columns=["source", "target", "weight"])


BUILDERS = {
    "igraph": in_igraph, "rustworkx": in_rustworkx, "pandas": in_pandas, "networkit": in_networkit,
    "graph-tool": in_graph_tool, "the tests' graph-tool": in_graph_tool,
}  # fmt: skip


@pytest.fixture(params=BUILDERS)
def host(request, monkeypatch):
    if request.param == "the tests' graph-tool":
        monkeypatch.setitem(sys.modules, "graph_tool", fake_graph_tool)
    return request.param


@pytest.fixture
def build(host):
    """(directed) -> the graph of `EDGES` in the library."""
    return BUILDERS[host]


@pytest.fixture(params=["real", "fake"])
def graph_tool(request, monkeypatch):
    if request.param == "fake":
        monkeypatch.setitem(sys.modules, "graph_tool", fake_graph_tool)
    return needed("graph_tool")


def rows(G, pos):
    """Positions of whatever type, one row for each node in node order."""
    opened = graphs.places(pos)
    return graphs.read(G).host.positions(opened.given, opened.dim)


def nodes(G):
    return list(graphs.read(G).labels)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("options", [{}, {"weight": None}, {"weight_kind": "log"}], ids=str)
def test_the_network_is_that_of_networkx(host, build, directed, options):
    if host == "pandas" and (directed or options.get("weight", "weight") is None):
        pytest.skip("rows of a table are undirected, and without weights repeated ones count once")
    ours, theirs = graphs.read(build(directed), **options), graphs.read(in_networkx(directed), **options)
    order = np.argsort(ours.labels)
    np.testing.assert_allclose(ours.adjacency.toarray()[np.ix_(order, order)], theirs.adjacency.toarray(), rtol=1e-15)
    assert (ours.directed, ours.weighted, ours.zeros) == (theirs.directed, theirs.weighted, theirs.zeros)
    assert tuple(note for note in ours.notes if "repeated" not in note) == theirs.notes


@pytest.mark.parametrize("dim", [2, 3])
def test_the_drawing_is_that_of_networkx_bit_for_bit(build, dim):
    G, H = build(), in_networkx(directed=False)
    sizes = {"dim": dim, "seed": 1, "node_size": 0.1, "mass": np.arange(1, N + 1), "max_iter": 5}
    assert rows(G, nl.ws_sne_layout(G, **sizes)).tolist() == rows(H, nl.ws_sne_layout(H, **sizes)).tolist()


def test_positions_start_hold_and_are_taken_everywhere(build, tmp_path):
    G = build()
    first = nl.ws_sne_layout(G, seed=0, max_iter=5)
    held = nodes(G)[:3]
    second = nl.ws_sne_layout(G, first, held, seed=1, max_iter=5)
    assert type(second) is type(first)
    assert rows(G, second)[:3].tolist() == rows(G, first)[:3].tolist()
    assert rows(G, second)[3:].tolist() != rows(G, first)[3:].tolist()
    by_name = {node: (k, -k) for k, node in enumerate(held)}
    third = nl.ws_sne_layout(G, by_name, held, seed=1, max_iter=5)
    assert rows(G, third)[:3].tolist() == [[k, -k] for k in range(3)]
    assert nl.measure(G, first, measures=["stress"])["stress"].value > 0
    assert np.allclose(rows(G, nl.align(second, to=first)), nl.align(rows(G, second), to=rows(G, first)))
    nl.draw(G, first, tmp_path / "drawn.svg", labels=True, edge_width="weight")
    files.write_positions(tmp_path / "drawn.json", G, first)
    again = files.read_graph(tmp_path / "drawn.json")
    assert np.allclose(graphs.read(again.graph).adjacency.toarray(), graphs.read(G).adjacency.toarray())
    places = files.read_positions(tmp_path / "drawn.json").values()
    assert [place.tolist() for place in places] == rows(G, first).tolist()


def test_masses_are_arrays_and_dicts(build):
    G = build()
    mass = {node: 1 + k for k, node in enumerate(nodes(G))}
    by_dict, by_array = (nl.solve(G, "ws-sne", seed=0, mass=given, max_iter=5) for given in (mass, [*mass.values()]))
    assert rows(G, by_dict).tolist() == rows(G, by_array).tolist()
    with pytest.raises(InputError, match="node 0 has no mass"):
        nl.ws_sne_layout(G, mass={1: 1.0})


def test_a_wrong_weight_names_the_edge(build, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "EDGES", [(0, 1, -2.0), *EDGES[1:]])
    monkeypatch.setattr(sys.modules[__name__], "WEIGHTS", [-2.0, *WEIGHTS[1:]])
    G = build()
    with pytest.raises(InputError, match=r"edge \(0, 1\) has weight -2\.0"):
        graphs.read(G)
    with pytest.raises(InputError, match="no edge has the attribute 'miles'"):
        graphs.read(G, weight="miles")


def test_store_pos_as_is_done_or_refused_in_words(host, build):
    G = build()
    if "graph" in host:
        pos = nl.ws_sne_layout(G, seed=0, store_pos_as="place")
        kept = G.vs["place"] if host == "igraph" else G.vertex_properties["place"]
        assert rows(G, kept).tolist() == rows(G, pos).tolist()
    else:
        with pytest.raises(InputError, match="store_pos_as needs a graph whose nodes have attributes"):
            nl.ws_sne_layout(G, store_pos_as="place")


def test_inputs_are_not_changed(build):
    G = build()

    def content():
        listed = graphs.links(G)
        return [listed.rows.tolist(), listed.cols.tolist(), listed.attribute("weight")]

    before = content()
    pos = nl.ws_sne_layout(G, seed=0, max_iter=5)
    kept = rows(G, pos).tolist()
    nl.ws_sne_layout(G, pos, seed=0, weight_kind="log", max_iter=5)
    assert content() == before
    assert rows(G, pos).tolist() == kept


# igraph


@pytest.mark.parametrize(
    ("names", "labels"), [(None, [0, 1]), (["a", "b"], ["a", "b"]), (["a", "a"], [0, 1]), (["a", None], [0, 1])]
)
def test_igraph_names_are_labels_where_they_tell_vertices_apart(names, labels):
    G = igraph.Graph([(0, 1)], vertex_attrs={} if names is None else {"name": names})
    assert list(graphs.read(G).labels) == labels


@pytest.fixture
def named():
    return igraph.Graph(
        [(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"], "age": [3, 4, None], "size": [1, 2, 3]}
    )


def test_igraph_positions_by_name_index_layout_and_rows(named):
    host = graphs.read(named).host
    assert host.positions({"b": (1, 2), 2: (3, 4), "z": 0}, 2)[1:].tolist() == [[1, 2], [3, 4]]
    rows = [[0, 1], [2, 3], [4, 5]]
    for pos in (igraph.Layout(rows), rows, np.array(rows)):
        assert host.positions(pos, 2).tolist() == rows
    with pytest.raises(InputError, match="node 'a' has 3 coordinates and dim=2"):
        host.positions(igraph.Layout([[0, 0, 0]] * 3), 2)
    with pytest.raises(InputError, match="2 rows and the graph has 3"):
        host.positions(igraph.Layout([[0, 0]] * 2), 2)


@pytest.mark.parametrize("names", [None, ["a", "b", "c"], [2, 0, 1]], ids=str)
def test_igraph_vertices_stand_for_themselves(names):
    G = igraph.Graph([(0, 1), (1, 2)])
    if names:
        G.vs["name"] = names
    host = graphs.read(G).host
    assert host.nodes(G.vs[1:]).tolist() == host.nodes([G.vs[1], G.vs[2]]).tolist() == [1, 2]
    assert host.nodes(G.vs[1]).tolist() == [1]
    assert host.values({v: v.index for v in G.vs}, "mass").tolist() == [0, 1, 2]
    assert host.objects({G.vs[1]: "x"}, "labels") == [None, "x", None]
    rows = [[0.0, 1.0], [2.0, 3.0], [4.0, 6.0]]
    pos = nl.ws_sne_layout(G, {v: rows[v.index] for v in G.vs}, G.vs[:2], max_iter=3)
    assert pos.coords[:2] == rows[:2]
    other = igraph.Graph(9)
    with pytest.raises(InputError, match="which is not a node of the graph"):
        host.nodes([other.vs[8]])


def test_whole_numbers_are_names_in_igraph_if_names_are_numbers_and_a_note_says_so():
    G = igraph.Graph.TupleList([(5, 3), (3, 0), (0, 9), (9, 5)])

    def notes(G, pos, fixed):
        solution = nl.solve(G, "ws-sne", pos, fixed, seed=0)
        assert solution.positions[2] == [7.0, 7.0]
        return [note for note in solution.notes if "whole number" in note]

    (note,) = notes(G, {0: (7.0, 7.0), 5: (0.0, 0.0)}, [0])
    assert "means the vertex of that name" in note
    assert notes(G, {G.vs[2]: (7.0, 7.0), G.vs[0]: (0.0, 0.0)}, G.vs[2]) == []
    G.vs["name"] = range(4)
    assert notes(G, {2: (7.0, 7.0), 0: (0.0, 0.0)}, [2]) == []


def test_igraph_nodes_and_values(named):
    host = graphs.read(named).host
    assert host.nodes(["c", 0]).tolist() == [0, 2]
    assert host.nodes("b").tolist() == [1]
    assert host.values("size", "mass").tolist() == [1, 2, 3]
    assert host.values({"a": 1, 1: 2, "c": 3}, "mass").tolist() == [1, 2, 3]
    with pytest.raises(InputError, match="node 'c' has no mass 'age'"):
        host.values("age", "mass")
    with pytest.raises(InputError, match="did you mean 'size'"):
        host.values("sizes", "mass")


def test_igraph_write_gives_a_layout_and_leaves_the_graph():
    G = igraph.Graph([(0, 1)])
    host = graphs.read(G).host
    assert host.write(np.ones((2, 3))).dim == 3
    layout = host.write(np.array([[1.5, 2], [3, 4]]))
    assert isinstance(layout, igraph.Layout)
    assert layout.coords == [[1.5, 2.0], [3.0, 4.0]]
    assert G.vs.attributes() == []
    host.write(np.array([[1.5, 2], [3, 4]]), store_pos_as="xy")
    assert G.vs["xy"] == layout.coords


# rustworkx


def test_rustworkx_payloads_are_weights_and_attributes():
    rustworkx = needed("rustworkx")
    G = rustworkx.PyGraph()
    G.add_nodes_from([{"age": 1}, {"age": 3}, {"age": 5}])
    G.add_edges_from([(0, 1, {"km": 2.0}), (1, 2, {"km": 5})])
    assert "weight='km'" in graphs.read(G).notes[0]
    assert graphs.read(G, weight="km").adjacency.data.tolist() == [2, 2, 5, 5]
    host = graphs.read(G).host
    assert host.values("age", "mass").tolist() == [1, 3, 5]
    with pytest.raises(InputError, match="did you mean 'age'"):
        host.values("ages", "mass")
    pos = nl.ws_sne_layout(G, seed=0, weight="km", store_pos_as="xy")
    assert [node["xy"].tolist() for node in G.nodes()] == [place.tolist() for place in pos.values()]
    G.add_edge(0, 2, "far")
    assert graphs.read(G).adjacency.nnz == 6
    G.add_edge(0, 2, 3.0)
    with pytest.raises(InputError, match=r"edge \(0, 2\) has weight 'far'"):
        graphs.read(G)


def test_rustworkx_indices_may_have_holes():
    rustworkx = needed("rustworkx")
    from matplotlib import pyplot

    mpl_draw = pytest.importorskip("rustworkx.visualization").mpl_draw
    G = rustworkx.generators.path_graph(6)
    G.remove_node(2)
    pos = nl.ws_sne_layout(G, seed=0)
    assert list(pos) == list(G.node_indices()) == [0, 1, 3, 4, 5]
    drawn, axes = pyplot.subplots()  # without axes it draws into the figure that is open, if one is
    mpl_draw(G, pos=pos, ax=axes)
    found = set(map(tuple, np.array(axes.collections[0].get_offsets()).tolist()))
    assert found == {tuple(place) for place in pos.values()}
    pyplot.close(drawn)
    theirs = rustworkx.spring_layout(G, seed=1)
    kept = nl.ws_sne_layout(G, theirs, max_iter=0)
    assert {node: place.tolist() for node, place in kept.items()} == {node: [*place] for node, place in theirs.items()}
    assert set(nl.align(theirs, to=pos)) == set(pos)


def test_rustworkx_text_names_nodes(tmp_path):
    rustworkx = needed("rustworkx")
    G = rustworkx.PyGraph()
    G.add_nodes_from(["Oslo", "Rome"])
    G.add_edge(0, 1, 2.5)
    held = nl.ws_sne_layout(G, {"Rome": (3, 4), 0: (1, 2)}, ["Oslo", 1])
    assert {node: place.tolist() for node, place in held.items()} == {0: [1, 2], 1: [3, 4]}
    files.write_positions(tmp_path / "g.graphml", G, nl.ws_sne_layout(G, seed=0))
    assert dict(nx.read_graphml(tmp_path / "g.graphml").nodes(data="label")) == {"0": "Oslo", "1": "Rome"}


# networkit


def test_networkit_ids_of_removed_nodes_keep_their_rows():
    networkit = needed("networkit")
    G = networkit.Graph(6)
    for k in range(5):
        G.addEdge(k, (k + 2) % 6)
    G.removeNode(3)
    assert not graphs.read(G).weighted
    Y = nl.ws_sne_layout(G, seed=0)
    assert Y.shape == (6, 2)
    assert np.isnan(Y).any(axis=1).tolist() == [k == 3 for k in range(6)]
    assert np.array_equal(nl.ws_sne_layout(G, Y, max_iter=0), Y, equal_nan=True)
    ages = np.array([1, 2, 3, 99, 4, 5])
    assert graphs.read(G).host.values(ages, "mass").tolist() == [1, 2, 3, 4, 5]
    assert graphs.read(G).host.values(ages[[0, 1, 2, 4, 5]], "mass").tolist() == [1, 2, 3, 4, 5]
    nl.draw(G, Y, labels=True)
    with pytest.raises(InputError, match="4 rows and the graph has 5 nodes"):
        nl.ws_sne_layout(G, Y[:4])


def test_networkit_attributes_go_by_their_names():
    networkit = needed("networkit")
    G = networkit.Graph(3)
    G.addEdge(0, 1)
    G.addEdge(1, 2)
    G.indexEdges()
    km = G.attachEdgeAttribute("km", float)
    km[0, 1] = 4.0
    age = G.attachNodeAttribute("age", int)
    for node in range(3):
        age[node] = node + 1
    assert graphs.read(G, weight="km").adjacency.toarray().tolist() == [[0, 4, 0], [4, 0, 1], [0, 1, 0]]
    assert graphs.read(G).host.values("age", "mass").tolist() == [1, 2, 3]
    by_name, by_array = (nl.ws_sne_layout(G, seed=0, mass=mass) for mass in ("age", np.array([1, 2, 3])))
    assert np.array_equal(by_name, by_array)
    with pytest.raises(InputError, match="unknown mass 'ages'"):
        nl.ws_sne_layout(G, mass="ages")
    with pytest.raises(InputError, match="the networkit graph has no node attribute"):
        graphs.read(G).host.objects("kind", "labels")


# graph-tool


def test_graph_tool_property_maps_are_taken_as_they_are(graph_tool):
    G = in_graph_tool()
    flat = G.new_edge_property("int", vals=[2] * len(EDGES))
    assert graphs.read(G, weight=flat).weighted
    by_map, by_name = nl.ws_sne_layout(G, weight=G.ep["weight"], seed=0), nl.ws_sne_layout(G, weight="weight", seed=0)
    assert rows(G, by_map).tolist() == rows(G, by_name).tolist() != rows(G, nl.ws_sne_layout(G, weight=flat)).tolist()
    assert graphs.read(G, weight=G.ep["weight"]).adjacency.sum() == graphs.read(G).adjacency.sum()
    mass = G.new_vertex_property("double", vals=np.arange(1.0, N + 1))
    by_map, by_array = (rows(G, nl.ws_sne_layout(G, seed=0, mass=m, max_iter=2)) for m in (mass, np.arange(1.0, N + 1)))
    assert by_map.tolist() == by_array.tolist()
    G.vp["age"] = mass
    assert graphs.read(G).host.values("age", "mass").tolist() == list(range(1, N + 1))
    with pytest.raises(InputError, match="did you mean 'age'"):
        graphs.read(G).host.values("agee", "mass")
    words = G.new_edge_property("string", vals=["far"] * len(EDGES))
    with pytest.raises(InputError, match=r"edge \(0, 1\) has weight 'far'"):
        graphs.read(G, weight=words)


def test_graph_tool_views_are_drawn_as_they_are_filtered(graph_tool):
    G = in_graph_tool()
    view = graph_tool.GraphView(G, vfilt=lambda v: int(v) not in {0, 5})
    assert nodes(view) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]
    whole = nl.ws_sne_layout(G, seed=0)
    kept = nl.ws_sne_layout(view, whole, max_iter=0)
    assert rows(view, kept).tolist() == rows(G, whole)[nodes(view)].tolist()
    empty = G.new_vertex_property("vector<double>")
    assert graphs.places(empty).given == {}
    assert rows(G, nl.ws_sne_layout(G, empty, seed=0)).tolist() == rows(G, whole).tolist()


# pandas


def test_tables_are_read_as_files_of_edges_are(tmp_path):
    table = pandas.DataFrame({"kind": list("xyxy"), "Src": list("abca"), "Dst": list("bcab"), "weight": [1.0, 2, 3, 4]})
    table.to_csv(tmp_path / "t.csv", index=False)
    for weight in ("weight", None):
        file = files.read_graph(tmp_path / "t.csv")
        ours, theirs = graphs.read(table, weight), graphs.read(file.graph, weight)
        assert ours.labels == theirs.labels == ["a", "b", "c"]
        assert ours.adjacency.toarray().tolist() == theirs.adjacency.toarray().tolist()
    assert graphs.read(table, None).notes == ("1 repeated edges count once",)


def test_a_table_gives_a_table_indexed_by_node():
    table = pandas.DataFrame({"source": ["b", "a", "c"], "target": ["a", "c", "d"]})
    pos = nl.ws_sne_layout(table, seed=0, dim=3)
    assert list(pos.index) == ["b", "a", "c", "d"]
    assert list(pos.columns) == ["x", "y", "z"]
    nodes = pandas.DataFrame({"club": ["x", "y"]}, index=["a", "b"]).join(pos)
    assert nodes.loc["a", "x"] == pos.loc["a", "x"]
    held = nl.ws_sne_layout(table, nodes[["club", "x", "y"]], ["a", "b"], seed=0)
    assert held.loc[["a", "b"]].to_numpy().tolist() == pos.loc[["a", "b"], ["x", "y"]].to_numpy().tolist()
    G = nx.Graph([("b", "a"), ("a", "c")])
    assert nl.ws_sne_layout(G, pos[["x", "y"]], max_iter=0)["c"].tolist() == pos.loc["c", ["x", "y"]].tolist()
    masses = pandas.Series({"d": 4.0, "a": 1.0, "b": 2.0, "c": 3.0})
    assert graphs.read(table).host.values(masses, "mass").tolist() == [2, 1, 3, 4]


def test_a_table_that_is_none_of_edges_names_its_columns():
    said = r"columns 'a', 'b', 'c', which do not name .* df\.rename\(columns=\{'a': 'source'"
    with pytest.raises(InputTypeError, match=said):
        nl.ws_sne_layout(pandas.DataFrame({"a": [1], "b": [2], "c": [3]}))
    with pytest.raises(InputTypeError, match=r"the columns \(none\)"):
        nl.ws_sne_layout(pandas.DataFrame())
    with pytest.raises(InputTypeError, match="0, 1, 2, 3, 4, 5, 6, 7 and 2 more"):
        nl.ws_sne_layout(pandas.DataFrame(np.eye(10)))
    holes = pandas.DataFrame({"source": ["a", None], "target": ["b", "c"]}, index=[7, 8])
    with pytest.raises(InputError, match=r"the row 8 has no node at an end \(1 of 2 rows\)"):
        nl.ws_sne_layout(holes)
    missing = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, None]})
    with pytest.raises(InputError, match=r"edge \('b', 'c'\) has weight nan"):
        nl.ws_sne_layout(missing)
    seats = missing.rename(columns={"weight": "seats"}).fillna(2.0)
    assert "weight='seats' would use the numbers there" in graphs.read(seats).notes[0]
    assert len(nl.ws_sne_layout(pandas.DataFrame({"source": [], "target": []}))) == 0


# what is no graph, and graphs of another day


def test_the_error_for_another_object_lists_what_is_taken_and_how_to_get_there():
    class Data:
        pass

    with pytest.raises(InputTypeError, match="is not a graph; allowed are networkx graphs") as caught:
        nl.ws_sne_layout(Data())
    for package in graphs.HOSTS:
        assert package.replace("arrays", "NumPy arrays") in str(caught.value)
    assert "networkx.Graph([(u, v), ...])" in str(caught.value)
    Data.__module__ = "torch_geometric.data.data"
    with pytest.raises(InputTypeError, match=r"torch_geometric\.utils\.to_networkx\(data\) gives a networkx graph"):
        nl.ws_sne_layout(Data())


def test_a_graph_of_another_version_says_so(graph_tool, monkeypatch):
    G = in_graph_tool()
    monkeypatch.setattr(graph_tool, "__version__", "9.99")
    monkeypatch.delattr(graph_tool.Graph, "get_edges")
    with pytest.raises(InputTypeError, match=r"cannot be read: .*get_edges.* 9\.99\).*allowed are networkx graphs"):
        nl.ws_sne_layout(G)


@pytest.mark.parametrize("heading", ["distance", "length_m", "p_value"])
def test_a_column_of_a_table_with_the_heading_of_a_length_holds_distances(heading):
    table = pandas.DataFrame({"source": list("abcc"), "target": list("bcda"), heading: [10.0, 500.0, 340.0, 510.0]})
    found = graphs.read(table)
    assert [found.adjacency[0, 1], found.adjacency[2, 3]] == pytest.approx([34, 1])
    assert found.lengths
    assert any(f"the column {heading!r} is read as distances" in note for note in found.notes)
    near = graphs.read(table, weight_kind="similarity")
    assert (near.adjacency[0, 1], near.lengths) == (10, False)
    assert graphs.read(table, heading).adjacency[0, 1] == 10
    assert any("are read as similarities" in note for note in graphs.read(table, heading).notes)
    assert set(graphs.read(table, None).adjacency.data) == {1}
    assert set(graphs.read(table.assign(weight=1.0)).adjacency.data) == {1}
    assert set(graphs.read(table.assign(**{heading: [0.0, 1, 2, 3]})).adjacency.data) == {1}


def test_hops_count_edges_and_a_table_of_lengths_has_none():
    table = pandas.DataFrame({"source": list("abc"), "target": list("bca"), "km": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="hops must be None for weight_kind='distance'"):
        nl.layout(table, "tsne", affinity="hops", hops=2)


@pytest.mark.parametrize("directed", [False, True])
def test_an_adjacency_frame_is_read_by_its_names(directed):
    A = np.array([[0.0, 2, 0, 0], [2, 0, 5, 0], [0, 5, 0, 0], [0, 0, 0, 0]])
    A[0, 2] = 7 * directed
    frame = pandas.DataFrame(A, list("abcd"), list("abcd"))
    expected = graphs.read(A).adjacency.toarray()
    for order in ("abcd", "dacb"):
        found = graphs.read(frame[list(order)])
        assert (found.labels, found.directed) == (list("abcd"), directed)
        assert np.array_equal(found.adjacency.toarray(), expected)
    holes = graphs.read(frame.mask(frame == 0)[list("cabd")])
    assert np.array_equal(holes.adjacency.toarray(), expected)
    pos = nl.layout(frame[list("dacb")], seed=0)
    assert list(pos.index) == list("abcd")
    numbered = frame.set_axis([3, 1, 2, 0]).set_axis([3, 1, 2, 0], axis=1)[[0, 1, 2, 3]]
    assert np.array_equal(graphs.read(numbered).adjacency.toarray(), expected)
    assert graphs.read(numbered).labels == [3, 1, 2, 0]


def test_frames_that_are_no_table_of_edges_say_what_to_do():
    weights = pandas.DataFrame([["a", "b", 1.0, 2.0]], columns=["source", "target", "weight", "weight"])
    with pytest.raises(InputError, match=r"must have the heading 'weight' once; got it 2 times\. Rename or drop"):
        nl.layout(weights)
    assert len(nl.layout(weights, weight=None)) == 2
    inside = pandas.DataFrame({"source": ["a"], "target": ["b"], "n": [1]}).set_index(["source", "target"])
    with pytest.raises(ValueError, match=r"the ends in the index. Make columns of them: df.reset_index\(\)"):
        nl.layout(inside)
    with pytest.raises(ValueError, match="has the same names in its index and its columns"):
        nl.layout(pandas.DataFrame(np.eye(4)))
