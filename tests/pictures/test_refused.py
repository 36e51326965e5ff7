"""What pictures and pages refuse: what is given, a part of what is said, and no file is left."""

import functools
import math
from typing import Any

import networkx as nx
import numpy as np
import pandas
import pytest

pytest.importorskip("matplotlib")

from drawn import CORNERS, SQUARE
from matplotlib.figure import Figure

import nelayout as nl

OF_KIND = SQUARE.copy()
nx.set_node_attributes(OF_KIND, dict.fromkeys(SQUARE, "x"), "kind")
KARATE = nx.karate_club_graph()
POS = nx.circular_layout(KARATE)
TEXT = {str(v): place for v, place in POS.items()}
WEIGHTED = nx.Graph()
WEIGHTED.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 4.0), ("a", "c", 2.0)])
TRIANGLE = {"a": (0.0, 0.0), "b": (4.0, 0.0), "c": (0.0, 3.0)}
CLUB = [f"name {v}" for v in KARATE]
MANY = nx.circulant_graph(10_001, [1, 2])


square = functools.partial(nl.draw, SQUARE, CORNERS)
lines = functools.partial(nl.draw, WEIGHTED, TRIANGLE)
points = functools.partial(nl.plot, np.eye(2))


def kinds(pos=CORNERS, **given):
    return nl.draw(OF_KIND, pos, **given)


def pair(color=("a", "b"), **given):
    return nl.draw(nx.path_graph(2), [(0, 0), (1, 1)], color=list(color), **given)


def karate(pos=POS, **given):
    return nl.draw(KARATE, pos, **given)


def page(pos=POS, **given):
    return nl.explore(KARATE, pos, **given)


