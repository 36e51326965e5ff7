"""nl.draw: what lies where on the picture, what colors mean, files whole or not at all."""

import inspect
import io
import math
import struct
import subprocess
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from drawn import CORNERS, SQUARE, dots_of, inside, layer, lengths, pixels
from matplotlib import colormaps
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import nelayout as nl
from nelayout.core.placing.final import dot_diameter
from nelayout.errors import InputError
from nelayout.graphs.plain import listed
from nelayout.pictures.colors import PALETTE, PLAIN, UNKNOWN, classes_of, palette
from nelayout.pictures.pages import Column

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")


def node_colors(figure, G):
    """{node: color}: nodes are drawn in the order of their degrees."""
    order = sorted(range(len(G)), key=[d for _, d in G.degree].__getitem__)
    colors = [to_hex(c) for c in dots_of(figure).get_facecolors()]
    return dict(zip([list(G)[i] for i in order], colors, strict=True))


@pytest.mark.parametrize("Y", [list(CORNERS.values()), [[0.5], [0.1], [3.0], [-1.0]]], ids=["plane", "line"])
def test_nodes_and_edges_lie_at_their_positions(Y):
    figure = nl.draw(SQUARE, dict(enumerate(Y)))
    places = [(*place, 0.0)[:2] for place in Y]
    np.testing.assert_allclose(dots_of(figure).get_offsets(), places)
    drawn = {frozenset(map(tuple, segment.tolist())) for segment in layer(figure, LineCollection).get_segments()}
    assert drawn == {frozenset((places[u], places[v])) for u, v in SQUARE.edges}


def test_node_size_is_a_diameter_in_the_units_of_the_drawing():
    figure = nl.draw(nx.empty_graph(2), [[0.0, 0.0], [4.0, 0.0]], node_size=1.0, edge_color="k", color="#ff0000")
    red = pixels(figure, dpi=100)[:, :, 1] < 0.5  # white has green, red has none
    columns = np.flatnonzero(red.any(axis=0))
    assert (columns.max() - columns.min() + 1) / red.any(axis=0).sum() == pytest.approx(5.0 / 2.0, rel=0.02)
    assert red.any(axis=0).sum() / 2 == pytest.approx(red.any(axis=1).sum(), rel=0.02)


def test_long_edges_are_fainter_and_drawn_first_except_in_trees():
    """Long edges are limbs if there is about one edge a node; in a hairball of the same lengths they fade."""
    tangle, tree = (
        layer(nl.draw(G, {v: (float(v) if v else -30.0, 0.0) for v in G}), LineCollection)
        for G in (nx.complete_graph(9), nx.path_graph(9))
    )
    alphas = tangle.get_edgecolors()[:, 3]
    assert (np.diff(lengths(tangle)) <= 0).all()
    assert (np.diff(alphas) >= 0).all()
    assert alphas[0] < 0.5 * alphas[-1]
    assert np.ptp(tree.get_edgecolors()[:, 3]) == 0


def test_classes_get_palette_and_legend_and_missing_ones_gray():
    G = nx.path_graph(5)
    nx.set_node_attributes(G, {0: "b", 1: "a", 2: "b", 3: "c"}, "kind")
    figure = nl.draw(G, nx.circular_layout(G), color="kind")
    a, b, c = PALETTE[:3]
    assert node_colors(figure, G) == {0: b, 1: a, 2: b, 3: c, 4: UNKNOWN}
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]
    assert nl.draw(G, nx.circular_layout(G), color="kind", legend=False).axes[0].get_legend() is None


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([], []), (["x", "y", "x"], ["x", "y"]), ([True, False], [False, True]), (list(range(24)), list(range(24))),
        (list(range(25)), None), ([1.0, 2.0, 2.0], [1, 2]), ([0.5, 1.0], None), (np.array([3, 1, 3]), [1, 3]),
        ([1, "a"], [1, "a"]),
    ],
)
def test_what_counts_as_classes(values, classes):
    assert classes_of(list(values)) == classes


CELLS = ["mono", "T", "B", "T", None]
TYPES = ["T", "unused", "mono", "B"]  # neither sorted nor as they appear


