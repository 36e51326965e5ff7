"""Every method on fast sums: the gradient at the drawing that they lead to, against exact sums."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import EVERY_METHOD

import nelayout as nl
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Objective
from nelayout.run.drawing import Summation
from nelayout.run.taking_apart import input_affinity
from nelayout.similarities.masses import node_mass
from nelayout.sums.nbody import Exact, NBody, backend

N = 2000


@functools.cache
def graph() -> csr_array:
    """8 nearest neighbors of 2,000 points in space."""
    return nl.knn_graph(np.random.default_rng(0).normal(size=(N, 3)), 8, seed=0)


@functools.cache
def affinity(method: str) -> Affinity:
    parts = EVERY_METHOD[method]
    return input_affinity(graph(), node_mass(graph(), parts.mass)[0], parts, 0.0, Threads())[0]


def objective(method: str, nbody: NBody) -> Objective:
    return Summation(nbody, Threads(), True).objective(EVERY_METHOD[method], affinity(method))


@pytest.mark.full
@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("nbody", ["mesh", "tree"])
def test_gradients_where_fast_sums_lead(nbody, method):
    """Within 5 % of what the edges pull, which is as much as all pairs push: at rest their difference is 0."""
    Y = nl.solve(graph(), EVERY_METHOD[method], nbody=nbody, scale=None, seed=0).positions
    exact = objective(method, Exact(True)).evaluate(Y, weights=True)
    fast = objective(method, backend(nbody, Threads(), True)).evaluate(Y)
    P = affinity(method).P
    W = csr_array((exact.weights, P.indices, P.indptr), shape=P.shape)
    pull = 4.0 * (W.sum(axis=1)[:, None] * Y - W @ Y)
    push = exact.gradient - pull
    error = np.linalg.norm(fast.gradient - exact.gradient)
    assert error < 5e-2 * np.linalg.norm(push)
    assert error < 5e-2 * np.linalg.norm(pull)
    assert fast.value == pytest.approx(exact.value, rel=5e-3)
