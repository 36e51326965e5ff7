"""Exact sums for far nodes, against all pairs: radial functions x drawings x dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from nelayout.formula.kernels import KERNELS, Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody import Exact
from nelayout.sums.nbody.far_nodes import FarNodes, falls_off

GAUSSIAN, CAUCHY = KERNELS["gaussian"], KERNELS["cauchy"]
RADIALS = {
    "gaussian q": Radial(GAUSSIAN),
    "gaussian q^2": Radial(GAUSSIAN, 2.0),
    "gaussian q ln q": Radial(GAUSSIAN, 1.0, "power-log"),
    "gaussian box-cox": Radial(GAUSSIAN, 0.5, "boxcox"),
    "cauchy q": Radial(CAUCHY),
}
N = 700
# Of a node's own sum; what lies far away and is left out is below 5e-5 of its largest term.
TOLERANCE = 1e-4


def drawing(kind: str, d: int) -> tuple[np.ndarray, np.ndarray]:
    """(N, d) positions and the nodes that are asked for, the ones far from others among them."""
    rng = np.random.default_rng(3)
    Y = 4.0 * rng.normal(size=(N, d))
    if kind == "far nodes":
        Y[:12] = 12.0 * np.arange(1, 13)[:, None] / np.sqrt(d) + 6.0
    elif kind == "a dense cluster and nodes around":
        Y[20:] *= 0.02
        Y[:20] = 5.0 * Y[:20] / np.linalg.norm(Y[:20], axis=1, keepdims=True)
    elif kind == "piles":
        Y[:200] = Y[0]
        Y[200:203] = 30.0
    elif kind == "a line":
        Y[:, 1:] = 0.0
    return Y, np.union1d(np.arange(30), rng.choice(N, 60, replace=False))


KINDS = ("a cloud", "far nodes", "a dense cluster and nodes around", "piles", "a line")


@pytest.fixture(autouse=True)
def _cells_for_all(monkeypatch):
    """Also where all pairs would cost less."""
    monkeypatch.setattr("nelayout.sums.nbody.far_nodes.MAX_EXACT_PAIRS", 0)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RADIALS)
def test_fields_at_far_nodes_and_their_force_on_all(name, kind, d):
    radial, (Y, nodes) = RADIALS[name], drawing(kind, d)
    charges = 0.5 + np.random.default_rng(0).random(N)
    far = FarNodes(Y, nodes, (radial,), Threads(2))
    field, all_pairs = far.fields_at_nodes(charges, (radial,))[radial], Exact().fields(Y, charges, (radial,))[0]
    potential, force = all_pairs.potential[nodes], all_pairs.force[nodes]
    # Measured by the sum of the values themselves, which is what these sums are divided by.
    xi = np.sum((Y[nodes, None] - Y) ** 2, axis=2)
    xi[np.arange(len(nodes)), nodes] = np.inf
    values = np.exp(-xi * radial.order) if radial.kernel is GAUSSIAN else radial.value(np.minimum(xi, 1e300))
    plain = (charges * np.abs(values)).sum(axis=1) + np.abs(potential)
    assert np.all(np.abs(field.potential - potential) <= TOLERANCE * plain + 1e-300)
    away = np.sqrt(np.min(xi, axis=1)) + 1.0
    assert np.all(np.linalg.norm(field.force - force, axis=1) <= TOLERANCE * plain * away + 1e-300)

    carried = np.zeros(N)
    carried[nodes] = charges[nodes] / plain  # as in a row that is divided by its sum
    expected = Exact().fields(Y, carried, (radial,))[0].force
    got = far.force_of_nodes({radial: carried[nodes]})
    assert np.all(np.linalg.norm(got - expected, axis=1) <= TOLERANCE * np.max(away) + 1e-300)


def test_only_what_counts_is_looked_at():
    """Of a Gaussian, nodes out of reach make no difference at all; other functions reach everywhere."""
    Y, nodes = drawing("far nodes", 2)
    charges, moved = np.ones(N), Y.copy()
    moved[N - 1] += 1e6
    assert falls_off((RADIALS["gaussian q"], RADIALS["gaussian q ln q"]))
    assert not falls_off((RADIALS["gaussian q"], RADIALS["cauchy q"]))
    assert not falls_off((RADIALS["gaussian box-cox"],))
    chosen = nodes[3:12]
    for name, same in (("gaussian q", True), ("cauchy q", False)):
        before, after = (FarNodes(Z, chosen, (RADIALS[name],), Threads(1)) for Z in (Y, moved))
        before, after = (far.fields_at_nodes(charges, (RADIALS[name],))[RADIALS[name]] for far in (before, after))
        assert np.array_equal(before.potential, after.potential) == same


def test_bits_do_not_depend_on_threads():
    radial, (Y, _nodes) = RADIALS["gaussian q"], drawing("far nodes", 2)
    one, two = (FarNodes(Y, np.arange(N), (radial,), Threads(k)) for k in (1, 2))
    charges = np.linspace(1.0, 2.0, N)
    a, b = (far.fields_at_nodes(charges, (radial,))[radial] for far in (one, two))
    assert np.array_equal(a.potential, b.potential)
    assert np.array_equal(a.force, b.force)
    assert np.array_equal(one.force_of_nodes({radial: charges}), two.force_of_nodes({radial: charges}))
