"""Live drawings: J falls, nothing jumps, held nodes stay, and edits are the edited graph."""

from __future__ import annotations

import sys

import fake_graph_tool
import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import EVERY_METHOD, RECIPES, thinned

import nelayout as nl
from nelayout.errors import InputError, Unsupported

METHODS = thinned(
    {name: method for name, method in EVERY_METHOD.items() if not method.variational},
    plain=lambda name: name in ("ws-sne", "linlog", "nerv", "tsnet"),
)


def array(pos, nodes):
    return np.array([pos[v] for v in nodes])


def radius(Y):
    return float(np.sqrt(((Y - Y.mean(axis=0)) ** 2).sum(axis=1).mean()))


def rested(live, most=2000):
    """Step until all is at rest; return J after each step."""
    values = [live.value]
    while not live.at_rest:
        assert len(values) < most, "no rest"
        live.step(iterations=1)
        values.append(live.value)
    return values


def edited(live):
    """Edits of every kind; return the graph that they make of the club."""
    G = nx.karate_club_graph()
    nx.set_edge_attributes(G, 1.0, "weight")
    for u, v, weight in ((16, 26, 1.0), (0, 1, 3.0), (0, 2, 0.0)):
        live.set_weight(u, v, weight)
        G.add_edge(u, v, weight=weight)
    live.remove(8)
    G.remove_node(8)
    live.add("a", {0: 1.0, 5: 2.5})
    G.add_weighted_edges_from([("a", 0, 1.0), ("a", 5, 2.5)])
    live.add("b", ["a"])
    G.add_edge("b", "a", weight=1.0)
    return G


@pytest.mark.parametrize("name", METHODS)
def test_edits_are_the_edited_graph(name):
    """J of an edited drawing is that of the edited graph at the same positions, for each method."""
    method = EVERY_METHOD[name]
    live = nl.Live(nx.karate_club_graph(), method, weight=None)
    H = edited(live)
    live.step(iterations=30)
    assert set(live.nodes) == set(H)
    units = live.unit * live.array
    assert nl.evaluate(H, dict(zip(live.nodes, units, strict=True)), method).value == pytest.approx(
        live.value, rel=1e-9
    )


@pytest.mark.parametrize("name", METHODS)
def test_between_edits_j_never_rises_and_no_step_jumps(name):
    live = nl.Live(nx.karate_club_graph(), EVERY_METHOD[name], weight=None)
    edited(live)
    Y, value, rises, longest = live.array.copy(), live.value, 0.0, 0.0
    for _ in range(400):
        if live.at_rest:
            break
        live.step(iterations=1)
        longest = max(longest, np.sqrt(((live.array - Y) ** 2).sum(axis=1)).max() / radius(Y))
        rises = max(rises, live.value - value)
        Y, value = live.array.copy(), live.value
    assert longest <= 0.02 * (1 + 1e-9)
    assert rises <= 1e-12 * (1 + abs(value))


@pytest.mark.parametrize("name", METHODS)
def test_at_rest_j_is_that_of_a_layout_from_the_same_positions(name):
    """Edits, then rest: a whole layout of the edited graph that starts there is hardly lower."""
    if name == "alpha-sne":
        pytest.skip("its similarities end at the range of floats, beyond which a layout jumps by its search for a size")
    method = EVERY_METHOD[name]
    live = nl.Live(nx.karate_club_graph(), method, weight=None)
    H = edited(live)
    rested(live)
    own = dict(zip(live.nodes, live.unit * live.array, strict=True))
    lower = nl.solve(H, method, pos=own, scale=None, node_size=None, seed=0).value
    assert live.value <= lower + 0.04 * abs(lower)


@pytest.mark.parametrize("name", RECIPES)
def test_at_rest_forces_balance_and_a_step_costs_nothing(name):
    """A move of all nodes by their typical distance down the gradient would lower J by little of it."""
    live = nl.Live(nx.karate_club_graph(), name, weight=None)
    H = edited(live)
    rested(live)
    Y = live.unit * live.array
    found = nl.evaluate(H, dict(zip(live.nodes, Y, strict=True)), name)
    assert found.gradient_norm * radius(Y) <= 0.02 * abs(found.value) * len(live) ** 0.5
    before = live.array.copy()
    pos = live.step(16)
    assert (live.last.iterations, live.last.moved) == (0, 0.0)
    assert np.array_equal(live.array, before)
    assert np.array_equal(array(pos, live.nodes), before)
    assert np.array_equal(live.step(16, array=True), before)


