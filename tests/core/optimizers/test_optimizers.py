"""Every optimizer on every method, and the promises of majorization-minimization."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial import Delaunay
from tables import EVERY_METHOD, RECIPES, thinned

import nelayout as nl
from nelayout.core.objective import Objective
from nelayout.core.optimizers import OPTIMIZERS, Majorize, optimizer_named
from nelayout.core.optimizers.limited_memory import Memory
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.optimizers.size import size_search
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact
from nelayout.errors import InputError, Unsupported
from nelayout.graphs import read
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.conjugate_gradients import conjugate_gradients, laplacian_gradients
from nelayout.numerics.parallel import Threads, threads_for

STEPS = 25


def objective_of(P: csr_array, method: str, compiled: bool = False, free: np.ndarray | None = None) -> Objective:
    parts = EVERY_METHOD[method]
    affinity, _ = input_affinity(P, node_mass(P, parts.mass)[0], parts, 0.0, Threads())
    return Objective.of(parts, affinity, Exact(compiled), Threads(), compiled, free=free)


def points() -> csr_array:
    """10 nearest neighbors of 300 random points."""
    return nl.knn_graph(np.random.default_rng(0).normal(size=(300, 5)), 10, seed=0)


def mesh() -> nx.Graph:
    """A Delaunay triangulation of 1,000 random points."""
    G = nx.Graph()
    for a, b, c in Delaunay(np.random.default_rng(0).random((1000, 2))).simplices.tolist():
        nx.add_cycle(G, (a, b, c))
    return G


def airports() -> nx.Graph:
    """The largest component of the flights in the United States: 745 airports, hubs of up to 166 neighbors."""
    G = nx.read_graphml(Path(__file__).parents[3] / "examples" / "data" / "usairports2010.graphml")
    return G.subgraph(max(nx.connected_components(G), key=len))


GRAPHS = {
    "les miserables": nx.les_miserables_graph,
    "karate": nx.karate_club_graph,
    "points": points,
    "airports": airports,
    "mesh": mesh,
}


@functools.cache
def graph(name: str) -> tuple[csr_array, np.ndarray]:
    """A graph's weights and the global shape from which methods start."""
    P = read(GRAPHS[name](), weight=None).adjacency
    return P, nl.gamma_quadlog_layout(P, seed=0)


def sized(objective: Objective, Y: np.ndarray) -> np.ndarray:
    return Y * size_search(objective, Y)


def stepped(optimizer, objective: Objective, Y: np.ndarray, steps: int) -> tuple[np.ndarray, Any, list[float]]:
    """The drawing and the state after so many trials, or fewer if it is stuck, and J after each step taken."""
    state = optimizer.init(objective, Y)
    values = [state.evaluation.value]
    for _ in range(steps):
        Y, state = optimizer.step(objective, Y, state)
        assert np.isfinite(Y).all()
        if state.taken:
            values.append(state.evaluation.value)
        if state.stuck:
            break
    return Y, state, values


# --- majorization -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method"),
    thinned(
        ["les miserables", "points", "airports", "mesh"],
        EVERY_METHOD,
        plain=lambda name, method: name == "les miserables" and method in RECIPES,
    ),
)
def test_majorization_never_rises_and_needs_about_two_trials(name, method):
    P, Y = graph(name)
    objective = objective_of(P, method, compiled=P.shape[0] > 500)
    Y, state, values = stepped(Majorize(), objective, sized(objective, Y), int(2.6 * STEPS))
    assert (np.diff(values) <= 0).all()
    assert values[-1] == objective.evaluate(Y, gradient=False).value  # what is reported is what is there
    assert state.stuck or len(values) > STEPS  # the last step of a finished drawing tries everything


