"""Nodes of a list share one coordinate, to the bit, and the method chooses it."""

import json
import re

import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.cli import main

KARATE = nx.karate_club_graph()
SEVERAL = nx.disjoint_union_all([KARATE, nx.cycle_graph(5), nx.path_graph(3), nx.empty_graph(2)])
LINES = [([0, 5, 33], "x"), ([1, 2, 33], "y")]


def hold(pos, lines):
    return all(len({pos[v]["xyz".index(axis)] for v in nodes}) == 1 for nodes, axis in lines)


@pytest.mark.parametrize("method", ["auto", "ws-sne", "linlog", "nerv", "ee", "forceatlas2"])
@pytest.mark.parametrize("own", [{}, {"scale": None}, {"scale": 3.0, "center": (7.0, -2.0)}, {"node_size": 0.15}])
def test_lines_hold_to_the_bit(method, own):
    pos = nl.layout(KARATE, method, seed=0, align=LINES, **own)
    assert hold(pos, LINES)
    assert len({pos[v][0] for v in KARATE}) > 20
    if own.get("scale"):
        assert np.abs(np.array(list(pos.values())) - own["center"]).max() == pytest.approx(3.0)


@pytest.mark.parametrize(
    "own",
    [
        {"groups": "club"}, {"layers": "club", "align": [([0, 5, 33], "x")]},
        {"columns": "club", "align": [([1, 2, 33], "y")]}, {"dim": 3, "align": [([0, 5, 33], "z")]},
        {"pos": nx.spring_layout(KARATE, seed=1)}, {"pos": nx.spring_layout(KARATE, seed=1), "max_iter": 0},
        {"time_limit": 0.01}, {"anchors": {0: (0, 0), 5: (1, 9), 33: (4, 4)}}, {"components": "joint"},
    ],
)  # fmt: skip
def test_lines_hold_beside_other_keywords(own):
    own = {"align": LINES, **own}
    assert hold(nl.ws_sne_layout(KARATE, seed=0, **own), own["align"])


@pytest.mark.parametrize("steps", [1, 5, 90])
def test_lines_of_a_stopped_run_hold(steps):
    seen = []
    pos = nl.ws_sne_layout(KARATE, seed=0, align=LINES, callback=lambda state: seen.append(state) or len(seen) >= steps)
    assert hold(pos, LINES)


def test_lines_hold_in_every_snapshot():
    second = nx.Graph([*KARATE.edges, (0, "new")])
    assert all(hold(pos, LINES) for pos in nl.layout_sequence([KARATE, second], seed=0, align=LINES))


def test_lists_with_a_common_node_are_one_line():
    pos = nl.layout(KARATE, seed=0, align=[([0, 1], "x"), ([2, 3], "x"), ([3, 1], "x"), ([3, 9], "y")])
    assert hold(pos, [([0, 1, 2, 3], "x"), ([3, 9], "y")])


def test_a_line_through_several_components_joins_them():
    lines = [([0, 35, 42], "y")]
    solution = nl.solve(SEVERAL, "ws-sne", seed=0, align=lines)
    assert hold(solution.positions, lines)
    assert any("align: 2 pieces of lines that no edge joins" in note for note in solution.notes)
    assert hold(nl.ws_sne_layout(SEVERAL, seed=0, align=[([34, 36], "x"), ([0, 1], "y")]), [([34, 36], "x")])


def test_the_drawing_turns_to_its_lines():
    path = nx.path_graph(10)
    free, upright, level = (
        nl.solve(path, "nerv", seed=0, **own) for own in ({}, *({"align": [(list(path), axis)]} for axis in "xy"))
    )
    assert upright.value < free.value + 0.1 * abs(free.value)
    assert level.value == pytest.approx(upright.value, rel=1e-3)


