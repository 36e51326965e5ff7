"""Each term is a pure number with the gradient that differences say, alone and beside every part of an objective."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from tables import EVERY_METHOD, RECIPES, thinned
from test_added import objective, weights

import nelayout as nl
from nelayout.core.passes.coarsen import merge
from nelayout.core.similarities.affinity import Affinity
from nelayout.core.terms import TERMS, Anchored, Directed, Gathered, Repelled

N = 24
RNG = np.random.default_rng(7)
GROUPS = RNG.integers(-1, 4, N)
PLACES = np.where(RNG.random((N, 1)) < 0.4, np.nan, RNG.normal(size=(N, 2)) * 50 + 300)
TAIL, HEAD = np.array([(a, b) for a, b in RNG.integers(0, N, (60, 2)) if a != b]).T
COUNT = RNG.integers(1, 4, N).astype(float)
WEIGHT = RNG.random(len(TAIL)) + 0.1
EACH = {
    "groups": Gathered.over(GROUPS, 0.7),
    "anchors": Anchored.over(PLACES, 2.0),
    "direction": Directed(TAIL, HEAD, WEIGHT, np.array([0.6, -0.8]), 0.7, COUNT),
    "negative": Repelled(TAIL, HEAD, WEIGHT, COUNT, 1.5),
}


def drawing(seed=0, n=N):
    return np.random.default_rng(seed).normal(size=(n, 2)) * [3.0, 1.0] + 5.0


def differences(function, Y, step=1e-6):
    found = np.zeros_like(Y)
    for at in np.ndindex(Y.shape):
        there, back = Y.copy(), Y.copy()
        there[at] += step
        back[at] -= step
        found[at] = (function(there) - function(back)) / (2 * step)
    return found


def value(term, Y):
    return float(np.sum(term.at(Y).cost))


def test_every_kind_of_term_is_tested_here():
    assert EACH.keys() == TERMS.keys()
    for name, term in EACH.items():
        assert isinstance(term, TERMS[name])
        assert term.name == name


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("form", ["whole", "part", "merged"])
def test_the_gradient_is_the_slope_of_the_value(name, form):
    term, Y = EACH[name], drawing()
    if form == "part":
        term, Y = term.of(np.arange(0, N, 2)), Y[::2]
    if form == "merged":
        term, Y = term.merged(np.arange(N) % 9, 9), drawing(1, 9)
    assert np.allclose(term.at(Y).gradient, differences(lambda Z: value(term, Z), Y), atol=1e-8)


@pytest.mark.parametrize("name", EACH)
def test_a_term_does_not_change_with_size_and_place(name):
    term, Y = EACH[name], drawing()
    assert value(term, 1e3 * Y - 7) == pytest.approx(value(term, Y), rel=1e-9)
    turned = Y @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert (value(term, turned) != pytest.approx(value(term, Y), rel=1e-6)) == term.upright


@pytest.mark.parametrize("name", EACH)
def test_nodes_at_one_place_have_a_value_and_no_force(name):
    pull = EACH[name].at(np.ones((N, 2)))
    assert all(np.isfinite(each).all() for each in pull)
    assert not pull.gradient.any()


def test_groups_are_the_part_of_the_variance_within():
    Y, inside = drawing(), GROUPS >= 0
    within = sum(np.sum((Y[g == GROUPS] - Y[g == GROUPS].mean(axis=0)) ** 2) for g in set(GROUPS[inside]))
    assert value(EACH["groups"], Y) == pytest.approx(within / np.sum((Y - Y.mean(axis=0)) ** 2))
    together = np.where(inside[:, None], np.stack([GROUPS, GROUPS**2], axis=1), Y)
    assert value(EACH["groups"], together) == pytest.approx(0.0, abs=1e-12)


def test_groups_of_a_coarse_graph_count_as_those_of_the_drawing_that_it_stands_for():
    cluster, Y = np.arange(N) % 9, drawing(2, 9)
    assert value(EACH["groups"].merged(cluster, 9), Y) == pytest.approx(value(EACH["groups"], Y[cluster]))


def test_anchors_cost_nothing_on_the_map_and_two_upside_down():
    term, known = EACH["anchors"], ~np.isnan(PLACES[:, 0])
    there = np.where(known[:, None], PLACES, drawing())
    assert value(term, 0.01 * there + 3) == pytest.approx(0.0, abs=1e-12)
    assert value(term, -there) == pytest.approx(2.0)
    assert np.allclose(term.to_map(7 * there - 1)[known], PLACES[known])


def test_arcs_cost_nothing_from_their_rise_on():
    way = Directed(np.arange(3), np.arange(1, 4), np.ones(3), np.array([0.0, -1.0]), 0.5, np.ones(4))
    down = np.stack([np.zeros(4), -np.arange(4.0)], axis=1)
    assert value(way, down) == 0.0
    assert value(way, down * [1, 0] + [[0, 0], [1, 0], [2, 0], [3, 0]]) == pytest.approx(1.0)  # they lie across
    assert value(way, -down) > 4.0


def test_terms_that_are_left_without_nodes_go():
    assert Gathered.over(np.arange(5)).of(np.arange(5)) is None
    assert EACH["anchors"].of(np.flatnonzero(np.isnan(PLACES[:, 0]))) is None
    lone = np.array([k for k in range(N) if k not in (*TAIL, *HEAD)][:1] or [0])
    assert EACH["direction"].of(lone) is None
    assert EACH["negative"].merged(np.zeros(N, dtype=int), 1) is None


PAIRS = [(one, other) for one in EACH for other in EACH if one <= other]


ALONE_AND_IN_PAIRS = thinned(EVERY_METHOD, PAIRS, plain=lambda method, pair: method in RECIPES and pair[0] == pair[1])


@pytest.mark.parametrize(("method", "pair"), ALONE_AND_IN_PAIRS)
def test_terms_add_to_every_objective(method, pair):
    G = nx.connected_watts_strogatz_graph(N, 4, 0.3, seed=1)
    free = objective(method, weights(G))
    terms = tuple(EACH[name] for name in dict.fromkeys(pair))
    J = replace(free, affinity=replace(free.affinity, terms=terms), in_one_loop=True)
    Y = drawing(3) - 5.0
    found, alone = J.evaluate(Y), free.evaluate(Y)
    added = sum(term.strength * J.unit * value(term, Y) for term in terms)
    assert found.value == pytest.approx(alone.value + added, rel=1e-12)
    more = sum(term.strength * J.unit * term.at(Y).gradient for term in terms)
    assert np.allclose(found.gradient, alone.gradient + more, rtol=1e-9, atol=1e-12)
    assert np.sum(J.node_cost(Y, found.lam)) == pytest.approx(np.sum(free.node_cost(Y, alone.lam)) + added, rel=1e-9)


def test_coarse_graphs_have_the_terms_of_their_graph():
    P = nx.to_scipy_sparse_array(nx.cycle_graph(N), dtype=float)
    coarse = merge(Affinity(P, np.ones(N), terms=tuple(EACH.values())), np.arange(N) // 2, N // 2)
    assert [term.name for term in coarse.terms] == list(EACH)
    assert nl.layout(P, seed=0, max_iter=1).shape == (N, 2)
