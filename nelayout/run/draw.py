"""From connected graphs to drawings: each has its facts and its plan, and is drawn alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from nelayout.numerics.parallel import Threads
from nelayout.record.progress import Observer, Stopped
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.run.facts import Facts
from nelayout.run.passes import Pass, fold, passes_within, sized
from nelayout.run.plan import Settings, plan
from nelayout.run.plan_table import loops_within
from nelayout.sums.nbody import backend

__all__ = ["draw_part", "draw_parts", "planned"]

# Most nodes of a graph that one thread draws beside others.
MAX_BESIDE_NODES = 2_000


def planned(parts: Sequence[Part], run: Run) -> list[tuple[Facts, tuple[Pass, ...]]]:
    """Return facts and plans of connected graphs."""
    facts = [Facts.of(part, run.method, run.dim) for part in parts]
    settings = Settings(run.dim, run.optimizer, run.max_iter, run.tol, run.stability)
    plans = dict[tuple[Pass, ...], tuple[Pass, ...]]()  # equal plans are one object
    known = {each: plan(run.method, each, settings) for each in dict.fromkeys(facts)}
    known = {each: plans.setdefault(passes, passes) for each, passes in known.items()}
    return [(each, known[each]) for each in facts]


def _steps(passes: tuple[Pass, ...]) -> int:
    """Return the most iterations of a plan."""
    return sum(each.steps for _, each in passes_within(passes))


def draw_part(part: Part, run: Run) -> Drawing:
    """Draw one connected graph of two or more nodes."""
    ((_, passes),) = planned([part], run)
    run.observer.begin(_steps(passes))
    run.observer.end_stage()
    return fold(passes, Drawing.of(part, run.dim), run)


def draw_parts(parts: list[Part], run: Run) -> tuple[dict[int, Drawing], bool]:
    """Draw connected graphs of at least two nodes; return drawings and True if complete.

    If a callback stops the run, graphs that were not reached are left out.
    """
    plans = [passes for _, passes in planned(parts, run)]
    if parts:
        different = {id(passes): passes for passes in plans}.values()
        work = dict.fromkeys(each for passes in different for each in loops_within(passes, run.method))
        run.compile_ahead(work, max(len(part.nodes) for part in parts), run.dim)
    drawn: dict[int, Drawing] = {}

    def draw(k: int, own: Run) -> None:
        own.observer.end_stage()
        try:
            drawn[k] = fold(plans[k], Drawing.of(parts[k], own.dim), own)
        except Stopped as stopped:
            if stopped.drawing is not None:
                drawn[k] = sized(stopped.drawing, own)
            raise
        own.canvas.settle(drawn[k])

    run.observer.begin(sum(map(_steps, plans)))
    large = [k for k, part in enumerate(parts) if len(part.nodes) > MAX_BESIDE_NODES]
    try:
        for k in large:
            draw(k, run)
        _draw_beside([k for k in range(len(parts)) if len(parts[k].nodes) <= MAX_BESIDE_NODES], draw, run)
    except Stopped:
        return drawn, False
    return drawn, True


def _draw_beside(small: list[int], draw: Callable[[int, Run], None], run: Run) -> None:
    """Draw small graphs, on several threads without callbacks; one error ends all."""
    # Each graph has its own randomness: threads leave the bits as they are.
    seeds = run.rng.integers(2**63, size=(len(small), 4))
    watched = run.observer.callback is not None or run.observer.bar is not None
    if watched or len(small) < 2 or not run.sums.compiled:
        for k, seed in zip(small, seeds, strict=True):
            draw(k, replace(run, rng=np.random.default_rng(seed)))
        return
    own, given_up = run.sums, threading.Event()
    sums = replace(own, nbody=backend(own.nbody.name, Threads(), own.compiled), threads=Threads())

    def unseen(k: int) -> Observer:
        observer = run.observer.silent_copy(given_up.is_set)
        try:
            draw(small[k], replace(run, rng=np.random.default_rng(seeds[k]), observer=observer, sums=sums))
        except Stopped:  # given up
            pass
        except BaseException:
            given_up.set()
            raise
        return observer

    try:
        for observer in run.sums.threads.map(unseen, range(len(small))):
            run.observer.append(observer)
    except BaseException:  # also while other threads' graphs were waited for
        given_up.set()
        raise
