"""Every backend against all pairs: radial functions x drawings x dimensions, within the tolerance that it declares."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import EVERY_METHOD, thinned

import nelayout as nl
from nelayout.core.formula.kernels import HALF_POWERS, KERNELS, Kernel, Radial, heavy_tailed, inverse_power
from nelayout.core.objective import Objective
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import BACKENDS, Exact, NBody, backend, check_backend
from nelayout.core.sums.nbody import near_loops as near
from nelayout.core.sums.nbody.auto import Auto
from nelayout.core.sums.nbody.far_nodes import FarNodes, falls_off
from nelayout.core.sums.nbody.grid import grid_for, plane
from nelayout.core.sums.nbody.mesh import Mesh, Sorted, single_precision, taylor
from nelayout.core.sums.nbody.tree import Tree, cells_of, law_of
from nelayout.errors import InputError, Unsupported
from nelayout.numerics.parallel import Threads

CAUCHY, GAUSSIAN = KERNELS["cauchy"], KERNELS["gaussian"]
RADIALS = {
    **{f"{name} q": Radial(kernel) for name, kernel in KERNELS.items()},
    **{f"cauchy q^{order:g}": Radial(CAUCHY, order) for order in (2.0, 1.5, 0.5, -0.5)},
    "cauchy box-cox 0.3": Radial(CAUCHY, 0.3, "boxcox"),
    "cauchy box-cox 1e-9": Radial(CAUCHY, 1e-9, "boxcox"),
    "cauchy ln q": Radial(CAUCHY, 0.0, "boxcox"),
    "cauchy q ln q": Radial(CAUCHY, 1.0, "power-log"),
    "gaussian q^2": Radial(GAUSSIAN, 2.0),
    "gaussian box-cox 0.5": Radial(GAUSSIAN, 0.5, "boxcox"),
    "gaussian q ln q": Radial(GAUSSIAN, 1.0, "power-log"),
    "gaussian ln q": Radial(GAUSSIAN, 0.0, "boxcox"),
    "1/d^3": Radial(inverse_power(3)),
    "ln d": Radial(KERNELS["inverse-distance"], 0.0, "boxcox"),
    **{f"heavy-tailed {tail:.2g}": Radial(heavy_tailed(tail)) for tail in (0.3, 1 / 3, 2 / 3, 0.8, 3.0)},
    "no name": Radial(Kernel(0.5, 2.0, 0.7), 0.7),
}
EACH = tuple(RADIALS.values())
N = 1200


def drawings(n: int, d: int) -> dict[str, np.ndarray]:
    """About a node per unit of volume in the first ones; the later ones are as uneven as drawings get."""
    rng = np.random.default_rng(7)
    size = n ** (1 / d)
    normal, uniform = rng.normal(size=(n, d)), rng.uniform(-0.5, 0.5, (n, d)) * size
    clusters = 0.5 * size * rng.normal(size=(20, d))[rng.integers(0, 20, n)] + 0.5 * normal
    line = np.zeros((n, d))
    line[:, 0] = np.linspace(-size, size, n)
    outlier = clusters.copy()
    outlier[3] += 1e5 * size
    pile = 0.4 * size * normal
    pile[n // 2 :: 2] = pile[0]
    return {
        "uniform": uniform,
        "gauss": 0.4 * size * normal,
        "clusters": clusters,
        "line": line,
        "small": 0.3 * normal,
        "expanded": 30 * uniform,
        "outlier": outlier,
        "coincident": (0.4 * size * normal[: n // 3])[np.arange(n) % (n // 3)],
        "pile": pile,
        "heavy-tailed": normal * np.exp(2.0 * rng.normal(size=(n, 1))),
    }


def masses(n: int) -> np.ndarray:
    """A few hubs hold much of the mass."""
    mass = np.random.default_rng(5).pareto(1.5, n) + 0.1
    return mass / mass.mean()


def errors(field, exact, mass: np.ndarray) -> tuple[float, float, float]:
    """Of the potential and of the net force, over their root mean squares; and of the whole sum M r."""

    def rms(a: np.ndarray) -> float:
        return float(np.sqrt(np.mean(a * a)))

    pairs, difference = mass @ np.abs(exact.potential), mass @ (field.potential - exact.potential)
    return (
        rms(field.potential - exact.potential) / rms(exact.potential),
        rms(field.force - exact.force) / max(rms(exact.force), 1e-300),
        abs(float(difference)) / float(pairs),
    )


def assert_same(a, b) -> None:
    """The bits of two fields."""
    np.testing.assert_array_equal(a.potential, b.potential)
    np.testing.assert_array_equal(a.force, b.force)


# Potential, net force and whole sum.
BOUNDS = {"tree": (2e-3, 2e-2, 1e-3), "mesh": (5e-3, 4e-2, 2e-3)}
BOUNDS |= {name: (bound / 2, 4 * bound, bound / 5) for name, bound in (("exact", 1e-12), ("auto", Mesh().tolerance))}
# What is harder by its nature: q ln q changes its sign, so its sums cancel; and a quarter of all nodes at one place,
# with hubs among them, make cells that three moments describe badly.
HARDER = {"power-log": 2.0, "pile": 3.0}
CLOUDS = list(drawings(9, 2))
# Every backend in every number of dimensions that it takes; those that pass the work on to others, or do it plainly,
# are mostly left to the full tests.
PLACES = [(name, d) for name in BACKENDS for d in ((1, 2) if name == "mesh" else (1, 2, 3))]
OFTEN = [(name, 2) for name in BACKENDS if name not in ("auto", "exact")]


def bounds(name: str, radial: Radial, cloud: str) -> np.ndarray:
    return np.array(BOUNDS[name]) * HARDER.get(radial.form, 1.0) * HARDER.get(cloud, 1.0)


@cache
def summed(cloud: str, d: int):
    """Every radial function's exact sums on a drawing."""
    return dict(zip(RADIALS, Exact(True, Threads(2)).fields(drawings(N, d)[cloud], masses(N), EACH), strict=True))


