"""Names of nodes and missing values: one rule for all tables."""

from __future__ import annotations

import json
from contextlib import nullcontext

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.graphs.files import WRITERS, read_graph, read_positions, write_positions
from nelayout.graphs.files.arrow import encode_columns
from nelayout.graphs.files.opening import load
from nelayout.vectors.tables import read_table

# Names that are different as text; some are equal as numbers.
CODES = {
    "postal codes": ["01001", "1001", "2138", "02138"],
    "points": ["1", "1.0", "2", "2.50"],
    "signs": ["1", "+1", "-0", "0"],
    "powers": ["1e2", "100", "1E2", "7"],
    "underscores": ["1_1", "11", "2", "3"],
    "digits of another script": ["1", "\u0661", "2", "3"],
    "agents": ["007", "7", "0", "00"],
    "beyond exact floats": ["9007199254740993", "9007199254740992", "1", "2"],
}


@pytest.mark.parametrize(
    "form", ["{},{}\n", "{} {}\n", '"{}";"{}"\n', "{}\t{}\t0.5\n", "{},{},1e-05\n", "{} {} {{}}\n"]
)
@pytest.mark.parametrize("kind", CODES)
def test_names_of_an_edge_list_stay_apart_and_are_text(tmp_path, kind, form):
    names = CODES[kind]
    path = tmp_path / "edges.txt"
    path.write_text("".join(form.format(u, v) for u, v in zip(names, names[1:] + names[:1], strict=True)), "utf-8")
    assert sorted(read_graph(path, source="1", target="2").labels) == sorted(names)


@pytest.mark.parametrize("form", ["{},{}\n", "{} {}\n", '"{}";"{}"\n', "{},{},0.5\n", "{},{},1e-05\n", "{},{},-0.5\n"])
def test_plain_whole_numbers_are_integers(tmp_path, form):
    path = tmp_path / "edges.txt"
    path.write_text("".join(form.format(u, v) for u, v in [(10, -3), (-3, 0), (0, 1001)]))
    assert list(read_graph(path, source="1", target="2").labels) == [-3, 0, 10, 1001]


@pytest.mark.parametrize("kind", CODES)
def test_names_survive_a_matrix_a_table_of_nodes_and_positions(tmp_path, kind):
    names = CODES[kind]
    matrix, nodes, edges, out = (tmp_path / f"{word}.csv" for word in ("matrix", "nodes", "edges", "out"))
    matrix.write_text("\n".join([",".join(["", *names]), *(f"{name},0,1,1,0" for name in names)]), "utf-8")
    assert list(read_graph(matrix).labels) == names
    edges.write_text("".join(f"{u},{v}\n" for u, v in zip(names, names[1:] + names[:1], strict=True)), "utf-8")
    nodes.write_text("name,group\n" + "".join(f"{name},{k}\n" for k, name in enumerate(names)), "utf-8")
    file = read_graph(edges, nodes=nodes, source="1", target="2")
    assert file.node_data["group"] == [names.index(label) for label in file.labels]
    write_positions(out, file, {name: (k, 1.0) for k, name in enumerate(names)})
    assert {name: place[0] for name, place in read_positions(out).items()} == dict(zip(names, range(4), strict=True))


def test_codes_beside_rows_and_nodes_stay_text(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y,zip\n1,2,01001\n2,3,1001\n3,5,\n")
    table = read_table(load(path), "csv", ["x", "y"], {"--color": "zip"})
    assert table.beside["--color"].values == ["01001", "1001", None]


MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "None", "NULL", "<NA>", "NaT", "#N/A")


@pytest.mark.parametrize("word", MISSING)
def test_a_missing_end_is_left_out_with_a_note_and_a_missing_weight_is_1(tmp_path, word):
    path = tmp_path / "edges.csv"
    path.write_text(f"source,target,weight\na,b,2\nb,{word},3\nb,c,{word}\n{word},c,1\n")
    file = read_graph(path)
    assert sorted(file.graph.edges(data="weight")) == [("a", "b", 2.0), ("b", "c", 1.0)]
    assert "2 rows without a name at an end left out (line 3, 5)" in file.notes
    assert "1 weight missing: such edges weigh 1" in file.notes


