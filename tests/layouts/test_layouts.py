"""Layout functions as their users meet them: hosts, keywords, warm starts, callbacks, interruption."""

from __future__ import annotations

import copy
import json
import signal
import threading
import time
from itertools import pairwise

import igraph
import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from tables import FEW, RECIPES, first, thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.placing.orient import canonical
from nelayout.core.run.animation import turn_onto
from nelayout.graphs import read
from nelayout.keywords.options import DEFAULTS

LAYOUTS = sorted(name for name in nl._HOME if name.endswith("_layout"))
METHODS_OF_EACH_KIND = ["ws-sne", "gamma-quadlog", "linlog", "ee", "tsne"]


def weighted() -> nx.Graph:
    """Two triangles and a tail, with labels of several types and weights."""
    G = nx.Graph()
    edges = [("a", 1), (1, (0, 0)), ((0, 0), "a"), ("a", "b"), ("b", 2), (2, 3), (3, "b"), (3, "end")]
    G.add_weighted_edges_from((u, v, 1.0 + k % 3) for k, (u, v) in enumerate(edges))
    return G


def to_igraph(G: nx.Graph) -> igraph.Graph:
    index = {node: i for i, node in enumerate(G)}
    g = igraph.Graph(len(G), [(index[u], index[v]) for u, v in G.edges], directed=G.is_directed())
    g.es["weight"] = [w for _, _, w in G.edges(data="weight", default=1.0)]
    return g


def ring_view() -> nx.Graph:
    G = nx.cycle_graph(9)
    G.add_edge(4, "outside")
    return nx.subgraph_view(G, filter_node=lambda node: node != "outside")


HOSTS = {
    "Graph": weighted,
    "DiGraph": lambda: nx.DiGraph(weighted()),
    "MultiGraph": lambda: nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0), (2, 2), (2, 3)]),
    "MultiDiGraph": lambda: nx.MultiDiGraph([("x", "y"), ("y", "x"), ("y", "z"), ("z", "z")]),
    "subgraph view": ring_view,
    "igraph": lambda: to_igraph(weighted()),
    "igraph directed": lambda: to_igraph(nx.DiGraph(weighted())),
    "csr_array": lambda: sparse.csr_array(nx.to_scipy_sparse_array(weighted())),
    "csr_matrix": lambda: sparse.csr_matrix(nx.to_numpy_array(weighted())),
    "coo_array": lambda: sparse.coo_array(nx.to_numpy_array(weighted())),
    "csc_array": lambda: sparse.csc_array(nx.to_numpy_array(weighted())),
    "dense": lambda: nx.to_numpy_array(weighted()),
    "dense integers": lambda: nx.to_numpy_array(weighted()).astype(np.int64),
}


def coordinates(pos) -> np.ndarray:
    """Positions of any host as an array, in the order in which they came."""
    if isinstance(pos, dict):
        return np.array(list(pos.values()))
    return np.array(pos.coords) if isinstance(pos, igraph.Layout) else pos


def snapshot(G):
    """Everything that a graph holds, for comparison."""
    if isinstance(G, nx.Graph):
        return copy.deepcopy((list(G.nodes(data=True)), list(G.edges(data=True)), dict(G.graph)))
    if isinstance(G, igraph.Graph):
        return G.get_edgelist(), {a: G.es[a] for a in G.es.attributes()}, {a: G.vs[a] for a in G.vs.attributes()}
    if sparse.issparse(G):
        C = G.tocoo()
        return type(G), G.dtype, C.row.tolist(), C.col.tolist(), C.data.tolist()
    return G.dtype, G.tolist(), G.flags.writeable