@pytest.mark.parametrize(
    ("place", "cloud"),
    [
        case
        for case in thinned(PLACES, CLOUDS, plain=lambda place, cloud: place in OFTEN and cloud == "clusters")
        # nodes at one place push each other on a mesh, by its error
        if (case.values[0][0], case.values[1]) != ("mesh", "pile")
    ],
)
def test_within_tolerance(place, cloud):
    (name, d), mass = place, masses(N)
    fields = backend(name, Threads(2), True).fields(drawings(N, d)[cloud], mass, EACH)
    for (label, radial), field in zip(RADIALS.items(), fields, strict=True):
        exact = summed(cloud, d)[label]
        if not np.all(np.isfinite(exact.force)):  # steeper than the least distance allows for
            assert label == "1/d^3"
            assert cloud in ("coincident", "pile")
            continue
        found = errors(field, exact, mass)
        assert np.all(found <= bounds(name, radial, cloud)), (label, found)


@pytest.mark.parametrize("label", ["cauchy q", "cauchy q^2", "cauchy ln q", "inverse-distance q", "heavy-tailed 0.3"])
@pytest.mark.parametrize("cloud", ["uniform", "clusters", "expanded"])
@pytest.mark.parametrize("kind", [Tree, Mesh])
def test_a_smaller_tolerance_is_kept(kind, cloud, label):
    """A sixteenth of the usual tolerance takes most of the error of net forces, down to the rounding of a grid."""
    Y, mass, radial = drawings(N, 2)[cloud], masses(N), RADIALS[label]
    usual, finer = (
        errors(kind(Threads(2), tolerance=part * kind().tolerance).fields(Y, mass, (radial,))[0], exact, mass)
        for exact in [summed(cloud, 2)[label]]
        for part in (1.0, 1 / 16)
    )
    assert BOUNDS[kind().name][0] <= kind().tolerance
    assert finer[1] <= max(0.4 * usual[1], 1e-4), (usual, finer)


