"""`compare`: the table is what `measure` says, drawings lie over the first, figure and page hold them."""

import math
import sys
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest

from nelayout.comparison import Measured, align, compare, measure
from nelayout.comparison.ranking import shade, table_lines
from nelayout.errors import InputError, MissingExtra

G = nx.karate_club_graph()
CLUB = nx.get_node_attributes(G, "club")
POS = {
    "spring": nx.spring_layout(G, seed=0),
    "circle": nx.circular_layout(G),
    "random": nx.random_layout(G, seed=1),
}
COORDS = nx.kamada_kawai_layout(G)


@pytest.fixture(scope="module")
def compared():
    return compare(G, POS, "club", COORDS)


def test_table_is_what_measure_says(compared):
    for name, pos in POS.items():
        expected = measure(G, pos, CLUB, COORDS)
        assert compared.measured[name] == expected
        assert compared.table.loc[name].to_dict() == {key: m.value for key, m in expected.items()}
        assert compared.scores.loc[name].to_dict() == {key: m.score for key, m in expected.items()}
        assert (compared.errors.loc[name] == 0).all()
    assert list(compared.table.index) == list(POS)


def test_drawings_lie_over_the_first(compared):
    assert compared.drawings["spring"] is POS["spring"]
    for name in ("circle", "random"):
        over = align(POS[name], to=POS["spring"])
        assert all((compared.drawings[name][v] == over[v]).all() for v in G)


def test_plot_shows_every_drawing_and_value(compared):
    figure = compared.plot()
    figure.canvas.draw()
    assert [text.get_text() for text in figure.texts] == list(POS)
    texts = {text.get_text() for text in figure.axes[3].texts}
    assert {*POS, "stress ↓", "map r2 ↑"} <= texts
    crossings = compared.table["crossings"].astype(int).astype(str)
    assert set(crossings) <= texts
    bold = {text.get_text() for text in figure.axes[3].texts if text.get_weight() == "bold"}
    assert str(int(compared.table["crossings"].min())) in bold
    assert str(int(compared.table["crossings"].max())) not in bold


def test_printed_table_says_which_way_is_better_and_which_is_best():
    """Values by hand: a hexagon, and its nodes on a line, where one edge lies over all others."""
    ring = nx.cycle_graph(6)
    pos = {"circle": nx.circular_layout(ring), "line": {v: (v, 0.0) for v in ring}}
    assert repr(compare(ring, pos, measures=["crossings", "neighborhood", "coincident"])) == (
        "                circle     line\n"
        "crossings ↓          0*       3\n"
        "neighborhood ↑       1*  0.7778\n"
        "coincident ↓         0        0\n"
        "↑ higher is better, ↓ lower is better, * best"
    )


def test_the_best_is_the_best_value_also_where_scores_are_cut_off():
    """A stress above 1 has the score 0, as has a worse one."""
    rows = {name: {"stress": Measured(value, 0.0, 0.0, True)} for name, value in {"a": 7.5, "b": 1.5}.items()}
    assert [line.endswith("1.5*") for line in table_lines(rows)] == [False, True, False]
    rows["c"] = {"stress": Measured(math.nan, math.nan, 0.0, True)}
    assert "1.5*" in table_lines(rows)[1]
    assert "–" in table_lines(rows)[1]


def test_a_sampled_value_is_printed_with_its_error():
    rows = {"a": {"stress": Measured(0.123456, 0.9, 0.00567, False)}}
    assert table_lines(rows)[1] == "stress ↓  0.1235 ± 0.0057"


def test_crossings_are_shaded_beside_each_other():
    """Scores by all pairs of edges are alike for 4,000 crossings and 50,000."""
    values = [3999.0, 49999.0]
    dark = [shade("crossings", {"crossings": Measured(value, 0.999, 0.0, True)}, values) for value in values]
    assert dark == [1.0, pytest.approx(0.08)]
    one = {"resolution": Measured(0.3, 0.3, 0.0, True)}
    assert shade("resolution", one, [0.3, 0.1]) == 0.3


def test_plot_takes_colors_and_labels_of_its_own(compared):
    figure = compared.plot(color=["x"] * 17 + ["y"] * 17, labels=True, table=False)
    assert len(figure.axes) == len(POS)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x", "y"]
    assert {text.get_text() for text in figure.axes[0].texts} >= {"0", "33"}
    assert compared.plot(color="tomato").legends == []


def test_page_has_a_heading_and_its_measures_once(compared, tmp_path):
    compared.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "<h1>3 drawings of a graph: spring, circle, random</h1>" in text
    assert text.count("<table>") == text.count("map_r2 ↑</th>") == 1
    assert text.count("<tr>") == 1 + len(compared.measured["spring"])  # a line per measure: the page does not grow wide
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(InputError, match="does not exist"):
        compared.to_html(tmp_path / "nowhere" / "page.html")


def test_html_escapes_names():
    found = compare(nx.path_graph(3), {"<b>": {v: (v, 0.0) for v in range(3)}}, measures="stress")
    assert "<b></th>" not in found.page().html()
    assert "<th>&lt;b&gt;</th>" in found.page().html()


def test_other_hosts():
    Y = np.random.default_rng(0).normal(size=(2, 5, 2))
    ring = nx.cycle_graph(5)
    matrix = compare(nx.to_scipy_sparse_array(ring), {"a": Y[0], "b": Y[1]})
    layouts = {"a": igraph.Layout(Y[0].tolist()), "b": igraph.Layout(Y[1].tolist())}
    graph = compare(igraph.Graph.Ring(5), layouts)
    assert repr(matrix.measured) == repr(graph.measured)
    assert isinstance(graph.drawings["b"], igraph.Layout)
    assert np.array_equal(graph.drawings["b"].coords, matrix.drawings["b"])
    assert graph.plot() is not None


def test_measures_without_anything_to_see(tmp_path):
    found = compare(nx.empty_graph(3), {"a": {v: (v, 0.0) for v in range(3)}})
    assert math.isnan(found.table.loc["a", "neighborhood"])
    found.plot()
    found.to_html(tmp_path / "page.html")
    assert "–" in found._repr_html_()


def test_what_is_refused():
    refused: Any = ({}, [], None)
    for nothing in refused:
        with pytest.raises(nx.NetworkXError, match="drawings"):
            compare(G, nothing)
    with pytest.raises(InputError, match="the drawing 'half'"):
        compare(G, {"all": POS["circle"], "half": {v: POS["circle"][v] for v in range(17)}})


def test_without_the_extra(compared, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"nelayout\[compare\]"):
        _ = compared.table
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match="nelayout"):
        compared.plot()
