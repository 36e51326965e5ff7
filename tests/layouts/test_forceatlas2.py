"""ForceAtlas2 as an energy: its gradient against networkx's steps, closed forms of tiny graphs, joint drawings."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import brentq, minimize

import nelayout as nl
from nelayout.core.catalogue import tune
from nelayout.core.formula.potentials.gravity import Gravity
from nelayout.core.objective import Objective
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact
from nelayout.errors import Unsupported
from nelayout.graphs import read
from nelayout.numerics.parallel import Threads

# Arguments by which networkx draws itself, whatever backends there are; 3.4 has none for this layout.
ITSELF = {"backend": "networkx"} if hasattr(getattr(nx, "forceatlas2_layout", None), "orig_func") else {}
KARATE = nx.karate_club_graph()
PIECES = nx.disjoint_union_all([nx.path_graph(6), nx.complete_graph(5), nx.star_graph(4), nx.empty_graph(2)])
MODES: dict[str, dict[str, Any]] = {
    "springs": {}, "linlog": {"linlog": True}, "strong gravity": {"strong_gravity": True, "gravity": 0.3},
    "linlog, strong": {"linlog": True, "strong_gravity": True, "scaling_ratio": 5.0}, "no gravity": {"gravity": 0.0},
}
each_mode = pytest.mark.parametrize("own", MODES.values(), ids=MODES)


def objective(G, **own):
    method = tune("forceatlas2", **own)
    P = read(G).adjacency
    mass = node_mass(P, method.mass, relative=False)[0]
    affinity, _ = input_affinity(P, mass, method, 0.0, Threads())
    return Objective.of(method, affinity, Exact(), Threads(), False)


def energy(G, pos, scaling_ratio=2.0, gravity=1.0, strong_gravity=False, linlog=False, weight="weight", mass=None):
    """Edge by edge, pair by pair, node by node."""
    nodes, m = list(G), mass or {v: len(set(G[v]) - {v}) + 1 for v in G}
    total = 0.0
    for u, v, w in G.edges(data=weight, default=1):
        d = np.linalg.norm(pos[u] - pos[v])
        total += w * ((1 + d) * np.log(1 + d) - d if linlog else d**2 / 2)
    for k, u in enumerate(nodes):
        for v in nodes[:k]:
            total -= scaling_ratio * m[u] * m[v] * np.log(np.linalg.norm(pos[u] - pos[v]))
    middle = np.mean([pos[v] for v in nodes], axis=0)
    for v in nodes:
        r = np.linalg.norm(pos[v] - middle)
        total += gravity * m[v] * (r**2 / 2 if strong_gravity else r)
    return total


@each_mode
@pytest.mark.parametrize("G", [KARATE, PIECES], ids=["karate", "pieces"])
def test_the_gradient_is_networkx_s_own_force(G, own):
    """networkx moves each node along its force by a length of the node's own; a shift of the whole is no gradient."""
    layout = getattr(nx, "forceatlas2_layout", None)
    if layout is None:
        pytest.skip("this networkx has no forceatlas2_layout")
    Y = 5.0 * np.random.default_rng(1).standard_normal((len(G), 2))
    if nx.__version__.startswith("3.4"):  # its gravity is about the origin
        Y -= Y.mean(axis=0)
    start = dict(zip(G, Y, strict=True))
    with np.errstate(all="ignore"):
        moved = layout(G, pos=start, max_iter=1, weight="weight", **ITSELF, **own)
    step = np.array([moved[v] for v in G]) - Y
    J = objective(G, **own)
    force = -J.evaluate(Y).gradient
    away, m, g = Y - Y.mean(axis=0), J.affinity.mass, own.get("gravity", 1.0)
    pull = g * m[:, None] * (away if own.get("strong_gravity") else away / np.linalg.norm(away, axis=1)[:, None])
    force = force - pull.mean(axis=0)  # what networkx does not take off
    lengths = np.linalg.norm(force, axis=1), np.linalg.norm(step, axis=1)
    assert (lengths[1] > 0).all()
    np.testing.assert_allclose(step / lengths[1][:, None], force / lengths[0][:, None], atol=1e-7)


@each_mode
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_gradient_is_the_slope_of_the_value(own, dim):
    J, (Y, step) = objective(PIECES, **own), np.random.default_rng(2).standard_normal((2, len(PIECES), dim))
    slope = (J.evaluate(3 * Y + 1e-5 * step).value - J.evaluate(3 * Y - 1e-5 * step).value) / 2e-5
    assert slope == pytest.approx(float(np.sum(step * J.evaluate(3 * Y).gradient)), rel=1e-5)


