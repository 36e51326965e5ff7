"""`compare`: the table is what `measure` says, drawings lie over the first, figure and page hold them."""

import itertools
import math
import sys
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

import nelayout as nl
from nelayout.comparison import Measured, align, compare, measure
from nelayout.comparison.ranking import dominators, table_lines
from nelayout.errors import InputError, MissingExtra, Unsupported

G = nx.karate_club_graph()
CLUB = nx.get_node_attributes(G, "club")
POS = {"spring": nx.spring_layout(G, seed=0), "circle": nx.circular_layout(G), "random": nx.random_layout(G, seed=1)}
COORDS = nx.kamada_kawai_layout(G)


@pytest.fixture(scope="module")
def compared():
    return compare(G, POS, "club", COORDS)


def test_table_is_what_measure_says(compared):
    for name, pos in POS.items():
        expected = measure(G, pos, CLUB, COORDS)
        assert compared.measured[name] == expected
        assert compared.table.loc[name].to_dict() == {key: m.value for key, m in expected.items()}
    assert list(compared.table.index) == list(POS)


def test_drawings_lie_over_the_first(compared):
    assert compared.drawings["spring"] is POS["spring"]
    for name in ("circle", "random"):
        over = align(POS[name], to=POS["spring"])
        assert all((compared.drawings[name][v] == over[v]).all() for v in G)


def test_plot_shows_every_drawing_and_value(compared):
    figure = compared.plot()
    figure.canvas.draw()
    assert [ax.get_title() for ax in figure.axes[:3]] == list(POS)
    table = figure.axes[3]
    texts = {text.get_text() for text in (*table.texts, *table.get_xticklabels(), *table.get_yticklabels())}
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
    assert repr(compare(ring, pos, measures=["crossings", "neighborhood", "resolution"])) == (
        "                circle     line\n"
        "crossings ↓          0*       3\n"
        "neighborhood ↑       1*  0.7778\n"
        "resolution ↑         1        1\n"
        "↑ higher is better, ↓ lower is better, * best, or not clearly worse\n"
        "resolution describes a drawing: no star"
    )


def test_printed_values():
    """The best has the star also where scores are cut off: a stress above 1 has the score 0, as has a worse one."""
    rows = {name: {"stress": Measured(value, 0.0, 0.0, True)} for name, value in {"a": 7.5, "b": 1.5}.items()}
    assert [line.endswith("1.5*") for line in table_lines(rows)] == [False, True, False]
    assert list(dominators(rows)) == ["a"]
    rows["c"] = {"stress": Measured(math.nan, math.nan, 0.0, True)}
    assert "1.5*" in table_lines(rows)[1]
    assert "–" in table_lines(rows)[1]
    sampled = {"a": {"stress": Measured(0.123456, 0.9, 0.00567, False)}}
    assert table_lines(sampled)[1] == "stress ↓  0.1235 ± 0.0057"


def test_plot_takes_colors_and_labels_of_its_own(compared):
    figure = compared.plot(color=["x"] * 17 + ["y"] * 17, labels=True, table=False)
    assert len(figure.axes) == len(POS)
    assert [text.get_text() for text in figure.subfigs[0].legends[0].get_texts()] == ["x", "y"]
    assert {text.get_text() for text in figure.axes[0].texts} >= {"0", "33"}
    assert compared.plot(color="tomato").subfigs[0].legends == []


def markers(figure: Any) -> set[str]:
    """The shapes of the dots in a figure's legend."""
    return {handle.get_marker() for handle in figure.subfigs[0].legends[0].legend_handles}


def test_plot_on_dark_paper_with_many_classes(tmp_path):
    """Letters are light there, and more than eight classes differ in shape, in the drawings and in the legend."""
    labels = [f"class {v % 10}" for v in G]
    found = compare(G, POS, labels, measures="stress")
    figure = found.plot(background="dark")
    figure.savefig(tmp_path / "dark.png")
    assert figure.get_facecolor()[:3] == pytest.approx((0x14 / 255, 0x17 / 255, 0x1C / 255))
    assert {ax.title.get_color() for ax in figure.axes[: len(POS)]} == {"#e8eaee"}
    assert markers(figure) == {"o", "^"}
    assert all(to_hex(text.get_color()) == "#e8eaee" for text in figure.subfigs[0].legends[0].get_texts())
    assert markers(found.plot()) == {"o", "^"}
    with pytest.raises(InputError, match=r"background must be .*; got 'drak'"):
        found.plot(background="drak")


