"""The Dask floor gives the sums of the NumPy floor, for products of kernel, divergence, connection and mass."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from oracles import NAMES, objective, part, random_case
from scipy.sparse import csr_array
from test_family import CONNECTIONS, HOMOGENEOUS, KERNEL_TABLE, SPACES

from nelayout.core.catalogue import METHODS
from nelayout.core.formula.connections import Optimal
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import LBFGS, Majorize
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.sums.nbody.mesh import Mesh
from nelayout.errors import Unsupported
from nelayout.numerics.parallel import Threads

pytest.importorskip("distributed", reason="Dask, the extra [dask], is not installed")

from nelayout.distributed.floor import Blocks, DaskBackend, FloorSummation
from nelayout.distributed.reading import from_matrix
from nelayout.distributed.worker_pool import WorkerPool

# Rounding of positions, weights and pulls in single precision; of positions in a slab, beside distances of near pairs.
ROUNDING, IN_SLABS = 2e-5, 5e-5
CASES = [(name, c) for c in CONNECTIONS for name in NAMES] + [(name, Optimal()) for name in HOMOGENEOUS]
# A kernel, and masses with a dimension, for each of the cases in turn: every one of them meets every connection.
TURNS = [(KERNEL_TABLE[k % len(KERNEL_TABLE)], *SPACES[k % len(SPACES)]) for k in range(len(CASES))]


@pytest.fixture
def in_blocks(client, tmp_path):
    """Return a function: a matrix in blocks on two workers."""
    teams = []

    def to_device(P, count=4):
        cut = from_matrix(P, tmp_path, blocks=count).cut
        teams.append(WorkerPool(client, uuid.uuid4().hex))
        return Blocks(teams[-1], cut, 1.0, cut.gathered("degree"), cut.gathered("strength"))

    yield to_device
    for team in teams:
        team.leave()


def on_floor(blocks, m, *parts, **options):
    """The objective with its edges on the workers."""
    return objective(blocks, m, *parts, compiled=True, device=DaskBackend(), **options)


def rounded(P, Y):
    """The same in single precision, which blocks have."""
    return csr_array((P.data.astype(np.float32).astype(float), P.indices, P.indptr), shape=P.shape), np.float64(
        np.float32(Y)
    )


@pytest.mark.parametrize(
    ("name", "connection", "kernel", "mass", "d"),
    [(*case, *turn) for case, turn in zip(CASES, TURNS, strict=True)],
    ids=lambda given: str(getattr(given, "name", given)),
)
def test_value_gradient_and_attraction_are_those_of_numpy(in_blocks, name, connection, kernel, mass, d):
    P, m, Y = random_case(9, mass, n=40, d=d, density=0.1)
    P, Y = rounded(P, Y)
    here = objective(P, m, kernel, part(name), connection)
    there = on_floor(in_blocks(P), m, kernel, part(name), connection)
    a, b = here.evaluate(Y, attraction=True), there.evaluate(Y, attraction=True)
    assert b.value == pytest.approx(a.value, rel=ROUNDING)
    assert b.lam == pytest.approx(a.lam, rel=ROUNDING)
    for found, true in ((b.gradient, a.gradient), (b.attraction, a.attraction)):
        np.testing.assert_allclose(found, true, rtol=ROUNDING, atol=ROUNDING * np.abs(true).max())
    cost = here.node_cost(Y, a.lam)
    np.testing.assert_allclose(there.node_cost(Y, a.lam), cost, rtol=ROUNDING, atol=ROUNDING * np.abs(cost).max())


@pytest.mark.parametrize("name", ["ws-sne", "gamma-quadlog", "tsne", "nerv", "forceatlas2"])
def test_lbfgs_goes_where_it_goes_on_numpy(in_blocks, name):
    method = METHODS[name]
    P, m, Y = random_case(3, "varied", n=60, density=0.1)
    P, Y = rounded(P, 3.0 * Y)
    parts = method.kernel, method.divergence, method.connection
    J = [make(given, m, *parts, gravity=method.gravity) for make, given in ((objective, P), (on_floor, in_blocks(P)))]
    ends = [minimize(each, Y, LBFGS(), 12, StoppingRule()).value for each in J]
    assert ends[1] == pytest.approx(ends[0], rel=1e-3)


@pytest.mark.parametrize("name", ["ws-sne", "gamma-quadlog", "linlog", "ee", "tsne", "nerv"])
def test_slabs_give_the_sums_of_the_mesh(in_blocks, name):
    """Near pairs and readings of the field on workers; nodes lie so far apart that the mesh splits the kernel."""
    rng, n = np.random.default_rng(5), 1500
    Y = np.float64(np.float32(np.concatenate([rng.normal(size=(n // 2, 2)), 300.0 * rng.random((n // 2, 2))])))
    A = csr_array((np.ones(n), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n))
    P = csr_array((A + A.T) / (2 * n))
    P.data = P.data.astype(np.float32).astype(float)
    blocks, method, mass, mesh = in_blocks(P), METHODS[name], np.ones(n), Mesh(Threads())
    assert any(grid.near for grid in mesh.grids(Y, (Radial(method.kernel),)).values())
    here = Objective.of(method, Affinity(P, mass), mesh, Threads(), True).evaluate(Y)
    there = FloorSummation("mesh", Threads()).objective(method, Affinity(blocks, mass)).evaluate(Y)
    assert blocks.team.received > 12 * n
    assert there.value == pytest.approx(here.value, rel=ROUNDING)
    np.testing.assert_allclose(there.gradient, here.gradient, atol=IN_SLABS * np.abs(here.gradient).max())


def test_optimizers_that_need_every_edge_are_refused(in_blocks):
    P, m, Y = random_case(3, "unit", n=20)
    method = METHODS["gamma-quadlog"]
    J = on_floor(in_blocks(rounded(P, Y)[0]), m, method.kernel, method.divergence, method.connection)
    with pytest.raises(Unsupported, match="use optimizer='lbfgs'"):
        Majorize().init(J, Y)


def test_a_pair_has_its_exact_value(in_blocks):
    """Two nodes at distance 1 under t-SNE's parts: p = q = 1/2 each way, so the divergence is 0."""
    P, method = csr_array(np.array([[0.0, 0.5], [0.5, 0.0]])), METHODS["tsne"]
    J = on_floor(in_blocks(P, 2), np.ones(2), method.kernel, method.divergence, method.connection)
    found = J.evaluate(np.array([[0.0, 0.0], [1.0, 0.0]]), attraction=True)
    assert found.value == pytest.approx(0.0, abs=1e-12)
    # omega = p / (1 + xi), and the repulsion balances it
    assert found.attraction.tolist() == pytest.approx([0.25, 0.25])
    assert np.abs(found.gradient).max() < 1e-12
