"""Variational ft-SNE: conjugates against their definition, the bound against the divergence, the run against both."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from nelayout.core.variational.game import CONJUGATES, Network, PairSamples, near_pairs, variational_drawing
from nelayout.errors import InputError, MissingExtra

# Name -> f and f'.
F = {
    "kl": (lambda t: t * np.log(t), lambda t: 1 + np.log(t)),
    "reverse-kl": (lambda t: -np.log(t), lambda t: -1 / t),
    "js": (lambda t: t * np.log(t) - (t + 1) * np.log((t + 1) / 2), lambda t: np.log(2 * t / (t + 1))),
    "hellinger": (lambda t: (np.sqrt(t) - 1) ** 2, lambda t: 1 - 1 / np.sqrt(t)),
    "chi2": (lambda t: (t - 1) ** 2, lambda t: 2 * (t - 1)),
}
DIVERGENCES = sorted(F)


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="variational ft-SNE needs torch: pip install nelayout[torch]")


def all_q(Y):
    """(n, n) q = 1/(1 + squared distance), 0 on the diagonal."""
    q = 1 / (1 + ((Y[:, None] - Y) ** 2).sum(axis=2))
    np.fill_diagonal(q, 0)
    return q


def normalizer(Y):
    """Z and its gradient."""
    q = all_q(Y)
    return q.sum(), -4 * (q[:, :, None] ** 2 * (Y[:, None] - Y)).sum(axis=1)


def two_clusters(seed=0):
    """P (20, 20) of sum 1: alike within each half, and weakly across; features; a start without order."""
    rng = np.random.default_rng(seed)
    half = np.repeat([0, 1], 10)
    P = np.where(half[:, None] == half, 1.0, 0.02)
    np.fill_diagonal(P, 0)
    features = np.stack([half + 0.1 * rng.normal(size=20), rng.normal(size=20)], axis=1)
    return P / P.sum(), features, rng.normal(size=(20, 2)), half


def sparse(n, density, seed=0):
    rng = np.random.default_rng(seed)
    P = rng.random((n, n)) * (rng.random((n, n)) < density)
    P = P + P.T
    np.fill_diagonal(P, 0)
    return P


def primal_of(name, P):
    off = P > 0

    def primal(Y):
        q = all_q(Y)[off] / all_q(Y).sum()
        return float(np.sum(q * F[name][0](P[off] / q)))

    return primal


def run(P, features, Y0, *args, **options):
    return variational_drawing(P, features, Y0, *args, **{"normalizer": normalizer, "rng": 0, "rounds": 3} | options)


def network(X, name="kl", widths=(10, 20), seed=0):
    """One with random weights in every layer."""
    torch, rng = pytest.importorskip("torch"), np.random.default_rng(seed)
    made = Network.of(np.asarray(X, dtype=float), CONJUGATES[name], rng, widths)
    with torch.no_grad():
        made.weights[4] += torch.from_numpy(rng.normal(size=made.weights[4].shape))
    return made


@pytest.mark.gpu
@pytest.mark.parametrize("name", DIVERGENCES)
def test_conjugate_is_the_greatest_value_and_the_best_h_gives_the_divergence(torch, name):
    """f*(h(x)) = max_{t >= 0} [h t - f(t)] over 400,001 values of t; the paper's of chi-square holds for h >= -2.

    At h = f'(p/q) the bound is the divergence; at any other h it is less.
    """
    (h, conjugate), (f, slope) = CONJUGATES[name], F[name]
    x, t = torch.linspace(-2.0, 4.0, 25, dtype=torch.float64), np.exp(np.linspace(np.log(1e-9), np.log(1e9), 400_001))
    greatest = np.array([np.max(one * t - f(t)) for one in h(x).numpy()])
    np.testing.assert_allclose(conjugate(x).numpy(), greatest, rtol=1e-6, atol=1e-7)

    def bound(outputs):
        outputs = torch.from_numpy(outputs)
        return float(np.sum(h(outputs).numpy() * p - conjugate(outputs).numpy() * q))

    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.full(12, 5.0)), rng.dirichlet(np.full(12, 5.0))
    x = np.linspace(-40.0, 40.0, 800_001)  # the inverse of the activation, from a table
    best = np.interp(slope(p / q), h(torch.from_numpy(x)).numpy(), x)
    divergence = np.sum(q * f(p / q))
    assert bound(best) == pytest.approx(divergence, rel=1e-6)
    assert all(bound(best + 0.1 * rng.normal(size=12)) < divergence for _ in range(5))


@pytest.mark.gpu
def test_activations_are_those_of_table_2(torch):
    """Im, Verma & Branson 2018; below h = -2 chi-square's conjugate is -1, and x^2/4 + x is more: the bound is less."""
    x = torch.linspace(-3.0, 3.0, 13, dtype=torch.float64)
    js = np.log(2) - (1 + (-x).exp()).log()
    written = {"kl": x, "reverse-kl": -(-x).exp(), "js": js, "hellinger": 1 - (-x).exp(), "chi2": x}
    assert set(written) == set(CONJUGATES) == set(F)
    for name, h in written.items():
        np.testing.assert_allclose(CONJUGATES[name][0](x), h, atol=1e-14)
    assert (CONJUGATES["chi2"][1](torch.linspace(-9.0, -2.0, 15, dtype=torch.float64)) >= -1.0).all()