def test_grids_know_what_they_cost():
    """Crowded, a grid fine enough for the kernel is the cheapest; spread a hundred times as wide, one with pairs."""
    clouds, radial = drawings(20_000, 2), RADIALS["cauchy q"]
    grids = [Mesh().grids(clouds[cloud], (radial,))[radial] for cloud in ("small", "uniform", "expanded")]
    assert [grid.near for grid in grids] == [False, True, True]
    assert 0 < grids[2].cost < 3 * grids[1].cost


SINGLE = {label: radial for label, radial in RADIALS.items() if single_precision(radial)}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("cloud", ["uniform", "clusters", "coincident"])
@pytest.mark.parametrize("label", SINGLE)
def test_near_pairs_are_those_of_the_definition(label, cloud, single):
    """r - R over pairs within the cutoff, in double precision and in single, each node without itself."""
    radial, Y, mass = RADIALS[label], drawings(600, 2)[cloud], masses(600)
    X, Z = plane(Y)
    grid = grid_for(30 * X, 30 * Z, radial)
    assert grid.near
    grid = replace(grid, x0=X.min(), y0=Z.min(), h=0.6 * grid.h)
    nodes, smooth = Sorted.of(X, Z, mass, grid), taylor(radial, grid.cutoff)
    (key, *numbers), real = radial.code, np.float32 if single else np.float64
    add, room = near.near_sums(*key, real), np.empty((3, near.most_near(nodes.starts, nodes.columns)), dtype=real)
    potential, fx, fy = np.zeros((3, 600))
    for first in range(0, nodes.rows, 2):
        add(
            *nodes[3:], nodes.starts, nodes.columns, nodes.rows, grid.cutoff, *numbers, smooth,
            first, min(first + 2, nodes.rows), potential, fx, fy, room
        )
    apart, mass = Y[nodes.order, None] - Y[None, nodes.order], mass[nodes.order]
    xi = (apart**2).sum(axis=2)
    z = xi - grid.cutoff
    here = (z < 0) & ~np.eye(600, dtype=bool)
    value = np.where(here, radial.value(xi) - np.polyval(smooth[::-1], z), 0.0) @ mass
    slope = np.where(here, radial.slope(xi) - np.polyval(np.polyder(smooth[::-1]), z), 0.0)
    pull = 2.0 * ((slope * mass)[:, :, None] * apart).sum(axis=1)
    tolerance = 1e-5 if single else 1e-12
    assert np.abs(potential - value).max() < tolerance * np.abs(value).max()
    assert np.abs(np.stack([fx, fy], axis=1) - pull).max() < tolerance * np.abs(pull).max()


def test_all_forms_with_a_single_precision_loop_are_tested():
    assert {radial.kind for radial in SINGLE.values()} == {"inverse", "half power", "gaussian"}
    twice = {2 * r.kernel.b * r.order / r.kernel.a for r in SINGLE.values() if r.kernel.a}
    assert twice == {2.0, *HALF_POWERS}


@pytest.mark.parametrize("d", [1, 2, 3])
def test_compiled_pairs_are_the_plain_ones(d):
    given = drawings(200, d)["clusters"], masses(200), EACH
    for label, plain, compiled in zip(RADIALS, Exact().fields(*given), Exact(True).fields(*given), strict=True):
        np.testing.assert_allclose(compiled.potential, plain.potential, rtol=1e-10, err_msg=label)
        close = {"rtol": 1e-8, "atol": 1e-12 * np.abs(plain.force).max(), "err_msg": label}
        np.testing.assert_allclose(compiled.force, plain.force, **close)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("label", RADIALS)
def test_nodes_do_not_act_on_themselves(label, d):
    """One node alone feels nothing; two feel each other and nothing else, up to rounding."""
    radial, tree = RADIALS[label], Tree()
    alone = tree.fields(np.full((1, d), 0.3), np.array([5.0]), (radial,))[0]
    assert alone.potential.tolist() == [0.0]
    assert alone.force.tolist() == [[0.0] * d]
    Y, mass = np.zeros((2, d)), np.array([3.0, 1e9])
    Y[1, -1] = 0.7
    two, exact = tree.fields(Y, mass, (radial,))[0], Exact().fields(Y, mass, (radial,))[0]
    for found, true in zip(two, exact, strict=True):
        np.testing.assert_allclose(found, true, rtol=1e-8 if "1e-9" in label else 1e-13)