# --- hosts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("host", "dim"), thinned(HOSTS, [1, 2, 3], plain=lambda host, dim: dim == 2))
def test_positions_come_back_in_the_hosts_type_and_order(host, dim):
    G = HOSTS[host]()
    before = snapshot(G)
    pos = nl.ws_sne_layout(G, dim=dim, seed=0, max_iter=20)
    if isinstance(G, nx.Graph):
        assert type(pos) is dict
        assert list(pos) == list(G)
        assert all(type(p) is np.ndarray and p.dtype == np.float64 and p.shape == (dim,) for p in pos.values())
    elif isinstance(G, igraph.Graph):
        assert (type(pos), len(pos), pos.dim) == (igraph.Layout, G.vcount(), dim)
    else:
        assert (type(pos), pos.dtype, pos.shape) == (np.ndarray, np.float64, (G.shape[0], dim))
    assert np.isfinite(coordinates(pos)).all()
    assert snapshot(G) == before


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_draws_every_kind_of_host_and_is_found_by_its_name(name):
    method = name.removesuffix("_layout")
    run = {"pos": np.random.default_rng(1).random((len(weighted()), 2)), "max_iter": 10}
    expected = coordinates(getattr(nl, name)(weighted(), **run))
    assert np.isfinite(expected).all()
    for host in ("igraph", "dense"):
        assert np.array_equal(coordinates(getattr(nl, name)(HOSTS[host](), **run)), expected)
    for spelling in (method, method.replace("_", "-"), METHODS[method.replace("_", "-")]):
        assert np.array_equal(coordinates(nl.layout(weighted(), spelling, **run)), expected)


def test_igraph_takes_the_function_as_a_layout():
    g = HOSTS["igraph"]()
    layout = g.layout(nl.ws_sne_layout, seed=1)
    assert (type(layout), layout.coords) == (igraph.Layout, nl.ws_sne_layout(g, seed=1).coords)


# --- size and place ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYOUTS)
def test_drawing_fits_scale_around_center(name):
    center, scale = np.array([-40.0, 7.5]), 3.25
    Y = coordinates(getattr(nl, name)(weighted(), seed=0, max_iter=20, scale=scale, center=center)) - center
    assert np.abs(Y).max() == pytest.approx(scale, rel=1e-12)
    assert np.abs(Y.mean(axis=0)).max() < 1e-12 * 40


def test_drawings_far_from_the_origin_are_only_moved():
    """Whether nodes coincide is judged about the drawing, not about the origin."""
    center = np.array([2.0**33, -(2.0**33)])
    near = coordinates(nl.ws_sne_layout(nx.karate_club_graph(), seed=0))
    far = coordinates(nl.ws_sne_layout(nx.karate_club_graph(), seed=0, center=center))
    assert np.abs((far - center) - near).max() <= 2.0**-19


# --- what is kept where -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", HOSTS)
def test_given_positions_masses_and_sizes_stay_as_they_are(host):
    G = HOSTS[host]()
    n = len(read(G).labels)
    rng = np.random.default_rng(0)
    given = {
        "pos": rng.standard_normal((n, 2)), "mass": rng.uniform(1, 2, n), "node_size": np.full(n, 0.01),
        "center": np.array([1.0, 2.0]), "fixed": np.arange(n) < 2,
    }
    before, copies = snapshot(G), copy.deepcopy(given)
    pos = nl.gamma_quadlog_layout(G, seed=0, max_iter=5, **given)
    for key, value in given.items():
        assert np.array_equal(value, copies[key]), key
    coordinates(pos)[:] = np.nan
    assert np.array_equal(given["pos"], copies["pos"])
    assert snapshot(G) == before


# --- keywords ---------------------------------------------------------------------------------------------------


def test_all_keywords_at_their_defaults_change_nothing():
    G = weighted()
    plain = nl.ws_sne_layout(G, seed=5)
    spelled = nl.ws_sne_layout(G, pos=None, fixed=None, kernel="cauchy", **{**DEFAULTS, "seed": 5})
    assert np.array_equal(coordinates(plain), coordinates(spelled))


def one_number(host: str):
    """A path whose edges have one number, under a name that is not read."""
    G = nx.path_graph(3)
    nx.set_edge_attributes(G, {(0, 1): 2.0, (1, 2): 3.0}, "strength")
    return pytest.importorskip("igraph").Graph.from_networkx(G) if host == "igraph" else G


@pytest.mark.parametrize("host", ["networkx", "igraph"])
@pytest.mark.parametrize("door", first([nl.layout, nl.estimate, nl.tsne_layout, nl.solve, nl.choose_alpha], 2))
def test_a_weight_that_is_not_read_is_warned_of_at_the_line_of_the_caller(host, door):
    G = one_number(host)
    with pytest.warns(UserWarning, match="no edge has the attribute 'weight'") as caught:
        door(G)
    (warning,) = caught
    assert str(warning.message) == (
        "no edge has the attribute 'weight', all weigh 1; weight='strength' would use the numbers there, and "
        "weight=None takes every edge as 1 without this warning"
    )
    assert warning.filename == __file__
    door(G, weight="strength")
    door(G, weight=None)


