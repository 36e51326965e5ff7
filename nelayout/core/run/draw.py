"""From connected graphs to drawings: each has its facts and its plan, and is drawn alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.passes.drawing import Drawing, Part, Run, uses_loops
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.passes import Pass, fold, passes_within, seconds_of, sized
from nelayout.core.problem import Settings
from nelayout.core.record.progress import Observer, Stopped
from nelayout.core.run.plan import passes_for
from nelayout.numerics.parallel import Threads

__all__ = ["draw_part", "draw_parts", "plans_from", "plans_of"]

# Most nodes of a graph that one thread draws beside others.
MAX_BESIDE_NODES = 2_000


def plans_of(
    parts: Sequence[Part], method: Method, settings: Settings
) -> tuple[tuple[Facts, ...], tuple[tuple[Pass, ...], ...]]:
    """Return facts and passes of connected graphs; equal plans are one object."""
    facts = tuple(Facts.of(part, method, settings.dim) for part in parts)
    return facts, plans_from(facts, method, settings)


def plans_from(facts: tuple[Facts, ...], method: Method, settings: Settings) -> tuple[tuple[Pass, ...], ...]:
    """Return the passes of connected graphs with these facts."""
    plans = dict[tuple[Pass, ...], tuple[Pass, ...]]()
    known = {each: passes_for(method, each, settings) for each in dict.fromkeys(facts) if each.n > 1}
    known = {each: plans.setdefault(passes, passes) for each, passes in known.items()}
    return tuple(known.get(each, ()) for each in facts)


def _steps(passes: tuple[Pass, ...]) -> int:
    """Return the most iterations of a plan."""
    return sum(each.steps for _, each in passes_within(passes))


def draw_part(part: Part, run: Run) -> Drawing:
    """Draw one connected graph of two or more nodes."""
    settings = Settings(run.dim, run.optimizer, run.max_iter, run.tol, run.stability, effort=run.effort)
    _, (passes,) = plans_of([part], run.method, settings)
    run.observer.begin(_steps(passes))
    run.observer.end_stage()
    if run.observer.planned:
        run.observer.total = run.observer.behind + seconds_of(passes, len(part.nodes), part.affinity.P.nnz, run)
    return fold(passes, Drawing.of(part, run.dim), run)


def draw_parts(
    parts: Sequence[Part], plans: Sequence[tuple[Pass, ...]], run: Run
) -> tuple[dict[int, Drawing], bool]:
    """Draw connected graphs by their passes; return drawings and True if complete.

    If a callback stops the run, graphs that were not reached are left out.
    """
    if parts:
        different = {id(passes): passes for passes in plans}.values()
        within = (each for passes in different for _, each in passes_within(passes))
        work = dict.fromkeys(work for each in within for work in each.loops(run.method))
        run.compile_ahead(work, max(len(part.nodes) for part in parts), run.dim)
    drawn: dict[int, Drawing] = {}
    journal = None if run.journal is None else run.journal.following()

    def draw(k: int, own: Run) -> None:
        if drawn and own.observer.over:
            return
        own = own if journal is None else replace(own, journal=journal.at(k))
        own.observer.end_stage()
        try:
            begun = Drawing.of(parts[k], own.dim)
            found = own.once(partial(fold, plans[k], begun), begun)
            drawn[k] = sized(found, own) if own.observer.cut and not parts[k].rests else found
        except Stopped as stopped:
            if stopped.drawing is not None:
                drawn[k] = sized(stopped.drawing, own)
            raise
        if own.observer.callback is not None:
            own.animation.settle(drawn[k])

    run.observer.begin(sum(map(_steps, plans)))
    sizes = [len(part.nodes) for part in parts]
    # PyTorch has threads of its own, so variational games follow one another.
    small = [k for k, n in enumerate(sizes) if n <= MAX_BESIDE_NODES and not run.method.variational]
    # Each small graph has its own randomness: threads leave the bits as they are.
    seeds = dict(zip(small, run.rng.integers(2**63, size=(len(small), 4)), strict=True))

    def draw_small(k: int, own: Run) -> None:
        draw(k, replace(own, rng=np.random.default_rng(seeds[k])))

    watched = run.observer.callback is not None or run.observer.bar is not None
    beside = [] if watched else [k for k in small if uses_loops(sizes[k], parts[k].affinity.P.nnz)]
    alone, others = np.setdiff1d(np.arange(len(parts)), small).tolist(), np.setdiff1d(small, beside).tolist()
    timed = run.observer.planned
    costs = [seconds_of(plans[k], sizes[k], part.affinity.P.nnz, run) if timed else 0.0 for k, part in enumerate(parts)]
    run.observer.total = run.observer.behind + sum(costs)
    jobs = [(costs[k], partial(draw, k, run)) for k in alone]
    jobs.append((sum(costs[k] for k in beside), partial(_draw_beside, beside, draw_small, costs, run)))
    jobs += [(costs[k], partial(draw_small, k, run)) for k in others]
    left = sum(costs)
    try:
        for seconds, work in jobs:
            left -= seconds
            with run.observer.part(seconds, left):
                work()
    except Stopped:
        return drawn, False
    return drawn, True


def _draw_beside(which: list[int], draw: Callable[[int, Run], None], costs: list[float], run: Run) -> None:
    """Draw graphs, with these forecast seconds, on several threads; one error ends all."""
    later = np.cumsum([costs[k] for k in reversed(which)])[::-1] / run.sums.threads.count
    given_up, sums = threading.Event(), replace(run.sums, threads=Threads())

    def unseen(k: int) -> Observer:
        observer = run.observer.silent_copy(given_up.is_set)
        try:
            with observer.part(costs[which[k]], later[k] - costs[which[k]] / run.sums.threads.count):
                draw(which[k], replace(run, observer=observer, sums=sums))
        except Stopped:  # given up
            pass
        except BaseException:
            given_up.set()
            raise
        return observer

    try:
        for observer in run.sums.threads.map(unseen, range(len(which))):
            run.observer.append(observer)
    except BaseException:  # also while other threads' graphs were waited for
        given_up.set()
        raise
