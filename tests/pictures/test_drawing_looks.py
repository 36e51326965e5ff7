"""nl.draw on dark paper, classes for every eye, edges that fade or share a way, and files of sane size."""

import io
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from drawn import dots_of, layer, lengths, pixels
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

import nelayout as nl
from nelayout.pictures.colors import ON_DARK, SHAPE_COLORS
from nelayout.pictures.colors import PALETTE as ON_WHITE
from nelayout.pictures.edges import curves, detours
from nelayout.pictures.paper import DARK

APART = 16.0  # least distance in CIELAB of two colors of one shape, for every kind of reader

# Colors as readers without one kind of cones see them, in linear RGB: Machado, Oliveira and Fernandes, "A
# Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.
SEEN = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])


def linear(colors):
    """sRGB without its curve (IEC 61966-2-1)."""
    c = np.array([to_rgb(color) for color in colors])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear RGB, under D65."""
    x = np.clip(rgb, 0, 1) @ XYZ.T / XYZ.sum(axis=1)
    f = np.where(x > (6 / 29) ** 3, np.cbrt(x), x / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def contrast(a, b):
    """The ratio of WCAG 2.1, which asks for 3 for graphics and 4.5 for letters."""
    low, high = sorted(linear([a, b]) @ XYZ[1])
    return (high + 0.05) / (low + 0.05)


def test_lightness_of_gray_is_known():
    assert lab(linear(["#777777", "#ffffff", "#ff0000"])).round(1).tolist() == [
        [50.0, 0.0, 0.0], [100.0, 0.0, 0.0], [53.2, 80.1, 67.2],
    ]  # fmt: skip


@pytest.mark.parametrize("eye", SEEN)
@pytest.mark.parametrize("colors", [ON_WHITE, ON_DARK], ids=["white", "dark"])
def test_any_two_classes_of_one_shape_differ_for_every_eye(colors, eye):
    for first in range(0, len(colors), SHAPE_COLORS):
        places = lab(linear(colors[first : first + SHAPE_COLORS]) @ np.array(SEEN[eye]).T)
        apart = np.linalg.norm(places[:, None] - places, axis=2)[np.triu_indices(SHAPE_COLORS, 1)]
        assert apart.min() >= APART


@pytest.mark.parametrize("colors", [ON_WHITE, ON_DARK], ids=["white", "dark"])
def test_no_color_is_that_of_another_shape_nor_that_of_the_paper(colors):
    places = lab(linear(colors))
    assert np.linalg.norm(places[:, None] - places, axis=2)[np.triu_indices(len(colors), 1)].min() >= 12
    background = "white" if colors is ON_WHITE else DARK.color
    assert min(contrast(color, background) for color in colors) >= (3.0 if colors is ON_DARK else 1.5)


def test_classes_beyond_the_eighth_have_other_shapes():
    G = nx.empty_graph(20)
    figure = nl.draw(G, nx.circular_layout(G), color=[f"class {v:02}" for v in G])
    corners = [len(path.vertices) for path in dots_of(figure).get_paths()]
    assert [corners.count(corners[k]) for k in (0, 8, 16)] == [8, 8, 4]
    legend: Any = figure.axes[0].get_legend()
    assert [entry.get_marker() for entry in legend.legend_handles] == ["o"] * 8 + ["^"] * 8 + ["s"] * 4
    few = nl.draw(G, nx.circular_layout(G), color=[f"class {v % 8}" for v in G])
    assert len(dots_of(few).get_paths()) == 1


@pytest.mark.parametrize(("background", "behind"), [("dark", DARK.color), ("#102a10", "#102a10"), ("navy", "#000080")])
def test_everything_can_be_read_on_dark_paper(background, behind):
    G = nx.path_graph(9)
    colors = [None, *"abcdefgh"]
    figure = nl.draw(G, nx.circular_layout(G), color=colors, labels=True, background=background, title="title")
    ax = figure.axes[0]
    assert to_hex(figure.get_facecolor()) == behind
    legend = ax.get_legend()
    assert legend is not None
    texts = [*ax.texts, ax.title, *legend.get_texts()]
    assert len(texts) == 18
    assert min(contrast(text.get_color(), behind) for text in texts) >= 7
    drawn = dots_of(figure)
    assert min(contrast(color[:3], behind) for color in drawn.get_facecolors()) >= 1.8
    assert {to_hex(color) for color in drawn.get_edgecolors()} == {behind}
    assert contrast(layer(figure, LineCollection).get_colors()[0][:3], behind) >= 7
    scale = nl.draw(G, nx.circular_layout(G), color=[v / 2 for v in G], background=background)
    assert min(contrast(color[:3], behind) for color in dots_of(scale).get_facecolors()) >= 1.8
    (bar,) = scale.axes[0].child_axes
    assert min(contrast(text.get_color(), behind) for text in bar.get_yticklabels()) >= 7


def test_paper_without_color_is_not_painted_and_a_figure_s_own_is_followed():
    G = nx.path_graph(2)
    assert pixels(nl.draw(G, [[0, 0], [1, 1]], background=None))[0, 0, 3] == 0
    ax = Figure(facecolor="black").add_subplot()
    nl.draw(G, [[0, 0], [1, 1]], ax=ax, labels=True)
    assert {contrast(text.get_color(), "black") > 7 for text in ax.texts} == {True}
    assert not ax.patches
    ax = Figure(facecolor="white").add_subplot()
    nl.draw(G, [[0, 0], [1, 1]], ax=ax, background="dark")
    assert [to_hex(artist.get_facecolor()) for artist in ax.patches] == [DARK.color]
    points = nl.plot(np.eye(3)[:, :2], ["a", "b", "c"], background="dark")
    assert [to_hex(c) for c in dots_of(points).get_facecolors()] == list(ON_DARK[:3])


def test_faded_edges_are_the_fainter_the_longer():
    """Twice as long is half as strong beyond the lower quartile, down to a tenth, whatever else is drawn."""
    G = nx.Graph([(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)])
    pos = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [2, 2], [0, 3], [4, 3], [0, 4], [40, 4]], float)
    lines = layer(nl.draw(G, pos, edges="faded"), LineCollection)
    alpha = dict(zip(lengths(lines), lines.get_colors()[:, 3], strict=False))
    assert alpha[1.0] == pytest.approx(2 * alpha[2.0])
    assert alpha[2.0] == pytest.approx(2 * alpha[4.0])
    assert alpha[1.0] == pytest.approx(10 * alpha[40.0])


def slow_detours(G, pos, longest=2.0):
    """Edge-path bundling with Dijkstra's search of networkx: {edge: path}."""
    length = {frozenset(e): float(np.hypot(*(pos[e[0]] - pos[e[1]]))) for e in G.edges}
    H = nx.Graph()
    H.add_weighted_edges_from((*sorted(e), s**2) for e, s in length.items())
    kept, ways = set(), {}
    for e in sorted(length, key=lambda e: (-length[e], sorted(e))):
        if e in kept:
            continue
        u, v = sorted(e)
        H.remove_edge(u, v)
        path = nx.shortest_path(H, u, v, weight="weight") if nx.has_path(H, u, v) else [u]
        steps = [frozenset(step) for step in pairwise(path)]
        if len(path) == 1 or sum(length[step] for step in steps) > longest * length[e]:
            H.add_edge(u, v, weight=length[e] ** 2)
            continue
        kept.update(steps)
        ways[e] = path
    return ways


