"""A batch of components on its way through the stages of a method: `run.component` for many small graphs at once.

The objective of each graph, its size search, its steps, its rest and its verdict are its own, as if it were drawn
alone; only what costs by the call is shared.  Drawings are as good as those made one by one, and not the same bits.
"""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import CoarseToFine, Descend
from nelayout.formula.connections import CONNECTIONS, Optimal
from nelayout.formula.divergences.alpha import Alpha
from nelayout.formula.divergences.beta import Beta
from nelayout.numerics.parallel import Threads
from nelayout.objective.stacks import one_after_another, some_of, stacked
from nelayout.optimizers import OPTIMIZERS, optimizer_named
from nelayout.optimizers.minimize import Report, minimize
from nelayout.optimizers.size import size_search
from nelayout.record.progress import Observer, Stopped
from nelayout.run.auto.candidates import WORSE, Candidate, Candidates
from nelayout.run.auto.roads import road_exaggeration
from nelayout.run.batch.levels import batch_through_levels
from nelayout.run.batch.verdict import BatchJudge
from nelayout.run.component import POINT, SHRUNK, draw_alone, put_at_start, rest_of, shares_of, steps_of, take_best
from nelayout.run.levels import LEAST_GRAPH_UNFOLDED, method_of
from nelayout.run.state import Component, Drawing, Run
from nelayout.sums.nbody import backend

__all__ = ["batches", "can_batch", "draw_batch", "draw_batches", "drawn_values"]

# Different small components from which they are drawn together: as long one by one as loading the compiled loops takes.
LEAST = 12
# Most nodes of a component of a batch: the coarse levels of larger graphs may be unfolded, and their pairs take longer
# than the calls. Of a road network's 94,583 nodes in 8,000 components, drawing those of 401 to 800 nodes in batches
# takes 6.3 s in place of 8.2.
LARGEST = LEAST_GRAPH_UNFOLDED - 1
# Nodes above which a drawing of a batch is bent, as those drawn alone are: a bend takes 20 ms, a smaller drawing less.
BENT_ABOVE = 400
# Nodes of a batch, about; from so many batches on they grow, up to as many times, before there are more of them:
# 94,583 nodes in 16, 8, 4 and 2 batches take 9.3, 8.3, 7.8 and 7.6 s of processor time; four keep threads busy.
NODES, GROWING = 6000, 4
# Most nodes of a component that is drawn on one thread beside the batches: of larger ones the threads share the sums.
BESIDE = 2000


def can_batch(method: Method, optimizer: str | None) -> bool:
    """Whether components of this method, minimized by this optimizer (None: the stages' own), can be drawn together."""
    optimizers = {optimizer} if optimizer else {stage.optimizer for stage in method.stages}
    # Of merged graphs the batch knows no inner weight, which counts where the kernel is finite at distance 0.
    shaped = method.kernel.singular or all(
        stage.power is not None for stage in method.stages if isinstance(stage, CoarseToFine)
    )
    # At the best lambda the divergence's own closed form must take arrays.
    coupled = not isinstance(method.connection, Optimal) or isinstance(method.divergence, (Beta, Alpha))
    known = type(method.connection) in CONNECTIONS.values()
    return not method.variational and optimizers <= set(OPTIMIZERS) and shaped and coupled and known


def batches(parts: list[Component], run: Run) -> list[list[Component]]:
    """Those of the components, the largest first, that are drawn together, as lists; none where they are few.

    Somewhat larger ones are lists of their own, which are drawn at the same time.
    """
    if run.stability is not None or not can_batch(run.method, run.optimizer.name if run.optimizer else None):
        return []
    able = [part for part in parts if 1 < len(part.nodes) <= LARGEST and _plain(part)]
    if len(able) < LEAST:
        return []
    placed = [part for part in able if part.placed]
    free = [part for part in able if not part.placed]
    beside = [[part] for part in parts if LARGEST < len(part.nodes) <= BESIDE and part.free is None]
    return [*beside, *_cut(free), *_cut(placed)]


def _plain(part: Component) -> bool:
    affinity = part.affinity
    known = affinity.walk is not None or affinity.rows is not None or affinity.features is not None
    return part.free is None and affinity.P.nnz > 0 and not known and not (part.start is not None and not part.placed)


