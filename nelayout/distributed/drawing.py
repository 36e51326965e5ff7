"""The drawing of a graph in blocks: coarsen until it fits one machine, run the ordinary plan there, and come back.

Coming back, each level's nodes begin where their cluster lies, and some steps of the same objective follow, its sums
over edges taken by the workers.  Before that, nodes are numbered by the place of their cluster and the blocks are
written again.  Then most edges stay within a block, and a worker needs hardly more positions than those of its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import SLOW, Descend as Stage
from nelayout.distributed.blocks import Journal
from nelayout.distributed.coarsening import Level, alone, coarsened, renumbered
from nelayout.distributed.floor import Blocks
from nelayout.distributed.reading import Graph
from nelayout.distributed.team import Team
from nelayout.numerics.groups import Parts
from nelayout.objective import Affinity
from nelayout.optimizers import LBFGS
from nelayout.placing.components import component_labels, components, side_by_side
from nelayout.run.alpha_walk import at_order, draw_at_best_alpha
from nelayout.run.draw import draw_part, draw_parts
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.run.passes import Descend
from nelayout.run.placement import JITTER, radius, random_positions

__all__ = ["MOST_ENTRIES", "Whole", "draw"]

# Entries of a graph that one machine draws; it is a number, so that the drawing does not depend on the machines.
MOST_ENTRIES = 1 << 25
# Most steps on the levels between, and least most steps on the graph itself.
LEVEL_STEPS, LEAST_STEPS = 20, 40


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """The drawings of all components: ``drawings``, the largest first; ``labels`` (n,) component of each node.

    value  J, summed over components
    """

    drawings: list[Drawing]
    labels: np.ndarray
    value: float
    reason: str


def draw(
    graph: Graph, masses: tuple[np.ndarray, np.ndarray | None], run: Run, team: Team, least: int, journal: Journal
) -> Whole:
    """Draw a graph in blocks.

    masses  (n,) of all nodes, and other ones that "auto" tries; None: none
    least   nodes below which a component is drawn on this machine
    """

    def fits(n: int, entries: int) -> bool:
        return n < least and entries <= MOST_ENTRIES

    levels = coarsened(team, graph.cut, *masses, run.rng, fits, journal.once)
    last = levels[-1]
    labels = component_labels(alone(team, last, np.ones(last.cut.n, dtype=bool), "coarsest"))
    for level in levels[-2::-1]:
        labels = labels[level.cluster]
    sizes = np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    labels, sizes = rank[labels], sizes[order]
    entries = np.bincount(labels, levels[0].degree, minlength=len(sizes))
    large = [k for k in range(len(sizes)) if not fits(int(sizes[k]), int(entries[k]))]
    drawings = dict[int, Drawing]()
    for k in large:
        drawings[k], run = _large(levels, labels, k, run, team, journal)
    drawings.update(_small(levels[0], labels, sizes, entries, large, run, team, journal))
    ordered = [drawings[k] for k in range(len(sizes))]
    value = sum(journal.once("value", lambda: _values(ordered, run)))
    return Whole(ordered, labels, value, ordered[0].reason)


def _values(drawings: list[Drawing], run: Run) -> list[float]:
    return [float(run.values(drawing)[0]) for drawing in drawings if len(drawing.Y) > 1]


def _large(
    levels: list[Level], labels: np.ndarray, k: int, run: Run, team: Team, journal: Journal
) -> tuple[Drawing, Run]:
    """Draw a component in blocks."""
    kept = [labels == k]
    for level in levels[:-1]:
        coarse = np.zeros(int(level.cluster.max()) + 1, dtype=bool)
        coarse[level.cluster[kept[-1]]] = True
        if np.count_nonzero(coarse) < 2:  # a star becomes a single node
            break
        kept.append(coarse)
    levels = [*levels[: len(kept)]]
    weight = [float(np.add.reduce(level.strength[mask])) for level, mask in zip(levels, kept, strict=True)]
    squares = [float(np.add.reduce(level.mass[mask] ** 2)) for level, mask in zip(levels, kept, strict=True)]
    scale = 1.0 if run.method.affinity == "raw" else 1.0 / weight[0]

    def affinity(depth: int, P: Any, mass: np.ndarray) -> Affinity:
        return Affinity(P, mass, scale * (weight[0] - weight[depth]), squares[depth] - squares[0])

    last, mask = levels[-1], kept[-1]

    name = f"component-{k}"

    def first() -> tuple[Drawing, Method]:
        nodes, P = side_by_side(np.flatnonzero(mask), alone(team, last, mask, f"{name}-alone"))
        P.data *= scale
        other = None if last.other is None else last.other[nodes]
        part = Part(nodes, affinity(len(levels) - 1, P, last.mass[nodes]), other_mass=other)
        if run.method.choose is not None:
            found, chosen = draw_at_best_alpha(part, run)
            return found, chosen.method
        return draw_part(part, run), at_order(run.method)

    found, method = journal.once(f"{name}-coarse", first)
    run = replace(run, method=method)
    took_other = last.other is not None and bool((found.affinity.mass == found.part.other_mass).all())
    numbers, places = _numbered(levels, kept, found)
    Y, drawing = np.empty_like(found.Y), found
    Y[places] = found.Y
    goal = replace(found.methods[0] or method, name="")
    stage = _last_stage(run, goal, int(np.count_nonzero(kept[0])))
    for depth in range(len(levels) - 2, -1, -1):
        level, number, here = levels[depth], numbers[depth], kept[depth]
        cut = journal.once(
            f"{name}-blocks-{depth}",
            lambda level=level, number=number, depth=depth: renumbered(
                team, level.cut, number, f"{name}-level-{depth}", level.degree
            ),
        )
        nodes = np.empty(cut.n, dtype=np.int64)
        nodes[number[here]] = np.flatnonzero(here)
        mass = level.other[nodes] if took_other and level.other is not None else level.mass[nodes]
        P = Blocks(team, cut, scale, level.degree[nodes], level.strength[nodes])
        cluster = numbers[depth + 1][level.cluster[nodes]]
        steps = stage.max_iter if depth == 0 else min(LEVEL_STEPS, stage.max_iter)

        def descended(coarser: np.ndarray = Y, cluster: np.ndarray = cluster, depth: int = depth) -> Any:
            begin = coarser[cluster]
            typical = radius(begin) / np.sqrt(len(begin))
            begin = begin + JITTER * typical * run.rng.standard_normal(begin.shape)
            now = Drawing.on(affinity(depth, P, mass), Parts(np.array([len(mass)])), begin)
            now = replace(now, methods=(replace(goal, name="coarse"),))
            down = Descend(
                name=f"level {depth}" if depth else stage.name, steps=steps, optimizer=LBFGS(),
                exaggeration=float(found.exaggeration[0]), force=stage.tol if depth == 0 else 0.0,
                lull=stage.lull if stage.tol else None,
            )
            now = down(now, replace(run, method=goal, keeper=journal.keeper(f"{name}-level-{depth}")))
            return now.Y, now.reasons

        Y, reasons = journal.once(f"{name}-level-{depth}", descended)
        drawing = Drawing.on(affinity(depth, P, mass), Parts(np.array([len(mass)])), Y, [Part(nodes, affinity(depth, P, mass))])
        drawing = replace(drawing, methods=(goal,), exaggeration=found.exaggeration, reasons=reasons)
        if depth:
            team.form = None
            cut.delete()
    return drawing, run


def _last_stage(run: Run, goal: Method, n: int) -> Stage:
    """The stage by which a graph of n nodes itself is drawn."""
    stages = [stage for stage in run.method.stages if isinstance(stage, Stage)]
    fitting = [stage for stage in stages if (stage.kernel or run.method.kernel) == goal.kernel]
    stage = (fitting or stages or [Stage("descend", LEAST_STEPS)])[-1].at(n)
    steps = max(stage.max_iter, LEAST_STEPS) if run.max_iter is None else run.max_iter
    asked = run.max_iter is not None or run.tol is not None
    tol = stage.tol if run.tol is None else run.tol
    return replace(stage, max_iter=steps, tol=tol, lull=0.0 if asked else stage.lull or SLOW)


def _numbered(levels: list[Level], kept: list[np.ndarray], found: Drawing) -> tuple[list[np.ndarray], np.ndarray]:
    """New numbers of each level's nodes, by the place of their cluster, -1 for those left out; and places of the last."""
    places = _along_curve(found.Y)
    number = np.full(len(kept[-1]), -1, dtype=np.int64)
    number[found.part.nodes] = places
    numbers = [number]
    for level, mask in zip(levels[-2::-1], kept[-2::-1], strict=True):
        nodes = np.flatnonzero(mask)
        order = nodes[np.argsort(numbers[0][level.cluster[nodes]], kind="stable")]
        finer = np.full(len(mask), -1, dtype=np.int64)
        finer[order] = np.arange(len(order))
        numbers.insert(0, finer)
    return numbers, places