def test_the_note_on_a_weight_that_is_not_read_stays_with_the_solution_and_measures_have_none():
    G = one_number("networkx")
    with pytest.warns(UserWarning, match="strength"):
        (note,) = nl.solve(G, "tsne", seed=0).notes
    assert "weight='strength' would use the numbers there" in note
    several = nx.Graph([(0, 1, {"a": 1.0, "b": 2.0})])  # which of the two was meant is not known
    assert "'a', 'b' hold numbers" in nl.solve(several, seed=0).notes[0]
    pos = nl.layout(G, weight=None, seed=0)
    for take in (nl.measure, lambda G, pos, **more: nl.compare(G, {"one": pos}, **more)):
        take(G, pos)
        with pytest.raises(nx.NetworkXError, match="no edge has the attribute 'strenght'"):
            take(G, pos, weight="strenght")


def test_a_square_table_of_vectors_is_not_drawn_as_a_graph_without_a_word():
    X = np.random.default_rng(0).random((12, 12))
    with pytest.warns(UserWarning, match="taken for a graph, .* vectors, .* are drawn by nelayout.embed") as caught:
        solution = nl.solve(X, seed=0)
    assert caught[0].filename == __file__
    assert "nelayout.embed" in solution.notes[0]
    np.fill_diagonal(X, 0)
    assert nl.solve(X, seed=0).notes == ()
    assert nl.solve(sparse.csr_array(np.eye(12) + X), seed=0).notes == ()  # nobody stores vectors as sparse squares
    assert nl.solve(np.eye(12) + X + X.T, seed=0).notes == ()
    with pytest.raises(ValueError, match=r"or take abs .*; vectors, .* are drawn by nelayout.embed"):
        nl.layout(X - 0.5)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, nx.from_numpy_array])
def test_negative_weights_as_of_correlations_are_refused_with_what_to_do(form):
    r = np.corrcoef(np.random.default_rng(0).standard_normal((8, 30)))
    with pytest.raises(ValueError, match=r"weight -0\.\d+; every weight must be .*take abs of them"):
        nl.layout(form(r))
    assert len(nl.layout(form(abs(r)), seed=0)) == 8


# --- what a solution says of itself -----------------------------------------------------------------------------


def test_a_solution_says_the_evidence_in_a_paragraph_and_no_positions():
    G = nx.disjoint_union(nx.path_graph(400), nx.path_graph(1))
    solution = nl.solve(G, "nerv:0.3", max_iter=4, node_size=1.0, seed=0)
    said = " ".join(repr(solution).split())
    assert said == (
        f"Solution by nerv:0.3 of 401 nodes in 2 components: value {solution.value:.6g}, connection "
        f"{solution.connection:.6g}, {len(solution.trace)} steps in {solution.seconds:.2g} s. Ended by max_iter: all "
        "steps were taken, the usual end, not a failure; a larger max_iter may lower the value. Notes: "
        f"{'; '.join(solution.notes)}."
    )
    assert "2 components, packed; distances between components have no meaning" in solution.notes
    assert max(map(len, repr(solution).splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"callback": lambda state: True}, "Ended by stopped: the callback has"), ({}, "Ended by converged: the forces")],
)
def test_a_solution_says_why_it_ended(options, sentence):
    assert sentence in " ".join(repr(nl.solve(nx.path_graph(4), "ee", seed=0, **options)).split())


def test_an_empty_graph_has_a_solution_that_can_be_shown():
    assert repr(nl.solve(nx.Graph())).startswith("Solution by auto of 0 nodes in 0 components")


# --- warm starts ------------------------------------------------------------------------------------------------

AWKWARD = [1e-3 / 7, 12345.678, np.pi * 1e7, -2.0 / 3.0]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_no_iterations_give_the_start_back(host, dim):
    G = HOSTS[host]()
    n = len(read(G).labels)
    start = np.random.default_rng(1).standard_normal((n, dim)) * AWKWARD[dim] + AWKWARD[0]
    pos = nl.ws_sne_layout(G, pos=start, max_iter=0, dim=dim, scale=5.0, center=np.ones(dim))
    assert np.array_equal(coordinates(pos), start)


