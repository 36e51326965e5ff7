"""What a caller wants beside the edges: groups, anchors, layers, directions and negative weights."""

import json
import re

import igraph
import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.cli import main
from nelayout.core.placing.shapes import outlines, shape_gap

BLOCKS = nx.empty_graph(60)
BLOCKS.add_edges_from(nx.planted_partition_graph(5, 12, 0.5, 0.05, seed=2).edges)
BLOCK = {v: f"block {v // 12}" for v in BLOCKS}
DAG = nx.DiGraph([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 5), (5, 4)])
GRID = nx.grid_2d_graph(6, 6)
MAP = {(i, j): (100.0 * i + 500.0, 100.0 * j) for i, j in GRID}


def array(pos):
    return np.array(list(pos.values()))


def within(Y, labels):
    """Part of the variance within groups."""
    labels, Y = np.asarray(labels), Y - Y.mean(axis=0)
    return sum(np.sum((Y[labels == g] - Y[labels == g].mean(axis=0)) ** 2) for g in set(labels)) / np.sum(Y**2)


def apart(one, other):
    """Whether a line parallel to a side separates two convex polygons (k, 2)."""
    for A, B in ((one, other), (other, one)):
        sides = np.roll(A, -1, axis=0) - A
        normal = np.stack([sides[:, 1], -sides[:, 0]], axis=1)[np.hypot(*sides.T) > 1e-12]
        if ((A @ normal.T).max(axis=0) <= (B @ normal.T).min(axis=0)).any():
            return True
    return False


def inside(polygon, point):
    """Whether a point is in a counterclockwise polygon."""
    away = polygon - point
    after = np.roll(away, -1, axis=0)
    return bool((away[:, 0] * after[:, 1] - away[:, 1] * after[:, 0] > 0).all())


@pytest.mark.parametrize("method", ["auto", "ws-sne", "linlog", "nerv", "ee"])
def test_groups_draw_members_together(method):
    labels = [v % 5 for v in BLOCKS]  # against the edges
    found = [
        within(array(nl.layout(BLOCKS, method, seed=0, **own)), labels)
        for own in ({}, {"groups": labels}, {"groups": labels, "group_strength": 10.0})
    ]
    assert found[0] > found[1] > found[2]


def test_all_ways_to_give_groups_are_one():
    sets = [{v for v in BLOCKS if BLOCK[v] == name} for name in sorted(set(BLOCK.values()))]
    G = BLOCKS.copy()
    nx.set_node_attributes(G, BLOCK, "part")
    ways = ["part", BLOCK, [BLOCK[v] for v in G], sets, dict(enumerate(sets))]
    first, *others = [array(nl.ws_sne_layout(G, seed=0, groups=way)) for way in ways]
    assert all(np.array_equal(first, other) for other in others)
    g = igraph.Graph.from_networkx(G)
    assert np.array_equal(first, np.array(nl.ws_sne_layout(g, seed=0, groups="part").coords))


def test_a_node_without_a_group_is_free():
    some = {v: name for v, name in BLOCK.items() if v % 2}
    evaluated = nl.evaluate(BLOCKS, nx.circular_layout(BLOCKS), "ws-sne", groups=some)
    assert 0 < evaluated.terms["groups"] < 1


def test_pieces_of_a_group_that_no_edge_joins_are_one_component():
    G = nx.Graph([(0, 1), (2, 3), (4, 5)])
    G.add_node(6)
    solution = nl.solve(G, "ws-sne", seed=0, groups=[{0, 2, 6}])
    assert solution.components.tolist() == [0, 0, 0, 0, 1, 1, 0]
    assert any("2 pieces of groups that no edge joins" in note for note in solution.notes)


