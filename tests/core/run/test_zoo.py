"""The graph zoo: every method on every small graph, and what is known about drawings of a few of them."""

from __future__ import annotations

import functools
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from tables import FEW, first, thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS

Y64 = np.ndarray


def with_weights_over_twelve_orders() -> nx.Graph:
    G = nx.karate_club_graph()
    rng = np.random.default_rng(0)
    for _, _, data in G.edges(data=True):
        data["weight"] = float(10.0 ** rng.uniform(-6, 6))
    return G


def disconnected() -> nx.Graph:
    G = nx.disjoint_union_all([nx.cycle_graph(12), nx.path_graph(5), nx.complete_graph(4)])
    G.add_nodes_from(["alone", "too", ("lone", 3)])
    return G


def with_loops_and_labels() -> nx.MultiDiGraph:
    G = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "a"), ("b", (1, 2)), ((1, 2), 3), (3, "a"), (3, 3), ("a", "a")])
    G.add_edge("only itself", "only itself")
    return G


ZOO: dict[str, Callable[[], nx.Graph]] = {
    "empty": nx.Graph,
    "one node": lambda: nx.empty_graph(1),
    "one node and its loop": lambda: nx.Graph([("a", "a")]),
    "two nodes": lambda: nx.path_graph(2),
    "two isolated nodes": lambda: nx.empty_graph(2),
    "isolated nodes": lambda: nx.empty_graph(11),
    "a heavy edge": lambda: nx.Graph([("x", "y", {"weight": 1e9})]),
    "triangle": lambda: nx.complete_graph(3),
    "path": lambda: nx.path_graph(30),
    "star": lambda: nx.star_graph(20),
    "clique": lambda: nx.complete_graph(10),
    "cycle": lambda: nx.cycle_graph(24),
    "grid": lambda: nx.grid_2d_graph(8, 8),
    "tree": lambda: nx.balanced_tree(2, 4),
    "bipartite": lambda: nx.complete_bipartite_graph(3, 7),
    "disconnected": disconnected,
    "many pairs": lambda: nx.disjoint_union_all([nx.path_graph(2)] * 15),
    "loops, parallels, directions, labels": with_loops_and_labels,
    "directed": lambda: nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 3), (3, 1), (3, 4)]),
    "weights over twelve orders": with_weights_over_twelve_orders,
    "barbell": lambda: nx.barbell_graph(8, 3),
}
ON_A_LINE = {"empty", "one node", "one node and its loop", "two nodes", "two isolated nodes", "a heavy edge", "path"}


# Graphs that are drawn to the end, for what is known of their shape; the others take STEPS steps in all.
WITH_A_SHAPE = {
    "two nodes", "isolated nodes", "path", "star", "clique", "cycle", "grid", "tree", "disconnected", "barbell"
}
STEPS = 30
# In a quick run, these graphs are drawn by every method, the others by one of each kind.
BY_EVERY_METHOD = ("two nodes", "isolated nodes", "clique", "cycle", "grid")
METHODS_OF_HOPS = [name for name, method in METHODS.items() if method.perplexity is not None]
OF_EACH_FORM = thinned(METHODS, plain=lambda method: method in FEW)


@functools.cache
def drawn(name: str, method: str, dim: int = 2) -> tuple[nx.Graph, dict, Y64]:
    G = ZOO[name]()
    pos = nl.layout(G, method, dim=dim, seed=0, max_iter=None if name in WITH_A_SHAPE and dim == 2 else STEPS)
    return G, pos, np.array(list(pos.values()), dtype=float).reshape(-1, dim)


def distances(Y: Y64) -> Y64:
    return np.sqrt(((Y[:, None] - Y[None]) ** 2).sum(axis=-1))


def width(Y: Y64) -> float:
    """The second singular value over the first: 0 for nodes on a line."""
    singular = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    return float(singular[1] / singular[0])


def crossings(G: nx.Graph, pos: dict) -> float:
    return nl.measure(G, pos, measures=["crossings"])["crossings"].value


