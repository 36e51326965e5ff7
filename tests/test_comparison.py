"""`compare`: the table is what `measure` says, drawings lie over the first, figure and page hold them."""

import math
import sys
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest

from nelayout.comparison import align, compare, measure
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
    assert {*POS, "stress", "map r2"} <= texts
    crossings = compared.table["crossings"].astype(int).astype(str)
    assert set(crossings) <= texts
    bold = {text.get_text() for text in figure.axes[3].texts if text.get_weight() == "bold"}
    assert str(int(compared.table["crossings"].min())) in bold
    assert str(int(compared.table["crossings"].max())) not in bold


def test_page_stands_alone(compared, tmp_path):
    path = tmp_path / "page.html"
    compared.to_html(path)
    text = path.read_text()
    assert "<svg" in text
    assert "<script" not in text
    assert "src=" not in text
    for name in (*POS, "crossings", "class_auc"):
        assert name in text
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(InputError, match="does not exist"):
        compared.to_html(tmp_path / "nowhere" / "page.html")


def test_html_escapes_names():
    found = compare(nx.path_graph(3), {"<b>": {v: (v, 0.0) for v in range(3)}}, measures="stress")
    assert "<b>stress" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()


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
