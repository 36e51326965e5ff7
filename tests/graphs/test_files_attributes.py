"""Other columns of a table of edges are edge attributes: of text, of a workbook, and in pictures."""

from __future__ import annotations

import networkx as nx
import pytest

from nelayout import graphs
from nelayout.cli import main
from nelayout.graphs.files import read_graph

HEAD = ["source", "kind", "target", "since", "weight", "code", "share"]
ROWS = [
    ["Inn", "left", "Donau", "1985", "2", "01001", "0.5"],
    ["Lech", "right", "Donau", "NA", "1", "1001", ""],
    ["Isar", "", "Donau", "2003", "4", "7", "0.25"],
    ["Inn", "right", "Isar", "2010", "3", "8", "1"],
]
# The attributes of each edge of `ROWS`.
EXPECTED = {
    ("Inn", "Donau"): {"kind": "left", "since": 1985, "weight": 2, "code": "01001", "share": 0.5},
    ("Lech", "Donau"): {"kind": "right", "weight": 1, "code": "1001"},
    ("Isar", "Donau"): {"since": 2003, "weight": 4, "code": "7", "share": 0.25},
    ("Inn", "Isar"): {"kind": "right", "since": 2010, "weight": 3, "code": "8", "share": 1},
}


def written(path, rows, separator=","):
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    return path


def attributes(file, pairs=EXPECTED):
    return {pair: file.graph.edges[pair] for pair in pairs}


@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("csv", ";"), ("tsv", "\t"), ("csv", " ; ")])
def test_columns_of_text_keep_their_types_and_have_no_missing_values(tmp_path, ending, separator):
    file = read_graph(written(tmp_path / f"t.{ending}", [HEAD, *ROWS], separator))
    assert attributes(file) == EXPECTED
    assert file.notes == ()


def test_columns_of_a_sheet_are_those_of_text(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, the extra [excel], is not installed")
    book = openpyxl.Workbook()
    for row in [HEAD, *ROWS]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert attributes(read_graph(tmp_path / "t.xlsx")) == EXPECTED


@pytest.mark.parametrize("weight", [None, "flow"])
def test_names_of_whole_numbers_and_any_weight_leave_other_columns(tmp_path, weight):
    rows = [["from", "to", "flow", "depth"], ["3", "1", "2.5", "4"], ["1", "2", "0.5", "6"]]
    file = read_graph(written(tmp_path / "t.csv", rows), weight=weight)
    assert dict(file.graph.edges) == {(1, 3): {"flow": 2.5, "depth": 4}, (1, 2): {"flow": 0.5, "depth": 6}}
    assert sorted(graphs.read(file).adjacency.data) == ([1, 1, 1, 1] if weight is None else [0.5, 0.5, 2.5, 2.5])
    assert graphs.read(file, "depth").adjacency.sum() == 20


@pytest.mark.parametrize(("heading", "kept"), [("weight", "c"), ("km", "d")])
def test_repeated_edges_have_the_values_of_one_row_and_a_note_says_so(tmp_path, heading, kept):
    rows = [["source", "target", heading, "name"], ["a", "b", "9", "c"], ["b", "a", "2", "d"], ["", "c", "1", "e"],
            ["b", "c", "5", "f"]]  # fmt: skip
    file = read_graph(written(tmp_path / "t.csv", rows))
    assert nx.get_edge_attributes(file.graph, "name") == {("a", "b"): kept, ("b", "c"): "f"}
    assert any("; their other columns have the values of one row" in note for note in file.notes)


def test_a_table_of_too_many_values_keeps_the_weights_and_says_so(tmp_path):
    names = [f"q{k}" for k in range(1001)]
    rows = [["source", "target", "weight", *names], *([f"a{k}", "b", "2", *"1" * len(names)] for k in range(1000))]
    file = read_graph(written(tmp_path / "t.csv", rows))
    assert file.edge_attributes == ["weight"]
    assert any("are not read; of a table of this size, only the weights are kept" in note for note in file.notes)


def test_the_shell_colors_edges_by_a_column(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib, the extra [draw], is not installed")
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "t.csv", [HEAD, *ROWS])
    quick = ["layout", "t.csv", "--method", "linlog", "--max-iter", "1", "-o", "o.svg"]
    assert main([*quick, "--edge-color", "kind"]) == 0
    assert "left" in (tmp_path / "o.svg").read_text()
    assert main([*quick, "--edge-color", "kinds"]) != 0
    assert "did you mean 'kind'?" in capsys.readouterr().err