@pytest.mark.parametrize(
    "made", [pandas.Categorical, pandas.Series, lambda x, dtype: pandas.Series(x, list("abcde"), dtype=dtype)]
)
@pytest.mark.parametrize("ordered", [False, True])
def test_categories_keep_their_order_in_legends_and_palettes(made, ordered):
    values = made(CELLS, dtype=pandas.CategoricalDtype(TYPES, ordered))
    G = nx.path_graph(list(getattr(values, "index", range(5))))
    four = ["#000001", "#000002", "#000003", "#000004"]
    pos = nx.circular_layout(G)
    for look, colors in (
        ({}, dict(zip(["T", "mono", "B"], PALETTE, strict=False))),
        ({"palette": four}, dict(zip(TYPES, four, strict=True))),
        ({"palette": np.array(four)}, dict(zip(TYPES, four, strict=True))),
    ):
        figure: Any = nl.draw(G, pos, color=values, **look)
        wanted = [UNKNOWN if kind is None else colors[kind] for kind in CELLS]
        assert [node_colors(figure, G)[v] for v in G] == wanted
        assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["T", "mono", "B"]
    with pytest.raises(InputError, match="palette must have a color for each of the 4 categories; got 3 colors"):
        nl.draw(G, pos, color=values, palette=four[:3])


def test_categories_are_classes_of_any_type_in_all_pictures():
    many = pandas.Categorical(range(30), categories=range(30)[::-1])
    assert classes_of(listed(many)) == list(range(30))[::-1]
    halves = pandas.cut([0.1, 0.9, 0.4], [0, 0.5, 1])
    sizes = pandas.Categorical([0.5, 10, 2], categories=[10, 2, 0.5])
    Y = np.eye(3)[:, :2]
    for values, names in ((halves, ["(0.0, 0.5]", "(0.5, 1.0]"]), (sizes, ["10", "2", "0.5"])):
        for figure in (nl.plot(Y, values), nl.plot(Y, color=values), nl.plot(Y, pandas.Series(values))):
            legend: Any = figure.axes[0].get_legend()
            assert [text.get_text() for text in legend.get_texts()] == names
        assert Column("x", values).held([])["names"] == names
    compared = nl.compare(SQUARE, {"one": CORNERS}, labels=pandas.Categorical(list("abca"), categories=list("cab")))
    legends = [text.get_text() for each in compared.plot().findobj(Legend) for text in each.get_texts()]
    assert legends == ["c", "a", "b"]


def test_keys_that_are_not_nodes_are_counted_and_named():
    few = {0: "a", 1: "a"}
    for what, call in (("color", nl.draw), ("labels", nl.draw), ("color", nl.explore), ("labels", nl.explore)):
        with pytest.warns(UserWarning, match=rf"keys of {what} that are not nodes of the graph: 2 of 4 \('x', '0'\)"):
            call(SQUARE, CORNERS, **{what: few | {"x": "a", "0": "b"}})
    with pytest.warns(UserWarning, match=r"keys of node_size .* the graph: 7 of 11 \(9, 10, 11, 12, 13, ...\)"):
        nl.draw(SQUARE, CORNERS, node_size=dict.fromkeys([*SQUARE, *range(9, 16)], 0.1))
    with pytest.warns(UserWarning, match=r"keys of pos that are not nodes of the graph: 1 of 5 \('x'\)"):
        nl.explore(SQUARE, CORNERS | {"x": (0, 0)})


ABSENT = [None, math.nan, np.float32("nan"), pandas.NaT, pandas.NA, np.datetime64("NaT"), Decimal("NaN"), np.ma.masked]


@pytest.mark.parametrize("known", [["b", "a", "b"], [3, 1, 3], [0.5, 1.5, 1.0], ["red", "blue", "lime"]], ids=str)
def test_missing_values_of_any_package_are_gray_and_no_class(known):
    values = [*known, *ABSENT]
    figure: Any = nl.draw(nx.empty_graph(len(values)), np.eye(len(values))[:, :2], color=values)
    assert [to_hex(c) for c in dots_of(figure).get_facecolors()[3:]] == [UNKNOWN] * len(ABSENT)
    assert UNKNOWN not in [to_hex(c) for c in dots_of(figure).get_facecolors()[:3]]
    column = Column("x", values)
    assert column.held([]) == Column("x", [*known, *[None] * len(ABSENT)]).held([])


