"""Resuming: the stage and the masses of the method "auto" that a given drawing has come from.

"auto" keeps one of several drawings, each at rest under an objective of its own.  A drawing that is given to go on from
would move as a whole under any other, so the objective is taken under which its nodes are nearest to their rest.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from nelayout.catalogue.stages import Descend
from nelayout.optimizers.size import size_search
from nelayout.optimizers.step import attraction_of
from nelayout.run.levels import method_of
from nelayout.run.start import frame, place_missing, radius
from nelayout.run.state import Component, Run

__all__ = ["resume"]


def resume(component: Component, stages: tuple[Descend, ...], run: Run) -> Descend:
    """The stage to go on by from a component's start; the component gets the masses that go with it."""
    assert component.start is not None
    known = ~np.isnan(component.start[:, 0])
    middle, extent = frame(component.start)
    Y = place_missing((component.start - middle) / extent, component.affinity.P, np.random.default_rng(0))
    Y -= np.sum(Y, axis=0) / len(Y)
    first, other = component.affinity.mass, component.other_mass
    best, least = (stages[-1], first), math.inf
    for mass in (first,) if other is None else (first, other):
        affinity = replace(component.affinity, mass=mass)
        for stage in stages:
            objective = run.sums.objective(method_of(stage, run.method), affinity).exaggerated(stage.exaggeration)
            Z = Y * size_search(objective, Y)
            found = objective.evaluate(Z, weights=True)
            with np.errstate(all="ignore"):
                step = np.asarray(np.sqrt(np.sum(found.gradient**2, axis=1)) / (4.0 * attraction_of(objective, found)))
                unrest = float(np.median(step[known])) / (radius(Z) or 1.0)
            if unrest < least:
                best, least = (stage, mass), unrest
    component.affinity = replace(component.affinity, mass=best[1])
    return best[0]