def _along_curve(Y: np.ndarray) -> np.ndarray:
    """(n,) place of each node along a curve through the drawing that stays near (Morton's order)."""
    low, extent = Y.min(axis=0), float(np.max(np.ptp(Y, axis=0))) or 1.0
    cells = ((Y - low) / extent * (2**20 - 1)).astype(np.uint64)
    key = np.zeros(len(Y), dtype=np.uint64)
    for bit in range(20):
        for axis in range(Y.shape[1]):
            key |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(bit * Y.shape[1] + axis)
    places = np.empty(len(Y), dtype=np.int64)
    places[np.argsort(key, kind="stable")] = np.arange(len(Y))
    return places


def _small(
    level: Level, labels: np.ndarray, sizes: np.ndarray, entries: np.ndarray, large: list[int], run: Run, team: Team,
    journal: Journal,
) -> dict[int, Drawing]:
    """Draw all other components on this machine, as many at a time as fit."""
    order = [k for k in range(len(sizes)) if k not in set(large)]
    found = dict[int, Drawing]()
    batches, room = list[list[int]](), 0
    for k in order:
        room -= int(entries[k] + sizes[k])
        if room < 0:
            batches.append([])
            room = MOST_ENTRIES - int(entries[k] + sizes[k])
        batches[-1].append(k)
    for number, batch in enumerate(batches):
        drawn = journal.once(f"small-{number}", lambda batch=batch, number=number: _together(level, labels, batch, number, run, team))
        found.update(drawn)
    return found


def _together(level: Level, labels: np.ndarray, batch: list[int], number: int, run: Run, team: Team) -> dict[int, Drawing]:
    chosen = np.zeros(int(labels.max()) + 1, dtype=bool)
    chosen[batch] = True
    nodes = np.flatnonzero(chosen[labels])
    P = alone(team, level, chosen[labels], f"small-{number}")
    parts = []
    for there, graph in components(P, component_labels(P)):
        if run.method.affinity in ("sum-1", "rows") and graph.nnz:
            graph.data = graph.data / np.sum(graph.data)
        here = nodes[there]
        parts.append(Part(here, Affinity(graph, level.mass[here]), other_mass=None if level.other is None else level.other[here]))
    several = [part for part in parts if len(part.nodes) > 1]
    drawn, _ = draw_parts(several, run)
    answer = {int(labels[several[k].nodes[0]]): drawing for k, drawing in drawn.items()}
    for part in parts:
        if len(part.nodes) == 1:
            answer[int(labels[part.nodes[0]])] = replace(Drawing.of([part], run.dim), reasons=("converged",))
    return answer
