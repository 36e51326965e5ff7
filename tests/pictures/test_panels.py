"""Panels, legends and titles of nl.draw: one size in a row, and everything in its place at any size of the figure."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from drawn import dots_of, inside, layer, panels, pixels
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from mpl_toolkits.axes_grid1 import make_axes_locatable
from mpl_toolkits.axes_grid1.inset_locator import inset_axes

import nelayout as nl
from nelayout.pictures.colors import PALETTE
from nelayout.pictures.legend import text_size

G = nx.les_miserables_graph()
POS = nx.kamada_kawai_layout(G)
KIND = [f"group {k % 5}" for k in range(len(G))]
FLAT = {v: (x, 0.2 * y) for v, (x, y) in POS.items()}


def places(ax: Any) -> np.ndarray:
    """(n, 2) pixels of the nodes."""
    return ax.transData.transform(dots_of(ax).get_offsets())


def extent(ax: Any) -> np.ndarray:
    return np.ptp(places(ax), axis=0)


def explanation(ax: Any) -> Any:
    """The box in pixels of a legend or color bar."""
    return ax.get_legend().get_window_extent() if ax.get_legend() is not None else ax.child_axes[0].get_tightbbox()


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
@pytest.mark.parametrize("pos", [POS, FLAT], ids=["square", "flat"])
def test_panels_in_a_row_show_one_layout_at_one_size(layout, pos):
    figure, axes = panels(layout)
    nl.draw(G, pos, ax=axes[0], color=KIND, title="classes", legend_title="group")
    nl.draw(G, pos, ax=axes[1], color="degree", title="degree", labels=True)
    nl.draw(G, pos, ax=axes[2], node_size=0.05, title="plain")
    for size in ((7.0, 2.6), (4.0, 2.0), (14.0, 7.0)):
        figure.set_size_inches(*size)
        figure.canvas.draw()
        for ax in axes[1:]:
            np.testing.assert_allclose(extent(ax), extent(axes[0]), rtol=1e-6)
        for ax in axes:
            gap = ax.title.get_window_extent().y0 - places(ax)[:, 1].max()
            assert 0 < gap < 0.3 * figure.dpi, "the title stands on the drawing"


@pytest.mark.parametrize("shared", [{"sharex": True, "sharey": True}, {"sharex": True}, {"sharey": True}], ids=str)
def test_panels_with_shared_limits_show_all_nodes_of_each_drawing(shared):
    figure = Figure(figsize=(7.0, 2.6))
    axes = figure.subplots(1, 3, **shared)
    for ax, factor in zip(axes, (3.0, 1.0, 0.5), strict=True):
        nl.draw(G, {v: (factor * x + factor, factor * y) for v, (x, y) in POS.items()}, ax=ax)
    figure.canvas.draw()
    for ax in axes:
        low, high = ax.bbox.get_points()
        assert (places(ax) >= low - 1e-6).all()
        assert (places(ax) <= high + 1e-6).all()


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_titles_of_a_row_have_one_height_and_dots_have_a_margin(layout):
    figure, axes = panels(layout, 1, 2)
    for ax, pos in zip(axes, (POS, FLAT), strict=True):
        nl.draw(G, pos, ax=ax, title="one", font_size=4)
    for size in ((7.0, 2.6), (10.0, 5.0)):
        figure.set_size_inches(*size)
        figure.canvas.draw()
        one, other = (ax.title.get_window_extent().y0 for ax in axes)
        assert one == pytest.approx(other, abs=0.1)
        for ax in axes:
            radius = dots_of(ax).get_widths().max() / 2 * ax.transData.get_matrix()[0, 0]
            cell = ax.get_position(original=True).transformed(figure.transFigure)
            assert cell.x0 < places(ax)[:, 0].min() - radius
            assert places(ax)[:, 0].max() + radius < cell.x1
    usual = nl.draw(G, POS, title="one").axes[0].title.get_fontsize()
    assert float(axes[0].title.get_fontsize()) == pytest.approx(float(usual) / 2)
    axes[1].set_title("another")
    figure.canvas.draw()
    top = axes[1].get_window_extent().y1
    assert axes[1].title.get_window_extent().y0 == pytest.approx(top, abs=0.1 * figure.dpi)


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_legends_of_panels_cover_no_drawing(layout):
    figure, axes = panels(layout)
    for k, ax in enumerate(axes):
        nl.draw(G, POS, ax=ax, color=KIND if k % 2 == 0 else "degree")
    figure.canvas.draw()
    figure.canvas.draw()
    for k, ax in enumerate(axes):
        box = explanation(ax)
        assert places(ax)[:, 0].max() < box.x0
        assert box.x1 < (places(axes[k + 1])[:, 0].min() if k < 2 else figure.bbox.x1 + 1)


def test_a_layout_engine_gives_room_to_legends_and_to_drawings():
    def width(legend: bool, layout: str | None) -> float:
        figure, axes = panels(layout)
        for k, ax in enumerate(axes):
            nl.draw(G, POS, ax=ax, color=KIND, legend=legend and k == 2)
        figure.canvas.draw()
        return extent(axes[0])[0] / figure.dpi

    assert width(True, "constrained") == pytest.approx(width(False, "constrained") - 1.0 / 3, abs=0.1)
    assert width(True, None) > 0.8 * width(False, None), "the legend stands in the margin of the figure"


def test_cleared_axes_are_free_again_and_a_changed_view_stays():
    figure, (ax, other) = panels(None, 1, 2)
    given = ax.get_position(original=True).bounds
    assert nl.draw(G, POS, ax=ax, color=KIND, labels=True) is figure
    assert not other.collections
    nl.draw(G, POS, ax=other)
    ax.set_xlim(-0.1, 0.1)
    figure.canvas.draw()
    assert ax.get_xlim() == (-0.1, 0.1)
    ax.clear()
    ax.set_aspect("auto")
    ax.plot([0, 1], [0, 1])
    figure.canvas.draw()
    assert ax.get_position().bounds == pytest.approx(given)
    assert len(ax.texts) == 0


def shown(ax: Any) -> np.ndarray:
    """Low and high (2, 2) of what axes show."""
    return np.sort([ax.get_xlim(), ax.get_ylim()], axis=1).T


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("made", ["child", "divider", "anchored"])
def test_inset_axes_show_a_drawing_in_their_box(made, layout):
    figure, (ax, _) = panels(layout, 1, 2)
    ax.plot([0, 1], [0, 1])
    if made == "child":
        inset = ax.inset_axes((0.5, 0.1, 0.4, 0.3))
    elif made == "divider":
        inset = make_axes_locatable(ax).append_axes("right", size="50%", pad=0.1)
    else:
        inset = inset_axes(ax, "40%", "30%")
    assert nl.draw(G, POS, ax=inset, color=KIND, labels=True) is figure
    for size in ((7.0, 2.6), (10.0, 6.0)):
        figure.set_size_inches(*size)
        figure.canvas.draw()
        outer, drawn = ax.get_window_extent(), places(inset)
        low, high = drawn.min(axis=0), drawn.max(axis=0)
        if made == "child":
            shares = ax.transAxes.inverted().transform([low, high])
            assert (shares >= [0.5, 0.1]).all()
            assert (shares <= [0.9, 0.4]).all()
        elif made == "divider":
            assert low[0] > outer.x1
        else:
            assert (low > [outer.x0 + 0.5 * outer.width, outer.y0 + 0.6 * outer.height]).all()


@pytest.mark.parametrize("inverted", [False, True])
def test_axes_that_show_something_keep_it_in_view(inverted):
    figure, (ax, alone) = panels(None, 1, 2)
    ax.imshow(np.zeros((30, 50)), origin="upper" if inverted else "lower")
    before = shown(ax)
    inside = {v: (25 + 14 * x, 15 + 14 * y) for v, (x, y) in POS.items()}
    nl.draw(G, inside, ax=ax, labels=True)
    np.testing.assert_array_equal(shown(ax), before)
    assert ax.yaxis_inverted() == inverted
    outside = {v: (x + 20, y) for v, (x, y) in inside.items()}
    nl.draw(G, outside, ax=ax)
    view = shown(ax)
    assert (view[0] == before[0]).all()
    assert view[1, 1] == before[1, 1]
    assert view[1, 0] == pytest.approx(max(x for x, _ in outside.values()))
    nl.draw(G, inside, ax=alone)
    once = shown(alone)
    nl.draw(G, inside, ax=alone, edges="none")
    np.testing.assert_allclose(shown(alone), once, rtol=1e-12)
    figure.canvas.draw()
    texts = [text for text in ax.texts if text.get_text() in G]
    assert len(texts) > 2
    for text in texts:  # also of the first drawing, which is smaller since the second one
        box, node = text.get_window_extent(), ax.transData.transform(inside[text.get_text()])
        assert np.hypot(*(node - np.clip(node, box.min, box.max))) < 0.1 * figure.dpi


def test_a_second_drawing_keeps_the_first_one_in_view():
    figure, axes = panels(None, 1, 2)
    far = {v: (x + 9, y - 5) for v, (x, y) in POS.items()}
    for ax, (first, second) in zip(axes, [(POS, far), (far, POS)], strict=True):
        nl.draw(G, first, ax=ax)
        nl.draw(G, second, ax=ax)
        every = np.array([*first.values(), *second.values()])
        np.testing.assert_allclose(shown(ax), [every.min(axis=0), every.max(axis=0)], rtol=1e-9)
    space = figure.add_subplot(projection="3d")
    line = np.arange(9.0).reshape(3, 3)
    for part in (line, line + 50, line - 50):
        nl.draw(nx.path_graph(3), part, ax=space)
    for k, (low, high) in enumerate((space.get_xlim(), space.get_ylim(), space.get_zlim())):
        assert (low, high) == pytest.approx((k - 50, k + 56))


def test_shared_axes_keep_what_other_panels_show():
    figure = Figure()
    FigureCanvasAgg(figure)
    one, other = figure.subplots(1, 2, sharex=True, sharey=True)
    one.scatter([-300, 300], [0, 100])
    before = shown(one)
    for ax in (other, one):
        nl.draw(G, POS, ax=ax)
        assert (shown(other)[0] <= np.minimum(before[0], -1)).all()
        assert (shown(other)[1] >= before[1]).all()


def test_cropped_pictures_keep_everything_beside_its_node():
    figure: Any = nl.draw(G, POS, labels=True, color=KIND, figsize=(7, 5))
    images = pixels(figure, dpi=100), pixels(figure, dpi=100, bbox_inches="tight", pad_inches=0)
    large, small = (np.ptp(np.argwhere((image[:, :, :3] < 1).any(axis=2)), axis=0) for image in images)
    np.testing.assert_allclose(large, small, atol=2)


@pytest.mark.parametrize("width", [3.5, 7.0])
def test_colors_of_3000_nodes_are_seen(width):
    """Dots have their full color; edges, outlines and shadows of dots do not turn them gray."""
    n = 3000
    blocks = nx.planted_partition_graph(3, n // 3, 0.012, 0.0004, seed=0)
    around = np.array([[0.0, 1.0], [1.0, -0.6], [-1.0, -0.6]])
    pos = around[np.arange(n) // (n // 3)] + 0.3 * np.random.default_rng(0).normal(size=(n, 2))
    kinds = [f"block {v // (n // 3)}" for v in range(n)]
    figure = nl.draw(blocks, pos, color=kinds, legend=False, figsize=(width, width), dpi=200)
    image = pixels(figure, dpi=200)[:, :, :3].reshape(-1, 3)
    inked = image[(image < 0.9).any(axis=1)]
    for color in PALETTE[:3]:
        near = np.abs(inked - to_rgb(color)).max(axis=1) < 0.1
        assert near.mean() > 0.03


def test_legends_fit_small_figures_and_have_a_heading():
    for k, size in ((5, (3.5, 2.8)), (12, (3.5, 2.8)), (24, (3.5, 2.8)), (24, (7.0, 3.0))):
        kinds = [f"region {v % k}" for v in range(len(G))]
        figure: Any = nl.draw(G, POS, color=kinds, figsize=size, legend_title="Region")
        figure.canvas.draw()
        legend = figure.axes[0].get_legend()
        box = legend.get_window_extent()
        assert legend.get_title().get_text() == "Region"
        assert inside(figure, box)
        assert [text.get_text() for text in legend.get_texts()] == [f"region {v}" for v in range(k)]
        x, y = places(figure.axes[0]).T
        assert x.max() < box.x0 or y.min() > box.y1, "beside or below all dots"
    bar: Any = nl.draw(G, POS, color="degree", legend_title="number of links").axes[0].child_axes[0]
    assert bar.get_title(loc="left") == "number of links"


def test_cmap_and_palette_choose_the_colors_and_what_whole_numbers_are():
    line, pos = nx.path_graph(3), [(0, 0), (1, 0), (2, 0)]

    plasma = [to_hex(colormaps["plasma"](x)) for x in (0.0, 0.5, 1.0)]
    for look, wanted in (
        ({"color": [1990, 1995, 2000], "cmap": "plasma"}, plasma),
        ({"color": [1990, 1995, 2000], "cmap": colormaps["plasma"]}, plasma),
        ({"color": [1990, 1995, 2000]}, list(PALETTE[:3])),
        ({"color": [0.5, 1.5, 0.5], "palette": ["red", "blue"]}, ["#ff0000", "#0000ff", "#ff0000"]),
        ({"color": ["b", "a", "b"], "palette": {"a": "red", "b": "blue"}}, ["#0000ff", "#ff0000", "#0000ff"]),
        ({"color": ["b", "a", "b"], "palette": "tab10"}, ["#ff7f0e", "#1f77b4", "#ff7f0e"]),
    ):
        drawn = dots_of(nl.draw(line, pos, **look))
        assert [to_hex(c) for c in drawn.get_facecolors()[np.argsort(drawn.get_offsets()[:, 0])]] == wanted
    figure: Any = nl.plot(np.array(pos), [0.5, 1.0, 1.5], cmap="plasma", alpha=0.5)
    assert {to_hex(c) for c in dots_of(figure.axes[0]).get_facecolors()} == set(plasma)


def test_alpha_is_the_opacity_of_dots_alone():
    whole, half = (nl.draw(G, POS, color=KIND, alpha=alpha).axes[0] for alpha in (1.0, 0.5))
    assert set(dots_of(whole).get_facecolors()[:, 3]) == {1.0}
    assert set(dots_of(half).get_facecolors()[:, 3]) == {0.5}
    np.testing.assert_array_equal(*(layer(ax, LineCollection).get_colors() for ax in (whole, half)))
    many = np.random.default_rng(0).normal(size=(21_000, 2))
    strong, weak = (nl.plot(many, alpha=alpha).axes[0].images[0].get_array()[:, :, 3] for alpha in (1.0, 0.3))
    assert 0 < weak.sum() < 0.5 * strong.sum()


def test_edges_none_draws_nodes_alone():
    ax = nl.draw(G, POS, edges="none", color=KIND).axes[0]
    assert [type(c) for c in ax.collections] == [EllipseCollection]


def test_self_loops_are_circles_through_their_nodes():
    loops = nx.MultiDiGraph([(0, 1), (1, 1), (2, 2), (2, 2)])
    pos = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])
    for graph, arrows in ((loops, False), (nx.Graph(loops), "auto")):
        lines = layer(nl.draw(graph, pos, arrows=arrows), LineCollection)
        curled = [s for s in lines.get_segments() if len(s) > 2]
        assert sorted(int(np.hypot(*(pos - s[0]).T).argmin()) for s in curled) == [1, 2]
        for circle in curled:
            np.testing.assert_allclose(circle[0], circle[-1], atol=1e-12)
            middle = circle[:-1].mean(axis=0)
            assert np.ptp(np.hypot(*(circle - middle).T)) < 1e-9
        away = next(s for s in curled if np.allclose(s[0], pos[1])).mean(axis=0) - pos[1]
        assert away[0] > 0, "on the side away from the neighbor"
    similar = np.array([[1.0, 0.5], [0.5, 1.0]])
    lines = layer(nl.draw(similar, pos[:2]), LineCollection)
    assert [len(s) for s in lines.get_segments()] == [2], "the diagonal of a matrix is no loop"


def test_parallel_edges_have_their_own_colors():
    both = nx.MultiGraph([(0, 1, {"color": "red"}), (1, 0, {"color": "blue"}), (1, 2, {"color": "lime"})])
    for colors in (nx.get_edge_attributes(both, "color"), "color"):
        lines = layer(nl.draw(both, [(0, 0), (1, 0), (2, 0)], edge_color=colors), LineCollection)
        assert sorted(map(to_hex, lines.get_colors())) == ["#0000ff", "#00ff00", "#ff0000"]


def test_settings_of_matplotlib_are_followed():
    settings = {
        "font.size": 5.0, "axes.titlesize": 7.0, "legend.fontsize": 6.0, "ytick.labelsize": 4.0, "image.cmap": "magma",
        "figure.facecolor": "black", "text.color": "yellow", "font.family": "monospace",
    }  # fmt: skip
    usual = text_size("iiii", 10.0)
    with mpl.rc_context(settings):
        classes, numbers = (nl.draw(G, POS, color=c, labels=True, title="title").axes[0] for c in (KIND, "degree"))
        assert text_size("iiii", 10.0)[0] > 1.3 * usual[0], "letters of the chosen family are measured"
    legend: Any = classes.get_legend()
    figure: Any = classes.figure
    texts = [text for text in classes.texts if text.get_text() in G]
    assert {text.get_fontsize() for text in texts} == {4.0}
    assert {text.get_fontsize() for text in legend.get_texts()} == {6.0}
    assert classes.title.get_fontsize() == 7.0
    assert {to_hex(text.get_color()) for text in (*texts, *legend.get_texts(), classes.title)} == {"#ffff00"}
    assert to_hex(figure.get_facecolor()) == "#000000"
    bar: Any = numbers.child_axes[0]
    assert {text.get_fontsize() for text in bar.get_yticklabels()} == {4.0}
    assert to_rgba(colormaps["magma"](1.0)) in {tuple(c) for c in dots_of(numbers).get_facecolors()}


def test_keys_of_positions_are_nodes():
    club = nx.karate_club_graph()
    pos = {v: (v % 6, v // 6) for v in club}
    with pytest.warns(UserWarning, match=r"keys of pos that are not nodes of the graph: 2 of 36"):
        nl.draw(club, {**pos, "a": (0, 0), 99: (1, 1)})
