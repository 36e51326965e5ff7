"""The progress of a run: trace, clock, progress bar and the caller's callback, in one `Observer`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from nelayout.numerics.notices import listening
from nelayout.record.solution import Progress, Step

__all__ = ["Observer", "Stopped", "observe"]


class Stopped(Exception):
    """Raised through the loops when a callback has returned True."""


@dataclass
class Observer:
    """Record every step of a run, and of the runs after it that are given the same observer.

    callback  is given a `Progress` after each step; True ends the run
    tick      moves the progress bar
    prefix    stands before the names of stages
    """

    callback: Callable[[Progress], object] | None = None
    tick: Callable[[], object] | None = None
    prefix: str = ""
    trace: list[Step] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Time since the first run began."""
        return time.perf_counter() - self.began

    def record(self, stage: str, value: float, positions: Callable[[], np.ndarray]) -> None:
        """Record a step; ``positions`` (of all nodes) is called only if somebody wants to see them."""
        step = Step(len(self.trace), value, self.seconds, self.prefix + stage)
        self.trace.append(step)
        if self.tick is not None:
            self.tick()
        if self.callback is not None:
            everything = positions().view()
            everything.flags.writeable = False
            if self.callback(Progress(step.iteration, step.stage, value, everything)):
                raise Stopped


@contextmanager
def observe(name: str, callback: Callable[[Progress], object] | None, progress: bool) -> Iterator[Observer]:
    """An observer for as long as it is needed, with a progress bar of that name where one is wanted."""
    if not progress:
        yield Observer(callback)
        return
    from tqdm import tqdm

    with tqdm(unit=" steps", desc=name) as bar, listening(bar.set_postfix_str):
        yield Observer(callback, bar.update)
