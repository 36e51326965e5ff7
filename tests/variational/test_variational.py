"""Variational ft-SNE: conjugates against their definition, the bound against the divergence, the run against both."""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace

import numpy as np
import pytest

from nelayout.errors import InputError, MissingExtra
from nelayout.formula.divergences.f_functions import F_FUNCTIONS, TABLE_2
from nelayout.variational.samples import PairSamples, near_pairs

DIVERGENCES = sorted(F_FUNCTIONS)
FORMS = ["paper", "sampled"]


def torch_or_skip():
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


def normalizer_and_entropy(Y):
    """The same, and the sum of q ln q and its gradient."""
    q = all_q(Y)
    log_q = np.log(np.where(q > 0, q, 1.0))
    slope = -4 * ((q**2 * (1 + log_q))[:, :, None] * (Y[:, None] - Y)).sum(axis=1)
    return *normalizer(Y), np.sum(q * log_q), slope


def two_clusters(seed=0):
    """P (20, 20) of sum 1: alike within each half, and weakly across; features; a start without order."""
    rng = np.random.default_rng(seed)
    half = np.repeat([0, 1], 10)
    P = np.where(half[:, None] == half, 1.0, 0.02)
    np.fill_diagonal(P, 0)
    features = np.stack([half + 0.1 * rng.normal(size=20), rng.normal(size=20)], axis=1)
    return P / P.sum(), features, rng.normal(size=(20, 2)), half


# Conjugates.


@pytest.mark.parametrize("name", DIVERGENCES)
@pytest.mark.parametrize(("table", "low"), [(F_FUNCTIONS, -4.0), (TABLE_2, -2.0)], ids=["own", "paper"])
def test_conjugate_is_the_greatest_value(table, low, name):
    """f*(h(x)) = max_{t >= 0} [h t - f(t)], the maximum over 400,001 values of t from 1e-9 to 1e9.

    The paper's of chi-square holds for h >= -2 alone.
    """
    torch = torch_or_skip()
    line = table[name]
    x = np.linspace(low, 4.0, 33)
    h = line.h(torch.from_numpy(x)).numpy()
    t = np.exp(np.linspace(np.log(1e-9), np.log(1e9), 400_001))
    f = line.generator(t)
    greatest = np.array([np.max(one * t - f) for one in h])
    np.testing.assert_allclose(line.conjugate(torch.from_numpy(x)).numpy(), greatest, rtol=1e-6, atol=1e-7)


def test_activations_are_those_of_table_2():
    """Im, Verma & Branson 2018, with ln 2 - ln(1 + exp(-x)) for Jensen-Shannon: its 2 belongs to the first term."""
    torch = torch_or_skip()
    x = torch.linspace(-3.0, 3.0, 13, dtype=torch.float64)
    written = {
        "kl": x, "reverse-kl": -(-x).exp(), "js": np.log(2) - (1 + (-x).exp()).log(), "hellinger": 1 - (-x).exp(),
        "chi2": x,
    }
    for name, h in written.items():
        np.testing.assert_allclose(TABLE_2[name].h(x), h, atol=1e-14)


def test_chi_square_of_table_2_stays_below_where_its_conjugate_does_not_hold():
    """Below h = -2 the greatest value is at t = 0, where it is -1; x^2/4 + x is more, so the bound is less."""
    torch = torch_or_skip()
    x = torch.linspace(-9.0, -2.0, 15, dtype=torch.float64)
    assert (TABLE_2["chi2"].conjugate(x) >= -1.0).all()


@pytest.mark.parametrize("name", DIVERGENCES)
def test_slope_is_the_derivative_and_activations_reach_it(name):
    torch = torch_or_skip()
    line = F_FUNCTIONS[name]
    t = np.exp(np.linspace(-6, 6, 49))
    step = 1e-5 * t
    slope = (line.generator(t + step) - line.generator(t - step)) / (2 * step)
    np.testing.assert_allclose(line.slope(t), slope, rtol=1e-6, atol=1e-7)
    ends = line.h(torch.tensor([-30.0, 30.0], dtype=torch.float64)).numpy()
    reached = line.slope(np.array([1e-4, 10.0]))
    assert ends[0] < reached[0] < reached[1] < ends[1]
    assert abs(line.generator(np.array([1.0]))[0]) < 1e-15


