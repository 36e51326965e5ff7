"""Circles: all nodes on one at equal angles, or on rings about a node or by a value."""

import json
import re

import igraph
import networkx as nx
import numpy as np
import pytest

import nelayout as nl
from nelayout.cli import main

KARATE = nx.karate_club_graph()
SEVERAL = nx.disjoint_union_all([KARATE, nx.cycle_graph(5), nx.path_graph(3), nx.empty_graph(2)])
METHODS = ["auto", "ws-sne", "linlog", "nerv", "ee", "forceatlas2"]


def array(pos):
    return np.array(list(pos.values()))


def polar(pos):
    x, y = array(pos).T
    return np.hypot(x, y), np.arctan2(y, x)


def crossings(G, pos):
    return nl.measure(G, pos, measures=["crossings"])["crossings"].value


@pytest.mark.parametrize("G", [KARATE, SEVERAL, nx.empty_graph(4), nx.path_graph(2), nx.empty_graph(1)])
@pytest.mark.parametrize("method", METHODS)
def test_a_circle_has_all_nodes_at_equal_angles(G, method):
    radius, angle = polar(nl.layout(G, method, seed=0, circle=True))
    if len(G) > 1:
        assert np.abs(radius - 1.0).max() < 1e-9
        turn = np.sort(angle)
        gaps: np.ndarray = np.append(turn[1:], turn[0] + 2 * np.pi) - turn
        assert np.abs(gaps - 2 * np.pi / len(G)).max() < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_trees_and_cycles_have_no_crossings_on_a_circle(seed):
    T = nx.random_labeled_tree(60, seed=seed)
    C = nx.relabel_nodes(nx.cycle_graph(30), dict(enumerate(np.random.default_rng(seed).permutation(30).tolist())))
    G = nx.disjoint_union(T, C)
    assert crossings(G, nl.ws_sne_layout(G, seed=0, circle=True)) == 0


@pytest.mark.parametrize("G", [KARATE, nx.gnm_random_graph(40, 80, seed=1), nx.connected_caveman_graph(5, 6)])
def test_a_circle_has_fewer_crossings_than_other_orders(G):
    found = crossings(G, nl.layout(G, seed=0, circle=True))
    names = list(G)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(len(G))
        assert found < crossings(G, nx.circular_layout([names[k] for k in order]))
    pos = nl.layout(G, seed=0, circle=True)
    for one in names[:8]:  # no exchange of two nodes is better by much
        for other in names[8:16]:
            assert crossings(G, {**pos, one: pos[other], other: pos[one]}) >= 0.95 * found


@pytest.mark.parametrize("method", METHODS)
def test_rings_about_a_node_are_its_distances(method):
    solution = nl.solve(SEVERAL, method, seed=0, rings=0, scale=2.0)
    radius, _ = polar(solution.positions)
    hops = nx.single_source_shortest_path_length(SEVERAL, 0)
    wanted = np.array([hops.get(v, 4) for v in SEVERAL]) * 2.0 / 4
    assert np.abs(radius - wanted).max() < 2e-9
    assert any("no path leads from 0 to 10 nodes" in note for note in solution.notes)


def test_rings_of_values_keep_the_distances_of_numbers_and_the_order_of_names():
    numbers = {v: 2000 + [0, 0, 1, 3][v % 4] for v in KARATE}
    radius, _ = polar(nl.ws_sne_layout(KARATE, seed=0, rings=numbers))
    rings = np.unique(radius.round(9))
    assert np.diff(rings) / rings[0] == pytest.approx([2 / 3, 4 / 3])  # the innermost ring is a mean step wide
    radius, _ = polar(nl.ws_sne_layout(KARATE, seed=0, rings="club"))
    inner = radius < 0.75
    assert [KARATE.nodes[v]["club"] for v in KARATE] == ["Mr. Hi" if each else "Officer" for each in inner]


