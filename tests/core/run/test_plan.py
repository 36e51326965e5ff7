"""The plan of a call: what it says is what runs, for one component and for many."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from tables import EVERY_METHOD, RECIPES, first, thinned

import nelayout as nl

GRAPHS = {
    "karate": nx.karate_club_graph(),
    "path": nx.path_graph(60),
    "star": nx.star_graph(200),
    "wheel": nx.wheel_graph(30),
    "pair": nx.path_graph(2),
    "grid": nx.grid_2d_graph(16, 16),
    "several": nx.disjoint_union_all([nx.path_graph(9), nx.cycle_graph(12), nx.star_graph(5), nx.empty_graph(2)]),
    "nothing": nx.empty_graph(0),
    "alone": nx.empty_graph(3),
}


@pytest.mark.parametrize(
    ("graph", "method"),
    thinned(
        GRAPHS, [*EVERY_METHOD, "auto"], plain=lambda graph, method: graph == "karate" or method in ("auto", "ws-sne")
    ),
)
def test_the_trace_has_the_stages_of_the_plan(graph, method):
    """Stages of the trace are passes of the plan, in its order, and no pass takes more steps than it says."""
    G, method = GRAPHS[graph], EVERY_METHOD.get(method, method)
    planned = nl.plan(G, method)
    steps = [each.stage for each in nl.solve(G, method, seed=0).trace]
    names = [each.name for each in planned.passes]
    assert {step.partition(" (")[0] for step in steps} <= set(names)  # later components count
    if nx.number_connected_components(G) == 1 if len(G) else False:
        assert len(names) == len(set(names))
        for each in planned.passes:
            assert steps.count(each.name) <= each.steps
    assert len(steps) <= planned.steps * max(planned.components, 1)


@pytest.mark.parametrize("method", [*RECIPES, "auto"])
def test_the_estimate_is_the_sum_of_the_table(method):
    G = GRAPHS["grid"]
    planned, estimated = nl.plan(G, method), nl.estimate(G, method)
    assert estimated.seconds == planned.seconds == pytest.approx(sum(each.seconds for each in planned.passes))
    assert estimated.bytes == planned.bytes
    assert planned.nodes == 256


def test_a_plan_prints_as_a_table():
    planned = nl.plan(GRAPHS["several"], "auto")
    lines = repr(planned).splitlines()
    assert lines[0] == "auto: 29 nodes, 25 edges, 5 components"
    assert lines[1].split() == ["pass", "graphs", "x", "nodes", "steps", "seconds", "memory", "why"]
    assert lines[-2].startswith("total")
    assert lines[-1].startswith("the whole process takes about ")
    assert len(lines) == 4 + len(planned.passes)
    page = planned._repr_html_()
    assert page.count("<tr>") == 2 + len(planned.passes)


def test_every_pass_says_why():
    for name, G in GRAPHS.items():
        assert all(each.why for each in nl.plan(G, "auto").passes), name


@pytest.mark.parametrize("method", ["auto", "ws-sne", "jse"])
@pytest.mark.parametrize("given", ["nothing", "positions", "fixed nodes", "max_iter"])
def test_each_pass_has_a_name_of_its_own(method, given):
    G = GRAPHS["karate"]
    pos = nx.circular_layout(G)
    options = {"nothing": {}, "positions": {"pos": pos}, "fixed nodes": {"pos": pos, "fixed": [0, 5]}}
    names = [each.name for each in nl.plan(G, method, **options.get(given, {"pos": pos, "max_iter": 0})).passes]
    assert len(set(names)) == len(names) > 1


def test_a_graph_without_nodes_and_one_without_edges_have_nothing_to_draw():
    for name in ("nothing", "alone"):
        names = [each.name for each in nl.plan(GRAPHS[name]).passes if each.steps or each.depth]
        assert names == []


def test_facts_decide():
    def names(graph, method="auto", **options):
        return [each.name for each in nl.plan(GRAPHS[graph], method, **options).passes]

    assert "circle" in names("wheel")
    assert "circle" in names("star")
    assert "emphasis" in names("path")
    assert not any("emphasis" in name for name in names("wheel") + names("karate", "ws-sne"))
    assert "other starts: descend" in names("karate", "ws-sne")
    assert "other starts: descend" not in names("grid", "ws-sne")
    assert "random positions" in names("pair")


def of_components(plan):
    """The passes after the graph has its components and similarities."""
    return [each.name for each in plan.passes][2:]


def test_given_positions_take_the_last_stage_alone():
    G = GRAPHS["karate"]
    pos = nx.circular_layout(G)
    assert of_components(nl.plan(G, "ws-sne", pos))[:2] == ["given positions", "descend"]
    still = nl.plan(G, "ws-sne", pos, max_iter=0)
    assert still.steps == 0
    fixed = nl.plan(G, "ws-sne", pos, [0, 33])
    assert of_components(fixed)[:4] == ["given positions", "descend 1", "spread fixed nodes 1", "descend 2"]


@pytest.mark.parametrize("graph", ["karate", "grid", "star"])
def test_auto_says_that_positions_choose_their_stage(graph):
    """The plan names no stage: which one runs depends on where the nodes are."""
    G = GRAPHS[graph]
    pos = nl.layout(G)
    for options in ({}, {"max_iter": 0}):
        assert "positions have come from" in nl.plan(G, "auto", pos, **options).passes[3].why
    assert "own objective" in nl.plan(G, "auto", pos, optimizer="momentum").passes[3].why
    assert "own objective" in nl.plan(G, "ws-sne", pos).passes[3].why
    assert all("positions have come from" not in each.why for each in nl.plan(G).passes)


def test_stages_of_the_caller_are_its_plan():
    stages = (nl.CoarseToFine("mine", 7), nl.Descend("own", 11, kernel="gaussian"), nl.Descend("last", 5))
    method = nl.Method("cauchy", connection="normalized", stages=stages)
    found = {each.name: each.steps for each in nl.plan(GRAPHS["karate"], method).passes}
    assert list(found)[2:5] == ["mine", "own", "last"]
    assert (found["own"], found["last"]) == (11, 5)


def forest(count, seed=0):
    """Small components of several kinds, all different."""
    rng = np.random.default_rng(seed)
    kinds = [
        lambda n: nx.random_labeled_tree(n, seed=n),
        lambda n: nx.circular_ladder_graph(n // 2),
        lambda n: nx.barabasi_albert_graph(n, 2, seed=n),
        lambda n: nx.grid_2d_graph(3, n // 3),
    ]
    sizes = 8 + rng.permutation(2 * count)[:count]
    return [nx.convert_node_labels_to_integers(kinds[k % 4](int(n))) for k, n in enumerate(sizes)]


def values(graphs, method, seed):
    """J of each graph, drawn together as components."""
    found = nl.solve(nx.disjoint_union_all(graphs), method, seed=seed)
    return [found.node_cost[a:b].sum() for a, b in pairwise(np.cumsum([0, *map(len, graphs)]))]


@pytest.mark.parametrize("method", first(["sne", "gamma-quadlog", "ws-sne", "jse"], 2))
def test_a_component_is_drawn_as_well_among_few_others_as_among_many(method):
    """The number of components decides no pass: the median of J over components is at most 0.1 % higher."""
    graphs = forest(24)
    among_few = np.median([values(graphs[:10], method, seed) for seed in range(3)], axis=0)
    among_many = np.median([values(graphs, method, seed) for seed in range(3)], axis=0)[:10]
    ratio = (among_many + 1e-6) / (among_few + 1e-6)
    assert np.median(ratio) < 1.001


@pytest.mark.parametrize("method", ["ws-sne", "jse"])
def test_components_are_drawn_as_well_together_as_alone(method):
    """The median of J over components is at most 1 % higher, whichever compiled or NumPy form sums them."""
    graphs = forest(14, seed=1)
    together = np.median([values(graphs, method, seed) for seed in range(3)], axis=0)
    alone = np.median([[nl.solve(G, method, seed=seed).value for G in graphs] for seed in range(3)], axis=0)
    assert np.median((together + 1e-6) / (alone + 1e-6)) < 1.01
