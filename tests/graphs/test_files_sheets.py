"""Workbooks: sheets of edges, matrices, nodes, positions and rows are read as the same tables in text."""

from __future__ import annotations

import datetime as dt
import io
import random
import sys
import zipfile
from collections import Counter

import numpy as np
import pytest
from test_files_mutated import damaged
from workbooks import workbook

import nelayout as nl
from nelayout.cli import main
from nelayout.errors import InputError
from nelayout.graphs.files import read_graph, read_positions


@pytest.fixture
def book(tmp_path):
    """(sheets of rows by title) -> the path of a workbook."""

    def written(name="book.xlsx", hidden=(), **sheets):
        (tmp_path / name).write_bytes(workbook(sheets, hidden))
        return tmp_path / name

    return written


def edges(file):
    return {tuple(sorted(map(str, ends))): own for *ends, own in file.graph.edges(data=True)}


EDGES = [["source", "target", "weight"], ["oak", "elm", 2], ["elm", "ash", 0.5], ["ash", "fir", 4]]
TABLES = {
    "edges": EDGES,
    "a title": [["Trees of the park"], [], *EDGES],
    "an empty margin": [[None, None, *row] for row in ([], *EDGES)],
    "codes": [["source", "target"], ["01001", "1001"], ["1001", "7"], [7, "01001"]],
    "whole numbers": [["from", "to"], [3, 20], [20, 100]],
    "numbers and text": [["from", "to"], [1, "2"], ["1", 3]],
    "distances": [["city_1", "city_2", "km"], ["Oslo", "Bergen", 463], ["Bergen", "Alta", 2000]],
    "a matrix": [[None, "a", "b", "c"], ["a", 0, 1, 0], ["b", 1, 0, 2.5], ["c", 0, 2.5, 0]],
    "a matrix of ticks": [[None, "a", "b", "c"], ["a", False, True, False], ["b", True, False, False], ["c"]],
    "a triangle": [[None, "a", "b", "c"], ["a"], ["b", 3], ["c", 1, 2]],
    "quotes and tabs": [["source", "target"], ['5" pipe', "a\tb"], ["a\tb", "'c'"], ["x;y", "5,5"]],
    "missing ends": [["source", "target"], ["a", "b"], ["c", None], ["b", "c"]],
}


@pytest.mark.parametrize("name", TABLES)
def test_a_sheet_is_read_as_its_csv(book, tmp_path, name):
    rows = TABLES[name]
    width = max(map(len, rows))
    text = {None: "", True: "TRUE", False: "FALSE"}

    def cell(value):
        said = text[value] if value is None or isinstance(value, bool) else str(value)
        return '"' + said.replace('"', '""') + '"'

    csv = tmp_path / "same.csv"
    csv.write_text("".join(",".join(map(cell, [*row, *[None] * (width - len(row))])) + "\n" for row in rows))
    found = read_graph(book(Sheet1=rows))
    if name == "an empty margin":
        assert edges(found) == edges(read_graph(book(Sheet1=EDGES)))
        return
    expected = read_graph(csv)
    assert found.labels == expected.labels
    assert edges(found) == edges(expected)
    assert found.graph.is_directed() == expected.graph.is_directed()
    assert (found.weight, found.weight_kind) == (expected.weight, expected.weight_kind)
    assert found.format == "xlsx"


def test_dates_are_no_weights_and_an_error_of_a_formula_is_no_name(book):
    days = [dt.datetime.fromisoformat(f"2024-05-0{k}") for k in (1, 2, 3)]
    rows = [["who", "whom", "when"], ["a", "b", days[0]], ["b", "c", days[1]], ["#REF!", "c", days[2]]]
    file = read_graph(book(Sheet1=rows), source="who", target="whom")
    assert edges(file) == {("a", "b"): {"when": "2024-05-01"}, ("b", "c"): {"when": "2024-05-02"}}
    assert any("1 cell with an error such as #REF!" in note for note in file.notes)
    assert any("(line 4)" in note for note in file.notes)


def test_the_sheet_of_edges_is_found_and_others_are_named(book):
    nodes = [["id", "park"], ["oak", "north"], ["elm", "north"], ["ash", "south"], ["fir", "south"]]
    path = book(About=[["made in 2024"]], Nodes=nodes, Links=EDGES, Draft=[["a", "b"]], hidden=("Draft",))
    file = read_graph(path, nodes=path)
    assert edges(file) == edges(read_graph(book("one.xlsx", Sheet1=EDGES)))
    assert file.node_data["park"] == ["north", "north", "south", "south"]
    said = "the sheet 'Links' is read, and not 'About' and 'Nodes'; sheet=NAME reads another one, and nodes=FILE"
    assert any(note.startswith(said) for note in file.notes)
    assert "Draft" not in str(file.notes)


@pytest.mark.parametrize("asked", ["Second", "second", "2", 2])
def test_a_sheet_is_named_or_numbered(book, asked):
    path = book(First=[["a", "b"]], Second=[["c", "d"]])
    file = read_graph(path, sheet=asked)
    assert file.labels == ["c", "d"]
    assert not any("sheet" in note for note in file.notes)
    with pytest.raises(InputError, match="unknown sheet 'Secnd': did you mean 'Second'"):
        read_graph(path, sheet="Secnd")


