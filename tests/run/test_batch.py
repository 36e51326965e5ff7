"""Many small components drawn together: each as it would be alone, and all of them quickly put together."""

import signal
import threading
from dataclasses import replace
from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from tables import thinned

import nelayout as nl
from nelayout.catalogue import AUTO, METHODS, stages
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.objective.stacks import one_after_another, stacked
from nelayout.run import pipeline
from nelayout.run.auto.verdict import Judge
from nelayout.run.batch import drawing
from nelayout.run.batch.drawing import drawn_values
from nelayout.run.batch.verdict import BatchJudge
from nelayout.run.state import Summation
from nelayout.run.taking_apart import input_affinity
from nelayout.sums.nbody import backend

ALL = {**METHODS, "auto": AUTO}
SUMS = Summation(backend("exact", Threads(), compiled=False), Threads(), compiled=False)
GRAPHS = (
    nx.path_graph(2),
    nx.path_graph(9),
    nx.complete_graph(4),
    nx.star_graph(6),
    nx.random_labeled_tree(30, seed=1),
    nx.les_miserables_graph(),
)


def matrix(G: nx.Graph) -> sp.csr_array:
    P = sp.csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    P = sp.csr_array((P.data, P.indices.astype(np.int32), P.indptr.astype(np.int32)), shape=P.shape)
    P.sort_indices()
    return P


def affinities(method) -> list[Affinity]:
    found = []
    for G in GRAPHS:
        P = matrix(G)
        mass = np.ones(len(G)) if method.mass == "unit" else np.asarray(P.sum(axis=0))
        found.append(input_affinity(P, mass, method, 0.0, Threads())[0])
    return found


@cache
def forest(count: int, most: int, seed: int = 0) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    trees = [nx.random_labeled_tree(int(rng.integers(2, most)), seed=k) for k in range(count)]
    for tree in trees:
        for u, v in tree.edges:
            tree.edges[u, v]["weight"] = 0.5 + rng.random()
    return sp.csr_array(sp.block_diag([nx.to_scipy_sparse_array(tree) for tree in trees]))


def test_verdicts_are_those_of_graphs_alone():
    parts = affinities(AUTO)[1:]
    batch = stacked(*one_after_another(parts), AUTO)
    Y = np.random.default_rng(3).standard_normal((len(batch.parts.of), 2))
    Y[:9] = np.arange(9)[:, None]  # ties everywhere
    scores = BatchJudge(batch.affinity, batch.parts).scores(Y)
    for k, (part, start) in enumerate(zip(parts, batch.parts.starts, strict=False)):
        here = Y[start : start + len(part.mass)]
        assert scores[k] == pytest.approx(Judge(part.P, Threads()).plain(here), rel=1e-12)


# Methods that draw trees with a J of 1e-4, of which the last digits are luck.
PERFECT = ("jse", "alpha-sne")


@pytest.mark.full
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("name", [name for name in METHODS if name not in PERFECT])
def test_drawings_are_as_good_as_one_by_one(name, dim, monkeypatch):
    """J of each component, the better of two seeds: the median differs by at most half a percent, the sum by five.

    Trees that s-SNE draws almost perfectly have a J near 0, which is luck: seeds differ by more.
    """
    G, costs, luck = forest(24, 20), [], 0.0
    for least in (12, 10**9):
        monkeypatch.setattr(drawing, "LEAST", least)
        monkeypatch.setattr(stages, "SEVERAL_STARTS", 0)  # which only graphs alone have
        runs = [nl.solve(G, name, seed=seed, dim=dim) for seed in (0, 1)]
        one, other = (np.bincount(run.components, run.node_cost) for run in runs)
        costs.append(np.minimum(one, other))
        luck = np.sum(np.abs(one - other))
        assert all(np.isfinite(run.positions).all() for run in runs)
    together, alone = costs
    size = np.abs(alone) + np.mean(np.abs(alone))
    assert np.median((together - alone) / size) <= 0.005
    assert np.sum(together - alone) <= max(0.05 * np.sum(np.abs(alone)), luck)


@pytest.mark.full
def test_auto_keeps_drawings_as_good_as_one_by_one(monkeypatch):
    G = forest(40, 24)
    together, scores = nl.solve(G, "auto", seed=0), []
    monkeypatch.setattr(drawing, "LEAST", 10**9)
    alone = nl.solve(G, "auto", seed=0)
    assert len(together.trace) < len(alone.trace) / 4
    for solution in (alone, together):
        Y, C = solution.positions, solution.components
        own = []
        for k in range(C.max() + 1):
            nodes = np.flatnonzero(k == C)
            own.append(Judge(sp.csr_array(G[nodes][:, nodes]), Threads()).score(Y[nodes]))
        scores.append(np.log(own))
    assert np.median(scores[1] - scores[0]) > -0.01
    assert np.mean(scores[1] - scores[0]) > -0.05


