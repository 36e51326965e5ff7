"""The formula, over the whole table of parts: gradients, sparse against dense, and the theorems that tie methods
together."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from nelayout.connections import Fixed, Normalized, Optimal
from nelayout.divergences import alpha, beta
from nelayout.kernels import KERNELS, Kernel, heavy_tailed, inverse_power
from nelayout.nbody import Exact
from nelayout.objective import Affinity, Objective

KERNEL_TABLE = [*KERNELS.values(), heavy_tailed(2.0), inverse_power(3), Kernel(0.5, 2.0, 0.7)]
DIVERGENCE_TABLE = [
    *(beta(t) for t in (-0.5, 0.0, 0.05, 0.5, 1.0, 1.5, 2.0, 3.0)),
    *(alpha(t) for t in (0.5, 1.0, 1.5, 2.0, 3.0)),
]
CONNECTION_TABLE = [Fixed(0.7), Optimal(), Normalized()]
MASSES = ["unit", "varied"]


def name_of(part) -> str:
    return part.name


def random_case(seed: int, mass: str, n: int = 9, d: int = 2, density: float = 0.4):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    A += np.diag(np.full(n - 1, 0.3), 1)  # connected
    A = A + A.T
    A /= A.sum()
    m = np.ones(n) if mass == "unit" else rng.uniform(0.3, 2.0, n)
    return csr_array(A), m, rng.normal(size=(n, d))


def objective(P, m, kernel, divergence, connection, **options) -> Objective:
    return Objective(Affinity(P, m), kernel, divergence, connection, Exact(), **options)


def dense_value(P: np.ndarray, m, Y, kernel, divergence, connection) -> float:
    """The definition, by brute force over all pairs, with none of the package's sums."""
    n = len(Y)
    off = ~np.eye(n, dtype=bool)
    xi = ((Y[:, None] - Y[None]) ** 2).sum(-1)[off]
    p, M = P[off], np.outer(m, m)[off]
    if kernel.a == 0:
        q = np.exp(-kernel.b * xi)
    else:
        q = (kernel.c + kernel.a * xi) ** (-kernel.b / kernel.a)
    t = divergence.order
    is_beta = divergence.name.startswith(("beta", "i-div", "itakura"))

    def J(lam):
        b = lam * q
        x = p / M
        with np.errstate(divide="ignore", invalid="ignore"):
            if is_beta:
                if t == 1:
                    phi = -x * np.log(b) + b - 1
                elif t == 0:
                    phi = x / b - x + np.log(b)
                else:
                    phi = -x * (b ** (t - 1) - 1) / (t - 1) + (b**t - 1) / t
            elif t == 1:
                phi = np.where(x > 0, x * np.log(x / b) - x, 0) + b
            else:
                phi = (x**t * b ** (1 - t) - t * x) / (t * (t - 1)) + b / t
        return float((M * phi).sum())

    if isinstance(connection, Fixed):
        return J(connection.value)
    if isinstance(connection, Normalized):
        constant = 0.0
        if is_beta and t == 1:  # then J is KL(P || Q) itself
            on = p > 0
            constant = (p[on] * np.log(p[on] / M[on])).sum() - p.sum() + M.sum()
        return J(1 / (M * q).sum()) + float(constant)
    if is_beta:
        E = (p * q ** (t - 1)).sum() / p.sum()
        S = (M * q**t).sum() / M.sum()
        left = np.log(S) / t if t else (M * np.log(q)).sum() / M.sum()
        right = np.log(E) / (t - 1) if t != 1 else (p * np.log(q)).sum() / p.sum()
        return left - right
    on = p > 0
    if t == 1:
        return float((p[on] * np.log(p[on] / (M * q)[on])).sum() / p.sum() + np.log((M * q).sum()))
    E = (p[on] ** t * (M * q)[on] ** (1 - t)).sum() / p.sum()
    return float(np.log(E) / (t - 1) + np.log((M * q).sum()))


PRODUCT = list(itertools.product(KERNEL_TABLE, DIVERGENCE_TABLE, CONNECTION_TABLE, MASSES))


@pytest.mark.parametrize("kernel", KERNEL_TABLE, ids=name_of)
@pytest.mark.parametrize("divergence", DIVERGENCE_TABLE, ids=name_of)
def test_gradient_and_value(kernel, divergence):
    """4th-order central differences of the definition itself agree with the gradient to 1e-6, values to 1e-10."""
    for connection, mass, d in itertools.product(CONNECTION_TABLE, MASSES, (1, 2, 3)):
        P, m, Y = random_case(3, mass, n=7, d=d)
        J = objective(P, m, kernel, divergence, connection)
        dense = P.toarray()
        evaluation = J.evaluate(Y)
        value = dense_value(dense, m, Y, kernel, divergence, connection)
        assert evaluation.value == pytest.approx(value, rel=1e-10, abs=1e-10)
        numeric = np.empty_like(Y)
        for i, c in np.ndindex(*Y.shape):
            # A step in proportion to the nearest neighbor: singular kernels vary quickly near a collision.
            near = np.sort(((Y - Y[i]) ** 2).sum(1))[1] ** 0.5
            h, steps = 3e-3 * min(near, 1.0), []
            for k in (1, -1, 2, -2):
                Z = Y.copy()
                Z[i, c] += k * h
                steps.append(dense_value(dense, m, Z, kernel, divergence, connection))
            numeric[i, c] = (8 * (steps[0] - steps[1]) - (steps[2] - steps[3])) / (12 * h)
        error = np.abs(numeric - evaluation.gradient).max() / np.abs(evaluation.gradient).max()
        assert error < 1e-6, (connection, mass, d, error)
        assert evaluation.connection > 0


