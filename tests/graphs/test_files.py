"""Every format reads back what was written, broken files say what and where, outputs appear whole."""

import gzip
import inspect
import io
import json
import os
import sys
from contextlib import suppress

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from workbooks import workbook

import nelayout as nl
from nelayout.errors import InputError
from nelayout.graphs import files, read
from nelayout.graphs.files import (
    atomic,
    check_output,
    output_format,
    read_graph,
    read_positions,
    sniff,
    write_positions,
)
from nelayout.graphs.files.arrow import encode_columns
from nelayout.graphs.files.record import Limits


def dense(file):
    """The weights that a file's graph stands for, nodes in the order of their labels' text."""
    order = np.argsort([str(label) for label in file.labels])
    return read(file.graph).adjacency.toarray()[np.ix_(order, order)]


@pytest.fixture
def write(tmp_path):
    def to_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to_file


def example(directed=False):
    G = (nx.DiGraph if directed else nx.Graph)()
    G.add_node("b", club="x", age=3)
    G.add_node("a, c", club="y", age=4)
    G.add_node("ü", club="x", age=5)
    G.add_node("alone", club="z", age=6)
    G.add_weighted_edges_from([("ü", "b", 2.5), ("a, c", "b", 1.0)])
    return G


POSITIONS = {"b": (0.1, 1 / 3), "a, c": (-1e-17, 2.0), "ü": (3.0, 1e300), "alone": (4.0, -5.0)}


# reading what others write


@pytest.mark.parametrize("name", ["g.graphml", "g.gexf", "g.gml", "g.net"])
@pytest.mark.parametrize("directed", [False, True])
def test_reads_what_networkx_writes(tmp_path, name, directed):
    G, path = example(directed), tmp_path / name
    if name == "g.net":
        for attributes in G.nodes.values():
            attributes.clear()  # networkx writes no numbers there
    getattr(nx, "write_pajek" if name == "g.net" else f"write_{path.suffix[1:]}")(G, path)
    file = read_graph(path)
    assert file.graph.is_directed() == directed
    order = np.argsort([str(v) for v in G])
    assert np.array_equal(dense(file), read(G).adjacency.toarray()[np.ix_(order, order)])
    assert dict(file.graph.nodes(data="club")) == dict(G.nodes(data="club"))


def test_long_edge_lists_become_matrices(write, monkeypatch):
    path = write("a.csv", "a,b\nb,c\nc,c\na,b\n")
    small = read_graph(path)
    monkeypatch.setattr("nelayout.graphs.files.record.LIMITS", Limits(networkx_edges=1))
    large = read_graph(path)
    assert sp.issparse(large.graph)
    assert large.labels == small.labels == ["a", "b", "c"]
    assert np.array_equal(dense(large), dense(small))
    assert np.array_equal(large.graph.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 1]])


PAJEK = """% a comment
*Network example
*Vertices 4
1 "St Mary's" 0.1 0.2 0.5 ic Red
2 "b" 0.3 0.4
3 c
4
*Edges
1 2 2.5
*Arcslist
3 1 2
*Partition clubs
*Vertices 4
1
"""