def test_columns_of_pandas_and_arrow_keep_their_missing_values():
    known, Y = [2.5, None, 0.5], np.eye(3)[:, :2]
    plain = [to_hex(c) for c in dots_of(nl.plot(Y, color=known)).get_facecolors()]
    for column in (
        pandas.array(known, dtype="Float64"), pandas.Series(known), np.ma.masked_invalid([2.5, np.nan, 0.5]),
        pyarrow.array(known), pyarrow.chunked_array([known[:1], known[1:]]), list(pyarrow.array(known)),
    ):  # fmt: skip
        assert [to_hex(c) for c in dots_of(nl.plot(Y, color=column)).get_facecolors()] == plain
    words: Any = nl.plot(Y, pandas.Series(["x", pandas.NA, "y"], dtype="string")).axes[0].get_legend()
    assert [text.get_text() for text in words.get_texts()] == ["x", "y"]


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([Decimal("0.5"), Decimal(2), Decimal("1.25")], [0.5, 2.0, 1.25]),
        ([Fraction(1, 3), 0, 1], [1 / 3, 0.0, 1.0]),
        ([date(2024, 1, 1), date(2024, 3, 1), date(2023, 12, 31)], [1.0, 61.0, 0.0]),
        ([datetime.fromisoformat(f"2024-01-0{time}") for time in ("1T12:00", "1", "2T00:00:00")], [0.5, 0.0, 1.0]),
        (np.array(["2024-01-01T12", "2024-01-01", "2024-01-02"], "datetime64[ns]"), [0.5, 0.0, 1.0]),
        (pandas.Series(pandas.to_datetime(["2024-03-01", "2024-01-01", "2025-01-01"], utc=True)), [60.0, 0.0, 366.0]),
        ([timedelta(hours=3), timedelta(minutes=30), timedelta(0)], [6.0, 1.0, 0.0]),
        (np.array([5, 1, 9], "timedelta64[ms]"), [5.0, 1.0, 9.0]),
        (pandas.Series(pandas.to_timedelta([3, 1, 2], "D")), [3.0, 1.0, 2.0]),
    ],
    ids=str,
)  # fmt: skip
def test_numbers_dates_and_durations_of_any_type_are_a_scale(values, numbers):
    """Values of any type have the colors of plain numbers in the same ratios."""
    Y = np.eye(3)[:, :2]
    drawn, plain = (dots_of(nl.plot(Y, color=x, cmap="magma")).get_facecolors() for x in (values, numbers))
    np.testing.assert_allclose(drawn, plain, atol=1 / 128)  # one step of the colormap, by rounding of days
    column = Column("x", values)
    assert column.kind == "numbers"
    shares = [(x - np.min(x)) / np.ptp(x) for x in (column.values, np.array(numbers))]
    np.testing.assert_allclose(*shares, atol=1e-9)


def test_whole_numbers_of_any_type_are_classes():
    for kind in (Decimal, Fraction, np.int8, np.float32, float):
        assert classes_of([kind(3), kind(1), kind(3)]) == [1, 3]


def test_a_scale_of_dates_has_dates_for_ticks_and_one_of_durations_its_unit():
    Y, at = np.eye(3)[:, :2], [date(2019, 5, 1), date(2024, 5, 1), date(2021, 1, 1)]
    bar: Any = nl.plot(Y, color=pandas.Series(at, name="born")).axes[0].child_axes[0]
    bar.figure.canvas.draw()
    dates = [np.datetime64(text.get_text(), "D").astype(float) for text in bar.get_yticklabels()]
    assert len(dates) > 2
    np.testing.assert_array_equal(bar.get_yticks(), dates)
    for longest, heading in ((timedelta(days=3), "age (days)"), (timedelta(seconds=90), "age (minutes)")):
        ages = pandas.Series([longest, longest / 2, longest / 3], name="age")
        bar = nl.draw(None, Y, color=ages).axes[0].child_axes[0]
        assert bar.get_title(loc="left") == heading
        assert max(bar.get_ylim()) == pytest.approx(3 if longest.days else 1.5)
    with pytest.raises(InputError, match="must hold only texts, only numbers or only dates; got 'soon' among dates"):
        nl.plot(Y, color=[at[0], "soon", at[1]])


def test_one_color_and_palettes_of_different_colors():
    for color, drawn in ((None, PLAIN), ("crimson", "#dc143c")):
        assert [to_hex(c) for c in dots_of(nl.draw(SQUARE, CORNERS, color=color)).get_facecolors()] == [drawn]
    for k in (1, 12, 24, 25, 60):
        assert len({to_hex(c) for c in palette(k)}) == k


def test_an_edge_within_a_class_has_its_color():
    edges = layer(nl.draw(SQUARE, CORNERS, color=["a", "a", "b", "b"]), LineCollection)
    kinds = {CORNERS[v]: v for v in SQUARE}
    for segment, color in zip(edges.get_segments(), edges.get_edgecolors(), strict=True):
        ends = {kinds[tuple(end)] for end in segment.tolist()}
        want = {frozenset({0, 1}): PALETTE[0], frozenset({2, 3}): PALETTE[1]}.get(frozenset(ends), "#30343c")
        assert to_hex(color) == want