def test_auto_goes_on_from_given_positions_by_the_nearest_objective():
    G = nx.les_miserables_graph()
    pos = nl.layout(G, seed=0)
    live = nl.Live(G, pos=pos)
    start, home = live.value, live.array.copy()
    rested(live)
    assert live.value <= start
    assert np.sqrt(((live.array - home) ** 2).sum(axis=1).mean()) < 0.5 * radius(home)


def test_same_edits_and_iterations_give_the_same_bits():
    def drawn():
        live = nl.Live(nx.karate_club_graph(), "ws-sne", seed=3)
        edited(live)
        live.step(iterations=7)
        live.move(0, (0.5, 0.25))
        live.step(iterations=5)
        live.release(0)
        live.add("alone")
        live.step(iterations=40)
        return live.array.copy()

    assert np.array_equal(drawn(), drawn())


def test_milliseconds_take_the_iterations_of_as_many_steps():
    """A timed step is a number of iterations: the same bits."""
    timed, counted = (nl.Live(nx.karate_club_graph(), "ws-sne") for _ in range(2))
    edited(timed)
    edited(counted)
    for _ in range(20):
        timed.step(4)
        if timed.last.iterations:
            counted.step(iterations=timed.last.iterations)
        assert np.array_equal(timed.array, counted.array)


def test_timed_steps_move_no_node_far():
    live = nl.Live(nx.karate_club_graph(), "ws-sne")
    edited(live)
    while not live.at_rest:
        before = live.array.copy() if live.last.iterations else None
        live.step(16)
        if before is not None:
            moved = np.sqrt(((live.array - before) ** 2).sum(axis=1)).max()
            assert moved <= 0.03 * radius(before) * (1 + 1e-9)
        assert live.last.moved <= 0.03 * (1 + 1e-9)


def test_held_nodes_keep_their_bits_and_released_nodes_go_back():
    G = nx.grid_2d_graph(12, 12)
    live = nl.Live(G, "ws-sne")
    home, corner = live.array.copy(), live.nodes.index((0, 0))
    live.pin((6, 6))
    still = live.positions[6, 6]
    for k in range(20):
        live.move((0, 0), home[corner] * (1 + 0.02 * k))
        live.step(iterations=3)
        assert np.array_equal(live.array[corner], home[corner] * (1 + 0.02 * k))
        assert np.array_equal(live.positions[6, 6], still)
    beside = live.nodes.index((0, 1))
    pulled = live.array[beside].copy()
    drag = live.array[corner] - home[corner]
    assert (pulled - home[beside]) @ drag > 0.2 * drag @ drag  # neighbors follow
    live.release((0, 0))
    live.release((6, 6))
    values = rested(live)
    assert values[-1] < values[0]
    assert 0.9 < radius(live.array) / radius(home) < 1.38  # J of a mesh has no best size: it is stretched by the drag


def test_a_drag_keeps_the_memory_of_the_minimizer():
    live = nl.Live(nx.grid_2d_graph(7, 7), "ws-sne")
    live.move((0, 0), live.positions[0, 0] * 1.1)
    live.step(iterations=8)
    memory = live._drawing.components[0].state.memory
    kept = np.count_nonzero(np.diagonal(memory.inverted))
    live.move((0, 0), live.positions[0, 0] * 1.01)
    assert kept > 3
    assert np.count_nonzero(np.diagonal(live._drawing.components[0].state.memory.inverted)) == kept