@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_best_h_gives_the_divergence(name):
    """At h = f'(p/q) the bound is the divergence; at any other h it is less."""
    torch = torch_or_skip()
    line = F_FUNCTIONS[name]
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.full(12, 5.0)), rng.dirichlet(np.full(12, 5.0))
    divergence = np.sum(q * line.generator(p / q))
    x = np.linspace(-40.0, 40.0, 800_001)  # the inverse of the activation, from a table
    h = line.h(torch.from_numpy(x)).numpy()
    best = np.interp(line.slope(p / q), h, x)

    def bound(outputs):
        outputs = torch.from_numpy(outputs)
        return float(np.sum(line.h(outputs).numpy() * p - line.conjugate(outputs).numpy() * q))

    assert bound(best) == pytest.approx(divergence, abs=1e-8)
    for _ in range(20):
        assert bound(best + 0.3 * rng.normal(size=12)) < divergence


def a_turn(name, P, Y, usual, background=0.0, pairs=(15, 0), form="sampled"):
    """The bound of a network with random weights, on pairs of 6 nodes."""
    torch = torch_or_skip()
    from nelayout.variational.network import NodeNetwork, PairNetwork
    from nelayout.variational.turn import Turn

    rng = np.random.default_rng(1)
    kind = PairNetwork if form == "sampled" else NodeNetwork
    network = kind.of(torch.from_numpy(rng.normal(size=(6, 3))), (8, 8), rng)
    with torch.no_grad():
        network.weights[4] += torch.from_numpy(rng.normal(size=network.weights[4].shape) / 20)
    drawn = PairSamples.of(P, 6, background, rng).pairs(*pairs)
    return Turn((F_FUNCTIONS if form == "sampled" else TABLE_2)[name], network, drawn, usual)


def six_nodes():
    rng = np.random.default_rng(1)
    P, Y = rng.random((6, 6)), rng.normal(size=(6, 2))
    P = (P + P.T) * (P + P.T > 0.6)
    np.fill_diagonal(P, 0)
    return P / P.sum(), Y


@pytest.mark.parametrize("name", DIVERGENCES)
@pytest.mark.parametrize("form", FORMS)
def test_gradient_of_the_bound(form, name):
    """Of all pairs, Z and the network's view of q included: against differences; b only moves terms about."""
    P, Y = six_nodes()
    turn = a_turn(name, P, Y, usual=(0.3, -0.7), background=0.1, form=form)
    value, gradient = turn.value(Y, normalizer_and_entropy)
    plain, same = a_turn(name, P, Y, usual=(0.0, 0.0), background=0.1, form=form).value(Y, normalizer)
    assert value == pytest.approx(plain, rel=1e-12)
    np.testing.assert_allclose(gradient, same, atol=1e-12)
    for place in np.ndindex(Y.shape):
        e = np.zeros_like(Y)
        e[place] = 1e-6
        slope = (turn.value(Y + e, normalizer_and_entropy)[0] - turn.value(Y - e, normalizer_and_entropy)[0]) / 2e-6
        assert gradient[place] == pytest.approx(slope, abs=1e-7 + 1e-5 * np.abs(gradient).max())