def test_two_nodes_lie_where_the_formula_puts_them():
    """Elastic Embedding of a pair is 2 (w x + exp(-x) + w ln w - w) in x = d^2: 0 at x = -ln w where w < 1."""
    weights = 0.5 + np.random.default_rng(0).random(30)
    G = sp.csr_array(sp.block_diag([sp.coo_array([[0.0, w], [w, 0.0]]) for w in weights]))
    solution = nl.solve(G, "ee", seed=0, tol=1e-9)
    found = np.bincount(solution.components, solution.node_cost)[solution.components[::2]]
    assert found[weights < 0.95] == pytest.approx(0.0, abs=1e-6)
    heavy = weights[weights > 1.05]
    assert found[weights > 1.05] == pytest.approx(2 * (1 + heavy * np.log(heavy) - heavy), rel=1e-2)


@pytest.mark.parametrize("name", thinned(["tsne", "auto", "nerv"], plain=lambda name: False))
def test_threads_and_callbacks_leave_the_bits_as_they_are(name, monkeypatch):
    monkeypatch.setattr(drawing, "NODES", 100)
    G, seen = forest(60, 15), []
    one, two = (nl.solve(G, name, seed=1, n_jobs=k) for k in (1, 2))
    watched = nl.solve(G, name, seed=1, callback=lambda progress: seen.append(progress.positions) and None)
    for other in (two, watched):
        assert np.array_equal(one.positions, other.positions)
        assert [(s.iteration, s.value, s.stage) for s in one.trace] == [
            (s.iteration, s.value, s.stage) for s in other.trace
        ]
    assert len(seen) == len(one.trace)
    assert all(np.isfinite(Y).all() and Y.shape == one.positions.shape for Y in seen)
    seconds = [step.seconds for step in two.trace]
    assert seconds == sorted(seconds)
    assert one.value == pytest.approx(one.node_cost.sum(), rel=1e-9) or name == "auto"


@pytest.mark.full
def test_components_drawn_beside_batches_have_the_same_bits_on_any_threads_and_are_as_low(monkeypatch):
    G = forest(60, 15)
    together = nl.solve(G, "tsne", seed=1)
    monkeypatch.setattr(drawing, "LARGEST", 10)
    alone = []
    draw = drawing.draw_alone
    monkeypatch.setattr(drawing, "draw_alone", lambda part, run: alone.append(len(part.nodes)) or draw(part, run))
    one, two = (nl.solve(G, "tsne", seed=1, n_jobs=k) for k in (1, 2))
    watched = nl.solve(G, "tsne", seed=1, callback=lambda progress: None)
    sizes = np.bincount(one.components)
    assert sorted(alone) == sorted([*sizes[sizes > 10].tolist() * 3])
    assert np.array_equal(one.positions, two.positions)
    assert np.array_equal(one.positions, watched.positions)
    assert [step.value for step in one.trace] == [step.value for step in two.trace]
    assert one.value == pytest.approx(together.value, rel=0.01)
    stopped = nl.solve(G, "tsne", seed=1, callback=lambda progress: progress.iteration >= 20)
    assert (stopped.reason, len(stopped.trace)) == ("stopped", 21)
    assert np.isfinite(stopped.positions).all()


@pytest.mark.full
def test_frames_have_rooms_and_are_turned_onto_the_one_before():
    G, frames = forest(40, 15), []
    solution = nl.solve(G, "tsne", seed=1, callback=lambda progress: frames.append(progress.positions) and None)
    parts = [np.flatnonzero(k == solution.components) for k in range(solution.components.max() + 1)]
    for frame in frames[::10]:
        assert np.abs(frame).max() <= 1.0 + 1e-12
        middles = np.array([frame[part].mean(axis=0) for part in parts])
        each = zip(parts, middles, strict=True)
        reaches = np.array([np.linalg.norm(frame[part] - middle, axis=1).max() for part, middle in each])
        apart = np.linalg.norm(middles[:, None] - middles, axis=2) + np.diag(np.full(len(parts), np.inf))
        assert (apart >= reaches[:, None] + reaches).all()
        assert (reaches[[len(part) > 2 for part in parts]] > 0).all()  # pairs are alike: one is drawn for all
    for before, frame in pairwise(frames):
        for part in parts:
            # the rotation that brings a frame nearest to the one before is none: the polar factor of M is the identity
            M = (frame[part] - frame[part].mean(axis=0)).T @ (before[part] - before[part].mean(axis=0))
            assert np.allclose(M, M.T, atol=1e-7 * np.abs(M).max())
            assert np.linalg.eigvalsh((M + M.T) / 2).min() >= -1e-7 * np.abs(M).max()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("lists", [2, 3], ids=["all at work", "one to come"])
