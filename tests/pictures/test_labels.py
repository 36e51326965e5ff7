"""Labels of nl.draw: each stands at its own node, none covers another, and a note counts those without room."""

from __future__ import annotations

import re
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas
import pytest

pytest.importorskip("matplotlib")

from drawn import dots_of, inside, panels
from tables import first

import nelayout as nl

NOTE = re.compile(r"([\d,]+) of ([\d,]+) labels have no room")


def labels_of(figure: Any, names: dict) -> tuple[dict, int]:
    """{node: box in pixels} of the written labels, and the number that the note counts as left out."""
    figure.canvas.draw()
    node = {text: v for v, text in names.items()}
    texts = [t for t in figure.axes[0].texts if t.get_visible()]
    notes = [found for t in texts if (found := NOTE.fullmatch(t.get_text().replace("\n", " ")))]
    left_out = int(notes[0][1].replace(",", "")) if notes else 0
    return {node[t.get_text()]: t.get_window_extent() for t in texts if t.get_text() in node}, left_out


def radius_of(ax: Any) -> float:
    """The largest radius of a dot in pixels."""
    return dots_of(ax).get_widths().max() / 2 * ax.transData.get_matrix()[0, 0]


def away(box: Any, P: np.ndarray) -> np.ndarray:
    """The distances of points to a box."""
    return np.hypot(*np.maximum(np.maximum([box.x0, box.y0] - P, P - [box.x1, box.y1]), 0.0).T)


def check(figure: Any, pos: dict, names: dict) -> dict:
    """Every label touches its node, is nearer to no other one, keeps half a letter apart, and is counted or written."""
    boxes, left_out = labels_of(figure, names)
    assert len(boxes) + left_out == len(names)
    ax = figure.axes[0]
    nodes = list(pos)
    P = ax.transData.transform(np.array([pos[v] for v in nodes], float)[:, :2])
    for v, box in boxes.items():
        own, distance = nodes.index(v), away(box, P)
        assert np.flatnonzero(distance <= distance[own]).tolist() == [own], v
        assert distance[own] < radius_of(ax) + 6 * figure.dpi / 72
        assert inside(figure, box)
    placed = list(boxes.values()) + ([ax.get_legend().get_window_extent()] if ax.get_legend() is not None else [])
    assert not any(a.overlaps(b) for i, a in enumerate(placed) for b in placed[:i])
    half = 0.25 * 8 * figure.dpi / 72  # of a letter
    for a, b in combinations(boxes.values(), 2):
        assert not (a.y0 < b.y1 and b.y0 < a.y1 and a.x0 - half < b.x1 and b.x0 - half < a.x1)
    return boxes


