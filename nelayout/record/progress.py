"""Who looks on while a drawing is made: the trace, the clock, the progress bar and the caller's callback."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from nelayout.record.solution import Progress, Step

__all__ = ["Seen", "Stopped", "Watch", "nobody"]

# What is called after each step of a stage, with the objective's value and the positions of the nodes that it draws.
Seen = Callable[[float, np.ndarray], None]


def nobody(value: float, Y: np.ndarray) -> None:
    """Nobody looks on."""


class Stopped(Exception):
    """A callback has returned True."""


@dataclass
class Watch:
    """Trace, callback and clock of a whole run."""

    callback: Callable[[Progress], object] | None = None
    tick: Callable[[], object] | None = None
    trace: list[Step] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def seen(self, stage: str, value: float, positions: Callable[[], np.ndarray]) -> None:
        self.trace.append(Step(len(self.trace), value, time.perf_counter() - self.began, stage))
        if self.tick is not None:
            self.tick()
        if self.callback is not None:
            everything = positions().view()
            everything.flags.writeable = False
            if self.callback(Progress(self.trace[-1].iteration, stage, value, everything)):
                raise Stopped

    def on(self, stage: str, show: Callable[[np.ndarray], np.ndarray]) -> Seen:
        """Watches one stage; ``show`` gives the positions of all nodes for those that the stage draws."""
        return lambda value, Y: self.seen(stage, value, lambda: show(Y))
