"""Random-walk smoothing against the dense p = (1 - rho) (I - rho D^-1/2 A D^-1/2)^-1, inverted by numpy."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from oracles import dense_walk, off_diagonal
from scipy.sparse import csr_array
from tables import first

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.formula.connections import Fixed, Normalized, Optimal
from nelayout.core.formula.divergences import alpha, beta
from nelayout.core.formula.kernels import KERNELS, Kernel, inverse_power
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import Majorize
from nelayout.core.similarities.random_walk import ACCURACY, KEPT, TOLERANCE, WHOLE, RandomWalk, truncated_walk
from nelayout.core.sums.edges.walk import WalkEdges, can_smooth_exactly
from nelayout.core.sums.nbody import Exact
from nelayout.numerics.conjugate_gradients import conjugate_gradients
from nelayout.numerics.parallel import threads_for

RHOS = [0.3, 0.9, 0.99]
GRAPHS = {
    "pair": nx.path_graph(2),
    "path": nx.path_graph(30),
    "star": nx.star_graph(20),  # a hub
    "grid": nx.grid_2d_graph(7, 6),
    "hubs": nx.barabasi_albert_graph(60, 2, seed=3),
}
QUADRATIC: dict[str, Any] = {
    "gamma-quadlog": (KERNELS["inverse-square"], beta(0.0), Optimal()),
    "quadlog": (KERNELS["inverse-square"], beta(0.0), Fixed(1.7)),
    "ee": (KERNELS["gaussian"], beta(1.0), Fixed(0.4)),
    "wider": (Kernel(2.0, 1.0, 0.7), beta(-1.0), Fixed(1.3)),
}


def as_csr(A) -> csr_array:
    A = csr_array(A, dtype=np.float64)
    return csr_array((A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)


def weighted(name: str) -> csr_array:
    """The graph with weights that span two orders of magnitude."""
    A = nx.to_numpy_array(GRAPHS[name])
    W = np.exp(np.random.default_rng(len(A)).uniform(-2.3, 2.3, A.shape))
    return as_csr(A * (np.triu(W, 1) + np.triu(W, 1).T))


def slopes(J: Objective, Y: np.ndarray) -> Any:
    return J.evaluate(Y).gradient


def attractions(J: Objective, Y: np.ndarray) -> Any:
    return J.evaluate(Y, weights=True).weights


def relative(found: np.ndarray, true: np.ndarray) -> float:
    """Error in the Euclidean norm, which is the one that the operator promises."""
    return float(np.linalg.norm(found - true) / np.linalg.norm(true))


def pair_of_objectives(name: str, rho: float, parts: Any) -> tuple[Objective, Objective, np.ndarray, np.ndarray]:
    """The objective on the operator and on the dense p as a sparse matrix; p; a drawing."""
    A, rng = weighted(name), np.random.default_rng(7)
    p, mass = dense_walk(A, rho), rng.uniform(0.5, 2.0, A.shape[0])
    smooth = Objective(Affinity(A, mass, walk=RandomWalk(A, rho)), *parts, Exact())
    dense = Objective(Affinity(as_csr(off_diagonal(p)), mass), *parts, Exact())
    return smooth, dense, p, rng.normal(size=(A.shape[0], 2))


@pytest.mark.parametrize("rho", [0.001, *RHOS, 0.999])
@pytest.mark.parametrize("name", GRAPHS)
def test_operator_is_the_dense_matrix(name, rho):
    A = weighted(name)
    walk, p = RandomWalk(A, rho), dense_walk(A, rho)
    X, sums = np.random.default_rng(1).normal(size=(len(p), 3)) + 5.0, p.sum(axis=1)
    np.testing.assert_allclose(walk.row_sums, sums, rtol=1e-12)
    np.testing.assert_allclose(walk.to_others, off_diagonal(p).sum(axis=1), atol=1e-9)
    assert relative(walk.times(X), p @ X) < ACCURACY
    assert relative(walk.laplacian(X), (np.diag(sums) - p) @ X) < ACCURACY
    assert (off_diagonal(p).sum(axis=1) - 1e-12 <= walk.attraction).all()
    assert (walk.attraction <= sums).all()


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("held", [False, True], ids=["free", "some fixed"])
def test_system_is_solved(name, rho, held):
    A = weighted(name)
    p, n = dense_walk(A, rho), len(A.indptr) - 1
    rng = np.random.default_rng(2)
    right = rng.normal(size=(n, 2))
    free = rng.random((n, 2)) < 0.6 if held else None
    L = np.diag(p.sum(axis=1)) - p
    H = 3.0 * L + 1e-2 * np.eye(n)
    true = np.zeros((n, 2))
    for axis in range(2):
        moving = np.arange(n) if free is None else np.flatnonzero(free[:, axis])
        true[moving, axis] = np.linalg.solve(H[np.ix_(moving, moving)], right[moving, axis])
    X, LX = RandomWalk(A, rho).solve(3.0, 1e-2, right, 1e-12, 3000, free)
    np.testing.assert_allclose(X, true, atol=1e-8 * np.abs(true).max())
    np.testing.assert_allclose(LX, L @ true, atol=1e-8 * np.abs(true).max())
    if free is not None:
        assert (X[~free] == 0.0).all()


@pytest.mark.parametrize("rho", RHOS)
def test_a_system_ended_early_still_points_downhill(rho):
    A = weighted("hubs")
    right = np.random.default_rng(3).normal(size=(60, 2)) * np.array([1.0, 1e-6])
    for steps in range(4):
        X, LX = RandomWalk(A, rho).solve(1.0, 1e-6, right, 1e-12, steps)
        assert (np.sum(X * right, axis=0) > 0).all()
        L = np.diag(dense_walk(A, rho).sum(axis=1)) - dense_walk(A, rho)
        np.testing.assert_allclose(LX, L @ X, atol=1e-7 * np.abs(X).max())


@pytest.mark.parametrize("held", [False, True])
def test_conjugate_gradients_from_a_start(held):
    rng = np.random.default_rng(4)
    Q = np.linalg.qr(rng.normal(size=(25, 25)))[0]
    A = Q @ np.diag(np.linspace(1, 4, 25)) @ Q.T
    free = rng.random((25, 2)) < (0.6 if held else 1.0)
    right, true = rng.normal(size=(25, 2)), np.zeros((25, 2))
    for axis, mask in enumerate(free.T):
        true[mask, axis] = np.linalg.solve(A[np.ix_(mask, mask)], right[mask, axis])
    products = []

    def solve(start: np.ndarray) -> np.ndarray:
        return conjugate_gradients(
            lambda X: products.append(0) or A @ X, np.ones(25), right, tolerance=1e-10, max_iter=99,
            free=free if held else None, start=start,
        )  # fmt: skip

    X = solve(rng.normal(size=(25, 2)) * free)
    np.testing.assert_allclose(X, true, atol=1e-9)
    products.clear()
    assert solve(X) is X
    assert len(products) == 1


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("parts", QUADRATIC.values(), ids=QUADRATIC)
def test_objective_is_that_of_the_dense_matrix(parts, name, rho):
    """p's diagonal does not count in value, gradient, lambda or attraction."""
    smooth, dense, p, Y = pair_of_objectives(name, rho, parts)
    here, there = smooth.evaluate(Y), dense.evaluate(Y)
    pull = attractions(dense, Y)
    size = pull.max() * np.linalg.norm(Y)  # a pair's gradient is 0 wherever it is
    assert np.linalg.norm(slopes(smooth, Y) - slopes(dense, Y)) < 10 * ACCURACY * size
    assert here.lam == pytest.approx(there.lam, rel=ACCURACY)
    off = off_diagonal(p)
    np.testing.assert_allclose(attractions(smooth, Y)[0] * off[off > 0], pull, rtol=1e-7)
    assert here.value - smooth.constants == pytest.approx(there.value - dense.constants, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("parts", QUADRATIC.values(), ids=QUADRATIC)
def test_cost_of_each_node(parts):
    smooth, dense, _, Y = pair_of_objectives("grid", 0.9, parts)
    kernel, divergence, _ = parts
    here, there = (J.edges.node_values(Y, kernel, divergence, 0.8) for J in (smooth, dense))
    np.testing.assert_allclose(here, there, rtol=1e-7)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("graph", [nx.grid_2d_graph(23, 22), nx.barabasi_albert_graph(700, 2, seed=1)])
def test_larger_graphs_estimate_what_leaves_each_node(graph, rho):
    A = as_csr(nx.to_scipy_sparse_array(graph))
    assert A.shape[0] > WHOLE
    off = off_diagonal(dense_walk(A, rho)).sum(axis=1)
    assert RandomWalk(A, rho).to_others.sum() == pytest.approx(off.sum(), rel=2e-3)


def test_which_objectives_take_the_operator():
    for kernel in (*KERNELS.values(), inverse_power(3), Kernel(0.5, 1.0, 1.0)):
        for order in (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0):
            quadratic = order == 1 - kernel.a / kernel.b
            pure = kernel.c == 0
            assert can_smooth_exactly(kernel, beta(order), Fixed(0.3)) == quadratic
            assert can_smooth_exactly(kernel, beta(order), Optimal()) == (quadratic and pure)
            assert not can_smooth_exactly(kernel, beta(order), Normalized())
            assert not can_smooth_exactly(kernel, alpha(1.0), Fixed(0.3))


def test_a_stage_that_cannot_take_the_operator_takes_the_graph():
    """Recipes may pass through other kernels: a shape of higher power, a lighter tail."""
    A, mass = weighted("grid"), np.ones(42)
    Y = np.random.default_rng(11).normal(size=(42, 2))
    walk, parts = RandomWalk(A, 0.9), (inverse_power(6), beta(0.0), Optimal())
    plain, stage = (slopes(Objective(Affinity(A, mass, walk=each), *parts, Exact()), Y) for each in (None, walk))
    np.testing.assert_array_equal(stage, plain)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("name", first(["hubs", "path", "star", "grid"], 1))
def test_majorization_never_rises_and_ends_where_the_dense_one_ends(name, rho):
    """The values are those of the dense p, so what is solved to a tolerance does not hide a rise."""
    smooth, dense, _, Y = pair_of_objectives(name, rho, QUADRATIC["gamma-quadlog"])
    step = Majorize()
    state, reference = step.init(smooth, Y), step.init(dense, Y)
    Z, before = Y, dense.evaluate(Y).value
    for _ in range(80):
        Y, state = step.step(smooth, Y, state)
        value = dense.evaluate(Y, gradient=False).value
        assert value <= before + 1e-9
        before = value
        Z, reference = step.step(dense, Z, reference)
        if state.stuck:
            break
    assert before == pytest.approx(dense.evaluate(Z).value, abs=0.02)
    assert np.abs(slopes(dense, Y)).max() < 5e-3


def test_a_drawing_after_a_move_needs_no_system_of_its_own(monkeypatch):
    """(diag(p1) - p) (Y + X) is known once both parts are: the guess meets the tolerance as it stands."""
    smooth, _, _, Y = pair_of_objectives("hubs", 0.99, QUADRATIC["gamma-quadlog"])
    edges = smooth.edges
    assert isinstance(edges, WalkEdges)
    move = edges.solve(attractions(smooth, Y), 4.0, 1e-3, -slopes(smooth, Y), 0.05, 40)
    products = []
    K = edges.walk._K
    monkeypatch.setattr(edges.walk, "_K", lambda X: products.append(0) or K(X))
    smooth.evaluate(Y + move)
    assert len(products) == 1  # the check alone


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("name", GRAPHS)
def test_small_graphs_keep_the_whole_matrix(name, rho):
    A = weighted(name)
    P, part = truncated_walk(A, rho)
    p = off_diagonal(dense_walk(A, rho))
    assert part == 1.0
    assert (P.toarray() == P.toarray().T).all()
    np.testing.assert_allclose(P.toarray(), p, atol=ACCURACY)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("kind", ["mesh", "hubs"])
def test_larger_graphs_keep_the_largest_entries(kind, rho):
    G = nx.grid_2d_graph(25, 24) if kind == "mesh" else nx.barabasi_albert_graph(600, 2, seed=1)
    A, n = as_csr(nx.to_scipy_sparse_array(G)), len(G)
    assert n > WHOLE
    P, part = truncated_walk(A, rho)
    p, d = off_diagonal(dense_walk(A, rho)), A.sum(axis=1)
    kept = max(KEPT, WHOLE**2 // n)
    found, there = P.toarray(), P.toarray() > 0
    assert (found == found.T).all()
    assert not found.diagonal().any()
    error = TOLERANCE / (kept * d.mean()) * np.sqrt(np.outer(d, d))
    assert (np.abs(found - p)[there] <= error[there]).all()
    assert there.sum() <= 2 * kept * n
    # what is left out is smaller than what is kept, as far as the error allows: row i keeps its own largest
    least = np.sort(p, axis=1)[:, -kept]
    left_out = ~there & ~np.eye(n, dtype=bool)
    assert (p <= least[:, None] + 2 * error)[left_out].all()
    assert part == pytest.approx(found.sum() / p.sum(), rel=0.05)


@pytest.mark.full
def test_threads_change_no_bit():
    A = as_csr(nx.to_scipy_sparse_array(nx.grid_2d_graph(30, 30)))
    with threads_for(1) as one, threads_for(3) as three:
        first, second = truncated_walk(A, 0.9, one)[0], truncated_walk(A, 0.9, three)[0]
    np.testing.assert_array_equal(first.data, second.data)
    np.testing.assert_array_equal(first.indices, second.indices)


@pytest.mark.parametrize("method", first((name for name, m in METHODS.items() if m.perplexity is None), 6))
def test_every_method_of_weights_can_be_smoothed(method):
    G = nx.les_miserables_graph()
    run = {"pos": np.random.default_rng(1).normal(size=(len(G), 2)), "max_iter": 20}
    plain, smooth = (nl.solve(G, method, smoothing=rho, **run) for rho in (0.0, 0.9))
    Y = np.array(list(smooth.positions.values()))
    assert np.isfinite(Y).all()
    assert np.isfinite(smooth.value)
    assert smooth.value != plain.value
    assert smooth.notes == plain.notes  # 77 nodes: nothing is left out
    none = nl.solve(G, method, **run)
    assert all((plain.positions[v] == none.positions[v]).all() for v in G)


@pytest.mark.parametrize("method", ["gamma-quadlog", "ws-sne"])
def test_value_is_that_of_the_dense_matrix(method):
    """What `solve` reports is J of the last drawing that a callback saw, with p in place of the weights."""
    G, seen = nx.davis_southern_women_graph(), []
    own_units = {"scale": None, "callback": lambda state: seen.append(state.positions)}
    solution = nl.solve(G, method, smoothing=0.8, seed=3, **own_units)
    A = as_csr(nx.to_numpy_array(G))
    p, Y = dense_walk(A, 0.8), seen[-1]
    recipe = METHODS[method]
    P = off_diagonal(p) / (off_diagonal(p).sum() if recipe.affinity == "sum-1" else 1.0)
    mass = np.ones(len(G)) if recipe.mass == "unit" else A.sum(axis=1) / A.sum(axis=1).mean()
    J = Objective(Affinity(as_csr(P), mass), recipe.kernel, recipe.divergence, recipe.connection, Exact())
    assert solution.value == pytest.approx(J.evaluate(Y).value, abs=1e-6)


@pytest.mark.full
@pytest.mark.parametrize(("method", "noted"), [("ws-sne", 1), ("gamma-quadlog", 0)])
def test_a_note_says_what_was_left_out(method, noted):
    notes = nl.solve(nx.grid_2d_graph(25, 24), method, smoothing=0.99, seed=1, max_iter=5).notes
    said = ["smoothing=0.99" in note and "% of the sum" in note for note in notes if "smoothing" in note]
    assert said == [True] * noted