@pytest.mark.parametrize("word", MISSING)
def test_missing_values_beside_rows_and_nodes_are_none(tmp_path, word):
    rows, nodes, edges = tmp_path / "rows.csv", tmp_path / "nodes.csv", tmp_path / "edges.csv"
    rows.write_text(f"x,y,kind\n1,2,{word}\n2,3,b\n")
    assert read_table(load(rows), "csv", ["x", "y"], {"--color": "kind"}).beside["--color"].values == [None, "b"]
    rows.write_text(f"x,y\n1,2\n2,{word}\n")
    with pytest.raises(InputError, match="line 3: the column 'y' has no value"):
        read_table(load(rows), "csv")
    edges.write_text("a,b\nb,c\n")
    nodes.write_text(f"name,size\na,1\nb,{word}\n")
    assert read_graph(edges, nodes=nodes).node_data["size"] == [1, None, None]
    nodes.write_text(f"name,size\na,1\n{word},2\n")
    with pytest.raises(InputError, match="line 3: a node has no name"):
        read_graph(edges, nodes=nodes)


@pytest.mark.parametrize("ends", [["a", None, ""], [1.0, None, float("nan")]])
def test_a_missing_end_in_a_parquet_file_is_left_out(tmp_path, ends):
    pytest.importorskip("pyarrow")
    path = tmp_path / "edges.parquet"
    path.write_bytes(encode_columns({"source": ends, "target": ends[:1] * 3}, "parquet"))
    file = read_graph(path)
    assert len(file.labels) == 1
    assert "2 rows without a name at an end left out" in file.notes


def test_missing_ends_in_a_frame_are_an_error():
    pd = pytest.importorskip("pandas")
    for missing in (None, np.nan, pd.NA, pd.NaT, ""):
        frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", missing]})
        with pytest.raises(InputError, match=r"the row 1 has no node at an end \(1 of 2 rows\)"):
            read(frame)


def test_whole_numbers_and_texts_of_a_frame_are_the_same_names():
    pd = pytest.importorskip("pandas")
    network = read(pd.DataFrame({"source": [1, 2, 3], "target": ["2", "3", "x"]}))
    assert network.labels == ["1", "2", "3", "x"]
    assert any("are one node" in note for note in network.notes)


def test_numbers_of_two_types_in_a_frame_are_the_same_names():
    pd = pytest.importorskip("pandas")
    network = read(pd.DataFrame({"source": [1.0, 2.0, 2.5], "target": ["2", "x", "1"]}))
    assert network.labels == ["1", "2", "x", 2.5]
    assert any("1.0 and '1' are one node" in note for note in network.notes)
    assert read(pd.DataFrame({"source": [1, 2], "target": ["a", "b"]})).labels == [1, "a", 2, "b"]


@pytest.mark.parametrize(
    "names", [*CODES.values(), ["'a'", "a", "'b", '"c"'], ["#1", "%", "x;y", " z "], [3, -7, 0, 12]]
)
@pytest.mark.parametrize("kind", ["csv", "json", "npz", "parquet"])
def test_positions_are_read_back_with_the_names_that_were_written(tmp_path, kind, names):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    path, pos = tmp_path / f"pos.{kind}", {name: (k, 1.0) for k, name in enumerate(names)}
    write_positions(path, nx.empty_graph(names), pos)
    assert {name: tuple(place) for name, place in read_positions(path).items()} == pos


@pytest.mark.parametrize("kind", ["csv", "npz", "parquet"])
def test_two_nodes_of_one_text_are_not_written_as_one(tmp_path, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match=f"the nodes 1 and '1' are both called '1' in {kind}"):
        write_positions(tmp_path / f"pos.{kind}", nx.Graph([(1, "1")]), {1: (0, 0), "1": (1, 1)})
    assert list(tmp_path.iterdir()) == []


def test_the_command_finds_the_positions_of_codes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for names in CODES.values():
        G = nx.cycle_graph(names)
        write_positions("g.json", G, {name: (k, k * k) for k, name in enumerate(names)})
        assert main(["draw", "g.json", "--pos", "g.json", "-o", "p.csv"]) == 0
        assert main(["draw", "g.json", "--pos", "p.csv", "-o", "q.csv"]) == 0
        assert (tmp_path / "p.csv").read_text() == (tmp_path / "q.csv").read_text()
    assert capsys.readouterr().err == ""


EMPTY = {
    "graphml": (
        '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>'
        '<edge source="a" target="b"/><edge source="b" target=""/><edge source=" " target="c"/></graph></graphml>'
    ),
    "gexf": (
        '<gexf><graph><nodes><node id="a"/><node id="b"/><node id="c"/></nodes><edges><edge source="a" target="b"/>'
        '<edge source="b" target=""/><edge source="" target="c"/></edges></graph></gexf>'
    ),
    "json": (
        '{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": [{"source": "a", "target": "b"}, '
        '{"source": "b", "target": ""}, {"source": null, "target": "c"}]}'
    ),
    "cyjs": (
        '{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"id": "c"}}], "edges": ['
        '{"data": {"source": "a", "target": "b"}}, {"data": {"source": "b", "target": ""}}, '
        '{"data": {"source": "c", "target": NaN}}]}}'
    ),
}


