"""From connected graphs to drawings: each gets its facts and its plan.

One graph and a thousand graphs take the same passes.  Small graphs with equal plans stand one after another in one
`Drawing`.  So their cost depends on their pairs and not on their calls.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

import numpy as np

from nelayout.numerics.parallel import Threads
from nelayout.objective.stacks import MAX_STACKED_NODES, stackable
from nelayout.record.progress import Observer, Stopped
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.run.facts import Facts
from nelayout.run.passes import Pass, fold, passes_within, sized
from nelayout.run.plan import Settings, plan
from nelayout.run.plan_table import loops_within
from nelayout.sums.nbody import backend

__all__ = ["draw_part", "draw_parts", "planned"]

# Most nodes of graphs that are drawn together, and most nodes that one thread draws beside others.
STACK_NODES, MAX_BESIDE_NODES = 20_000, 2_000


def planned(parts: Sequence[Part], run: Run) -> list[tuple[Facts, tuple[Pass, ...]]]:
    """Return facts and plans of connected graphs."""
    facts = [Facts.of(part, run.method, run.dim) for part in parts]
    settings = Settings(run.dim, run.optimizer, run.max_iter, run.tol, run.stability)
    plans = dict[tuple[Pass, ...], tuple[Pass, ...]]()  # equal plans are one object
    known = {each: plan(run.method, each, settings) for each in dict.fromkeys(facts)}
    known = {each: plans.setdefault(passes, passes) for each, passes in known.items()}
    return [(each, known[each]) for each in facts]


def _stacks(parts: Sequence[Part], plans: Sequence[tuple[Facts, tuple[Pass, ...]]], run: Run) -> list[list[int]]:
    """Return lists of small graphs with equal plans; other graphs stand alone."""
    groups: dict[object, list[int]] = {}
    for k, (part, (facts, passes)) in enumerate(zip(parts, plans, strict=True)):
        small = len(part.nodes) <= MAX_STACKED_NODES and stackable(run.method, part.affinity)
        together = small and run.stability is None and facts.fixed in ("none", "all")
        groups.setdefault((id(passes), facts.fixed) if together else k, []).append(k)
    return [some for group in groups.values() for some in _cut(group, [len(parts[k].nodes) for k in group])]


def draw_part(part: Part, run: Run) -> Drawing:
    """Draw one connected graph of two or more nodes."""
    ((_, passes),) = planned([part], run)
    run.observer.begin(sum(each.steps for _, each in passes_within(passes)))
    run.observer.end_stage()
    return fold(passes, Drawing.of([part], run.dim), run)


def draw_parts(parts: list[Part], run: Run) -> tuple[dict[int, Drawing], bool]:
    """Draw connected graphs of at least two nodes; return drawings and True if complete.

    If a callback stops the run, graphs that were not reached are left out.
    """
    ready = planned(parts, run)
    stacks = _stacks(parts, ready, run)
    if parts:
        work = dict.fromkeys(each for stack in stacks for each in loops_within(ready[stack[0]][1], run.method))
        run.compile_ahead(work, max(len(part.nodes) for part in parts), run.dim)
    drawn: dict[int, Drawing] = {}

    def draw(stack: list[int], own: Run) -> None:
        passes = ready[stack[0]][1]
        own.observer.end_stage()
        try:
            drawing = fold(passes, Drawing.of([parts[k] for k in stack], own.dim), own)
        except Stopped as stopped:
            if stopped.drawing is not None:
                drawn.update(zip(stack, sized(stopped.drawing, own).split(), strict=True))
            raise
        drawn.update(zip(stack, drawing.split(), strict=True))
        own.canvas.settle(drawing)

    run.observer.begin(sum(each.steps for stack in stacks for _, each in passes_within(ready[stack[0]][1])))
    large = [stack for stack in stacks if len(stack) == 1 and len(parts[stack[0]].nodes) > MAX_BESIDE_NODES]
    try:
        for stack in large:
            draw(stack, run)
        _draw_beside([stack for stack in stacks if stack not in large], draw, run)
    except Stopped:
        return drawn, False
    return drawn, True


def _draw_beside(stacks: list[list[int]], draw, run: Run) -> None:
    """Draw stacks of small graphs, on several threads without callbacks; one error ends all."""
    # Each stack has its own randomness: threads leave the bits as they are.
    seeds = [run.rng.integers(2**63, size=4) for _ in stacks]
    watched = run.observer.callback is not None or run.observer.bar is not None
    if watched or len(stacks) < 2 or not run.sums.compiled:
        for stack, seed in zip(stacks, seeds, strict=True):
            draw(stack, replace(run, rng=np.random.default_rng(seed)))
        return
    own, given_up = run.sums, threading.Event()
    sums = replace(own, nbody=backend(own.nbody.name, Threads(), own.compiled), threads=Threads())

    def unseen(k: int) -> Observer:
        observer = run.observer.silent_copy(given_up.is_set)
        try:
            draw(stacks[k], replace(run, rng=np.random.default_rng(seeds[k]), observer=observer, sums=sums))
        except Stopped:  # given up
            pass
        except BaseException:
            given_up.set()
            raise
        return observer

    try:
        for observer in run.sums.threads.map(unseen, range(len(stacks))):
            run.observer.append(observer)
    except BaseException:  # also while other threads' stacks were waited for
        given_up.set()
        raise


def _cut(group: list[int], sizes: list[int]) -> Iterable[list[int]]:
    """Yield lists of a group of graphs with about `STACK_NODES` nodes each."""
    count = -(-sum(sizes) // STACK_NODES)
    which = (np.cumsum(sizes) - sizes) * count // sum(sizes)
    for _, some in groupby(zip(which.tolist(), group, strict=True), key=itemgetter(0)):
        yield [k for _, k in some]
