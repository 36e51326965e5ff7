"""Passes: how `BestOf` compares branches, and that looking on or stopping within any pass of a plan changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.objective import Affinity
from nelayout.core.passes.drawing import Drawing, Part, Run, Summation
from nelayout.core.passes.passes import BestOf, Candidate, Pass, fold
from nelayout.core.record.progress import Observer, Stopped
from nelayout.core.run.animation import Animation
from nelayout.graphs import read
from nelayout.numerics.parallel import Threads

# --- BestOf ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Sized(Pass):
    """Multiply positions by a factor, and note that the pass was taken."""

    factor: float
    came: list[int]
    stops: bool = False

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        self.came.append(int(self.name))
        if self.stops:
            raise Stopped
        return drawing.at(drawing.Y * self.factor)


def of_path() -> tuple[Drawing, Run]:
    """A path of five nodes, drawn as it is, one unit apart."""
    part = Part(np.arange(5), Affinity(read(nx.path_graph(5)).adjacency, np.ones(5)))
    sums = Summation("exact", Threads())
    run = Run(METHODS["ee"], 2, sums, np.random.default_rng(0), Observer(None), Animation([part], 5, 2))
    return Drawing.of(part, 2).at(np.stack([np.arange(5.0) - 2.0, np.zeros(5)], axis=1)), run


def kept(*sizes: float, by="J", enough=0.0, stops=(), **branch_of) -> tuple[float, list[int]]:
    """The factor of the kept drawing, and the branches that were tried; keywords by the branch's number."""
    drawing, run = of_path()
    came: list[int] = []
    passes = [Sized(name=f"{k}", factor=size, came=came, stops=k in stops) for k, size in enumerate(sizes)]
    branches = tuple(Candidate(passes=(each,), **branch_of.get(f"_{k}", {})) for k, each in enumerate(passes))
    try:
        found = fold([BestOf(name="keep", branches=branches, by=by, enough=enough)], drawing, run)
    except Stopped as stopped:
        if stopped.drawing is None:
            raise
        found = stopped.drawing
        assert found.reason == "stopped"
    return float(found.Y[4, 0] / 2), came


def values(*factors: float) -> np.ndarray:
    drawing, run = of_path()
    return np.array([run.value(drawing.at(factor * drawing.Y)) for factor in factors])


@pytest.mark.parametrize("sizes", [(2.0, 1.0, 1.5), (1.0, 2.0, 1.5), (1.5, 2.0, 1.0)])
def test_the_lowest_drawing_is_kept(sizes):
    high, low, middle = values(2.0, 1.0, 1.5)
    assert low < middle < high
    assert kept(*sizes)[0] == 1.0
    assert kept(1.0, 1.0 + 1e-15)[0] == 1.0  # of equal ones the first


def test_a_margin_is_a_part_of_the_best_so_far():
    first, other = values(1.5, 1.0)
    gain = (first - other) / abs(first)
    assert kept(1.5, 1.0, _1={"margin": 1.0 + 0.9 * gain})[0] == 1.0
    assert kept(1.5, 1.0, _1={"margin": 1.0 + 1.1 * gain})[0] == 1.5


def test_where_j_is_good_enough_nothing_else_is_tried():
    low, high = np.abs(values(1.0, 2.0))
    assert kept(1.0, 2.0, enough=(low + high) / 2) == (1.0, [0])
    assert kept(2.0, 1.0, enough=(low + high) / 2) == (1.0, [0, 1])
    assert kept(1.0, 2.0, enough=2 * low)[1] == [0]


def test_branches_begin_where_they_say():
    """Each doubles: twice the given drawing, four times from the last, and twice the best."""
    assert kept(0.5, 2.0)[0] == (0.5 if values(0.5) < values(2.0) else 2.0)
    assert kept(2.0, 0.5, _1={"start": "last"})[0] == 1.0
    assert kept(1.0, 4.0, 0.9, _2={"start": "best"})[0] == min((1.0, 0.9), key=lambda x: values(x)[0])


def test_a_branch_that_is_clearly_worse_ends_the_search_but_for_those_that_are_always_tried():
    """By the score, which knows no size: a drawing on one point is worse than the path."""
    rules = {"by": "score", "_1": {"stop": 0.9}, "_3": {"every": True}}
    assert kept(1.0, 0.0, 3.0, 4.0, **rules) == (1.0, [0, 1, 3])
    assert kept(1.0, 2.0, 3.0, 4.0, **rules) == (1.0, [0, 1, 2, 3])


def test_a_stop_in_a_later_branch_gives_back_the_best_and_in_the_first_what_there_is():
    assert kept(2.0, 1.0, 1.0, stops=(2,))[0] == 1.0
    with pytest.raises(Stopped):
        kept(2.0, 1.0, stops=(0,))


def uneven(G: nx.Graph) -> nx.Graph:
    """The graph with weights 1, 2, ..."""
    nx.set_edge_attributes(G, {edge: 1 + k for k, edge in enumerate(G.edges)}, "weight")
    return G


# --- every pass of a plan ---------------------------------------------------------------------------------------------

