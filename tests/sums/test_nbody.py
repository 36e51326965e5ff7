"""Every backend against all pairs: radial functions x drawings x dimensions, within the tolerance that it declares."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
from tables import thinned

import nelayout as nl
from nelayout.errors import InputError, Unsupported
from nelayout.formula.kernels import HALF_POWERS, KERNELS, Kernel, Radial, heavy_tailed, inverse_power
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody import BACKENDS, Exact, backend, check_backend
from nelayout.sums.nbody import near_loops as near
from nelayout.sums.nbody.grid import grid_for, plane
from nelayout.sums.nbody.mesh import Mesh, Sorted, single_precision, taylor
from nelayout.sums.nbody.tree import Tree, cells_of, law_of

CAUCHY, GAUSSIAN = KERNELS["cauchy"], KERNELS["gaussian"]
RADIALS = {
    **{f"{name} q": Radial(kernel) for name, kernel in KERNELS.items()},
    "cauchy q^2": Radial(CAUCHY, 2.0),
    "cauchy q^1.5": Radial(CAUCHY, 1.5),
    "cauchy q^0.5": Radial(CAUCHY, 0.5),
    "cauchy q^-0.5": Radial(CAUCHY, -0.5),
    "cauchy box-cox 0.3": Radial(CAUCHY, 0.3, "boxcox"),
    "cauchy box-cox 1e-9": Radial(CAUCHY, 1e-9, "boxcox"),
    "cauchy ln q": Radial(CAUCHY, 0.0, "boxcox"),
    "cauchy q ln q": Radial(CAUCHY, 1.0, "power-log"),
    "gaussian box-cox 0.5": Radial(GAUSSIAN, 0.5, "boxcox"),
    "gaussian q ln q": Radial(GAUSSIAN, 1.0, "power-log"),
    "gaussian ln q": Radial(GAUSSIAN, 0.0, "boxcox"),
    "1/d^3": Radial(inverse_power(3)),
    "ln d": Radial(KERNELS["inverse-distance"], 0.0, "boxcox"),
    "heavy-tailed 0.3": Radial(heavy_tailed(0.3)),
    "heavy-tailed 1/3": Radial(heavy_tailed(1 / 3)),
    "heavy-tailed 2/3": Radial(heavy_tailed(2 / 3)),
    "heavy-tailed 0.8": Radial(heavy_tailed(0.8)),
    "heavy-tailed 3": Radial(heavy_tailed(3.0)),
    "no name": Radial(Kernel(0.5, 2.0, 0.7), 0.7),
}
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


def rms(a: np.ndarray) -> float:
    return float(np.sqrt(np.mean(a * a)))


def errors(field, exact, mass: np.ndarray) -> tuple[float, float, float]:
    """Of the potential and of the net force, over their root mean squares; and of the whole sum M r."""
    pairs, difference = mass @ np.abs(exact.potential), mass @ (field.potential - exact.potential)
    return (
        rms(field.potential - exact.potential) / rms(exact.potential),
        rms(field.force - exact.force) / max(rms(exact.force), 1e-300),
        abs(float(difference)) / float(pairs),
    )


# Potential, net force and whole sum.  Backends that are not named here are held to the tolerance that they declare.
BOUNDS = {"tree": (2e-3, 2e-2, 1e-3), "mesh": (5e-3, 4e-2, 2e-3)}
# What is harder by its nature: q ln q changes its sign, so its sums cancel; and a quarter of all nodes at one place,
# with hubs among them, make cells that three moments describe badly.
HARDER = {"power-log": 2.0, "pile": 3.0}
CLOUDS = list(drawings(9, 2))


# Every backend in every number of dimensions that it takes; those that pass the work on to others, or do it plainly,
# are mostly left to the full tests.
PLACES = [(name, d) for name in BACKENDS for d in ((1, 2) if name == "mesh" else (1, 2, 3))]
OFTEN = [(name, 2) for name in BACKENDS if name not in ("auto", "exact")]


def sums_of(name: str, Y: np.ndarray, mass: np.ndarray):
    """A backend's sums of every radial function."""
    carrier = backend(name, Threads(2), True)
    assert BOUNDS.get(name, (0.0,))[0] <= carrier.tolerance
    return carrier.fields(Y, mass, tuple(RADIALS.values()))


def bounds(name: str, radial: Radial, cloud: str) -> np.ndarray:
    declared = backend(name, Threads(), True).tolerance
    usual = np.array(BOUNDS.get(name, (declared / 2, 4 * declared, declared / 5)))
    return usual * HARDER.get(radial.form, 1.0) * HARDER.get(cloud, 1.0)


@cache
def summed(cloud: str, d: int):
    """Every radial function's exact sums on a drawing."""
    Y = drawings(N, d)[cloud]
    return dict(zip(RADIALS, Exact(True, Threads(2)).fields(Y, masses(N), tuple(RADIALS.values())), strict=True))


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
    name, d = place
    Y, mass = drawings(N, d)[cloud], masses(N)
    fields = sums_of(name, Y, mass)
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
    exact = summed(cloud, 2)[label]
    usual, finer = (
        errors(kind(Threads(2), tolerance=kind().tolerance * part).fields(Y, mass, (radial,))[0], exact, mass)
        for part in (1.0, 1 / 16)
    )
    assert finer[1] <= max(0.4 * usual[1], 1e-4), (usual, finer)