def test_hubs_do_not_act_on_themselves_on_the_mesh():
    """A node a million times as heavy as the others feels only them, up to the mesh's rounding of what it spreads."""
    Y, mass = drawings(300, 2)["uniform"], np.ones(300)
    mass[7] = 1e6
    xi = np.linspace(0, 2 * float(np.ptp(Y)) ** 2, 100)
    for label, radial in RADIALS.items():
        if radial.kernel.singular:
            continue
        (on_mesh,), (exact,) = Mesh().fields(Y, mass, (radial,)), Exact().fields(Y, mass, (radial,))
        spread = 1e6 * float(np.abs(radial.value(xi)).max())
        assert abs(on_mesh.potential[7] - exact.potential[7]) < 1e-6 * spread + 1e-2 * abs(exact.potential[7]), label


@pytest.mark.parametrize("label", RADIALS)
@pytest.mark.parametrize("n", [2, 17, 500])
def test_all_nodes_at_one_place(label, n):
    """Everything stays finite, no node is pushed, and each feels the others at distance 0."""
    radial, mass = RADIALS[label], masses(n)
    field = Tree().fields(np.full((n, 3), -1.7), mass, (radial,))[0]
    expected = (mass.sum() - mass) * radial.value(np.zeros(1))[0]
    np.testing.assert_allclose(field.potential, expected, rtol=1e-10, atol=1e-6 * ("1e-9" in label))
    assert np.all(field.force == 0)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "n", "every"),
    [("exact", 1200, 4), ("exact", 2500, 4), ("mesh", 2500, 2), ("mesh", 9000, 8), ("tree", 2500, 2)],
)
def test_bits_do_not_depend_on_the_number_of_threads(name, n, every):
    for d in (1, 2) if name == "mesh" else (1, 2, 3):
        given, results = (drawings(n, d)["clusters"], masses(n), EACH[::every]), []
        for count in (1, 2, 5):
            threads = Threads(count)
            results.append(backend(name, threads, True).fields(*given))
            threads.close()
        for fields in zip(*results, strict=True):
            for other in fields[1:]:
                assert_same(fields[0], other)


@pytest.mark.parametrize(("name", "d"), [(name, d) for name, d in PLACES if name != "exact"])
def test_moved_and_relabeled(name, d):
    """Elsewhere, turned, and in another order, a drawing has the same sums within the tolerance."""
    Y, mass = drawings(N, d)["clusters"], masses(N)
    rng = np.random.default_rng(2)
    order, turn = rng.permutation(N), np.linalg.qr(rng.normal(size=(d, d)))[0]
    fields = backend(name, Threads(2), True).fields((Y @ turn + 1234.5)[order], mass[order], EACH)
    for (label, radial), field in zip(RADIALS.items(), fields, strict=True):
        back = np.argsort(order)
        restored = type(field)(field.potential[back], field.force[back] @ turn.T)
        assert np.all(errors(restored, summed("clusters", d)[label], mass) <= bounds(name, radial, "clusters")), label


def test_positions_that_are_not_finite():
    """A trial that went too far costs no time and says so."""
    Y = drawings(50_000, 2)["uniform"]
    Y[17, 1] = np.inf
    for name in ("tree", "auto"):
        (field,) = backend(name, Threads(), True).fields(Y, np.ones(len(Y)), (RADIALS["cauchy q"],))
        assert np.all(np.isnan(field.potential))
        assert np.all(np.isnan(field.force))


def work(Y: np.ndarray, radial: Radial) -> float:
    """What a tree sum takes, in pairs of nodes: a cell that is looked at is worth about ten, a far one twenty."""
    seen, far, pairs = Tree().walk(cells_of(Y, masses(len(Y))), radial, Y.shape[1])[1]
    return 10.0 * seen + 20.0 * far + pairs