# --- every method, every graph ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method", "dim"),
    [
        *thinned(ZOO, METHODS, [2], plain=lambda name, method, _: name in BY_EVERY_METHOD and method in FEW),
        *thinned(
            ["two nodes", "star", "disconnected"], METHODS, [1, 3],
            plain=lambda name, method, dim: method in FEW and dim == 3,
        ),
    ],
)  # fmt: skip
def test_drawing_is_whole(name, method, dim):
    G, pos, Y = drawn(name, method, dim)
    assert list(pos) == list(G)
    assert Y.shape == (len(G), dim)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == len(G)
    if len(G) > 1:
        assert np.abs(Y).max() == pytest.approx(1.0)
        if dim == 2:  # also apart for a program that draws in single precision
            assert len(np.unique(Y.astype(np.float32), axis=0)) == len(G)
    if dim > 1 and name not in ON_A_LINE and (name, method) != ("directed", "hssne"):  # its tail folds the triangle
        assert width(Y) > 0.002


def test_graphs_of_one_node_and_of_none():
    for host in (nx.empty_graph(1), np.zeros((1, 1))):
        assert np.asarray(nl.ws_sne_layout(host, center=(3.0, 4.0))[0]).tolist() == [3.0, 4.0]
    assert nl.ws_sne_layout(nx.Graph()) == {}
    assert nl.ws_sne_layout(np.zeros((0, 0)), dim=3).shape == (0, 3)
    solution = nl.solve(nx.Graph(), "ws-sne")
    assert (solution.value, len(solution.components), solution.reason) == (0.0, 0, "converged")


def test_two_nodes_face_each_other():
    for method in METHODS:
        _, _, Y = drawn("two nodes", method)
        assert np.abs(Y[0] + Y[1]).max() < 1e-12
        assert np.abs(Y[:, 1]).max() < 1e-12


# --- a hub ------------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_a_hub_of_five_thousand_stays_among_its_leaves(method):
    G = nx.star_graph(5000)
    Y = np.array(list(nl.layout(G, method, seed=0, max_iter=2).values()))
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == len(G)
    assert width(Y) > 0.5
    leaves = Y[1:]
    assert np.abs(Y[0] - leaves.mean(axis=0)).max() < 0.05
    for axis in (0, 1):  # leaves on every side
        assert 0.3 < np.mean(leaves[:, axis] > Y[0, axis]) < 0.7


# --- cycles -----------------------------------------------------------------------------------------------------


# HSSNE's tail of 2 pulls a cycle open or into an oval, DRGraph's bends in and out; neighbors stay neighbors.
OVAL = ("hssne", "drgraph")


@pytest.mark.parametrize("method", [*OVAL, *first((m for m in METHODS if m not in OVAL), 6)])
def test_cycle_is_a_circle_in_order(method):
    G, pos, Y = drawn("cycle", method)
    steps = np.diff(np.unwrap(np.arctan2(Y[:, 1], Y[:, 0])))
    assert (np.sign(steps) == np.sign(steps[0])).all()
    assert crossings(G, pos) == 0
    if method not in OVAL:
        radii = np.hypot(*Y.T)
        assert radii.std() < 0.01 * radii.mean()
        assert np.abs(steps).max() < 1.05 * np.abs(steps).min()


# --- grids ------------------------------------------------------------------------------------------------------

EVEN = ["ee", "tsne", "ssne", "mds-ks", "polylog"]


@functools.cache
def grid_lengths(method: str) -> tuple[Y64, Y64]:
    """Lengths of the edges, and of the diagonals of the squares."""
    G, _, Y = drawn("grid", method)
    apart, nodes = distances(Y), np.array(G.nodes)
    step = np.abs(nodes[:, None] - nodes[None])
    return apart[step.sum(-1) == 1], apart[(step[..., 0] == 1) & (step[..., 1] == 1)]


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_grid_has_no_crossing_and_diagonals_longer_than_edges(method):
    """sqrt 2 times on a square grid, more where logarithmic repulsion presses the border together."""
    G, pos, _ = drawn("grid", method)
    assert crossings(G, pos) == 0
    edges, diagonals = grid_lengths(method)
    assert 1.35 < diagonals.mean() / edges.mean() < 1.85


