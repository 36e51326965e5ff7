"""The one loop: when it ends, what it reports, and how the stages of a drawing share its steps."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csr_array
from tables import first

import nelayout as nl
from nelayout.core.catalogue.stages import CoarseToFine, Descend
from nelayout.core.objective import Affinity, Evaluation
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.line_search import MAX_TRIALS, Trial, tried
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.optimizers.size import size_search, spread_search
from nelayout.core.record.progress import Observer, Stopped
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.parallel import Threads

SUMS = {"arithmetic": Arithmetic(Threads(), False), "to_device": lambda x: x}
LOOSE: Any = SimpleNamespace(**SUMS)
SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


class State(NamedTuple):
    evaluation: Evaluation
    step: int = 0
    taken: bool = True
    stuck: bool = False


class Scripted:
    """An optimizer with known trials: the k-th leads to a known drawing and value; it is stuck where the script ends.

    A trial that leads to the same array is refused.  Gradients are the positions.
    """

    name = "scripted"

    def __init__(self, drawings: list[np.ndarray], values: Any = None, strength: float = math.nan) -> None:
        self.drawings, self.strength = drawings, strength
        self.values = [-float(k) for k in range(len(drawings))] if values is None else values

    def check(self, kernel: Any, divergence: Any) -> None:
        """Valid for everything."""

    def init(self, objective: Any, Y: np.ndarray) -> State:
        return State(self.evaluation(0))

    def evaluation(self, k: int) -> Evaluation:
        return Evaluation(self.values[k], 1.0, self.drawings[k], strength=self.strength)

    def step(self, objective: Any, Y: np.ndarray, state: State) -> tuple[np.ndarray, State]:
        k = state.step + 1
        taken = self.drawings[k] is not Y
        return self.drawings[k], State(self.evaluation(k), k, taken, k == len(self.values) - 1)


def walk(values: list[float]) -> Scripted:
    """One of large moves."""
    return Scripted([SQUARE + k * np.eye(4, 2) for k in range(len(values))], values)


def scaled(factor: float, **options: Any) -> Scripted:
    """One that multiplies the drawing at each step."""
    return Scripted([SQUARE * factor**k for k in range(20)], **options)


def moves(*sizes: float) -> Scripted:
    """One that moves a node of four to and fro: by h sqrt(3) / 4 about the middle, in radii, and of 1 / sqrt 4."""
    places = np.cumsum([0.0, *(h * (-1) ** k for k, h in enumerate(sizes))])
    return Scripted([SQUARE + x * np.eye(4, 2, k=-3) for x in places])


def refusing() -> Scripted:
    """One with small moves, four of its trials refused."""
    drawings = [SQUARE, *(SQUARE + 1e-6 * k * np.eye(4, 2) for k in range(1, 4))]
    return Scripted([*drawings, *[drawings[-1]] * 4, *(SQUARE + 1e-6 * k * np.eye(4, 2) for k in range(4, 9))])


FALLING, FLAT, HALVED = walk([math.exp(-k) for k in range(21)]), walk([1.0] * 60), walk([2.0**-k for k in range(60)])
LITTLE = moves(1.0, 1e-4, 1e-4, 1.0, *[1e-4] * 8)
# J = |Y|^2 / 2 + 4: going down the gradient Y by h = radius / sqrt 4 takes sqrt(4) |Y| h.  |Y| = 2 radius is
# sqrt 8 / 2^k, so what could be lost is 2 |Y| radius / 2 / 2 = 2 / 4^k of the strength, 2; and four steps more.
BOWL = scaled(0.5, values=[8.0 / 4.0**k / 2.0 + 4.0 for k in range(20)], strength=2.0)


def lull_of(steps: int) -> int:
    """With J = 2^-k the last L steps bring (2^L - 1) 2^-k, of all 1 - 2^-k."""
    return next(k for k in range(steps, 60) if (2**steps - 1) * 2.0**-k <= 1e-3 * (1 - 2.0**-k))


@pytest.mark.parametrize(
    ("optimizer", "rule", "most", "steps", "reason"),
    [
        (FALLING, StoppingRule(), 100, 20, "converged"),  # the optimizer is stuck
        (FALLING, StoppingRule(), 7, 7, "max_iter"),
        (FALLING, StoppingRule(), 0, 0, "max_iter"),
        *((HALVED, StoppingRule(stall=1e-3, stall_steps=n), 100, lull_of(n), "lull") for n in (3, 10)),
        *((FLAT, StoppingRule(stall=0.0, stall_steps=n), 100, n, "lull") for n in (3, 10)),
        (FLAT, StoppingRule(stall=None, stall_steps=3), 100, 59, "converged"),
        (FLAT, StoppingRule(calm=1e-6), 100, 4, "lull"),  # the first step has nothing to compare with
        (FALLING, StoppingRule(calm=1e-6), 100, 20, "converged"),
        (LITTLE, StoppingRule(move=1e-2), 100, 9, "converged"),  # five steps of small moves
        (LITTLE, StoppingRule(move=1e-6), 100, 12, "converged"),
        (refusing(), StoppingRule(move=1e-3), 100, 5, "converged"),  # a refused trial is no step
        (refusing(), StoppingRule(move=1e-3, window=1), 100, 1, "converged"),
        (refusing(), StoppingRule(), 4, 4, "max_iter"),
        (scaled(2.0), StoppingRule(move=1e-9), 100, 5, "converged"),  # growth is no move
        (scaled(0.5), StoppingRule(point=0.1), 100, 4, "collapsed"),  # the radius is sqrt 2 at first
        *((BOWL, StoppingRule(force=tol), 50, n, "converged") for tol, n in ((0.6, 5), (0.1, 7), (1e-3, 10))),
    ],
)
def test_a_run_ends_by_its_rule_of_rest(optimizer, rule, most, steps, reason):
    seen: list[float] = []
    Y, value, said = minimize(LOOSE, SQUARE, optimizer, most, rule, lambda value, Y: seen.append(value))
    assert (len(seen), said) == (steps, reason)
    assert value == (seen[-1] if seen else math.inf)
    places = [SQUARE, *(after for before, after in pairwise(optimizer.drawings) if after is not before)]
    assert np.array_equal(Y, places[steps])


def test_what_the_report_raises_ends_the_run():
    def report(value: float, Y: np.ndarray) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        minimize(LOOSE, SQUARE, FALLING, 5, StoppingRule(), report)


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


# --- sizes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("best", [1e-6, 0.3, 1.0, 7.0, 1e9])
def test_sizes_are_found_to_their_precision(best):
    """J = x^2 of x = ln(radius / best), whatever the size of the drawing that is given."""

    def evaluate(Y):
        away = Y - Y.mean(axis=0)
        squares = np.sum(away**2)
        x = math.log(math.sqrt(squares / len(Y)) / best)
        return Evaluation(x**2, 1.0, 2.0 * x * away / squares)

    J = SimpleNamespace(**SUMS, scale_free=False, free=None, evaluate=evaluate)
    for size in (1e-3, 1.0, 40.0):
        found = size_search(J, size * SQUARE)
        assert found * size * math.sqrt(2) == pytest.approx(best, rel=0.05)
    assert size_search(SimpleNamespace(scale_free=True), SQUARE) == 1.0


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

    def evaluate(Y):
        assert np.array_equal(Y[3], SQUARE[3])
        assert np.allclose(Y[part].mean(axis=0), SQUARE[part].mean(axis=0))
        apart = Y[0] - Y[2]
        x = math.log(np.linalg.norm(apart) / 5.0)
        return Evaluation(x**2, 1.0, 2.0 * x / np.sum(apart**2) * np.outer([1.0, 0.0, -1.0, 0.0], apart))

    square = csr_array(nx.to_scipy_sparse_array(nx.cycle_graph(4)))
    J = SimpleNamespace(**SUMS, free=None, evaluate=evaluate, affinity=Affinity(square, np.ones(4)))
    found = spread_search(J, SQUARE, np.repeat(part[:, None], 2, axis=1))
    assert found * math.sqrt(8) == pytest.approx(5.0, rel=0.01)
    close = SQUARE * np.where(part, 1e-9, 1.0)[:, None] + np.where(part, 0.0, 1.0)[:, None]
    J.evaluate = lambda Y: Evaluation(float(np.sum(Y[part] ** 2)), 1.0, 2.0 * Y * part[:, None])
    together = spread_search(J, close, np.repeat(part[:, None], 2, axis=1))
    assert 1e6 < together < 1e8  # J is lowest where the three coincide, and they are kept apart
    # where no edge has a length, the least is a tenth of the typical distance between nodes, the radius over sqrt 4
    J.affinity, J.evaluate = Affinity(csr_array((4, 4)), np.ones(4)), lambda Y: Evaluation(np.sum(Y**2), 1.0, 2.0 * Y)
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
    assert names[2:4] == ["circle", "descend"]
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