@pytest.mark.full
@pytest.mark.parametrize("d", [1, 2, 3])
def test_size_and_unevenness_cost_nothing(d):
    """Thirty times as large, or with a node at the end of the world, a drawing takes at most twice the work."""
    clouds = drawings(6000 if d < 3 else 3000, d)
    far_node = clouds["uniform"].copy()
    far_node[0] += 1e9
    for label, radial in RADIALS.items():
        usual = work(clouds["uniform"], radial)
        for other in (clouds["expanded"], far_node):
            assert work(other, radial) <= 2.0 * usual, label
        assert work(clouds["uniform"] / 30, radial) <= 3.0 * usual, label
    for label in ("cauchy q", "cauchy q^2", "cauchy ln q", "inverse-distance q", "gaussian q") if d == 2 else ():
        radial = RADIALS[label]
        usual, large = (Mesh().grids(clouds[name], (radial,))[radial].cost for name in ("uniform", "expanded"))
        assert large <= 2.0 * usual, label


@pytest.mark.parametrize(("d", "times"), [(1, 11.0), (2, 12.0), (3, 16.0)])
def test_work_grows_like_n_log_n(d, times):
    """Eight times the nodes take far less than the 64 times of all pairs (in space, small drawings are all border)."""
    for label in ("cauchy q", "ln d", "cauchy q^2"):
        small, large = (work(drawings(n, d)["uniform"], RADIALS[label]) for n in (4000, 32000))
        assert large <= times * small, label


def test_cells_hold_every_node_once_and_know_their_moments():
    Y, mass = drawings(900, 3)["pile"], masses(900)
    cells = cells_of(Y, mass)
    np.testing.assert_array_equal(cells.points.T, Y[cells.order])
    np.testing.assert_array_equal(cells.charges, mass[cells.order])
    leaves = np.flatnonzero(cells.left < 0)
    held = np.concatenate([np.arange(cells.first[c], cells.last[c]) for c in leaves])
    assert sorted(cells.order) == sorted(held) == list(range(900))
    for c in range(len(cells.first)):
        inside = slice(cells.first[c], cells.last[c])
        m, X = cells.charges[inside], cells.points[:, inside]
        center = (X * m).sum(1) / m.sum()
        shifted = X - center[:, None]
        second = (m * shifted) @ shifted.T
        radius = np.sqrt((shifted**2).sum(0).max())
        expected = [*center, radius, m.sum(), *second[np.triu_indices(3)]]
        np.testing.assert_allclose(cells.moments[c], expected, rtol=1e-9, atol=1e-9 * mass.sum())
        if cells.left[c] >= 0:
            a = cells.left[c]
            assert (cells.first[a], cells.last[a + 1]) == (cells.first[c], cells.last[c])
            assert cells.last[a] == cells.first[a + 1]


@pytest.mark.parametrize("label", RADIALS)
def test_derivatives_of_the_radial_functions(label):
    """w v^k (A_k l + B_k) is the k-th derivative: each the central difference of the one before."""
    radial = RADIALS[label]
    law = law_of(radial)
    a, b, c, order = law[:4]

    def derivative(k: int, xi: np.ndarray) -> np.ndarray:
        u = c + a * xi if a else np.ones_like(xi)
        log_q = -(b / a) * np.log(u) if a else -b * xi
        return np.exp(order * log_q) * u**-k * (law[4 + k] * log_q + law[8 + k]) + (law[12] if k == 0 else 0.0)

    xi, h = np.array([0.3, 1.0, 5.0]), 1e-3
    np.testing.assert_allclose(derivative(0, xi), radial.value(xi), rtol=1e-8)
    np.testing.assert_allclose(derivative(1, xi), radial.slope(xi), rtol=1e-8)
    for k in range(3):
        differences = [derivative(k, xi + j * h) - derivative(k, xi - j * h) for j in (1, 2)]
        numeric = (8 * differences[0] - differences[1]) / (12 * h)
        np.testing.assert_allclose(derivative(k + 1, xi), numeric, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("n", "d", "cloud", "label", "name"),
    [
        (6000, 2, "uniform", "cauchy q", "mesh"),
        (6000, 2, "expanded", "cauchy q", "mesh"),
        (6000, 2, "outlier", "cauchy q", "tree"),
        (6000, 3, "uniform", "cauchy q", "tree"),
        (6000, 1, "uniform", "cauchy q", "tree"),
        (700, 3, "uniform", "cauchy q", "exact"),
        # the border depends on what a pair costs
        (1000, 2, "uniform", "cauchy q", "exact"),
        (1000, 2, "uniform", "heavy-tailed 3", "mesh"),
    ],
)
def test_auto_takes_the_cheapest_and_notes_a_tree_in_the_plane(n, d, cloud, label, name):
    auto, Y, radials = backend("auto", Threads(), True), drawings(n, d)[cloud], (RADIALS[label],)
    assert isinstance(auto, Auto)
    chosen = auto.choose(Y, radials)
    assert chosen.name == name
    assert ("small part of the drawing" in auto.note(Y, radials)) == (cloud == "outlier")
    assert_same(auto.fields(Y, masses(n), radials)[0], chosen.fields(Y, masses(n), radials)[0])