@pytest.mark.parametrize(("ending", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_files_by_ending_twice_the_same(ending, head, tmp_path):
    """Publishers refuse the Type 3 fonts of a PDF that are matplotlib's default."""
    path, stream = tmp_path / f"picture.{ending}", io.BytesIO()
    nl.draw(SQUARE, CORNERS, path, labels=True, title="Title")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    nl.draw(SQUARE, CORNERS, stream, format=ending, labels=True, title="Title")
    content = path.read_bytes()
    assert content.startswith(head)
    assert content == stream.getvalue()
    assert b"/Type3" not in content
    assert ending != "pdf" or b"/TrueType" in content or b"/CIDFontType2" in content


def test_size_of_a_png_without_frame():
    stream = io.BytesIO()
    figure: Any = nl.draw(SQUARE, CORNERS, stream, format="png", dpi=100)
    for content in (stream.getvalue(), figure._repr_png_()):  # notebooks show the figure
        assert struct.unpack(">II", content[16:24]) == (840, 440)  # 8 x 4 inches and a border of 0.2
    assert not figure.axes[0].axison


@pytest.mark.parametrize("n", [0, 1, 2])
def test_next_to_nothing(n):
    G = nx.empty_graph(n)
    stream = io.BytesIO()
    nl.draw(G, dict.fromkeys(G, (3.0, 3.0)), stream, format="png", labels=True, color=["a"] * n)
    assert stream.getvalue().startswith(b"\x89PNG")


def test_igraph():
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph.Ring(4)
    g.vs["kind"] = ["a", "b", "a", "b"]
    figure = nl.draw(g, g.layout("circle"), color="kind", labels="kind")
    assert [to_hex(c) for c in dots_of(figure).get_facecolors()] == [PALETTE[0], PALETTE[1]] * 2


def test_a_missing_matplotlib_names_the_install_command():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import networkx as nx, nelayout as nl\n"
        "try: nl.draw(nx.path_graph(2), {0: (0, 0), 1: (1, 1)})\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "nelayout[draw]"' in done.stdout


def test_global_state_of_matplotlib_stays():
    code = (
        "import matplotlib, sys\n"
        "settings = lambda: repr(dict.items(matplotlib.rcParams))  # looking one up would choose a backend\n"
        "before = settings()\n"
        "import networkx as nx, nelayout as nl\n"
        "nl.draw(nx.path_graph(2), {0: (0, 0), 1: (1, 1)}, labels=True, color=['a', 'b'])\n"
        "assert before == settings()\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("n", "width", "height"), [(25, 2.0, 2.0), (400, 2.0, 2.0), (400, 2.0, 1.0), (400, 2.0, 0.0)])
def test_no_dot_is_larger_than_layouts_keep_room_for(n, width, height):
    """A drawing of half-width 1: dots are, in its units, what `dot_diameter` says; on a strip they are smaller."""
    Y = np.random.default_rng(0).random((n, 2)) * [width, height]
    Y[:2] = [0.0, 0.0], [width, height]
    for look in ({}, {"node_size": "auto"}):
        diameters = dots_of(nl.draw(nx.empty_graph(n), Y, **look)).get_widths()
        assert diameters == pytest.approx(dot_diameter(n, height / width))
        assert diameters.max() <= dot_diameter(n)


def test_names_of_colors_are_these_colors_and_others_are_classes():
    G = nx.path_graph(4)
    figure: Any = nl.draw(G, nx.circular_layout(G), color={0: "red", 1: "#0000ff", 3: (0.0, 1.0, 0.0)})
    assert node_colors(figure, G) == {0: "#ff0000", 1: "#0000ff", 2: UNKNOWN, 3: "#00ff00"}
    assert figure.axes[0].get_legend() is None
    figure = nl.draw(G, nx.circular_layout(G), color=["red", "blue", "reddish", "green"])
    assert set(node_colors(figure, G).values()) == set(PALETTE[:4])
    assert [t.get_text() for t in figure.axes[0].get_legend().get_texts()] == ["blue", "green", "red", "reddish"]
    assert [t.get_text() for t in figure.axes[0].texts] == [
        "taken as names of classes, not as colors: 'reddish' is not a color"
    ]
    figure = nl.draw(G, nx.circular_layout(G), color=["b", "g", "b", "g"])  # one letter more often names a class
    assert set(node_colors(figure, G).values()) == set(PALETTE[:2])


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("k", [2, 12, 13, 20, 24, 25, 40])
def test_classes_are_explained_in_a_legend_or_a_note(k, named):
    G = nx.cycle_graph(80)
    values = [v % k for v in G] if not named else [f"group {v % k}" for v in G]
    figure: Any = nl.draw(G, nx.circular_layout(G), color=values)
    ax = figure.axes[0]
    legend, notes = ax.get_legend(), [t.get_text() for t in ax.texts]
    if not named and k > 24:  # amounts: a scale, and whole numbers at its ticks
        (bar,) = ax.child_axes
        assert all(tick == int(tick) for tick in bar.get_yticks())
    elif k <= 24:
        assert len(legend.get_texts()) == k
        assert notes == []
        figure.canvas.draw()
        assert inside(figure, legend.get_window_extent())
    else:
        assert legend is None
        assert notes == [f"{k} classes, too many for a legend: some have nearly the same color"]


@pytest.mark.parametrize("paper", ["its figure", "of a size", "axes"])
def test_legend_and_scale_stand_in_the_picture_beside_the_drawing(paper):
    G = nx.cycle_graph(12)
    for color in ([f"_A class of a rather $long$ name, {v}" for v in G], [0.5, 1.0, 100.25, 0.75] * 3):
        look = {"ax": Figure(figsize=(7, 5)).subplots()} if paper == "axes" else {}
        look |= {"figsize": (5, 3)} if paper == "of a size" else {}
        figure: Any = nl.draw(G, nx.circular_layout(G), color=color, title="Names", **look)
        assert paper != "of a size" or tuple(figure.get_size_inches()) == (5, 3)
        figure.canvas.draw()
        ax = figure.axes[0]
        legend = ax.get_legend()
        box = legend.get_window_extent() if legend is not None else ax.child_axes[0].get_tightbbox()
        assert inside(figure, box)
        assert inside(figure, ax.title.get_window_extent())
        places = ax.transData.transform(dots_of(figure).get_offsets())
        assert box.x0 > places[:, 0].max() + 5
        assert ((places > 0) & (places < figure.bbox.size)).all()


@pytest.mark.parametrize(("word", "amounts"), [("degree", [3, 1, 1, 1]), ("strength", [6, 1, 2, 3])])
@pytest.mark.parametrize("attributes", [{}, {0: 0.0, 1: 0.1, 2: 0.2, 3: 0.3}], ids=["", "and attributes"])
def test_degree_and_strength_are_words_that_win_over_attributes(word, amounts, attributes):
    G = nx.Graph()
    G.add_weighted_edges_from([(0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0)])
    nx.set_node_attributes(G, attributes, word)
    figure: Any = nl.draw(G, CORNERS, color=word, node_size=word)
    shares = (np.array(amounts, dtype=float) - min(amounts)) / (max(amounts) - min(amounts))
    assert node_colors(figure, G) == {v: to_hex(colormaps["viridis"](s)) for v, s in zip(G, shares, strict=True)}
    order = np.argsort([d for _, d in G.degree], kind="stable")
    widths = dots_of(figure).get_widths()
    want = np.maximum(np.sqrt(np.array(amounts) / np.mean(amounts)), 0.5)[order]
    np.testing.assert_allclose(widths / widths[-1], want / want[-1])
    assert figure.axes[0].child_axes[0].get_title(loc="left") == word


def test_dots_by_degree_have_half_to_three_times_the_usual_size():
    G = nx.disjoint_union(nx.star_graph(40), nx.empty_graph(1))
    widths = dots_of(nl.draw(G, nx.circular_layout(G), node_size="degree")).get_widths()
    assert widths[-1] / widths == pytest.approx(np.r_[6.0, [3.0 / np.sqrt(42 / 80)] * 40, 1.0])


def test_points_without_a_graph():
    Y = np.random.default_rng(0).normal(size=(30, 2))
    figure: Any = nl.draw(None, Y, color=["a", "b", "c"] * 10)
    np.testing.assert_allclose(dots_of(figure).get_offsets(), Y)
    assert len(figure.axes[0].collections) == 1
    named = nl.draw(None, {"x": (0, 0), "y": (1, 1)}, labels=True, color={"y": 0.5, "x": 1.5})
    assert [t.get_text() for t in named.axes[0].texts] == ["x", "y"]
    with pytest.raises(InputError, match="points without a graph have no edges"):
        nl.draw(None, Y, edge_width=[1.0])


def test_help_shows_a_list_of_keywords():
    signature = str(inspect.signature(nl.draw))
    assert "ForwardRef" not in signature
    assert "edge_width" in signature
    entries = [line for line in inspect.cleandoc(nl.draw.__doc__).splitlines() if " : " in line and line[0] != " "]
    assert [entry.split(" : ")[0] for entry in entries] == list(inspect.signature(nl.draw).parameters)
