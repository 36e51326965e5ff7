"""nl.draw: arrows, widths and colors of edges; drawings in space; sizes of dots on paper as diameters."""

import io
import math
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from drawn import dots_of, layer, lengths
from matplotlib import colormaps
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import nelayout as nl
from nelayout import graphs
from nelayout.pictures.colors import PALETTE, UNKNOWN
from nelayout.pictures.space import seen_from_aside

igraph = pytest.importorskip("igraph")
pandas = pytest.importorskip("pandas")

TRIANGLE = {"a": (0.0, 0.0), "b": (4.0, 0.0), "c": (0.0, 3.0)}


def kinds(figure: Any) -> set[type]:
    return {type(c) for c in figure.axes[0].collections}


def heads(figure: Any) -> np.ndarray:
    """(m, 3, 2) corners of the arrows' heads, the tip first."""
    return np.array([path.vertices[:3] for path in layer(figure, PolyCollection).get_paths()])


def test_an_arrow_points_to_its_target_and_ends_at_its_border():
    G = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b"), ("a", "a")])
    figure = nl.draw(G, TRIANGLE, node_size=0.5)
    found = heads(figure)
    assert len(found) == 4
    for target, many in {"a": 1, "b": 2, "c": 1}.items():
        distance = np.hypot(*(found[:, 0] - TRIANGLE[target]).T)
        assert np.isclose(distance, 0.25).sum() == many
    for tip, left, right in found:
        target = min(TRIANGLE.values(), key=lambda p, tip=tip: np.hypot(*(tip - p)))
        back = (left + right) / 2
        assert np.hypot(*(back - target)) > np.hypot(*(tip - target))
        assert np.hypot(*(tip - left)) == pytest.approx(np.hypot(*(tip - right)))


FEW, MANY = (nx.gnp_random_graph(*size, seed=0, directed=True) for size in ((20, 0.1), (50, 0.9)))


@pytest.mark.parametrize(
    ("graph", "arrows", "drawn"),
    [
        (FEW, "auto", True), (FEW, False, False), (MANY, "auto", False), (MANY, True, True),
        (nx.Graph(FEW), "auto", False), (nx.Graph(FEW), True, False),
    ],
)
def test_directed_graphs_have_arrows_as_long_as_they_can_be_read(graph, arrows, drawn):
    figure = nl.draw(graph, nx.circular_layout(graph), arrows=arrows)
    assert (PolyCollection in kinds(figure)) == drawn
    if drawn:
        assert len(heads(figure)) == graph.number_of_edges()


def test_matrices_and_igraph_have_directions_too():
    A = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    Y = np.array(list(TRIANGLE.values()))
    one = heads(nl.draw(A, Y))
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph([(0, 1), (1, 2)], directed=True)
    np.testing.assert_array_equal(one, heads(nl.draw(g, Y.tolist())))


WEIGHTED = nx.Graph()
WEIGHTED.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 4.0), ("a", "c", 2.0)])


@pytest.mark.parametrize(
    ("width", "points"),
    [
        ("weight", [1.0, 4.0, 2.0]),
        ([2.0, 1.0, 4.0], [2.0, 4.0, 1.0]),  # in the order of G.edges: ab, ac, bc
        ({("b", "a"): 2, ("b", "c"): 4, ("a", "c"): 1}, [2.0, 4.0, 1.0]),
        (3, [3.0] * 3),
    ],
)
def test_widths_are_points_or_in_proportion_to_numbers(width, points):
    lines = layer(nl.draw(WEIGHTED, TRIANGLE, edge_width=width), LineCollection)
    widths = np.broadcast_to(lines.get_linewidths(), 3)
    assert dict(zip(lengths(lines), widths.tolist(), strict=True)) == dict(zip((4, 5, 3), points, strict=True))


def test_each_edge_can_have_its_color():
    colors = {("a", "b"): "red", ("c", "a"): "#00ff00"}
    lines = layer(nl.draw(WEIGHTED, TRIANGLE, edge_color=colors), LineCollection)
    found = dict(zip(lengths(lines), map(to_hex, lines.get_colors()), strict=True))
    assert found == {4: "#ff0000", 3: "#00ff00", 5: "#b4b4b4"}
    lines = layer(nl.draw(WEIGHTED, TRIANGLE, edge_color=["red", "red", "blue"]), LineCollection)
    assert sorted(to_hex(c) for c in lines.get_colors()) == ["#0000ff", "#ff0000", "#ff0000"]


