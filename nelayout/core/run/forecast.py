"""The plan as a table: passes, time and memory of a drawing, before any work."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.passes.costs import COMPILING, LOADING, READ, CostModel, finishing, held_bytes
from nelayout.core.passes.drawing import uses_loops
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.passes import Pass, passes_within
from nelayout.core.problem import Settings
from nelayout.core.record.shown import html_table, text_table
from nelayout.core.run.plan import passes_for, walk_over_alpha
from nelayout.core.run.several_machines import Forecast
from nelayout.core.run.twins import twins_of
from nelayout.core.run.whole import ASSEMBLE, JOINT, SEPARATE, SIMILARITIES, SPLIT, WALK, Together, Work
from nelayout.core.sums.device import device_named
from nelayout.numerics import loop_store
from nelayout.numerics.memory import size_in_words, warn_if_short
from nelayout.numerics.parallel import thread_count

__all__ = ["Plan", "PlannedPass", "plan_of", "warn_of_memory"]

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
        parts = [self._title(), text_table(HEAD, self._rows()), *([] if self.cluster is None else [str(self.cluster)])]
        return "\n".join(parts)

    def _title(self) -> str:
        parts = f"{self.components:,} component{'s' if self.components != 1 else ''}"
        return f"{self.method}: {self.nodes:,} nodes, {self.edges:,} edges, {parts}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._title())}</p>{html_table(HEAD, self._rows())}"


def plan_of(work: Work, file: float = 0.0, loads: bool = True) -> Plan:
    """Return the plan of prepared work; ``file``: seconds of reading and writing files.

    ``loads``: with the seconds of compiling and loading loops.
    """
    problem, method, settings = work.problem, work.method, work.settings
    n, entries, near, threads = problem.n, problem.P.nnz, problem.near(method), thread_count(settings.n_jobs)
    count, read = int(problem.labels.max(initial=-1)) + 1, file + 0.5 * READ * (n + entries)
    rows = [PlannedPass(SPLIT, count, n, 0, "every graph", read, 0)]
    largest, first = 0, (0, "exact")
    for graphs in (work.components, work.joint):
        if graphs is None or not graphs.parts:
            continue
        if graphs is work.joint and problem.start is None:
            rows.append(PlannedPass(JOINT, count, n, 0, "one objective spans all components", READ * n, 0))
        rows.append(PlannedPass(SIMILARITIES, len(graphs.parts), n, 0, _why_similar(work), 0.0, 0))
        groups = _groups(graphs)
        for passes, some in groups.items():
            if near is not None:
                some = [replace(facts, entries=math.ceil(facts.n * min(near, facts.n - 1))) for facts in some]
            nodes = max(facts.n for facts in some)
            size = round(float(np.sqrt(np.mean([facts.n**2 for facts in some]))))
            model = CostModel(method, settings, size, sum(facts.entries for facts in some) // len(some), threads)
            evaluations, entries = 0.0, max(entries, len(some) * model.entries)
            similar = model.similarities()
            rows.append(PlannedPass("", len(some), nodes, 0, "", len(some) * similar.seconds, similar.bytes))
            if method.choose is not None and nodes == graphs.facts[0].n:  # the largest component decides for all
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
    together, apart = finishing(n, problem.P.nnz, count, problem.dots or problem.size is not None)
    rows.append(PlannedPass(ASSEMBLE, count, n, 0, "every graph", together, 0))
    if problem.dots or problem.size is not None:
        why = "no node hides another" if problem.dots else "nodes have sizes"
        rows.append(PlannedPass(SEPARATE, count, n, 0, why, apart, 0, 1))
    loops = (0.0 if "nelayout.numerics.compiling" in sys.modules else LOADING) + COMPILING * (not loop_store.compiled())
    drawn = max((row.nodes for row in rows if row.steps), default=0)
    if loads and loops and uses_loops(drawn, int(problem.sizes(method)[1].max(initial=0))):
        rows.append(PlannedPass("compile and load loops", count, n, 0, "not yet done here", loops, 0))
    device = device_named(settings.device)
    there = 0
    if device is not None and drawn >= device.least:
        there = device.needs(drawn, int(problem.sizes(method)[1].sum()))
    total = sum(row.seconds for row in rows)
    return Plan(method.name, n, problem.P.nnz // 2, count, tuple(rows), total, peak, *first, there)


def _groups(graphs: Together) -> dict[tuple[Pass, ...], list[Facts]]:
    """Return the facts of the different graphs that each tuple of passes draws."""
    found: dict[tuple[Pass, ...], list[Facts]] = {}
    for k, twin in twins_of(graphs.parts).items():
        if twin.first == k:
            found.setdefault(graphs.passes[k], []).append(graphs.facts[k])
    return found


def _why_similar(work: Work) -> str:
    """Return what makes the similarities."""
    if work.method.perplexity is not None:
        return "lengths of paths"
    return "a random walk smooths the weights" if work.settings.smoothing else "weights of edges"


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