@pytest.mark.parametrize("connection", CONNECTION_TABLE, ids=name_of)
@pytest.mark.parametrize("divergence", DIVERGENCE_TABLE, ids=name_of)
def test_compiled_equals_numpy(divergence, connection):
    """Both forms of every loop give the same sums, coincident points included."""
    for kernel, mass, d in itertools.product(KERNEL_TABLE, MASSES, (1, 2, 3)):
        P, m, Y = random_case(5, mass, n=40, d=d, density=0.1)
        slow = Objective(Affinity(P, m), kernel, divergence, connection, Exact()).evaluate(Y, weights=True)
        fast = Objective(Affinity(P, m), kernel, divergence, connection, Exact(True), compiled=True)
        fast = fast.evaluate(Y, weights=True)
        assert fast.value == pytest.approx(slow.value, rel=1e-10)
        np.testing.assert_allclose(
            fast.gradient, slow.gradient, rtol=1e-8, atol=1e-10 * np.abs(slow.gradient).max()
        )
        np.testing.assert_allclose(fast.weights, slow.weights, rtol=1e-10)


@pytest.mark.parametrize("order", [-0.5, 0.0, 0.5, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("family", [alpha, beta])
def test_theorem_1(family, order):
    """At the best lambda, found by brute force, the separable form has the gradient of the scale-invariant one."""
    if family is alpha and order <= 0:
        pytest.skip("alpha divergences of order <= 0 are infinite on sparse P")
    from scipy.optimize import minimize_scalar

    for kernel, mass in itertools.product(KERNEL_TABLE, MASSES):
        P, m, Y = random_case(11, mass)
        divergence = family(order)
        free = objective(P, m, kernel, divergence, Optimal()).evaluate(Y)

        def at(log_lambda, P=P, m=m, Y=Y, kernel=kernel, divergence=divergence):
            return objective(P, m, kernel, divergence, Fixed(float(np.exp(log_lambda)))).evaluate(Y)

        start = np.log(free.connection)
        best: Any = minimize_scalar(lambda x: at(x).value, bracket=(start - 1, start + 0.5), tol=1e-10)
        assert best.x == pytest.approx(start, abs=1e-3)
        assert at(start).value <= best.fun + 1e-12 * abs(best.fun)
        held = at(start).gradient
        ratio = np.sum(held * free.gradient) / np.sum(free.gradient**2)
        assert ratio > 0
        np.testing.assert_allclose(held, ratio * free.gradient, atol=1e-9 * np.abs(held).max())


@pytest.mark.parametrize("connection", [Fixed(0.7), Optimal()], ids=name_of)
@pytest.mark.parametrize("at", [0.0, 1.0])
def test_orders_are_continuous(at, connection):
    """Nothing jumps and no digits are lost where a formula changes: around the orders 0 and 1."""
    for kernel in KERNEL_TABLE:
        P, m, Y = random_case(2, "varied")
        exact = objective(P, m, kernel, beta(at), connection).evaluate(Y)
        for step in (1e-4, 1e-8, 1e-12, -1e-12, -1e-8):
            near = objective(P, m, kernel, beta(at + step), connection).evaluate(Y)
            assert near.value == pytest.approx(
                exact.value, abs=(1 + abs(exact.value)) * (30 * abs(step) + 1e-11)
            )
            np.testing.assert_allclose(
                near.gradient, exact.gradient, atol=np.abs(exact.gradient).max() * (100 * abs(step) + 1e-11)
            )


def test_normalized_i_divergence_is_kl():
    """With P and Q of sum 1 the value of t-SNE's objective is KL(P || Q), which vanishes where they are equal."""
    P, m, Y = random_case(7, "varied")
    J = objective(P, m, KERNELS["cauchy"], beta(1.0), Normalized())
    q = np.outer(m, m) / (1 + ((Y[:, None] - Y[None]) ** 2).sum(-1))
    np.fill_diagonal(q, 0)
    Q, dense = q / q.sum(), P.toarray()
    on = dense > 0
    assert J.evaluate(Y).value == pytest.approx((dense[on] * np.log(dense[on] / Q[on])).sum())
    assert objective(csr_array(Q), m, KERNELS["cauchy"], beta(1.0), Normalized()).evaluate(Y).value == pytest.approx(0)


def test_i_divergence_is_beta_and_alpha_of_order_1():
    for connection, kernel in itertools.product(CONNECTION_TABLE, KERNEL_TABLE):
        P, m, Y = random_case(7, "varied")
        a = objective(P, m, kernel, alpha(1.0), connection).evaluate(Y).gradient
        b = objective(P, m, kernel, beta(1.0), connection).evaluate(Y).gradient
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_best_tradeoff_of_the_i_divergence_is_normalization():
    """ws-SNE with unit mass is t-SNE: optimal and normalized connection agree for the I-divergence."""
    P, _, Y = random_case(13, "unit")
    for kernel in KERNEL_TABLE:
        optimal = objective(P, np.ones(len(Y)), kernel, beta(1.0), Optimal()).evaluate(Y)
        normalized = objective(P, np.ones(len(Y)), kernel, beta(1.0), Normalized()).evaluate(Y)
        np.testing.assert_allclose(optimal.gradient, normalized.gradient, rtol=1e-11, atol=1e-14)
        assert optimal.connection == pytest.approx(normalized.connection)


@pytest.mark.parametrize("divergence", [beta(0.0), beta(1.0), beta(2.0), alpha(0.5)], ids=name_of)
def test_optimal_connection_ignores_the_scale_of_P(divergence):
    P, m, Y = random_case(17, "varied")
    one = objective(P, m, KERNELS["cauchy"], divergence, Optimal()).evaluate(Y)
    ten = objective(10 * P, m, KERNELS["cauchy"], divergence, Optimal()).evaluate(Y)
    np.testing.assert_allclose(ten.gradient, one.gradient, rtol=1e-10)


@pytest.mark.parametrize("kernel", [inverse_power(r) for r in (1, 2, 3)], ids=name_of)
@pytest.mark.parametrize("order", [0.0, 0.3, 1.0])
def test_power_kernels_with_the_optimal_connection_ignore_size(kernel, order):
    P, m, Y = random_case(19, "varied")
    J = objective(P, m, kernel, beta(order), Optimal())
    assert J.scale_free
    assert J.evaluate(7.3 * Y).value == pytest.approx(J.evaluate(Y).value, abs=1e-10)


def test_rigid_motion_and_relabeling():
    P, m, Y = random_case(23, "varied")
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    J = objective(P, m, KERNELS["cauchy"], beta(0.5), Optimal())
    assert J.evaluate(Y @ turn + 5).value == pytest.approx(J.evaluate(Y).value, abs=1e-12)
    order = np.random.default_rng(0).permutation(len(Y))
    again = objective(
        csr_array(P.toarray()[np.ix_(order, order)]), m[order], J.kernel, J.divergence, J.connection
    )
    np.testing.assert_allclose(again.evaluate(Y[order]).gradient, J.evaluate(Y).gradient[order], atol=1e-13)


def test_attraction_scales_the_edges_alone():
    """J_attraction - J_0 is linear in the attraction, as annealing needs."""
    P, m, Y = random_case(29, "varied")
    for connection in CONNECTION_TABLE:
        J = objective(P, m, KERNELS["cauchy"], beta(1.0), connection)
        one, two, four = (J.annealed(f).evaluate(Y) for f in (1.0, 2.0, 4.0))
        assert four.value - two.value == pytest.approx(2 * (two.value - one.value))
        np.testing.assert_allclose(
            four.gradient - two.gradient, 2 * (two.gradient - one.gradient), atol=1e-12
        )


def test_value_can_be_left_out():
    P, m, Y = random_case(31, "varied")
    for connection, divergence in itertools.product(CONNECTION_TABLE, DIVERGENCE_TABLE):
        J = objective(P, m, KERNELS["cauchy"], divergence, connection)
        np.testing.assert_array_equal(J.evaluate(Y, value=False).gradient, J.evaluate(Y).gradient)


@pytest.mark.parametrize("divergence", [beta(0.0), beta(0.5), beta(1.0), beta(2.0)], ids=name_of)
@pytest.mark.parametrize("connection", CONNECTION_TABLE, ids=name_of)
def test_merged_graph_has_the_fine_objective(divergence, connection):
    """With masses and weights added and what merging hides kept, J of the coarse graph is J of the fine one, merged."""
    P, m, _ = random_case(37, "varied", n=12)
    cluster = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 5, 6])
    coarse_y = np.random.default_rng(1).normal(size=(7, 2))
    merge = np.zeros((12, 7))
    merge[np.arange(12), cluster] = 1
    coarse_p = merge.T @ P.toarray() @ merge
    inside = np.trace(coarse_p)
    np.fill_diagonal(coarse_p, 0)
    coarse_m = merge.T @ m
    hidden = float((coarse_m**2).sum() - (m**2).sum())
    kernel = KERNELS["cauchy"]
    fine_J = objective(P, m, kernel, divergence, connection)
    fine = fine_J.evaluate(coarse_y[cluster])
    affinity = Affinity(csr_array(coarse_p), coarse_m, inside, hidden)
    J = Objective(affinity, kernel, divergence, connection, Exact())
    coarse = J.evaluate(coarse_y)
    assert coarse.value - J.constant == pytest.approx(fine.value - fine_J.constant, rel=1e-12)
    assert coarse.connection == pytest.approx(fine.connection, rel=1e-12)
    np.testing.assert_allclose(coarse.gradient, merge.T @ fine.gradient, atol=1e-12)