KARATE = nx.karate_club_graph()
CIRCLE = nx.circular_layout(KARATE)
SEVERAL = nx.disjoint_union_all([nx.random_labeled_tree(n, seed=n) for n in (2, 4, 9, 12, 15)])
RUNS = {
    "tails": (KARATE, "auto", {}),
    "emphases": (nx.grid_2d_graph(7, 7), "auto", {}),
    "starts": (KARATE, "ws-sne", {}),
    "levels alone": (KARATE, "gamma-quadlog", {}),
    "circle": (uneven(nx.wheel_graph(12)), "auto", {}),
    "by rows": (KARATE, "jse", {"max_iter": 50}),
    "start": (KARATE, "tsne", {"pos": CIRCLE}),
    "missing nodes": (KARATE, "tsne", {"pos": {v: CIRCLE[v] for v in range(20)}}),
    "fixed": (KARATE, "tsne", {"pos": CIRCLE, "fixed": [0, 33]}),
    "layers": (KARATE, "ws-sne", {"pos": CIRCLE, "fixed": dict.fromkeys(KARATE, "x")}),
    "momentum": (KARATE, "tsne", {"optimizer": "momentum", "max_iter": 20}),
    "several": (SEVERAL, "ws-sne", {}),
    "several, auto": (SEVERAL, "auto", {}),
    "joint": (SEVERAL, "nerv", {"components": "joint", "max_iter": 20}),
    "alpha": (KARATE, "alpha-sne", {"alpha": "auto", "max_iter": 20}),
}
# In a quick run, some of them stop at this many passes.
PLAIN, STOPS = ("tails", "emphases", "fixed", "missing nodes", "several", "joint"), 3


def solved(G, method, options, callback=None) -> tuple[nl.Solution, np.ndarray]:
    if "alpha" in options:
        method, options = nl.method(method, alpha=options["alpha"]), {**options}
        del options["alpha"]
    solution = nl.solve(G, method, seed=3, callback=callback, **options)
    return solution, np.array([solution.positions[v] for v in G])


def alike(Y: np.ndarray, Z: np.ndarray) -> bool:
    """Whether two drawings are the same but for a rigid motion and their size."""
    a, b = pdist(Y), pdist(Z)
    return bool(np.allclose(a / a.max(), b / b.max(), atol=2e-3))


@pytest.mark.parametrize(
    ("name", "most"),
    [*((name, STOPS) for name in PLAIN), *(pytest.param(name, 10**6, marks=pytest.mark.full) for name in RUNS)],
)
def test_callbacks_change_no_bit_and_may_stop_in_every_pass(name, most):
    """A stopped run gives back its latest positions, or the best so far while others are tried beside them."""
    G, method, options = RUNS[name]
    seen: list = []
    plain, Y = solved(G, method, options)
    watched, same = solved(G, method, options, lambda step: seen.append(step) and None)
    assert np.array_equal(Y, same)
    for steps in (watched.trace, seen[:-1]):
        told = [(s.iteration, s.stage, s.value) for s in steps]
        assert told == [(k, s.stage, s.value) for k, s in enumerate(plain.trace)]
    frames = [step.positions for step in seen]
    assert all(frame.shape == Y.shape and np.isfinite(frame).all() for frame in frames)
    assert not any(frame.flags.writeable for frame in frames)
    stages = [step.stage for step in plain.trace]
    begins = [k for k in range(len(stages)) if k == 0 or stages[k] != stages[k - 1]]
    planned = {} if "alpha" in options else {p.name: p.depth for p in nl.plan(G, method, **options).passes}
    for k in begins[:: -(-len(begins) // most)]:
        stopped, Z = solved(G, method, options, lambda step, k=k: step.iteration >= k)
        assert stopped.reason == "stopped"
        assert [(s.stage, s.value) for s in stopped.trace] == [(s.stage, s.value) for s in plain.trace[: k + 1]]
        assert np.isfinite(Z).all()
        assert len(np.unique(Z, axis=0)) == len(Z)
        one = name not in ("several", "several, auto", "joint")
        if one and planned.get(stages[k]) == 0:
            assert alike(Z, frames[k]), stages[k]
    assert np.array_equal(solved(G, method, options)[1], Y)


@pytest.mark.full
@pytest.mark.parametrize("at", [0, -1])
def test_a_run_that_stops_among_starts_gives_back_the_best_drawing_so_far(at):
    """Its value is the lowest at which a descent in the plane has ended before."""
    trace = nl.solve(KARATE, "ws-sne", seed=3).trace
    last = [k for k, step in enumerate(trace) if step.stage.startswith("other starts")][at]
    before = [(stage, [*steps][-1].value) for stage, steps in groupby(trace[:last], key=lambda step: step.stage)]
    end = min(value for stage, value in before if stage == "descend" or stage.startswith("other starts"))
    stopped = nl.solve(KARATE, "ws-sne", seed=3, scale=None, callback=lambda step: step.iteration >= last)
    assert stopped.value == pytest.approx(end, rel=1e-3)


@pytest.mark.parametrize("method", ["auto", "ws-sne", "gamma-quadlog"])
def test_no_two_stages_of_a_trace_share_a_name(method):
    """Nor do callbacks of two components: a large component, and small ones on several threads."""
    G = nx.disjoint_union_all([nx.grid_2d_graph(29, 29), nx.path_graph(40), nx.star_graph(9), nx.petersen_graph()])
    told = []
    for options in ({}, {"callback": lambda state: told.append(state.stage)}):
        trace = nl.solve(G, method, seed=0, max_iter=5, n_jobs=2, **options).trace
        names = [name for name, _ in groupby(step.stage for step in trace)]
        assert len(names) == len(set(names)) > 3
    assert told == [*(step.stage for step in trace), "result"]
