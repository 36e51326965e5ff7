"""From connected graphs to drawings: each gets its facts and its plan.

One graph and a thousand graphs take the same passes.  Small graphs with equal plans stand one after another in one
`Drawing`.  So their cost depends on their pairs and not on their calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from nelayout.objective.stacks import MAX_STACKED_NODES, stackable
from nelayout.record.progress import Observer, Stopped
from nelayout.run.costs import loops_within
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.run.facts import Facts
from nelayout.run.passes import Pass, fold, passes_within
from nelayout.run.plan import Settings, plan
from nelayout.run.resuming import resumed

__all__ = ["draw_part", "draw_parts", "planned"]

# Most nodes of graphs that are drawn together, and most nodes that one thread draws beside others.
STACK_NODES, MAX_BESIDE_NODES = 20_000, 2_000


def planned(parts: Sequence[Part], run: Run) -> list[tuple[Part, Facts, tuple[Pass, ...]]]:
    """Return connected graphs with the masses for their initial positions, facts and plans."""
    own, facts = list(parts), [Facts.of(part, run.method, run.dim) for part in parts]
    for some in _stacks(own, [k for k, each in enumerate(facts) if each.placed], lambda k: _small(own[k], run)):
        for k, (part, stage, emphasis) in zip(some, resumed([own[k] for k in some], run), strict=True):
            own[k], facts[k] = part, replace(facts[k], resumed=stage, emphasis=emphasis)
    settings = Settings(run.dim, run.optimizer, run.max_iter, run.tol, run.stability)
    plans = dict[tuple[Pass, ...], tuple[Pass, ...]]()  # equal plans are one object
    known = {each: plan(run.method, each, settings) for each in dict.fromkeys(facts)}
    known = {each: plans.setdefault(passes, passes) for each, passes in known.items()}
    return [(part, each, known[each]) for part, each in zip(own, facts, strict=True)]


def _small(part: Part, run: Run) -> bool:
    return len(part.nodes) <= MAX_STACKED_NODES and stackable(run.method, part.affinity)


def _stacks(parts: Sequence[Part], which: Iterable[int], key: Callable[[int], object]) -> list[list[int]]:
    """Return lists of the graphs of one key; graphs without a key (None or False) stand alone."""
    groups: dict[object, list[int]] = {}
    for k in which:
        groups.setdefault(("together", own) if (own := key(k)) else k, []).append(k)
    return [some for group in groups.values() for some in _cut(group, [len(parts[k].nodes) for k in group])]


def draw_part(part: Part, run: Run) -> Drawing:
    """Draw one connected graph of two or more nodes."""
    ((part, _, passes),) = planned([part], run)
    run.observer.begin(sum(each.steps for _, each in passes_within(passes)))
    run.observer.end_stage()
    return fold(passes, Drawing.of([part], run.dim), run)


def draw_parts(parts: list[Part], run: Run) -> tuple[dict[int, Drawing], bool]:
    """Draw connected graphs of at least two nodes; return drawings and True if complete.

    If a callback stops the run, graphs that were not reached are left out.
    """
    ready = planned(parts, run)
    if parts:
        work = dict.fromkeys(each for _, _, passes in ready for each in loops_within(passes, run.method))
        run.compile_ahead(work, max(len(part.nodes) for part in parts), run.dim)

    def alike(k: int) -> object:
        part, facts, passes = ready[k]
        together = run.stability is None and _small(part, run) and facts.fixed in ("none", "all")
        return (id(passes), facts.fixed) if together else None

    stacks = _stacks(parts, range(len(parts)), alike)
    drawn: dict[int, Drawing] = {}

    def draw(stack: list[int], own: Run) -> None:
        passes = ready[stack[0]][2]
        own.observer.end_stage()
        try:
            drawing = fold(passes, Drawing.of([ready[k][0] for k in stack], own.dim), own)
        except Stopped as stopped:
            if stopped.drawing is not None:
                drawn.update(zip(stack, stopped.drawing.split(), strict=True))
            raise
        drawn.update(zip(stack, drawing.split(), strict=True))
        own.canvas.settle(drawing)

    run.observer.begin(sum(each.steps for stack in stacks for _, each in passes_within(ready[stack[0]][2])))
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
    given_up, sums = threading.Event(), run.sums.alone

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
    total = sum(sizes)
    count = -(-total // STACK_NODES)
    which = (np.cumsum(sizes) - sizes) * count // total
    cuts = np.searchsorted(which, np.arange(count + 1)).tolist()
    for low, high in pairwise(cuts):
        if high > low:
            yield group[low:high]
