"""Lay out a graph in blocks by the plan for one machine: coarsen, find the shape, refine.

This machine lays out the first level that fits it; there a method chooses its kernel or order.  On finer levels
the workers sum over edges.  Nodes start at the position of their cluster and are numbered by it.  Then most edges stay
within a block, and a worker needs few positions of other rows.

The workers compute the favorite neighbors for `nelayout.core.passes.coarsen` from weights, masses, tickets and masks
alone, so the clusters are the same for any number of workers.  Merging never joins two components.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core import Settings
from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import Descend
from nelayout.core.objective import Affinity
from nelayout.core.optimizers import LBFGS
from nelayout.core.passes.coarsen import COARSEST, MAX_KEPT, matched
from nelayout.core.passes.drawing import Drawing, Part, Run
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.levels import Levels
from nelayout.core.passes.passes import Pass, passes_within
from nelayout.core.passes.placement import scattered
from nelayout.core.placing.components import component_labels, components, side_by_side
from nelayout.core.run.alpha_walk import at_order, draw_at_best_alpha
from nelayout.core.run.draw import draw_part, draw_parts, plans_of
from nelayout.core.run.plan import passes_for
from nelayout.core.run.several_machines import MOST_ENTRIES
from nelayout.core.run.splitting import input_affinity
from nelayout.distributed.blocks import Cut, Journal, assemble, cut_points, delete, save, write_piece
from nelayout.distributed.floor import Blocks
from nelayout.distributed.reading import Graph
from nelayout.distributed.worker_pool import WorkerPool
from nelayout.distributed.workers import BlockLayout, favorites
from nelayout.errors import Unsupported
from nelayout.numerics.arithmetic import radius

__all__ = ["Level", "draw"]

# Maximum number of entries of a graph in this process.
MAX_LOCAL_ENTRIES = 1 << 27


@dataclass(slots=True, eq=False)
class Level:
    """A graph in blocks.

    mass              (n,) masses of its nodes
    cluster           (n,) node of the next coarser level; empty on the last
    degree, strength  (n,) number and sum of the weights of each row
    """

    cut: Cut
    mass: np.ndarray
    cluster: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    degree: np.ndarray = field(init=False)
    strength: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.degree, self.strength = self.cut.gathered("degree"), self.cut.gathered("strength")


def _coarsened(
    level: Level, rng: np.random.Generator, team: WorkerPool, journal: Journal, fits: Callable[[int, int], bool]
) -> list[Level]:
    """Return levels from the finest to one that ``fits`` (nodes, entries) or cannot shrink."""
    levels = [level]
    while not fits(level.cut.n, int(level.degree.sum())) and level.cut.n > COARSEST:
        cluster: np.ndarray = journal.once(f"clusters-{level.cut.name}", partial(_clusters, team, level, rng))
        n = int(cluster.max(initial=-1)) + 1
        if n > MAX_KEPT * level.cut.n:
            break
        level.cluster, number = cluster, len(levels)
        mass = np.bincount(cluster, level.mass, minlength=n)
        merge = partial(_merged, team, level.cut, cluster, f"level-{number}")
        level = Level(journal.once(f"merged-{number}", merge), mass)
        levels.append(level)
    return levels


def _clusters(team: WorkerPool, level: Level, rng: np.random.Generator) -> np.ndarray:
    """Return the cluster of each node, (n,)."""
    cut = level.cut
    path = cut.folder / f"match-{cut.name}.npz"
    save(path, mass=level.mass, tickets=rng.permutation(cut.n))
    team.pin(BlockLayout(f"match-{cut.name}", cut, path, matching=True))

    def asked(chooses: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        bits = np.packbits(chosen)

        def given(b: int) -> tuple[np.ndarray, np.ndarray]:
            return np.packbits(chooses[cut.bounds[b] : cut.bounds[b + 1]]), bits

        return np.concatenate(team.round("favorites", favorites, given), dtype=np.int64)

    cluster = matched(asked, level.mass, level.degree)
    path.unlink()
    return cluster


def _merged(team: WorkerPool, cut: Cut, cluster: np.ndarray, name: str) -> Cut:
    """Return the merged graph; most coarse rows are in the block of their first member."""
    first = np.full(int(cluster.max()) + 1, cut.n, dtype=np.int64)
    np.minimum.at(first, cluster, np.arange(cut.n))
    bounds = np.searchsorted(np.maximum.accumulate(first), cut.bounds)
    return _rewritten(team, cut, Cut(cut.folder, name, bounds), cluster)


def _alone(team: WorkerPool, level: Level, mask: np.ndarray, name: str) -> csr_array:
    """Return the weights between the nodes of a mask (n,), in this process."""
    entries = int(level.degree[mask].sum())
    if entries > MAX_LOCAL_ENTRIES:
        raise Unsupported(
            f"the graph must shrink until it fits one machine; merging ends at {np.count_nonzero(mask):,} nodes and "
            f"{entries // 2:,} edges, as nodes with very many neighbors do not merge. Leave out the largest hubs"
        )
    if mask.all():
        return level.cut.matrix()
    number = np.full(len(mask), -1, dtype=np.int64)
    number[mask] = np.arange(np.count_nonzero(mask))
    P = _renumbered(team, level, number, name).matrix()
    delete(level.cut.folder, f"{name}-*.npz")
    return P


def _renumbered(team: WorkerPool, level: Level, number: np.ndarray, name: str) -> Cut:
    """Return the blocks with new numbers (n,) of the nodes; nodes with -1 are left out."""
    kept = np.flatnonzero(number >= 0)
    order = np.empty(len(kept), dtype=np.int64)
    order[number[kept]] = level.degree[kept]
    bounds = cut_points(len(kept), int(order.sum()), order)
    return _rewritten(team, level.cut, Cut(level.cut.folder, name, bounds), number)


def _rewritten(team: WorkerPool, cut: Cut, into: Cut, number: np.ndarray) -> Cut:
    """Write the entries of a cut with new node numbers (n,) into the blocks of another."""
    path = cut.folder / f"{into.name}-numbers.npy"
    save(path, number)
    pieces = [f"{into.name}-piece-{b}" for b in range(cut.count)]
    team.spread("split", split, [(cut, into, path, pieces[b], b) for b in range(cut.count)])
    team.spread("block", assemble, [(cut.folder, pieces, into, b) for b in range(into.count)])
    delete(cut.folder, f"{into.name}-piece-*.npy", path.name)
    return into


def split(cut: Cut, into: Cut, numbers: Path, piece: str, b: int) -> None:
    """Write the entries of a block under new numbers as a piece, without loops."""
    number = np.load(numbers, mmap_mode="r")
    indptr, cols, data = cut.block(b)
    rows = np.repeat(number[cut.bounds[b] : cut.bounds[b + 1]], np.diff(indptr))
    cols = number[cols]
    keep = (rows != cols) & (rows >= 0)
    write_piece(into.folder, piece, into.bounds, rows[keep], cols[keep], data[keep])


def draw(
    graph: Graph, mass: np.ndarray, run: Run, team: WorkerPool, least: int, journal: Journal
) -> tuple[list[Drawing], np.ndarray, float]:
    """Lay out a graph in blocks; return its components, their labels (n,) and the sum of J.

    mass   (n,) of all nodes
    least  number of nodes below which this machine lays out a component
    """

    def fits(n: int, entries: int) -> bool:
        return n < least and entries <= MOST_ENTRIES

    levels = _coarsened(Level(graph.cut, mass), run.rng, team, journal, fits)
    finest, last = levels[0], levels[-1]
    labels = component_labels(_alone(team, last, np.ones(last.cut.n, dtype=bool), "coarsest"))
    for level in levels[-2::-1]:
        labels = labels[level.cluster]
    sizes = np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    labels, sizes = np.argsort(order)[labels], sizes[order]
    entries = np.bincount(labels, finest.degree, minlength=len(sizes))
    large = [k for k in range(len(sizes)) if not fits(int(sizes[k]), int(entries[k]))]
    drawings = dict[int, Drawing]()
    for k in large:
        drawings[k], run = _Component(levels, labels == k, f"component-{k}", run.method).draw(run, team, journal)
    small = np.setdiff1d(np.arange(len(sizes)), large)
    work = np.cumsum(entries[small] + sizes[small])  # this machine lays out as many at a time as fit
    for number, batch in enumerate(np.split(small, np.flatnonzero(np.diff(work // MOST_ENTRIES)) + 1)):
        together = partial(_together, finest, labels, batch, number, run, team)
        drawings.update(journal.once(f"small-{number}", together) if len(batch) else {})
    ordered = [drawings[k] for k in range(len(sizes))]
    several = [drawing for drawing in ordered if len(drawing.Y) > 1]
    value = journal.once("value", lambda: [run.value(drawing) for drawing in several])
    return ordered, labels, sum(value)


class _Component:
    """A component in blocks, with its levels and the mask ``kept`` of its nodes on each level.

    weight, squares  sums of its weights, and of its squared masses, on each level
    scale            similarities are ``scale`` times the weights
    """

    def __init__(self, levels: list[Level], mask: np.ndarray, name: str, method: Method) -> None:
        self.name, self.kept, self.n = name, [mask], int(np.count_nonzero(mask))
        for level in levels[:-1]:
            coarse = np.zeros(int(level.cluster.max()) + 1, dtype=bool)
            coarse[level.cluster[self.kept[-1]]] = True
            if np.count_nonzero(coarse) < 2:  # a star becomes a single node
                break
            self.kept.append(coarse)
        self.levels = levels[: len(self.kept)]
        pairs = list(zip(self.levels, self.kept, strict=True))
        self.weight = [float(np.add.reduce(level.strength[kept])) for level, kept in pairs]
        self.squares = [float(np.add.reduce(level.mass[kept] ** 2)) for level, kept in pairs]
        self.scale = 1.0 if method.affinity == "raw" else 1.0 / self.weight[0]

    def affinity(self, depth: int, P: Any, mass: np.ndarray) -> Affinity:
        """Return similarities and masses of a level, including its merged pairs."""
        inside = self.scale * (self.weight[0] - self.weight[depth])
        return Affinity(P, mass, inside, self.squares[depth] - self.squares[0])

    def coarsest(self, run: Run, team: WorkerPool) -> tuple[Drawing, Method, Method]:
        """Return the coarse layout, its method, and the method of finer levels."""
        last, mask = self.levels[-1], self.kept[-1]
        nodes, P = side_by_side(np.flatnonzero(mask), _alone(team, last, mask, f"{self.name}-alone"))
        P.data *= self.scale
        part = Part(nodes, self.affinity(len(self.levels) - 1, P, last.mass[nodes]))
        method, found = at_order(run.method), None
        if run.method.choose is not None:
            found, chosen = draw_at_best_alpha(part, run)
            method = chosen.method
        elif len(self.levels) == 1 or any(isinstance(stage, Descend) and stage.candidate for stage in method.stages):
            found = draw_part(part, run)
        goal = _settled(method, None if found is None else found.method)
        if found is None or len(self.levels) > 1:
            shape, *descents = self.passes(goal, run)
            run.observer.begin(sum(each.steps for _, each in passes_within((shape, *descents))))
            if isinstance(shape, Levels):
                shape = replace(shape, whole=self.n, ways=shape.ways if len(self.levels) == 2 else ())
            found = shape(Drawing.of(part, run.dim), replace(run, method=goal))
        return found, method, goal

    def passes(self, goal: Method, run: Run) -> tuple[Pass, ...]:
        """Return the passes for the whole component, with L-BFGS: it needs only sums by rows."""
        entries = int(np.sum(self.levels[0].degree[self.kept[0]]))
        return passes_for(goal, Facts(self.n, entries), Settings(run.dim, LBFGS(), run.max_iter, run.tol))

    def draw(self, run: Run, team: WorkerPool, journal: Journal) -> tuple[Drawing, Run]:
        """Lay out the component; return the run with its method too."""
        drawing, method, goal = journal.once(f"{self.name}-coarse", partial(self.coarsest, run, team))
        numbers, places = _numbered(self.levels, self.kept, drawing)
        shape, *descents = self.passes(goal, run)
        Y = np.empty_like(drawing.Y)
        Y[places] = drawing.Y
        for depth in range(len(self.levels) - 2, -1, -1):
            level, name = self.levels[depth], f"{self.name}-level-{depth}"
            kept = np.flatnonzero(self.kept[depth])
            nodes = np.empty(len(kept), dtype=np.int64)
            nodes[numbers[depth][kept]] = kept
            Y = Y[numbers[depth + 1][level.cluster[nodes]]]
            Y = scattered(Y, level.cluster[nodes], radius(Y) / np.sqrt(len(Y)), run.rng)
            works = list[Any]([] if depth else descents)
            if isinstance(shape, Levels):
                works[:0] = [partial(_shaped, shape, self.n, depth)] if shape.draws(len(Y), self.n) else []
                works += shape.ways if depth == 1 else ()
            if depth and not works:
                continue
            write = partial(_renumbered, team, level, numbers[depth], name)
            cut = journal.once(f"{self.name}-blocks-{depth}", write)
            P = Blocks(team, cut, self.scale, level.degree[nodes], level.strength[nodes])
            part = Part(nodes, self.affinity(depth, P, level.mass[nodes]))
            drawing = Drawing(Y, part.affinity, part)
            for k, work in enumerate(works):
                own = replace(run, method=goal, keeper=journal.keeper(f"{name}-{k}"))
                drawing = replace(drawing, **journal.once(f"{name}-{k}", partial(_moved, work, drawing, own)))
            Y = drawing.Y
            if depth:
                team.form = None
                delete(cut.folder, f"{name}-*.npz")
        return drawing, replace(run, method=method)


def _settled(method: Method, chosen: Method | None) -> Method:
    """Return the method with its stages up to the chosen kernel, and without choices."""
    stages, goal = list(method.stages), chosen or method
    judged = any(isinstance(stage, Descend) and stage.candidate for stage in stages)
    while judged and len(stages) > 1 and (getattr(stages[-1], "kernel", None) or method.kernel) != goal.kernel:
        stages.pop()
    one = (replace(each, candidate=False, starts=False) if isinstance(each, Descend) else each for each in stages)
    return replace(goal, stages=tuple(one))


def _shaped(shape: Levels, n: int, depth: int, drawing: Drawing, run: Run) -> Drawing:
    """Lay out a level of a graph of n nodes by the objective of the shape."""
    stage = replace(shape.stage, optimizer="lbfgs", unfold=False)
    report = run.report(drawing, f"{shape.name}, level {depth}")
    return drawing.at(replace(shape, stage=stage).drawn(drawing.affinity, drawing.Y, n, run, report))


def _moved(work: Callable[[Drawing, Run], Drawing], drawing: Drawing, run: Run) -> dict[str, Any]:
    """Return what a pass on workers changes."""
    found = work(drawing, run)
    return {name: getattr(found, name) for name in ("Y", "method", "exaggeration", "reason", "place", "size")}


def _numbered(levels: list[Level], kept: list[np.ndarray], found: Drawing) -> tuple[list[np.ndarray], np.ndarray]:
    """Return new node numbers of each level by cluster position (-1: none), and of ``found``."""
    places = _along_curve(found.Y)
    number = np.full(len(kept[-1]), -1, dtype=np.int64)
    number[found.part.nodes] = places
    numbers = [number]
    for level, mask in zip(levels[-2::-1], kept[-2::-1], strict=True):
        nodes = np.flatnonzero(mask)
        finer = np.full(len(mask), -1, dtype=np.int64)
        finer[nodes] = np.argsort(np.argsort(numbers[0][level.cluster[nodes]], kind="stable"))
        numbers.insert(0, finer)
    return numbers, places


def _along_curve(Y: np.ndarray) -> np.ndarray:
    """Return the order (n,) of nodes along a curve that stays near (Morton order)."""
    low, extent = Y.min(axis=0), float(np.max(np.ptp(Y, axis=0))) or 1.0
    cells = ((Y - low) / extent * (2**20 - 1)).astype(np.uint64)
    key = np.zeros(len(Y), dtype=np.uint64)
    for bit in range(20):
        for axis in range(Y.shape[1]):
            key |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(bit * Y.shape[1] + axis)
    return np.argsort(np.argsort(key, kind="stable"))


def _together(
    level: Level, labels: np.ndarray, batch: np.ndarray, number: int, run: Run, team: WorkerPool
) -> dict[int, Drawing]:
    """Lay out the components of some labels on this machine."""
    chosen = np.isin(labels, batch)
    nodes, P, parts = np.flatnonzero(chosen), _alone(team, level, chosen, f"small-{number}"), list[Part]()
    for there, graph in components(P, component_labels(P)):
        here = nodes[there]
        affinity, _ = input_affinity(graph, level.mass[here], run.method, 0.0, run.sums.threads)
        parts.append(Part(here, affinity))
    several = [part for part in parts if len(part.nodes) > 1]
    settings = Settings(run.dim, run.optimizer, run.max_iter, run.tol)
    drawn, _ = draw_parts(several, plans_of(several, run.method, settings)[1], run)
    answer = {int(labels[several[k].nodes[0]]): drawing for k, drawing in drawn.items()}
    for part in parts:
        if len(part.nodes) == 1:
            answer[int(labels[part.nodes[0]])] = replace(Drawing.of(part, run.dim), reason="converged")
    return answer
