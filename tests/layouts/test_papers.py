"""Formulas of the papers, written down as they stand there, over dense matrices, against our objectives and steps.

[Y15] Yang, Peltonen & Kaski, Majorization-minimization for manifold embedding, AISTATS 2015, and its supplement.
[L13] Lee et al., Type 1 and 2 mixtures of Kullback-Leibler divergences, Neurocomputing 112, 2013.
[A15] Amid, Dikmen & Oja, arXiv:1505.05821, 2015.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.formula.connections import Fixed, NormalizedRows
from nelayout.core.formula.divergences import alpha, divergence_named
from nelayout.core.formula.kernels import KERNELS
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import Majorize
from nelayout.core.sums.nbody import Exact

N = 14
UNIT = np.ones(N)
OFF = ~np.eye(N, dtype=bool)


def squared(Y):
    return ((Y[:, None] - Y) ** 2).sum(axis=2)


def gaussian(Y):
    """exp(-|y_i - y_j|^2), 0 on the diagonal."""
    q = np.exp(-squared(Y))
    np.fill_diagonal(q, 0.0)
    return q


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


def by_rows(q):
    return q / q.sum(axis=1, keepdims=True)


def similarities(seed=0):
    """Symmetric, of sum 1, positive for every pair: the papers' P has no zeros."""
    A = np.random.default_rng(seed).uniform(0.02, 1.0, (N, N)) ** 3
    A = A + A.T
    np.fill_diagonal(A, 0.0)
    return A / A.sum()


def positions(seed=0):
    return 0.7 * np.random.default_rng(seed + 100).normal(size=(N, 2))


def row_objective(rows, divergence) -> Objective:
    """J of given row-stochastic similarities, which need not be symmetric."""
    P = csr_array(similarities())
    given = rows[np.repeat(np.arange(N), np.diff(P.indptr)), P.indices]
    affinity = Affinity(P, UNIT, rows=given)
    return Objective(affinity, KERNELS["gaussian"], divergence, NormalizedRows(), Exact())


def asymmetric_rows(seed=1):
    P = similarities(seed) * np.random.default_rng(seed).uniform(0.3, 1.0, (N, N))
    return by_rows(P)


def pair_forces(W, Y):
    """sum_j (w_ij + w_ji) (y_i - y_j)."""
    return laplacian(W + W.T) @ Y


# --- gradients --------------------------------------------------------------------------------------------------


def lee_case():
    """sigma_ij and, for coordinates x, s_ij = exp(-d_ij^2 / 2) by rows: our Y is x / sqrt 2."""
    Y = positions()
    return asymmetric_rows(), by_rows(gaussian(Y)), Y, np.sqrt(2.0) * Y


def log_ratio(p, q):
    """ln(p / q), 0 on the diagonal."""
    return np.log(np.where(OFF, p, 1.0) / np.where(OFF, q, 1.0))