@pytest.mark.parametrize("method", ["ws-sne", "nerv", "linlog"])
def test_the_method_chooses_lines_that_are_better_than_means(method):
    nodes = np.random.default_rng(0).permutation(34).tolist()
    lines = [(nodes[:5], "x"), (nodes[5:10], "y")]
    free = nl.layout(KARATE, method, seed=0)
    held = {v: np.array(place) for v, place in free.items()}
    for some, axis in lines:
        for v in some:
            held[v]["xy".index(axis)] = np.mean([free[w]["xy".index(axis)] for w in some])
    ours = nl.layout(KARATE, method, seed=0, align=lines, node_size=None)
    one, other = (nl.evaluate(KARATE, pos, method, size="best").value for pos in (ours, held))
    assert one < other


def test_threads_and_checkpoints_leave_the_bits(tmp_path):
    found = [nl.layout(SEVERAL, seed=0, align=LINES, **own) for own in ({"n_jobs": 1}, {"n_jobs": 2},
                                                                       {"checkpoint": tmp_path / "run"})]  # fmt: skip
    first, *others = [np.array(list(pos.values())) for pos in found]
    assert all(np.array_equal(first, other) for other in others)


@pytest.mark.parametrize("method", ["auto", "ws-sne"])
def test_the_plan_is_the_run(method):
    planned = nl.plan(SEVERAL, method, align=LINES).passes
    ran = nl.solve(SEVERAL, method, seed=0, align=LINES).passes
    assert {each.name for each in ran} <= {each.name for each in planned}
    assert "align" in {each.name for each in ran}


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"align": "x"}, "align must be a list of pairs of nodes and an axis, got 'x'"),
        ({"align": 5}, "align must be a list of pairs"),
        ({"align": ([0, 1], "x")}, "the axis of align must be 'x' or 'y' in 2 dimensions, got 1"),
        ({"align": [[0, 1, 2]]}, "in place of a pair of nodes and an axis"),
        ({"align": [([0, 1], "z")]}, "the axis of align must be 'x' or 'y' in 2 dimensions, got 'z'"),
        ({"align": [([0, 99], "x")]}, "align holds 99, which is not a node"),
        ({"align": LINES, "layers": "club"}, "layers hold the y of all nodes"),
        ({"align": LINES, "columns": "club"}, "columns hold the x of all nodes"),
        ({"align": LINES, "fixed": [0], "pos": {0: (0, 0)}}, "and fixed holds nodes"),
        ({"align": LINES, "circle": True}, "circle=True holds nodes on circles, and align holds them on lines"),
        ({"align": LINES, "groups": "club", "groups_shape": "box"}, "and align holds their nodes on lines"),
    ],
)
def test_wrong_lines_are_refused_before_work(own, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        nl.layout(KARATE, **own)


def test_the_shell_takes_lines(tmp_path, capsys):
    nx.write_gml(KARATE, tmp_path / "g.gml")
    call = ["layout", str(tmp_path / "g.gml"), "--align", "0,5,33:x", "--align", "1,2,33:y", "--quiet", "-o"]
    assert main([*call, str(tmp_path / "out.json")]) == 0
    there = {node["id"]: (node["x"], node["y"]) for node in json.loads((tmp_path / "out.json").read_text())["nodes"]}
    here = nl.layout(KARATE, seed=0, align=LINES)
    assert np.allclose([there[str(v)] for v in KARATE], list(here.values()), atol=1e-6)
    assert main(["layout", str(tmp_path / "g.gml"), "--align", "0,5", "-o", str(tmp_path / "x.json")]) == 2
    assert main(["layout", str(tmp_path / "g.gml"), "--align", "0,nobody:x", "-o", str(tmp_path / "x.json")]) == 1
    assert "unknown node for --align 'nobody'" in capsys.readouterr().err


def test_nodes_on_two_common_lines_coincide_and_a_note_says_so():
    G = nx.cycle_graph(8)
    found = nl.solve(G, "ws-sne", seed=0, align=[([2, 3], "x"), ([5, 3, 2], "y")])
    assert np.array_equal(found.positions[2], found.positions[3])
    assert any("align: 2 nodes, such as 2, share all coordinates" in note for note in found.notes)
    assert not any("coincide" in note for note in nl.solve(G, seed=0, align=[([2, 3], "x"), ([5, 3], "y")]).notes)
