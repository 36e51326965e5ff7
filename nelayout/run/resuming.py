"""The stage and the masses of the method "auto" that given positions have come from.

"auto" keeps one of several drawings, each at rest under another objective.  Positions to go on from would move as
a whole under any other objective.  So the objective is taken under which the nodes are nearest to their rest.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from nelayout.catalogue.stages import Descend
from nelayout.optimizers.size import size_search
from nelayout.optimizers.step import attraction_of
from nelayout.run.drawing import Part, Run
from nelayout.run.facts import Facts
from nelayout.run.placement import frame, place_missing, radius

__all__ = ["resumed"]


def resumed(part: Part, facts: Facts, run: Run) -> tuple[Part, Facts]:
    """Return a graph with the masses, and facts with the stage, that its initial positions are nearest to."""
    judged = [k for k, stage in enumerate(_descents(run)) if stage.judged]
    if not judged or (run.optimizer is not None and run.optimizer.name == "momentum"):
        return part, facts
    assert part.start is not None
    known = ~np.isnan(part.start[:, 0])
    middle, extent = frame(part.start)
    Y = place_missing((part.start - middle) / extent, part.affinity.P, np.random.default_rng(0))
    Y -= np.sum(Y, axis=0) / len(Y)
    first, other = part.affinity.mass, part.other_mass
    best, least = (judged[-1], first), math.inf
    for mass in (first,) if other is None else (first, other):
        for k in judged:
            stage = _descents(run)[k].at(facts.n)
            method = replace(run.method, kernel=stage.kernel or run.method.kernel)
            objective = run.sums.objective(method, replace(part.affinity, mass=mass)).exaggerated(stage.exaggeration)
            Z = Y * size_search(objective, Y)
            found = objective.evaluate(Z, attraction=True)
            with np.errstate(all="ignore"):
                step = np.asarray(np.sqrt(np.sum(found.gradient**2, axis=1)) / (4.0 * attraction_of(objective, found)))
                unrest = float(np.median(step[known])) / (radius(Z) or 1.0)
            if unrest < least:
                best, least = (k, mass), unrest
    return replace(part, affinity=replace(part.affinity, mass=best[1])), replace(facts, resumed=best[0])


def _descents(run: Run) -> list[Descend]:
    return [stage for stage in run.method.stages if isinstance(stage, Descend)]