def test_an_edge_joins_components_and_its_removal_parts_them():
    G = nx.disjoint_union(nx.grid_2d_graph(5, 5), nx.cycle_graph(8))
    live = nl.Live(G, "ws-sne", seed=0)
    size = radius(live.array)
    live.set_weight(0, 25)
    apart = np.linalg.norm(live.array[0] - live.array[25])
    values = rested(live)
    assert values[-1] < values[0]
    assert np.linalg.norm(live.array[0] - live.array[25]) < apart
    live.set_weight(0, 25, 0)
    Y = live.array.copy()
    live.step(iterations=1)
    assert np.sqrt(((live.array - Y) ** 2).sum(axis=1)).max() <= 0.02 * radius(Y) * (1 + 1e-9)
    rested(live)
    first, second = live.array[:25], live.array[25:]
    assert not nx.has_path(nx.disjoint_union(nx.grid_2d_graph(5, 5), nx.cycle_graph(8)), 0, 25)
    assert 0.5 * size < radius(live.array) < 2 * size
    low, high = first.min(axis=0), first.max(axis=0)
    assert not ((second > low) & (second < high)).all(axis=1).any()  # no node of the ring in the box of the grid


def test_isolated_nodes_glide_out_of_the_drawing():
    live = nl.Live(nx.grid_2d_graph(6, 6), "ws-sne")
    low, high = live.array.min(axis=0), live.array.max(axis=0)
    live.add("dropped", position=live.array.mean(axis=0))
    for neighbor in ((0, 1), (1, 0)):
        live.set_weight((0, 0), neighbor, 0)
    before = live.array.copy()
    live.step(iterations=1)
    assert np.sqrt(((live.array - before) ** 2).sum(axis=1)).max() <= 0.02 * radius(before) * (1 + 1e-9)
    rested(live)
    for node in ("dropped", (0, 0)):
        at = live.positions[node]
        others = array(live.positions, [v for v in live.nodes if v not in ("dropped", (0, 0))])
        assert np.linalg.norm(others - at, axis=1).min() > 0.03
    assert not ((live.positions["dropped"] > low) & (live.positions["dropped"] < high)).all()


def test_an_unchanged_component_does_not_move_by_a_bit():
    live = nl.Live(nx.disjoint_union(nx.grid_2d_graph(5, 5), nx.cycle_graph(8)), "tsne")
    before = live.array.copy()
    live.set_weight(25, 29)
    rested(live)
    assert np.array_equal(live.array[:25], before[:25])
    assert not np.array_equal(live.array[25:], before[25:])


@pytest.mark.parametrize("kind", ["networkx", "igraph", "matrix"])
def test_hosts_give_back_their_own_type(kind):
    G = nx.karate_club_graph()
    reference = nl.Live(G, "ws-sne", weight=None)
    if kind == "networkx":
        given = G
    elif kind == "igraph":
        igraph = pytest.importorskip("igraph")
        given = igraph.Graph(n=len(G), edges=list(G.edges))
    else:
        given = csr_array(nx.to_scipy_sparse_array(G, weight=None))
    live = nl.Live(given, "ws-sne", weight=None)
    for each in (reference, live):
        each.add(34, [0, 3])
        each.remove(5)
    there, here = reference.step(iterations=9), live.step(iterations=9)
    rows = {"networkx": lambda: list(here.values()), "igraph": lambda: here.coords, "matrix": lambda: here}[kind]()
    assert np.array_equal(np.array(rows), np.array(list(there.values())))
    assert live.nodes == [*range(5), *range(6, 35)]
    assert type(here) is type(nl.layout(given, "ws-sne", weight=None, seed=0))