def test_no_iterations_give_coincident_nodes_back_in_arrays_of_their_own():
    start = {node: np.ones(2) for node in range(4)}
    pos = nl.ws_sne_layout(nx.path_graph(4), pos=start, max_iter=0)
    assert coordinates(pos).tolist() == [[1.0, 1.0]] * 4
    pos[0][:] = 99
    assert start[0].tolist() == [1.0, 1.0]


def test_partial_start_stays_and_missing_nodes_come_near_their_neighbors():
    G = nx.grid_2d_graph(6, 6)
    start = {node: np.array(node, dtype=float) for node in G if node != (2, 3)}
    start["no node of the graph"] = np.array([np.inf, 0.0])
    pos = nl.ws_sne_layout(G, pos=start, max_iter=0, seed=0)
    assert list(pos) == list(G)
    assert all(np.array_equal(pos[node], start[node]) for node in G if node != (2, 3))
    assert np.abs(pos[2, 3] - (2, 3)).max() < 0.5
    Y = coordinates(nl.ws_sne_layout(nx.path_graph(10), pos={0: (0.0, 0.0), 1: (1.0, 0.0)}, max_iter=0, seed=0))
    assert np.abs(Y[2:] - (1.0, 0.0)).max() < 1.0, "wave after wave"


def test_keys_of_positions_that_are_no_nodes_are_told():
    G = nx.karate_club_graph()
    pos = nl.ws_sne_layout(G, seed=0)
    text = json.loads(json.dumps({v: list(place) for v, place in pos.items()}))
    for call in (nl.layout, nl.solve, nl.plan):
        with pytest.raises(nx.NetworkXError, match=r"pos must have nodes as its keys; got '0' \(str\), .* 0 \(int\)"):
            call(G, "ws-sne", pos=text)
    (note,) = nl.solve(G, "ws-sne", pos={**pos, "x": (0, 0), "y": (0, 0)}, max_iter=0).notes
    assert note == "2 of 36 keys of pos, such as 'x', are no nodes of the graph and were left out"
    assert nl.solve(G, "ws-sne", pos=pos, max_iter=0).notes == nl.solve(G, "ws-sne", pos={}, max_iter=1).notes == ()
    assert nl.layout(nx.Graph(), pos=pos) == {}


@pytest.mark.parametrize("method", first(METHODS_OF_EACH_KIND, 2))
def test_a_drawing_restarted_stays_where_it_is(method):
    """Neither turned, mirrored, annealed nor resized: the reader's map is kept."""
    G = nx.karate_club_graph()
    drawn = coordinates(nl.layout(G, method, seed=0))
    turned = np.stack([-drawn[:, 1], drawn[:, 0]], axis=1)
    again = coordinates(nl.layout(G, method, pos=dict(zip(G, turned, strict=True)), seed=8))
    scale = 1 / np.abs(turned - turned.mean(axis=0)).max()
    assert np.abs(again - scale * turned).max() < 0.08  # t-SNE has no best size here and creeps on