def test_edges_of_weight_zero_are_left_out_where_weights_are_read():
    G = WEIGHTED.copy()
    G.edges["a", "b"]["weight"] = 0
    for count, look in ((3, {}), (2, {"weight": "weight"}), (2, {"weight": "weight", "edge_width": "weight"})):
        assert len(layer(nl.draw(G, TRIANGLE, **look), LineCollection).get_segments()) == count


def test_links_are_the_edges_in_the_order_of_their_library():
    for G in (
        nx.MultiGraph([(2, 1), (0, 1), (1, 2), (1, 1), (0, 2)]),
        nx.MultiDiGraph([(2, 1), (0, 1), (1, 2), (1, 1), (0, 2)]), nx.DiGraph([(2, 1), (0, 1), (1, 2), (1, 1)]),
    ):
        links, labels = graphs.links(G), list(G)
        ends = zip(links.rows.tolist(), links.cols.tolist(), strict=True)
        assert [(labels[i], labels[j]) for i, j in ends] == [tuple(edge[:2]) for edge in G.edges]


def test_space_is_seen_from_one_side_with_all_three_axes():
    """A parallel projection: orthogonal axes, of which none is hidden, and depth the third."""
    flat, depth = seen_from_aside(np.concatenate([np.zeros((1, 3)), np.eye(3)]))
    axes = flat[1:] - flat[0]
    assert (np.hypot(*axes.T) > 0.3).all()
    np.testing.assert_allclose(axes.T @ axes, np.eye(2), atol=1e-12)
    assert depth[[3, 1]].tolist() == [0.0, 1.0], "the third axis points to the viewer"


def test_positions_in_space_make_a_picture_that_fades_backwards():
    G = nx.cycle_graph(8)
    Y = np.array([(np.cos(t), 0.0, np.sin(t)) for t in np.arange(8) * np.pi / 4])
    figure = nl.draw(nx.to_numpy_array(G), Y, color="#000000")
    flat, depth = seen_from_aside(Y)
    dots = dots_of(figure)
    order = np.argsort(-depth, kind="stable")  # the farthest first
    np.testing.assert_allclose(dots.get_offsets(), flat[order])
    shades = dots.get_facecolors()[:, 0]
    assert (np.diff(shades) <= 0).all()
    assert shades[0] > 0.2 > shades[-1] == 0.0
    lines = layer(figure, LineCollection)
    assert np.ptp(lines.get_edgecolors()[:, 3]) > 0.1


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_axes_in_space_show_and_write_drawings_in_space(ending):
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Path3DCollection

    G = nx.cubical_graph()
    pos = nl.layout(G, dim=3, seed=0)
    ax = Figure().add_subplot(projection="3d")
    stream, look = io.BytesIO(), {"color": ["a", "b"] * 4, "labels": True, "edge_width": 2, "title": "cube"}
    figure = nl.draw(G, pos, stream, format=ending, ax=ax, **look)
    assert stream.getvalue()
    assert {Line3DCollection, Path3DCollection} <= kinds(figure)
    assert len(layer(figure, Line3DCollection)._segments3d) == 12
    assert ax.get_title() == "cube"
    assert len(figure.axes[0].texts) == 8
    assert min(text.get_zorder() for text in ax.texts) > max(c.get_zorder() for c in ax.collections), "over the dots"
    legend: Any = ax.get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["a", "b"]


def test_a_dot_of_so_many_points_is_so_large_on_paper():
    """A drawing of half-width 2 drawn by nl.draw, nodes of 14.4 points: 2.5 % of its 8 inches."""
    size = nl.node_size_from_points(14.4, scale=2.0)
    assert size == pytest.approx(0.1)
    figure = nl.draw(nx.empty_graph(4), [[-2, -2], [2, 2], [-2, 2], [2, -2]], node_size=size)
    left, right = figure.axes[0].transData.transform([(0, 0), (size, 0)])[:, 0]
    points = (right - left) / figure.dpi * 72
    assert points == pytest.approx(14.4, rel=0.03), "the border dots need a little of the sheet"
    assert nl.node_size_from_points({"a": 28.8, "b": 0}, scale=2.0) == {"a": 2 * size, "b": 0.0}
    np.testing.assert_allclose(nl.node_size_from_points([14.4, 43.2], scale=2.0), [size, 3 * size])


