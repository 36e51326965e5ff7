"""Pages: their data are the graph's, text stays text, and a file is written whole or not at all."""

import base64
import hashlib
import html
import json
import math
import shutil
import subprocess
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pandas
import pytest
from pages import Reader, data_of, unpacked

import nelayout as nl
from nelayout.comparison.views import neighbors_kept
from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.pictures import pages
from nelayout.pictures.colors import ON_DARK, PALETTE
from nelayout.pictures.pages import Column, Drawn, Page, packed
from nelayout.pictures.space import seen_from_aside

G = nx.karate_club_graph()
POS = nx.kamada_kawai_layout(G)
EVIL = "</script><img src=x onerror=\"document.title='broken'\"><!--<script>"


def explored(graph=G, pos=POS, **look):
    return data_of(nl.explore(graph, pos, **look).html())


@pytest.fixture(scope="module")
def karate():
    return explored(color="club")


def test_places_are_those_of_the_drawing(karate):
    """Up to one shift and one scale, which put the box into [-1, 1]."""
    Y = np.array(list(POS.values()))
    shown = karate["drawings"][0]["xy"].reshape(-1, 2)
    assert np.ptp(shown, axis=0).max() == pytest.approx(2.0, rel=1e-6)
    assert np.abs(shown).max() == pytest.approx(1.0, rel=1e-6)
    scale = np.ptp(Y, axis=0).max() / 2
    assert np.allclose(np.diff(shown, axis=0) * scale, np.diff(Y, axis=0), atol=1e-6)


def test_edges_are_those_of_the_graph_the_strongest_first(karate):
    ends = list(zip(karate["rows"].tolist(), karate["cols"].tolist(), strict=True))
    assert {frozenset(end) for end in ends} == {frozenset(edge) for edge in G.edges}
    assert len(ends) == G.number_of_edges()
    assert karate["weights"].tolist() == [G.edges[end]["weight"] for end in ends]
    assert (np.diff(karate["weights"]) <= 0).all()
    assert ends != sorted(ends), "equally strong edges are in random order: a first part of them is a fair sample"
    assert explored(nx.Graph(G.edges), weight="weight")["weights"] is None, "all weights are alike"
    assert explored(weight=None)["weights"] is None