@pytest.mark.parametrize("factor", [1e-250, 1e-150, 1e150, 1e300])
def test_a_start_may_have_any_size(factor):
    G = nx.karate_club_graph()
    start = {node: (node % 5, node // 5) for node in G}
    usual = coordinates(nl.gamma_quadlog_layout(G, pos=start, seed=0))
    scaled = {node: (x * factor, y * factor) for node, (x, y) in start.items()}
    assert np.abs(coordinates(nl.gamma_quadlog_layout(G, pos=scaled, seed=0)) - usual).max() < 1e-3
    assert np.isfinite(coordinates(nl.ws_sne_layout(G, pos=scaled, fixed=[0, 7], seed=0))).all()


@pytest.mark.parametrize("method", thinned(METHODS, plain=lambda method: method in RECIPES))
def test_starts_on_a_point_or_a_line_unfold(method):
    G = nx.grid_2d_graph(5, 5)
    for start in (dict.fromkeys(G, (1.0, 2.0)), {node: (i, i) for i, node in enumerate(G)}):
        Y = coordinates(nl.layout(G, method, pos=start, seed=0))
        narrow = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
        assert narrow[1] > 0.2 * narrow[0]


def test_components_without_a_place_come_beside_the_others():
    G = nx.disjoint_union(nx.cycle_graph(8), nx.path_graph(5))
    G.add_nodes_from(["alone", "too"])
    start = {node: (np.cos(node), np.sin(node)) for node in range(8)}
    for fixed in (None, [0, 1, 2]):
        pos = nl.ws_sne_layout(G, pos=start, fixed=fixed, seed=0)
        placed = np.array([pos[node] for node in range(8)])
        others = np.array([pos[node] for node in G if node not in start])
        assert others[:, 0].min() > placed[:, 0].max()


# --- fixed nodes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", thinned(METHODS, plain=lambda method: method in RECIPES))
@pytest.mark.parametrize("fixed", [[0], [0, 33], [5, 0, 33, 8], list(range(34))])
def test_fixed_nodes_come_back_bit_for_bit(method, fixed):
    G = nx.karate_club_graph()
    rng = np.random.default_rng(len(fixed))
    start = {node: rng.standard_normal(2) * AWKWARD[1] + AWKWARD[2] for node in G}
    pos = nl.layout(G, method, pos=start, fixed=fixed, max_iter=12, scale=2.0, center=(1.0, 1.0), seed=0)
    assert all(np.array_equal(pos[node], start[node]) for node in fixed)
    Y = coordinates(pos)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y, axis=0)) == 34
    assert all(not np.array_equal(pos[node], start[node]) for node in G if node not in fixed)


@pytest.mark.parametrize(
    ("method", "fixed"),
    thinned(
        METHODS_OF_EACH_KIND, [[0], [16, 26, 14]],
        plain=lambda method, fixed: len(fixed) == 3 and method in METHODS_OF_EACH_KIND[:3],
    ),
)
def test_fixing_nodes_of_a_drawing_keeps_the_drawing(method, fixed):
    """The minimum has these nodes at these places already, once s is found: their distance decides the size."""
    G = nx.karate_club_graph()
    start = nl.layout(G, method, seed=0)
    Y, again = coordinates(start), coordinates(nl.layout(G, method, pos=start, fixed=fixed, seed=1))
    assert np.abs(again - Y).max() < 0.1


def test_size_of_the_free_nodes_follows_the_fixed_ones_or_the_scale_if_one_is_fixed():
    G, fixed = nx.karate_club_graph(), [0, 33, 16, 26]
    start = nl.ws_sne_layout(G, seed=0)
    for factor in (1e-6, 1e6):
        given = {node: factor * start[node] for node in fixed}
        Y = coordinates(nl.ws_sne_layout(G, pos=given, fixed=fixed, seed=1)) / factor
        assert 0.5 < np.abs(Y).max() < 2.0
    pos = nl.ws_sne_layout(nx.petersen_graph(), pos={3: (10.0, -5.0)}, fixed=[3], scale=2.0, seed=0)
    assert pos[3].tolist() == [10.0, -5.0]
    assert np.abs(coordinates(pos) - pos[3]).max() == pytest.approx(2.0)


def test_fixed_nodes_in_every_component():
    G = nx.disjoint_union(nx.cycle_graph(8), nx.path_graph(5))
    G.add_nodes_from([100, 101])
    start = {0: (0.0, 0.0), 1: (1.0, 0.0), 8: (5.0, 5.0), 100: (9.0, 9.0)}
    pos = nl.gamma_quadlog_layout(G, pos=start, fixed=list(start), seed=0)
    assert all(pos[node].tolist() == list(place) for node, place in start.items())
    assert len(np.unique(coordinates(pos), axis=0)) == len(G)


# --- callbacks --------------------------------------------------------------------------------------------------


def islands() -> nx.Graph:
    G = nx.disjoint_union(nx.les_miserables_graph(), nx.path_graph(5))
    G.add_node("alone")
    return G


def frames_of(G, method="ws-sne", **options) -> tuple[list[np.ndarray], np.ndarray]:
    """Positions at every step, and the result."""
    frames: list[np.ndarray] = []
    pos = nl.layout(G, method, seed=0, node_size=None, callback=lambda state: frames.append(state.positions), **options)
    return frames, coordinates(pos)