@pytest.mark.parametrize("method", EVEN)
def test_even_methods_draw_the_grid_nearly_as_it_is(method):
    G, pos, Y = drawn("grid", method)
    edges, _ = grid_lengths(method)
    assert edges.std() < 0.2 * edges.mean()
    assert float(nl.measure(G, pos, measures=["neighborhood"])["neighborhood"]) > 0.99
    truth = np.array(G.nodes, dtype=float)
    truth -= truth.mean(axis=0)
    Z, W = (truth[:, 0] + 1j * truth[:, 1]), (Y[:, 0] + 1j * Y[:, 1])
    fit = max(abs(np.vdot(W, Z)), abs(np.vdot(W, Z.conj()))) / np.sqrt(np.vdot(Z, Z).real * np.vdot(W, W).real)
    assert fit**2 > 0.98  # the share of the true map that a turn, a mirror and a scale explain


# --- paths, trees, stars, cliques -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS_OF_HOPS)
def test_rings_and_paths_of_similar_hops_are_lower_as_a_zigzag(method):
    """Nodes two edges apart are similar too: on a circle or a line their neighbors between them would be in the way."""
    turn = 2 * np.pi * np.arange(24) / 24
    shapes = {"cycle": np.c_[np.cos(turn), np.sin(turn)], "path": np.c_[np.arange(30.0), np.zeros(30)]}
    for name, even in shapes.items():
        G = ZOO[name]()
        found = nl.solve(G, method, seed=0, scale=None)
        size = np.std(list(found.positions.values())) / np.std(even)
        sizes = size * np.geomspace(0.5, 2.0, 60)
        assert found.value < min(nl.evaluate(G, dict(zip(G, s * even, strict=True)), method).value for s in sizes)
        assert crossings(G, found.positions) == 0


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_path_runs_along_the_principal_axis(method):
    """It is straight, unless a slight bend makes J lower: under gravity and under heavy tails."""
    G, pos, Y = drawn("path", method)
    steps = np.diff(Y[:, 0])
    assert (np.sign(steps) == np.sign(steps[0])).all()
    if method in METHODS_OF_HOPS:
        return  # a zigzag
    bent = np.ptp(Y[:, 1]) / np.ptp(Y[:, 0])
    straight = dict(zip(G, Y * [1.0, 0.0], strict=True))
    assert bent < 0.05 or (bent < 0.3 and nl.evaluate(G, pos, method).value < nl.evaluate(G, straight, method).value)


@pytest.mark.parametrize("method", ["sne", "nerv"])
def test_random_starts_do_not_fold_a_path(method):
    """After a few steps a folded path of 40 nodes is lower than the straight one, which ends lower."""
    for seed in range(3):
        Y = np.array(list(nl.layout(nx.path_graph(40), method, seed=seed, node_size=None).values()))
        steps = np.diff(Y[:, 0])
        assert (np.sign(steps) == np.sign(steps[0])).all()


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_tree_has_few_crossings(method):
    G, pos, _ = drawn("tree", method)
    assert crossings(G, pos) <= (6 if method == "hssne" else 0)


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_star_has_its_hub_in_the_middle_of_its_leaves(method):
    _, _, Y = drawn("star", method)
    leaves = Y[1:]
    far = np.hypot(*(leaves - Y[0]).T).mean()
    assert np.hypot(*(Y[0] - leaves.mean(axis=0))) < 0.1 * far
    angles = np.sort(np.arctan2(*(leaves - Y[0]).T))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    assert gaps.max() < np.pi / 2  # leaves on every side of it


