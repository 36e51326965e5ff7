"""The plan as a table: passes, time and memory of a drawing, before any work."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace
from html import escape

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.passes.costs import COMPILING, LOADING, READ, SHAPING, CostModel, finishing, held_bytes
from nelayout.core.passes.drawing import uses_loops
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.passes import Pass, passes_within
from nelayout.core.placing.rings import Rings
from nelayout.core.problem import Settings
from nelayout.core.record.shown import html_table, text_table
from nelayout.core.run.plan import passes_for, walk_over_alpha
from nelayout.core.run.several_machines import Forecast
from nelayout.core.run.twins import twins_of
from nelayout.core.run.whole import ASSEMBLE, JOINT, SEPARATE, SHAPES, SIMILARITIES, SPLIT, WALK, Together, Work
from nelayout.core.sums.device import device_named
from nelayout.numerics import loop_store
from nelayout.numerics.memory import size_in_words, warn_if_short
from nelayout.numerics.parallel import thread_count

__all__ = ["Outline", "Plan", "PlannedPass", "plan_of", "plan_of_outline", "warn_of_memory"]

# Why nodes move apart where the caller gives no sizes.
NO_DOT_HIDDEN = "no node hides another"
HEAD = ("pass", "graphs x nodes", "steps", "seconds", "memory", "why")


@dataclass(frozen=True, slots=True)
class PlannedPass:
    """One line of a plan.

    name    the pass; with its branches indented after it, where it compares drawings
    graphs  how many components take it
    nodes   of the largest of them
    steps   most iterations
    why     the fact that put it into the plan
    seconds, bytes  of all these components together
    depth   0, or more for the passes of a branch
    """

    name: str
    graphs: int
    nodes: int
    steps: int
    why: str
    seconds: float
    bytes: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The passes that a call will run: the result of `plan`; it prints as a table.

    method   the method's name
    nodes, edges, components  of the graph
    passes   in order, the passes of the largest component first
    seconds  of the whole run on this number of threads: the sum of the passes
    bytes    allocated at the peak
    evaluations  of the objective of the largest component, about
    nbody    the backend for sums over all pairs of the largest component
    device_bytes  allocated on the device; 0 without one
    cluster  the same drawing on several machines; None: not asked for
    process_bytes  of the whole process at its peak: Python, packages, the graph or table, and the drawing
    assumed  sentences on what is taken for granted without a graph
    """

    method: str
    nodes: int
    edges: int
    components: int
    passes: tuple[PlannedPass, ...]
    seconds: float
    bytes: int
    evaluations: int
    nbody: str
    device_bytes: int = 0
    cluster: Forecast | None = None
    process_bytes: int = field(default=0, compare=False)  # other plans in one process find other packages loaded
    assumed: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """Most iterations of all passes."""
        return sum(each.steps for each in self.passes)

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for p in self.passes:
            graphs, steps = f"{p.graphs:,} x {p.nodes:,}", f"{p.steps:,}" if p.steps else ""
            rows.append(("  " * p.depth + p.name, graphs, steps, _short(p.seconds), size_in_words(p.bytes), p.why))
        return [*rows, ("total", "", f"{self.steps:,}", _short(self.seconds), size_in_words(self.bytes), "")]

    def __repr__(self) -> str:
        return "\n".join([self._title(), text_table(HEAD, self._rows()), *self._said()])

    def _said(self) -> list[str]:
        """Return the lines below the table."""
        process = [f"the whole process takes about {size_in_words(self.process_bytes)}"] * bool(self.process_bytes)
        return [*process, *self.assumed, *([] if self.cluster is None else [str(self.cluster)])]

    def _title(self) -> str:
        parts = f"{self.components:,} component{'s' if self.components != 1 else ''}"
        return f"{self.method}: {self.nodes:,} nodes, {self.edges:,} edges, {parts}"

    def _repr_html_(self) -> str:
        below = "".join(f"<p>{escape(line)}</p>" for line in self._said())
        return f"<p>{escape(self._title())}</p>{html_table(HEAD, self._rows())}{below}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Connected graphs that are drawn.

    count    number of them
    largest  nodes of the largest
    groups   the facts of the different ones, by their passes
    joint  whether they are the whole graph, which starts from the drawings of its components
    """

    count: int
    largest: int
    groups: dict[tuple[Pass, ...], list[Facts]]
    joint: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """Sizes of a problem, which decide its plan.

    entries     of the matrix, two an edge
    components  number of them
    drawn       graphs that are drawn, in order
    near        mean number of similar nodes by path lengths; None for weights
    apart       why nodes move apart; "" if they do not
    widest      entries of the largest objective
    summed      entries of all objectives
    shapes      groups with a shape
    """

    n: int
    entries: int
    components: int
    drawn: tuple[Drawn, ...]
    near: float | None
    apart: str
    widest: int
    summed: int
    shapes: int = 0

    @classmethod
    def of(cls, work: Work) -> Outline:
        """Return the sizes of prepared work."""
        problem, method = work.problem, work.method
        drawn = [
            Drawn(len(graphs.parts), graphs.facts[0].n, _groups(graphs), graphs is work.joint and problem.start is None)
            for graphs in (work.components, work.joint, work.rings)
            if graphs is not None and graphs.parts
        ]
        apart = NO_DOT_HIDDEN if problem.dots else "nodes have sizes" if problem.size is not None else ""
        apart = apart if problem.rings is None else ""  # circles hold their nodes
        _, entries = problem.sizes(method)
        return cls(
            problem.n, problem.P.nnz, int(problem.labels.max(initial=-1)) + 1, tuple(drawn), problem.near(method),
            apart, int(entries.max(initial=0)), int(entries.sum()),
            0 if problem.shape is None else len(problem.groups),
        )  # fmt: skip

    @classmethod
    def of_sizes(
        cls, n: int, entries: int, method: Method, settings: Settings, near: float | None, apart: bool, known: Facts,
        rings: Rings | None = None,
    ) -> Outline:
        """Return the sizes of one connected graph, with nodes alone if its entries are too few.

        ``known``: facts beside the sizes.  ``rings``: circles of any nodes.
        """
        joined = min(n, entries // 2 + 1)
        facts = replace(known, n=joined, entries=entries)
        groups = {passes_for(method, facts, settings): [facts]} if joined > 1 else {}
        count, widest = n - joined + 1 if n else 0, entries
        if near is not None:
            widest = math.ceil(joined * min(near, joined - 1))
        drawn = (Drawn(count, joined, groups),) if n else ()
        if rings is not None and n > 1:
            whole = Facts(n, entries, rings=rings.kind)
            drawn += (Drawn(1, n, {passes_for(method, whole, settings): [whole]}),)
        return cls(n, entries, count, drawn, near, NO_DOT_HIDDEN if apart and rings is None else "", widest, widest)


def plan_of(work: Work, file: float = 0.0, loads: bool = True) -> Plan:
    """Return the plan of prepared work; ``file``: seconds of reading and writing files.

    ``loads``: with the seconds of compiling and loading loops.
    """
    return plan_of_outline(Outline.of(work), work.method, work.settings, file, loads)


def plan_of_outline(
    outline: Outline, method: Method, settings: Settings, file: float = 0.0, loads: bool = True
) -> Plan:
    """Return the plan of a problem with these sizes; see `plan_of`."""
    n, entries, near, threads = outline.n, outline.entries, outline.near, thread_count(settings.n_jobs)
    count, read = outline.components, file + 0.5 * READ * (n + entries)
    rows = [PlannedPass(SPLIT, count, n, 0, "every graph", read, 0)]
    largest, first = 0, (0, "exact")
    for graphs in outline.drawn:
        if graphs.joint:
            rows.append(PlannedPass(JOINT, count, n, 0, "one objective spans all components", READ * n, 0))
        rows.append(PlannedPass(SIMILARITIES, graphs.count, n, 0, _why_similar(method, settings), 0.0, 0))
        for passes, some in graphs.groups.items():
            if near is not None:
                some = [replace(facts, entries=math.ceil(facts.n * min(near, facts.n - 1))) for facts in some]
            nodes = max(facts.n for facts in some)
            size = round(float(np.sqrt(np.mean([facts.n**2 for facts in some]))))
            entries_each = sum(facts.entries for facts in some) // len(some)
            model = CostModel(method, settings, size, entries_each, threads, some[0].wished)
            evaluations, entries = 0.0, max(entries, len(some) * model.entries)
            similar = model.similarities()
            rows.append(PlannedPass("", len(some), nodes, 0, "", len(some) * similar.seconds, similar.bytes))
            if method.choose is not None and nodes == graphs.largest:  # the largest component decides for all
                walk = walk_over_alpha(method, settings)
                cost = walk.cost(model)
                rows.append(PlannedPass(WALK, 1, nodes, walk.steps, walk.why, cost.seconds, cost.bytes))
                evaluations += cost.evaluations
            for depth, each in passes_within(passes):
                cost = each.cost(model)
                seconds, evaluations = len(some) * cost.seconds, evaluations + cost.evaluations
                rows.append(PlannedPass(each.name, len(some), nodes, each.steps, each.why, seconds, cost.bytes, depth))
            if size > largest:
                largest, first = size, (round(evaluations), model.nbody)
    rows = _with_similarities(rows)
    peak = held_bytes(n, entries) + max((row.bytes for row in rows), default=0)
    together, apart = finishing(n, outline.entries, count, bool(outline.apart))
    rows.append(PlannedPass(ASSEMBLE, count, n, 0, "every graph", together, 0))
    if outline.shapes:
        seconds = READ * n + SHAPING * outline.shapes
        rows.append(PlannedPass(SHAPES, outline.shapes, n, 0, "groups have shapes", seconds, 0, 1))
    if outline.apart:
        rows.append(PlannedPass(SEPARATE, count, n, 0, outline.apart, apart, 0, 1))
    loops = (0.0 if "nelayout.numerics.compiling" in sys.modules else LOADING) + COMPILING * (not loop_store.compiled())
    drawn = max((row.nodes for row in rows if row.steps), default=0)
    if loads and loops and uses_loops(drawn, outline.widest):
        rows.append(PlannedPass("compile and load loops", count, n, 0, "not yet done here", loops, 0))
    device = device_named(settings.device)
    there = 0
    if device is not None and drawn >= device.least:
        there = device.needs(drawn, outline.summed)
    total = sum(row.seconds for row in rows)
    return Plan(method.name, n, outline.entries // 2, count, tuple(rows), total, peak, *first, there)


def _groups(graphs: Together) -> dict[tuple[Pass, ...], list[Facts]]:
    """Return the facts of the different graphs that each tuple of passes draws."""
    found: dict[tuple[Pass, ...], list[Facts]] = {}
    for k, twin in twins_of(graphs.parts).items():
        if twin.first == k:
            found.setdefault(graphs.passes[k], []).append(graphs.facts[k])
    return found


def _why_similar(method: Method, settings: Settings) -> str:
    """Return what makes the similarities."""
    if method.perplexity is not None:
        return "lengths of paths"
    return "a random walk smooths the weights" if settings.smoothing else "weights of edges"


def _with_similarities(rows: list[PlannedPass]) -> list[PlannedPass]:
    """Return rows with the cost of similarities in the row of similarities before it."""
    found = list[PlannedPass]()
    for row in rows:
        if row.name:
            found.append(row)
            continue
        at = max(k for k, other in enumerate(found) if other.name == SIMILARITIES)
        found[at] = replace(found[at], seconds=found[at].seconds + row.seconds, bytes=max(found[at].bytes, row.bytes))
    return found


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def warn_of_memory(
    method: Method, settings: Settings, sizes: np.ndarray, entries: np.ndarray, held: int = 0
) -> bool:
    """Warn if drawing these components takes too much memory; return True if it warned.

    entries  of each component's matrix, two an edge, the largest first
    held     bytes that other work needs before, at its peak
    """
    n, largest, own = int(sizes.sum()), int(sizes.max(initial=0)), int(entries.max(initial=0))
    if not uses_loops(n, int(entries.sum())):
        return False
    model = CostModel(method, settings, largest, own)
    costs = [model.similarities(), *(each.cost(model) for each in passes_for(method, Facts(largest, own), settings))]
    needed = held_bytes(n, model.entries + int(entries.sum()) - own) + max(cost.bytes for cost in costs)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if settings.smoothing:
        remedies.append("so does smoothing=0")
    if method.perplexity is not None:
        remedies.append("so does a smaller perplexity")
    what = f"drawing {n:,} nodes by {method.name}"
    return warn_if_short(max(needed, held), what, "; ".join(remedies))