@pytest.mark.parametrize("name", DIVERGENCES)
def test_a_settled_layer_makes_the_bound_the_divergence(name):
    """Of any drawing, before the other layers have learned anything; and it stays so while the positions move."""
    torch = torch_or_skip()
    from nelayout.variational.network import PairNetwork
    from nelayout.variational.turn import Turn, kernel

    rng = np.random.default_rng(2)
    P = rng.random((9, 9)) * (rng.random((9, 9)) > 0.3)
    P = np.triu(P, 1) + np.triu(P, 1).T
    background = 0.05
    sample = PairSamples.of(P, 9, background, rng)
    network = PairNetwork.of(torch.from_numpy(rng.normal(size=(9, 3))), (6, 6), rng)
    drawn = sample.pairs(100, 100)
    i, j, _, p = drawn
    for Y in (rng.normal(size=(9, 2)), 3.0 * rng.normal(size=(9, 2))):
        for _ in range(4):  # in a run, rounds go on from each other
            with torch.no_grad():
                turn = Turn.of(F_FUNCTIONS[name], network, drawn, kernel(Y, i, j) / normalizer(Y)[0], True)
        for Z in (Y, Y + 0.1 * rng.normal(size=Y.shape)):
            q = kernel(Z, i, j) / normalizer(Z)[0]
            divergence = 2 * np.sum(q * F_FUNCTIONS[name].generator(p / q))
            value = turn.value(Z, normalizer_and_entropy)[0]
            assert value == pytest.approx(divergence, rel=1e-3)
            assert value <= divergence + 1e-9


@pytest.mark.parametrize("name", DIVERGENCES)
@pytest.mark.parametrize("seed", range(3))
def test_a_layer_settles_at_once_where_similarities_and_drawing_differ_widely(name, seed):
    """A wide drawing of a sparse graph, whose p/q comes to thousands: from a layer that has learned nothing."""
    torch = torch_or_skip()
    from nelayout.variational.network import PairNetwork
    from nelayout.variational.turn import Turn, kernel

    rng = np.random.default_rng(seed)
    n = 100
    P, Y = rng.random((n, n)) ** 4 * (rng.random((n, n)) < 0.05), 30.0 * rng.normal(size=(n, 2))
    P = np.triu(P, 1) + np.triu(P, 1).T
    background = 0.01 if name == "reverse-kl" else 0.0
    drawn = PairSamples.of(P, n, background, rng).pairs(n * n, n * n)
    i, j, _, p = drawn
    q = kernel(Y, i, j) / normalizer(Y)[0]
    with torch.no_grad():
        network = PairNetwork.of(torch.from_numpy(rng.normal(size=(n, 4))), (10, 20), rng)
        turn = Turn.of(F_FUNCTIONS[name], network, drawn, q, True)
    some = p > 0
    generator = F_FUNCTIONS[name].generator
    divergence = 2 * (np.sum(q[some] * generator(p[some] / q[some])) + np.sum(q[~some]) * generator(1e-300))
    assert turn.value(Y, normalizer_and_entropy)[0] == pytest.approx(divergence, rel=1e-2)


@pytest.mark.filterwarnings("error")
def test_a_single_pair_has_no_slope_to_tell():
    import networkx as nx

    import nelayout as nl

    torch_or_skip()
    for G in (nx.complete_graph(2), nx.path_graph(3), nx.complete_graph(5)):
        pos = nl.ftsne_layout(G, divergence="reverse-kl", variational="sampled", seed=0)
        assert np.isfinite(list(pos.values())).all()


def test_gradients_of_draws_have_the_whole_gradient_as_their_mean():
    """2,000 draws of 6 of 15 pairs, every entry within five standard errors."""
    P, Y = six_nodes()
    whole = a_turn("js", P, Y, usual=(0.1, 0.0))
    want = whole.value(Y, normalizer)[1]
    sample = PairSamples.of(P, 6, 0.0, np.random.default_rng(3))
    near = near_pairs(Y, 1)
    draws = []
    for _ in range(2000):
        drawn = sample.pairs(3, 2, near, 1)
        draws.append(replace(whole, drawn=drawn).value(Y, normalizer)[1])
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert error.max() < 0.1 * np.abs(want).max()
    assert np.all(np.abs(np.mean(draws, axis=0) - want) < 5 * error)


# The paper's network.


def nodes_network(X, widths=(10, 20), seed=0):
    """One with random weights in every layer."""
    torch = torch_or_skip()
    from nelayout.variational.network import NodeNetwork

    rng = np.random.default_rng(seed)
    network = NodeNetwork.of(torch.from_numpy(np.asarray(X, dtype=float)), widths, rng)
    with torch.no_grad():
        network.weights[4] += torch.from_numpy(rng.normal(size=network.weights[4].shape))
    return network