def test_grids_know_what_they_cost():
    """Crowded, a grid fine enough for the kernel is the cheapest; spread a hundred times as wide, one with pairs."""
    clouds, radial = drawings(20_000, 2), RADIALS["cauchy q"]
    crowded, usual, large = (
        Mesh().grids(cloud, (radial,))[radial] for cloud in (clouds["small"], clouds["uniform"], clouds["expanded"])
    )
    assert not crowded.near
    assert usual.near
    assert large.near
    assert 0 < large.cost < 3 * usual.cost


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
    box = X.min(), Z.min(), X.max(), Z.max()
    grid = replace(grid, x0=box[0], y0=box[1], h=0.6 * grid.h)
    nodes, smooth = Sorted.of(X, Z, mass, grid), taylor(radial, grid.cutoff)
    rows = (len(nodes.starts) - 1) // nodes.columns
    key, *numbers = radial.code
    real = np.float32 if single else np.float64
    add, room = near.near_sums(*key, real), np.empty((3, near.most_near(nodes.starts, nodes.columns)), dtype=real)
    potential, fx, fy = np.zeros((3, 600))
    for first in range(0, rows, 2):
        add(
            nodes.X, nodes.Z, nodes.charges, nodes.starts, nodes.columns, rows, grid.cutoff, *numbers, smooth,
            first, min(first + 2, rows), potential, fx, fy, room
        )
    apart = Y[nodes.order, None] - Y[None, nodes.order]
    xi = (apart**2).sum(axis=2)
    z = xi - grid.cutoff
    here = (z < 0) & ~np.eye(600, dtype=bool)
    value = np.where(here, radial.value(xi) - np.polyval(smooth[::-1], z), 0.0)
    slope = np.where(here, radial.slope(xi) - np.polyval(np.polyder(smooth[::-1]), z), 0.0)
    pull = 2.0 * ((slope * mass[nodes.order])[:, :, None] * apart).sum(axis=1)
    tolerance = 1e-5 if single else 1e-12
    assert np.abs(potential - value @ mass[nodes.order]).max() < tolerance * np.abs(value @ mass[nodes.order]).max()
    assert np.abs(np.stack([fx, fy], axis=1) - pull).max() < tolerance * np.abs(pull).max()


def test_all_forms_with_a_single_precision_loop_are_tested():
    assert {radial.kind for radial in SINGLE.values()} == {"inverse", "half power", "gaussian"}
    twice = {2 * r.kernel.b * r.order / r.kernel.a for r in SINGLE.values() if r.kernel.a}
    assert twice == {2.0, *HALF_POWERS}


@pytest.mark.parametrize("d", [1, 2, 3])
def test_compiled_pairs_are_the_plain_ones(d):
    Y, mass = drawings(200, d)["clusters"], masses(200)
    for label, radial in RADIALS.items():
        (plain,), (compiled,) = Exact().fields(Y, mass, (radial,)), Exact(True).fields(Y, mass, (radial,))
        np.testing.assert_allclose(compiled.potential, plain.potential, rtol=1e-10, err_msg=label)
        np.testing.assert_allclose(
            compiled.force, plain.force, rtol=1e-8, atol=1e-12 * np.abs(plain.force).max(), err_msg=label
        )


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
    np.testing.assert_allclose(two.potential, exact.potential, rtol=1e-8 if "1e-9" in label else 1e-13)
    np.testing.assert_allclose(two.force, exact.force, rtol=1e-8 if "1e-9" in label else 1e-13)


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
    at_zero = radial.value(np.zeros(1))[0]
    np.testing.assert_allclose(
        field.potential, (mass.sum() - mass) * at_zero, rtol=1e-10, atol=1e-6 * ("1e-9" in label)
    )
    assert np.all(field.force == 0)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "n", "every"),
    [
        ("exact", 1200, 4),
        pytest.param("exact", 2500, 4, marks=pytest.mark.full),
        ("mesh", 2500, 2),
        ("mesh", 9000, 8),
        ("tree", 2500, 2),
    ],
)
def test_bits_do_not_depend_on_the_number_of_threads(name, n, every):
    radials = tuple(RADIALS.values())[::every]
    for d in (1, 2) if name == "mesh" else (1, 2, 3):
        Y, mass = drawings(n, d)["clusters"], masses(n)
        results = []
        for count in (1, 2, 5):
            threads = Threads(count)
            results.append(backend(name, threads, True).fields(Y, mass, radials))
            threads.close()
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                np.testing.assert_array_equal(a.potential, b.potential)
                np.testing.assert_array_equal(a.force, b.force)