def test_ctrl_c_ends_all_batches_and_the_next_call_works(lists, monkeypatch):
    """They would take minutes: whoever is interrupted waits for no other thread's batch to end."""
    G = forest(60, 15)
    monkeypatch.setattr(drawing, "NODES", G.shape[0] // lists)
    expected, threads = nl.solve(G, "linlog", seed=0, n_jobs=2).positions, set(threading.enumerate())
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            nl.solve(G, "linlog", seed=0, n_jobs=2, tol=0.0, max_iter=10**7)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert set(threading.enumerate()) == threads
    assert np.array_equal(nl.solve(G, "linlog", seed=0, n_jobs=2).positions, expected)


def test_an_error_in_one_batch_ends_the_others(monkeypatch):
    """The first fails at once, the second would take minutes."""
    G, draw = forest(60, 15), drawing.draw_batch

    def fail(components, run):
        if components[0].nodes.size == largest:
            raise ArithmeticError
        draw(components, run)

    largest = int(np.bincount(nl.solve(G, "linlog", seed=0).components).max())
    monkeypatch.setattr(drawing, "NODES", G.shape[0] // 2)
    monkeypatch.setattr(drawing, "draw_batch", fail)
    with pytest.raises(ArithmeticError):
        nl.solve(G, "linlog", seed=0, n_jobs=2, tol=0.0, max_iter=10**7)


def test_a_callback_stops_a_batch():
    G = forest(60, 15)
    for at in (0, 3, 60):
        solution = nl.solve(G, "ws-sne", seed=0, callback=lambda progress, at=at: progress.iteration >= at)
        assert solution.reason == "stopped"
        assert len(solution.trace) == at + 1
        assert np.isfinite(solution.positions).all()


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


def test_a_drawing_farther_apart_than_minimizers_go_has_a_value(monkeypatch):
    """At 25.9 the Gaussian kernel values of a node sum to 1e-291, less than the 1e-280 at which minimizers stop."""
    seen = {}

    def moved(parts, run):
        one = next(part for part in parts if len(part.nodes) == 9)
        Y = np.array([[k, 0.0] for k in range(9)])
        Y[-1] = 8.0, 25.9
        one.drawing = replace(one.drawing, Y=Y)
        seen.update(one=one, known=drawn_values(parts, run), count=len(parts))
        return seen["known"]

    monkeypatch.setattr(pipeline, "drawn_values", moved)
    G = nx.disjoint_union_all([nx.path_graph(k) for k in range(2, 42)])
    solution = nl.solve(G, "sne", seed=0)
    assert id(seen["one"]) not in seen["known"]
    assert len(seen["known"]) == seen["count"] - 1
    cost = solution.node_cost[seen["one"].nodes]
    assert np.isfinite(solution.value)
    assert cost.sum() == pytest.approx(25.9**2 / 2, rel=0.01)


def test_segments_add_up():
    parts = Parts(np.array([1, 3]))
    assert parts.sum(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])).tolist() == [[1.0, 2.0], [15.0, 18.0]]
    assert parts.radius(np.array([[5.0], [-1.0], [0.0], [1.0]])) == pytest.approx([0.0, np.sqrt(2 / 3)])


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


def test_an_estimate_counts_equal_components_once_and_many_together():
    rng = np.random.default_rng(0)
    trees = [nx.random_labeled_tree(int(rng.integers(3, 12)), seed=k) for k in range(400)]
    many = nl.estimate(nx.disjoint_union_all(trees), n_jobs=1).seconds
    half = nl.estimate(nx.disjoint_union_all(trees[:200]), n_jobs=1).seconds
    equal = nl.estimate(nx.disjoint_union_all([nx.path_graph(7)] * 400), n_jobs=1).seconds
    each = np.mean([nl.estimate(tree, n_jobs=1).seconds for tree in trees[:20]])
    assert many == pytest.approx(2 * half, rel=0.2)
    assert equal < 0.5 * many < 0.05 * 400 * each


@pytest.mark.full
def test_large_components_of_a_batch_are_bent_as_those_drawn_alone(monkeypatch):
    tree = matrix(nx.random_labeled_tree(drawing.BENT_ABOVE + 20, seed=3))
    P = sp.csr_array(sp.block_diag([tree, forest(20, 15)]))
    bent = nl.solve(P, "auto", seed=1)
    monkeypatch.setattr(drawing, "BENT_ABOVE", 10**6)
    plain = nl.solve(P, "auto", seed=1)
    assert bent.trace[-1].stage == "bend"
    assert "bend" not in {step.stage for step in plain.trace}
    n = tree.shape[0]
    before, after = (nl.measure(tree, s.positions[:n], measures="stress") for s in (plain, bent))
    assert after["stress"].value < 0.95 * before["stress"].value
