"""Many small components: each is drawn as it would be alone, and with the same bits on any threads."""

import time
from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from tables import first, thinned

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.formula.divergences import f_divergence
from nelayout.core.objective import Affinity
from nelayout.core.optimizers import optimizer_named
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.passes.drawing import Run, Summation
from nelayout.core.passes.levels import lowest_copies
from nelayout.core.passes.score import Score
from nelayout.core.record.progress import Observer
from nelayout.core.run.animation import Animation, turn_onto
from nelayout.core.run.splitting import input_affinity
from nelayout.graphs import read
from nelayout.numerics.parallel import Threads

SUMS = Summation("exact", Threads())


def affinity_of(G: nx.Graph, method: nl.Method) -> Affinity:
    P = read(G).adjacency
    mass = np.ones(len(G)) if method.mass == "unit" else np.asarray(P.sum(axis=0))
    return input_affinity(P, mass, method, 0.0, Threads())[0]


@cache
def forest(count: int, most: int, seed: int = 0) -> sp.csr_array:
    """Trees with weights, no two alike: pairs, some too small for several starts, and larger ones."""
    rng = np.random.default_rng(seed)
    trees = [nx.random_labeled_tree(int(rng.integers(2, most)), seed=k) for k in range(count)]
    for tree in trees:
        for u, v in tree.edges:
            tree.edges[u, v]["weight"] = 0.5 + rng.random()
    return sp.csr_array(sp.block_diag([nx.to_scipy_sparse_array(tree) for tree in trees]))


def components(G: sp.csr_array, labels: np.ndarray) -> list[tuple[np.ndarray, sp.csr_array]]:
    nodes = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    return [(each, sp.csr_array(G[each][:, each])) for each in nodes]


@pytest.mark.parametrize("G", first([nx.karate_club_graph(), nx.grid_2d_graph(5, 7), nx.balanced_tree(2, 4)], 1))
def test_the_lowest_of_several_copies_is_as_low_as_the_best_of_three_alone(G):
    """Of random positions of the coarsest graph, under gamma-QuadLog."""
    method = METHODS["gamma-quadlog"]
    graph = affinity_of(G, method)
    J, rng, best, ours = SUMS.objective(method, graph), np.random.default_rng(2), [], []
    for seed in range(5):
        starts = [rng.standard_normal((len(G), 2)) for _ in range(3)]
        best.append(min(minimize(J, Y, optimizer_named("lbfgs"), 100, StoppingRule(stall=3e-4)).value for Y in starts))
        run = Run(method, 2, SUMS, np.random.default_rng(seed), Observer(None), Animation([], 0, 2))
        ours.append(J.evaluate(lowest_copies(graph, method, 8, 50, run)).value)
    assert np.median(ours) <= np.median(best) + 1e-2


# Methods that draw trees with a J of 1e-4: its last digits are luck.
PERFECT = ("jse", "alpha-sne")


@pytest.mark.full
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("name", [name for name in METHODS if name not in PERFECT])
def test_drawings_are_as_good_as_one_by_one(name, dim):
    """J of each component, the better of two seeds: the median differs by at most half a percent, the sum by five.

    Trees that s-SNE draws almost perfectly have a J near 0, which is luck: seeds differ by more.
    """
    G = forest(24, 20)
    runs = [nl.solve(G, name, seed=seed, dim=dim) for seed in (0, 1)]
    assert all(np.isfinite(run.positions).all() for run in runs)
    each = components(G, runs[0].components)
    one, other = (
        np.array([nl.evaluate(P, (run.positions * run.unit)[nodes], name).value for nodes, P in each]) for run in runs
    )
    together = np.minimum(one, other)
    alone = np.array([min(nl.solve(P, name, seed=seed, dim=dim).value for seed in (0, 1)) for _, P in each])
    size = np.abs(alone) + np.mean(np.abs(alone))
    assert np.median((together - alone) / size) <= 0.005
    assert np.sum(together - alone) <= max(0.05 * np.sum(np.abs(alone)), np.sum(np.abs(one - other)))


@pytest.mark.full
def test_auto_keeps_drawings_as_good_as_one_by_one():
    G, gains = forest(40, 24), []
    together = nl.solve(G, "auto", seed=0)
    for nodes, P in components(G, together.components):
        score = Score(P, Threads())
        alone = nl.solve(P, "auto", seed=0)
        gains.append(np.log(score(together.positions[nodes]) / score(alone.positions)))
    assert np.median(gains) > -0.01
    assert np.mean(gains) > -0.05