def test_long_names_are_cut_where_they_would_leave_the_figure():
    """They differ at their ends, which are kept; above the drawings they do not run into each other."""
    long = {f"the spring layout of networkx with many more iterations, seed {k}": POS["circle"] for k in range(2)}
    figure = compare(G, {**long, "b": POS["circle"]}, measures=["stress", "crossings"]).plot()
    figure.canvas.draw()
    boxes = []
    titles, table = [ax.title for ax in figure.axes[:3]], figure.axes[3]
    for text in [*titles, *table.texts, *table.get_xticklabels(), *table.get_yticklabels()]:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.width  # noqa: PT018
        if text in titles:
            boxes.append(box)
            assert "…" in text.get_text() or text.get_text() == "b"
    assert [a.x1 < b.x0 for a, b in itertools.pairwise(boxes)] == [True, True]
    assert len({text.get_text() for text in titles}) == 3


def test_page_has_a_heading_and_its_measures_once(compared, tmp_path):
    compared.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "<h1>3 drawings of a graph: spring, circle, random</h1>" in text
    assert text.count("<table>") == text.count("map_r2 ↑</th>") == 1
    assert text.count("<tr>") == 1 + len(compared.measured["spring"])  # a line per measure: the page does not grow wide
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(InputError, match="does not exist"):
        compared.to_html(tmp_path / "nowhere" / "page.html")


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


@pytest.mark.full
def test_names_draw_as_the_layouts_do():
    found = compare(G, ["tsne", "nx:circular", POS["random"], nl.method("ee"), nx.spring_layout])
    assert list(found.measured) == ["tsne", "nx:circular", "given", "ee", "spring_layout"]
    rows = {"ours": "tsne", "theirs": "nx:spring", "mine": POS["circle"], "own": nx.spiral_layout}
    assert compare(G, rows, measures="stress").single == ("ours", "theirs")
    for name, pos in {
        "tsne": nl.layout(G, "tsne", seed=0),
        "nx:circular": nx.circular_layout(G),
        "given": POS["random"],
        "ee": nl.layout(G, "ee", seed=0),
        "spring_layout": nx.spring_layout(G, seed=0),
    }.items():
        assert found.measured[name] == measure(G, pos)
    assert set(found.seconds) == set(found.measured) - {"given"}
    assert all(seconds > 0 for seconds in found.seconds.values())
    assert math.isnan(found.table.loc["given", "seconds"])
    assert found.table.loc["tsne", "seconds"] == found.seconds["tsne"]
    lines = repr(found).splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["seconds", "↑", "edge_length_variation"]
    assert found.single == ("tsne", "ee", "spring_layout")
    table = found.plot().axes[-1]
    texts = [text.get_text() for text in table.texts]
    assert "seconds" in [text.get_text() for text in table.get_xticklabels()]
    assert texts.count("–") == 1  # the drawing that was given


def test_several_seeds():
    drawings = ["nx:spring", "nx:circular", nx.spring_layout, POS["random"]]
    found = compare(G, drawings, seeds=4, seed=3, measures="stress")
    spring = [nx.spring_layout(G, seed=s) for s in range(3, 7)]
    values = [measure(G, pos, measures="stress", seed=3)["stress"].value for pos in spring]
    mean = found.measured["spring_layout"]["stress"]
    assert mean.value == pytest.approx(np.mean(values), rel=1e-12)
    assert mean.error == pytest.approx(np.std(values, ddof=1) / 2, rel=1e-12)
    assert found.spread.loc["spring_layout", "stress"] == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert [run["stress"].value for run in found.runs["spring_layout"]] == values
    assert {name: len(runs) for name, runs in found.runs.items()} == {
        "nx:spring": 4, "nx:circular": 1, "spring_layout": 4, "given": 1,
    }  # fmt: skip
    assert math.isnan(found.spread.loc["given", "stress"])
    assert found.single == ()
    first = nx.spring_layout(G, seed=3)
    assert all((found.drawings["spring_layout"][v] == align(first, to=found.drawings["nx:spring"])[v]).all() for v in G)
    cell = found.marked.loc["spring_layout", "stress"]
    assert cell.rstrip("*") == f"{mean.value:.4g} ± {np.std(values, ddof=1):.2g}"
    last = ["± the standard deviation over seeds; of one drawing the standard error of the sample"]
    last.append("too few seeds to tell layouts from chance: 7 seeds can, in 5 tests")
    assert repr(found).splitlines()[-2:] == last


