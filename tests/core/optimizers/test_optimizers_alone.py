"""`nelayout.optimizers.majorize` and its relatives on objectives of one's own."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import first

import nelayout as nl
from nelayout.core.formula.connections import Fixed
from nelayout.core.formula.divergences import beta
from nelayout.core.formula.kernels import KERNELS
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.sums.nbody import Exact
from nelayout.errors import InputError, InputTypeError

FUNCTIONS: dict[str, Any] = {
    "majorize": nl.optimizers.majorize,
    "spectral-direction": nl.optimizers.spectral_direction,
    "lbfgs": nl.optimizers.lbfgs,
    "momentum": nl.optimizers.momentum,
}
LAPLACIAN = nx.laplacian_matrix(nx.karate_club_graph(), weight=None).toarray().astype(float)
START = np.random.default_rng(0).normal(size=(34, 2))


def elastic(Y: np.ndarray) -> tuple[float, np.ndarray]:
    """Elastic Embedding of the karate club, repulsion 1."""
    q = np.exp(-((Y[:, None] - Y) ** 2).sum(axis=2))
    return 2 * np.sum(Y * (LAPLACIAN @ Y)) + q.sum(), 4 * (LAPLACIAN - np.diag(q.sum(axis=1)) + q) @ Y


def own() -> Objective:
    A = csr_array(np.diag(np.diag(LAPLACIAN)) - LAPLACIAN)
    A.eliminate_zeros()
    return Objective(Affinity(A, np.ones(34)), KERNELS["gaussian"], beta(1.0), Fixed(1.0), Exact())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_take_the_steps_of_the_optimizer_classes_and_hold_rows_that_are_not_free(name):
    """A function with the curvature 4 L is Elastic Embedding's Objective: the same value after the same steps."""
    by_function = FUNCTIONS[name](elastic, START, 4 * LAPLACIAN, max_iter=20, tol=0.0)
    by_objective = minimize(own(), START, nl.optimizers.OPTIMIZERS[name](), 20, StoppingRule())
    constant = elastic(START)[0] - own().evaluate(START).value
    np.testing.assert_allclose(by_function.positions, by_objective.Y, atol=1e-7)
    assert by_function.value == pytest.approx(by_objective.value + constant)
    assert by_function.value == elastic(by_function.positions)[0]
    assert len(by_function.trace) == 20
    assert by_function.reason == "max_iter"
    free = np.arange(34) % 3 > 0
    found = FUNCTIONS[name](elastic, START, 4 * LAPLACIAN, free=free, max_iter=30)
    assert np.array_equal(found.positions[~free], START[~free])
    assert not np.array_equal(found.positions[free], START[free])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("form", first(["sparse", "dense", "function"], 1))
def test_they_come_to_rest_at_a_stationary_point(name, form):
    H = {"dense": 4 * LAPLACIAN, "sparse": csr_array(4 * LAPLACIAN), "function": lambda Y: 4 * LAPLACIAN}[form]
    before = START.copy()
    found = FUNCTIONS[name](elastic, START, H, max_iter=3000, tol=1e-10)
    assert found.reason == "converged"
    assert np.abs(elastic(found.positions)[1]).max() < 1e-4 * np.abs(elastic(START)[1]).max()
    assert found.trace[-1].value == found.value
    assert found.trace[-1].stage == name
    assert np.array_equal(START, before)
    if name != "momentum":
        assert (np.diff([step.value for step in found.trace]) <= 0).all()


@pytest.mark.parametrize("name", ["lbfgs", "momentum"])
def test_without_a_curvature(name):
    """The length of steps is measured: it does not depend on the unit of the objective or of the positions."""
    ends = []
    for unit, size in ((1.0, 1.0), (1e6, 1.0), (1.0, 1e-3), (1e-4, 1e3)):
        found = FUNCTIONS[name](
            lambda Y, unit=unit, size=size: (unit * elastic(Y / size)[0], unit / size * elastic(Y / size)[1]),
            size * START, max_iter=3000, tol=1e-10,
        )
        assert found.reason == "converged"
        ends.append(found.value / unit)
    assert np.ptp(ends) < 1e-2 * abs(ends[0])