@pytest.mark.parametrize("method", OF_EACH_FORM)
@pytest.mark.parametrize(("n", "least"), [(5, 0.5), (10, 0.2)])
def test_cliques_are_no_points(method, n, least):
    """A regular pentagon has 0.618.  Normalized methods would have a clique on a point: its shape is kept."""
    Y = np.array(list(nl.layout(nx.complete_graph(n), method, seed=0).values()))
    apart = distances(Y)[np.triu_indices(n, 1)]
    assert apart.min() > least * apart.max()


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_barbell_is_two_balls_and_a_bar(method):
    G, _, Y = drawn("barbell", method)
    left, bar, right = Y[:8], Y[9], Y[11:]
    for ball in (left, right):  # the middle of the bar lies beyond all of them
        assert ball[:, 0].max() < bar[0] or ball[:, 0].min() > bar[0]
    assert (left[:, 0].mean() > 0) != (right[:, 0].mean() > 0)
    assert len(G) == len(Y)


# --- components -------------------------------------------------------------------------------------------------


def separated(A: Y64, B: Y64) -> bool:
    """Whether some line has A on one side and B on the other: their convex hulls do not meet (720 directions)."""
    angles = np.linspace(0, np.pi, 720, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    a, b = A @ directions, B @ directions
    return bool(((a.max(axis=0) < b.min(axis=0)) | (b.max(axis=0) < a.min(axis=0))).any())


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_components_do_not_overlap_and_isolated_nodes_are_near(method):
    """About as far from the rest as the widest component is wide, or nearer."""
    G, pos, Y = drawn("disconnected", method)
    parts = [np.array([pos[node] for node in nodes]) for nodes in nx.connected_components(G)]
    assert len(parts) == 6
    for i, A in enumerate(parts):
        for B in parts[i + 1 :]:
            assert separated(A, B)
    lone = list(nx.isolates(G))
    others = np.array([pos[node] for node in G if node not in lone])
    widest = max(np.ptp(part, axis=0).max() for part in parts)
    for node in lone:
        assert np.hypot(*(others - pos[node]).T).min() < 1.2 * widest
    assert np.ptp(Y, axis=0).min() > 0.3 * np.ptp(Y, axis=0).max()  # a sheet, not a strip


@pytest.mark.parametrize("method", OF_EACH_FORM)
def test_a_component_is_drawn_as_if_alone(method):
    """Up to place, size and its turn: other components do not bend it (same generator, first component)."""
    G = nx.disjoint_union(nx.grid_2d_graph(6, 6), nx.path_graph(4))
    together = np.array(list(nl.layout(G, method, seed=0, node_size=None).values()))[:36]
    alone = np.array(list(nl.layout(nx.grid_2d_graph(6, 6), method, seed=0, node_size=None).values()))
    a, b = distances(together), distances(alone)
    assert np.abs(a / a.max() - b / b.max()).max() < 1e-4


@pytest.mark.full
@pytest.mark.parametrize(
    ("G", "most"), [(nx.path_graph(1000), 0.1), (nx.cycle_graph(1000), 0.02), (nx.barbell_graph(15, 200), 0.02)]
)
def test_a_long_path_is_hardly_bent_and_a_long_ring_is_round(G, most):
    pos = nl.layout(G, seed=0)
    assert nl.measure(G, pos, measures=["stress"])["stress"].value < most


# --- space ----------------------------------------------------------------------------------------------------------

CUBE = nx.grid_graph((3, 3, 3))


@pytest.mark.parametrize("method", thinned(METHODS, plain="ws-sne".__eq__))
def test_space_has_room_for_a_lower_objective_than_the_plane(method):
    """J over R^3 is at most J over R^2, which lies in it; a grid in space is flat in no minimum of a method."""
    flat, space = (nl.solve(CUBE, method, dim=dim, seed=0) for dim in (2, 3))
    assert space.value < flat.value
    Y = np.array(list(space.positions.values()))
    assert Y.shape == (27, 3)
    thickness = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    assert thickness[2] > 0.1 * thickness[0]


def test_auto_draws_in_space_too():
    Y = np.array(list(nl.layout(CUBE, dim=3, seed=0).values()))
    thickness = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    assert thickness[2] > 0.9 * thickness[0], "the grid is as thick as wide"