@pytest.mark.parametrize("name", BACKENDS)
def test_backends_keep_to_the_dimensions_they_declare(name):
    """What is refused is refused before work starts, and what is not refused works."""
    for d in (1, 2, 3):
        if d < 3 or name != "mesh":
            check_backend(name, d)
            found = backend(name, Threads(), True)
            assert found.name == name
            field = found.fields(drawings(50, d)["uniform"], masses(50), (RADIALS["cauchy q"],))[0]
            assert field.force.shape == (50, d)
        else:
            with pytest.raises(Unsupported, match=rf"'{name}' needs at most .* got dim={d}: use nbody='auto'"):
                nl.layout(nx.path_graph(4), dim=d, nbody=name)


def test_backends_that_are_not_there():
    assert backend("auto", Threads(), False).name == "exact"
    with pytest.raises(InputError, match="did you mean 'tree'"):
        backend("tre", Threads(), True)
    with pytest.raises(Unsupported, match="1 or 2 dimensions; got 3: use the tree"):
        Mesh().fields(np.zeros((3, 3)), np.ones(3), (RADIALS["cauchy q"],))


def test_small_graphs_load_neither_mesh_nor_tree():
    code = (
        "import sys; from nelayout.core.sums.nbody import backend; from nelayout.numerics.parallel import Threads\n"
        "backend('auto', Threads(), False)\n"
        "print(*[m for m in sys.modules if m.startswith('nelayout.core.sums.nbody')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name.removeprefix("nelayout.core.sums.") for name in sorted(done.stdout.split())]
    assert loaded == ["nbody", "nbody.exact", "nbody.field"]


FAR = 700
# Of a node's own sum; what lies far away and is left out is below 5e-5 of its largest term.
FAR_TOLERANCE = 1e-4


def far_drawing(kind: str, d: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, d) positions and the nodes that are asked for, the ones far from others among them."""
    rng = np.random.default_rng(3)
    Y = 4.0 * rng.normal(size=(FAR, d))
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
    return Y, np.union1d(np.arange(30), rng.choice(FAR, 60, replace=False))


@pytest.fixture
def cells_for_all(monkeypatch):
    """Also where all pairs would cost less."""
    monkeypatch.setattr("nelayout.core.sums.nbody.far_nodes.MAX_EXACT_PAIRS", 0)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", ["a cloud", "far nodes", "a dense cluster and nodes around", "piles", "a line"])
@pytest.mark.parametrize("name", ["gaussian q", "gaussian q^2", "gaussian q ln q", "gaussian box-cox 0.5", "cauchy q"])
def test_fields_at_far_nodes_and_their_force_on_all(name, kind, d, cells_for_all):
    radial, (Y, nodes) = RADIALS[name], far_drawing(kind, d)
    charges = 0.5 + np.random.default_rng(0).random(FAR)
    far, one = (FarNodes(Y, nodes, (radial,), Threads(count)) for count in (2, 1))
    field, all_pairs = far.fields_at_nodes(charges, (radial,))[radial], Exact().fields(Y, charges, (radial,))[0]
    assert_same(field, one.fields_at_nodes(charges, (radial,))[radial])  # for any number of threads
    potential, force = all_pairs.potential[nodes], all_pairs.force[nodes]
    # Measured by the sum of the values themselves, which is what these sums are divided by.
    xi = np.sum((Y[nodes, None] - Y) ** 2, axis=2)
    xi[np.arange(len(nodes)), nodes] = np.inf
    values = np.exp(-xi * radial.order) if radial.kernel is GAUSSIAN else radial.value(np.minimum(xi, 1e300))
    plain = (charges * np.abs(values)).sum(axis=1) + np.abs(potential)
    assert np.all(np.abs(field.potential - potential) <= FAR_TOLERANCE * plain + 1e-300)
    away = np.sqrt(np.min(xi, axis=1)) + 1.0
    assert np.all(np.linalg.norm(field.force - force, axis=1) <= FAR_TOLERANCE * plain * away + 1e-300)

    carried = np.zeros(FAR)
    carried[nodes] = charges[nodes] / plain  # as in a row that is divided by its sum
    expected = Exact().fields(Y, carried, (radial,))[0].force
    got = far.force_of_nodes({radial: carried[nodes]})
    np.testing.assert_array_equal(got, one.force_of_nodes({radial: carried[nodes]}))
    assert np.all(np.linalg.norm(got - expected, axis=1) <= FAR_TOLERANCE * np.max(away) + 1e-300)


def test_only_what_counts_is_looked_at(cells_for_all):
    """Of a Gaussian, nodes out of reach make no difference at all; other functions reach everywhere."""
    Y, nodes = far_drawing("far nodes", 2)
    moved = Y.copy()
    moved[FAR - 1] += 1e6
    assert falls_off((RADIALS["gaussian q"], RADIALS["gaussian q ln q"]))
    assert not falls_off((RADIALS["gaussian q"], RADIALS["cauchy q"]))
    assert not falls_off((RADIALS["gaussian box-cox 0.5"],))
    for name, same in (("gaussian q", True), ("cauchy q", False)):
        radials = (RADIALS[name],)
        far = (FarNodes(Z, nodes[3:12], radials, Threads(1)) for Z in (Y, moved))
        before, after = (each.fields_at_nodes(np.ones(FAR), radials)[radials[0]].potential for each in far)
        assert np.array_equal(before, after) == same


@cache
def fast_sums():
    """8 nearest neighbors of 2,000 points in space; method -> backend -> its objective."""
    graph, threads = nl.knn_graph(np.random.default_rng(0).normal(size=(2000, 3)), 8, seed=0), Threads()
    parts = EVERY_METHOD

    @cache
    def affinity(method: str):
        return input_affinity(graph, node_mass(graph, parts[method].mass)[0], parts[method], 0.0, threads)[0]

    def objective(method: str, nbody: NBody):
        return Objective.of(parts[method], affinity(method), nbody, threads, True)

    return graph, objective


@pytest.mark.full
@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("nbody", ["mesh", "tree"])
def test_gradients_where_fast_sums_lead(nbody, method):
    """Within 5 % of what the edges pull, which is as much as all pairs push: at rest their difference is 0."""
    graph, objective = fast_sums()
    Y = nl.solve(graph, EVERY_METHOD[method], nbody=nbody, scale=None, seed=0).positions
    slow = objective(method, Exact(True))
    exact, fast = slow.evaluate(Y, weights=True), objective(method, backend(nbody, Threads(), True)).evaluate(Y)
    P = slow.affinity.P
    W = csr_array((exact.weights, P.indices, P.indptr), shape=P.shape)
    pull = 4.0 * (W.sum(axis=1)[:, None] * Y - W @ Y)
    error = np.linalg.norm(fast.gradient - exact.gradient)
    assert error < 5e-2 * np.linalg.norm(exact.gradient - pull)
    assert error < 5e-2 * np.linalg.norm(pull)
    assert fast.value == pytest.approx(exact.value, rel=5e-3)