@pytest.mark.parametrize("method", [m for m in EVERY_METHOD if EVERY_METHOD[m].divergence.name == "i-divergence"])
def test_majorization_step_is_the_papers_update(method):
    """(2 L_{W+W^T} + rho I) Y_new = rho Y - Psi, by a dense solve; with masses, rho diag(m)."""
    P, Y = graph("karate")
    objective = objective_of(P, method)
    Y = sized(objective, Y)
    n, mass = len(Y), objective.affinity.mass / objective.affinity.mass.mean()
    exact = Majorize(tolerance=1e-13, inner=2000)
    state = exact.init(objective, Y)._replace(rho=1e4)  # large enough for the first trial
    Y_new, after = exact.step(objective, Y, state)
    assert after.taken
    assert state.evaluation.weights is not None
    near = objective.affinity.P
    W = csr_array((state.evaluation.weights, near.indices, near.indptr), shape=(n, n)).toarray()
    assert (W >= 0).all()
    L = np.diag((W + W.T).sum(axis=1)) - (W + W.T)
    psi = state.evaluation.gradient - 2 * L @ Y  # the gradient of what is not attraction
    expected = np.linalg.solve(2 * L + 1e4 * np.diag(mass), 1e4 * mass[:, None] * Y - psi)
    assert np.abs(Y_new - expected).max() < 1e-9 * np.abs(Y).max()


@pytest.mark.parametrize("method", thinned(EVERY_METHOD, plain=lambda method: method in RECIPES))
def test_majorization_stops_at_a_minimum(method):
    """Started from its own end it does not move on by more than its tolerance."""
    P, Y = graph("karate")
    objective = objective_of(P, method)
    Y = stepped(Majorize(), objective, sized(objective, Y), 150)[0]
    values = stepped(Majorize(), objective, Y, 5)[2]
    assert 0 <= values[0] - values[-1] < 2e-3 * (1 + abs(values[0]))


@pytest.mark.parametrize(
    ("method", "optimizer"),
    thinned(EVERY_METHOD, ["auto", *OPTIMIZERS], plain=lambda method, optimizer: method in RECIPES),
)
def test_a_single_edge_is_drawn(method, optimizer):
    """Also where two nodes leave nothing to decide, or nothing attracts them; a warning would fail the test."""
    try:
        solution = nl.solve(nx.path_graph(2), EVERY_METHOD[method], optimizer=optimizer, seed=0)
    except Unsupported:
        assert optimizer == "spectral-direction"
        return
    assert np.abs(solution.positions[0] - solution.positions[1]).max() == pytest.approx(2.0)


# --- every optimizer, every method ------------------------------------------------------------------------------


@functools.cache
def gain_of_the_yardstick(method: str) -> float:
    """How far L-BFGS takes a random drawing of the karate club down in 60 steps."""
    objective = objective_of(graph("karate")[0], method)
    Y = sized(objective, np.random.default_rng(3).standard_normal((34, 2)))
    values = stepped(nl.optimizers.LBFGS(), objective, Y, 60)[2]
    return values[0] - values[-1]


@pytest.mark.parametrize(
    ("name", "method"), thinned(OPTIMIZERS, EVERY_METHOD, plain=lambda name, method: method in RECIPES)
)
def test_every_optimizer_lowers_every_method(name, method):
    P, _ = graph("karate")
    objective = objective_of(P, method)
    optimizer = optimizer_named(name)
    if (name, objective.kernel.singular) == ("spectral-direction", True):
        with pytest.raises(Unsupported, match="use optimizer='majorize'"):
            optimizer.check(objective.kernel, objective.divergence)
        return
    optimizer.check(objective.kernel, objective.divergence)
    Y = sized(objective, np.random.default_rng(3).standard_normal((34, 2)))
    Y, state, values = stepped(optimizer, objective, Y, 60)
    assert np.isfinite(values).all()
    assert state.evaluation.value == objective.evaluate(Y).value < values[0]
    # at least half of what the yardstick gains from the same start
    assert values[0] - state.evaluation.value > 0.5 * gain_of_the_yardstick(method)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("method", thinned(EVERY_METHOD, plain=lambda method: method in RECIPES))