def test_columns_are_what_the_graph_knows_of_its_nodes(karate):
    columns = {column["name"]: column for column in karate["columns"]}
    assert list(columns) == ["degree", "strength", "club"]
    assert columns["degree"]["values"].tolist() == [G.degree(v) for v in G]
    assert columns["strength"]["values"].tolist() == [G.degree(v, weight="weight") for v in G]
    club = columns["club"]
    assert [club["names"][code] for code in club["codes"]] == [G.nodes[v]["club"] for v in G]
    assert (club["colors"], club["dark"]) == (list(PALETTE[:2]), list(ON_DARK[:2]))
    assert karate["color"] == "club"
    assert karate["names"] == [str(v) for v in G]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b", "a", None], "classes"), ([True, False, True, True], "classes"), ([1, 2, 1, 2], "classes"),
        ([0.5, 1.5, math.nan, 2.5], "numbers"), (["Ann", "Bob", "Eve", "Zoe"], "texts"),
        ([1, 2, 2, math.nan], "amount"), ([None] * 4, "texts"), ([str(k // 2) for k in range(140)], "texts"),
        ([("a", 1), ("a", 1), ("b", 2), None], "classes"), ([1, "a", 1, "a"], "classes"),
    ],
)
def test_a_column_is_classes_numbers_or_texts(values, kind):
    """Few whole numbers are classes, except amounts."""
    column = Column("x", np.array(values) if kind == "amount" else values, amount=kind == "amount")
    kind = "numbers" if kind == "amount" else kind
    held = column.held([])
    assert (column.kind, held["kind"]) == (kind, kind)
    if kind == "classes":
        codes = unpacked(held["codes"])
        assert [None if c < 0 else held["names"][c] for c in codes] == [None if v is None else str(v) for v in values]
    elif kind == "numbers":
        assert np.array_equal(unpacked(held["values"]), values, equal_nan=True)
    else:
        assert held["values"] == values


@pytest.mark.parametrize("amount", [False, True])
@pytest.mark.parametrize(
    "values",
    [[1, 2, 2, 7], list(range(30)), [0.5, 1.0, math.nan], [1.0, math.inf, -math.inf, 3.0, 1.0], [3], [], [math.nan]],
    ids=str,
)
def test_an_array_is_the_same_column_as_its_list(values, amount):
    """An array of a million numbers is read as a whole."""
    whole = bool(values) and all(isinstance(value, int) for value in values)
    for dtype in ("int64", "uint8") if whole else ("float64", "float32"):
        array = Column("x", np.array(values, dtype), amount=amount)
        assert array.held([]) == Column("x", values, amount=amount).held([])


def test_classes_that_are_colors_have_these():
    pytest.importorskip("matplotlib")
    assert Column("x", ["red", "#0072b2", "red"]).held([])["colors"] == ["#0072b2", "#ff0000"]
    assert Column("x", ["red", "rest", "red"]).held([])["colors"] == list(PALETTE[:2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.uint16, np.uint32, ">f8"])
def test_arrays_come_back_bit_by_bit(dtype):
    x = np.arange(12).reshape(4, 3).astype(dtype)[:, ::2]
    assert unpacked(packed(x)).tolist() == x.ravel().tolist()


@pytest.mark.parametrize(("n", "itemsize"), [(65_536, 2), (65_537, 4)])
def test_node_numbers_take_the_bytes_that_they_need(n, itemsize):
    ends = np.array([n - 1]), np.array([0])
    data = data_of(Page([""] * n, ends, None, [Drawn("", np.zeros((n, 2)))]).html())
    assert (data["rows"].tolist(), data["rows"].itemsize) == ([n - 1], itemsize)


def test_markup_in_names_and_values_stays_text(tmp_path):
    graph = nx.Graph([(EVIL, "b"), ("b", "&lt;c"), ("b", "d")])
    for v in graph:
        graph.nodes[v][EVIL] = EVIL if v in ("b", "d") else f"{v}\u2028\ud800\x00"
    pos = {v: (k, k * k) for k, v in enumerate(graph)}
    nl.explore(graph, pos, tmp_path / "one.html", title=EVIL, labels=EVIL)
    compared = nl.compare(graph, {EVIL: pos, "b": pos}, labels=EVIL, measures=["stress", "coincident"])
    compared.to_html(tmp_path / "two.html", color=EVIL)
    for name in ("one.html", "two.html"):
        reader = Reader((tmp_path / name).read_text("utf-8"))
        tags = [tag for tag, _ in reader.elements]
        assert tags.count("script") == 2
        assert "img" not in tags
        assert not [key for _, attributes in reader.elements for key in attributes if key.startswith("on")]
        data = data_of((tmp_path / name).read_text("utf-8"))
        assert EVIL in data["names"]
        assert EVIL in "".join(reader.texts)
        assert not set(reader.scripts[0]) & set("<>&"), "no tag, entity or comment begins in the data"


def test_a_page_runs_its_own_program_alone_and_reaches_no_network(tmp_path):
    text = nl.explore(G, POS).html()
    reader = Reader(text)
    program = reader.scripts[1]
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    policy = next(attributes["content"] for _, attributes in reader.elements if "http-equiv" in attributes)
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert not [1 for _, attributes in reader.elements if attributes.keys() & {"src", "href"}]
    assert "//" not in text.split("<script")[0].replace("<!doctype", "")
    ways_out = ("fetch(", "XMLHttpRequest", "import(", "innerHTML", "insertAdjacentHTML", "document.write", "eval(")
    assert [way_out for way_out in ways_out if way_out in program] == []


def test_names_on_a_page_stand_nearest_to_their_own_node():
    """As in pictures; the name under the mouse is always written."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the PATH")
    panel = Path(pages.__file__).with_name("program").joinpath("panel.js").read_text("utf-8")
    script = panel + """
        const shown = Object.create(Panel.prototype);
        const data = { n: 9, names: ["a long name", ..."bcdefghi"] };
        const view = { x: 0, y: 0, zoom: 1 };
        Object.assign(shown, { width: 200, height: 200, fit: 50, dim: 2, view, page: { data, theme: {} } });
        let at;
        const strokeText = (_, ...xy) => { at = xy; };
        const pen = { measureText: (text) => ({ width: 8 * text.length }), strokeText, fillText() {} };
        const around = (r) => [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [r * Math.cos(k * 0.79), r * Math.sin(k * 0.79)]);
        const beside = [0.6, 0.1, ...Array(14).fill(9)];
        const written = [around(0.2), around(4), beside].map((others) => {
          shown.xy = new Float32Array([0, 0, ...others]);
          return [false, true].map((must) => shown.write(pen, 0, [], must)).concat(Math.sign(at[0] - 100));
        });
        console.log(JSON.stringify(written));
    """
    said = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True).stdout
    assert json.loads(said) == [[False, True, 1], [True, True, 1], [True, True, -1]], "beside a node, on the other side"


def test_a_series_heads_the_legend_unless_a_column_has_its_name():
    kinds = pandas.Series([f"kind {v % 3}" for v in G], index=list(G), name="kind")
    for color, heading in ((kinds, "kind"), (kinds.rename("degree"), "color"), (kinds.tolist(), "color")):
        data = explored(color=color)
        assert data["color"] == heading
        assert heading in [column["name"] for column in data["columns"]]


def is_same(one, other):
    """Whether two pages have the same edges and places."""
    pairs = [(one[name], other[name]) for name in ("rows", "cols", "weights")]
    return all(np.array_equal(a, b) for a, b in [*pairs, (one["drawings"][0]["xy"], other["drawings"][0]["xy"])])


def test_hosts_give_the_same_page(karate):
    Y = np.array(list(POS.values()))
    assert is_same(explored(igraph.Graph.from_networkx(G), igraph.Layout(Y.tolist())), karate)
    assert is_same(explored(nx.to_scipy_sparse_array(G), Y), karate)


def test_a_solution_tells_what_each_node_costs():
    solution = nl.solve(G, "t-sne", seed=0, max_iter=5)
    data = explored(G, solution)
    assert data["drawings"][0]["name"] == solution.method
    cost = next(column for column in data["columns"] if column["name"] == "cost")
    assert cost["values"].tolist() == solution.node_cost.tolist()


def test_a_line_and_a_drawing_in_space():
    path = nx.path_graph(3)
    line = explored(path, {0: [0.0], 1: [1.0], 2: [4.0]})["drawings"][0]["xy"]
    assert line.tolist() == [-1.0, 0.0, -0.5, 0.0, 1.0, 0.0]
    corners = {0: (0, 0, 0), 1: (1, 0, 0), 2: (1, 1, 1)}
    space = explored(path, corners)
    assert space["drawings"][0]["xyz"].tolist() == [-1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0]
    seen = np.array(list(corners.values())) @ np.reshape(space["view"], (3, 3)).T
    assert np.allclose(seen[:, :2], seen_from_aside(np.array(list(corners.values()), float))[0]), "as in pictures"


@pytest.mark.parametrize("n", [0, 1, 3])
def test_nothing_much_to_see(n):
    data = explored(nx.empty_graph(n), dict.fromkeys(range(n), (2.0, 2.0)))
    assert data["drawings"][0]["xy"].tolist() == [0.0] * (2 * n)
    assert len(data["rows"]) == 0


def test_points_without_a_graph():
    data = explored(None, [(0, 0), (4, 2), (4, 0)], color=["a", "a", "b"])
    assert data["drawings"][0]["xy"].tolist() == [-1.0, -0.5, 1.0, 0.5, 1.0, -0.5]
    assert [column["name"] for column in data["columns"]] == [data["color"]] == ["color"]
    assert explored(None, [(0, 0), (4, 2)])["color"] == data["plain"][0]


def test_names_come_from_texts_and_attributes_that_repeat_them_are_left_out():
    named = explored(labels={0: "Mr. Hi"})
    assert named["names"][:2] == ["Mr. Hi", "1"]
    assert next(c for c in named["columns"] if c["name"] == "node")["values"][0] == "0"
    graph = nx.path_graph(["a", "b", "c"])
    nx.set_node_attributes(graph, {v: v for v in graph}, "name")
    nx.set_node_attributes(graph, {v: 2 * v for v in graph}, "twice")
    data = explored(graph, {v: (k, 0) for k, v in enumerate(graph)})
    assert [column["name"] for column in data["columns"]] == ["degree", "twice"]


def test_the_first_color_is_a_column_or_one_color():
    colors = [None, "strength", "#00aa00", {v: v % 3 for v in G}, (1.0, 0.0, 0.0)]
    assert [explored(color=color)["color"] for color in colors] == [
        "degree", "strength", "#00aa00", "color", "#ff0000",
    ]  # fmt: skip


def test_a_page_larger_than_browsers_bear_is_refused_before_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "MAX_PAGE_BYTES", 30_000)
    monkeypatch.setattr(pages, "page_data", lambda page: pytest.fail("the page was made"))
    with pytest.raises(InputError, match=r"34 nodes, 78 edges and 1 drawings would be 0 MB.*nelayout.draw"):
        nl.explore(G, POS, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("n", [50, 3000])
def test_the_size_is_known_without_making_the_page(n):
    graph = nx.gnm_random_graph(n, 6 * n, seed=0)
    nx.set_edge_attributes(graph, {edge: 1.0 + k for k, edge in enumerate(graph.edges)}, "weight")
    nx.set_node_attributes(graph, {v: f"the node {v}" for v in graph}, "words")
    nx.set_node_attributes(graph, {v: v % 7 for v in graph}, "kind")
    made = nl.explore(graph, nx.random_layout(graph, seed=0))
    assert made.size == pytest.approx(len(made.html().encode()), rel=0.05)


@pytest.mark.parametrize("shape", ["hull", "circle", "box"])
def test_shapes_of_groups_are_behind_the_drawing(shape):
    (drawing,) = explored(groups="club", groups_shape=shape)["drawings"]
    xy, clubs = drawing["xy"].reshape(-1, 2), [G.nodes[v]["club"] for v in G]
    for held, club in zip(drawing["shapes"], dict.fromkeys(clubs), strict=True):
        corners, own = unpacked(held).reshape(-1, 2), xy[[each == club for each in clubs]]
        assert (corners.min(axis=0) < own.min(axis=0)).all()
        assert (corners.max(axis=0) > own.max(axis=0)).all()
    assert explored()["drawings"][0]["shapes"] == []


def test_shapes_of_groups_are_refused_in_space_and_by_wrong_names():
    with pytest.raises(InputError, match="shapes of groups are for drawings in the plane"):
        nl.explore(G, nx.random_layout(G, dim=3, seed=0), groups="club")
    with pytest.raises(InputError, match="unknown groups_shape 'star'"):
        nl.explore(G, POS, groups="club", groups_shape="star")


def test_the_command_line_draws_the_shapes_of_groups(tmp_path, monkeypatch):
    from nelayout.cli import main

    monkeypatch.chdir(tmp_path)
    nx.write_gml(G, "karate.gml")
    call = ["layout", "karate.gml", "--groups", "club", "--quiet", "-o"]
    assert main([*call, "with.html", "--groups-shape", "box"]) == main([*call, "without.html"]) == 0
    found = [data_of((tmp_path / name).read_text())["drawings"][0]["shapes"] for name in ("with.html", "without.html")]
    assert list(map(len, found)) == [2, 0]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    whole = nl.explore(G, POS, tmp_path / "page.html").html()
    assert (tmp_path / "page.html").read_text("utf-8") == whole
    monkeypatch.setattr(pages, "embedded", lambda data: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nl.explore(nx.path_graph(2), {0: (0, 0), 1: (1, 1)}, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == whole
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_the_command_line_writes_the_page(tmp_path, monkeypatch, capsys):
    from nelayout.cli import main

    monkeypatch.chdir(tmp_path)
    nx.write_gml(G, "karate.gml")
    assert main(["layout", "karate.gml", "-m", "t-sne", "-o", "page.html", "--color", "club", "--quiet"]) == 0
    solution = nl.solve(G, "t-sne", seed=0, node_size="auto")
    ours = data_of((tmp_path / "page.html").read_text())
    assert (ours["title"], ours["color"]) == ("karate.gml", "club")
    assert is_same(ours, explored(G, solution, color="club"))
    assert [column["name"] for column in ours["columns"]] == ["cost", "degree", "strength", "club"]
    assert main(["layout", "karate.gml", "-o", "other.html", "--color", "clb", "--quiet"]) == 1
    assert "did you mean 'club'" in capsys.readouterr().err
    assert not (tmp_path / "other.html").exists()


def test_a_notebook_shows_the_page_in_a_frame_unless_it_is_heavy(monkeypatch):
    made = nl.explore(G, POS)
    (frame,) = (attributes for tag, attributes in Reader(made._repr_html_()).elements if tag == "iframe")
    assert frame["srcdoc"] == made.html()
    assert frame["sandbox"] == "allow-scripts"
    monkeypatch.setattr(pages, "_MAX_NOTEBOOK_BYTES", 1000)
    shown = nl.compare(G, {"a": POS}, measures="stress")._repr_html_()
    assert "iframe" not in shown
    assert html.escape('.write("page.html")') in shown
    assert "<table>" in shown


def test_neighbors_kept_is_the_measure_of_each_node():
    pos = nx.random_layout(G, seed=0)
    kept = neighbors_kept(read(G), np.array(list(pos.values()), np.float64))
    assert kept.mean() == pytest.approx(nl.measure(G, pos, measures="neighborhood")["neighborhood"].value)
    lonely = nx.Graph([(0, 1)])
    lonely.add_node(2)
    found = neighbors_kept(read(lonely), np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]))
    assert found.tolist()[:2] == [1.0, 1.0]
    assert math.isnan(found[2])


def test_the_page_of_a_comparison_has_what_each_drawing_keeps():
    drawings = {"spring": POS, "circle": nx.circular_layout(G)}
    compared = nl.compare(G, drawings, "club", measures=["neighborhood", "crossings"])
    text = compared.page().html()
    data = data_of(text)
    assert [drawing["name"] for drawing in data["drawings"]] == list(drawings)
    assert data["color"] == "class"
    kept = [column for column in data["columns"] if column["name"] == "neighbors kept"]
    assert [column["drawing"] for column in kept] == [0, 1]
    for column, name in zip(kept, drawings, strict=True):
        value = compared.measured[name]["neighborhood"].value
        assert np.nanmean(column["values"]) == pytest.approx(value, abs=0.01)
    shown = Reader(text)
    assert "crossings ↓" in shown.texts
    assert any(said.startswith("mean Jaccard index") for said in shown.texts)
    assert [tag for tag, _ in shown.elements].count("table") == 1


def test_a_page_of_a_comparison_has_seconds_and_verdict():
    made = nl.Comparison({}, {"a > b": POS}, G, seconds={"a > b": 0.3}).page().html()
    assert data_of(made)["drawings"][0]["facts"] == ["0.3 s"]
    assert "<p>There is one drawing, and nothing to compare it with.</p>" in made