@pytest.mark.parametrize("ending", EMPTY)
def test_an_empty_end_makes_no_node(tmp_path, ending):
    path = tmp_path / f"g.{ending}"
    path.write_text(EMPTY[ending])
    file = read_graph(path)
    assert (list(file.labels), list(file.graph.edges())) == (["a", "b", "c"], [("a", "b")])
    assert "2 edges without a name at an end left out" in file.notes


def test_empty_ends_of_a_list_of_links_make_no_node(tmp_path):
    path = tmp_path / "g.json"
    path.write_text('[{"source": "a", "target": "b"}, {"source": "", "target": "b"}, {"source": "c", "target": null}]')
    file = read_graph(path)
    assert (list(file.labels), file.notes) == (["a", "b"], ("2 edges without a name at an end left out",))


def test_a_node_with_an_empty_name_that_is_in_the_file_stays(tmp_path):
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.Graph([("", "a")]), path)
    assert list(read_graph(path).graph.edges()) == [("", "a")]


LARGE = [2**53 + 1, 2**53 + 3, 7, -(2**61)]


def rounded(text):
    """Parse JSON as JavaScript does: every number is a float."""
    return json.loads(text, parse_int=lambda digits: int(float(digits)))


@pytest.mark.parametrize("kind", ["json", "cytoscape", "graphology"])
def test_names_beyond_exact_floats_survive_a_reader_that_rounds(tmp_path, kind):
    path, G = tmp_path / "g", nx.cycle_graph(LARGE)
    with pytest.warns(UserWarning, match="names are written as text") if kind == "json" else nullcontext():
        write_positions(path, G, dict.fromkeys(G, (0.0, 1.0)), kind)
    edges = {frozenset(map(str, edge)) for edge in G.edges}
    assert {frozenset(map(str, edge)) for edge in read_graph(path, kind).graph.edges} == edges
    if kind == "cytoscape":
        assert set(read_graph(path, kind).labels) == set(LARGE)
    data = rounded(path.read_text())
    listed = data.get("elements", data)["edges"]
    assert {frozenset(str(x.get("data", x)[end]) for end in ("source", "target")) for x in listed} == edges


def test_ends_that_javascript_rounded_are_refused(tmp_path):
    path = tmp_path / "g.json"
    path.write_text(
        '{"nodes": [{"id": "9007199254740993"}, {"id": "b"}], "links": [{"source": 9007199254740992, "target": "b"}]}'
    )
    with pytest.raises(InputError, match="which does not exist; JavaScript rounds such numbers: write them as text"):
        read_graph(path)


@pytest.mark.parametrize(
    ("head", "rows", "noted"),
    [
        ("user,item", "1,1\n1,2\n2,3\n", True),
        ("customer;product;stars", "11;12;5\n12;11;3\n13;14;2\n", True),
        ("user,item", "1,101\n1,102\n2,103\n", False),
        ("user,item", "ann,bob\nbob,cy\n", False),
        ("source,target", "1,2\n2,1\n", False),
        ("town1,town2", "1,2\n2,1\n", False),
        ("x,y", "1,2\n2,3\n", False),
    ],
)
def test_equal_numbers_under_two_different_headings_are_said(tmp_path, head, rows, noted):
    path = tmp_path / "g.csv"
    path.write_text(f"{head}\n{rows}")
    notes = [note for note in read_graph(path).notes if "equal names are one node" in note]
    assert len(notes) == noted
    if noted:
        assert "bipartite=True makes two nodes of them" in notes[0]
        columns = head.replace(";", ",").split(",")[:2]
        asked = read_graph(path, source=columns[0], target=columns[1])
        assert notes[0] in asked.notes
        table = [row.replace(";", ",").split(",")[:2] for row in rows.split()]
        pytest.importorskip("pyarrow")
        typed = {name: [int(row[k]) for row in table] for k, name in enumerate(columns)}
        path.with_suffix(".parquet").write_bytes(encode_columns(typed, "parquet"))
        assert notes[0] in read_graph(path.with_suffix(".parquet")).notes


# Half a pair of surrogates, as broken JSON has, stands for no letter.
HALVES = ["a\ud83d", "b", "\udc00c"]
KEEPING = ("json", "cytoscape", "graphology", "npz")


