"""Layers: nodes that are held on one axis, while the other coordinates are drawn."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from tables import thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.optimizers import OPTIMIZERS
from nelayout.core.passes.drawing import Summation
from nelayout.core.placing.overlap import separate, split_coincident
from nelayout.core.placing.packing import stacked
from nelayout.core.run.evaluation import objective_of
from nelayout.errors import InputError
from nelayout.graphs.host import Host
from nelayout.keywords.options import DEFAULTS
from nelayout.layouts.call import read_call
from nelayout.layouts.solving import solution_of
from nelayout.numerics.parallel import Threads

WOMEN = nx.relabel.convert_node_labels_to_integers(nx.davis_southern_women_graph())
TOP = range(18)

# networkx's places, in an order that tells nothing: networkx takes that of a set of nodes.
ORDER = np.random.default_rng(0)
PLACES = nx.multipartite_layout(
    WOMEN, subset_key={0: ORDER.permutation(18).tolist(), 1: (18 + ORDER.permutation(14)).tolist()}
)
PLACES = {v: PLACES[v] for v in WOMEN}
LAYERS = dict.fromkeys(WOMEN, "x")


def layered(count: int, width: int, seed: int) -> nx.Graph:
    """Layers of nodes joined to near ones of the next layer, in a random order."""
    rng, G = np.random.default_rng(seed), nx.Graph()
    nodes = [(k, i) for k in range(count) for i in range(width)]
    for number in rng.permutation(len(nodes)):
        G.add_node(nodes[number], subset=nodes[number][0])
    for k, i in nodes:
        near = [j for j in range(width) if abs(i - j) < 2 and k + 1 < count]
        G.add_edges_from(((k, i), (k + 1, j)) for j in near if j == i or rng.random() < 0.4)
    return G


def column(pos, axis: int) -> np.ndarray:
    return np.array([p[axis] for p in pos.values()])


def crossings(G, pos) -> float:
    return float(nl.measure(G, pos, measures=["crossings"])["crossings"])


def unbalance(gradient, J, Y) -> float:
    """Part of J that it would lose if all coordinates went down the gradient by the typical distance of nodes."""
    whole = min(J.strength, abs(J.value))
    return math.sqrt(len(Y) * np.sum(gradient**2)) * np.sqrt(np.mean((Y - Y.mean(axis=0)) ** 2)) / len(Y) / whole


def minimized(drawing):
    """The objective of a component, summed over all pairs, and its positions."""
    sums = Summation("exact", Threads())
    return objective_of(drawing, drawing.method, sums), drawing.Y


@pytest.mark.parametrize("method", thinned(METHODS, plain=lambda method: method in ("ws-sne", "linlog")))
def test_layers_come_back_bit_for_bit_and_the_rest_is_a_minimum(method, request):
    if method == "jse":
        reason = "JSE stays finite at any distance, so nodes drift out of each other's reach and no minimum is near"
        request.applymarker(pytest.mark.xfail(strict=False, reason=reason))
    o = {**DEFAULTS, "seed": 0, "node_size": None, "max_iter": 3000}
    with read_call(WOMEN, method, o, PLACES, LAYERS) as call:
        solution, (drawing,) = solution_of(call)
    assert np.array_equal(column(solution.positions, 0), column(PLACES, 0))
    objective, Y = minimized(drawing)
    J = objective.evaluate(Y)
    assert J.value == pytest.approx(solution.value, rel=1e-9)
    assert unbalance(J.gradient[:, 1], J, Y[:, 1:]) < 1e-2
    for seed in range(5):
        move = np.random.default_rng(seed).standard_normal(len(Y)) * 0.01 * np.std(Y[:, 1])
        assert objective.evaluate(Y + move[:, None] * [0.0, 1.0], gradient=False).value > J.value
    assert crossings(WOMEN, solution.positions) < 0.6 * crossings(WOMEN, PLACES)


@pytest.mark.full
@pytest.mark.parametrize("method", ["alpha-sne", "jse"])
def test_layers_stay_in_reach_of_a_light_tailed_kernel(method):
    """The free drawing of this mesh has edges of twice the reach: nodes so far apart see their own layer alone."""
    G = layered(7, 9, 0)
    start, o = nx.multipartite_layout(G), {**DEFAULTS, "seed": 1, "node_size": None, "max_iter": 1000}
    with read_call(G, method, o, start, dict.fromkeys(G, "x")) as call:
        solution, (drawing,) = solution_of(call)
    objective, Y = minimized(drawing)
    J = objective.evaluate(Y)
    assert unbalance(J.gradient[:, 1], J, Y[:, 1:]) < 1e-3
    assert crossings(G, solution.positions) < 0.03 * crossings(G, start)


@pytest.mark.full
def test_a_multipartite_graph_has_few_crossings_at_the_size_and_place_of_its_start():
    G = layered(7, 9, 0)
    pos = nx.multipartite_layout(G)
    ours = nl.ws_sne_layout(G, pos=pos, fixed=dict.fromkeys(G, "x"), seed=0)
    assert all(ours[v][0] == pos[v][0] for v in G)
    assert crossings(G, ours) < 0.3 * crossings(G, pos)
    spread = [np.sqrt(np.mean((column(p, 1) - column(p, 1).mean()) ** 2)) for p in (ours, pos)]
    assert spread[0] == pytest.approx(spread[1], rel=0.05)  # at the size of pos
    assert column(ours, 1).mean() == pytest.approx(column(pos, 1).mean(), abs=0.05)


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "options"),
    [
        *(("tsne", {"optimizer": name, "max_iter": 40}) for name in OPTIMIZERS),
        ("gamma-quadlog", {"smoothing": 0.5}), ("linlog", {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("axis", [0, 1])
def test_layers_stay_along_both_axes_under_every_optimizer_and_smoothing(method, options, axis):
    """The axes have no order: y held is x held, mirrored at the diagonal."""
    start = {v: p[::-1] if axis else p for v, p in PLACES.items()}
    pos = nl.layout(WOMEN, method, start, dict.fromkeys(WOMEN, "xy"[axis]), seed=0, **options)
    assert np.array_equal(column(pos, axis), column(PLACES, 0))
    assert crossings(WOMEN, pos) < 0.6 * crossings(WOMEN, PLACES)


@pytest.mark.parametrize("axes", ["z", "xy"])
def test_layers_in_space(axes):
    start = {v: np.array([x if axes == "xy" else y, v % 3, x]) for v, (x, y) in PLACES.items()}
    pos = nl.ee_layout(WOMEN, start, dict.fromkeys(WOMEN, axes), dim=3, seed=0)
    for axis, letter in enumerate("xyz"):
        kept = np.array_equal(column(pos, axis), column(start, axis))
        assert kept == (letter in axes)
    assert np.linalg.matrix_rank(np.array(list(pos.values())), tol=1e-2) == 3


@pytest.mark.full
def test_a_good_drawing_stays():
    """Its own order is the lowest of the starts, or as low; J knows no mirror image."""
    drawn = [nl.solve(WOMEN, "linlog", pos=PLACES, fixed=LAYERS, seed=seed) for seed in range(6)]
    pos = min(drawn, key=lambda solution: solution.value).positions
    for seed in (0, 1, 2, 6):
        again = nl.linlog_layout(WOMEN, pos, LAYERS, seed=seed)
        assert np.abs(column(again, 1) - column(pos, 1)).max() < 1e-4 * np.ptp(column(pos, 1))


def test_components_with_layers_do_not_cross_one_another():
    G = nx.disjoint_union_all([WOMEN, nx.path_graph(6), nx.star_graph(3)])
    G.add_nodes_from(["left", "right"])
    side = {v: 0 if v in TOP else 1 for v in WOMEN}
    side |= {32 + k: k % 2 for k in range(6)} | {38: 0, 39: 1, 40: 1, 41: 1, "left": 0, "right": 1}
    rng = np.random.default_rng(1)
    pos = {v: np.array([3.0 * side[v], y]) for v, y in zip(G, rng.permutation(len(G)) + 100.0, strict=True)}
    drawn = nl.ws_sne_layout(G, pos, dict.fromkeys(G, "x"), seed=0)
    assert all(drawn[v][0] == pos[v][0] for v in G)
    spans = sorted(
        (min(drawn[v][1] for v in part), max(drawn[v][1] for v in part))
        for part in nx.connected_components(G)
        if len(part) > 1
    )
    assert all(a[1] < b[0] for a, b in pairwise(spans))
    y = column(drawn, 1)
    assert y.mean() == pytest.approx(column(pos, 1).mean(), abs=1.0)
    assert np.std(y) == pytest.approx(np.std(column(pos, 1)), rel=0.1)


@pytest.mark.full
def test_some_nodes_held_on_an_axis_and_others_not_at_all():
    G = nx.les_miserables_graph()
    start = nl.tsne_layout(G, seed=0)
    some = list(G)[::5]
    fixed = {**dict.fromkeys(some, "x"), "Valjean": "xy"}
    pos = nl.tsne_layout(G, start, fixed, seed=0)
    assert all(pos[v][0] == start[v][0] for v in fixed)
    assert pos["Valjean"][1] == start["Valjean"][1]
    assert max(np.abs(pos[v] - start[v]).max() for v in G) < 0.2  # it was a minimum already
    moved = {**start, some[1]: start[some[1]] + [0.5, 0.0]}
    assert nl.tsne_layout(G, moved, fixed, seed=0)[some[1]][0] == moved[some[1]][0]


def test_a_pinned_node_in_a_layer():
    pos = nl.ws_sne_layout(WOMEN, PLACES, {**LAYERS, 3: "xy", 20: "xy"}, seed=0)
    assert np.array_equal(column(pos, 0), column(PLACES, 0))
    assert all(np.array_equal(pos[v], PLACES[v]) for v in (3, 20))
    assert np.ptp(column(pos, 1)) < 100.0


def test_nothing_moves_without_steps():
    kept = nl.ws_sne_layout(WOMEN, PLACES, LAYERS, max_iter=0, node_size=None)
    assert all(np.array_equal(kept[v], PLACES[v]) for v in WOMEN)


@pytest.mark.full
def test_frames_keep_the_layers():
    frames = []
    pos = nl.ws_sne_layout(WOMEN, PLACES, LAYERS, seed=0, callback=lambda s: frames.append(s.positions.copy()))
    for frame in frames:
        np.testing.assert_allclose(frame[:, 0], column(PLACES, 0), atol=1e-12)
    assert np.ptp(frames[-1][:, 1]) == pytest.approx(np.ptp(column(pos, 1)), rel=0.2)
    assert len(frames) > 40


# --- how it is written --------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_mask_of_coordinates_says_the_same():
    A, Y = nx.to_scipy_sparse_array(WOMEN), np.array(list(PLACES.values()))
    mask = np.zeros((32, 2), dtype=bool)
    mask[:, 0] = True
    by_mask = nl.linlog_layout(A, Y, mask, seed=0)
    assert np.array_equal(by_mask, nl.linlog_layout(A, Y, dict.fromkeys(range(32), "x"), seed=0))
    assert np.array_equal(by_mask[:, 0], Y[:, 0])


def test_all_axes_are_the_whole_node():
    host = Host(None)
    host.aliases = [["a", "b", "c"]]
    whole = host.held(["c", "a"], 2)
    assert np.array_equal(whole, host.held({"a": "xy", "c": "yx"}, 2))
    assert np.array_equal(whole, host.held({"a": (0.0, 1.0), "c": (1.0, 0.0)}, 2))  # as networkx has it


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ({0: "z"}, ["'z'", "2 dimensions", "'x', 'y'", "'xy'"]),
        ({0: "x", 1: ""}, ["node 1", "''"]),
        ({0: "x", 1: 1}, ["node 1", "is 1"]),
        ({0: "x", "Ann": "x"}, ["'Ann'", "not a node"]),
        (np.ones((32, 3), dtype=bool), ["(32, 3)", "(32, 2)", "(32,)"]),
    ],
)
def test_what_is_no_axis_is_an_error_that_says_what_is(fixed, words):
    with pytest.raises(InputError) as error:
        nl.ws_sne_layout(WOMEN, PLACES, fixed)
    assert all(word in str(error.value) for word in words), error.value


# --- apart ----------------------------------------------------------------------------------------------------------


def nearest(Y: np.ndarray) -> float:
    away = np.linalg.norm(Y[:, None] - Y, axis=2)
    return float((away + 1e9 * np.eye(len(Y))).min())


@pytest.mark.parametrize("boxes", [False, True])
def test_nodes_part_along_their_layers(boxes):
    rng = np.random.default_rng(0)
    Y = np.stack([rng.integers(0, 6, 120) * 0.7, rng.normal(size=120)], axis=1)
    fixed = np.tile([True, False], (120, 1))
    size = np.full((120, 2), 1.0) if boxes else 1.0
    Z = separate(Y, size, fixed)
    assert np.array_equal(Z[:, 0], Y[:, 0])
    apart = np.abs(Z[:, None] - Z)
    away = apart.max(axis=2) if boxes else np.linalg.norm(apart, axis=2)
    assert (away + np.eye(120)).min() >= 1.0


def test_coincident_nodes_open_along_their_layer():
    Y = np.concatenate([np.zeros((9, 2)), np.ones((3, 2)), [[5.0, 5.0]]])
    fixed = np.tile([True, False], (13, 1))
    fixed[0] = True
    Z = split_coincident(Y, fixed)
    assert np.array_equal(Z[fixed], Y[fixed])
    assert nearest(Z) > 1e-4
    assert np.abs(Z - Y).max() < 0.1


def test_dots_part_on_their_layers():
    G = nx.complete_bipartite_graph(12, 9)
    pos = nx.bipartite_layout(G, range(12))
    drawn = nl.tsne_layout(G, pos, dict.fromkeys(G, "x"), seed=0)  # all nodes of a layer are alike
    assert np.array_equal(column(drawn, 0), column(pos, 0))
    Y = np.array(list(drawn.values()))
    assert nearest(Y) > 0.02


def test_a_stack_has_room_for_each():
    rng = np.random.default_rng(0)
    drawings = [np.stack([rng.integers(0, 3, n), rng.normal(size=n)], axis=1) for n in (30, 9, 9, 2, 1, 1)]
    whole = stacked(drawings, np.array([True, False]))
    for a, b in zip(whole, drawings, strict=True):
        assert np.array_equal(a[:, 0], b[:, 0])
    for i, a in enumerate(whole):
        for b in whole[:i]:
            beside = a[:, 0].max() < b[:, 0].min() or b[:, 0].max() < a[:, 0].min()
            assert beside or a[:, 1].min() > b[:, 1].max()