def test_its_score_is_that_of_the_formula_and_symmetric():
    """x_ij = g([f(x_i) + f(x_j); f(x_i) * f(x_j)]), written out by hand; of (j, i) the same bits."""
    X = np.random.default_rng(3).normal(size=(7, 4))
    network = nodes_network(X)
    A, a, C, c, D, d = (part.detach().numpy() for part in network.weights)
    i, j = np.triu_indices(7, 1)
    f = np.maximum(X @ A + a, 0)
    want = np.maximum(np.concatenate([f[i] + f[j], f[i] * f[j]], axis=1) @ C + c, 0) @ D + d
    p = np.ones(len(i))
    there, back = network.hidden(i, j, p).detach().numpy(), network.hidden(j, i, p).detach().numpy()
    np.testing.assert_allclose(there, want[:, 0], rtol=1e-12)
    np.testing.assert_array_equal(there, back)
    assert np.ptp(there) > 0.1


def test_its_score_knows_neither_p_nor_q():
    """Of one network and one set of nodes x stays what it is under other similarities and other drawings."""
    torch = torch_or_skip()
    from nelayout.variational.turn import Turn

    rng = np.random.default_rng(0)
    network, scores = nodes_network(rng.normal(size=(6, 3))), []
    for scale in (1.0, 20.0):
        P, Y = rng.random((6, 6)), scale * rng.normal(size=(6, 2))
        drawn = PairSamples.of(np.triu(P, 1), 6, 0.0, rng).pairs(15, 0)
        q = all_q(Y)[drawn[0], drawn[1]] / all_q(Y).sum()
        with torch.no_grad():
            turn = Turn.of(TABLE_2["kl"], network, drawn, q, False)
        scores.append(network.score_and_slope(turn.hidden, q))
    np.testing.assert_array_equal(scores[0][0], scores[1][0])
    assert scores[0][1] == scores[1][1] == 0


@pytest.mark.parametrize("name", DIVERGENCES)
@pytest.mark.parametrize("seed", range(5))
def test_no_network_lifts_the_bound_above_the_divergence(name, seed):
    """Weights as they come, and far from anything that was learned, on full sums: a theorem."""
    torch = torch_or_skip()
    from nelayout.variational.turn import Turn

    rng = np.random.default_rng(seed)
    P, Y = rng.random((8, 8)), (1.0 + 3.0 * seed) * rng.normal(size=(8, 2))
    P = np.triu(P, 1) + np.triu(P, 1).T
    drawn = PairSamples.of(P, 8, 0.0, rng).pairs(28, 0)
    p, q = drawn[3], all_q(Y)[drawn[0], drawn[1]] / all_q(Y).sum()
    divergence = 2 * np.sum(q * F_FUNCTIONS[name].generator(p / q))
    network = nodes_network(rng.normal(size=(8, 3)), seed=seed)
    for scale in (0.01, 0.1, 1.0):
        with torch.no_grad():
            network.weights[4] *= scale / network.weights[4].abs().max()
            bound = float(Turn(TABLE_2[name], network, drawn).bound(torch.from_numpy(q)))
        assert bound < divergence


@pytest.mark.parametrize("name", DIVERGENCES)
def test_where_h_is_free_the_bound_comes_to_the_divergence(name):
    """Five nodes, each known by a coordinate of its own, and a wide network: its turn learns any h of the ten pairs."""
    torch = torch_or_skip()
    from nelayout.variational.network import NodeNetwork
    from nelayout.variational.turn import Turn

    rng = np.random.default_rng(0)
    P, Y = 0.2 + rng.random((5, 5)), rng.normal(size=(5, 2))
    P = np.triu(P, 1) + np.triu(P, 1).T
    drawn = PairSamples.of(P, 5, 0.0, rng).pairs(10, 0)
    p, q = drawn[3], all_q(Y)[drawn[0], drawn[1]] / all_q(Y).sum()
    divergence = 2 * np.sum(q * F_FUNCTIONS[name].generator(p / q))
    network = NodeNetwork.of(torch.eye(5, dtype=torch.float64), (16, 32), rng)
    turn, adam, first = Turn(TABLE_2[name], network, drawn), torch.optim.Adam(network.weights, lr=0.01), None
    for _ in range(600):
        bound = turn.bound(torch.from_numpy(q))
        first = float(bound.detach()) if first is None else first
        adam.zero_grad()
        (-bound).backward()
        adam.step()
    assert first < 0.5 * divergence
    assert 0.99 * divergence < float(bound.detach()) <= divergence