@pytest.mark.parametrize("shape", ["hull", "circle", "box"])
def test_shapes_of_groups_overlap_nothing(shape):
    some = {v: name for v, name in BLOCK.items() if v % 6}
    Y = array(nl.ws_sne_layout(BLOCKS, seed=0, groups=some, groups_shape=shape))
    groups = [np.array([v for v in BLOCKS if some.get(v) == name]) for name in sorted(set(some.values()))]
    polygons = outlines(Y, groups, shape, 0.5 * shape_gap(Y))
    assert all(apart(polygons[a], polygons[b]) for a in range(5) for b in range(a))
    for polygon, group in zip(polygons, groups, strict=True):
        assert [v for v in BLOCKS if inside(polygon, Y[v])] == group.tolist()
    assert np.abs(Y).max() == pytest.approx(1.0)


def test_an_outer_shape_contains_the_inner_ones_and_no_other():
    paths = {v: ("left" if v < 24 else "right", v // 12) for v in range(48)}
    Y = array(nl.layout(BLOCKS, seed=0, groups=paths, groups_shape="box"))
    halves = [np.arange(24), np.arange(24, 48)]
    inner = [np.arange(12 * k, 12 * k + 12) for k in range(4)]
    outer, boxes = outlines(Y, halves, "box", 0.0), outlines(Y, inner, "box", 0.0)
    assert apart(*outer)
    assert all(apart(boxes[a], boxes[b]) for a in range(4) for b in range(a))
    assert not any(inside(polygon, Y[v]) for polygon in outer for v in range(48, 60))


def test_anchors_of_some_nodes_place_all_in_the_units_of_the_map():
    some = dict(list(MAP.items())[::3])
    Y = nl.layout(GRID, seed=0, anchors=some)
    assert max(np.abs(Y[v] - MAP[v]).max() for v in GRID) < 25.0
    upside_down = {v: (-x, -y) for v, (x, y) in some.items()}
    Y = nl.layout(GRID, seed=0, anchors=upside_down)
    assert max(np.abs(Y[v] + MAP[v]).max() for v in GRID) < 25.0


def test_stronger_anchors_hold_a_wrong_place_better():
    some = dict(list(MAP.items())[::3])
    some[0, 0], some[5, 3] = some[5, 3], some[0, 0] if (0, 0) in some else MAP[0, 0]
    moves = [np.hypot(*(nl.layout(GRID, "ws-sne", seed=0, anchors=some, anchor_strength=s)[0, 0] - some[0, 0]))
             for s in (0.1, 10.0, 1000.0)]  # fmt: skip
    assert moves[0] > moves[1] > moves[2]


def test_a_component_without_anchors_stands_beside_the_map():
    G = nx.union(GRID, nx.path_graph(4))
    solution = nl.solve(G, "ws-sne", seed=0, anchors=dict(list(MAP.items())[::3]))
    right = max(x for x, _ in MAP.values())
    assert all(solution.positions[k][0] > right for k in range(4))
    assert any("stand beside the map" in note for note in solution.notes)


def test_an_isolated_node_with_an_anchor_lies_on_it():
    G = GRID.copy()
    G.add_node("lone")
    Y = nl.ws_sne_layout(G, seed=0, anchors={**dict(list(MAP.items())[::3]), "lone": (90.0, -300.0)})
    assert Y["lone"] == pytest.approx([90.0, -300.0], abs=30.0)


def test_layers_of_a_graph_without_cycles_point_down():
    Y = nl.layout(DAG, seed=0, layers="auto")
    assert all(Y[u][1] > Y[v][1] for u, v in DAG.edges)
    rows = sorted({round(y, 9) for _, y in Y.values()})
    assert np.allclose(np.diff(rows), rows[1] - rows[0])
    assert np.abs(array(Y)).max() == pytest.approx(1.0)


AXES = [("down", 1, -1), ("up", 1, 1), ("right", 0, 1), ("left", 0, -1)]


@pytest.mark.parametrize(("direction", "axis", "sign"), AXES)
def test_layers_and_arcs_go_in_the_direction(direction, axis, sign):
    for own in ({"layers": "auto"}, {}):
        Y = nl.ws_sne_layout(nx.DiGraph(nx.path_graph(9, create_using=nx.DiGraph)), seed=0, direction=direction, **own)
        assert all(sign * (Y[v + 1][axis] - Y[v][axis]) > 0 for v in range(8))


def test_auto_layers_make_all_edges_together_as_short_as_they_can_be():
    G = nx.DiGraph([(0, 1), (1, 2), (2, 3), (4, 3)])  # 4 belongs right above 3
    Y = nl.layout(G, seed=0, layers="auto")
    assert Y[4][1] == pytest.approx(Y[2][1])


def test_layers_of_names_come_in_their_order_and_numbers_in_their_distance():
    G = nx.path_graph(4)
    Y = nl.ws_sne_layout(G, seed=0, layers={0: "a", 1: "b", 2: "b", 3: "c"})
    assert Y[0][1] > Y[1][1] > Y[3][1]
    assert Y[1][1] == pytest.approx(Y[2][1])
    Y = nl.ws_sne_layout(G, seed=0, columns=[2000, 2001, 2001, 2010])
    assert (Y[3][0] - Y[1][0]) / (Y[1][0] - Y[0][0]) == pytest.approx(9.0)


def test_most_arcs_of_a_graph_with_cycles_point_down():
    G = nx.gnp_random_graph(40, 0.05, seed=3, directed=True)
    Y = nl.layout(G, seed=0, direction="down")
    assert np.mean([Y[u][1] > Y[v][1] for u, v in G.edges]) > 0.75


def test_negative_weights_keep_two_camps_apart():
    rng = np.random.default_rng(0)
    signs = {(a, b): 1 if (a < 20) == (b < 20) else -1 for a in range(40) for b in range(a) if rng.random() < 0.3}
    G = nx.Graph()
    G.add_weighted_edges_from((a, b, w) for (a, b), w in signs.items())
    camp = np.arange(40) < 20
    A = nx.to_numpy_array(G)
    for graph in (G, A):
        Y = nl.layout(graph, seed=0, negative="repel")
        Y = array(Y) if isinstance(Y, dict) else Y
        middle = Y[camp].mean(axis=0) - Y[~camp].mean(axis=0)
        along = Y @ middle
        assert along[camp].min() > along[~camp].max()


@pytest.mark.parametrize("own", [{"groups": BLOCK}, {"anchors": {v: (v % 8, v // 8) for v in list(BLOCKS)[::4]}}])
def test_j_is_the_sum_of_the_edges_and_the_terms(own):
    solution = nl.solve(BLOCKS, "ws-sne", seed=0, node_size=None, scale=None, **own)
    found, free = (nl.evaluate(BLOCKS, solution, "ws-sne", size="best", **each) for each in (own, {}))
    assert found.value == pytest.approx(free.value + sum(found.terms.values()))
    assert list(found.terms) == list(own)
    assert free.terms == {}


@pytest.mark.parametrize("own", [{"groups": BLOCK}, {"groups": BLOCK, "groups_shape": "hull"}, {"layers": BLOCK}])
def test_threads_leave_the_bits(own):
    one, two = (array(nl.layout(BLOCKS, seed=0, n_jobs=jobs, **own)) for jobs in (1, 2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    "own", [{"groups": BLOCK}, {"groups": BLOCK, "groups_shape": "box"}, {"anchors": {0: (0, 1), 1: (0, 1), 9: (3, 4)}}]
)
@pytest.mark.parametrize("method", ["auto", "ws-sne"])
def test_the_plan_with_structure_is_the_run(method, own):
    planned = nl.plan(BLOCKS, method, node_size="auto", **own).passes
    ran = nl.solve(BLOCKS, method, seed=0, node_size="auto", **own).passes
    assert {each.name for each in ran} <= {each.name for each in planned}


ARCS = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])


@pytest.mark.parametrize(
    ("G", "own", "words"),
    [
        (BLOCKS, {"groups": [{0, 99}]}, "groups holds 99, which is not a node"),
        (BLOCKS, {"groups": [{0, 1, 2}, {2, 3, 4}]}, "groups overlap: node 2 is in two groups"),
        (BLOCKS, {"groups": "none"}, "groups"),
        (BLOCKS, {"groups_shape": "hull"}, "groups_shape='hull' needs groups"),
        (BLOCKS, {"groups": BLOCK, "groups_shape": "star"}, "groups_shape"),
        (BLOCKS, {"groups": BLOCK, "groups_shape": "box", "dim": 3}, "for drawings in the plane"),
        (BLOCKS, {"groups": BLOCK, "groups_shape": "box", "layers": BLOCK}, "layers holds their nodes"),
        (BLOCKS, {"groups": BLOCK, "group_strength": 0}, "group_strength must be > 0"),
        (BLOCKS, {"anchors": {}}, "no node of the graph has one"),
        (BLOCKS, {"anchors": {0: (0, 0, 0)}}, "pos of node 0 has 3 coordinates"),
        (BLOCKS, {"anchors": "lon,lat"}, "lon"),
        (BLOCKS, {"anchors": "lon"}, "in 2 dimensions it must name 2"),
        (BLOCKS, {"anchors": {0: (0, 0), 1: (1, 1)}, "fixed": [0], "pos": {0: (0, 0)}}, "has an anchor and is fixed"),
        (BLOCKS, {"anchors": {0: (0, 0)}, "anchor_strength": float("nan")}, "anchor_strength must be > 0"),
        (ARCS, {"layers": "auto"}, "'a' -> 'b' -> 'c' -> 'a' is one"),
        (BLOCKS, {"layers": "auto"}, "needs a graph with directions"),
        (BLOCKS, {"direction": "down"}, "needs a graph with directions"),
        (BLOCKS, {"direction": "sideways"}, "direction"),
        (BLOCKS, {"layers": {0: 1}}, "layers: node 1 has no value"),
        (BLOCKS, {"layers": BLOCK, "columns": BLOCK, "direction": "right"}, "hold the same axis"),
        (BLOCKS, {"layers": BLOCK, "fixed": [0], "pos": {0: (0, 0)}}, "and so does fixed"),
        (nx.Graph([(0, 1, {"weight": -1})]), {}, "negative='repel' pushes such nodes apart"),
        (BLOCKS, {"negative": "yes"}, "negative"),
    ],
)
def test_wrong_wishes_are_refused_before_work(G, own, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        nl.layout(G, **own)


def test_the_shell_takes_structure(tmp_path, capsys):
    G = BLOCKS.copy()
    nx.set_node_attributes(G, BLOCK, "part")
    nx.set_node_attributes(G, {v: float(v % 7) for v in G}, "lon")
    nx.set_node_attributes(G, {v: float(v % 5) for v in G if v}, "lat")
    nx.write_gml(G, tmp_path / "g.gml")
    for words, own in (
        ("--groups part --groups-shape box --group-strength 2",
         {"groups": BLOCK, "groups_shape": "box", "group_strength": 2.0}),
        ("--anchors lon,lat --anchor-strength 3",
         {"anchors": {v: (v % 7, v % 5) for v in G if v}, "anchor_strength": 3.0}),
        ("--layers part", {"layers": BLOCK}),
        ("--columns part", {"columns": BLOCK}),
    ):  # fmt: skip
        out = tmp_path / "out.json"
        assert main(["layout", str(tmp_path / "g.gml"), *words.split(), "-o", str(out), "--quiet"]) == 0
        there = {node["id"]: (node["x"], node["y"]) for node in json.loads(out.read_text())["nodes"]}
        here = nl.layout(BLOCKS, seed=0, **own)
        assert np.allclose([there[str(v)] for v in G], array(here), atol=1e-6)
    assert main(["layout", str(tmp_path / "g.gml"), "--groups", "parts", "-o", str(tmp_path / "x.json")]) == 1
    assert "did you mean 'part'" in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_in_layers_has_no_crossings(seed):
    tree = nx.gn_graph(60, seed=seed).reverse()
    pos = nl.layout(tree, seed=0, layers=nx.single_source_shortest_path_length(tree, 0))
    assert nl.measure(tree, pos, measures=["crossings"])["crossings"].value == 0
