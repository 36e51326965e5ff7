"""Springs to places: their gradient, and what a stability means for every objective, in any units, at any size."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from tables import EVERY_METHOD, RECIPES, thinned
from test_added import ONE, objective

from nelayout.formula.potentials import Anchors
from nelayout.optimizers import OPTIMIZERS, optimizer_named
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.run.drawing import Drawing, Part, Summation
from nelayout.run.springs import springs
from nelayout.run.taking_apart import input_affinity
from nelayout.similarities.masses import node_mass
from nelayout.sums.nbody import Exact

METHODS = thinned(EVERY_METHOD, plain=lambda name: name in RECIPES)


def springs_of(J, Y, stability, size=1.0):
    """The springs from a drawing Y to itself, which the caller has in other units."""
    part = Part(np.arange(len(Y)), J.affinity, start=Y / size)
    drawing = replace(Drawing.of([part], 2), Y=Y, size=np.full((1, 2), size))
    external = springs(J, drawing, stability).anchors
    assert external is not None
    return external


@pytest.mark.parametrize("name", METHODS)
def test_gradient_with_springs_is_the_slope_of_the_value(name):
    rng, J = np.random.default_rng(3), objective(name)
    Y, toward = 2.0 * rng.standard_normal((77, 2)), rng.standard_normal((77, 2))
    J = J.anchored(Anchors(rng.standard_normal((77, 2)), rng.uniform(0.0, 2.0, 77)))
    h = 1e-5
    steps = ((1, 8), (-1, -8), (2, -1), (-2, 1))  # of fourth order
    slope = sum(c * J.evaluate(Y + k * h * toward).value for k, c in steps) / (12 * h)
    assert np.sum(J.evaluate(Y).gradient * toward) == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_springs_add_their_own_energy_and_nothing_else(name):
    rng, J = np.random.default_rng(4), objective(name)
    Y, places, k = rng.standard_normal((77, 2)), rng.standard_normal((77, 2)), rng.uniform(0.0, 2.0, 77)
    plain, both = J.evaluate(Y), J.anchored(Anchors(places, k)).evaluate(Y)
    energy = 0.5 * sum(k[i] * ((Y[i] - places[i]) ** 2).sum() for i in range(77))
    assert both.value - plain.value == pytest.approx(energy)
    np.testing.assert_allclose(both.gradient - plain.gradient, k[:, None] * (Y - places), atol=1e-10)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("stability", [0.5, 0.9])
def test_springs_resist_a_stretch_of_the_map_by_their_part(name, stability):
    """Work of the springs on a stretch of the whole drawing: s / (1 - s) times that of the edges' attraction."""
    J, Y = objective(name), 2.0 * np.random.default_rng(5).standard_normal((77, 2))
    about = Y - Y.mean(axis=0)
    omega = np.maximum(J.evaluate(Y, weights=True).weights, 0.0)
    P = J.affinity.P
    rows = np.repeat(np.arange(77), np.diff(P.indptr))
    edges = 0.5 * 4.0 * 0.5 * sum(
        w * ((Y[i] - Y[j]) ** 2).sum() for w, i, j in zip(omega, rows, P.indices, strict=True)
    )
    found = springs_of(J, Y, stability)
    work = 0.5 * float(np.sum(found.stiffness * (about**2).sum(axis=1)))
    assert work == pytest.approx(stability / (1 - stability) * edges)
    np.testing.assert_allclose(found.places, Y)


def test_units_of_the_caller_change_no_spring():
    J, Y = objective("ws-sne"), np.random.default_rng(6).standard_normal((77, 2))
    one, other = springs_of(J, Y, 0.8), springs_of(J, Y, 0.8, size=1e-3)
    np.testing.assert_allclose(one.stiffness, other.stiffness)
    np.testing.assert_allclose(one.places, other.places)


def test_no_stability_and_fixed_coordinates_have_no_spring():
    J, Y = objective("ws-sne"), np.random.default_rng(6).standard_normal((77, 2))
    assert not springs_of(J, Y, 0.0).stiffness.any()
    fixed = np.zeros((77, 2), dtype=bool)
    fixed[3] = True
    assert springs(J, Drawing.of([Part(np.arange(77), J.affinity, Y, fixed)], 2).at(Y), 0.9) is J


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_goes_to_the_places_of_stiff_springs(optimizer):
    """However stiff they are, the energy is quadratic there, so that all end within a hair of them."""
    G = nx.karate_club_graph()
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr", weight=None)
    method = EVERY_METHOD["ws-sne"]
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    affinity, _ = input_affinity(A, node_mass(A, method.mass)[0], method, 0.0, ONE)
    J = Summation(Exact(False, ONE), ONE, False).objective(method, affinity)
    rng = np.random.default_rng(7)
    places, Y = rng.standard_normal((34, 2)), rng.standard_normal((34, 2))
    J = J.anchored(Anchors(places, np.full(34, 1e6)))
    Y, _, _ = minimize(J, Y, optimizer_named(optimizer), 100, Rest())
    assert np.abs(Y - places).max() < 1e-3