def test_pajek_sections(write):
    file = read_graph(write("a.net", PAJEK))
    assert file.labels == ["St Mary's", "b", "c", "4"]
    assert file.graph.is_directed()
    assert file.node_data["x"] == [0.1, 0.3, None, None]
    weights = read(file.graph).adjacency.toarray()
    assert np.array_equal(weights, [[0, 2.5, 1, 0], [2.5, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    twins = read_graph(write("t.net", '*Vertices 2\n1 "a"\n2 "a"\n*Edgeslist\n1 2\n'))
    assert twins.labels == [1, 2]
    assert twins.node_data["label"] == ["a", "a"]
    assert "labels appear more than once" in twins.notes[0]


def test_npz_of_every_kind(tmp_path):
    matrix = np.array([[0, 1.5, 0], [1.5, 0, 1], [0, 1, 0]])
    shared = tmp_path / "shared.npz"
    data = {"labels": [0, 1, -1], "label_names": ["x", "y"], "coords": [[0, 1], [2, 3], [np.nan, np.nan]]}
    np.savez(shared, rows=[0, 2], cols=[1, 1], n=3, weights=[1.5, 1.0], names=["a", "b", "c"], **data)
    file = read_graph(shared)
    assert np.array_equal(file.graph.toarray(), matrix)
    assert file.labels == ["a", "b", "c"]
    assert file.node_data["labels"].tolist() == [0, 1, -1]
    assert file.node_data["label_names"].tolist() == ["x", "y"]
    assert {v: p.tolist() for v, p in read_positions(shared).items()} == {"a": [0, 1], "b": [2, 3]}
    sp.save_npz(tmp_path / "sparse.npz", sp.csr_array(matrix))
    assert np.array_equal(read_graph(tmp_path / "sparse.npz").graph.toarray(), matrix)
    np.savez(tmp_path / "dense.npz", A=matrix)
    assert np.array_equal(read_graph(tmp_path / "dense.npz").graph.toarray(), matrix)


# real files


@pytest.mark.full
def test_shared_files(shared_data):
    sizes = {
        "dolphins.gml": (62, 159), "football.gml": (115, 613), "kdl.gml": (754, 895), "lesmis.graphml": (77, 254),
        "usair97.net": (332, 2126), "facebook_combined.txt": (4039, 88234), "luxembourg_osm.mtx.gz": (114599, 119666),
    }  # fmt: skip
    for name, (n, m) in sizes.items():
        file = read_graph(shared_data / "files" / name)
        network = read(file.graph, weight=None)
        assert (len(file.labels), network.adjacency.nnz // 2, network.directed) == (n, m, False), name


def test_shared_files_have_the_names_and_columns_of_the_file(shared_data):
    folder = shared_data / "files"
    football = read_graph(folder / "football.gml")
    assert football.labels[0] == "BrighamYoung"
    assert football.node_data["value"][:4] == [7, 0, 2, 3]
    kdl = read_graph(folder / "kdl.gml")
    assert kdl.node_data["label"][:2] == ["Rolla", "Sedalia"]
    assert kdl.labels[:2] == [0, 1]
    assert "named by their ids" in kdl.notes[0]
    air = read_graph(folder / "usair97.net")
    assert "St Mary's" in air.labels
    assert "weight='value'" in read(read_graph(folder / "lesmis.graphml").graph).notes[0]


# formats and standard input


SAMPLES = {
    "sif": "a pp b\n",
    "graphml": '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph id="G" '
    'edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>',
    "gexf": '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph><nodes><node id="a"/>'
    '<node id="b"/></nodes><edges><edge id="0" source="a" target="b"/></edges></graph></gexf>',
    "gml": 'Creator "me"\ngraph [\n node [ id 0 label "a" ]\n node [ id 1 label "b" ]\n'
    " edge [ source 0 target 1 ]\n]\n",
    "pajek": '*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2\n',
    "mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
    "edgelist": "# two nodes\na b\n",
    "json": '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}',
    "cytoscape": '{"format_version": "1.0", "data": {"name": "two"}, "elements": {"nodes": [{"data": {"id": "a"}}, '
    '{"data": {"id": "b"}}], "edges": [{"data": {"id": "e", "source": "a", "target": "b"}}]}}',
    "graphology": '{"attributes": {}, "nodes": [{"key": "a", "attributes": {}}, {"key": "b", "attributes": {}}], '
    '"edges": [{"key": "e", "source": "a", "target": "b", "undirected": true}]}',
}


def npz_sample():
    buffer = io.BytesIO()
    np.savez(buffer, rows=[0], cols=[1], n=2)
    return buffer.getvalue()


def content_of(name):
    if name == "xlsx":
        return workbook({"Sheet1": [["source", "target"], ["a", "b"]]})
    if name in ("arrow", "parquet"):
        pytest.importorskip("pyarrow")
        return encode_columns({"source": ["a"], "target": ["b"]}, name)
    return npz_sample() if name == "npz" else SAMPLES[name].encode()


TOLD = [name for name in files.FORMATS if name != "sif"]  # the content says which format it is


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("compress", [False, True])
def test_standard_input_is_sniffed_and_said(monkeypatch, name, compress):
    content = gzip.compress(content_of(name)) if compress else content_of(name)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    file = read_graph("-")
    assert file.format == name
    assert file.notes[-1] == f"standard input is read as {name}"
    assert np.array_equal(dense(file), [[0, 1], [1, 0]])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_graph("-", format=name).notes == ()


@pytest.mark.parametrize("ending", files.EXTENSIONS)
def test_every_ending_reads_its_format(write, ending):
    name = files.EXTENSIONS[ending]
    content = b"a\tb\n" if ending == "tsv" else b"a,b\n" if ending == "csv" else content_of(name)
    for path in (write(f"g.{ending}", content), write(f"G.{ending.upper()}.GZ", gzip.compress(content))):
        file = read_graph(path)
        assert file.format == name
        assert np.array_equal(dense(file), [[0, 1], [1, 0]])
    assert np.array_equal(dense(read_graph(write("unnamed", content), format=ending)), [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        ("source,target,k,n\na,b,x,3\n", []),
        ("source,target,k,weight,k\na,b,x,3,y\n", ["columns 'k' and 'k' are not read"]),
        ("source,target,weight\na,b,3\n", []),
        ("A,B,C\na,b,3\n", ["the first row, 'A', 'B', 'C', is read as a header", "the column 'C' is read as weight"]),
        ("1 2 3 900\n", ["the third column is read as weight", "column 4 is not read"]),
        ("a b\n", []),
    ],
)
def test_what_is_read_of_a_table_is_said(write, content, notes):
    assert list(read_graph(write("edges.csv", content)).notes) == notes


@pytest.mark.parametrize("truth", TOLD)
@pytest.mark.parametrize("name", TOLD)
def test_a_file_that_is_not_what_its_name_says(write, name, truth):
    if name == truth or {name, truth} <= files.JSON:  # the forms of files.JSON are told apart by their content
        return
    path = write(f"wrong.{name}", content_of(truth))
    with pytest.raises(InputError, match=r"wrong\.") as caught:
        read_graph(path)
    assert f'it looks like {truth}: say format="{truth}"' in str(caught.value)


# broken files


PATH = nx.path_graph(2)
# What is asked of a folder with dolphins.gml and a folder folder.gml in it -> what is said.
MISPLACED = [
    (lambda at: read_graph(at / "dolphin.gml"), r"did you mean .*dolphins\.gml"),
    (lambda at: read_graph(at / "dolphins.graphml"), r"did you mean .*dolphins\.gml"),
    *(
        (lambda at, far=far: read_graph(at / far), r"there is no file '.*'; check the name and the folder")
        for far in ("dolls.gml", "examples.gml", "d.gml")
    ),
    (lambda at: read_graph(at / "no" / "dolphins.gml"), r"folder .* does not exist"),
    (lambda at: read_graph(at / "folder.gml"), "is a folder"),
    (lambda at: read_graph(at / "a.grapml"), "did you mean 'graphml'"),
    (lambda at: read_graph(at / "graph"), "no ending"),
    (lambda at: read_graph(at / "a.gml", format="excel"), "unknown file format 'excel'"),
    (lambda at: write_positions(at / "a.jsn", PATH, np.eye(2)), "unknown output format 'jsn': did you mean 'json'"),
    (lambda at: output_format("-"), "named for standard output"),
    (lambda at: check_output(at / "no" / "out.json"), r"folder .* does not exist; make it first"),
    (check_output, "is a folder"),
]


@pytest.mark.parametrize(("call", "said"), MISPLACED)
def test_names_of_files_that_cannot_be(tmp_path, call, said):
    (tmp_path / "dolphins.gml").write_text("x")
    (tmp_path / "folder.gml").mkdir()
    with pytest.raises(InputError, match=said):
        call(tmp_path)


def test_formats_of_outputs_and_of_unknown_contents():
    assert output_format("a.SVG", allowed=["svg"]) == "svg"
    assert output_format("-", "csv") == "csv"
    assert output_format("web.of.json") == "json"
    assert sniff(b"\x00\x01\x02") is sniff(b"hello") is None


# writing


# Pajek's coordinates are in the unit square: see test_pajek_has_the_drawing_in_its_unit_square.
EXACT = [name for name in files.WRITERS if name != "pajek"]


def test_json_is_node_link(tmp_path):
    M = nx.MultiGraph([((0, 1), "b", {"weight": np.float32(2)}), ("b", (0, 1))])
    M.nodes["b"]["tags"] = {"x"}
    path = tmp_path / "out.json"
    write_positions(path, M, {(0, 1): (0, 0), "b": (1, 2)})
    ends = {"source": [0, 1], "target": "b"}
    assert json.loads(path.read_text()) == {
        "directed": False, "multigraph": True, "graph": {},
        "edges": [{"weight": 2.0, "key": 0, **ends}, {"key": 1, **ends}],
        "nodes": [{"id": [0, 1], "x": 0.0, "y": 0.0}, {"tags": "{'x'}", "id": "b", "x": 1.0, "y": 2.0}],
    }  # fmt: skip


def test_csv_is_a_table(tmp_path):
    path = tmp_path / "out.csv"
    write_positions(path, example(), POSITIONS)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["node,x,y", "b,0.1,0.3333333333333333", '"a, c",-1e-17,2.0']


# Attributes whose names mean something in one of the formats, or beside positions.
AWKWARD = ("id", "label", "name", "x", "y", "z", "positions", "coords", "viz", "pid", "parents", "spells", "key", "for")


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("value", [7, "seven"])
def test_no_attribute_hides_names_or_positions(tmp_path, name, dim, value):
    if (name, dim) == ("cytoscape", 1):
        pytest.skip("a place in Cytoscape has an x and a y")
    for attribute in AWKWARD:
        G = nx.MultiGraph([("a", "b"), ("b", "c")])
        nx.set_node_attributes(G, {node: f"{value} {node}" if value == "seven" else value for node in G}, attribute)
        nx.set_edge_attributes(G, value, attribute)
        pos = {node: (k + 0.5 + np.arange(dim)).tolist() for k, node in enumerate(G)}
        write_positions(tmp_path / f"out.{name}", G, pos)
        assert {v: p.tolist() for v, p in read_positions(tmp_path / f"out.{name}").items()} == pos, attribute
        if name not in files.POSITIONS:
            assert read_graph(tmp_path / f"out.{name}").labels == ["a", "b", "c"], attribute


def test_attributes_that_are_no_positions_are_named(write):
    path = write("g.json", '{"nodes": [{"id": "a", "x": "left"}], "edges": []}')
    with pytest.raises(InputError, match=r"g\.json holds no positions: its attributes x, y or coords are not numbers"):
        read_positions(path)


@pytest.mark.parametrize("name", EXACT)
def test_matrices_and_igraph_are_written_too(tmp_path, name):
    matrix = np.array([[0, 2.0, 0], [2, 0, 1], [0, 1, 0]])
    Y = np.array([[0, 1.0], [2, 3], [4, 5]])
    write_positions(tmp_path / f"m.{name}", sp.csr_array(matrix), Y)
    assert [p.tolist() for p in read_positions(tmp_path / f"m.{name}").values()] == Y.tolist()
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph([(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"]}, edge_attrs={"weight": [2, 1]})
    write_positions(tmp_path / f"i.{name}", G, igraph.Layout(Y.tolist()))
    found = {v: p.tolist() for v, p in read_positions(tmp_path / f"i.{name}").items()}
    assert found == dict(zip("abc", Y.tolist(), strict=True))
    if name not in files.POSITIONS:
        assert np.array_equal(dense(read_graph(tmp_path / f"m.{name}")), matrix)
        assert np.array_equal(dense(read_graph(tmp_path / f"i.{name}")), matrix)


def test_labels_of_a_file_travel_to_the_output(tmp_path):
    np.savez(tmp_path / "in.npz", rows=[0, 1], cols=[1, 2], n=3, names=["a", "b", "c"], labels=[5, 5, 6])
    file = read_graph(tmp_path / "in.npz")
    write_positions(tmp_path / "out.json", file, np.zeros((3, 2)))
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["nodes"][2] == {"labels": 6, "id": "c", "x": 0.0, "y": 0.0}
    assert data["edges"][0] == {"source": "a", "target": "b"}  # no weights where all are 1


def test_wrong_positions_are_named_and_nothing_is_written(tmp_path):
    for pos, message in [
        ({"b": (0, 0)}, "node 'a, c' has no position"),
        ({**POSITIONS, "b": (0, 0, 0)}, "dim"),
        ({**POSITIONS, "b": (0, float("nan"))}, "finite"),
    ]:
        with pytest.raises(InputError, match=message):
            write_positions(tmp_path / "out.json", example(), pos)
    with pytest.raises(InputError, match="is not a graph"):
        write_positions(tmp_path / "out.json", [1, 2], POSITIONS)
    assert list(tmp_path.iterdir()) == []


def test_standard_output(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    write_positions("-", nx.path_graph(2), {0: (0, 1), 1: (2, 3)}, format="csv")
    assert out.buffer.getvalue() == b"node,x,y\n0,0.0,1.0\n1,2.0,3.0\n"


def test_output_is_not_the_input(tmp_path, monkeypatch):
    path = tmp_path / "g.json"
    write_positions(path, nx.path_graph(2), {0: (0, 0), 1: (1, 1)})
    before = path.read_bytes()
    (tmp_path / "link.json").symlink_to(path)
    os.link(path, tmp_path / "hard.json")
    monkeypatch.chdir(tmp_path)
    for other in (path, "g.json", "./g.json", "link.json", "hard.json", tmp_path / ".." / tmp_path.name / "g.json"):
        with pytest.raises(InputError, match="is the input file"):
            write_positions(other, nx.path_graph(2), {0: (5, 5), 1: (6, 6)}, source=path)
    assert path.read_bytes() == before
    check_output("-", "-")
    check_output("new.json", "-", path)


def test_atomic_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.svg"
    path.write_text("old")
    for error, content in ((KeyboardInterrupt(), "old"), (None, "new")):
        with suppress(KeyboardInterrupt), atomic(path) as temporary:
            assert (temporary.suffix, temporary.parent) == (".svg", tmp_path)
            temporary.write_text("new")
            assert path.read_text() == "old"
            if error is not None:
                raise error
        assert [p.name for p in tmp_path.iterdir()] == ["out.svg"]
        assert path.read_text() == content
    plain = tmp_path / "plain"
    plain.write_text("")
    assert path.stat().st_mode == plain.stat().st_mode


def test_atomic_follows_links_and_leaves_devices(tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    with atomic(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    with atomic(os.devnull) as temporary:
        temporary.write_text("gone")
    assert not os.path.isfile(os.devnull)  # noqa: PTH113  # a name of the os module, not a path of ours
    assert os.path.exists(os.devnull)  # noqa: PTH110  # see above


@pytest.mark.parametrize("matrix", [False, True])
def test_every_function_takes_what_read_graph_returns(tmp_path, matrix):
    nx.write_edgelist(nx.cycle_graph(8), tmp_path / "g.edges", data=False)
    scipy.io.mmwrite(tmp_path / "g.mtx", sp.coo_array(nx.to_scipy_sparse_array(nx.cycle_graph(8))))
    file = read_graph(tmp_path / ("g.mtx" if matrix else "g.edges"))
    pos = nl.layout(file, seed=0)
    functions = {name: getattr(nl, name) for name in dir(nl) if inspect.isfunction(getattr(nl, name))}
    names = [name for name, function in functions.items() if "G" in inspect.signature(function).parameters]
    assert {"layout", "estimate", "measure", "compare", "draw", "explore", "add_nodes"} <= set(names)
    for name in names:
        required = [p.name for p in inspect.signature(functions[name]).parameters.values() if p.default is p.empty]
        given = {"pos": pos, "method": "ws-sne", "drawings": {"one": pos, "two": pos}}
        arguments = [given[each] for each in required[1:] if each in given]
        functions[name](file, *arguments)
    assert len(nl.layout_sequence([file, file], seed=0).positions) == 2