@pytest.mark.parametrize(
    ("method", "dim"),
    thinned(
        METHODS_OF_EACH_KIND, [1, 2, 3], plain=lambda method, dim: dim == 2 and method in METHODS_OF_EACH_KIND[:2]
    ),
)
def test_frames_have_the_scale_of_the_result_and_turn_only_towards_its_orientation(method, dim):
    frames, Y = frames_of(nx.les_miserables_graph(), method, dim=dim, scale=3.0, center=[1.0] * dim)
    assert len(frames) > 5
    for frame in (*frames, Y):
        assert np.abs(frame - 1.0).max() == pytest.approx(3.0)
    degrees = [degree for _, degree in nx.les_miserables_graph().degree]
    mass = np.array(degrees if METHODS[method].mass == "degree" else [1.0] * len(degrees))
    for before, frame in pairwise(frames[:-1]):
        there, here = before - before.mean(axis=0), frame - frame.mean(axis=0)
        turn = turn_onto(here, there, mass)
        if not np.allclose(turn, np.eye(dim), atol=1e-6):  # not as the frame before: nearer to where a result lies
            goal, kept = canonical(here, mass), here @ turn
            apart, apart_before = (np.sum(mass * np.sum((Z - goal) ** 2, axis=1)) for Z in (here, kept))
            assert apart < apart_before + 1e-9
    last, result = (alike(Z, Y) for Z in (frames[-2], Y))
    assert np.median(np.abs(last - result)) < 1e-3  # all but twins, which the last touches part


@pytest.mark.parametrize("method", ["auto", "linlog"])
@pytest.mark.parametrize(
    "options", [{}, {"dim": 1}, {"dim": 3}, {"pos": {0: (3.0, 1.0)}}, {"pos": {0: (3.0, 1.0)}, "fixed": [0]}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.disjoint_union(nx.star_graph(6), nx.path_graph(4))])
def test_the_last_frame_is_the_result_to_the_bit(graph, method, options):
    seen, Y = [], coordinates(nl.layout(graph, method, seed=0, **options))
    nl.layout(graph, method, seed=0, callback=lambda state: seen.append(state) and None, **options)
    frames, stages = ([getattr(state, name) for state in seen] for name in ("positions", "stage"))
    assert np.array_equal(frames[-1], Y)
    assert stages.count("result") == 1
    assert stages[-1] == "result"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["ws-sne", "tsne", "linlog"])
def test_the_last_steps_lie_as_the_result_does(method, seed):
    """Graphs without a symmetry, seen before the last frame: no mirror, and a turn of less than 5 degrees."""
    frames, Y = frames_of(nx.barabasi_albert_graph(80, 2, seed=seed), method)
    here, there = (Z - Z.mean(axis=0) for Z in (frames[-2], Y))
    turn = turn_onto(here, there, np.ones(80))
    assert turn[0, 0] > np.cos(np.radians(5))
    assert turn[1, 1] > np.cos(np.radians(5))


def test_a_run_that_was_stopped_shows_no_result():
    stages = []
    nl.layout(nx.karate_club_graph(), seed=0, callback=lambda s: bool(stages.append(s.stage)) or len(stages) == 5)
    assert len(stages) == 5


def alike(Y: np.ndarray, model: np.ndarray) -> np.ndarray:
    """Y at the size 1, turned like a model: a largest coordinate of 1 is another size in another orientation."""
    Y, model = (Z - Z.mean(axis=0) for Z in (Y, model))
    return nl.align(Y / np.linalg.norm(Y), to=model / np.linalg.norm(model))


def test_components_have_their_place_in_every_frame():
    frames, Y = frames_of(islands(), "tsne")
    parts = [np.arange(77), np.arange(77, 82), np.array([82])]
    for frame in frames[:-1]:
        assert np.abs(frame).max() <= 1.0 + 1e-12
        boxes = [(frame[part].min(axis=0), frame[part].max(axis=0)) for part in parts]
        for k, (low, high) in enumerate(boxes):
            assert not any((low < other[1]).all() and (other[0] < high).all() for other in boxes[k + 1 :])
    assert np.ptp(frames[0][parts[0]], axis=0).max() > 0.5  # the first is drawn, the others wait on their spots
    assert np.ptp(frames[0][parts[1]], axis=0).max() == 0.0
    for part in parts[:2]:
        last, result = (alike(Z[part], Y[part]) for Z in (frames[-2], Y))
        assert np.median(np.abs(last - result)) < 1e-3


