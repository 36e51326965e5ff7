"""One more node beside a finished drawing: its objective is what J says of it, and its place depends on nobody else."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from tables import EVERY_METHOD, RECIPES, thinned

import nelayout as nl
from nelayout.core.added.descent import place
from nelayout.core.added.objective import AddedNodes, NewEdges, new_edges_of
from nelayout.core.formula.kernels import KERNELS, Radial, heavy_tailed
from nelayout.core.objective import Objective
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact, outside
from nelayout.core.sums.nbody.outside import Sources
from nelayout.numerics.parallel import Threads

ONE = Threads(1)
RADIALS = (
    Radial(KERNELS["cauchy"]),
    Radial(KERNELS["gaussian"]),
    Radial(KERNELS["inverse-square"], 0.0, "boxcox"),
    Radial(KERNELS["cauchy"], 1.0, "power-log"),
    Radial(heavy_tailed(2.0), 0.3),
)


def weights(G: nx.Graph) -> csr_array:
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
    return csr_array((A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)


A77 = weights(nx.les_miserables_graph())


def objective(name: str, A: csr_array = A77, smoothing: float = 0.0):
    method = EVERY_METHOD[name]
    affinity, _ = input_affinity(A, node_mass(A, method.mass)[0], method, smoothing, ONE)
    return Objective.of(method, affinity, Exact(False, ONE), ONE, False)


def only(i: int) -> np.ndarray:
    return np.arange(77) == i


@pytest.mark.parametrize(
    ("name", "smoothing"),
    [*((name, 0.0) for name in EVERY_METHOD), *((name, 0.8) for name in ("gamma-quadlog", "quadlog", "ee"))],
)
def test_gradient_is_that_of_the_drawing_s_own_objective(name, smoothing):
    """J has a pair twice, and J_t once; by rows J_t has both rows, as J has.  So rest in one is rest in the other.

    Under a random walk, rho sum_j S_ij (p 1)_j (y_i - (p Y)_j / (p 1)_j) = sum_j p_ij (y_i - y_j): p - rho S p is
    (1 - rho) I.
    """
    J = objective(name, smoothing=smoothing)
    assert (J.affinity.walk is None) == (smoothing == 0)
    Y = 2.0 * np.random.default_rng(1).standard_normal((77, 2))
    gradient, factor = J.evaluate(Y).gradient, 1.0 if J.by_rows else 2.0
    bounds = {"rtol": 1e-6, "atol": 1e-7} if smoothing else {"rtol": 1e-8, "atol": 1e-12}
    for i in (0, 10, 48):
        found = AddedNodes(J, Y, ONE, ~only(i)).evaluate(Y[i : i + 1], new_edges_of(J, only(i)))
        np.testing.assert_allclose(factor * found.gradient[0], gradient[i], **bounds)


def test_new_rows_under_a_random_walk_come_to_their_own():
    """Three groups of rows under smoothing, of which every other one is placed on the drawing of the others."""
    pytest.importorskip("sklearn", reason="scikit-learn, the extra [vectors], is not installed")
    X = np.random.default_rng(0).normal(size=(240, 10)) + np.repeat([[0.0], [6.0], [12.0]], 80, axis=0)
    estimator = nl.NeighborEmbedding(method="gamma-quadlog", method_options={"smoothing": 0.9}, random_state=0)
    old = estimator.fit_transform(X[::2]).reshape(3, 40, 2)
    new = estimator.transform(X[1::2]).reshape(3, 40, 2)
    apart = np.linalg.norm(new[:, :, None] - old.mean(axis=1), axis=3)
    assert (apart.argmin(axis=2) == np.arange(3)[:, None]).all()
    assert np.abs(new.mean(axis=1) - old.mean(axis=1)).max() < 0.1 * np.ptp(old.reshape(-1, 2))


@pytest.mark.parametrize(
    ("name", "dim"), thinned(EVERY_METHOD, [1, 2, 3], plain=lambda name, dim: dim == 2 and name in RECIPES)
)
def test_gradient_is_the_slope_of_the_value(name, dim):
    J = objective(name)
    rng = np.random.default_rng(2)
    added = AddedNodes(J, 2.0 * rng.standard_normal((77, dim)), ONE)
    ties, at, h = new_edges_of(J, only(11)), rng.standard_normal((1, dim)), 1e-5
    slopes = [
        (added.evaluate(at + h * e, ties).value - added.evaluate(at - h * e, ties).value)[0] / (2 * h)
        for e in np.eye(dim)
    ]
    np.testing.assert_allclose(added.evaluate(at, ties).gradient[0], slopes, rtol=1e-5, atol=1e-8)


def test_a_node_that_leaves_a_saddle_comes_to_rest():
    """J falls ever faster for 40 steps before it comes to a minimum, a tenth of a distance from a lower one."""
    J, method = objective("ftsne js"), EVERY_METHOD["ftsne js"]
    Y = np.asarray(nl.solve(A77, method, seed=0, scale=None).positions)
    added, ties = AddedNodes(J, Y, ONE), new_edges_of(J, only(10))
    at, typical = place(added, ties), np.sqrt(((Y - Y.mean(0)) ** 2).sum(1).mean() / 77)
    least = added.evaluate(at, ties).value[0]
    for angle in np.linspace(0, 2 * np.pi, 12):
        beside = at + 1e-2 * typical * np.array([[np.cos(angle), np.sin(angle)]])
        assert added.evaluate(beside, ties).value[0] > least - 1e-9 * abs(least)


@pytest.mark.parametrize("name", ["ws-sne", "linlog"])
def test_few_nodes_have_a_better_place_about_their_own(name):
    """Of 40 nodes, 500 places about each; with one start for each node 6 and 8 of them had one."""
    A, n = weights(nx.barabasi_albert_graph(300, 2, seed=0)), 300
    J = objective(name, A)
    Y = np.asarray(nl.solve(A, EVERY_METHOD[name], seed=0, scale=None).positions)
    new = np.random.default_rng(1).permutation(n) < 40
    added, ties = AddedNodes(J, Y, ONE, ~new), new_edges_of(J, new, ~new)
    at = place(added, ties)
    least = added.evaluate(at, ties).value
    rng, typical = np.random.default_rng(2), np.sqrt(((Y - Y.mean(0)) ** 2).sum(1).mean() / n)
    places = at + 4 * typical * rng.standard_normal((500, 40, 2))
    best = np.min([added.evaluate(elsewhere, ties).value for elsewhere in places], axis=0)
    assert np.count_nonzero(best < least - 1e-3 * abs(least)) <= 2


def test_a_node_without_edges_has_a_place():
    J = objective("tsne")
    Y = np.random.default_rng(0).standard_normal((77, 2))
    none = np.zeros(0)
    at = place(AddedNodes(J, Y, ONE), NewEdges(none.astype(int), none.astype(int), none, none, np.ones(1)))
    assert np.isfinite(at).all()


@pytest.mark.parametrize(("n", "dim"), thinned([300, 1500, 9000], [1, 2, 3], plain=lambda n, dim: (n, dim) == (300, 2)))
def test_fields_at_places_are_those_of_the_definition(n, dim):
    rng = np.random.default_rng(3)
    Y = np.concatenate([rng.standard_normal((n // 3, dim)) + 10 * rng.standard_normal(dim) for _ in range(3)])
    charges, at = rng.uniform(0.5, 2.0, len(Y)), Y[::17] + 0.1 * rng.standard_normal((len(Y[::17]), dim))
    diff = at[:, None] - Y
    xi = np.einsum("ijc,ijc->ij", diff, diff)
    tolerance = 1e-10 if n < outside.MIN_TREE_NODES else 1e-2
    for radial, field in zip(RADIALS, Sources(Y, charges, Threads(2)).fields(at, RADIALS), strict=True):
        potential = (radial.value(xi) * charges).sum(axis=1)
        force = 2.0 * np.einsum("ij,ijc->ic", radial.slope(xi) * charges, diff)
        np.testing.assert_allclose(field.potential, potential, atol=tolerance * np.abs(potential).mean())
        np.testing.assert_allclose(field.force, force, atol=tolerance * np.sqrt((force * force).mean()) * 4)


@pytest.mark.parametrize("n", [300, 1500, 9000])
def test_bits_of_a_place_do_not_depend_on_the_others(n):
    rng = np.random.default_rng(4)
    Y, at = rng.standard_normal((n, 2)), rng.standard_normal((600, 2))
    for radial in RADIALS:
        (whole,) = Sources(Y, np.ones(n), Threads(2)).fields(at, (radial,))
        (some,) = Sources(Y, np.ones(n), ONE).fields(at[500:503][::-1], (radial,))
        assert np.array_equal(some.potential[::-1], whole.potential[500:503])
        assert np.array_equal(some.force[::-1], whole.force[500:503])


@pytest.mark.parametrize("seed", [0, 2, 11])
def test_a_step_where_the_objective_is_all_but_flat_is_cut_before_it_is_squared(seed):
    """Half of a tree on a line: the attraction at some starts is all but 0, and NumPy warned of infinities."""
    G = nx.balanced_tree(3, 4)
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((len(G), 1))
    known = {int(v): Y[v] for v in rng.permutation(len(G))[:60]}
    drawn = nl.solve(G, "mds-ks", pos=known, dim=1, seed=0)
    assert drawn.value < nl.evaluate(G, {v: Y[v] for v in G}, "mds-ks", size="best").value