@pytest.mark.parametrize("seed", range(3))
def test_detours_are_those_of_the_definition(seed):
    G = nx.gnm_random_graph(30, 90, seed=seed)
    pos = np.random.default_rng(seed).random((30, 2))
    rows, cols = np.array(G.edges).T
    ways = detours(pos, rows, cols)
    wanted = slow_detours(G, pos)
    assert 5 < len(wanted) < 85
    for i, j, way in zip(rows.tolist(), cols.tolist(), ways, strict=True):
        path = wanted.get(frozenset((i, j)), [i, j])
        assert way.tolist() == (path if path[0] == i else path[::-1])
        curve = curves(pos, [way])[0]
        assert np.allclose(curve[[0, -1]], pos[[i, j]])
    back = detours(pos, np.concatenate([rows, cols]), np.concatenate([cols, rows]))
    assert all((a == b[::-1]).all() for a, b in zip(back[: len(rows)], back[len(rows) :], strict=True))


def test_a_curve_is_bezier_s():
    """B(t) = sum of C(p, i) t^i (1 - t)^(p - i) P_i."""
    P = np.random.default_rng(0).normal(size=(6, 3))
    (curve,) = curves(P, [np.arange(6)])
    t = np.linspace(0, 1, len(curve))[:, None]
    by_hand = sum(c * t**i * (1 - t) ** (5 - i) * P[i] for i, c in enumerate((1, 5, 10, 10, 5, 1)))
    assert np.allclose(curve, by_hand)