def all_pairs(P, Y, name):
    """The pairs of a few nodes, whole, their q / Z, and the divergence."""
    drawn = PairSamples.of(P + P.T, len(Y), 0.0, np.random.default_rng(0)).draw(100, np.array([1]))
    q = all_q(Y)[drawn[0], drawn[1]] / all_q(Y).sum()
    return drawn, q, 2 * np.sum(q * F[name][0](drawn[3] / q))


@pytest.mark.gpu
def test_its_score_is_that_of_the_formula_and_symmetric(torch):
    """x_ij = g([f(x_i) + f(x_j); f(x_i) * f(x_j)]), written out by hand; of (j, i) the same bits."""
    X = np.random.default_rng(3).normal(size=(7, 4))
    made = network(X)
    A, a, C, c, D, d = (part.detach().numpy() for part in made.weights)
    i, j = np.triu_indices(7, 1)
    f = np.maximum(X @ A + a, 0)
    want = np.maximum(np.concatenate([f[i] + f[j], f[i] * f[j]], axis=1) @ C + c, 0) @ D + d
    there, back = made.score(i, j).detach().numpy(), made.score(j, i).detach().numpy()
    np.testing.assert_allclose(there, want[:, 0], rtol=1e-12)
    np.testing.assert_array_equal(there, back)
    assert np.ptp(there) > 0.1


@pytest.mark.gpu
@pytest.mark.parametrize("name", DIVERGENCES)
@pytest.mark.parametrize("seed", range(3))
def test_no_network_lifts_the_bound_above_the_divergence(torch, name, seed):
    """Weights as they come, on full sums: a theorem.  And the gradient is the slope of the bound."""
    rng = np.random.default_rng(seed)
    P, Y = np.triu(rng.random((8, 8)), 1), (1.0 + 3.0 * seed) * rng.normal(size=(8, 2))
    drawn, q, divergence = all_pairs(P, Y, name)
    made = network(rng.normal(size=(8, 3)), name, seed=seed)
    for scale in (0.01, 0.1, 1.0):
        with torch.no_grad():
            made.weights[4] *= scale / made.weights[4].abs().max()
        bound, gradient = made.bound_and_gradient(drawn, Y, normalizer)
        assert bound < divergence
        assert bound == pytest.approx(float(made.bound(drawn, q).detach()), rel=1e-9)
        way = 1e-5 * rng.normal(size=Y.shape)
        ends = [made.bound_and_gradient(drawn, Y + side * way, normalizer)[0] for side in (1, -1)]
        assert (ends[0] - ends[1]) / 2 == pytest.approx(np.sum(gradient * way), rel=1e-4, abs=1e-9 * abs(bound))


@pytest.mark.gpu
@pytest.mark.parametrize("name", DIVERGENCES)
def test_where_h_is_free_the_bound_comes_to_the_divergence(torch, name):
    """Five nodes, one coordinate for each, and a wide network: it learns any h of the ten pairs."""
    rng = np.random.default_rng(0)
    P, Y, bounds = np.triu(0.2 + rng.random((5, 5)), 1), rng.normal(size=(5, 2)), []
    drawn, q, divergence = all_pairs(P, Y, name)
    made = Network.of(np.eye(5), CONJUGATES[name], rng, (16, 32))
    adam = torch.optim.Adam(made.weights, lr=0.01)
    for _ in range(600):
        bound = made.bound(drawn, q)
        bounds.append(float(bound.detach()))
        adam.zero_grad()
        (-bound).backward()
        adam.step()
    assert bounds[0] < 0.5 * divergence
    assert 0.99 * divergence < bounds[-1] <= divergence


@pytest.mark.gpu
@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_game_parts_two_clusters_that_the_features_tell(torch, name):
    """From one heap: the divergence falls, and no bound is above the bound of its drawing."""
    P, features, Y0, half = two_clusters()
    primal, given = primal_of(name, P), 0.1 * Y0
    Y, trace = run(P, features, given, name, primal=primal, rounds=30)
    np.testing.assert_array_equal(given, 0.1 * Y0)
    assert [line.round for line in trace] == list(range(1, 31))
    assert trace[-1].primal == primal(Y) < 0.5 * primal(0.1 * Y0)
    assert all(line.primal is not None and line.bound <= line.primal + 1e-9 for line in trace)
    apart = np.linalg.norm(Y[half == 0].mean(axis=0) - Y[half == 1].mean(axis=0))
    assert apart > 2 * max(Y[half == k].std() for k in (0, 1))


@pytest.mark.gpu
def test_the_game_cannot_tell_nodes_of_equal_features(torch):
    """Of features that say nothing h is one number, and its best bound is 0: the divergence stays unseen."""
    P, _, Y0, _ = two_clusters()
    Y, trace = run(P, np.ones((20, 1)), Y0, first_ascents=300)
    assert primal_of("kl", P)(Y) > 0.1
    assert all(-0.01 < line.bound < 1e-9 for line in trace)