@pytest.mark.parametrize(("name", "d"), [(name, d) for name, d in PLACES if name != "exact"])
def test_moved_and_relabeled(name, d):
    """Elsewhere, turned, and in another order, a drawing has the same sums within the tolerance."""
    Y, mass = drawings(N, d)["clusters"], masses(N)
    rng = np.random.default_rng(2)
    order, turn = rng.permutation(N), np.linalg.qr(rng.normal(size=(d, d)))[0]
    fields = sums_of(name, (Y @ turn + 1234.5)[order], mass[order])
    for (label, radial), field in zip(RADIALS.items(), fields, strict=True):
        back = np.argsort(order)
        restored = type(field)(field.potential[back], field.force[back] @ turn.T)
        assert np.all(errors(restored, summed("clusters", d)[label], mass) <= bounds(name, radial, "clusters")), label


def test_positions_that_are_not_finite():
    """A trial that went too far costs no time and says so."""
    Y = drawings(50_000, 2)["uniform"]
    Y[17, 1] = np.inf
    for carrier in (Tree(), backend("auto", Threads(), True)):
        (field,) = carrier.fields(Y, np.ones(len(Y)), (RADIALS["cauchy q"],))
        assert np.all(np.isnan(field.potential))
        assert np.all(np.isnan(field.force))


def work(Y: np.ndarray, radial: Radial) -> float:
    """What a tree sum takes, in pairs of nodes: a cell that is looked at is worth about ten, a far one twenty."""
    mass = masses(len(Y))
    seen, far, pairs = Tree().walk(cells_of(Y, mass), radial, Y.shape[1])[1]
    return 10.0 * seen + 20.0 * far + pairs


@pytest.mark.full
@pytest.mark.parametrize("d", thinned([1, 2, 3], plain=lambda d: d == 2))
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
    if d == 2:
        for label in ("cauchy q", "cauchy q^2", "cauchy ln q", "inverse-distance q", "gaussian q"):
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
    assert sorted(cells.order) == list(range(900))
    np.testing.assert_array_equal(cells.points.T, Y[cells.order])
    np.testing.assert_array_equal(cells.charges, mass[cells.order])
    leaves = np.flatnonzero(cells.left < 0)
    held = np.concatenate([np.arange(cells.first[c], cells.last[c]) for c in leaves])
    assert sorted(held) == list(range(900))
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


def test_auto_takes_the_cheapest_and_notes_a_tree_in_the_plane():
    auto = backend("auto", Threads(), True)
    cauchy = (RADIALS["cauchy q"],)
    clouds = {d: drawings(6000, d) for d in (1, 2, 3)}
    expected = {
        (2, "uniform"): "mesh",
        (2, "expanded"): "mesh",
        (2, "outlier"): "tree",
        (3, "uniform"): "tree",
        (1, "uniform"): "tree",
    }
    for (d, cloud), name in expected.items():
        Y, mass = clouds[d][cloud], masses(6000)
        chosen = auto.choose(Y, cauchy)
        assert chosen.name == name
        assert ("small part of the drawing" in (auto.note(Y, cauchy) or "")) == (cloud == "outlier")
        np.testing.assert_array_equal(
            auto.fields(Y, mass, cauchy)[0].potential, chosen.fields(Y, mass, cauchy)[0].potential
        )
    small = drawings(700, 3)["uniform"]
    assert auto.choose(small, cauchy).name == "exact"
    # The border depends on what a pair costs.
    between = drawings(1000, 2)["uniform"]
    assert auto.choose(between, cauchy).name == "exact"
    assert auto.choose(between, (RADIALS["heavy-tailed 3"],)).name == "mesh"


@pytest.mark.parametrize("name", BACKENDS)
def test_backends_keep_to_the_dimensions_they_declare(name):
    """What is refused is refused before work starts, and what is not refused works."""
    for d in (1, 2, 3):
        Y = drawings(50, d)["uniform"]
        if d < 3 or name != "mesh":
            check_backend(name, d)
            field = backend(name, Threads(), True).fields(Y, masses(50), (RADIALS["cauchy q"],))[0]
            assert field.force.shape == (50, d)
        else:
            with pytest.raises(Unsupported, match=rf"'{name}' needs at most .* got dim={d}: use nbody='auto'"):
                nl.layout(nx.path_graph(4), dim=d, nbody=name)


def test_small_graphs_load_neither_mesh_nor_tree():
    code = (
        "import sys; from nelayout.sums.nbody import backend; from nelayout.numerics.parallel import Threads\n"
        "backend('auto', Threads(), False); print(*[m for m in sys.modules if m.startswith('nelayout.sums.nbody')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name.removeprefix("nelayout.sums.") for name in sorted(done.stdout.split())]
    assert loaded == ["nbody", "nbody.exact", "nbody.field"]


def test_backends_by_name():
    for name in BACKENDS:
        assert backend(name, Threads(), True).name == name
    assert backend("auto", Threads(), False).name == "exact"
    with pytest.raises(InputError, match="did you mean 'tree'"):
        backend("tre", Threads(), True)
    with pytest.raises(Unsupported, match="1 or 2 dimensions; got 3: use the tree"):
        Mesh().fields(np.zeros((3, 3)), np.ones(3), (RADIALS["cauchy q"],))