def test_several_drawings_that_exist():
    spring = [nx.spring_layout(G, seed=seed) for seed in range(3)]
    array = np.array([[pos[v] for v in G] for pos in spring])
    found = compare(G, {"list": spring, "array": array}, measures="stress")
    values = [measure(G, pos, measures="stress")["stress"].value for pos in spring]
    for name in ("list", "array"):
        assert found.measured[name]["stress"].value == pytest.approx(np.mean(values), rel=1e-12)
        assert found.spreads[name]["stress"] == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert found.seconds == {}
    assert "seconds" not in found.table
    assert list(found.drawings["array"]) == list(G)  # an array of a networkx graph is keyed by its nodes


@pytest.mark.full
def test_weights_reach_the_methods_and_the_peers_that_take_them_for_similarities():
    weighted = compare(G, ["nx:spring", "tsne", "igraph:kk"], measures="stress")
    plain = compare(G, ["nx:spring", "tsne", "igraph:kk"], measures="stress", weight=None)
    for name in ("nx:spring", "tsne"):
        assert weighted.measured[name] != plain.measured[name]
    assert weighted.measured["igraph:kk"] == plain.measured["igraph:kk"]
    logs = compare(G, ["tsne"], measures="stress", weight_kind="log")
    pos = nl.layout(G, "tsne", weight_kind="log", seed=0)
    assert logs.measured["tsne"] == measure(G, pos, measures="stress")