@pytest.mark.parametrize("kind", [name for name in WRITERS if name not in ("graphml", "gexf")])
def test_names_with_half_a_pair_of_surrogates_are_written(tmp_path, kind):
    if kind in ("arrow", "parquet"):
        pytest.importorskip("pyarrow")
    path, G = tmp_path / "g", nx.path_graph(HALVES)
    nx.set_edge_attributes(G, HALVES[0], "relation")
    write_positions(path, G, {name: (k, 0.0) for k, name in enumerate(HALVES)}, kind)
    escaped = HALVES if kind in KEEPING else ["a\\ud83d", "b", "\\udc00c"]
    places = read_positions(path, kind)
    assert sorted(places, key=lambda name: places[name][0]) == escaped


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures_of_such_names_are_drawn(tmp_path, kind):
    pytest.importorskip("matplotlib")
    G = nx.path_graph(HALVES)
    pos = {name: (k, k * k) for k, name in enumerate(HALVES)}
    figure = nl.draw(
        G, pos, tmp_path / f"g.{kind}", labels=True, color={name: name for name in HALVES}, title=HALVES[0]
    )
    (ax,) = figure.axes
    assert ax.get_title(loc="center") + ax.get_title(loc="left") == "a\\ud83d"
    assert "a\\ud83d" in [text.get_text().strip() for text in ax.texts]
    assert (tmp_path / f"g.{kind}").stat().st_size > 500


def test_the_command_draws_broken_names_of_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.json").write_text('{"nodes": [{"id": "a\\ud83d"}, {"id": "b"}], "links": []}')
    for out in ("o.csv", "o.json", "o.net", "o.gexf", "o.html"):
        assert main(["layout", "g.json", "-o", out, "--max-iter", "2", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


# columns of two types, rounded numbers, repeated rows

EXACT = 2**53
MIXED = {
    "whole": ([1, 2, 40], ["2", "40", "3"], [1, 2, 3, 40]),
    "words": ([1, 2, 40], ["2", "40", "x"], {"1", "2", "40", "x"}),
    "codes": ([7, 8, 9], ["007", "7", "8"], {"7", "8", "9", "007"}),
}


@pytest.mark.parametrize("case", MIXED)
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_a_column_of_numbers_beside_one_of_text_has_the_names_of_text(tmp_path, kind, case):
    pd = pytest.importorskip("pandas")
    source, target, names = MIXED[case]
    path = tmp_path / f"edges.{kind}"
    if kind == "csv":
        path.write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in zip(source, target, strict=True)))
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        path.write_bytes(encode_columns({"source": source, "target": target}, kind))
    network = read(pd.DataFrame({"source": source, "target": target}) if kind == "frame" else read_graph(path))
    labels = read_graph(path).labels if kind != "frame" else network.labels
    assert labels == names if isinstance(names, list) and kind != "frame" else set(labels) == set(names)
    assert network.adjacency.nnz == 6
    if kind != "csv":
        assert any("are one node" in note or "is one node" in note for note in network.notes)


@pytest.mark.parametrize("kind", ["parquet", "frame"])
def test_numbers_that_a_column_of_floats_has_rounded_are_said(tmp_path, kind):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")

    def notes(first):
        if kind == "frame":
            return read(pd.DataFrame({"source": first, "target": [1.0, 2.0]})).notes
        (tmp_path / "g.parquet").write_bytes(encode_columns({"source": first, "target": [1.0, 2.0]}, kind))
        return read_graph(tmp_path / "g.parquet").notes

    said = f"numbers of 2**53 and more, such as {EXACT}, are rounded in a column of floats: names may have merged"
    assert notes([float(EXACT), 3.0])[0].startswith(said)
    assert notes([float(EXACT - 1), 3.0]) == ()
    assert notes([EXACT + 1, 3]) == ()


def test_large_whole_numbers_beside_a_missing_one_stay_exact(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.parquet"
    path.write_bytes(encode_columns({"source": [EXACT + 1, EXACT + 2, None], "target": [1, 1, 1]}, "parquet"))
    assert read_graph(path).labels == [1, EXACT + 1, EXACT + 2]
    for wrong in (np.array([2**63, 1], np.uint64), np.array([1e30, 1.0]), np.array([np.inf, 1.0])):
        path.write_bytes(encode_columns({"source": wrong, "target": [1, 2]}, "parquet"))
        with pytest.raises(InputError, match=r"'source' has (numbers of 2|fractions)"):
            read_graph(path)


@pytest.mark.parametrize("heading", ["weight", "seats"])
def test_repeated_rows_of_a_frame_add_up_and_are_said(heading):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"source": list("abab"), "target": list("bacc"), heading: [1, 2, 4, 8]})
    network = read(frame, heading)
    assert network.adjacency.toarray().tolist() == [[0, 3, 4], [3, 0, 8], [4, 8, 0]]
    assert "1 repeated edges were added up" in network.notes
    assert read(frame.iloc[1:], heading).notes == ()