def test_masked_rows_stay(name, method):
    P, Y = graph("karate")
    free = np.repeat((np.arange(34) % 3 > 0)[:, None], 2, axis=1)
    free[:3, 0] = False  # layers
    objective = objective_of(P, method, free=free)
    optimizer = optimizer_named(name)
    try:
        optimizer.check(objective.kernel, objective.divergence)
    except Unsupported:
        return
    Y = sized(objective, Y + np.random.default_rng(0).standard_normal(Y.shape) * 0.1)
    after, _, values = stepped(optimizer, objective, Y, 150 if name == "momentum" else 9)  # it may rise before it falls
    assert np.array_equal(after[~free], Y[~free])
    assert not np.array_equal(after[free], Y[free])
    assert values[-1] < values[0]


def test_a_node_that_would_fly_out_of_sight_does_not_hold_up_the_others():
    """Sums of a Gaussian underflow 26 units away from all others; the step is taken without the node that would go."""
    P, Y = graph("karate")
    objective, optimizer = objective_of(P, "sne"), optimizer_named("lbfgs")
    Y = sized(objective, Y)
    state = optimizer.init(objective, Y)
    inverse = state.inverse.copy()
    inverse[11] *= 1e6
    away = Y.copy()
    away[11] += 1e3
    assert objective.evaluate(away).lost.tolist() == [11]
    moved, after = Y, state._replace(inverse=inverse)
    for _ in range(2):
        assert np.array_equal(moved, Y)
        moved, after = optimizer.step(objective, moved, after)
    usual, _ = optimizer.step(objective, Y, state)
    others = np.arange(len(Y)) != 11
    assert after.evaluation.value < state.evaluation.value
    assert np.array_equal(moved[11], Y[11])
    np.testing.assert_allclose(moved[others], usual[others], rtol=1e-12)


@pytest.mark.parametrize("n", [1, 7, 40_001])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_arithmetic(d, n):
    """Sums and updates over one chunk or many, of drawings far from the origin, against their definitions."""
    rng = np.random.default_rng(d)
    Y, before, force = rng.normal(size=(n, d)) + 5.0, rng.normal(size=(n, d)), rng.normal(size=(n, d))
    weights, stored = rng.random(n), rng.normal(size=(3, n, d))
    (one, two), factors = rng.random(2) + 1.0, rng.normal(size=3)

    def radius(X):
        return np.sqrt(((X - X.mean(axis=0)) ** 2).sum() / len(X))

    change = Y / one - before / two
    close = {"rtol": 1e-10, "atol": 1e-9}
    for sums in (Arithmetic(Threads(), False), Arithmetic(Threads(2), True)):
        np.testing.assert_allclose(sums.product(Y, force), (Y * force).sum(), **close)
        np.testing.assert_allclose(sums.products(stored, force), (stored * force).sum(axis=(1, 2)), **close)
        np.testing.assert_allclose(sums.radius(Y), radius(Y), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(sums.moved(Y, one, before, two), radius(change), rtol=1e-9, atol=1e-7)
        out = Y.copy()
        sums.add(out, stored, factors)
        np.testing.assert_allclose(out, Y + np.einsum("k,kij->ij", factors, stored), rtol=1e-12, atol=1e-14)
        out = Y.copy()
        sums.combine(out, 4.0, force, -2.0 * weights)
        np.testing.assert_allclose(out, 4.0 * Y - 2.0 * weights[:, None] * force, rtol=1e-12, atol=1e-14)


def bfgs(pairs, newest, inverse: np.ndarray) -> np.ndarray:
    """H' = (1 - s y^T / sy) H (1 - y s^T / sy) + s s^T / sy for each pair (s, y), from the scaled diagonal."""
    move, change = newest
    d, product = move.shape[1], float(np.sum(move * change))
    H = np.diag(np.repeat(inverse, d)) * (product / np.sum(inverse[:, None] * change**2))
    for move, change in pairs:
        product = float(np.sum(move * change))
        turn = np.eye(move.size) - np.outer(move, change) / product
        H = turn @ H @ turn.T + np.outer(move, move) / product
    return H


@pytest.mark.parametrize("form", ["numpy", "compiled", "compiled in chunks", "single"])
@pytest.mark.parametrize("kept", [1, 2, 7])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_directions_are_those_of_the_bfgs_matrix(d, kept, form, monkeypatch):
    """After twenty pairs; pairs without positive curvature are left out.

    Pairs in single precision serve gradients that it does not hold, and leave an error of 1e-4.
    """
    if form == "compiled in chunks":
        monkeypatch.setattr("nelayout.numerics.arithmetic.CHUNK", 4)
    rng, n, single = np.random.default_rng(kept), 12, form == "single"
    sums = Arithmetic(Threads(), form != "numpy")
    inverse, gradient = rng.uniform(0.5, 2.0, n), rng.standard_normal((n, d))
    unit = 1e-60 if single else 1.0
    inverse, gradient = inverse / unit, unit * gradient
    memory, known = Memory.empty(gradient, kept, unit if single else None), []
    for _ in range(20):
        move, change = rng.standard_normal((2, n, d))
        change *= unit
        memory = memory.with_pair(sums, move, change, inverse)
        if np.sum(move * change) > 0:
            known.append((move, change))
    assert kept < len(known) < 20
    expected = -bfgs(known[-kept:], known[-1], inverse) @ gradient.ravel()
    error = 1e-4 * np.abs(expected).max() if single else 1e-12
    found = memory.direction(sums, gradient, inverse)
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-7, atol=error)