@pytest.mark.parametrize(
    ("name", "kappa"), [*(("nerv", k) for k in (0.0, 0.25, 0.5, 0.9, 1.0)), *(("jse", k) for k in (0.1, 0.5, 0.9))]
)
def test_nerv_and_jse_are_lee_equations_32_and_37(name, kappa):
    """The gradient by (28). w_ij = (1 - kappa)(sigma - s) + kappa s (ln(sigma / s) + KL(s_i || sigma_i)) for NeRV.

    w_ij = (s / kappa)(ln(z / s) + KL(s_i || z_i)), z = kappa sigma + (1 - kappa) s, for JSE.
    """
    sigma, s, Y, x = lee_case()
    log = log_ratio(sigma if name == "nerv" else kappa * sigma + (1 - kappa) * s, s)
    kl = -(s * log).sum(axis=1, keepdims=True)
    w = (1 - kappa) * (sigma - s) + kappa * s * (log + kl) if name == "nerv" else s / kappa * (log + kl)
    ours = row_objective(sigma, divergence_named(f"{name}:{kappa}")).evaluate(Y).gradient
    # dE/dx = dE/dY / sqrt 2
    np.testing.assert_allclose(ours / np.sqrt(2.0), pair_forces(w, x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", [0.2, 0.5, 0.8, 1.0, 1.5])
def test_alpha_sne_is_amid_equation_5(order):
    """2/alpha sum_j (y_i - y_j)(p^a q^(1-a) - theta_i q + its transpose), theta_i = sum_j p^a q^(1-a)."""
    p, Y = asymmetric_rows(), positions()
    q = by_rows(gaussian(Y))
    both = p**order * np.where(q > 0, q, 1.0) ** (1 - order)
    theta = both.sum(axis=1, keepdims=True)
    expected = 2.0 / order * pair_forces(both - theta * q, Y)
    found = row_objective(p, alpha(order)).evaluate(Y).gradient
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_alpha_sne_at_0_is_the_footnote_of_amid():
    """2 sum_j (y_i - y_j)(q_ij KL(q_i || p_i) - q_ij ln(q_ij / p_ij) + its transpose)."""
    p, Y = asymmetric_rows(), positions()
    q = by_rows(gaussian(Y))
    log = log_ratio(q, p)
    kl = (q * log).sum(axis=1, keepdims=True)
    found = row_objective(p, alpha(0.0)).evaluate(Y).gradient
    np.testing.assert_allclose(found, 2.0 * pair_forces(q * kl - q * log, Y), rtol=1e-9, atol=1e-12)


# --- majorization-minimization ----------------------------------------------------------------------------------


def mm_step(objective: Objective, Y: np.ndarray, rho: float) -> np.ndarray:
    """One step with this rho, which the first trial has to accept."""
    optimizer = Majorize(tolerance=1e-13, inner=5000)
    found, state = optimizer.step(objective, Y, optimizer.init(objective, Y)._replace(rho=rho))
    assert state.taken
    return found


def matrix_objective(method: str, P: np.ndarray, **parts) -> Objective:
    m = METHODS[method]
    return Objective(
        Affinity(csr_array(P), UNIT), m.kernel, m.divergence, parts.get("connection", m.connection), Exact()
    )


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def cauchy(Y):
    """1 / (1 + d^2), 0 on the diagonal."""
    return (1.0 - np.eye(N)) / (1.0 + squared(Y))


def updates(name, repulsion):
    """An objective, W, U, a part of rho and rho: (L_W + part rho I)^-1 (L_U Y + part rho Y), as [Y15] has them."""
    P, Y = similarities(), positions()
    g, q, d = gaussian(Y), cauchy(Y), (1.0 - np.eye(N)) / np.sqrt(squared(Y) + np.eye(N))
    rows = asymmetric_rows()
    drawn = by_rows(g)
    kernel_strain = P * g / (P * g).sum(), g * g / (g * g).sum()
    fixed = {"connection": Fixed(repulsion)}
    return {
        "ee": (matrix_objective("ee", 30 * P, **fixed), 30 * P, repulsion * g, 1 / 4, 20.0),  # 2.1
        "sne": (row_objective(rows, divergence_named("kl")), rows + rows.T, drawn + drawn.T, 1 / 2, 8.0),  # 2.2
        "ssne": (matrix_objective("ssne", P), P, g / g.sum(), 1 / 4, 1.0),  # 2.2
        "tsne": (matrix_objective("tsne", P), P * q, q / q.sum() * q, 1 / 4, 1.0),  # the paper's own example
        "linlog": (matrix_objective("linlog", 30 * P, **fixed), 30 * P * d, repulsion * d * d, 1 / 2, 200.0),  # 2.3
        "mds-ks": (matrix_objective("mds-ks", P), *kernel_strain, 1 / 4, 2.0),  # 2.4
    }[name]


@pytest.mark.parametrize(
    ("name", "repulsion"),
    [("ee", 0.3), ("linlog", 0.4), *((name, 1.0) for name in ("ee", "sne", "ssne", "tsne", "linlog", "mds-ks"))],
)
def test_methods_by_majorization(name, repulsion):
    """The paper's objective of LinLog is lambda times ours, and so is its rho."""
    J, W, U, part, rho = updates(name, repulsion)
    Y, ridge = positions(), part * rho
    expected = np.linalg.solve(laplacian(W) + ridge * np.eye(N), laplacian(U) @ Y + ridge * Y)
    same(mm_step(J, Y, rho / repulsion if name == "linlog" else rho), expected)


@pytest.mark.parametrize("recall", [0.9, 0.5])
def test_nerv_by_majorization(recall):
    """[Y15] 2.2 as corrected: (l L_(P + P^T) + rho/2 I)^-1 (-Psi/2 + rho/2 Y), Psi the gradient of all but the
    attraction of l KL(P || Q).

    Our own step takes what the other half attracts into W too; with the paper's W the minimizer on its own takes the
    paper's step.
    """
    P, Y = asymmetric_rows(), positions()
    J = row_objective(P, divergence_named(f"nerv:{1 - recall}"))
    L, gradient = laplacian(P + P.T), J.evaluate(Y).gradient
    psi = gradient - 2 * recall * L @ Y
    # It starts from rho = the mean diagonal of H = 2 l L, and here takes the first trial.
    rho = 2 * recall * np.mean(np.diag(L))
    expected = np.linalg.solve(recall * L + rho / 2 * np.eye(N), -psi / 2 + rho / 2 * Y)

    def ours(Z):
        found = J.evaluate(Z)
        return found.value, found.gradient

    step: Any = nl.optimizers.majorize(ours, Y, 2 * recall * L, max_iter=1, tolerance=1e-13, inner=5000)
    same(step.positions, expected)

    evaluation = J.evaluate(Y, weights=True)
    pattern = J.affinity.P
    W = np.maximum(csr_array((evaluation.weights, pattern.indices, pattern.indptr), shape=(N, N)).toarray(), 0.0)
    rho = 30.0
    expected = np.linalg.solve(4 * laplacian(W) + rho * np.eye(N), (4 * laplacian(W) + rho * np.eye(N)) @ Y - gradient)
    same(mm_step(J, Y, rho), expected)


def test_majorization_beyond_drawings():
    """[Y15] supplement, sec. 5: a linear function with some labels known.

    lambda sum S_ij (z_i - z_j)^2 + (1 - lambda) sum_labeled (1 - tanh(y_i z_i)), z = <w, x>; its update is
    (2 lambda X L_(S + S^T) X^T + rho I)^-1 (rho w - dB/dw).
    """
    rng = np.random.default_rng(5)
    X, S, share = rng.normal(size=(6, 40)), rng.random((40, 40)), 0.01
    labels = np.sign(X[0, :10] + 0.3 * X[1, :10])
    H = 2 * share * X @ laplacian(S + S.T) @ X.T

    def loss(w):
        bent = np.tanh(labels * (w @ X[:, :10]))
        return (1 - share) * np.sum(1 - bent), -(1 - share) * X[:, :10] @ (labels * (1 - bent**2))

    def objective(w):
        z = w @ X
        value, slope = loss(w)
        return share * np.sum(S * (z[:, None] - z) ** 2) + value, H @ w + slope

    w = np.array([0.1, 0.0, 0.2, -0.1, 0.0, 0.1])
    rho = np.mean(np.diag(H))
    expected = np.linalg.solve(H + rho * np.eye(6), rho * w - loss(w)[1])
    step = nl.optimizers.majorize(objective, w, H, max_iter=1, tolerance=1e-13, inner=100)
    same(step.positions, expected)
    found = nl.optimizers.majorize(objective, w, H, tol=1e-12)
    assert (np.diff([line.value for line in found.trace]) <= 0).all()
    assert np.abs(objective(found.positions)[1]).max() < 1e-3
