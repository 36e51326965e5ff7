"""The formula over beta and alpha divergences: the values that the papers name, and the theorems that tie methods
together.  Values and gradients of every divergence are tested in `test_family`.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from oracles import dense_value, objective, q_of, random_case
from scipy.sparse import csr_array

from nelayout.core.formula.connections import Fixed, Normalized, Optimal
from nelayout.core.formula.divergences import alpha, beta
from nelayout.core.formula.kernels import KERNELS, Kernel, heavy_tailed, inverse_power
from nelayout.core.objective import Affinity, Objective
from nelayout.core.sums.nbody import Exact

KERNEL_TABLE = [*KERNELS.values(), heavy_tailed(2.0), inverse_power(3), Kernel(0.5, 2.0, 0.7)]
BETAS = [beta(t) for t in (-0.5, 0.0, 0.05, 0.5, 1.0, 1.5, 2.0, 3.0)]
ALPHAS = [alpha(t) for t in (0.5, 1.0, 1.5, 2.0, 3.0)]
DIVERGENCE_TABLE = [*BETAS, *ALPHAS]
CONNECTION_TABLE = [Fixed(0.7), Optimal(), Normalized()]
MASSES = ["unit", "varied"]


def name_of(part) -> str:
    return part.name


def gamma(t, P, M, q):
    """The gamma divergence, with p^t under its logarithm; up to the order 0.1 without it, which is infinite at 0.

    ln PM_t(q; M) - ln PM_(t-1)(q; P): Yang, Peltonen & Kaski 2014, Theorem 1.
    """
    if t == 1:
        return renyi(1, P, M, q)
    E, S = (P * q ** (t - 1)).sum(), (M * q**t).sum()
    if t > 0.1:
        own = (M * (P / M) ** t).sum()
        return np.log(own) / (t * (t - 1)) + np.log(S) / t - np.log(E) / (t - 1)
    left = np.log(S / M.sum()) / t if t else (M * np.log(q)).sum() / M.sum()
    return left - np.log(E / P.sum()) / (t - 1)


def renyi(t, P, M, q):
    on = P > 0
    if t == 1:
        return (P[on] * np.log(P[on] / (M * q)[on])).sum() / P.sum() + np.log((M * q).sum() / P.sum())
    E = (P[on] ** t * (M * q)[on] ** (1 - t)).sum() / P.sum()
    return np.log(E) / (t - 1) + np.log((M * q).sum() / P.sum())


@pytest.mark.parametrize("kernel", KERNEL_TABLE, ids=name_of)
@pytest.mark.parametrize("divergence", DIVERGENCE_TABLE, ids=name_of)
def test_values_at_the_best_lambda_are_gamma_and_renyi(divergence, kernel):
    defined = gamma if divergence in BETAS else renyi
    for mass, d in itertools.product(MASSES, (1, 2, 3)):
        P, m, Y = random_case(3, mass, n=7, d=d)
        P = 2.5 * P
        off = ~np.eye(7, dtype=bool)
        value = defined(divergence.order, P.toarray()[off], np.outer(m, m)[off], q_of(kernel, Y)[off])
        assert objective(P, m, kernel, divergence, Optimal()).evaluate(Y).value == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("connection", [Fixed(0.7), Normalized()], ids=name_of)
@pytest.mark.parametrize("divergence", DIVERGENCE_TABLE, ids=name_of)
def test_constants_of_the_values(divergence, connection):
    """Values are those of the divergences, not only up to constants."""
    for kernel, mass in itertools.product(KERNEL_TABLE, MASSES):
        P, m, Y = random_case(3, mass, n=7)
        P = 2.5 * P
        name = f"{type(divergence).__name__.lower()}:{divergence.order}"
        value = dense_value(P.toarray(), m, Y, kernel, name, connection)
        found = objective(P, m, kernel, divergence, connection).evaluate(Y).value
        assert found == pytest.approx(value, rel=1e-10, abs=1e-10)


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


@pytest.mark.parametrize("kernel", [inverse_power(r) for r in (1, 2, 3)], ids=name_of)
@pytest.mark.parametrize("order", [0.0, 0.3, 1.0])
def test_power_kernels_with_the_optimal_connection_ignore_size(kernel, order):
    P, m, Y = random_case(19, "varied")
    J = objective(P, m, kernel, beta(order), Optimal())
    assert J.scale_free
    assert J.evaluate(7.3 * Y).value == pytest.approx(J.evaluate(Y).value, abs=1e-10)


def test_exaggeration_scales_the_edges_alone():
    """J is linear in the exaggeration, as annealing needs; the edges are those of the objective itself."""
    P, m, Y = random_case(29, "varied")
    for connection in CONNECTION_TABLE:
        J = objective(P, m, KERNELS["cauchy"], beta(1.0), connection)
        one, two, four = (J.sharing(exaggeration=f).evaluate(Y) for f in (1.0, 2.0, 4.0))
        assert J.sharing(exaggeration=2.0).edges is J.edges
        assert four.value - two.value == pytest.approx(2 * (two.value - one.value))
        np.testing.assert_allclose(
            four.gradient - two.gradient, 2 * (two.gradient - one.gradient), atol=1e-12
        )


@pytest.mark.parametrize("divergence", [beta(0.0), beta(0.5), beta(1.0), beta(2.0)], ids=name_of)
@pytest.mark.parametrize("connection", CONNECTION_TABLE, ids=name_of)
@pytest.mark.parametrize("kernel", [KERNELS["cauchy"], KERNELS["gaussian"], heavy_tailed(2.0)], ids=name_of)
def test_merged_graph_has_the_fine_objective(divergence, connection, kernel):
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
    fine_J = objective(P, m, kernel, divergence, connection)
    fine = fine_J.evaluate(coarse_y[cluster])
    affinity = Affinity(csr_array(coarse_p), coarse_m, inside, hidden)
    J = Objective(affinity, kernel, divergence, connection, Exact())
    coarse = J.evaluate(coarse_y)
    assert coarse.value - np.sum(J.constants) == pytest.approx(fine.value - np.sum(fine_J.constants), rel=1e-12)
    assert coarse.lam == pytest.approx(fine.lam, rel=1e-12)
    np.testing.assert_allclose(coarse.gradient, merge.T @ fine.gradient, atol=1e-12)