def _cut(parts: list[Component]) -> list[list[Component]]:
    """Lists of about as many nodes each."""
    sizes = np.array([len(part.nodes) for part in parts], dtype=int)
    if not len(sizes):
        return []
    count = -(-int(sizes.sum()) // NODES)
    count = max(min(count, GROWING), -(-count // GROWING))
    which = (np.cumsum(sizes) - sizes) * count // int(sizes.sum())
    cuts = np.searchsorted(which, np.arange(count + 1)).tolist()
    return [parts[a:b] for a, b in pairwise(cuts) if b > a]


def draw_batches(lists: list[list[Component]], run: Run) -> None:
    """Draw lists of components, each as a batch, or alone if it is large: on several threads, unless somebody looks on.

    Each list has randomness of its own, so that threads leave the bits as they are.  An interrupt or an error in one
    ends all.
    """
    seeds = [run.rng.integers(2**63, size=4) for _ in lists]
    nbody = backend(run.sums.nbody.name, Threads(), run.sums.compiled)
    sums, given_up = replace(run.sums, nbody=nbody, threads=Threads()), threading.Event()

    def draw(k: int, observer: Observer) -> None:
        own = replace(run, rng=np.random.default_rng(seeds[k]), observer=observer, sums=sums)
        if len(lists[k][0].nodes) <= LARGEST:
            draw_batch(lists[k], own)
        else:
            draw_alone(lists[k][0], own)

    def draw_unseen(k: int) -> Observer:
        observer = run.observer.silent_copy(given_up.is_set)
        try:
            draw(k, observer)
        except Stopped:  # given up
            pass
        except BaseException:
            given_up.set()
            raise
        return observer

    if run.observer.callback is not None or run.observer.bar is not None:
        for k in range(len(lists)):
            draw(k, run.observer)
        return
    try:
        for observer in run.sums.threads.map(draw_unseen, range(len(lists))):
            run.observer.append(observer)
    except BaseException:  # also while other threads' batches were waited for
        given_up.set()
        raise


def draw_batch(components: list[Component], run: Run) -> None:
    """Draw components as `draw_component` does; all have a start or none has.

    Their drawings hold the latest positions also when the run is interrupted.
    """
    batch = _Batch(components, run)
    try:
        batch.draw()
    except Stopped:
        batch.reason[:] = "stopped"
        raise
    finally:
        batch.hand_back()
    for part in filter(batch.bends, components):
        stages = [stage for stage in run.method.stages if isinstance(stage, Descend)]
        candidates = Candidates(part.affinity.P, run.sums.threads)
        candidates.add(Candidate(part.drawing, stages[-1], part.affinity))
        take_best(part, candidates, run)
    run.canvas.settle(components)


class _Batch:
    """The drawings of a batch; ``live`` are those that some stage is still to come to, indices of components."""

    def __init__(self, components: list[Component], run: Run) -> None:
        self.components, self.run = components, run
        self.affinity, self.parts = one_after_another([c.affinity for c in components])
        count, n = len(components), len(self.affinity.mass)
        self.Y, self.method = np.zeros((n, run.dim)), None
        self.place, self.size = np.zeros((count, run.dim)), np.ones(count)
        self.reason = np.full(count, "max_iter", dtype=object)
        self.methods = np.full(count, None, dtype=object)

    def bends(self, part: Component) -> bool:
        """Whether a component is to be bent: a large one whose drawings are judged."""
        judged = any(stage.judged for stage in self.run.method.stages if isinstance(stage, Descend))
        return judged and not part.placed and len(part.nodes) > BENT_ABOVE

    def draw(self) -> None:
        """Take all through the stages."""
        run, stages = self.run, self.run.method.stages
        if self.components[0].placed:
            for part in self.components:
                stages = put_at_start(part, stages, run)
            drawings = [part.drawing for part in self.components]
            self.Y = np.concatenate([drawing.Y for drawing in drawings])
            self.place = np.stack([np.asarray(drawing.place) for drawing in drawings])
            self.size = np.array([drawing.size for drawing in drawings])
        elif not isinstance(stages[0], CoarseToFine):
            self.Y = run.rng.standard_normal(self.Y.shape)
        shares = shares_of([*map(steps_of, stages)], run.max_iter)
        run.observer.begin(sum(shares) + sum(map(self.bends, self.components)))
        live, judge = np.ones(len(self.components), dtype=bool), None
        best, score = (self.Y.copy(), self.reason.copy(), self.methods.copy()), np.full(len(live), -np.inf)
        for stage, steps in zip(stages, shares, strict=True):
            if isinstance(stage, CoarseToFine):
                self.Y = batch_through_levels(self.affinity, self.parts, stage, run, self.report(stage.name, None))
                continue
            self.descend(stage, steps, live, last=stage is stages[-1])
            if not stage.judged:
                continue
            judge = judge or BatchJudge(self.affinity, self.parts)
            now = np.where(live, judge.scores(self.Y), -np.inf)
            better = now > score
            best = (
                np.where(better[self.parts.of][:, None], self.Y, best[0]),
                np.where(better, self.reason, best[1]),
                np.where(better, self.methods, best[2]),
            )
            live = live & (now >= np.where(np.isfinite(score), score, 0.0) * WORSE)
            score = np.maximum(score, now)
            if not live.any():
                break
        if judge is not None:
            self.Y, self.reason, self.methods = best

    def descend(self, stage: Descend, steps: int, live: np.ndarray, last: bool) -> None:
        """Take the drawings of a mask (C,) through one stage."""
        run, method = self.run, method_of(stage, self.run.method)
        affinity, parts, rows = some_of(self.affinity, self.parts, live)
        factors = np.full(len(live), stage.exaggeration)
        if stage.straight:
            factors = factors * self.roads
        objective = stacked(affinity, parts, method, run.sums.threads, True, exaggeration=factors[live])
        bounded, Y = not method.kernel.singular, self.Y[rows]
        resized = np.full(len(parts.sizes), self.method != method)
        if bounded:
            resized |= parts.radius(Y) < POINT
        if resized.any():
            Y = self._resized(objective, Y, resized, live)
            radius = parts.radius(Y)
            if bounded and (radius < POINT).any():  # let the minimizer say whether it is to be a point
                Y = Y * np.where(radius < POINT, 10 * POINT / radius, 1.0)[parts.of][:, None]
        optimizer = run.optimizer or optimizer_named(stage.optimizer)
        rest = rest_of(stage, run, last, bounded)
        self.Y[rows] = Y
        end = minimize(objective, Y, optimizer, steps, rest, self.report(stage.name, rows))
        radius = parts.radius(end.Y)
        drawn = end.Y
        if bounded and (radius < POINT).any():
            # If the objective is lowest at a point, shapes are rounding errors: keep the last one.
            point = (radius < POINT)[parts.of][:, None]
            drawn = np.where(point, Y * (POINT / parts.radius(Y))[parts.of][:, None], drawn)
        self.Y[rows] = drawn
        self.reason[live] = end.reason
        self.method, self.methods[live] = method, method

    def _resized(self, objective, Y: np.ndarray, which: np.ndarray, live: np.ndarray) -> np.ndarray:
        """Bring the drawings of a mask to the size that the objective wants, with their centroids at the origin."""
        parts, sized = objective.parts, self.method is not None
        middle = parts.mean(Y)
        centered = Y - middle[parts.of]
        factor = size_search(objective, centered, parts.radius(centered) if sized else None)
        if sized:  # from a point there is no way back
            factor = np.where(factor < SHRUNK, 1.0, factor)
        here = np.flatnonzero(live)[which]
        self.place[here] += middle[which] / self.size[here][:, None]
        self.size[here] *= factor[which]
        return np.where(which[parts.of][:, None], centered * factor[parts.of][:, None], Y)

    @cached_property
    def roads(self) -> np.ndarray:
        """(C,) the exaggeration that straightens each graph's roads."""
        return np.array([road_exaggeration(c.affinity.P) for c in self.components])

    def report(self, stage: str, rows: np.ndarray | None) -> Report:
        """The function that each round of a stage calls, with the positions of a mask of all rows (None: all)."""
        run = self.run

        def everything(Y: np.ndarray) -> np.ndarray:
            if rows is None:
                self.Y = Y
            else:
                self.Y[rows] = Y
            self.hand_back()
            return run.canvas.show(self.components)

        def record(value: float, Y: np.ndarray) -> None:
            run.observer.record(stage, value, lambda: everything(Y))

        return record

    def hand_back(self) -> None:
        """Give each component its drawing."""
        starts = self.parts.starts.tolist()
        placed = self.components[0].placed
        for k, part in enumerate(self.components):
            Y = self.Y[starts[k] : starts[k + 1]]
            place, size = (self.place[k], float(self.size[k])) if placed else (0.0, 1.0)
            part.drawing = Drawing(Y, self.methods[k], self.reason[k], place, size)


def drawn_values(parts: list[Component], run: Run) -> dict[int, tuple[float, float, np.ndarray]]:
    """J, lambda and the nodes' costs of many small drawings, by the id of their components; of others nothing.

    Nothing is said of a drawing farther apart than a minimizer goes: its J is evaluated by itself, up to
    `connections.LARGEST_OF_DRAWINGS`.
    """
    same = dict[int, list[Component]]()
    for batch in batches(parts, run) if run.sums.compiled else ():
        for part in batch:
            same.setdefault(id(part.drawing.method), []).append(part)
    known = {}
    for some in same.values():
        affinity, rows = one_after_another([part.affinity for part in some])
        method = some[0].drawing.method or run.method
        objective = stacked(affinity, rows, method, run.sums.threads, True)
        Y = np.concatenate([part.drawing.Y for part in some])
        found = objective.evaluate(Y, gradient=False)
        costs = np.split(objective.node_cost(Y, found.lam), rows.starts[1:-1])
        each = zip(found.value.tolist(), found.lam.tolist(), costs, strict=True)
        known.update((id(part), one) for part, one in zip(some, each, strict=True) if math.isfinite(one[0]))
    return known