def test_gravity_leaves_a_node_in_the_middle_alone():
    Y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]])
    pull = Gravity(2.0).at(Y, np.array([1.0, 1.0, 9.0]))
    np.testing.assert_allclose(pull.gradient, [[2.0, 0.0], [-2.0, 0.0], [0.0, 0.0]], atol=1e-15)
    assert pull.cost.tolist() == [2.0, 2.0, 0.0]
    assert np.isfinite(Gravity(2.0).at(np.zeros((3, 2)), np.ones(3)).gradient).all()


@each_mode
@pytest.mark.parametrize("G", [KARATE, PIECES], ids=["karate", "pieces"])
def test_the_value_is_the_energy_counted_by_hand(G, own):
    if G is PIECES and own.get("gravity") == 0:
        with pytest.raises(Unsupported, match="components would part without end"):
            nl.solve(G, "forceatlas2", components="joint", **own)
        return
    solution = nl.solve(G, "forceatlas2", components="joint", scale=None, seed=0, max_iter=30, **own)
    by_hand = energy(G, solution.positions, **own)
    assert solution.value == pytest.approx(by_hand, rel=1e-9)
    assert solution.node_cost.sum() == pytest.approx(by_hand, rel=1e-9)
    found = nl.evaluate(G, solution, "forceatlas2", components="joint", **own)
    assert found.value == pytest.approx(by_hand, rel=1e-9)


def length(w, m, s, g, linlog, strong):
    """The distance of two nodes where the forces on one of them are 0."""
    pull = np.log1p if linlog else lambda d: d
    return brentq(lambda d: w * pull(d) - s * m * m / d + g * m * (d / 2 if strong else 1.0), 1e-3, 1e3)


@pytest.mark.parametrize("linlog", [False, True])
@pytest.mark.parametrize("strong", [False, True])
def test_two_nodes_lie_where_the_forces_balance(linlog, strong):
    G = nx.Graph()
    G.add_edge("a", "b", weight=3.0)
    keywords = {"linlog": linlog, "strong_gravity": strong, "gravity": 0.7, "scaling_ratio": 4.0}
    for mass, given in ((2.0, None), (5.0, {"a": 5, "b": 5})):  # taken as it is given
        pos = nl.forceatlas2_layout(G, scale=None, seed=0, mass=given, **keywords)
        expected = length(3.0, mass, 4.0, 0.7, linlog, strong)
        assert np.linalg.norm(pos["a"] - pos["b"]) == pytest.approx(expected, rel=1e-3)


def test_nodes_without_edges_are_held_by_gravity():
    """Strong gravity against a logarithm: all squared distances to the middle add up to s (n - 1) n / (2 g)."""
    n = 7
    pos = nl.forceatlas2_layout(
        nx.empty_graph(n), components="joint", strong_gravity=True, scale=None, node_size=None, seed=0
    )
    Y = np.array(list(pos.values()))
    assert float(np.sum((Y - Y.mean(axis=0)) ** 2)) == pytest.approx(2.0 * (n - 1) * n / 2, rel=1e-3)


def test_a_general_minimizer_finds_nothing_lower_nearby():
    solution = nl.solve(PIECES, "forceatlas2", components="joint", scale=None, seed=0)
    J, Y = objective(PIECES), np.array(list(solution.positions.values()))

    def at(y):
        found = J.evaluate(y.reshape(Y.shape))
        return found.value, found.gradient.ravel()

    assert solution.value - minimize(at, Y.ravel(), jac=True).fun < 1e-4 * abs(solution.value)


def test_components_are_packed_unless_they_are_drawn_as_one():
    packed = nl.solve(PIECES, "forceatlas2", scale=None, seed=0)
    parts = [PIECES.subgraph(part) for part in nx.connected_components(PIECES) if len(part) > 1]
    alone = [nl.solve(nx.Graph(part), "forceatlas2", seed=0).value for part in parts]
    assert packed.value == pytest.approx(sum(alone), rel=1e-3)
    with pytest.raises(nl.Unsupported, match="only repel"):
        nl.forceatlas2_layout(PIECES, components="joint", gravity=0.0)


def test_another_method_takes_gravity():
    """It draws nodes nearer together, and is refused where no one objective spans the graph."""
    method = nl.method("quadlog", gravity=20)
    assert "gravity=20" in repr(method)
    with_it, without = (nl.solve(KARATE, m, scale=None, seed=0).positions for m in (method, "quadlog"))
    assert np.std(list(with_it.values())) < 0.9 * np.std(list(without.values()))
    with pytest.raises(nl.Unsupported, match="by rows"):
        nl.method("nerv", gravity=0.5)