@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_game_parts_two_clusters_that_the_features_tell(name):
    """The paper's form, from one heap: the divergence falls, and no bound is above that of its drawing."""
    P, features, Y0, half = two_clusters()
    primal = primal_of(name, P)
    Y, trace = run(P, features, 0.1 * Y0, name, form="paper", primal=primal, rounds=30)
    assert trace[-1].primal == primal(Y) < 0.5 * primal(0.1 * Y0)
    assert all(line.primal is not None and line.bound <= line.primal + 1e-9 for line in trace)
    apart = np.linalg.norm(Y[half == 0].mean(axis=0) - Y[half == 1].mean(axis=0))
    assert apart > 2 * max(Y[half == k].std() for k in (0, 1))


def test_the_game_cannot_tell_nodes_of_equal_features():
    """Of features that say nothing h is one number, whose best bound is 0: the divergence stays unseen."""
    P, _, Y0, _ = two_clusters()
    Y, trace = run(P, np.ones((20, 1)), Y0, form="paper", first_ascents=300)
    assert primal_of("kl", P)(Y) > 0.1
    assert all(-0.01 < line.bound < 1e-9 for line in trace)


# Pairs.


def test_short_sums_are_whole():
    rng = np.random.default_rng(0)
    P = np.triu(rng.random((5, 5)) * (rng.random((5, 5)) < 0.6), 1)
    P[0, 4] = 0.7
    drawn = PairSamples.of(P, 5, 0.1, rng)  # in one direction only: counts as half in each
    i, j, weight, p = drawn.pairs(4, 6)
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == {(a, b) for a in range(5) for b in range(a + 1, 5)}
    np.testing.assert_array_equal(weight, 2)
    edges = P[i, j] > 0
    np.testing.assert_allclose(p[edges], 0.45 * P[i, j][edges] / P.sum(), atol=1e-15)
    np.testing.assert_allclose(p[~edges], 0.1 / (2 * np.sum(~edges)), atol=1e-15)


@pytest.mark.parametrize("edges", [40, 200])
@pytest.mark.parametrize("nears", [0, 20, 200])
def test_long_sums_are_drawn_without_bias(edges, nears):
    """Means of 500 draws, also of all edges or all near pairs, against the sums, within four standard errors."""
    rng = np.random.default_rng(0)
    P = rng.random((40, 40)) * (rng.random((40, 40)) < 0.1)
    P = P + P.T
    np.fill_diagonal(P, 0)
    drawn, near = PairSamples.of(P, 40, 0.2, rng), near_pairs(rng.normal(size=(40, 2)), 3)
    g = rng.random((40, 40))
    g = g + g.T
    off = ~np.eye(40, dtype=bool)
    p_all = np.where(P > 0, 0.8 * P / P.sum(), np.where(off, 0.2 / np.sum(off & (P == 0)), 0))
    means = []
    for _ in range(500):
        i, j, weight, p = drawn.pairs(20, edges, near, nears)
        assert np.all(i < j)
        np.testing.assert_allclose(p, p_all[i, j])
        means.append((np.sum(weight * g[i, j]), np.sum(weight * p * g[i, j])))
    want = np.sum(g[off]), np.sum(p_all * g)
    assert np.all(np.abs(np.mean(means, axis=0) - want) < 4 * np.std(means, axis=0) / np.sqrt(500) + 1e-12)


