"""Pictures for print: width, legends beside or below, names that cover nothing, scales with far values."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from drawn import dots_of, inside
from matplotlib import colormaps

import nelayout as nl
from nelayout.pictures.pages import Column

KINDS = ["Research & Development", "Sales", "Human Resources", "Finance & Controlling", "Legal"]
ROOM = "have no room"


def groups(n: int) -> tuple[nx.Graph, Any]:
    """A made-up network of five groups with names, amounts and days, and its layout."""
    rng = np.random.default_rng(n)
    chances = np.full((5, 5), 0.5 / n) + np.eye(5) * 12 / n
    G = nx.stochastic_block_model([n // 5] * 5, chances.tolist(), seed=n)
    syllables = ["ka", "mo", "ri", "ten", "sol", "ba", "lu"]
    for v in G:
        G.nodes[v]["name"] = f"{''.join(rng.choice(syllables, 2)).title()} {''.join(rng.choice(syllables, 3)).title()}"
        G.nodes[v]["kind"] = KINDS[G.nodes[v]["block"]]
        G.nodes[v]["amount"] = float(rng.lognormal())
        G.nodes[v]["since"] = str(date(2010, 1, 1) + timedelta(int(rng.integers(5000))))
    return G, nl.layout(G, "ws-sne", seed=0, weight=None)


def crossing(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two lines (2, 2) cross."""
    M = np.stack([a[1] - a[0], b[0] - b[1]], axis=1)
    if abs(np.linalg.det(M)) < 1e-9:
        return False
    return bool(((shares := np.linalg.solve(M, b[0] - a[0])) >= 0).all() and (shares <= 1).all())


def meets(line: np.ndarray, box: Any) -> bool:
    return any(box.contains(*point) for point in line[0] + np.linspace(0, 1, 300)[:, None] * (line[1] - line[0]))