def test_the_graph_and_its_positions_are_not_changed():
    G = nx.karate_club_graph()
    H, pos = G.copy(), nl.layout(G, "ws-sne", seed=0)
    same = {v: y.copy() for v, y in pos.items()}
    live = nl.Live(G, "ws-sne", pos=pos)
    assert all(np.array_equal(live.positions[v], y) for v, y in same.items())  # a drawing goes on from its positions
    edited(live)
    live.step(iterations=9)
    assert nx.utils.graphs_equal(G, H)
    assert all(np.array_equal(pos[v], y) for v, y in same.items())
    with pytest.raises(ValueError, match="read-only"):
        live.array[0] = 0.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda live: live.step(0), r"milliseconds must be a number > 0; got 0"),
        (lambda live: live.step(float("nan")), r"milliseconds must be a number > 0; got nan"),
        (lambda live: live.step(), r"give one of them"),
        (lambda live: live.step(5, iterations=2), r"give one of them"),
        (lambda live: live.step(iterations=1.5), r"iterations must be a whole number >= 1; got 1.5"),
        (lambda live: live.pin("Nobody"), r"'Nobody' is not a node of the graph"),
        (lambda live: live.pin("Valjan"), r"did you mean 'Valjean'"),
        (lambda live: live.move("Valjean", (1, 2, 3)), r"position must be 2 finite numbers; got \(1, 2, 3\)"),
        (lambda live: live.move("Valjean", (1, float("nan"))), r"position must be 2 finite numbers"),
        (lambda live: live.move("Valjean", None), r"needs the position of the pointer"),
        (lambda live: live.release([]), r"\[\] is not a node"),
        (lambda live: live.add("Valjean"), r"node 'Valjean' exists: set_weight links it"),
        (lambda live: live.add(["x"]), r"a node must be hashable"),
        (lambda live: live.add("x", "Valjean"), r"neighbors must be nodes, such as \[node\]"),
        (lambda live: live.add("x", ["Valjean", "y"]), r"'y' is not a node"),
        (
            lambda live: live.add("x", {"Valjean": -1.0}),
            r"weight must be a number >= 0, and 0 removes the edge; got -1",
        ),
        (lambda live: live.add("x", position=(0,)), r"position must be 2 finite numbers"),
        (lambda live: live.add("x", mass=2.0), r"masses are 'degree', and follow from the graph"),
        (lambda live: live.remove("x"), r"'x' is not a node"),
        (lambda live: live.set_weight("Valjean", "Valjean"), r"joins two different nodes; got 'Valjean' twice"),
        (lambda live: live.set_weight("Valjean", "Javert", -2), r"weight must be a number >= 0"),
        (lambda live: live.set_weight("Valjean", "Javert", float("inf")), r"weight must be a number >= 0"),
    ],
)
def test_a_refused_edit_changes_nothing(wrong, message):
    live = nl.Live(nx.les_miserables_graph(), "ws-sne")
    before, nodes, value = live.array.copy(), live.nodes, live.value
    with pytest.raises(InputError, match=message):
        wrong(live)
    assert live.nodes == nodes
    assert np.array_equal(live.array, before)
    assert live.value == value


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda G: nl.Live(G, "ftsne", variational=True), Unsupported, "use variational=False"),
        (lambda G: nl.Live(G, "alpha-sne", alpha="auto", pos=nx.circular_layout(G)), Unsupported, "a number for alpha"),
        (lambda G: nl.Live(G, pos={0: (0, 0)}), InputError, "give every node a position"),
        (lambda G: nl.Live(G, "ws-sen"), InputError, "did you mean 'ws-sne'"),
        (lambda G: nl.Live(G, "ws-sne", dim=4), InputError, "dim must be 1, 2 or 3"),
        (lambda G: nl.Live(G, "ws-sne", kappa=0.5), TypeError, "kappa"),
        (lambda G: nl.Live(G, "ws-sne", random_state=1), TypeError, "here it is called 'seed'"),
        (lambda G: nl.Live(G, "ws-sne", mass=dict.fromkeys(G, 1.0)).add("x"), InputError, r"add\(..., mass=1.0\)"),
    ],
)
def test_calls_that_cannot_be_served_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(nx.karate_club_graph())


def test_nodes_at_one_place_are_refused_where_they_repel_without_bound():
    live = nl.Live(nx.path_graph(4), "linlog")
    live.pin(0, (0.0, 0.0))
    with pytest.raises(InputError, match="node 0 is held at this position"):
        live.pin(1, (0.0, 0.0))
    live.pin(1, (0.0, 0.1))
    live.move(2, live.positions[3])  # a free node gives way
    rested(live)
    assert np.isfinite(live.value)


def test_a_node_beyond_the_range_of_the_kernel_comes_back():
    """A Gaussian is 0 to floats far away: J is infinite while the node is held there, and falls after its release."""
    live = nl.Live(nx.karate_club_graph(), "sne", weight=None)
    size = radius(live.array)
    live.move(0, (50 * size, 0.0))
    live.step(iterations=3)
    assert np.isinf(live.value)
    live.release(0)
    values = rested(live)
    assert np.isfinite(values[-1])
    assert radius(live.array) < 2 * size