def test_two_nodes_lie_where_the_formula_puts_them():
    """Elastic Embedding of a pair is 2 (w x + exp(-x) + w ln w - w) in x = d^2: 0 at x = -ln w where w < 1."""
    weights = 0.5 + np.random.default_rng(0).random(12)
    G = sp.csr_array(sp.block_diag([sp.coo_array([[0.0, w], [w, 0.0]]) for w in weights]))
    solution = nl.solve(G, "ee", seed=0, tol=1e-9)
    found = np.bincount(solution.components, solution.node_cost)[solution.components[::2]]
    assert found[weights < 0.95] == pytest.approx(0.0, abs=1e-6)
    heavy = weights[weights > 1.05]
    assert found[weights > 1.05] == pytest.approx(2 * (1 + heavy * np.log(heavy) - heavy), rel=1e-2)


@pytest.mark.parametrize("name", thinned(["tsne", "auto", "nerv"], plain="tsne".__eq__))
def test_threads_and_callbacks_leave_the_bits_as_they_are(name):
    G, seen = forest(60, 15), []
    one, two = (nl.solve(G, name, seed=1, n_jobs=k) for k in (1, 2))
    watched = nl.solve(G, name, seed=1, callback=lambda progress: seen.append(progress.positions) and None)
    for other in (two, watched):
        assert np.array_equal(one.positions, other.positions)
        assert [(s.iteration, s.value, s.stage) for s in one.trace] == [
            (s.iteration, s.value, s.stage) for s in other.trace
        ]
    assert len(seen) == len(one.trace) + 1
    assert all(np.isfinite(Y).all() and Y.shape == one.positions.shape for Y in seen)
    seconds = [step.seconds for step in two.trace]
    assert seconds == sorted(seconds)
    size = np.bincount(one.components)[one.components]
    share = 1.0 if name == "nerv" else size / (size > 1).sum()  # a component shares out its part of all
    assert one.value == pytest.approx((one.node_cost / share).sum(), rel=1e-9)


@pytest.mark.full
def test_frames_keep_components_apart_and_seldom_turn():
    G, frames = forest(40, 15), []
    solution = nl.solve(G, "tsne", seed=1, callback=lambda progress: frames.append(progress.positions) and None)
    parts = [np.flatnonzero(k == solution.components) for k in range(solution.components.max() + 1)]
    for frame in frames[:-1:10]:
        assert np.abs(frame).max() <= 1.0 + 1e-12
        middles = np.array([frame[part].mean(axis=0) for part in parts])
        each = zip(parts, middles, strict=True)
        radii = np.array([np.linalg.norm(frame[part] - middle, axis=1).max() for part, middle in each])
        apart = np.linalg.norm(middles[:, None] - middles, axis=2) + np.diag(np.full(len(parts), np.inf))
        assert (apart >= radii[:, None] + radii).all()
    for part in parts:
        alone, turned = [frame[part] - frame[part].mean(axis=0) for frame in frames[:-1]], 0
        for before, frame in pairwise(alone):
            turn = turn_onto(frame, before, np.ones(len(part)))
            turned += np.abs(turn - np.eye(2)).max() > 0.5
        assert turned < len(alone) / 10


def test_an_error_in_one_component_ends_the_others():
    """A divergence of the caller's own fails once, on one thread; the others would take minutes."""
    calls = []

    def f(t):
        calls.append(1)
        if len(calls) == 400:
            raise ArithmeticError
        return (t - 1) ** 2 / (t + 1)

    method = nl.Method("cauchy", f_divergence(f, name="failing"), "normalized")
    began = time.monotonic()
    with pytest.raises(ValueError, match="it raised ArithmeticError"):
        nl.solve(forest(60, 15), method, seed=0, n_jobs=2, tol=0.0, max_iter=10**7)
    assert time.monotonic() - began < 60


