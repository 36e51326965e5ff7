"""Progress of a run: trace, clock, progress bar, log and callback, in one `Observer`.

At level DEBUG the logger "nelayout" records the drawing, each finished stage, the reason of the end, and the notes.
"""

from __future__ import annotations

import logging
import math
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.record.solution import Frame, Progress, Ran, Step
from nelayout.numerics.notices import listening

__all__ = ["ENDING", "LOG", "Bar", "Late", "Mark", "Observer", "Past", "Stopped", "counted", "observe", "screen"]

LOG = logging.getLogger("nelayout")
# Part of the planned seconds that weighs like time that has passed, in the speed of a run.
EXPECTED = 0.25
# Lines of a progress bar, in tqdm's format: with and without a largest number of steps.
BOUNDED = "{desc}: {n_fmt} of at most {total_fmt} steps |{bar}| [{elapsed}, {rate_noinv_fmt}{postfix}]"
BOUNDLESS = "{desc}: {n_fmt} steps [{elapsed}, {rate_noinv_fmt}{postfix}]"


class Ending:
    """The end of all runs of this process.

    asked    whether each ends now, with its best drawing
    running  number of them
    """

    def __init__(self) -> None:
        self.running, self.asked = 0, False


ENDING = Ending()


class Stopped(Exception):
    """Raised through the loops if a callback returned True or parallel work failed.

    drawing  the latest drawing, if a pass has it
    """

    drawing: Any = None


class Late(Exception):
    """Raised through a loop of iterations when its time is over."""


class Mark(NamedTuple):
    """A moment of an `Observer`: numbers of its steps and passes, its stages, and the time."""

    steps: int
    passes: int
    counts: dict[str, int]
    stage: tuple[str, str]
    cut: bool
    seconds: float


class Past(NamedTuple):
    """The records of an `Observer` between two marks.

    values, seconds  of each step
    stages   names of the steps' stages, and numbers of their steps
    passes   name, steps, seconds and depth of each
    end      the second mark
    took     seconds between the marks
    """

    values: np.ndarray
    seconds: np.ndarray
    stages: tuple[tuple[str, int], ...]
    passes: tuple[tuple[str, int, float, int], ...]
    end: Mark
    took: float