@pytest.mark.parametrize("paper", ["size", "figure", "axes"])
def test_nodes_kept_apart_by_points_do_not_overlap_in_networkx_pictures(paper):
    """Discs of nx.draw, in points on the paper; the layout knows nothing of them but the diameters."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    G = nx.barbell_graph(8, 3)
    figure = Figure(figsize=(6.4, 4.8))
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    given: Any = {"size": (6.4, 4.8), "figure": figure, "axes": ax}[paper]
    size = nl.node_size_from_points(300**0.5, given)
    pos = nl.ws_sne_layout(G, node_size=size, seed=0)
    nx.draw_networkx_nodes(G, pos, node_size=300, ax=ax)
    figure.canvas.draw()
    assert type(ax.collections[0]) is PathCollection
    places = ax.transData.transform(list(pos.values())) / figure.dpi * 72
    apart = np.hypot(*(places[:, None] - places[None]).T)
    assert apart[~np.eye(len(G), dtype=bool)].min() > 300**0.5


def edge_values(graph: Any, pos: Any, what: str, x: Any) -> dict:
    """{length of the edge: its color or width} of a picture."""
    lines = layer(nl.draw(graph, pos, **{what: x}), LineCollection)
    values = lines.get_linewidths() if what == "edge_width" else [to_hex(color) for color in lines.get_colors()]
    return dict(zip(lengths(lines).round(9).tolist(), np.broadcast_to(values, 3).tolist(), strict=True))


TABLE = pandas.DataFrame({"source": list("aba"), "target": list("bcc"), "cost": [3.0, 1.0, 2.0]}, index=[7, 3, 5])
SHUFFLED = [("c", "b"), ("a", "c"), ("b", "a")]  # lengths 5, 3 and 4
KEYED = {
    "dict": lambda values: dict(zip(SHUFFLED, values, strict=True)),
    "mapping": lambda values: MappingProxyType(dict(zip(SHUFFLED, values, strict=True))),
    "series": lambda values: pandas.Series(values, pandas.MultiIndex.from_tuples(SHUFFLED)),
    "series of pairs": lambda values: pandas.Series(values, pandas.Index(SHUFFLED, tupleize_cols=False)),
}


NAMED = igraph.Graph([(0, 1), (1, 2), (0, 2)])
NAMED.vs["name"] = list("abc")


@pytest.mark.parametrize("graph", [WEIGHTED, TABLE, NAMED], ids=["networkx", "table", "igraph"])
@pytest.mark.parametrize("kind", KEYED)
def test_values_of_edges_are_read_by_their_keys(graph, kind):
    pos, keyed = list(TRIANGLE.values()) if graph is NAMED else TRIANGLE, KEYED[kind]
    assert edge_values(graph, pos, "edge_width", keyed([4, 1, 2])) == {5: 4.0, 3: 1.0, 4: 2.0}
    drawn = edge_values(graph, pos, "edge_color", keyed(["red", "lime", "blue"]))
    assert drawn == {5: "#ff0000", 3: "#00ff00", 4: "#0000ff"}


def test_a_series_of_a_table_s_rows_is_read_by_row_and_another_one_in_order():
    by_row = TABLE["cost"].sort_values()  # rows 3, 5, 7
    assert edge_values(TABLE, TRIANGLE, "edge_width", 4 / 3 * by_row) == {4: 4.0, 5: 4 / 3, 3: 8 / 3}
    in_order = pandas.Series([4.0, 1.0, 2.0], index=["x", "y", "z"])
    assert edge_values(WEIGHTED, TRIANGLE, "edge_width", in_order) == {4: 4.0, 3: 1.0, 5: 2.0}
    for keys in ([("a", "b"), ("b", "c"), ("a", "c")], [(0, 1), (1, 2), (0, 2)]):
        widths = dict(zip(keys, [4, 1, 2], strict=True))
        assert edge_values(NAMED, list(TRIANGLE.values()), "edge_width", widths) == {4: 4.0, 5: 1.0, 3: 2.0}


@pytest.mark.parametrize("x", [{("a", "b"): 4, ("b", "c"): 2}, pandas.Series({("a", "b"): 4, ("b", "c"): 2})])
def test_keys_that_are_not_edges_are_counted_and_named(x):
    stray = {("b", "q"): 1, ("c", 5): 2} | dict(x)
    stray = pandas.Series(stray) if isinstance(x, pandas.Series) else stray
    said = r"keys of edge_width that are not edges of the graph: 2 of 4 \(\('b', 'q'\), \('c', 5\)\)\. They"
    with pytest.warns(UserWarning, match=said):
        assert edge_values(WEIGHTED, TRIANGLE, "edge_width", stray) == edge_values(WEIGHTED, TRIANGLE, "edge_width", x)
    directed = nx.DiGraph([("a", "b")])
    with pytest.warns(UserWarning, match=r"keys of edge_color .*: 1 of 2 \(\('b', 'a'\)\)"):
        nl.draw(directed, {"a": (0, 0), "b": (1, 1)}, edge_color={("a", "b"): "red", ("b", "a"): "blue"})
    both = nx.MultiGraph([(0, 1), (0, 1)])
    with pytest.warns(UserWarning, match=r"1 of 3 \(\(0, 1, 7\)\)"):
        nl.draw(both, [(0, 0), (1, 0)], edge_color={(0, 1, 0): "red", (1, 0, 1): "blue", (0, 1, 7): "lime"})


@pytest.mark.parametrize("values", ["cost", [0.5, None, 2.5], {("a", "b"): 0.5, ("b", "c"): 2.5}])
def test_numbers_color_edges_by_a_scale(values):
    """The edge a - c has no number."""
    G = nx.Graph([("a", "b", {"cost": 0.5}), ("a", "c", {"cost": math.nan}), ("b", "c", {"cost": 2.5})])
    for look, cmap in (({}, "viridis"), ({"cmap": "magma"}, "magma")):
        figure: Any = nl.draw(G, TRIANGLE, edge_color=values, **look)
        colors = [to_hex(color) for color in layer(figure, LineCollection).get_colors()]
        ends = [to_hex(colormaps[cmap](share)) for share in (0.0, 1.0)]
        assert dict(zip((5, 4, 3), colors, strict=True)) == {4: ends[0], 5: ends[1], 3: UNKNOWN}
        (bar,) = figure.axes[0].child_axes
        assert bar.get_ylim() == (0.5, 2.5)
        assert bar.get_title(loc="left") == ("cost" if values == "cost" else "")
    both: Any = nl.draw(G, TRIANGLE, edge_color=values, color=[3.5, 4.5, 9.0], cmap="magma")
    assert [bar.get_ylim() for bar in both.axes[0].child_axes] == [(3.5, 9.0)], "the dots have the color bar"
    assert to_hex(layer(both, LineCollection).get_colors()[0]) == to_hex(colormaps["viridis"](1.0))


def test_classes_color_edges_by_a_palette():
    kinds = {("a", "b"): "road", ("b", "c"): "rail", ("a", "c"): None}
    G, order = nx.Graph(list(kinds)), ["road", "rail"]
    nx.set_edge_attributes(G, kinds, "kind")
    series = pandas.Series(pandas.Categorical(kinds.values(), order), pandas.MultiIndex.from_tuples(kinds))
    for values, look, names, colors in (
        ("kind", {}, ["rail", "road"], PALETTE[:2]),
        ("kind", {"palette": {"road": "#0a0a0a", "rail": "#0b0b0b"}}, ["rail", "road"], ["#0b0b0b", "#0a0a0a"]),
        (series, {"palette": ["#0a0a0a", "#0b0b0b"]}, order, ["#0a0a0a", "#0b0b0b"]),
    ):
        found = dict(zip(names, colors, strict=True))
        figure: Any = nl.draw(G, TRIANGLE, edge_color=values, **look)
        drawn = [to_hex(color) for color in layer(figure, LineCollection).get_colors()]
        assert dict(zip((5, 4, 3), drawn, strict=True)) == {4: found["road"], 5: found["rail"], 3: UNKNOWN}
        legend = figure.axes[0].get_legend()
        assert [text.get_text() for text in legend.get_texts()] == names
        assert [to_hex(line.get_color()) for line in legend.get_lines()] == list(colors)
        assert nl.draw(G, TRIANGLE, edge_color=values, legend=False, **look).axes[0].get_legend() is None