PLACES = [
    (kinds, {"pos": {0: (0, 0)}}, "no position for node 1 .3 of 4 nodes have none.; give every node a position"),
    (kinds, {"pos": {v: (0, 0, 0, v) for v in range(4)}}, "pos must have 1, 2 or 3 coordinates; got 4"),
    (karate, {"pos": TEXT}, r"nodes of the graph for keys, such as 0 \(int\); got '0' \(str\)"),
    (page, {"pos": {v: (0, 0, 0, v) for v in KARATE}}, "must have 1, 2 or 3 coordinates; got 4"),
    *((call, {"pos": {v: POS[v] for v in range(33)}}, "no position for node 33") for call in (karate, page)),
    (page, {"pos": POS | {5: (math.nan, 0)}}, "node 5"),
    (square, {"ax": Figure().add_subplot(projection="3d")}, "ax is 3-D and pos has 2 coordinates; lay out with dim=3"),
]
COLORS = [
    (kinds, {"color": "kond"}, "unknown node attribute or color for color 'kond': did you mean 'kind'"),
    (kinds, {"color": [1, 2]}, "color has 2 entries and the graph has 4 nodes"),
    *(
        (call, {"color": color}, said)
        for call in (square, functools.partial(nl.explore, SQUARE, CORNERS))
        for color, said in [
            ("crimsonn", r"color 'crimsonn': did you mean the color 'crimson'\? Allowed: 'degree', "),
            ("colour", r"unknown node attribute .*'colour'.*; the nodes have no attributes"),
        ]
    ),
    (page, {"color": "clib"}, r"'clib'.*'club'"),
    (page, {"color": ["a"] * 3}, r"color has 3 entries.*34 nodes"),
    (page, {"color": CLUB}, "at most 60 classes"),
    (pair, {"color": (0.5, 1.5), "cmap": "virids"}, "unknown cmap 'virids': did you mean 'viridis'"),
    (pair, {"color": (0.5, 1.5), "cmap": 3}, "cmap must be the name of a matplotlib colormap, or a Colormap; got 3"),
    (pair, {"palette": ["red"]}, "palette must have a color for each of the 2 classes; got 1 colors"),
    (pair, {"palette": {"a": "red"}}, "palette must have a color for each class; got none for 'b'"),
    (pair, {"palette": ["red", "bleu"]}, "palette must hold matplotlib colors, .*; got 'bleu'"),
    (pair, {"palette": "tab01"}, "unknown palette 'tab01': did you mean .*'tab10'"),
    (pair, {"alpha": 2}, "alpha must be an opacity from 0 to 1; got 2"),
    (pair, {"alpha": "half"}, "alpha must be an opacity from 0 to 1; got 'half'"),
    (pair, {"background": "drak"}, "background must be .*; got 'drak'"),
    (points, {"labels": ["a", "b"], "color": "red"}, "labels and color are both given"),
    (points, {"labels": ["a"]}, "labels"),
]
EDGES = [
    (lines, {"edge_color": "wieght"}, "unknown edge attribute or color for edge_color 'wieght': did you mean 'weight'"),
    (lines, {"edge_color": [1.5, "a", 2.0]}, "edge_color must hold only texts, only numbers or only dates; got 'a'"),
    (lines, {"edge_color": ["red"]}, "edge_color must have one entry for each of the 3 edges; got 1 entries"),
    (lines, {"edge_color": ["x", "y", "x"], "palette": {"x": "red"}}, "palette must have a color for .* none for 'y'"),
    (lines, {"edge_width": "wieght"}, "unknown edge attribute for edge_width 'wieght': did you mean 'weight'"),
    (lines, {"edge_width": [1, -2, 3]}, r"edge \('a', 'c'\) has edge_width -2; every .* must be a finite number >= 0"),
    (lines, {"edge_width": {("x", "y"): 1}}, r"must have edges for keys, such as \('a', 'b'\); got other keys"),
    (lines, {"edge_width": -1}, "edge_width must be points, a number >= 0; got -1"),
    (lines, {"arrows": "yes"}, "arrows must be True, False or \"auto\"; got 'yes'"),
    (pair, {"edges": "bundeld"}, "unknown edges 'bundeld': did you mean 'bundled'"),
    (pair, {"edges": 3}, "edges must be one of 'straight', 'faded', 'bundled', 'none'; got 3"),
    (page, {"weight": "wight"}, "'wight'"),
    (
        functools.partial(nl.draw, MANY, nx.circular_layout(MANY)),
        {"edges": "bundled"}, "takes up to 20,000 edges; the graph has 20,002",
    ),
]  # fmt: skip
OTHERS = [
    (kinds, {"labels": "kond"}, "unknown node attribute for labels 'kond': did you mean 'kind'"),
    (page, {"labels": "clib"}, r"'clib'.*'club'"),
    (page, {"labels": ["a", "b"]}, r"labels has 2 entries.*34 nodes"),
    (square, {"labels": True, "font_size": 0}, r"font_size must be a number of points > 0; got 0"),
    (kinds, {"path": "picture.jpeg"}, "unknown output format 'jpeg'"),
    (kinds, {"path": "graph.gexf"}, r"is a file of a graph, .*write_positions\('graph.gexf', G, pos\)"),
    (kinds, {"path": "nowhere/picture.png"}, "folder .* does not exist; make it first"),
    (page, {"path": "nowhere/page.html"}, "folder .* does not exist; make it first"),
    (karate, {"path": "a.html"}, r"nelayout.explore\(G, pos, 'a.html'\) writes it"),
    (kinds, {"node_size": -1.0}, "node_size .*-1"),
    *(
        (square, {"node_size": size}, "node 0 the diameter 300, and the whole drawing is 2 wide.*node_size_from_points")
        for size in (300, {0: 300, 1: 1, 2: 1, 3: 1})
    ),
    (square, {"ax": np.array([[1, 2]], object)}, r"ax must be matplotlib axes; got an array of 2 axes\. Pass one"),
    (square, {"ax": 3}, "ax must be matplotlib axes; got 3"),
    (square, {"title": 3}, "title must be a text or None; got 3"),
    (square, {"figsize": 8}, r"figsize must be width and height in inches, such as \(8, 6\); got 8"),
    (square, {"width_mm": -3}, "width_mm must be a width in millimeters, such as 89 or 183; got -3"),
    (square, {"width_mm": 89, "figsize": (3, 3)}, "figsize must be left out if width_mm gives the size"),
    (square, {"legend": "bottom"}, "legend must be .*'bottom'. legend_title='bottom' gives a heading"),
    (square, {"vmin": 1.0}, "vmin must be the end of a scale; got one color"),
    (kinds, {"color": "kind", "vmax": 1.0}, "vmax must be the end of a scale; got classes"),
    (square, {"color": [0.5, 1, 2, 3], "vmin": 4}, "vmin must be below vmax"),
    (square, {"color": [0.5, 1, 2, 3], "vmin": "a"}, "vmin must be an end of the scale of numbers; got 'a'"),
    (square, {"labels": 0}, "labels must be a number >= 1 of nodes"),
    (nl.node_size_from_points, {"points": -1}, "the dot .*-1"),
    (nl.node_size_from_points, {"points": 1, "figure": "a page"}, "width and height in inches.*; got 'a page'"),
    (nl.node_size_from_points, {"points": 1, "figure": (6.4, 0)}, r"figure must be .*; got \(6.4, 0\)"),
    *(
        (square, {slip: 1}, f"unknown keyword of draw '{slip}': did you mean .*'{word}'")
        for slip, word in [("with_labels", "labels"), ("node_color", "edge_color"), ("edgewidth", "edge_width")]
    ),
    (points, {"colr": "red"}, "'colr': did you mean 'color'"),
]


@pytest.mark.parametrize(("call", "given", "said"), [*PLACES, *COLORS, *EDGES, *OTHERS])
def test_what_is_refused(call, given, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError), match=said) as caught:
        call(**given)
    of_networkx = call not in (points, nl.node_size_from_points) and "path" not in given
    assert isinstance(caught.value, (nx.NetworkXError, TypeError)) or not of_networkx
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_a_series_heads_its_explanation():
    """In legends, and beside scales."""
    kind, size = pandas.Series(list("abab"), name="kind"), pandas.Series([0.5, 1, 2, 3], name="size")
    for figure in (square(color=kind), nl.plot(np.array(list(CORNERS.values())), kind)):
        legend: Any = figure.axes[0].get_legend()
        assert legend.get_title().get_text() == "kind"
    bar: Any = square(color=size).axes[0].child_axes[0]
    assert bar.get_title(loc="left") == "size"