def test_a_peer_that_is_missing_or_fails_is_named_and_left_out(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.warns(UserWarning, match="left out") as said:
        found = compare(G, ["graphviz:sfdp", "nx:planar", POS["circle"]], measures="stress")
    assert list(found.measured) == ["given"]
    assert [str(one.message) for one in said] == [
        "graphviz:sfdp is left out: there is no program sfdp (it comes with Graphviz, such as apt install graphviz)",
        "nx:planar is left out: it failed with NetworkXException: G is not planar.",
    ]
    assert set(found.notes) == {"graphviz:sfdp", "nx:planar"}
    with pytest.raises(InputError, match="no drawing is left to compare: graphviz:sfdp is left out"):
        compare(G, "graphviz:sfdp")


def test_a_drawing_at_one_place_is_said():
    with pytest.warns(UserWarning, match="all nodes of the drawing 'point' have one position"):
        found = compare(G, {"point": dict.fromkeys(G, (1.0, 2.0)), "circle": POS["circle"]})
    assert found.notes == {"point": ("all nodes have one position",)}
    assert found.measured["point"]["coincident"].value == len(G)
    found.plot()


REFUSED: dict[str, tuple[Any, dict, str]] = {
    "half": ({"half": {v: POS["circle"][v] for v in range(30)}}, {}, r"'half' has no position for node 30 \(4 of 34"),
    "nan": ({"nan": {**POS["circle"], 3: (math.nan, 0.0)}}, {}, "the drawing 'nan': pos of node 3 is .nan, 0.0"),
    "rows": ([np.zeros((33, 2))], {}, "33 rows and the graph has 34 nodes"),
    "one drawing for several": (POS["circle"], {}, "drawings is one dict of positions"),
    "twice": (["tsne", "tsne"], {}, "the drawing 'tsne' is given twice"),
    "method": (["wssne:3", "ws-sen"], {}, "ws-sne takes no number|unknown method or peer"),
    "near method": (["ws-sen"], {}, "unknown method or peer 'ws-sen': did you mean 'ws-sne'"),
    "near peer": (["nx:sprng"], {}, "did you mean 'nx:spring'"),
    "number": (["nerv:7"], {}, "kappa"),
    "measure": ([POS["circle"]], {"measures": "stres"}, "unknown measure 'stres': did you mean 'stress'"),
    "labels": ([POS["circle"]], {"labels": ["a"] * 33}, "labels has 33 entries and the graph has 34 nodes"),
    "None": ({"mine": None}, {}, "the drawing 'mine' is None"),
    "no table": ({"mine": [["a"] * 2] * 34}, {}, "the drawing 'mine'"),
    "short rows": ({"mine": np.zeros((5, 33, 2))}, {}, "the drawing 'mine': .*33 rows"),
    "empty list": ({"mine": []}, {}, "the drawing 'mine' is an empty list"),
    "names in a list": ({"mine": ["ws-sne", "tsne"]}, {}, "the drawing 'mine' is a list with 'ws-sne' in it"),
    "names beside positions": ({"mine": [POS["circle"], "tsne"], "b": "tsne"}, {}, "a list with 'tsne' in it"),
    "several dimensions": (
        {"mine": [POS["circle"], nx.random_layout(G, dim=3)]}, {}, "'mine' have 2 and 3 dimensions",
    ),
    "several returned": ([lambda graph: [POS["circle"]] * 2], {}, "returned several drawings"),
    "threads": (["nx:circular"], {"n_jobs": "x"}, "n_jobs must be"),
    "no seeds": (["tsne"], {"seeds": 0}, "seeds=0"),
    "empty dict": ({}, {}, "drawings must be"),
    "empty": ([], {}, "drawings must be"),
    "no drawings": (None, {}, "drawings must be"),
    "needs": ([POS["circle"]], {"measures": ["class_auc"]}, "class_auc.*labels"),
    "nothing returned": ([lambda graph: None], {}, "returned None"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_named_before_anything_is_drawn(what, monkeypatch):
    import nelayout.comparison.comparing as comparing

    monkeypatch.setattr(comparing, "solve", lambda *_, **__: pytest.fail("it draws before it has looked"))
    drawings, keywords, said = REFUSED[what]
    with pytest.raises(nx.NetworkXError, match=said) as error:
        compare(G, drawings, **keywords)
    assert isinstance(error.value, InputError)


def test_a_list_of_drawings_alone_is_one_row():
    """A dict of one row with several drawings is no dict of positions, which have one to three numbers."""
    found = compare(G, {"my\nown": list(POS.values())}, measures="stress")
    assert list(found.measured) == ["my own"]  # a name is one line
    assert len(found.runs["my own"]) == len(POS)
    lists = {"mine": [np.array([POS["circle"][v] for v in G]).tolist()] * 2}
    assert len(compare(G, lists, measures="stress").runs["mine"]) == 2


def test_a_function_that_fails_names_its_drawing():
    def fail(_):
        raise ZeroDivisionError("at first")

    with pytest.raises(ZeroDivisionError, match="at first") as error:
        compare(G, {"theirs": fail})
    assert error.value.__notes__ == ["raised by the function that draws 'theirs'"]


def test_drawings_in_the_plane_and_in_space(tmp_path):
    """In whatever order: what is not defined in space is not known of that drawing, and decides nothing."""
    space = nx.spring_layout(G, dim=3, seed=0)
    for drawings in ({"plane": POS["circle"], "space": space}, {"space": space, "plane": POS["circle"]}):
        found = compare(G, drawings)
        assert math.isnan(found.table.loc["space", "crossings"])
        assert found.table.loc["plane", "crossings"] > 0
        assert found.front == ["space"]
        assert found.verdict[0] == "space is the only drawing that no other dominates."
        assert "crossings" not in " ".join(found.verdict)
        assert found.dominated == {"plane": ["space"]}
        found.plot().savefig(tmp_path / "both.png")
        found.to_html(tmp_path / "both.html")
    with pytest.raises(Unsupported, match=r"the drawing 'space': .*crossings"):
        compare(G, drawings, measures="crossings")


def test_without_the_extra(compared, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"nelayout\[compare\]"):
        _ = compared.table
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match="nelayout"):
        compared.plot()


def test_layouts_of_all_seeds_are_kept_as_they_were_drawn():
    found = compare(G, ["nx:spring", "ws-sne", "nx:circular"], seeds=3, seed=2, measures="stress")
    assert {name: len(each) for name, each in found.layouts.items()} == {"nx:spring": 3, "ws-sne": 3, "nx:circular": 1}
    for name, each in found.layouts.items():
        for pos, run in zip(each, found.runs[name], strict=True):
            assert measure(G, pos, measures="stress", seed=2) == run
    for seed, pos in enumerate(found.layouts["ws-sne"], start=2):
        expected = nl.layout(G, "ws-sne", seed=seed)
        assert all((pos[v] == expected[v]).all() for v in G)


def test_other_packages_get_node_costs(tmp_path):
    found = compare(G, ["nx:spring", "ws-sne"], objective="ws-sne", measures="stress", seeds=2)
    for name, cost in found.node_cost.items():
        expected = nl.evaluate(G, found.layouts[name][0], "ws-sne", "best")
        assert np.array_equal(cost, expected.node_cost)
        assert cost.sum() == pytest.approx(found.runs[name][0]["J of ws-sne"].value, rel=1e-9)
    assert list(found.node_cost) == ["nx:spring", "ws-sne"]
    assert "node cost" in found._repr_html_()
    assert compare(G, ["nx:circular"], measures="stress").node_cost == {}
