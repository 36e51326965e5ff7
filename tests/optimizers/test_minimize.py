"""The one loop: when it ends, what it reports, and how the stages of a drawing share its steps."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csr_array
from tables import first

import nelayout as nl
from nelayout.catalogue.stages import CoarseToFine, Descend
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.groups import WHOLE, Parts
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Evaluation
from nelayout.optimizers import LBFGS
from nelayout.optimizers.line_search import MAX_TRIALS, Trial, tried
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.size import size_search, spread_search
from nelayout.record.progress import Observer, Stopped

SUMS = {"parts": WHOLE, "arithmetic": Arithmetic(WHOLE, Threads(), False), "brought": lambda x: x}
LOOSE: Any = SimpleNamespace(**SUMS)
SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


class State(NamedTuple):
    evaluation: Evaluation
    step: int = 0
    taken: bool = True
    stuck: bool = False


class Scripted:
    """An optimizer with known trials: the k-th leads to a known drawing and value; it is stuck where the script ends.

    A trial that leads to the same array is refused.
    """

    name = "scripted"

    def __init__(self, values: list[float], drawings: list[np.ndarray] | None = None) -> None:
        self.values, self.drawings = values, drawings or [SQUARE + k * np.eye(4, 2) for k in range(len(values))]

    def check(self, kernel: Any, divergence: Any) -> None:
        """Valid for everything."""

    def init(self, objective: Any, Y: np.ndarray) -> State:
        return State(Evaluation(self.values[0], 1.0))

    def step(self, objective: Any, Y: np.ndarray, state: State) -> tuple[np.ndarray, State]:
        k = state.step + 1
        taken = self.drawings[k] is not Y
        return self.drawings[k], State(Evaluation(self.values[k], 1.0), k, taken, k == len(self.values) - 1)


def ended(optimizer: Scripted, rest: Rest, max_iter: int = 100) -> tuple[int, str]:
    """Steps taken, and the reason of the end."""
    seen: list[float] = []
    _, value, reason = minimize(LOOSE, SQUARE, optimizer, max_iter, rest, lambda value, Y: seen.append(value))
    assert value == (seen[-1] if seen else math.inf)
    return len(seen), reason


def test_it_ends_where_the_optimizer_is_stuck_the_steps_are_used_up_or_the_report_raises():
    def report(value: float, Y: np.ndarray) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        minimize(LOOSE, SQUARE, Scripted([1.0, 0.0, -1.0]), 5, Rest(), report)
    falling = Scripted([math.exp(-k) for k in range(21)])
    assert ended(falling, Rest()) == (20, "converged")
    assert ended(falling, Rest(), 7) == (7, "max_iter")
    assert ended(falling, Rest(), 0) == (0, "max_iter")


@pytest.mark.parametrize("lull", [3, 10])
def test_it_ends_when_steps_bring_too_little_of_all_the_decrease(lull):
    """J = 2^-k: the last L steps bring (2^L - 1) 2^-k, of all 1 - 2^-k."""
    falling = Scripted([2.0**-k for k in range(60)])
    gain = 1e-3
    k = next(k for k in range(lull, 60) if (2**lull - 1) * 2.0**-k <= gain * (1 - 2.0**-k))
    assert ended(falling, Rest(lull=gain, lull_steps=lull)) == (k, "lull")
    assert ended(Scripted([1.0] * 60), Rest(lull=0.0, lull_steps=lull)) == (lull, "lull")
    assert ended(Scripted([1.0] * 60), Rest(lull=None, lull_steps=lull)) == (59, "converged")


def test_it_ends_after_five_steps_of_small_moves():
    """One node of four moves by h: by h sqrt(3) / 4 about the middle, in units of the radius, and of 1 / sqrt 4."""
    moves = [1.0, 1e-4, 1e-4, 1.0, *[1e-4] * 8]
    drawings = [SQUARE]
    for k, move in enumerate(moves):
        drawings.append(drawings[-1] + move * (-1) ** k * np.eye(4, 2, k=-3)[:, ::1])
    script = Scripted([-float(k) for k in range(len(drawings))], drawings)
    assert ended(script, Rest(move=1e-2)) == (9, "converged")
    assert ended(script, Rest(move=1e-6)) == (12, "converged")


def test_a_refused_trial_is_no_step():
    """The positions after it are the same array; the five moves are those of other steps."""
    drawings = [SQUARE, *(SQUARE + 1e-6 * k * np.eye(4, 2) for k in range(1, 4))]
    drawings += [drawings[-1]] * 4 + [SQUARE + 1e-6 * k * np.eye(4, 2) for k in range(4, 9)]
    script = Scripted([-float(k) for k in range(len(drawings))], drawings)
    assert ended(script, Rest(move=1e-3)) == (5, "converged")
    assert ended(script, Rest(move=1e-3, window=1)) == (1, "converged")
    assert ended(script, Rest(), 4) == (4, "max_iter")


def test_growth_is_no_move_and_a_point_is_an_end():
    growing = [SQUARE * 2.0**k for k in range(20)]
    assert ended(Scripted([-float(k) for k in range(20)], growing), Rest(move=1e-9)) == (5, "converged")
    shrinking = [SQUARE * 2.0**-k for k in range(20)]  # radius sqrt 2 at first
    assert ended(Scripted([-float(k) for k in range(20)], shrinking), Rest(point=0.1)) == (4, "collapsed")


def test_it_ends_where_the_forces_are_in_balance():
    """J = |Y|^2 / 2 of four nodes: going down the gradient Y by h = radius / sqrt 4 takes sqrt(4) |Y| h."""

    class Bowl:
        name = "bowl"

        def init(self, objective, Y):
            return SimpleNamespace(evaluation=Evaluation(8.0, 1.0, Y, strength=2.0), taken=True, stuck=False)

        def step(self, objective, Y, state):
            Y = Y / 2.0
            value = float(np.sum(Y * Y)) / 2.0 + 4.0
            return Y, SimpleNamespace(evaluation=Evaluation(value, 1.0, Y, strength=2.0), taken=True, stuck=False)

    # |Y| = 2 radius = sqrt 8 / 2^k, so what could be lost is 2 |Y| radius / 2 / 2 = 2 / 4^k of the strength, 2
    for tol, steps in ((0.6, 5), (0.1, 7), (1e-3, 10)):  # and four steps more
        Y, _, reason = minimize(LOOSE, SQUARE, Bowl(), 50, Rest(force=tol))
        assert np.array_equal(Y, SQUARE / 2.0**steps)
        assert reason == "converged"


def test_an_observer_goes_on_from_run_to_run():
    seen: list[tuple[int, str]] = []
    observer = Observer(lambda state: seen.append((state.iteration, state.stage)))
    expected = [(0, "first", 2.0), (1, "first", 1.0), (2, "descend", 2.0), (3, "descend", 1.0)]
    for _, name, value in expected:
        observer.record(name, value, lambda: SQUARE)
    assert seen == [step[:2] for step in expected]
    assert [(step.iteration, step.stage, step.value) for step in observer.trace] == expected


# --- the line search ------------------------------------------------------------------------------------------


def problem(function: Any, gradient: Any, lost: Any = None) -> Any:
    def evaluate(Y, *, attraction=False):
        value = function(Y)
        away = np.empty(0, dtype=int) if lost is None else lost(Y)
        return Evaluation(value, 1.0, gradient(Y), np.empty(0), away)

    return SimpleNamespace(**SUMS, evaluate=evaluate)


def walled(Y):
    return math.inf if Y[1, 0] > 5 else float(np.sum((Y - 1.0) ** 2))


def beyond(Y):
    return np.flatnonzero(Y[:, 0] > 5)


@pytest.mark.parametrize(
    ("J", "Y", "direction", "slope", "end", "length", "failed"),
    [
        # J = |Y|^2 from 1 along -4 is 9 at the whole length; the parabola of 1, its slope -8 and 9 has 0 at a quarter
        (problem(lambda Y: float(np.sum(Y * Y)), lambda Y: 2 * Y), [1.0], [-4.0], -8.0, [0.0], 0.25, 1),
        # a direction that only rises is given up
        (problem(lambda Y: float(np.sum(Y)), np.ones_like), [0.0], [1.0], -1.0, [0.0], None, MAX_TRIALS),
        # nodes that fly off are held and the others go on; where no node is lost, long moves are cut
        (problem(walled, lambda Y: 2 * (Y - 1.0), beyond), [0.0, 0.0], [1.0, 9.0], -20.0, [1.0, 0.0], None, None),
        (problem(walled, lambda Y: 2 * (Y - 1.0)), [0, 0], [0.5, 9.0], -19.0, pytest.approx([0.5, 0.9]), None, None),
    ],
    ids=["parabola", "rises", "flies off", "cut"],
)
def test_the_end_of_a_line_search(J, Y, direction, slope, end, length, failed):
    Y = np.array(Y, dtype=float)[:, None]
    now, trial, taken = J.evaluate(Y), Trial(np.array(direction)[:, None], slope, 1.0, 0), False
    for _ in range(MAX_TRIALS):
        Y, _, now, trial, taken = tried(J, Y, now, trial)
        if taken:
            break
    assert Y.ravel().tolist() == end
    assert taken == (failed != MAX_TRIALS)
    assert length in (None, trial.length)
    assert failed in (None, trial.failed)


def test_graphs_of_a_stack_search_each_for_itself():
    """J = k |Y|^2 of three graphs, infinite beyond 5 for one; each graph has its own lengths and held nodes."""
    parts = Parts(np.array([1, 1, 2]))

    def evaluate(Y, *, attraction=False):
        value = parts.sum((Y**2).ravel())
        value[2] = math.inf if Y[3, 0] > 5 else value[2]
        return Evaluation(value, np.ones(3), 2 * Y, lost=np.flatnonzero((Y[:, 0] > 5) & (np.arange(4) == 3)))

    J = SimpleNamespace(
        parts=parts, arithmetic=Arithmetic(parts, Threads(), False), brought=lambda x: x, evaluate=evaluate,
        edges=SimpleNamespace(rows=np.zeros(0, dtype=int)),
    )
    start = np.array([[1.0], [1.0], [1.0], [1.0]])
    trial = Trial(np.array([[-4.0], [-1.0], [-1.0], [9.0]]), np.array([-8.0, -2.0, -1.0]), np.ones(3), np.zeros(3))
    Y, _, now, trial, taken = tried(J, start, evaluate(start), trial)
    assert taken.tolist() == [False, True, False]
    assert Y.ravel().tolist() == [1.0, 0.0, 1.0, 1.0]
    Y, _, now, _, taken = tried(J, Y, now, trial)
    assert taken[[0, 2]].tolist() == [True, True]
    assert Y[[0, 2, 3]].ravel().tolist() == [0.0, 0.0, 1.0]
    assert now.value.tolist() == [0.0, 0.0, 1.0]


# --- sizes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("best", [1e-6, 0.3, 1.0, 7.0, 1e9])
def test_sizes_are_found_to_their_precision(best):
    """J = x^2 of x = ln(radius / best), whatever the size of the drawing that is given."""

    def value(Y):
        return math.log(np.sqrt(np.mean(np.sum((Y - Y.mean(axis=0)) ** 2, axis=1))) / best) ** 2

    J = SimpleNamespace(parts=WHOLE, scale_free=False, evaluate=lambda Y, gradient: Evaluation(value(Y), 1.0))
    for size in (1e-3, 1.0, 40.0):
        found = size_search(J, size * SQUARE)
        assert found * size * math.sqrt(2) == pytest.approx(best, rel=0.05)
    assert size_search(SimpleNamespace(parts=WHOLE, scale_free=True), SQUARE) == 1.0


def test_a_start_is_made_as_small_as_its_farthest_node_needs():
    """A node of 200 lies so far out that a Gaussian reaches it neither at the size first tried nor at half of it."""
    G = nx.star_graph(199)
    drawn = nl.solve(G, "sne", seed=0, scale=None)
    start = np.array([drawn.positions[node] for node in G])
    start[-1] = 60.0 * np.abs(start).max()
    again = nl.solve(G, "sne", pos=start, seed=0)
    assert again.value == pytest.approx(drawn.value, rel=0.01)


def test_the_spread_of_some_nodes_is_found_about_their_centroid():
    part = np.array([True, True, True, False])

    def value(Y):
        assert np.array_equal(Y[3], SQUARE[3])
        assert np.allclose(Y[part].mean(axis=0), SQUARE[part].mean(axis=0))
        return math.log(np.linalg.norm(Y[0] - Y[2]) / 5.0) ** 2

    square = csr_array(nx.to_scipy_sparse_array(nx.cycle_graph(4)))
    J = SimpleNamespace(
        evaluate=lambda Y, gradient: Evaluation(value(Y), 1.0), affinity=Affinity(square, np.ones(4))
    )
    found = spread_search(J, SQUARE, np.repeat(part[:, None], 2, axis=1))
    assert found * math.sqrt(8) == pytest.approx(5.0, rel=0.01)
    close = SQUARE * np.where(part, 1e-9, 1.0)[:, None] + np.where(part, 0.0, 1.0)[:, None]
    J.evaluate = lambda Y, gradient: Evaluation(float(np.sum(Y[part] ** 2)), 1.0)
    together = spread_search(J, close, np.repeat(part[:, None], 2, axis=1))
    assert 1e6 < together < 1e8  # J is lowest where the three coincide, and they are kept apart
    # where no edge has a length, the least is a tenth of the typical distance between nodes, the radius over sqrt 4
    J.affinity, J.evaluate = Affinity(csr_array((4, 4)), np.ones(4)), lambda Y, gradient: Evaluation(np.sum(Y**2), 1.0)
    assert 0.05 <= spread_search(J, SQUARE, np.ones((4, 2), dtype=bool)) < 0.06


@pytest.mark.parametrize("method", first(["ws-sne", "tsne", "auto"], 1))
def test_a_ring_is_drawn_at_the_size_of_two_fixed_nodes(method):
    """A folded start has both in one crossing: the others were drawn ten million times as far apart as the two."""
    rng = np.random.default_rng(0)
    for seed in range(7):
        start = rng.standard_normal((20, 2))
        drawn = nl.solve(nx.cycle_graph(20), method, pos=start, fixed=[1, 6], seed=seed)
        Y = np.array([drawn.positions[v] for v in range(20)])
        assert (Y[[1, 6]] == start[[1, 6]]).all()
        assert np.ptp(Y, axis=0).max() < 8 * np.linalg.norm(start[1] - start[6])


# --- stages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [(15, 40, 20, 30), (1, 1, 1), (200,), (7, 0, 3)])
def test_the_callers_steps_are_for_the_last_stage(steps):
    names = [f"stage {k}" for k in range(len(steps))]
    method = nl.Method(stages=tuple(Descend(name, most) for name, most in zip(names, steps, strict=True)))
    for most in (None, 0, 1, 5, 99, 10_000):
        planned = nl.plan(nx.karate_club_graph(), method, max_iter=most).passes
        found = [each.steps for each in planned if each.name in names]
        assert found == ([*steps] if most is None else [*steps[:-1], most])


@pytest.mark.parametrize(
    "stages",
    [
        (Descend("d", 30), CoarseToFine("c", 15)),
        (CoarseToFine("c", 15),),
        (Descend("d", 30, exaggeration=4.0), Descend("e", 30)),
    ],
    ids=["levels last", "levels alone", "no levels"],
)
def test_stages_by_hand_draw_in_any_order(stages):
    """A ring comes out round enough that its neighbors are nearest, from scratch and from a start."""
    G = nx.cycle_graph(60)
    method = nl.Method(stages=stages)
    for pos in (None, nx.circular_layout(G)):
        solution = nl.solve(G, method, pos, seed=0)
        assert [step.stage for step in solution.trace][-1] == stages[-1].name
        assert np.isfinite(list(solution.positions.values())).all()
        if pos is not None:
            assert nl.measure(G, solution.positions, measures=["neighborhood"])["neighborhood"].value == 1.0


def test_momentum_has_stages_of_its_own_without_exaggeration_on_a_circle():
    G = nx.Graph()
    G.add_weighted_edges_from(("hub", k, 1.0 + k) for k in range(20))
    names = [each.name for each in nl.plan(G, optimizer="momentum").passes]
    assert names[:2] == ["circle", "descend"]
    G, method = nx.cycle_graph(20), nl.Method(stages=(Descend("mine", 5),))
    notes = nl.solve(G, method, optimizer="momentum", seed=0, max_iter=10).notes
    assert any("in place of the method's stages" in note for note in notes)
    assert not nl.solve(G, "ws-sne", optimizer="momentum", seed=0, max_iter=10).notes


# --- callbacks of large runs ----------------------------------------------------------------------------------------

SIDE = 142
LARGE = sparse.csr_array(nx.to_scipy_sparse_array(nx.grid_2d_graph(SIDE, SIDE), dtype=float))


def hubs(k: int, n: int) -> sparse.csr_array:
    """All of n nodes joined to all of k: pairs of nodes can be merged k at a time only."""
    rows, cols = np.divmod(np.arange(k * n), n)
    half = sparse.coo_array((np.ones(k * n), (rows, k + cols)), shape=(k + n, k + n))
    return sparse.csr_array(half + half.T)


def firsts(G, method: str, max_iter: int) -> list[int]:
    """Iterations that begin a level or a stage: its name or the number of different places changes."""
    seen: list[Any] = []
    nl.solve(
        G, method, seed=0, max_iter=max_iter,
        callback=lambda state: seen.append((state.stage, len(np.unique(state.positions[:, 0])))),
    )
    return [0, *(k for k in range(1, len(seen)) if seen[k] != seen[k - 1])]


@pytest.mark.full
@pytest.mark.parametrize(("method", "most"), [("ws-sne", 12), ("gamma-quadlog", 4), ("auto", 6)])
def test_true_stops_in_every_level_and_stage(method, most):
    assert LARGE.shape[0] > 20_000
    begins = firsts(LARGE, method, most)
    assert len(begins) > 8  # nine levels and more from 40 nodes to 20,000, and the stages
    for k in begins:
        steps: list[int] = []

        def callback(state, k=k, steps=steps) -> bool:
            steps.append(state.iteration)
            return state.iteration == k

        solution = nl.solve(LARGE, method, seed=0, max_iter=most, callback=callback)
        assert steps == list(range(k + 1))
        assert len(solution.trace) == k + 1
        assert solution.reason == "stopped"
        assert solution.positions.shape == (LARGE.shape[0], 2)
        assert np.isfinite(solution.positions).all()
        assert len(np.unique(solution.positions, axis=0)) == LARGE.shape[0]


def test_a_graph_that_does_not_shrink_is_looked_at_from_its_first_step(monkeypatch):
    """Its coarsest graph is as large as it is itself, and is not drawn in secret."""
    done: list[int] = []
    step = LBFGS.step
    monkeypatch.setattr(LBFGS, "step", lambda *given: done.append(1) or step(*given))
    solution = nl.solve(hubs(50, 3000), "gamma-quadlog", seed=0, callback=lambda state: True)
    assert solution.reason == "stopped"
    assert len(solution.trace) == len(done) == 1


def test_false_and_none_go_on():
    G = LARGE[:2000, :2000]
    plain = nl.solve(G, "gamma-quadlog", seed=0, max_iter=3)
    for answer in (None, False, 0):
        watched = nl.solve(G, "gamma-quadlog", seed=0, max_iter=3, callback=lambda state, answer=answer: answer)
        assert watched.reason == plain.reason
        assert np.array_equal(watched.positions, plain.positions)