@pytest.mark.full
def test_a_moving_curvature_is_asked_for_at_every_step():
    """W = dA/d xi of a concave attraction, sum sqrt(1 + xi): the bound then moves with Y, and J never rises."""
    W = np.diag(np.diag(LAPLACIAN)) - LAPLACIAN
    asked, seen = [], []

    def laplacian(w):
        return np.diag(w.sum(axis=1)) - w

    def squares(Y):
        return ((Y[:, None] - Y) ** 2).sum(axis=2)

    def curvature(Y):
        asked.append(Y)
        return 4 * laplacian(W / (2 * np.sqrt(1 + squares(Y))))

    def objective(Y):
        root, q = np.sqrt(1 + squares(Y)), np.exp(-squares(Y))
        return np.sum(W * root) + q.sum(), 4 * laplacian(W / (2 * root) - q) @ Y

    run = {"max_iter": 2000, "tol": 1e-12, "callback": lambda step: seen.append(step.positions.copy())}
    found = nl.optimizers.majorize(objective, START, curvature, **run)
    assert np.abs(objective(found.positions)[1]).max() < 2e-3
    for at, after in zip(asked, [START, *seen], strict=True):
        np.testing.assert_array_equal(at, after)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vectors_and_callbacks(name):
    H, seen = np.diag([1.0, 4.0, 9.0]), []

    def look(progress):
        seen.append((progress.positions.shape, progress.positions.flags.writeable))
        return progress.iteration == 1

    found = FUNCTIONS[name](lambda y: (float(y @ H @ y), 2 * H @ y), np.ones(3), 2 * H, callback=look)
    assert found.positions.shape == (3,)
    assert found.reason == "stopped"
    assert seen == [((3,), False)] * 2


def test_quadratics():
    """L-BFGS divides by changes of a gradient, here with squares of 0.  In majorization all of J is in H."""
    H, run = 1e-170 * np.diag([1.0, 4.0, 9.0]), {"tol": 0.0, "max_iter": 60}
    found = nl.optimizers.lbfgs(lambda y: (float(y @ (H @ y)) / 2, H @ y), np.ones(3), 2 * H, **run)
    assert found.value < 1e-5 * np.trace(H)
    S, run = csr_array(np.diag([1.0, 1e2, 1e4])), {"tolerance": 1e-12, "max_iter": 40, "tol": 0.0}
    found = nl.optimizers.majorize(lambda y: (float(y @ (S @ y)) / 2, S @ y), np.ones(3), S, **run)
    assert np.abs(found.positions).max() < 1e-12


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"curvature": None}, InputError, "majorize needs the curvature"),
        ({"curvature": np.eye(3)}, InputError, r"shape \(34, 34\), given shape \(3, 3\)"),
        ({"curvature": np.triu(np.ones((34, 34)))}, InputError, "symmetric"),
        ({"curvature": np.zeros((34, 34))}, InputError, "semidefinite"),
        ({"curvature": -np.eye(34)}, InputError, "semidefinite"),
        ({"curvature": np.full((34, 34), np.nan)}, InputError, "finite"),
        ({"Y": np.full((34, 2), np.nan)}, InputError, "finite"),
        ({"Y": np.empty((0, 2))}, InputError, "not empty"),
        ({"Y": np.zeros((2, 2, 2))}, InputError, r"given shape \(2, 2, 2\)"),
        ({"free": np.ones(34)}, InputError, "mask of booleans"),
        ({"max_iter": -1}, InputError, "max_iter"),
        ({"tol": float("nan")}, InputError, "tol"),
        ({"objective": 3}, InputTypeError, "function Y -> "),
        ({"objective": lambda Y: 1.0}, InputTypeError, r"return \(value, gradient\), given float"),
        ({"objective": lambda Y: (1.0, np.ones(2))}, InputError, r"shape \(34, 2\), given \(2,\)"),
        ({"objective": lambda Y: (np.nan, Y)}, InputError, "start elsewhere"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    given: dict[str, Any] = {"objective": elastic, "Y": START, "curvature": 4 * LAPLACIAN, **arguments}
    with pytest.raises(error, match=message):
        nl.optimizers.majorize(**given)