def test_curvature_pairs_are_kept_as_asked():
    with pytest.raises(InputError, match=r"memory must be 1 curvature pair or more.*given 0"):
        nl.optimizers.LBFGS(memory=0)
    P, Y = graph("karate")
    objective = objective_of(P, "ws-sne")
    for memory, kept in ((1, 1), (3, 3), (None, 10)):
        state = stepped(nl.optimizers.LBFGS(memory=memory), objective, sized(objective, Y), 15)[1]
        assert np.count_nonzero(np.diagonal(state.memory.inverted)) == kept


def test_a_limit_changes_each_new_direction_of_lbfgs():
    """Node 0 alone may move: all steps move it, and J falls; also where one compiled loop would take the steps."""

    def alone(objective, Y, now, trial):
        direction = np.zeros_like(trial.direction)
        direction[0] = -now.gradient[0] * 0.1 / np.linalg.norm(now.gradient[0])
        return trial._replace(direction=direction, slope=float(np.sum(direction * now.gradient)))

    P, Y = graph("karate")
    objective = objective_of(P, "ws-sne")
    Y = sized(objective, Y)
    found = minimize(objective, Y, nl.optimizers.LBFGS(limit=alone), 5, StoppingRule())
    assert found.value < objective.evaluate(Y).value
    assert np.flatnonzero((found.Y != Y).any(axis=1)).tolist() == [0]
    assert np.linalg.norm(found.Y[0] - Y[0]) <= 0.5 + 1e-12


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_leave_their_arguments_alone(name):
    """Frozen settings, separate state: a step repeated from the same state gives the same bits."""
    P, Y = graph("karate")
    objective, optimizer = objective_of(P, "ws-sne"), optimizer_named(name)
    Y = sized(objective, Y)
    state, before = optimizer.init(objective, Y), Y.copy()
    first, after = optimizer.step(objective, Y, state)
    second, _ = optimizer.step(objective, Y, state)
    assert np.array_equal(first, second)
    assert np.array_equal(Y, before)
    third, _ = optimizer.step(objective, first, after)
    assert not np.array_equal(third, first)
    with pytest.raises(AttributeError):
        setattr(optimizer, "name", "other")  # noqa: B010  frozen, which type checkers know already


@pytest.mark.full
def test_layouts_take_every_optimizer_by_name_and_as_a_value_and_are_about_as_good():
    G, values = nx.karate_club_graph(), {}
    for name, made in OPTIMIZERS.items():
        spellings = name, made(), name.replace("-", "_").upper()
        assert len({nl.solve(G, "ws-sne", optimizer=x, seed=0, max_iter=30).value for x in spellings}) == 1
        values[name] = nl.solve(G, "ws-sne", optimizer=name, seed=0).value
    assert max(values.values()) - min(values.values()) < 0.15, values