def cloud(n: int, seed: int) -> tuple[nx.Graph, dict, dict]:
    """A made-up graph: points of uneven density, some of them at one place, and names of uneven length."""
    rng = np.random.default_rng(seed)
    Y = np.concatenate([rng.normal(size=(n // 2, 2)), 0.05 * rng.normal(size=(n - n // 2, 2)) + [3.0, 1.0]])
    Y[n // 2 : n // 2 + 3] = Y[0]
    G = nx.gnm_random_graph(n, 2 * n, seed=seed)
    return G, dict(zip(G, Y, strict=True)), {v: f"{'node ' * (v % 4)}{v}" for v in G}


@pytest.mark.parametrize("figsize", [None, (4.0, 3.0), (12.0, 9.0)], ids=["default", "small", "large"])
@pytest.mark.parametrize("n", [3, 12, 40, pytest.param(200, marks=pytest.mark.full)])
def test_the_nearest_node_of_every_label_is_its_own(n, figsize):
    for seed in range(2):
        G, pos, names = cloud(n, seed)
        look = {"color": [f"class {v % 3}" for v in G], "title": "Names"} if seed else {"node_size": "degree"}
        boxes = check(nl.draw(G, pos, labels=names, figsize=figsize, **look), pos, names)
        assert boxes or n == 3 or figsize == (4.0, 3.0)


def test_known_graphs_have_most_of_their_names():
    """Medians over three seeds: how many names have room depends on the drawing."""
    karate = nx.karate_club_graph()
    for G, least in ((nx.les_miserables_graph(), (60, 20)), (nx.relabel_nodes(karate, "member {}".format), (30, 8))):
        names = {v: str(v) for v in G}
        drawings = [nl.ws_sne_layout(G, seed=seed) for seed in range(3)]
        for figsize, few in zip((None, (4, 3)), least, strict=True):
            shown = [len(check(nl.draw(G, pos, labels=True, figsize=figsize), pos, names)) for pos in drawings]
            assert np.median(shown) >= few


def test_all_asked_labels_are_tried_and_ties_of_degrees_are_spread():
    G = nx.barabasi_albert_graph(500, 2, seed=0)
    pos = nl.ws_sne_layout(G, seed=0)
    asked = {v: f"person {v}" for v in range(490, 500)}
    assert len(check(nl.draw(G, pos, labels=asked, figsize=(30, 30), dpi=50), pos, asked)) == 10
    groups = nx.relaxed_caveman_graph(12, 8, 0.0, seed=0)
    pos = nl.ws_sne_layout(groups, seed=0)
    boxes = check(nl.draw(groups, pos, labels=True), pos, {v: str(v) for v in groups})
    assert {v // 8 for v in boxes} == set(range(12)), "every group has names"


AIRPORTS = Path(__file__).parents[2] / "examples" / "data" / "usairports2010.graphml"


@pytest.mark.parametrize("name", ["les miserables", pytest.param("airports", marks=pytest.mark.full)])
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_labels_of_real_graphs_stand_at_their_nodes_at_every_size(name, layout):
    G = nx.les_miserables_graph() if name == "les miserables" else nx.Graph(nx.read_graphml(AIRPORTS))
    pos, names = nl.layout(G, seed=0, weight=None), {v: str(v) for v in G}
    look = {"labels": True, "color": [f"class {k % 9}" for k in range(len(G))], "title": name}
    for size in ((3.5, 2.8), (7.0, 5.0)):
        assert check(nl.draw(G, pos, figsize=size, **look), pos, names)
    figure, axes = panels(layout, 2, 2, (7.0, 5.0), facecolor="black")
    for ax in axes.flat:
        nl.draw(G, pos, ax=ax, **look)
    counts = []
    for size in ((3.5, 3.0), (15.0, 9.0), (7.0, 5.0)):
        figure.set_size_inches(*size)
        counts.append(len(check(figure, pos, names)))
    assert counts[0] < counts[2] < counts[1]


def test_labels_of_chosen_nodes_are_drawn_or_listed():
    G = nx.barabasi_albert_graph(3000, 2, seed=0)
    pos = nx.random_layout(G, seed=0)
    asked = {v: f"person {v}" for v in range(2990, 3000)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = nl.draw(G, pos, labels=asked, figsize=(3.5, 2.6))
        figure.canvas.draw()
    written = {text.get_text() for text in figure.axes[0].texts} & set(asked.values())
    (said,) = [str(each.message) for each in caught]
    assert set(re.findall(r"'(person \d+)'", said)) == set(asked.values()) - written
    assert said.startswith(f"{10 - len(written)} of 10 labels have no room beside their node and are left out: ")
    assert len(check(nl.draw(G, pos, labels=asked, figsize=(40, 40), dpi=50), pos, asked)) == 10


def cross(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Whether the lines ab and cd cross."""
    M = np.stack([b - a, c - d], axis=1)
    if abs(np.linalg.det(M)) < 1e-9:
        return False
    s, t = np.linalg.solve(M, c - a)
    return bool(0 <= s <= 1 and 0 <= t <= 1)


CROWDS = {
    "les miserables": nx.les_miserables_graph(),
    "groups": nx.relaxed_caveman_graph(12, 8, 0.05, seed=0),
    "hubs": nx.barabasi_albert_graph(300, 2, seed=0),
}


@pytest.mark.parametrize("method", first(["ws_sne", "linlog", "tsne"], 2))
@pytest.mark.parametrize("name", CROWDS)
def test_ten_chosen_labels_are_complete_in_a_column_and_in_panels(name, method):
    """A label is at its node, or a line that meets no other label joins it to its node."""
    G = CROWDS[name]
    pos = getattr(nl, f"{method}_layout")(G, seed=0)
    ten = {v: v if isinstance(v, str) else f"node {v}" for v in sorted(G, key=G.degree, reverse=True)[:10]}
    column: Any = nl.draw(G, pos, figsize=(3.4, 2.8), font_size=6, labels=ten)
    row, axes = panels("constrained")
    for ax in axes:
        nl.draw(G, pos, ax=ax, font_size=6, labels=ten, title=method)
    for figure, ax in ((column, column.axes[0]), (row, axes[0])):
        figure.canvas.draw()
        boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
        assert set(boxes) == set(ten.values())
        P = ax.transData.transform(np.array([pos[v] for v in G], float))
        lines = [ax.transData.transform(line.get_xydata()) for line in ax.lines]  # from a node to its label
        for v, text in ten.items():
            box, own = boxes[text], list(G).index(v)
            rims = [abs(float(np.hypot(*(start - P[own]))) - radius_of(ax)) for start, _ in lines]
            mine = [end for (_, end), rim in zip(lines, rims, strict=True) if rim < 1e-3]  # the dot stays visible
            near = [box.padded(6).contains(*end) for end in mine]
            assert near == [True] or (not near and away(box, P).argmin() == own)
        for k, (a, b) in enumerate(lines):
            along = a + np.linspace(0, 1, 200)[:, None] * (b - a)
            met = {text for text, box in boxes.items() if any(box.contains(*point) for point in along)}
            assert len(met) <= 1, (k, met)
        assert not any(cross(*x, *y) for x, y in combinations(lines, 2))
        assert not any(x.overlaps(y) for x, y in combinations(boxes.values(), 2))


def test_lines_are_for_chosen_nodes_only_and_the_note_needs_no_legend():
    G = CROWDS["hubs"]
    ax = nl.draw(G, nx.random_layout(G, seed=0), labels=True, legend=False).axes[0]
    assert not ax.lines
    assert [text for text in ax.texts if NOTE.fullmatch(text.get_text())]


def test_labels_stand_on_nodes_without_dots():
    G = nx.grid_2d_graph(4, 4)
    pos = {v: (float(v[0]), float(v[1])) for v in G}
    figure: Any = nl.draw(G, pos, labels=True, node_size=0)
    figure.canvas.draw()
    found = {text.get_text(): text.get_position() for text in figure.axes[0].texts}
    assert found == {str(v): pytest.approx(pos[v]) for v in G}


def test_axes_of_a_layout_warn_when_the_figure_is_drawn():
    G = nx.empty_graph(4)
    pos = [(0, 0), (1, 0), (0, 1), (1, 1)]
    figure, ax = panels("constrained", 1, 1, (2, 2))
    nl.draw(G, pos, labels={0: "a name that is far too long for so small a figure"}, ax=ax)
    with pytest.warns(UserWarning, match="1 of 1 labels have no room"):
        figure.canvas.draw()
    figure.set_size_inches(12, 12)
    figure.canvas.draw()
    assert len(figure.axes[0].texts) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_nodes_does_not_choose_the_labels(seed):
    G = nx.relaxed_caveman_graph(12, 8, 0.05, seed=0)
    pos = nl.ws_sne_layout(G, seed=0)
    order = np.random.default_rng(seed).permutation(len(G)).tolist()
    H = nx.Graph()
    H.add_nodes_from(order)
    H.add_edges_from(G.edges)
    one, other = (nl.draw(graph, pos, labels=True, figsize=(4, 4)).axes[0].texts for graph in (G, H))
    assert {(t.get_text(), t.get_position()) for t in one} == {(t.get_text(), t.get_position()) for t in other}


def test_labels_leave_room_for_a_title():
    G = nx.cycle_graph(12)
    figure: Any = nl.draw(G, nx.circular_layout(G), labels=True)
    figure.axes[0].set_title("A title of the user")
    figure.canvas.draw()
    title = figure.axes[0].title.get_window_extent()
    assert not any(text.get_window_extent().overlaps(title) for text in figure.axes[0].texts)


def test_nodes_at_one_place_have_no_labels_and_the_note_says_so():
    figure = nl.draw(nx.empty_graph(5), [(3.0, 3.0)] * 5, labels=[f"name {v}" for v in range(5)])
    assert [t.get_text() for t in figure.axes[0].texts] == ["5 of 5 labels have no room"]
    one = nl.draw(nx.empty_graph(2), [(0, 0), (1, 0)], labels=["", "one"])
    assert [t.get_text() for t in one.axes[0].texts] == ["one"]


def test_hubs_come_first():
    G = nx.barabasi_albert_graph(300, 2, seed=1)
    pos = nx.random_layout(G, seed=1)
    names = {v: f"node {v}" for v in G}
    boxes = check(nl.draw(G, pos, labels=names), pos, names)
    assert 20 < len(boxes) < 300
    assert set(sorted(G, key=G.degree, reverse=True)[:20]) <= set(boxes)
    assert np.mean([G.degree[v] for v in boxes]) > np.mean([G.degree[v] for v in set(G) - set(boxes)]) + 1


@pytest.mark.parametrize("size", [6, 12])
def test_texts_are_written_as_they_are_in_letters_of_this_size(size):
    G = nx.relabel_nodes(nx.cycle_graph(4), {0: "zero", 1: 1.0, 2: "t$w$o", 3: "three"})
    texts = nl.draw(G, nx.circular_layout(G), labels=True, font_size=size).axes[0].texts
    assert sorted(t.get_text() for t in texts) == ["1", "t$w$o", "three", "zero"]
    assert {t.get_fontsize() for t in texts} == {size}


def test_labels_without_a_value_are_empty_and_numbers_of_numpy_are_plain():
    absent = [None, float("nan"), pandas.NaT, pandas.NA, np.datetime64("NaT"), np.ma.masked]
    G = nx.cycle_graph(len(absent) + 2)
    texts = [*absent, "one", np.float64(2.0)]
    nx.set_node_attributes(G, dict(enumerate(texts)), "text")
    for labels in ("text", texts, dict(enumerate(texts)), pandas.Series(texts, dtype=object)):
        drawn = nl.draw(G, nx.circular_layout(G), labels=labels).axes[0].texts
        assert sorted(t.get_text() for t in drawn) == ["2", "one"]
        page = nl.explore(G, nx.circular_layout(G), labels=labels)
        assert page.names == [*map(str, range(len(absent))), "one", "2"]
    names = [(np.int64(0), np.float64(0.5)), frozenset([np.int32(1)]), (("a", np.uint8(2)), np.bool_(True))]
    G = nx.path_graph(names)
    plain = ["(0, 0.5)", "frozenset({1})", "(('a', 2), True)"]
    assert nl.explore(G, nx.circular_layout(G)).names == plain
    assert [t.get_text() for t in nl.draw(G, nx.circular_layout(G), labels=True).axes[0].texts] == [
        plain[1], *sorted([plain[0], plain[2]])
    ]