@pytest.mark.parametrize("start", [None, {0: (0.0, 0.0), 1: (1.0, 0.5)}])
def test_positions_are_the_same_whenever_they_are_read(start):
    G, at_once, later = nx.disjoint_union_all([nx.path_graph(k) for k in (4, 7, 9)]), [], []
    nl.layout(G, "tsne", start, seed=1, callback=lambda state: at_once.append(np.array(state.positions)))
    nl.layout(G, "tsne", start, seed=1, callback=later.append)
    assert len(later) == len(at_once) > 20
    for before, state in zip(at_once[::-1], later[::-1], strict=True):
        assert np.array_equal(before, state.positions)
        assert not state.positions.flags.writeable


def test_frames_of_a_start_lie_as_the_result_does():
    G = nx.karate_club_graph()
    start = coordinates(nl.layout(G, "tsne", seed=0)) * 40.0 + 7.0
    frames, Y = frames_of(G, "tsne", pos=start, max_iter=15)
    assert np.allclose(frames[-2], Y, atol=1e-6)
    frames, Y = frames_of(G, "tsne", pos=start, fixed=[0, 33], max_iter=15)
    for frame in frames:
        assert np.allclose(frame[[0, 33]], start[[0, 33]])
    assert np.allclose(frames[-1], Y, atol=1e-6)
    two = nx.disjoint_union(G, nx.path_graph(4))  # whose path has no place: it stands beside the club
    frames, _ = frames_of(two, "tsne", pos=dict(enumerate(start)), max_iter=15)
    assert all(frame[34:, 0].min() > frame[:34, 0].max() for frame in frames)


@pytest.mark.parametrize("method", thinned(METHODS, plain=lambda method: method in FEW))
@pytest.mark.parametrize("when", [0, 12])
def test_callback_stops_the_run(method, when):
    G = islands()
    solution = nl.solve(G, method, seed=0, callback=lambda state: state.iteration == when)
    assert (solution.reason, len(solution.trace)) == ("stopped", when + 1)
    Y = coordinates(solution.positions)
    assert len(np.unique(Y, axis=0)) == len(Y) == len(G)
    assert np.abs(Y).max() == pytest.approx(1.0)
    assert np.isfinite(solution.value)


@pytest.mark.parametrize("method", ["mds-ks", "tsne", "sne"])
def test_a_run_stopped_before_its_objective_has_the_best_size(method):
    """Not the size of the stage that finds the shape, at which all kernel values may be 0."""
    G = nx.les_miserables_graph()
    found = nl.solve(G, method, seed=0, scale=None, callback=lambda state: state.iteration == 6)
    assert found.trace[-1].stage == "shape"
    values = [nl.evaluate(G, {v: c * p for v, p in found.positions.items()}, method).value for c in (1.0, 0.8, 1.25)]
    assert values[0] == min(values) < np.inf


@pytest.mark.parametrize("method", first(METHODS_OF_EACH_KIND, 2))
def test_a_stopped_run_keeps_the_readers_units(method):
    G = nx.karate_club_graph()
    start = {node: 1e3 * p for node, p in nl.layout(G, method, seed=0).items()}
    solution = nl.solve(G, method, pos=start, fixed=[0, 33], callback=lambda state: True)
    assert solution.reason == "stopped"
    assert np.array_equal(solution.positions[33], start[33])
    assert np.abs(coordinates(solution.positions) - coordinates(start)).max() < 200


def test_an_exception_in_the_callback_propagates_and_leaves_nothing():
    G = islands()
    before, threads = snapshot(G), set(threading.enumerate())

    def interrupt(state):
        if state.iteration == 5:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        nl.ws_sne_layout(G, seed=0, callback=interrupt, store_pos_as="pos")
    assert snapshot(G) == before
    assert set(threading.enumerate()) == threads


def test_a_layout_inside_a_callback_and_a_progress_bar_change_nothing(capsys):
    G, drawn = nx.petersen_graph(), [nl.ws_sne_layout(nx.petersen_graph(), seed=0)]
    assert capsys.readouterr() == ("", "")

    def nested(state):
        if state.iteration == 2:
            drawn.append(nl.ws_sne_layout(G, seed=0))

    drawn.append(nl.ws_sne_layout(G, seed=0, callback=nested))
    drawn.append(nl.ws_sne_layout(G, seed=0, progress=True))
    out, err = capsys.readouterr()
    assert (out, "ws-sne" in err) == ("", True)
    assert len(drawn) == 4
    assert all(np.array_equal(coordinates(pos), coordinates(drawn[0])) for pos in drawn)