def test_headings_of_ends_win_over_the_order_of_sheets(book):
    path = book(Data=[["a", "b"]], More=[["from", "to"], ["c", "d"]])
    assert read_graph(path).labels == ["c", "d"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["only"], ["one"]], r"book\.xlsx, sheet 'S', row 1: an edge needs two columns"),
        ([["source", "target", "weight"], ["a", "b", 1], ["b", "c", "much"]], r"sheet 'S', row 3: .*'much'"),
        ([[None, "a", "b"], ["a", 0, "x"], ["b", "x", 0]], r"sheet 'S', row 2: 'x' is not a number"),
        ([["id", "team"], ["a", "t"]], r"row 1: the first heading is 'id', so this is a table of nodes"),
    ],
)
def test_a_wrong_sheet_is_one_line_with_its_row(book, tmp_path, monkeypatch, capsys, rows, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        read_graph(book(S=rows))
    assert main(["layout", "book.xlsx", "-o", "out.json"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_empty_and_damaged_workbooks_are_one_error(book, tmp_path):
    path = book(A=[], B=[[None], ["  "]])
    with pytest.raises(InputError, match="no visible sheet has a cell"):
        read_graph(path)
    whole = book(S=EDGES).read_bytes()
    for cut in range(1, len(whole), 211):
        with pytest.raises(InputError, match=r"cannot be read as xlsx|looks like"):
            read_graph(_named(io.BytesIO(whole[:cut]), "cut.xlsx"))
    with zipfile.ZipFile(tmp_path / "word.xlsx", "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
    with pytest.raises(InputError, match=r"word\.xlsx: cannot be read as xlsx"):
        read_graph(tmp_path / "word.xlsx")


def _named(buffer, name):
    buffer.name = name
    return buffer


def test_names_that_excel_rounds_are_said(book):
    path = book(S=[["source", "target"], [1234567890123456, 1], [1, 2]])
    assert any("16 digits or more" in note for note in read_graph(path).notes)


def test_positions_and_rows_of_a_workbook(book, tmp_path, monkeypatch):
    places = read_positions(book(S=[["node", "x", "y"], ["a", 1, 2.5], ["b", -1, 0]]))
    assert {name: place.tolist() for name, place in places.items()} == {"a": [1, 2.5], "b": [-1, 0]}
    monkeypatch.chdir(tmp_path)
    chance = np.random.default_rng(3)
    rows = [["u", "v", "kind"], *([*row, "ab"[k % 2]] for k, row in enumerate(chance.normal(size=(20, 2)).tolist()))]
    book("rows.xlsx", About=[["made in 2024", "by us"]], S=rows)
    assert main(["embed", "rows.xlsx", "--sheet", "s", "--color", "kind", "-o", "out.json", "--quiet"]) == 0
    assert len((tmp_path / "out.json").read_text().split("kind")) == 21


def test_a_missing_package_names_its_extra(book, monkeypatch):
    path = book(S=EDGES)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(nl.MissingExtra, match=r'pip install "nelayout\[excel\]"'):
        read_graph(path)


def test_a_workbook_under_another_ending_is_named(book, tmp_path):
    (tmp_path / "edges.csv").write_bytes(book(S=EDGES).read_bytes())
    with pytest.raises(InputError, match='it looks like xlsx: say format="xlsx"'):
        read_graph(tmp_path / "edges.csv")
    assert edges(read_graph(tmp_path / "edges.csv", "xlsx")) == edges(read_graph(tmp_path / "book.xlsx"))
    (tmp_path / "old.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(InputError, match=r"an old Excel workbook, or one with a password.*saves it as \.xlsx"):
        read_graph(tmp_path / "old.xlsx")
    (tmp_path / "t.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="sheet is for a workbook; this is edgelist"):
        read_graph(tmp_path / "t.csv", sheet="S")


@pytest.mark.parametrize("cases", [30, pytest.param(300, marks=pytest.mark.full)])
def test_a_damaged_sheet_is_an_error_or_has_every_row(cases):
    rows = [["source", "target", "weight"], *([f"node {k}", f"node {k * 7 % 12}", k + 0.5] for k in range(12))]
    whole, chance = zipfile.ZipFile(io.BytesIO(workbook({"Edges": rows}))), random.Random(cases)
    fates, expected = Counter(), len({frozenset(row[:2]) for row in rows[1:]})
    for _ in range(cases):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as packed:
            for name in whole.namelist():
                data = whole.read(name)
                packed.writestr(name, damaged(data, chance) if name.endswith("sheet1.xml") else data)
        content.seek(0)
        try:
            file = read_graph(content, "xlsx")
        except InputError as error:
            assert "xlsx" in str(error) or "sheet" in str(error)  # noqa: PT017  a file without damage is no error
            fates["error"] += 1
        else:
            assert file.notes or file.graph.number_of_edges() == expected
            fates["read"] += 1
    assert fates.keys() == {"error", "read"}