@pytest.mark.full
def test_starts_and_fixed_nodes_stay():
    G = forest(60, 15)
    first = nl.solve(G, "tsne", seed=0)
    again = nl.solve(G, "tsne", seed=0, pos=first.positions)
    width = np.ptp(first.positions, axis=0).max()
    assert np.median(np.abs(again.positions - first.positions)) < 0.02 * width
    still = nl.solve(G, "tsne", seed=0, pos=first.positions, max_iter=0)
    assert np.allclose(still.positions, first.positions)
    fixed = np.arange(0, G.shape[0], 5)
    held = nl.solve(G, "tsne", seed=0, pos=first.positions, fixed=fixed)
    assert np.array_equal(held.positions[fixed], first.positions[fixed])


def test_a_component_farther_apart_than_minimizers_go_has_a_value_among_others():
    """At 25.9 the Gaussian kernel values of a node sum to 1e-291, less than the 1e-280 at which minimizers stop."""
    sizes = range(2, 12)
    G = nx.disjoint_union_all([nx.path_graph(k) for k in sizes])
    Y = np.stack([np.concatenate([np.arange(k) for k in sizes]), np.zeros(len(G))], axis=1)
    ninth = np.flatnonzero(np.repeat(list(sizes), list(sizes)) == 9)
    Y[ninth[-1]] = 8.0, 25.9
    found = nl.evaluate(G, dict(zip(G, Y, strict=True)), "sne")
    assert np.isfinite(found.value)
    assert found.node_cost[ninth].sum() == pytest.approx(25.9**2 / 2, rel=0.01)


@pytest.mark.parametrize(("name", "own"), [("tsne", {}), ("nerv", {}), ("auto", {"mass": "unit", "emphasis": 0})])
def test_a_component_alone_takes_the_same_steps_as_among_others(name, own):
    """Bit for bit, whatever the others are.  Relative masses would make it another problem."""
    trees = [nx.random_labeled_tree(n, seed=n) for n in (30, 12, 9, 5)]
    alone = nl.solve(trees[0], name, seed=1, **own)
    for others in (trees[1:], trees[2:]):
        among = nl.solve(nx.disjoint_union_all([trees[0], *others]), name, seed=1, **own)
        steps = [[(step.stage, step.value) for step in one.trace] for one in (among, alone)]
        assert len(steps[0]) > len(steps[1]) > 0
        assert steps[0][: len(steps[1])] == steps[1]


def test_equal_small_components_are_drawn_once():
    """The trace has the steps of one of the thirty paths, and every one of them has the same drawing."""
    G = nx.disjoint_union_all([nx.path_graph(4)] * 30)
    one, all_ = nl.solve(nx.path_graph(4), "ws-sne", seed=0), nl.solve(G, "ws-sne", seed=0)
    assert len(all_.trace) == len(one.trace)
    lengths = [np.linalg.norm(all_.positions[4 * k] - all_.positions[4 * k + 3]) for k in range(30)]
    assert np.ptp(lengths) < 1e-12


def test_edges_of_weight_zero_that_hold_a_graph_together_are_noted():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, {(0, 1): 1.0, (1, 2): 0.0, (2, 3): 2.0}, "weight")
    said = (
        "without its 1 edges of weight 0 the graph has 2 components instead of 1, which are drawn apart; "
        "weight=None keeps it together"
    )
    A = sp.csr_array(([1.0, 0.0, 2.0], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    for graph in (G, A):
        assert said in nl.solve(graph, "ws-sne").notes
        assert not any("components" in note for note in nl.solve(graph, "ws-sne", weight=None).notes)
    G.add_edge(0, 3, weight=1.0)
    assert not any("components" in note for note in nl.solve(G, "ws-sne").notes)


def test_an_estimate_counts_equal_components_once():
    rng = np.random.default_rng(0)
    trees = [nx.random_labeled_tree(int(rng.integers(9, 16)), seed=k) for k in range(400)]
    nl.layout(nx.path_graph(400), seed=0, max_iter=1)  # loads the loops, which would count once
    many = nl.estimate(nx.disjoint_union_all(trees), n_jobs=1).seconds
    half = nl.estimate(nx.disjoint_union_all(trees[:200]), n_jobs=1).seconds
    equal = nl.estimate(nx.disjoint_union_all([nx.path_graph(7)] * 400), n_jobs=1).seconds
    each = np.mean([nl.estimate(tree, n_jobs=1).seconds for tree in trees[:20]])
    assert many == pytest.approx(2 * half, rel=0.2)
    assert equal < 0.5 * many < 0.5 * 400 * each
