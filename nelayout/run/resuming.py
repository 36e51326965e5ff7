"""The stage, masses and emphasis of "auto" under which given positions are nearly at rest.

"auto" keeps one of several drawings, each at rest under another objective.  Given positions would all move under any
other objective.  So nelayout takes the objective under which the nodes move the least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from nelayout.catalogue.stages import Descend
from nelayout.optimizers.step import attraction_of
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.run.passes import TakeMasses
from nelayout.run.placement import frame, place_missing
from nelayout.run.plan import EMPHASIS

__all__ = ["resumed"]


def resumed(parts: Sequence[Part], run: Run) -> list[tuple[Part, int | None, float | None]]:
    """Return graphs with the masses, stages and emphasis nearest to their initial positions.

    Several graphs are looked at together: they must be stackable.
    """
    stages = [stage for stage in run.method.stages if isinstance(stage, Descend)]
    judged = [k for k, stage in enumerate(stages) if stage.judged]
    if not judged or (run.optimizer is not None and run.optimizer.name == "momentum"):
        return [(part, None, None) for part in parts]
    drawing = Drawing.of([replace(part, fixed=None) for part in parts], run.dim)
    drawing = drawing.at(np.concatenate([_given(part) for part in parts]))
    known = [~np.isnan(part.start[:, 0]) for part in parts if part.start is not None]
    emphases = (None, EMPHASIS) if run.method.emphasis == "auto" else (None,)
    found, least = np.full((len(parts), 3), (judged[-1], 0, 0)), np.full(len(parts), math.inf)
    tried = [drawing]
    if any(part.other_mass is not None for part in parts):
        tried.append(TakeMasses(name="other masses")(drawing, run))
    for swap, now in enumerate(tried):
        for k in judged:
            for number, unrest in enumerate(_unrest(now, stages[k].at(len(parts[0].nodes)), emphases, known, run)):
                found[unrest < least] = k, swap, number
                least = np.minimum(least, unrest)
    masses = [part.other_mass if swap else None for part, swap in zip(parts, found[:, 1], strict=True)]
    own = [
        part if mass is None else replace(part, affinity=replace(part.affinity, mass=mass))
        for part, mass in zip(parts, masses, strict=True)
    ]
    return list(zip(own, found[:, 0].tolist(), [emphases[k] for k in found[:, 2]], strict=True))


def _given(part: Part) -> np.ndarray:
    """Return a graph's initial positions (n, dim) about the origin, in units of their extent."""
    assert part.start is not None
    middle, extent = frame(part.start)
    Y = place_missing((part.start - middle) / extent, part.affinity.P, np.random.default_rng(0))
    return Y - np.sum(Y, axis=0) / len(Y)


def _unrest(
    drawing: Drawing, stage: Descend, emphases: Sequence[float | None], known: list[np.ndarray], run: Run
) -> Iterator[np.ndarray]:
    """Yield for each emphasis how far known nodes would move (C,), in radii of the drawing."""
    method = run.method.during(stage)
    sizes = run.sizes(run.objective(drawing, method, stage.exaggeration), drawing.Y)  # the same for each emphasis
    drawing = drawing.at(drawing.Y * sizes[drawing.segments.of][:, None])
    radii = drawing.radius()
    for emphasis in emphases:
        goal = method if emphasis is None else replace(method, emphasis=emphasis)
        objective = run.objective(drawing, goal, stage.exaggeration)
        found = objective.evaluate(drawing.Y, attraction=True)
        with np.errstate(all="ignore"):
            step = np.asarray(np.sqrt(np.sum(found.gradient**2, axis=1)) / (4.0 * attraction_of(objective, found)))
            each = np.split(step, drawing.segments.starts[1:-1])
            medians = np.array([np.median(own[mask]) for own, mask in zip(each, known, strict=True)])
            yield np.where(np.isfinite(medians), medians / np.where(radii > 0, radii, 1.0), math.inf)