def test_one_node_of_the_least_value_is_in_the_middle():
    pos = nl.layout(nx.path_graph(5), seed=0, rings=[3, 1, 2, 3, 4], center=(7.0, 5.0), scale=3.0)
    assert pos[1] == pytest.approx([7.0, 5.0], abs=1e-12)
    assert np.hypot(*(pos[4] - pos[1])) == pytest.approx(3.0)


@pytest.mark.parametrize("T", [nx.balanced_tree(2, 4), nx.balanced_tree(3, 3), nx.random_labeled_tree(50, seed=2)])
def test_rings_of_a_tree_have_no_crossings_and_room(T):
    pos = nl.layout(T, seed=0, rings=0)
    assert crossings(T, pos) == 0
    radius, angle = polar(pos)
    for ring in np.unique(radius.round(9)):
        there = np.sort(angle[np.isclose(radius, ring)])
        if len(there) > 1:
            gaps = np.diff(there, append=there[0] + 2 * np.pi)
            most = min(np.pi / len(there), np.unique(radius.round(9))[1] / 2 / ring)
            assert gaps.min() > 0.99 * most


def test_rings_have_fewer_crossings_and_shorter_edges_than_random_angles():
    G = nx.gnm_random_graph(50, 90, seed=3)
    pos = nl.layout(G, seed=0, rings=0)
    radius, angle = polar(pos)

    def at(angle):
        return dict(zip(G, np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), strict=True))

    def length(pos):
        return sum(np.hypot(*(pos[u] - pos[v])) for u, v in G.edges)

    rng = np.random.default_rng(0)
    others = [at(rng.permutation(angle)) for _ in range(10)]
    assert crossings(G, pos) < min(crossings(G, each) for each in others)
    assert length(pos) < min(map(length, others))


def test_a_node_a_tuple_and_an_index_are_nodes_in_the_middle():
    grid = nx.grid_2d_graph(3, 3)
    assert np.abs(nl.layout(grid, seed=0, rings=(1, 1))[1, 1]).max() == 0
    g = igraph.Graph.Famous("Zachary")
    assert np.abs(nl.layout(g, seed=0, rings=33)[33]).max() == 0
    assert np.abs(nl.layout(nx.to_scipy_sparse_array(KARATE), seed=0, rings=5)[5]).max() == 0


@pytest.mark.parametrize("own", [{"circle": True}, {"rings": 0}])
def test_rings_have_the_same_bits_with_threads_and_checkpoints(own, tmp_path):
    one, two = (array(nl.layout(SEVERAL, seed=0, n_jobs=jobs, **own)) for jobs in (1, 2))
    kept = array(nl.layout(SEVERAL, seed=0, checkpoint=tmp_path / "run", **own))
    assert np.array_equal(one, two)
    assert np.array_equal(one, kept)


@pytest.mark.parametrize("own", [{"circle": True}, {"rings": 0}])
@pytest.mark.parametrize("steps", [1, 50, 90, 150])
def test_a_run_that_is_stopped_has_its_rings(own, steps):
    seen = []
    pos = nl.ws_sne_layout(KARATE, seed=0, callback=lambda state: seen.append(state) or len(seen) >= steps, **own)
    assert len(np.unique(polar(pos)[0].round(9))) == (1 if "circle" in own else 4)


@pytest.mark.parametrize("own", [{"circle": True}, {"rings": 0}])
def test_the_plan_is_the_run_and_its_value_is_evaluated(own):
    planned = nl.plan(SEVERAL, "ws-sne", **own).passes
    solution = nl.solve(SEVERAL, "ws-sne", seed=0, scale=None, **own)
    assert {each.name for each in solution.passes} <= {each.name for each in planned}
    assert [each.steps for each in planned if each.name == "rings"] == [200] * ("rings" in own)
    found = nl.evaluate(SEVERAL, solution, "ws-sne")
    assert found.value == pytest.approx(solution.value)