def test_few_pairs_come_whole():
    rng = np.random.default_rng(0)
    P = np.triu(rng.random((5, 5)) * (rng.random((5, 5)) < 0.6), 1)
    P[0, 4] = 0.7
    i, j, weight, p = PairSamples.of(P, 5, 0.1, rng).draw(10, np.array([1]))  # one direction counts half in each
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == {(a, b) for a in range(5) for b in range(a + 1, 5)}
    np.testing.assert_array_equal(weight, 2)
    edges = P[i, j] > 0
    np.testing.assert_allclose(p[edges], 0.45 * P[i, j][edges] / P.sum(), atol=1e-15)
    np.testing.assert_allclose(p[~edges], 0.1 / (2 * np.sum(~edges)), atol=1e-15)


def test_many_pairs_are_drawn_without_bias():
    """Means of 500 draws against the sums, within four standard errors."""
    rng, P = np.random.default_rng(0), sparse(40, 0.1)
    samples, near = PairSamples.of(P, 40, 0.2, rng), near_pairs(rng.normal(size=(40, 2)), 3)
    g = rng.random((40, 40))
    g = g + g.T
    off = ~np.eye(40, dtype=bool)
    p_all = np.where(P > 0, 0.8 * P / P.sum(), np.where(off, 0.2 / np.sum(off & (P == 0)), 0))
    means = []
    for _ in range(500):
        i, j, weight, p = samples.draw(80, near)
        assert np.all(i < j)
        np.testing.assert_allclose(p, p_all[i, j])
        means.append((np.sum(weight * g[i, j]), np.sum(weight * p * g[i, j])))
    want = np.sum(g[off]), np.sum(p_all * g)
    assert np.all(np.abs(np.mean(means, axis=0) - want) < 4 * np.std(means, axis=0) / np.sqrt(500))


def test_near_pairs_are_the_nearest():
    Y = np.random.default_rng(0).normal(size=(30, 2))
    apart = np.linalg.norm(Y[:, None] - Y, axis=2)
    want = {(min(i, j), max(i, j)) for i in range(30) for j in np.argsort(apart[i])[1:4].tolist()}
    assert [divmod(key, 30) for key in near_pairs(Y, 3).tolist()] == sorted(want)
    assert len(near_pairs(np.zeros((4, 2)), 10)) == 6


@pytest.mark.gpu
def test_reverse_kl_of_sparse_similarities_takes_a_background(torch):
    P, features, Y0, half = two_clusters()
    P = np.where(half[:, None] == half, P, 0)
    filled = np.where(P > 0, 0.99 * P / P.sum(), 0.01 / 200)
    np.fill_diagonal(filled, 0)
    _, trace = run(P, features, Y0, "reverse-kl", background=0.01, primal=primal_of("reverse-kl", filled))
    assert all(line.primal is not None and line.bound <= line.primal + 1e-9 for line in trace)


@pytest.mark.gpu
@pytest.mark.parametrize("pairs", [40, 4096])
def test_same_seed_same_bits_on_any_number_of_threads_and_in_any_order_of_two_nodes(torch, pairs):
    P, features, Y0, _ = two_clusters()
    before, drawings = torch.get_num_threads(), []
    try:
        for threads, given in ((1, np.triu(P)), (2, np.triu(P).T)):
            torch.set_num_threads(threads)
            torch.manual_seed(threads)  # torch's own random numbers are not used
            drawings.append(run(given, features, Y0, pairs=pairs)[0])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(drawings[0], drawings[1])
    assert not np.array_equal(drawings[0], run(np.triu(P), features, Y0, pairs=pairs, rng=1)[0])


@pytest.mark.gpu
def test_a_callback_looks_on_and_small_moves_end_it(torch):
    P, features, Y0, _ = two_clusters()
    seen = []

    def look(line, Y):
        seen.append((line, Y.copy()))
        with pytest.raises(ValueError, match="read-only"):
            Y[0] = 0

    Y, trace = run(P, features, Y0, rounds=9, tol=10.0, callback=look)
    assert trace == tuple(line for line, _ in seen)
    assert len(trace) == 1
    assert trace[0].primal is None
    np.testing.assert_array_equal(Y, seen[-1][1])


@pytest.mark.gpu
@pytest.mark.parametrize("Z", [0.0, np.nan, np.inf])
def test_a_drawing_too_far_apart_is_refused(torch, Z):
    P, features, Y0, _ = two_clusters()
    with pytest.raises(InputError, match="normalizer must return a positive finite sum of q; got"):
        run(P, features, Y0, normalizer=lambda Y: (Z, Y))


def test_without_torch_the_install_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    P, features, Y0, _ = two_clusters()
    with pytest.raises(MissingExtra, match=r'torch is needed for variational ft-SNE.*pip install "nelayout\[torch\]"'):
        variational_drawing(P, features, Y0, normalizer=normalizer)