# --- interruption and threads -----------------------------------------------------------------------------------


ENDLESS = {
    "numpy": (nx.random_regular_graph(4, 300, seed=0), "ws-sne"),
    "several": (nx.disjoint_union_all([nx.random_labeled_tree(2 + k % 13, seed=k) for k in range(60)]), "linlog"),
    "compiled": (nx.random_regular_graph(4, 1200, seed=0), "ws-sne"),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("name", first(ENDLESS, 2))
def test_ctrl_c_ends_the_run_and_the_next_call_works(name):
    """A run on NumPy, in compiled loops on two threads, and components that wait for no other thread's component."""
    G, method = ENDLESS[name]
    # An interrupt of the compiler itself may leave its lock taken for good: all loops are compiled from here on.
    expected = coordinates(nl.layout(G, method, seed=0, n_jobs=2))
    threads = set(threading.enumerate())
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            nl.layout(G, method, seed=0, n_jobs=2, tol=0.0, max_iter=10**7)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert set(threading.enumerate()) == threads
    assert np.array_equal(coordinates(nl.layout(G, method, seed=0, n_jobs=2)), expected)


def lone_edge(G: nx.Graph, edge: tuple, weight: float, method: str) -> float:
    """The length of an edge of this weight, in median lengths of all edges."""
    H = nx.Graph(G)
    H.edges[edge]["weight"] = weight
    pos = nl.layout(H, method, node_size=None, seed=0)
    median = np.median([np.linalg.norm(pos[u] - pos[v]) for u, v in H.edges])
    return float(np.linalg.norm(pos[edge[0]] - pos[edge[1]]) / median)


HEAVIER = {
    "ring": (nx.cycle_graph(12), (0, 1)),
    "club": (nx.Graph(list(nx.karate_club_graph().edges)), (24, 25)),
    "tree": (nx.balanced_tree(2, 4), (1, 3)),
    "grid": (nx.grid_2d_graph(5, 5), ((2, 2), (2, 3))),
    "novel": (nx.les_miserables_graph(), ("Valjean", "Javert")),
}


@pytest.mark.parametrize(
    ("method", "name"),
    thinned(
        ["ws-sne", "linlog", "gamma-linlog", "gamma-quadlog", "tsne", "ee", "forceatlas2"], [*HEAVIER],
        plain=lambda method, name: method in ("ws-sne", "linlog", "gamma-linlog") and name in ("ring", "club"),
    ),
)  # fmt: skip
def test_a_heavier_edge_is_shorter(method, name):
    G, edge = HEAVIER[name]
    own = G.edges[edge].get("weight", 1.0)
    lengths = [lone_edge(G, edge, factor * own, method) for factor in (1.0, 10.0, 100.0)]
    assert lengths[0] > lengths[1] > lengths[2]


@pytest.mark.parametrize("method", ["auto", "ws-sne"])
def test_given_positions_of_many_components_come_back_at_once(method):
    G = nx.disjoint_union_all([nx.path_graph(3 + k % 5) for k in range(120)])
    began = time.perf_counter()
    pos = nl.layout(G, method, seed=0)
    drawn = time.perf_counter()
    again = nl.layout(G, method, pos=pos, max_iter=0)
    given = time.perf_counter()
    solved = nl.solve(G, method, pos=pos, max_iter=0).positions
    assert given - drawn < 0.5 * (drawn - began)
    assert time.perf_counter() - given < 2.0 * (drawn - began)
    assert all(np.array_equal(again[v], pos[v]) and np.array_equal(solved[v], pos[v]) for v in G)


@pytest.mark.parametrize("method", [*METHODS_OF_EACH_KIND, "nerv", "auto"])
def test_floats_that_vanish_are_no_error_of_the_caller(method):
    G = nx.barabasi_albert_graph(60, 2, seed=0)
    with np.errstate(all="raise"):
        pos = nl.solve(G, method, seed=0)
        assert np.isfinite(nl.evaluate(G, pos.positions, "ws-sne").value)
    again = nl.solve(G, method, seed=0).positions
    assert all(np.array_equal(pos.positions[v], again[v]) for v in G)