def test_given_positions_decide_on_the_angles():
    pos = {v: np.array([1.0, 0.1 * v]) for v in range(5)} | {5: np.zeros(2)}
    star = nx.star_graph([5, 0, 1, 2, 3, 4])
    drawn = nl.layout(star, seed=0, rings=5, pos=pos, max_iter=0)
    angles = [np.arctan2(*drawn[v][::-1]) for v in range(5)]
    assert angles == sorted(angles)


def arcs(pos, label):
    """Number of neighbors on a circle with different labels."""
    angle = polar(pos)[1]
    kinds = [label.get(list(pos)[k]) for k in np.argsort(angle)]
    return sum(one != other for one, other in zip(kinds, kinds[1:] + kinds[:1], strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_each_group_is_one_arc_of_a_circle(seed):
    kinds = np.random.default_rng(seed).integers(4, size=34)
    label = dict(zip(KARATE, kinds.tolist(), strict=True))
    pos = nl.ws_sne_layout(KARATE, seed=0, circle=True, groups=label)
    assert arcs(pos, label) == 4
    others = [arcs({v: pos[w] for v, w in zip(KARATE, np.random.default_rng(k).permutation(34), strict=True)}, label)
              for k in range(5)]  # fmt: skip
    assert min(others) > 4
    nested = {v: (k % 2, k) for v, k in label.items()}
    pos = nl.ws_sne_layout(KARATE, seed=0, circle=True, groups=nested)
    assert arcs(pos, label) == 4
    assert arcs(pos, {v: path[0] for v, path in nested.items()}) == 2


def test_arcs_of_true_groups_have_few_crossings():
    G = nx.planted_partition_graph(5, 12, 0.5, 0.03, seed=1)
    free, told, wrong = (
        crossings(G, nl.ws_sne_layout(G, seed=0, circle=True, **own))
        for own in ({}, {"groups": [set(range(k, k + 12)) for k in range(0, 60, 12)]},
                    {"groups": [set(range(k, 60, 5)) for k in range(5)]})
    )  # fmt: skip
    assert told < 1.1 * free
    assert wrong > 2 * free


def test_nodes_without_a_group_stand_between_the_arcs():
    label = {v: v % 3 for v in KARATE if v % 4}
    pos = nl.ws_sne_layout(KARATE, seed=0, circle=True, groups=label)
    angle = polar(pos)[1]
    kinds = [label.get(list(pos)[k]) for k in np.argsort(angle)]
    for kind in range(3):
        at = [k for k, each in enumerate(kinds) if each == kind]
        gaps = np.diff(at, append=at[0] + len(kinds))
        assert sorted(gaps)[-2] == 1


def test_groups_pull_on_rings():
    labels = {v: v % 3 for v in KARATE}

    def within(pos):
        Y, kinds = array(pos), np.array(list(labels.values()))
        return sum(np.sum((Y[kinds == k] - Y[kinds == k].mean(axis=0)) ** 2) for k in range(3))

    free, told = (nl.ws_sne_layout(KARATE, seed=0, rings=0, **own)
                  for own in ({}, {"groups": labels, "group_strength": 10.0}))  # fmt: skip
    assert within(told) < within(free)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"rings": "nobody"}, "rings must be a node in the middle, or an attribute"),
        ({"rings": "clubs"}, "did you mean 'club'?"),
        ({"rings": 99}, "got 99, which is no node"),
        ({"rings": True}, "got True, which is no node"),
        ({"rings": [1, 2]}, "rings has 2 entries and the graph has 34 nodes"),
        ({"rings": {0: 1}}, "rings: node 1 has no value"),
        ({"rings": 0, "circle": True}, "rings=0 and circle=True both say where nodes lie"),
        ({"rings": 0, "layers": "club"}, "rings=0 holds nodes on circles, and layers holds them in rows"),
        ({"circle": True, "columns": "club"}, "circle=True holds nodes on circles, and columns holds them in columns"),
        ({"rings": 0, "fixed": [0], "pos": {0: (0, 0)}}, "and fixed holds them elsewhere"),
        ({"rings": 0, "groups": "club", "groups_shape": "hull"}, "and groups_shape moves them apart"),
        ({"rings": 0, "anchors": {0: (0, 0)}}, "and anchors pull them to a map"),
        ({"rings": 0, "node_size": 0.1}, "and node_size moves them apart"),
        ({"rings": 0, "dim": 3}, "rings=0 is for drawings in the plane, given dim=3"),
        ({"circle": True, "dim": 1}, "circle=True is for drawings in the plane, given dim=1"),
        ({"circle": "yes"}, "circle must be True or False"),
    ],
)
def test_wrong_rings_are_refused_before_work(own, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        nl.layout(KARATE, **own)


def test_the_shell_takes_rings(tmp_path, capsys):
    nx.write_gml(KARATE, tmp_path / "g.gml")
    for words, own in (
        ("--circle", {"circle": True}), ("--rings 5", {"rings": 5}), ("--rings club", {"rings": "club"})
    ):  # fmt: skip
        out = tmp_path / "out.json"
        assert main(["layout", str(tmp_path / "g.gml"), *words.split(), "-o", str(out), "--quiet"]) == 0
        there = {node["id"]: (node["x"], node["y"]) for node in json.loads(out.read_text())["nodes"]}
        here = nl.layout(KARATE, seed=0, **own)
        assert np.allclose([there[str(v)] for v in KARATE], array(here), atol=1e-6)
    assert main(["layout", str(tmp_path / "g.gml"), "--rings", "clubs", "-o", str(tmp_path / "x.json")]) == 1
    said = capsys.readouterr().err
    assert "node or node attribute for --rings 'clubs'" in said
    assert "did you mean 'club'" in said


@pytest.mark.parametrize(("own", "name"), [({"circle": True}, "circle"), ({"rings": 0}, "rings"),
                                           ({"align": [([0, 1], "x")]}, "align")])  # fmt: skip
def test_the_plan_of_sizes_has_the_passes_of_ties(own, name):
    planned = nl.plan(nodes=1000, edges=3000, method="ws-sne", **own)
    assert name in {each.name for each in planned.passes}


@pytest.mark.parametrize("values", [(0.0, 1e300, 2e300), (-1.5e308, 0.0, 1.5e308), (0.0, 1e-310, 2e-310)])
def test_rings_of_huge_and_tiny_values_keep_their_distances(values):
    G = nx.cycle_graph(9)
    pos = nl.layout(G, seed=0, rings={v: values[v % 3] for v in G})
    for v in G:
        assert np.hypot(*pos[v]) == pytest.approx((1 + v % 3) / 3)


def test_a_graph_without_nodes_has_no_rings():
    assert nl.layout(nx.Graph(), rings={}) == {}
    assert nl.solve(np.zeros((0, 0)), rings=np.zeros(0)).positions.shape == (0, 2)


def test_a_limit_of_time_ends_the_search_for_an_order():
    G = nx.gnm_random_graph(1200, 5000, seed=0)
    found = nl.solve(G, "ws-sne", seed=0, circle=True, time_limit=0.3)
    assert found.reason == "time_limit"
    Y = array(found.positions)
    angle = np.sort(np.arctan2(Y[:, 1], Y[:, 0]))
    assert np.allclose(np.diff(angle), 2 * np.pi / 1200)


@pytest.mark.parametrize("own", [{"circle": True}, {"rings": 0}])
def test_no_plan_moves_nodes_off_their_circle(own):
    dots = {"method": "ws-sne", "node_size": "auto"}
    plans = nl.plan(KARATE, **dots, **own), nl.plan(nodes=100, edges=300, **dots, **own)
    assert not any("apart" in each.name for planned in plans for each in planned.passes)
    plans = nl.plan(KARATE, **dots), nl.plan(nodes=100, edges=300, **dots)
    assert all(any("apart" in each.name for each in planned.passes) for planned in plans)
