"""Names of nodes and missing values: one rule for all tables."""

from __future__ import annotations

import numpy as np
import pytest

from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.graphs.files import read_graph, read_positions, write_positions
from nelayout.graphs.files.arrow import encode_columns
from nelayout.graphs.files.record import load
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
