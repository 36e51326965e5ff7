"""Variational ft-SNE as a way of drawing components: in place of the last stage, network and positions take turns.

What ``variational`` does not know comes from here: the drawing after the stages before and some steps of the last, what
the network knows of each node (spectral coordinates of the graph, or the vectors that were embedded), the sum Z of all
q, and the divergence itself, by which turns are judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nelayout.divergences.f_functions import F_FUNCTIONS
from nelayout.divergences.protocol import background_of
from nelayout.errors import Unsupported
from nelayout.kernels import Radial
from nelayout.method import Method
from nelayout.numerics.principal import principal_components
from nelayout.numerics.spectral import spectral_coordinates
from nelayout.objective import Affinity
from nelayout.record.progress import Watch
from nelayout.run.component import Drawing, Task, draw_component
from nelayout.run.start import radius
from nelayout.variational.game import Round, needs_torch, variational_drawing

__all__ = ["ROUNDS", "check_variational", "variational_component", "vector_features"]

ROUNDS, DESCENTS = 5, 20
# Steps of the network before a turn of the positions, and before the first.
ASCENTS, FIRST_ASCENTS = 4, 40
# Steps of the last stage that are taken in the ordinary way first: chi-square falls in them to half of where it begins.
BEFORE = 10
FEATURES = 16  # coordinates that the network knows of each node


def check_variational(method: Method, options: dict[str, Any], still: np.ndarray | None) -> None:
    """What the variational form cannot do is refused before work begins."""
    if not method.variational or options["max_iter"] == 0:
        return
    instead = "or leave out variational=True"
    if still is not None:
        raise Unsupported(f"the variational form moves every node: leave out fixed, {instead}")
    mass = method.mass if options["mass"] is None else options["mass"]
    if not (isinstance(mass, str) and mass == "unit"):
        raise Unsupported(f"the variational form compares nodes of one mass: use mass='unit', {instead}")
    if not (isinstance(options["optimizer"], str) and options["optimizer"] == "auto"):
        raise Unsupported(
            f"network and positions of the variational form move by a way of their own: use optimizer='auto', {instead}"
        )
    needs_torch()


def vector_features(rows: Any) -> np.ndarray | None:
    """What a network is to know of vectors: their first principal components; None where there are no vectors."""
    return None if rows is None else principal_components(rows, min(FEATURES, *rows.shape))[0]


def variational_component(
    affinity: Affinity,
    task: Task,
    rng: np.random.Generator,
    watch: Watch,
    show: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray | None,
    fixed: np.ndarray | None,
    into: Drawing,
) -> Drawing:
    """`draw_component` for variational methods; a step of ``task.max_iter`` is a round, or one of a stage before.

    The stages are the method's own, of the last the first steps; a drawing with a start goes on from it.  The drawing
    of least divergence is given back.
    """
    plain = replace(task.method, variational=False)
    placed = start is not None and not np.isnan(start).all()
    last = plain.stages[-1]
    last = replace(last, max_iter=BEFORE, large=last.large and (BEFORE, last.large[1]))
    stages, n = (*plain.stages[:-1], last), len(affinity.mass)
    first, rounds = 0 if placed else sum(stage.at(n).max_iter for stage in stages if not stage.levels), ROUNDS
    if task.max_iter is not None:
        first = round(task.max_iter * first / (first + rounds))
        rounds = task.max_iter - first
    rough = replace(task, method=replace(plain, stages=stages), max_iter=first)
    drawing = draw_component(affinity, rough, rng, watch, show, start, fixed, into)
    if rounds == 0:
        return drawing
    objective, background = task.floor.objective(plain, affinity), background_of(plain.divergence)
    charges, radials = np.ones(len(drawing.Y)), (Radial(plain.kernel), Radial(plain.kernel, 1.0, "power-log"))
    tol = 0.0 if task.tol is None else task.tol

    def normalizer(Y: np.ndarray) -> tuple[Any, ...]:
        fields = task.floor.nbody.fields(Y, charges, radials if background else radials[:1])
        return tuple(part for field in fields for part in (float(np.sum(field.potential)), 2.0 * field.force))

    def primal(Y: np.ndarray) -> float:
        return objective.evaluate(Y, gradient=False).value

    drawing.reason = "max_iter"

    def look(line: Round, Y: np.ndarray) -> bool:
        assert line.primal is not None
        Y = np.array(Y)
        move = float(np.sqrt(np.sum((Y - drawing.Y) ** 2) / len(Y)))  # in typical distances, as in the loop of stages
        rests = 0 < move * len(Y) ** (1.0 / Y.shape[1]) < tol * radius(Y)  # a turn taken back is no rest
        drawing.Y = Y
        watch.seen("variational", line.primal, lambda: show(Y))
        drawing.reason = "converged" if rests else "max_iter"
        return rests

    features = affinity.features
    if features is None:
        features = spectral_coordinates(affinity.P, FEATURES)
    drawing.Y = variational_drawing(
        affinity.P,
        features,
        drawing.Y,
        F_FUNCTIONS[plain.conjugate].name,
        normalizer=normalizer,
        primal=primal,
        rounds=rounds,
        ascents=ASCENTS,
        first_ascents=FIRST_ASCENTS,
        descents=DESCENTS,
        background=background or None,
        rng=rng,
        callback=look,
    )[0]
    drawing.method = plain
    return drawing
