"""polars and pyarrow: a table of edges is the graph of the same table of pandas, with the same notes and errors."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

import nelayout as nl
from nelayout import graphs
from nelayout.errors import InputError, InputTypeError, MissingExtra

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow, the extra [parquet], is not installed")


def in_polars(columns):
    return pytest.importorskip("polars", reason="polars is not installed; no extra has it").DataFrame(columns)


BUILDERS = {"polars": in_polars, "a table of pyarrow": pyarrow.table, "a batch of pyarrow": pyarrow.record_batch}
RIVERS = {"From": ["Inn", "Isar", "Lech", "Isar"], "to": ["Donau", "Donau", "Donau", "Inn"]}
# Further columns of `RIVERS`, and of others: weights, lengths, unused numbers, text, dates.
TABLES = {
    "neither": RIVERS,
    "weight": RIVERS | {"weight": [2, 1, 5, 4]},
    "unused numbers": RIVERS | {"flow": [2.5, 1.0, None, 4.0]},
    "lengths": RIVERS | {"km": [517.0, 292.0, 256.0, 30.0]},
    "text and dates": RIVERS | {"kind": ["a", None, "b", "b"], "seen": [date(2024, 5, k + 1) for k in range(4)]},
    "again": RIVERS | {"to": ["Isar", "Inn", "Isar", "Inn"], "weight": [1.0, 2.0, 3.0, 4.0]},
    "whole numbers": {"source": [7, 2**60 + 1, 3], "target": [3, 7, 9], "weight": [1, 2, 3]},
    "codes": {"source": ["01001", "1001"], "target": ["7", "7"]},
    "numbers and text": {"source": [1, 2, 3], "target": ["2", "3", "1"]},
    "no row": {"source": np.zeros(0), "target": np.zeros(0)},
}


@pytest.fixture(params=BUILDERS)
def build(request):
    """(columns) -> the table in the library."""
    return BUILDERS[request.param]


@pytest.mark.parametrize("weight", ["weight", None])
@pytest.mark.parametrize("name", TABLES)
def test_the_network_and_its_notes_are_those_of_pandas(build, name, weight):
    ours, theirs = graphs.read(build(TABLES[name]), weight), graphs.read(pandas.DataFrame(TABLES[name]), weight)
    assert (ours.labels, ours.notes, ours.lengths) == (theirs.labels, theirs.notes, theirs.lengths)
    assert np.array_equal(ours.adjacency.toarray(), theirs.adjacency.toarray())


def test_positions_are_a_frame_of_pandas_by_node_and_come_back(build):
    table = build(TABLES["weight"])
    pos = nl.layout(table, seed=0)
    assert isinstance(pos, pandas.DataFrame)
    assert list(pos.index) == ["Inn", "Donau", "Isar", "Lech"]
    assert nl.layout(pandas.DataFrame(TABLES["weight"]), seed=0).equals(pos)
    given = {"name": ["Lech", "Inn"], "length": [256, 517], "x": [3.0, 1.0], "y": [4.0, 2.0]}
    held = nl.layout(table, pos=build(given), fixed=["Inn", "Lech"], seed=0)
    assert held.loc[["Inn", "Lech"]].to_numpy().tolist() == [[1, 2], [3, 4]]
    without = build({"x": [0.0, 1, 2, 3], "y": [0.0, 1, 0, 1]})
    assert nl.layout(table, pos=without, fixed=list(pos.index))["x"].tolist() == [0, 1, 2, 3]


def test_columns_are_values_of_edges(build):
    table = build(TABLES["text and dates"] | {"id": [2**60 + 1, None, 5, 6], "sure": [True, None, False, True]})
    listed = graphs.links(table)
    values = {name: [None if pandas.isna(x) else x for x in listed.attribute(name)] for name in listed.names}
    assert values["id"] == [2**60 + 1, None, 5, 6]
    assert values["kind"] == ["a", None, "b", "b"]
    assert values["sure"] == [True, None, False, True]
    pos = nl.layout(table, seed=0)
    colors = []
    for palette in ({"a": "#ff0000", "b": "#0000ff"}, {"a": "#0000ff", "b": "#ff0000"}):
        figure = nl.draw(table, pos, edge_color="kind", palette=palette)
        lines = next(x for x in figure.axes[0].get_children() if isinstance(x, LineCollection))
        colors.append([to_hex(color) for color in np.atleast_2d(lines.get_edgecolor())])
    assert colors[0].count("#ff0000") == colors[1].count("#0000ff") == 1
    assert colors[0].count("#0000ff") == colors[1].count("#ff0000") == 2


def test_faults_name_the_way_of_the_library():
    polars = pytest.importorskip("polars", reason="polars is not installed; no extra has it")
    others, holes = {"a": [1], "b": [2], "c": [3]}, {"source": ["a", None], "target": ["b", "c"]}
    with pytest.raises(InputTypeError, match=r"'a', 'b', 'c', which .*: df\.rename\(\{'a': 'source', 'b': 'target'\}"):
        nl.layout(polars.DataFrame(others))
    with pytest.raises(InputTypeError, match=r"the Table has .*: table\.rename_columns\(\{'a': 'source'"):
        nl.layout(pyarrow.table(others))
    with pytest.raises(InputError, match=r"row 1 has no node at an end \(1 of 2 rows\); .*: df\.drop_nulls"):
        nl.layout(polars.DataFrame(holes))
    with pytest.raises(InputError, match=r"row 1 has no node at an end \(1 of 2 rows\); .*: table\.drop_null\(\)"):
        nl.layout(pyarrow.table(holes))
    with pytest.raises(InputTypeError, match=r"LazyFrame is not a graph; .*frame\.collect\(\)"):
        nl.layout(polars.LazyFrame(holes))


def test_weights_that_are_missing_name_the_edge(build):
    with pytest.raises(InputError, match=r"edge \('a', 'b'\) has weight nan"):
        nl.layout(build({"source": ["a", "b"], "target": ["b", "c"], "weight": [None, 1.5]}))


@pytest.mark.parametrize(("package", "extra"), [("pandas", "compare"), ("pyarrow", "parquet")])
def test_a_package_that_is_not_installed_is_named(monkeypatch, package, extra):
    class Table:
        def to_pandas(self, **how):
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)

    monkeypatch.setattr(pyarrow, "Table", Table)
    with pytest.raises(MissingExtra, match=rf'{package} is needed for tables of polars and .*"nelayout\[{extra}\]"'):
        nl.layout(Table())
