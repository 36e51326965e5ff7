"""The plan of a problem, made to fit a limit of time.

A full plan compares drawings and takes many iterations.  A cheaper plan has the same passes, without comparisons and
with fewer iterations, so that it ends with the last stage as well.  The forecast costs decide, and no clock: the same
limit gives the same plan.  A clock holds the limit if the forecast is wrong, see `nelayout.core.record.progress`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from nelayout.core.catalogue.record import Method
from nelayout.core.problem import Effort, Problem, Settings
from nelayout.core.run.draw import plans_from
from nelayout.core.run.forecast import plan_of
from nelayout.core.run.whole import Together, Work
from nelayout.core.run.whole import plan as full_plan

__all__ = ["EFFORTS", "plan"]

# Cheaper plans than the full one, down to the cheapest.
EFFORTS = (
    Effort(untangle=False),
    Effort(untangle=False, starts=False),
    Effort(untangle=False, starts=False, compare=False),
    *(Effort(False, False, False, False, share) for share in (0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)),
)
# Forecast seconds of a plan in parts of the limit.  Forecasts are of one thread of a slow machine.  The clock cuts a
# plan that is too long in its last stage, where little is lost; a plan that is too short leaves time unused.
PLANNED = 2.0


def plan(problem: Problem, method: Method, settings: Settings, quick: bool = False) -> Work:
    """Decide on all passes that draw a problem within its limit of time; draw nothing.

    ``quick``: see `nelayout.core.run.whole.plan`.
    """
    work = full_plan(problem, method, settings, quick)
    if settings.limit is None:
        return work
    budget, full = PLANNED * (settings.limit.seconds - settings.limit.spent), _seconds(work)
    if full <= budget:
        return work
    number = bisect_left(EFFORTS, -budget, key=lambda effort: -_seconds(_with_effort(work, effort)))
    work = _with_effort(work, EFFORTS[min(number, len(EFFORTS) - 1)])
    if (seconds := _seconds(work)) == full:
        return work
    within = f"to end within time_limit={settings.limit.seconds:g}, nelayout takes a plan of about {seconds:.2g} s"
    note = f"{within} in place of {full:.2g} s; a larger time_limit takes more passes and steps"
    return replace(work, notes=(*work.notes, note))


def _seconds(work: Work) -> float:
    """Return the forecast seconds on one thread; loops are there."""
    return plan_of(replace(work, settings=replace(work.settings, n_jobs=1)), loads=False).seconds


def _with_effort(work: Work, effort: Effort) -> Work:
    """Return the same work with the passes of another effort."""
    settings = replace(work.settings, effort=effort)

    def again(graphs: Together) -> Together:
        return replace(graphs, passes=plans_from(graphs.facts, work.method, settings))

    joint = None if work.joint is None else again(work.joint)
    return replace(work, settings=settings, components=again(work.components), joint=joint)