@dataclass
class Observer:
    """Record every step of a run, and of later runs with the same observer.

    callback  gets a `Progress` after each step; True ends the run
    bar       shows the progress of the run
    given_up  called after each step; True ends the run
    logs      whether stages are logged, and have names of their own
    limit     the time at which the run ends, by `time.perf_counter`
    end       the time at which the present pass ends
    behind, total  planned work that is over, and all of it
    cut       whether a pass has ended for lack of time
    """

    callback: Callable[[Progress], object] | None = None
    bar: Bar | None = None
    trace: list[Step] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    given_up: Callable[[], bool] = lambda: False
    logs: bool = True
    passes: list[Ran] = field(default_factory=list)
    limit: float = math.inf
    end: float = math.inf
    cut: bool = False
    behind: float = 0.0
    total: float = 0.0
    _shown: float = 0.0  # work that the last callback was told
    _present: tuple[float, int, int] = (0.0, 0, 0)  # planned work of the pass, most steps, steps before it
    _depth: int = 0
    _logged: int = 0  # steps with logged stages
    _stage: tuple[str, str] = ("", "")  # the present one, and its name in the trace
    _counts: Counter[str] = field(default_factory=Counter)  # stages of each name so far
    _earlier: float = 0.0  # seconds of work that an earlier run has done

    @property
    def seconds(self) -> float:
        """Time since the first run began."""
        return time.perf_counter() - self.began

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Record a pass while its work is done here."""
        ran, steps, began = Ran(name, depth=self._depth), len(self.trace), time.perf_counter() - self._earlier
        self.passes.append(ran)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            ran.steps, ran.seconds = len(self.trace) - steps, time.perf_counter() + self._earlier - began

    def mark(self) -> Mark:
        """Return the present moment."""
        now = time.perf_counter() + self._earlier
        return Mark(len(self.trace), len(self.passes), dict(self._counts), self._stage, self.cut, now)

    def between(self, begun: Mark, end: Mark) -> Past:
        """Return all that was recorded between two moments."""
        steps = self.trace[begun.steps : end.steps]
        values, seconds = (np.array([step[k] for step in steps], dtype=float) for k in (1, 2))
        stages = tuple((stage, len(list(each))) for stage, each in groupby(step.stage for step in steps))
        ran = self.passes[begun.passes : end.passes]
        passes = tuple((each.name, each.steps, each.seconds, each.depth) for each in ran)
        return Past(values, seconds, stages, passes, end, end.seconds - begun.seconds)

    def take_over(self, past: Past) -> None:
        """Record the past of an earlier run, in place of doing its work again."""
        names = (stage for stage, count in past.stages for _ in range(count))
        for value, seconds, stage in zip(past.values.tolist(), past.seconds.tolist(), names, strict=True):
            self.trace.append(Step(len(self.trace), value, seconds, stage))
        self.passes.extend(Ran(*each) for each in past.passes)
        self._counts, self._stage = Counter(past.end.counts), past.end.stage
        self.cut |= past.end.cut
        self._earlier += past.took
        if len(past.seconds):
            self.began = min(self.began, time.perf_counter() - float(past.seconds[-1]))
        if self.bar is not None:
            self.bar.skip(len(past.values))

    def silent_copy(self, given_up: Callable[[], bool]) -> Observer:
        """Return an observer for parallel work, with the same clock and without output."""
        own: dict[str, Any] = {"limit": self.limit, "end": self.end, "_depth": self._depth}
        return Observer(began=self.began, given_up=given_up, logs=False, **own)

    def append(self, other: Observer) -> None:
        """Add the trace of a `silent_copy`; seconds stay in order."""
        self.end_stage()
        self.cut |= other.cut
        self.passes.extend(other.passes)
        latest = self.trace[-1].seconds if self.trace else 0.0
        for step in other.trace:
            latest = max(latest, step.seconds)
            stage = self._unique(step.stage)
            self.trace.append(step._replace(iteration=len(self.trace), seconds=latest, stage=stage))

    @property
    def planned(self) -> bool:
        """Whether forecast seconds are of use: the time is limited, or a callback asks for them."""
        return math.isfinite(self.end) or self.callback is not None

    @contextmanager
    def part(self, own: float, rest: float, steps: int = 0) -> Iterator[None]:
        """Give work its part of the time, by forecast seconds of it and of all that follows.

        It may also take the time that the rest does not need.  ``steps``: the most steps of work without inner parts.
        """
        begun, end, now = self.behind, self.end, time.perf_counter()
        self._present = own, steps, len(self.trace)
        if math.isfinite(end) and rest > 0:
            self.end = min(end, max(now + own / (own + rest) * (end - now), end - rest))
        try:
            yield
        finally:
            self.end, self.behind, self._present = end, begun + own, (0.0, 0, 0)

    def _now(self, frame: Frame, stage: str, value: float, *, over: bool = False) -> Progress:
        """Return the argument of a callback after the latest step; ``over``: all work is."""
        own, steps, before = self._present
        within = own * min((len(self.trace) - before) / steps, 1.0) if steps else 0.0
        self._shown = done = self.total if over else max(self._shown, min(self.behind + within, self.total))
        known = EXPECTED * self.total
        speed = (self.seconds + known) / (done + known) if self.total > 0 else math.nan
        left = 0.0 if over else min((self.total - done) * speed, max(self.limit - time.perf_counter(), 0.0))
        return Progress(len(self.trace) - (not over), stage, value, frame, done, self.total, left)

    @property
    def over(self) -> bool:
        """Whether the time of the whole run is over."""
        if time.perf_counter() <= self.limit and not ENDING.asked:
            return False
        self.cut = True
        return True

    @property
    def late(self) -> bool:
        """Whether another step like the last one would end too late."""
        if math.isinf(self.end) and not ENDING.asked:
            return False
        last = self.trace[-2:]
        alike = len(last) == 2 and last[0].stage == last[1].stage
        step = last[1].seconds - last[0].seconds if alike else 0.0
        found = time.perf_counter() + step > self.end or ENDING.asked
        self.cut |= found
        return found

    def end_stage(self) -> None:
        """End the present stage: the next step belongs to a new stage, even with the same name."""
        self._stage = ("", "")

    def _unique(self, stage: str) -> str:
        """Return the name of a stage in the trace: a second stage of the same name has a number."""
        if self.logs and stage != self._stage[0]:
            self._counts[stage] += 1
            count = self._counts[stage]
            self._stage = stage, stage if count == 1 else f"{stage} ({count})"
        return self._stage[1] if self.logs else stage

    def begin(self, steps: int) -> None:
        """Begin a drawing with a schedule of at most `steps` steps."""
        if self.bar is not None:
            self.bar.begin(steps)

    def record(self, stage: str, value: float, frame: Callable[[], Frame]) -> None:
        """Record a step; ``frame`` is called only for a callback."""
        step = Step(len(self.trace), value, self.seconds, self._unique(stage))
        if self.trace and self.trace[-1].stage != step.stage:
            self.log_stages()
        self.trace.append(step)
        if self.given_up():
            raise Stopped
        if self.bar is not None:
            self.bar.step(step.stage, value)
        if self.callback is not None and self.callback(self._now(frame(), step.stage, value)):
            raise Stopped

    def finish(self, positions: np.ndarray) -> None:
        """Show the callback the positions of the result."""
        if self.callback is not None:
            value = self.trace[-1].value if self.trace else math.nan
            self.callback(self._now(Frame(lambda: positions), "result", value, over=True))

    def log_stages(self) -> None:
        """Log the stages of the steps since the last time."""
        if not self.logs or not LOG.isEnabledFor(logging.DEBUG):
            return
        new, self._logged = self.trace[self._logged :], len(self.trace)
        for stage, steps in groupby(new, key=lambda step: step.stage):
            each = list(steps)
            values = each[0].value, each[-1].value
            LOG.debug("%s: %d steps, J %.6g -> %.6g, %.2f s", stage, len(each), *values, each[-1].seconds)


class Bar:
    """One line on standard error: method, stage, steps done, largest number of steps, time, J.

    A run with several drawings, such as components, counts the steps of each.
    """

    def __init__(self, name: str) -> None:
        from tqdm import tqdm

        self.name, self.drawings, self.steps = name, 0, 0
        columns, rows = screen()
        self.line = tqdm(desc=name, unit=" steps", bar_format=BOUNDLESS, ncols=columns, nrows=rows)

    def begin(self, steps: int) -> None:
        """Count from 0 to `steps`."""
        self.drawings += 1
        self.line.n = self.line.last_print_n = 0
        self._bound(steps)

    def step(self, stage: str, value: float) -> None:
        """Count a step of a stage, and show J."""
        self.steps += 1
        which = f", drawing {self.drawings}" if self.drawings > 1 else ""
        self.line.desc = f"{self.name}{which}, {stage}"
        if self.line.total is not None and self.line.n >= self.line.total:
            self._bound(None)
        self.line.set_postfix_str(f"J {value:.6g}", refresh=False)
        self.line.update()

    def skip(self, steps: int) -> None:
        """Count the steps of an earlier run."""
        self.steps += steps
        self.line.update(steps)

    def close(self) -> None:
        """Leave a line with all steps of the run."""
        self._bound(None)
        self.line.desc, self.line.n, self.line.postfix = self.name, self.steps, None
        self.line.close()

    def _bound(self, steps: int | None) -> None:
        self.line.total = steps or None
        self.line.bar_format = BOUNDED if steps else BOUNDLESS


def counted(what: str, unit: str, total: int | None, shown: bool | None = True) -> Any:
    """Return a progress bar that counts; ``shown``: None where there is a terminal."""
    from tqdm import tqdm

    columns, lines = screen()
    disable = None if shown is None else not shown
    return tqdm(desc=what, total=total, unit=f" {unit}", ncols=columns, nrows=lines, disable=disable)


def screen() -> tuple[int | None, int | None]:
    """Return columns and rows for tqdm if the terminal reports 0; None: tqdm's default."""
    try:
        size = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):  # no terminal, or no file
        return None, None
    usual = shutil.get_terminal_size()
    return (None, None) if all(size) else (size.columns or usual.columns, size.lines or usual.lines)


@contextmanager
def observe(name: str, callback: Callable[[Progress], object] | None, progress: bool) -> Iterator[Observer]:
    """Yield an observer, with a progress bar of that name if `progress`."""
    ENDING.running += 1
    try:
        if not progress:
            yield Observer(callback)
            return
        with closing(Bar(name)) as bar, listening(bar.line.set_postfix_str):
            yield Observer(callback, bar)
    finally:
        ENDING.running -= 1