@pytest.mark.parametrize("dim", [1, 3])
def test_other_dimensions(dim):
    live = nl.Live(nx.karate_club_graph(), "ws-sne", dim=dim)
    live.add("new", [0, 33])
    live.move(0, np.full(dim, 0.5))
    rested(live)
    assert live.array.shape == (35, dim)
    assert np.array_equal(live.positions[0], np.full(dim, 0.5))


@pytest.mark.parametrize("nodes", [0, 1, 2, 3])
def test_a_graph_grows_from_nothing(nodes):
    live = nl.Live(nx.empty_graph(nodes), "ws-sne")
    for k in range(nodes, 12):
        live.add(k, [k - 1] if k else [])
        live.step(iterations=2)
    rested(live)
    Y = live.array
    assert np.isfinite(Y).all()
    steps = np.linalg.norm(np.diff(Y[max(nodes - 1, 0) :], axis=0), axis=1)
    assert steps.max() < 4 * np.median(steps)
    for k in range(12):
        live.remove(k)
    assert live.step(16) == {}
    assert live.at_rest


def test_masses_by_numbers_follow_their_nodes():
    G = nx.path_graph(6)
    mass = {v: 1.0 + v for v in G}
    live = nl.Live(G, "ws-sne", mass=mass)
    live.remove(2)
    live.add("new", [1, 3], mass=9.0)
    H = nx.path_graph(6)
    H.remove_node(2)
    H.add_edges_from([("new", 1), ("new", 3)])
    Y = dict(zip(live.nodes, live.unit * live.array, strict=True))
    mass = {v: {**mass, "new": 9.0}[v] for v in H}
    assert nl.evaluate(H, Y, "ws-sne", mass=mass).value == pytest.approx(live.value, rel=1e-12)


@pytest.mark.parametrize("own", [{"smoothing": 0.5}, {"weight_kind": "distance"}, {"affinity": None}])
def test_keywords_of_the_graph_hold_for_its_edits(own):
    """A weight that `set_weight` gives counts as a similarity, also beside lengths and random walks."""
    own = {name: value for name, value in own.items() if value is not None}
    G = nx.les_miserables_graph()
    live = nl.Live(G, "gamma-quadlog", **own)
    mean = float(np.mean([w for _, _, w in G.edges(data="weight")]))
    live.set_weight("Napoleon", "Javert", 0.5)
    live.remove("Gavroche")
    H = G.copy()
    kind = {"distance": mean / 0.5}.get(own.get("weight_kind", ""), 0.5)
    H.add_edge("Napoleon", "Javert", weight=kind)
    if "weight_kind" in own:  # lengths are relative to their mean, which the new one would change
        for u, v, w in H.edges(data="weight"):
            H[u][v]["weight"] = mean / w
    H.remove_node("Gavroche")
    Y = dict(zip(live.nodes, live.unit * live.array, strict=True))
    rest = {name: value for name, value in own.items() if name != "weight_kind"}
    assert nl.evaluate(H, Y, "gamma-quadlog", **rest).value == pytest.approx(live.value, rel=1e-9)


def test_names_of_igraph_are_nodes():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph.Famous("Zachary")
    G.vs["name"] = [f"member {k}" for k in range(34)]
    live = nl.Live(G, "ws-sne")
    live.move("member 3", (0.25, 0.5))
    live.add("guest", ["member 3"])
    assert live.step(iterations=2).coords[3] == [0.25, 0.5]
    assert live.nodes[-1] == "guest"
    assert G.vcount() == 34


def test_a_library_with_positions_of_one_graph_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "graph_tool", fake_graph_tool)
    G = fake_graph_tool.Graph(directed=False)
    G.add_edge_list([(0, 1), (1, 2)])
    with pytest.raises(Unsupported, match="give a graph of networkx or igraph, or a matrix"):
        nl.Live(G, "ws-sne")


def test_errors_of_numpy_are_not_the_users():
    with np.errstate(all="raise"):
        live = nl.Live(nx.karate_club_graph(), "sne", weight=None)
        live.move(0, (3.0, 3.0))
        live.step(16)
        assert np.isfinite(live.value)
