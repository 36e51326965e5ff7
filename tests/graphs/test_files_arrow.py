"""Arrow and Parquet files: a table of edges is the graph of the same table as csv; positions come back."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from nelayout.cli import main
from nelayout.errors import InputError, MissingExtra
from nelayout.graphs import read
from nelayout.graphs.files import read_graph, read_positions, write_positions
from nelayout.graphs.files import record as record_module
from nelayout.graphs.files.arrow import encode_columns

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")
KINDS = ["arrow", "parquet", "feather"]
RNG = np.random.default_rng(0)
WORDS = [f"n{k}" for k in RNG.permutation(40)]
TABLES = {
    "words": {
        "source": [WORDS[k] for k in RNG.integers(40, size=90)],
        "target": [WORDS[k] for k in RNG.integers(40, size=90)],
    },
    "numbers": {"from": RNG.integers(40, size=90) * 3 - 5, "to": RNG.integers(40, size=90) * 3 - 5},
    "far numbers": {"from": RNG.integers(9, size=90) * 10**12, "to": RNG.integers(9, size=90) * 10**12},
    "weights": {
        "weight": RNG.random(60),
        "year": [1999] * 60,
        "u": RNG.integers(9, size=60),
        "v": RNG.integers(9, size=60),
    },
    "score": {"protein1": ["a", "b", "c"], "protein2": ["b", "c", "a"], "combined_score": [1.5, 2.0, 0.5]},
    "missing": {"source": ["a", None, "b", "c"], "target": ["b", "c", None, "a"], "weight": [1.0, 2.0, 3.0, None]},
    "numbers and words": {"source": [1, 2, 3], "target": ["x", "y", "1"]},
    "two columns": {"one": ["a", "b"], "two": ["b", "c"]},
}


def put(path, columns):
    path.write_bytes(encode_columns(columns, "parquet" if path.suffix == ".parquet" else "arrow"))
    return path


def as_csv(path, columns):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([",".join(columns), *lines]))
    return path


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_edges_is_the_graph_of_its_csv(tmp_path, monkeypatch, kind, name, dense):
    if dense:  # as for long lists
        monkeypatch.setattr(record_module, "LIMITS", record_module.Limits(networkx_edges=1))
    ends = ("one", "two") if name == "two columns" else (None, None)
    typed = read_graph(put(tmp_path / f"e.{kind}", TABLES[name]))
    csv = read_graph(as_csv(tmp_path / "e.csv", TABLES[name]), source=ends[0], target=ends[1])
    assert [str(label) for label in typed.labels] == [str(label) for label in csv.labels]
    assert np.array_equal(read(typed.graph).adjacency.toarray(), read(csv.graph).adjacency.toarray())
    assert typed.format == ("parquet" if kind == "parquet" else "arrow")
    assert any("left out" in note for note in typed.notes) == (name == "missing")


def test_columns_are_chosen_by_name_or_number(tmp_path):
    path = put(tmp_path / "e.arrow", {"km": [1.0, 2.0], "a": ["u", "v"], "b": ["v", "w"], "c": ["w", "u"]})
    with pytest.raises(InputError, match=r"the columns 'km', 'a', 'b', 'c' do not name the ends.*source=NAME"):
        read_graph(path)
    file = read_graph(path, weight="km", source="a", target="4")
    assert list(file.graph.edges(data="km")) == [("u", "w", 1.0), ("u", "v", 2.0)]
    with pytest.raises(InputError, match="unknown column for an end 'bb': did you mean"):
        read_graph(path, source="bb", target="c")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"source": [1.5, 2.0], "target": [1, 2]}, "the column 'source' has fractions"),
        ({"source": [[1], [2]], "target": [[2], [3]]}, "must hold words or numbers"),
        ({"source": ["a"], "target": ["b"], "weight": ["heavy"]}, "the column 'weight' must hold weights"),
        ({"node": ["a", "a"], "x": [1.0, 2.0], "y": [1.0, 2.0]}, "the column 'node' must name each node once"),
        ({"height": [1.0]}, "the columns 'height' do not name the ends"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_do_not_fit_are_named(tmp_path, kind, columns, said):
    with pytest.raises(InputError, match=said):
        read_graph(put(tmp_path / f"e.{kind}", columns), weight="weight" if "weight" in columns else None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_with_the_heading_of_a_length_holds_distances(tmp_path, kind):
    path = tmp_path / f"g.{kind}"
    columns = {"source": ["a", "b", "c"], "target": ["b", "c", "d"], "n": [1, 2, 3], "Length": [10.0, None, 30.0]}
    path.write_bytes(encode_columns(columns, kind))
    file = read_graph(path)
    assert [d for *_, d in file.graph.edges(data="Length")] == [10, 20, 30]
    assert read(file).adjacency.diagonal(1).tolist() == pytest.approx([2, 1, 2 / 3])
    assert any("the column 'Length' is read as distances" in note for note in file.notes)
    assert read(file, weight_kind="similarity").adjacency.diagonal(1).tolist() == [10, 20, 30]


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_positions_are_columns_of_floats(tmp_path, kind, dim):
    pos = {node: RNG.standard_normal(dim) for node in (3, 1, 2)}
    graph = read_graph(put(tmp_path / f"e.{kind}", {"source": [1, 2], "target": [2, 3]})).graph
    write_positions(tmp_path / f"out.{kind}", graph, pos)
    table = (pyarrow.parquet.read_table if kind == "parquet" else pyarrow.feather.read_table)(tmp_path / f"out.{kind}")
    assert table.column_names == ["node", *"xyz"[:dim]]
    assert [str(field.type) for field in table.schema] == ["int64"] + ["double"] * dim
    again = read_positions(tmp_path / f"out.{kind}")
    assert {node: place.tolist() for node, place in again.items()} == {node: pos[node].tolist() for node in (1, 2, 3)}


@pytest.mark.parametrize("command", ["layout", "embed"])
@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_a_missing_pyarrow_is_said_before_the_work(tmp_path, monkeypatch, capsys, kind, command):
    monkeypatch.chdir(tmp_path)
    rows = "a,b\n1,2\n2,3\n3,4\n"
    (tmp_path / "e.csv").write_text(rows)
    put(tmp_path / f"e.{kind}", {"source": ["a"], "target": ["b"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    needed = f"pyarrow is needed for {kind} files and is not installed"
    said = f'nelayout: {needed}; install it with: pip install "nelayout[parquet]"'
    for files in (["e.csv", "-o", f"out.{kind}"], [f"e.{kind}", "-o", "out.csv"]):
        assert main([command, *files]) == 1
        assert capsys.readouterr().err == f"{said}\n"
    with pytest.raises(MissingExtra):
        write_positions(f"out.{kind}", np.zeros((2, 2)), np.zeros((2, 2)))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([f"e.{kind}", "e.csv"])


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_embed_keeps_the_other_columns(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    rows = {"a": RNG.random(12), "b": RNG.random(12), "kind": ["oak", "ash", None] * 4}
    put(tmp_path / f"t.{kind}", rows)
    assert main(["embed", f"t.{kind}", "-o", f"out.{kind}", "--color", "kind", "--max-iter", "5", "--quiet"]) == 0
    table = (pyarrow.parquet if kind == "parquet" else pyarrow.feather).read_table(f"out.{kind}")
    assert table.column_names == ["row", "x", "y", "kind"]
    assert table.column("row").to_pylist() == list(range(12))
    assert table.column("kind").to_pylist() == rows["kind"]