def test_what_comes_as_a_whole_comes_once():
    """A pair that counted twice would be drawn too near: the positions follow the sample."""
    rng = np.random.default_rng(0)
    P = rng.random((40, 40)) * (rng.random((40, 40)) < 0.1)
    P = P + P.T
    np.fill_diagonal(P, 0)
    samples, near = PairSamples.of(P, 40, 0.2, rng), near_pairs(rng.normal(size=(40, 2)), 3)
    for edges, nears in ((500, 500), (500, 5), (5, 500)):
        i, j, weight, _ = samples.pairs(200, edges, near, nears)
        key = i * 40 + j
        whole = np.union1d(samples.keys if edges == 500 else key[:0], near if nears == 500 else key[:0])
        for pair in whole.tolist():
            assert weight[key == pair].tolist() == [2.0]


def test_near_pairs_are_the_nearest():
    Y = np.random.default_rng(0).normal(size=(30, 2))
    apart = np.linalg.norm(Y[:, None] - Y, axis=2)
    want = {(min(i, j), max(i, j)) for i in range(30) for j in np.argsort(apart[i])[1:4].tolist()}
    keys = near_pairs(Y, 3)
    assert [divmod(key, 30) for key in keys.tolist()] == sorted(want)
    assert len(near_pairs(np.zeros((4, 2)), 10)) == 6


@pytest.mark.parametrize(
    ("P", "background", "message"),
    [
        (np.zeros((2, 2)), 0.0, "no entry above 0"),
        (np.eye(2), 0.0, "diagonal"),
        (np.array([[0, -1.0], [1, 0]]), 0.0, "negative"),
        (np.array([[0, np.nan], [1, 0]]), 0.0, "missing"),
        (np.zeros((3, 3)), 0.0, r"shape \(3, 3\), but 2 nodes need \(2, 2\)"),
        (np.ones((2, 2)) - np.eye(2), 1.0, "background must be a number from 0 to just below 1, given 1"),
    ],
)
def test_similarities_that_cannot_be_drawn_from_are_refused(P, background, message):
    with pytest.raises(InputError, match=message):
        PairSamples.of(P, 2, background, np.random.default_rng(0))


# Runs.


def primal_of(name, P):
    off = P > 0

    def primal(Y):
        q = all_q(Y)[off] / all_q(Y).sum()
        return float(np.sum(q * F_FUNCTIONS[name].generator(P[off] / q)))

    return primal


def run(P, features, Y0, *args, **options):
    torch_or_skip()
    from nelayout.variational.game import variational_drawing

    settings = {"normalizer": normalizer, "rng": 0, "rounds": 3, "form": "sampled"}
    return variational_drawing(P, features, Y0, *args, **settings | options)


@pytest.mark.parametrize(
    ("name", "left"), [("kl", 0.05), ("js", 0.05), ("hellinger", 0.2), ("chi2", 0.05), ("reverse-kl", 0.3)]
)
def test_two_clusters_part(name, left):
    """The divergence falls to a small part of what it was, and no bound is above the divergence it bounds."""
    P, features, Y0, half = two_clusters()
    primal, given = primal_of(name, P), Y0.copy()
    Y, trace = run(P, features, Y0, name, primal=primal, rounds=30)
    np.testing.assert_array_equal(Y0, given)
    assert [line.round for line in trace] == list(range(1, 31))
    values = [primal(Y0), *(line.primal for line in trace)]
    assert values[-1] == primal(Y) < left * values[0]
    assert all(later <= earlier for earlier, later in itertools.pairwise(values))
    for line in trace:
        assert line.primal is not None
        assert line.bound <= line.primal + 1e-9
    if name != "reverse-kl":  # which stops at a drawing that keeps them together
        apart = np.linalg.norm(Y[half == 0].mean(axis=0) - Y[half == 1].mean(axis=0))
        assert apart > 2 * max(Y[half == k].std() for k in (0, 1))


def test_drawn_sums_lead_there_too():
    """20 of 190 pairs a step of the network, and each turn of the positions on 80, a tenth of them edges."""
    P, features, Y0, _ = two_clusters()
    primal = primal_of("kl", P)
    Y, _ = run(P, features, Y0, "kl", pairs=20, rounds=30)
    assert primal(Y) < 0.3 * primal(Y0)


