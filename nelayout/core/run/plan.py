"""The plan: the passes that draw one connected graph, chosen from facts about it.

Only this module chooses passes.  For example, a ring under the method "auto" starts on a circle.  A
small graph under ws-SNE compares five initial positions before its last descent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import (
    BALANCED,
    LARGE_GRAPH,
    SHAPE,
    CoarseToFine,
    Descend,
    early_exaggeration,
    recipe,
)
from nelayout.core.formula.connections import Fixed
from nelayout.core.optimizers import LBFGS, optimizer_named
from nelayout.core.passes.align import ALIGN_STEPS, Align
from nelayout.core.passes.coarsen import COARSEST
from nelayout.core.passes.costs import CostModel
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.layers import MAX_COUNTED_EDGES, Layers
from nelayout.core.passes.levels import COARSEST_STEPS, UNFOLDING_STEPS, GaussianMultistart, Levels
from nelayout.core.passes.on_rings import RING_STEPS, OnRings
from nelayout.core.passes.passes import (
    BestOf,
    Candidate,
    Descent,
    InSpace,
    Pass,
    Place,
    PlaceMissing,
    Resize,
    passes_within,
)
from nelayout.core.passes.reorder import Reorder
from nelayout.core.passes.variational_component import ROUNDS as GAME_ROUNDS
from nelayout.core.passes.variational_component import Game
from nelayout.core.problem import Settings
from nelayout.core.untangling.planar import Planar, held_steps
from nelayout.core.untangling.untangling import Redraw, Untangle

__all__ = ["COMPARED", "passes_for", "walk_over_alpha"]

# Fewest and most nodes of a graph for which other initial positions are tried.
# see tuning: MIN_STARTS_NODES, MAX_STARTS_NODES
MIN_STARTS_NODES, MAX_STARTS_NODES = 6, 200
# Random positions of the rough drawing of a graph, and drawings in space.
# see tuning: ROUGH_COPIES, FLATTENED
ROUGH_COPIES, FLATTENED = 16, 3
# Iterations before drawings are compared: other initial positions, rough drawings, and orders alpha.
# see tuning: COMPARED
COMPARED = 40
# Fewest nodes of a graph for which "auto" tries more than one tail.
# see tuning: MIN_TAILS_NODES
MIN_TAILS_NODES = 9
# Nats (of each row under connections by rows) below which no other initial positions are tried.
# see tuning: GOOD_ENOUGH
GOOD_ENOUGH = 1e-2
# Part of the best score so far below which "auto" tries no heavier tail in a large graph.
# see tuning: STOP_LARGE
STOP_LARGE = 1.05
# Emphasis of large distances that "auto" tries, and the iterations with it; and those in a large graph.
# see tuning: EMPHASIS, EMPHASIS_STEPS, EMPHASIS_STEPS_LARGE
EMPHASIS, EMPHASIS_STEPS, EMPHASIS_STEPS_LARGE = 0.4, 40, 20
# Emphasis of distances between the rows of a table, in the first of several descents.
# see tuning: ROWS_EMPHASIS
ROWS_EMPHASIS = 0.3
# Parts of the last descent between which the size of fixed or held nodes is searched for.
# see tuning: ROUNDS
ROUNDS = 4


def passes_for(method: Method, facts: Facts, settings: Settings) -> tuple[Pass, ...]:
    """Return the passes that draw a connected graph of two or more nodes."""
    return _Planner(method, facts, settings).passes()


def walk_over_alpha(method: Method, settings: Settings) -> Pass:
    """Return the pass that `nelayout.core.run.alpha_walk` does for the largest component."""
    assert method.choose is not None
    last = method.stages[-1].max_iter if settings.max_iter is None else settings.max_iter
    steps, why = method.choose.drawings * min(COMPARED, last) + last, "alpha is chosen from the data"
    stage = Descend("walk over alpha", steps)
    return Descent(name=stage.name, steps=steps, stage=stage, optimizer=settings.optimizer or LBFGS(), why=why)


class _Planner:
    """The passes for one graph."""

    def __init__(self, method: Method, facts: Facts, settings: Settings) -> None:
        self.method, self.facts, self.settings = method, facts, settings
        self.momentum = settings.optimizer is not None and settings.optimizer.name == "momentum"
        self.stages = early_exaggeration("momentum") if self.momentum else method.stages
        self.descents = [stage.at(facts.n) for stage in self.stages if isinstance(stage, Descend)]
        self.judged = [stage for stage in self.descents if stage.candidate]
        self.effort = settings.effort

    def passes(self) -> tuple[Pass, ...]:
        facts = self.facts
        if facts.rings:
            steps = 0 if facts.rings == "circle" else self.effort.steps(RING_STEPS)
            steps = steps if self.settings.max_iter != 0 else 0
            return (OnRings(name=facts.rings, steps=steps, why="nodes lie on circles"),)
        if facts.aligned:
            steps = self.effort.steps(ALIGN_STEPS) if self.settings.max_iter is None else self.settings.max_iter
            before = _Planner(self.method, replace(facts, aligned=False), self.settings).passes()
            return (*before, Align(name="align", steps=steps, why="nodes share coordinates"))
        if self.method.variational:
            return self._variational()
        if facts.placed:
            return self._placed()
        begun = [k for k, stage in enumerate(self.stages) if isinstance(stage, CoarseToFine)]
        first, *rest = self.stages[begun[-1] :] if begun else self.stages  # levels restart
        if facts.n == 2 or not isinstance(first, CoarseToFine):
            why = "two nodes" if facts.n == 2 else "the method has no stage through levels"
            found: list[Pass] = [Place(name="random positions", kind="random", why=why)]
            rest = [stage for stage in self.stages if not isinstance(stage, CoarseToFine)] or [first]
        elif facts.special == "disc":
            stage = replace(SHAPE, finest=True, max_iter=2 * SHAPE.max_iter)  # with fewer steps some leaf lags behind
            shape = self._levels(stage, "one node is joined to all others, most of them leaves")
            return (replace(shape, last=True),)
        elif facts.special:
            # Heavier tails and an emphasis would only break the symmetry.
            descents = [stage.at(facts.n) for stage in rest if isinstance(stage, Descend)]
            stage = descents[-1 if self.momentum else 0]
            why = "a ring, wheel or star"
            start = Place(name="circle", kind="circle", why=why)
            if facts.special == "even circle":
                why = "at rest by symmetry: equal weights and masses"
                return (start, self._descend(stage, why, "size", steps=0, size_only=True))
            return (start, *self._last(stage, f"from the symmetric drawing of {why}"))
        else:
            levels = self._levels(first, "global shape")
            coarse = not (levels.finest or facts.row_distances or self.method.connection.by_rows or self.momentum)
            begun = [stage for stage in rest[:-1][:1] if coarse and isinstance(stage, Descend) and not stage.candidate]
            ways = [self._descend(stage.at(facts.n), "on the next coarser graph", coarser=True) for stage in begun]
            found, rest = list[Pass]([replace(levels, ways=tuple(ways))]), rest[len(ways) :]
        descents = [stage.at(facts.n) for stage in rest if isinstance(stage, Descend)]
        if not descents:
            return tuple(replace(each, last=True) if isinstance(each, Levels) else each for each in found)
        if self.judged:
            ways = [stage for stage in descents if not stage.candidate]
            if not self.effort.compare:  # the last candidate blurs no hubs; through the others it tears fewer meshes
                through = [*ways, *self.judged[:-1]] if self.effort.through else ways
                return (*found, *map(self._descend, through), *self._last(self.judged[-1]))
            return (*found, *map(self._descend, ways), *self._judged(ways, descents[len(ways) :]))
        emphasis = ROWS_EMPHASIS if facts.row_distances else None
        found += [self._descend(each, emphasis=None if k else emphasis) for k, each in enumerate(descents[:-1])]
        return (*found, *self._last(descents[-1]))

    def _variational(self) -> tuple[Pass, ...]:
        """Return the passes of the variational form: initial positions, their size, and the game."""
        kind = "as_given" if self.facts.placed else "random"
        name = "given positions" if self.facts.placed else "random positions"
        place = Place(name=name, kind=kind, why="the network begins where the nodes are")
        size = self._descend(Descend("size", 0), "the network begins at the best size")
        rounds = self.effort.steps(GAME_ROUNDS if self.settings.max_iter is None else self.settings.max_iter)
        why = "network and positions take turns"
        return (place, size, Game(name="variational", steps=rounds, why=why))

    def _levels(self, stage: CoarseToFine, why: str) -> Levels:
        """Return the pass through the levels; their number is about log2 of n / coarsest."""
        stage = replace(stage, max_iter=self.effort.steps(stage.max_iter))
        n, count = self.facts.n, 1
        while n > COARSEST:
            n, count = n // 2 + 1, count + 1
        each = stage.max_iter + (UNFOLDING_STEPS if stage.unfold else 0)
        finest = stage.finest or self.facts.n <= LARGE_GRAPH
        steps = count * each + COARSEST_STEPS
        return Levels(name=stage.name, stage=stage, finest=finest, steps=steps, why=why)

    def _descend(self, stage: Descend, why: str = "on the way", name: str | None = None, **changes) -> Descent:
        """Return the pass of one stage."""
        optimizer = self.settings.optimizer or optimizer_named(stage.optimizer)
        steps = self.effort.steps(stage.max_iter)
        found = Descent(name=name or stage.name, steps=steps, stage=stage, optimizer=optimizer, why=why)
        return replace(found, **changes)

    def _chosen(self, stages: list[Descend]) -> BestOf:
        """Choose among the tails and the emphasis of "auto" by the quality score."""
        facts = self.facts
        stop, compared = STOP_LARGE if facts.n > LARGE_GRAPH else 0.0, ["tails"]
        branches = []
        for stage in stages:
            descents = self._last(stage) if stage is stages[-1] else [self._descend(stage, "a candidate")]
            branches.append(Candidate(passes=tuple(descents), start="last", stop=stop))
        if self.method.emphasis == "auto":
            compared.append("an emphasis")
            branches.append(Candidate(passes=(self._emphasized(stages[-1]),), start="best", every=True))
        return BestOf(name="best drawing", branches=tuple(branches), by="score", why="compares " + ", ".join(compared))

    def _emphasized(self, stage: Descend) -> Descent:
        """Return the descent with an emphasis of large distances in the drawing's objective."""
        steps = EMPHASIS_STEPS_LARGE if self.facts.n > LARGE_GRAPH else EMPHASIS_STEPS
        why = "large distances count as well"
        stage = replace(stage, kernel=None)
        return self._descend(stage, why, "emphasis", steps=steps, keep_objective=True, emphasis=EMPHASIS)

    def _judged(self, ways: list[Descend], stages: list[Descend]) -> list[Pass]:
        """Choose among the judged stages, and take out crossings if the score hardly falls."""
        facts = self.facts
        found: list[Pass] = [self._chosen(stages if facts.n >= MIN_TAILS_NODES else stages[:1])]
        if not self.effort.untangle or facts.wished:  # moves are judged without terms
            return found
        # moves are judged under one lambda
        if self.settings.dim != 2 or facts.n > LARGE_GRAPH or self.method.connection.by_rows:
            return found
        untangle = Untangle(name="untangle", why="edges may cross")
        # a tree has a drawing without crossings, so that other moves cannot win
        passes: list[Pass] = [] if facts.is_tree else [untangle]
        if facts.entries // 2 <= 3 * (facts.n - 1) // 2:
            why = "trees and cactuses have a drawing without crossings"
            name, tails = "from a radial drawing", (*ways, stages[0])
            descents = [self._descend(stage, why, f"{name}: {stage.name}") for stage in tails]
            if self.method.emphasis == "auto":
                descents.append(replace(self._emphasized(stages[-1]), name=f"{name}: emphasis", why=why))
            steps = 2 * sum(each.steps for each in descents)  # free, then held
            passes.append(Redraw(name=name, steps=steps, descents=tuple(descents), untangle=untangle, why=why))
        branches = [Candidate(passes=()), *(Candidate(passes=(each,)) for each in passes)]
        if facts.planar:
            model = CostModel(self.method, self.settings, facts.n, facts.entries)
            seconds = sum(each.cost(model).seconds for _, each in passes_within(tuple(found)))
            steps, why = held_steps(facts.n, facts.entries, seconds), "the graph is planar"
            branches.append(Candidate(passes=(Planar(name="without crossings", steps=steps, why=why),), start="best"))
        branches = tuple(branches)
        found.append(BestOf(name="fewest crossings", branches=branches, by="tidy", why="compares crossings and score"))
        return found

    def _last(self, stage: Descend, why: str = "the method's own objective", **changes) -> list[Pass]:
        """Return the passes of the last stage, with the caller's ``max_iter`` and ``tol``."""
        facts, settings = self.facts, self.settings
        steps = self.effort.steps(stage.max_iter if settings.max_iter is None else settings.max_iter)
        asked = settings.max_iter is not None or settings.tol is not None
        stage = replace(stage, lull=0.0) if asked else stage
        whole = stage if settings.tol is None else replace(stage, tol=settings.tol)
        own = self._descend(whole, why, steps=steps, **changes)
        first = min(COMPARED, stage.max_iter - 1)
        starts = stage.starts and MIN_STARTS_NODES <= facts.n <= MAX_STARTS_NODES and not facts.row_distances
        if not (starts and self.effort.starts) or steps <= first or facts.fixed != "none":
            return [own]
        compared = self._descend(stage, "a candidate", steps=first)
        why, margin = f"at most {MAX_STARTS_NODES} nodes", 1.0 + BALANCED
        gaussian = "a Gaussian releases no edge"
        rough = GaussianMultistart(name="rough drawing", copies=ROUGH_COPIES, steps=COMPARED, why=gaussian)
        each = replace(compared, name=f"other starts: {stage.name}")
        branches = [Candidate(passes=(compared,)), Candidate(passes=(rough, each), margin=margin)]
        for k in range(1, FLATTENED + 1):
            there = replace(each, name=f"in space {k}: {stage.name}", why="nodes can pass each other there")
            space = InSpace(name=there.name, steps=first, descend=there, why=there.why)
            flat = replace(each, name=f"other starts {k}: {stage.name}")
            branches.append(Candidate(passes=(space, flat), margin=margin))
        enough = 0.0 if isinstance(self.method.connection, Fixed) else GOOD_ENOUGH
        keep = BestOf(name="initial positions", branches=tuple(branches), by="J", why=why, enough=enough)
        return [keep, replace(own, name=f"{stage.name} on", steps=steps - first, skip_converged=settings.tol is None)]

    def _nearest(self) -> BestOf:
        """Choose the judged stage and emphasis under which given positions move the least."""
        branches = list[Candidate]()
        for stage in self.judged:
            take = self._descend(stage, "a candidate", f"under {stage.name}", steps=0)
            branches.append(Candidate(passes=(take,)))
            if self.method.emphasis == "auto":
                more = replace(take, name=f"{take.name}, distances", keep_objective=True, emphasis=EMPHASIS)
                branches.append(Candidate(passes=(more,), start="last"))
        why = "the objective that the positions have come from"
        return BestOf(name="nearest objective", branches=tuple(branches), by="rest", why=why)

    def _placed(self) -> tuple[Pass, ...]:
        """Return the passes from given positions: only the last stage keeps their layout."""
        facts, settings, last = self.facts, self.settings, self.stages[-1]
        stage = last.as_descent() if isinstance(last, CoarseToFine) else self.descents[-1]
        stage = replace(stage, candidate=False, starts=stage.starts and facts.own_start and facts.entries > 0)
        kind, why = ("as_given", "max_iter is 0") if settings.max_iter == 0 else ("given", "some nodes have a position")
        found: list[Pass] = [Place(name="given positions", kind=kind, why=why)]
        own: dict[str, Any] = {}
        if self.judged:
            found.append(self._nearest())
            whole = recipe(self.method.kernel)[-1]  # candidates are short, because several are compared
            assert isinstance(whole, Descend)
            stage = replace(stage, kernel=None, max_iter=whole.at(facts.n).max_iter)
            own = {"keep_objective": True, "why": "the nearest objective"}
        if settings.max_iter == 0:
            return (*found, *self._last(stage, **own))
        if facts.fixed == "all":
            return (Place(name="given positions", kind="as_given", why="all nodes are fixed"),)
        if facts.missing:
            found.append(PlaceMissing(name="new nodes", why="some nodes have no position"))
        if facts.fixed == "layers":
            last = self._last(stage, **own)[-1]
            assert isinstance(last, Descent)
            few, tried = max(min(COMPARED, last.steps - 1), 0), replace(last.stage, tol=stage.tol)
            compared = replace(last, steps=few, stage=tried)
            alone = Facts(facts.n, facts.entries)
            free, across = (passes_for(self.method, alone, Settings(axes)) for axes in (settings.dim, facts.free_axes))
            steps, why = 3 * compared.steps + 1, "an axis is given"
            layers = Layers(name="layers", compared=compared, free=free, across=across, steps=steps, why=why)
            plane = settings.dim == 2 and facts.free_axes == 1 and facts.entries <= 2 * MAX_COUNTED_EDGES
            plane = plane and bool(self.judged)  # other methods promise the least J
            reorder = [Reorder(name="fewer crossings", why="nodes of a layer may pass")] * plane
            return (*found, layers, last, *reorder)
        if facts.fixed == "some":
            between = Resize(name="spread fixed nodes", why="fixed nodes")
            return (*found, *self._rounds(stage, between, **own))
        if settings.stability:
            way = [] if self.momentum else self.descents[:-1]
            why = "new nodes find their place"
            found += [
                self._descend(each, why, springs=True, keep_objective=True, restore_objective=True) for each in way
            ]
            size = Resize(name="size", why="springs hold the size")
            return (*found, *self._rounds(stage, size, springs=True, **own), size)
        return (*found, *self._last(stage, **own))

    def _rounds(self, stage: Descend, between: Pass, **changes) -> list[Pass]:
        """Return the last stage in rounds, with a size search before each but the first."""
        own = self._last(replace(stage, starts=False), **changes)[-1]
        assert isinstance(own, Descent)
        each, left, found = max(stage.max_iter // ROUNDS, 1), own.steps, list[Pass]()
        for turn in range(ROUNDS):
            share = left if turn == ROUNDS - 1 else min(each, left)
            if turn and left:
                found.append(replace(between, name=f"{between.name} {turn}"))
            found.append(replace(own, name=f"{own.name} {turn + 1}", steps=share))
            left -= share
        return found