def test_bundled_edges_end_at_their_nodes_and_their_heads_at_borders():
    G = nx.DiGraph([(0, 1), (1, 2), (0, 2), (3, 0)])
    pos = np.array([[0.0, 0.0], [1.0, 0.3], [2.0, 0.0], [0.0, 1.0]])
    figure = nl.draw(G, pos, edges="bundled", node_size=0.2)
    lines = layer(figure, LineCollection).get_segments()
    (bent,) = [line for line in lines if len(line) > 2]
    assert bent[0].tolist() == [0.0, 0.0]
    heads = layer(figure, PolyCollection)
    tips = [path.vertices[0] for path in heads.get_paths()]
    assert sorted(np.hypot(*(tip - pos).T).min().round(6) for tip in tips) == [0.1] * 4
    plain = layer(nl.draw(G, pos, edges="bundled", node_size=0.2, arrows=False), LineCollection).get_segments()
    assert {(tuple(s[0]), tuple(s[-1])) for s in plain} <= {(tuple(pos[i]), tuple(pos[j])) for i in G for j in G}


def test_bundles_and_fading_in_space():
    G = nx.complete_graph(8)
    pos = np.random.default_rng(0).normal(size=(8, 3))
    for edges in ("bundled", "faded"):
        assert nl.draw(G, pos, edges=edges, background="dark").axes
        ax = Figure().add_subplot(projection="3d")
        image = pixels(nl.draw(G, pos, ax=ax, edges=edges, background="dark"), dpi=100)
        left, bottom = ax.transAxes.transform((0.05, 0.05)).astype(int)
        assert to_hex(image[480 - bottom, left]) == DARK.color, "beside the drawing, within the axes"


def test_the_legend_of_axes_in_space_lies_beside_them():
    """However the drawing is turned, it stays within its axes, and the legend within those that were given."""
    G = nx.empty_graph(9)
    ax: Any = Figure().add_subplot(projection="3d")
    given = ax.get_position()
    nl.draw(G, np.random.default_rng(0).normal(size=(9, 3)), ax=ax, color=list("abcdefghi"))
    legend = ax.get_legend()
    assert legend is not None
    box = legend.get_window_extent().transformed(ax.figure.transFigure.inverted())
    assert ax.get_position().x1 <= box.x0
    assert box.x1 <= given.x1
    assert len(ax.collections) == 2, "circles, and triangles from the ninth class on"


@pytest.mark.parametrize(("n", "kilobytes"), [(30, 60), (3000, 2000)])
@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_vector_files_have_a_sane_size(n, kilobytes, kind):
    G = nx.random_regular_graph(4, n, seed=0)
    content = io.BytesIO()
    nl.draw(G, np.random.default_rng(0).random((n, 2)), content, format=kind)
    assert len(content.getvalue()) < 1000 * kilobytes