def test_reverse_kl_of_sparse_similarities_takes_a_background():
    P, features, Y0, half = two_clusters()
    P = np.where(half[:, None] == half, P, 0)
    _, trace = run(P, features, Y0, "reverse-kl")
    filled = np.where(P > 0, 0.99 * P / P.sum(), 0.01 / 200)
    np.fill_diagonal(filled, 0)
    assert np.isfinite(trace[-1].bound)
    values = []
    run(
        P,
        features,
        Y0,
        "reverse-kl",
        callback=lambda line, Y: values.append((line.bound, primal_of("reverse-kl", filled)(Y))),
    )
    assert all(bound <= value + 1e-9 for bound, value in values)
    with pytest.raises(InputError, match="reverse KL is infinite without a background; give one"):
        run(P, features, Y0, "reverse-kl", background=0.0)


@pytest.mark.parametrize("pairs", [4, 4096])
@pytest.mark.parametrize("form", FORMS)
def test_same_seed_same_bits_on_any_number_of_threads(form, pairs):
    torch = torch_or_skip()
    P, features, Y0, _ = two_clusters()
    before = torch.get_num_threads()
    drawings = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            torch.manual_seed(threads)  # torch's own random numbers are not used
            drawings.append(run(P, features, Y0, pairs=pairs, form=form)[0])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(drawings[0], drawings[1])
    assert not np.array_equal(drawings[0], run(P, features, Y0, pairs=pairs, form=form, rng=1)[0])


def test_a_callback_looks_on_and_stops():
    P, features, Y0, _ = two_clusters()
    seen = []

    def look(line, Y):
        seen.append((line, Y.copy()))
        with pytest.raises(ValueError, match="read-only"):
            Y[0] = 0
        return line.round == 2

    Y, trace = run(P, features, Y0, rounds=9, callback=look)
    assert trace == tuple(line for line, _ in seen)
    assert len(trace) == 2
    assert trace[0].primal is None
    np.testing.assert_array_equal(Y, seen[-1][1])


def test_the_order_of_two_nodes_does_not_matter():
    """h is symmetric, so P and its transpose lead to the same bits."""
    P, features, Y0, _ = two_clusters()
    upper = np.triu(P)
    for form in FORMS:
        one, other = (run(given, features, Y0, form=form)[0] for given in (upper, upper.T))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"divergence": "kll"}, "unknown divergence 'kll': did you mean 'kl'"),
        ({"rounds": 0}, "rounds must be a whole number, at least 1, given 0"),
        ({"widths": (2.5, 3)}, "width of f must be a whole number, at least 1, given 2.5"),
        ({"form": "papre"}, "unknown form 'papre': did you mean 'paper'"),
        ({"learning_rate": -1.0}, "learning_rate must be a positive finite number, given -1.0"),
        ({"learning_rate": 1e300}, "the variational bound is .* divide it by 10"),
        ({"normalizer": lambda Y: (0.0, Y)}, "normalizer gave 0.0; it must give the sum of q"),
        ({"features": np.zeros((3, 2))}, "features has 3 rows and Y0 has 20; give one row for each node"),
        ({"features": np.full((20, 1), np.nan)}, "features must be a table of finite numbers.*missing or infinite"),
        ({"Y0": np.zeros(20)}, r"Y0 must be a table.*shape \(20,\)"),
    ],
)
def test_what_cannot_run_is_refused_in_words(change, message):
    P, features, Y0, _ = two_clusters()
    with np.errstate(all="ignore"), pytest.raises(InputError, match=message):
        run(**{"P": P, "features": features, "Y0": Y0} | change)


def test_without_torch_the_install_command_is_named(monkeypatch):
    from nelayout.variational.game import variational_drawing

    monkeypatch.setitem(sys.modules, "torch", None)
    P, features, Y0, _ = two_clusters()
    with pytest.raises(MissingExtra, match=r'torch is needed for variational ft-SNE.*pip install "nelayout\[torch\]"'):
        variational_drawing(P, features, Y0, normalizer=normalizer)