def check(figure: Any, G: nx.Graph, pos: Any, points: float) -> tuple[int, int]:
    """Nothing covers a name, a foreign dot, or the legend; return the numbers of names and of lines."""
    figure.canvas.draw()
    ax = figure.axes[0]
    legend = ax.get_legend() or ax.child_axes[0]
    legend = legend.get_window_extent() if hasattr(legend, "get_texts") else legend.get_tightbbox()
    P = ax.transData.transform(np.array([pos[v] for v in G]))
    radius = dots_of(ax).get_widths() / 2 * ax.transData.get_matrix()[0, 0]
    radius = radius if len(radius) == len(P) else np.full(len(P), radius.max())
    texts = [text for text in ax.texts if ROOM not in text.get_text() and "beyond" not in text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    lines = [ax.transData.transform(line.get_xydata()) for line in ax.lines]
    half = 0.25 * points * figure.dpi / 72  # of a letter
    for a, b in combinations(boxes, 2):
        assert a.x1 + half <= b.x0 or b.x1 + half <= a.x0 or a.y1 <= b.y0 or b.y1 <= a.y0
    names = [G.nodes[v]["name"] for v in G]
    order = np.argsort(np.diff(nx.to_scipy_sparse_array(G).indptr), kind="stable")
    size = np.zeros(len(P))
    size[order] = radius
    for text, box in zip(texts, boxes, strict=True):
        assert inside(figure, box)
        away = np.hypot(*np.maximum(np.maximum([box.x0, box.y0] - P, P - [box.x1, box.y1]), 0.0).T)
        own = np.array([name == text.get_text() for name in names])
        assert (away[~own] > size[~own]).all(), text
        assert sum(meets(line, box) for line in lines) <= 1  # its own line ends at it
        assert not legend.overlaps(box)
    assert not any(crossing(a, b) for a, b in combinations(lines, 2))
    assert inside(figure, legend)
    assert not ((legend.x0 < P[:, 0]) & (legend.x1 > P[:, 0]) & (legend.y0 < P[:, 1]) & (legend.y1 > P[:, 1])).any()
    width = np.ptp(P[:, 0]) / figure.bbox.width
    assert width > (0.7 if legend.y1 < P[:, 1].min() else 0.6)
    return len(texts), len(lines)


@pytest.mark.parametrize("background", ["white", "dark"])
@pytest.mark.parametrize("mm", [89, 183])
@pytest.mark.parametrize("n", [30, pytest.param(80, marks=pytest.mark.full), pytest.param(300, marks=pytest.mark.full)])
def test_names_lines_dots_and_legend_of_a_figure_for_print_cover_nothing(n, mm, background):
    G, pos = groups(n)
    look: dict[str, Any] = {"font_size": 6, "width_mm": mm, "background": background}
    every = nl.draw(G, pos, labels="name", color="kind", **look)
    names, lines = check(every, G, pos, 6)
    assert names > 8
    assert not lines
    assert every.get_size_inches()[0] == pytest.approx(mm / 25.4)
    top = sorted(G, key=lambda v: (-G.degree[v], v))[:12]
    chosen = {v: G.nodes[v]["name"] for v in top}
    names, _ = check(nl.draw(G, pos, labels=chosen, color="since", node_size="amount", **look), G, pos, 6)
    assert names >= 9


def test_a_number_of_labels_names_the_nodes_with_most_neighbors():
    G = nx.barabasi_albert_graph(60, 2, seed=0)
    drawn = nl.draw(G, nl.layout(G, seed=0), labels=5).axes[0]
    degree = {str(v): d for v, d in G.degree}
    least = sorted(degree.values())[-5]
    shown = [text.get_text() for text in drawn.texts]
    assert len(shown) == 5
    assert all(degree[text] >= least for text in shown)


@pytest.mark.parametrize("legend", ["right", "below", True])
@pytest.mark.parametrize("color", ["kind", "amount"])
def test_a_legend_stands_where_it_is_asked_for_and_below_in_narrow_figures(legend, color):
    G, pos = groups(30)
    below = {}
    for mm in (89, 400):
        figure: Any = nl.draw(G, pos, color=color, width_mm=mm, legend=legend, legend_title="Heading")
        figure.canvas.draw()
        ax = figure.axes[0]
        found = ax.get_legend()
        box = ax.child_axes[0].get_tightbbox() if found is None else found.get_window_extent()
        heading = ax.child_axes[0].get_title(loc="left") if found is None else found.get_title().get_text()
        assert heading == "Heading"
        assert inside(figure, box)
        assert not box.overlaps(ax.get_window_extent())
        below[mm] = box.y1 < ax.get_window_extent().y0
    assert below == ({89: legend == "below", 400: legend == "below"} if legend is not True else {89: True, 400: False})


def colors_of(values: Any, **look: Any) -> np.ndarray:
    Y = np.random.default_rng(0).normal(size=(len(values), 2))
    return dots_of(nl.draw(None, Y, color=values, cmap="viridis", **look)).get_facecolors()


def test_a_few_far_values_do_not_flatten_a_scale():
    near = np.random.default_rng(0).uniform(-125, -70, size=300)
    far = np.append(near, [145.0, 147.0, 150.0])
    np.testing.assert_allclose(colors_of(far)[:300], colors_of(near), atol=1 / 128)
    figure: Any = nl.draw(None, np.random.default_rng(0).normal(size=(303, 2)), color=far)
    assert [text.get_text() for text in figure.axes[0].texts] == [
        "3 of 303 values are beyond the scale: vmin and vmax set its ends"
    ]
    wide = colors_of(far, vmin=far.min(), vmax=150.0)
    shares = (far - far.min()) / (150 - far.min())
    np.testing.assert_allclose(wide, colormaps["viridis"](shares), atol=1 / 128)
    held = Column("lon", far).held([])
    assert (held["low"], held["high"]) == (near.min(), near.max())


def test_texts_of_dates_are_a_scale_of_dates():
    days = [date(2020, 1, 1) + timedelta(40 * k) for k in range(30)]
    texts = [*map(str, days)]
    np.testing.assert_array_equal(colors_of(texts), colors_of(days))
    np.testing.assert_array_equal(colors_of(texts, vmax=date(2021, 1, 1)), colors_of(days, vmax=date(2021, 1, 1)))
    assert Column("since", texts).unit == "date"
    late = nl.draw(None, np.eye(3)[:, :2], color=["2024-01-01", "2024-01-32", "2024-02-01"]).axes[0].get_legend()
    assert late is not None, "no dates: classes"


def test_areas_are_in_proportion_to_an_attribute():
    G = nx.cycle_graph(4)
    nx.set_node_attributes(G, {0: 10.0, 1: 20.0, 2: 40.0, 3: 30.0}, "members")
    widths = dots_of(nl.draw(G, nx.circular_layout(G), node_size="members")).get_widths()
    np.testing.assert_allclose(widths**2 / widths[0] ** 2, [1, 2, 4, 3])