# --- the linear systems -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_laplacian_systems_are_solved(compiled, dim):
    P, _ = graph("les miserables")
    objective = objective_of(P, "quadlog", compiled=compiled)
    n, rng = P.shape[0], np.random.default_rng(0)
    W = csr_array((rng.uniform(0, 1, P.nnz), P.indices, P.indptr), shape=(n, n))
    W = csr_array(W + W.T)
    W.sort_indices()
    ridge, right = rng.uniform(0.5, 2.0, n), rng.standard_normal((n, dim))
    dense = 4.0 * (np.diag(W.toarray().sum(axis=1)) - W.toarray()) + np.diag(ridge)
    found = objective.edges.solve(W.data, 4.0, ridge, right, 1e-12, 1000)
    assert np.abs(found - np.linalg.solve(dense, right)).max() < 1e-9
    free = (np.arange(n)[:, None] + np.arange(dim)) % 4 > 0
    part = objective.edges.solve(W.data, 4.0, ridge, right, 1e-12, 1000, free)
    assert (part[~free] == 0).all()
    for axis, mask in enumerate(free.T):
        expected = np.linalg.solve(dense[np.ix_(mask, mask)], right[mask, axis])
        assert np.abs(part[mask, axis] - expected).max() < 1e-9


def test_every_iterate_is_a_direction_of_descent():
    A, gradient = np.random.default_rng(3).standard_normal((40, 40)), np.random.default_rng(9).standard_normal((40, 2))
    A = A @ A.T + 0.1 * np.eye(40)
    for steps in range(1, 12):
        move = conjugate_gradients(lambda X: A @ X, A.diagonal(), -gradient, tolerance=0.0, max_iter=steps)
        assert ((move * gradient).sum(axis=0) < 0).all()


@pytest.mark.parametrize("held", ["nothing", "rows", "coordinates"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_compiled_conjugate_gradients(dim, held, monkeypatch):
    """In one chunk and in several: both against a dense solve, and alike when they end early."""
    rng = np.random.default_rng(dim)
    n = 300
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.03), 1)
    W = W + W.T
    right, ridge, P = rng.normal(size=(n, dim)), rng.random(n) + 0.1, csr_array(W)
    free = rng.random((n, dim)) < {"nothing": 1.0, "rows": 0.8, "coordinates": 0.6}[held]
    free = free[:, :1].repeat(dim, axis=1) if held == "rows" else free
    A = 4.0 * (np.diag(W.sum(axis=1)) - W) + np.diag(ridge)
    expected = np.zeros((n, dim))
    for axis, mask in enumerate(free.T):
        expected[mask, axis] = np.linalg.solve(A[np.ix_(mask, mask)], right[mask, axis])

    def found(steps: int, tolerance: float, count: int = 1) -> np.ndarray:
        graph = P.indptr, P.indices, P.data
        with threads_for(count) as threads:
            return laplacian_gradients(
                graph, 4.0, ridge, W.sum(axis=1), right, threads, tolerance=tolerance, max_iter=steps, free=free
            )

    whole, early = found(500, 1e-13), found(4, 0.0)
    assert whole == pytest.approx(expected, abs=1e-10)
    monkeypatch.setattr("nelayout.numerics.conjugate_gradients.CHUNK", 64)
    assert found(500, 1e-13, 2) == pytest.approx(expected, abs=1e-10)
    assert found(4, 0.0, 2) == pytest.approx(early, abs=1e-12)


def test_conjugate_gradients_of_nothing():
    zero = np.zeros((4, 2))
    assert np.array_equal(conjugate_gradients(lambda X: X, np.ones(4), zero), zero)
    start = np.ones((4, 2))
    assert np.array_equal(conjugate_gradients(lambda X: X, np.ones(4), start, start=start), start)
