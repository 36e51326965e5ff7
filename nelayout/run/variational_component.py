"""Variational ft-SNE as a way of drawing components: in place of the last stage, network and positions take turns.

The game of `nelayout.variational` knows nothing of runs.  It is given the drawing where it begins, the network's
coordinates of each node (spectral ones of the graph, or the vectors that were embedded), the sum Z of all q, and the
divergence itself.  The paper's form begins with random positions, as the paper does; the sampled form goes on from the
stages before and some steps of the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import CoarseToFine, Descend, Stage
from nelayout.errors import Unsupported
from nelayout.formula.divergences.protocol import background_of
from nelayout.formula.kernels import Kernel, Radial
from nelayout.numerics.principal import principal_components
from nelayout.numerics.spectral import spectral_coordinates
from nelayout.record.progress import Stopped
from nelayout.run.draw import draw_part
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.variational.game import Round, needs_torch, variational_drawing

__all__ = ["SCHEDULES", "Schedule", "check_variational", "draw_variational", "vector_features"]

FEATURES = 16  # coordinates that the network knows of each node


@dataclass(frozen=True, slots=True)
class Schedule:
    """Numbers of one form of the game.

    form     its name in `variational_drawing`
    before   steps of the last stage that are taken in the ordinary way first, after the stages before; None: neither,
             and the game begins with random positions
    rounds   of these each has ``ascents`` steps of the network (the first has ``first_ascents``) and ``descents`` of
             the positions
    """

    form: str
    before: int | None
    rounds: int
    ascents: int
    first_ascents: int
    descents: int


# Value of the keyword ``variational`` -> its schedule.  J = K = 10 are the paper's.  Chi-square falls to half of where
# it begins in the ten steps before the sampled form.
SCHEDULES: dict[bool | str, Schedule] = {
    True: Schedule("paper", None, rounds=50, ascents=10, first_ascents=100, descents=10),
    "sampled": Schedule("sampled", 10, rounds=5, ascents=4, first_ascents=40, descents=20),
}


def check_variational(method: Method, options: dict[str, Any], fixed: np.ndarray | None) -> None:
    """Refuse, before work begins, a call that the variational form cannot serve."""
    if not method.variational or options["max_iter"] == 0:
        return
    instead = "or leave out variational=True"
    if fixed is not None:
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
    """The network's coordinates of vectors: their first principal components; None if there are no vectors."""
    return None if rows is None else principal_components(rows, min(FEATURES, *rows.shape))[0]


def draw_variational(part: Part, run: Run) -> Drawing:
    """Draw a component by a variational method; an iteration of ``run.max_iter`` is a round, or one of the last stage.

    The stages are the method's own, of the last the first iterations; initial positions are kept.
    """
    schedule, plain = SCHEDULES[run.method.variational], replace(run.method, variational=False)
    stages, affinity = _stages_before(plain, schedule.before), part.affinity
    before = stages[-1].at(len(affinity.mass)).max_iter if isinstance(stages[-1], Descend) else 0
    first, rounds = 0 if part.placed else before, schedule.rounds
    if run.max_iter is not None:
        first = round(run.max_iter * first / (first + rounds))
        rounds = run.max_iter - first
    try:
        drawing = draw_part(part, replace(run, method=replace(plain, stages=stages), max_iter=first))
    except Stopped as stopped:
        return stopped.drawing or Drawing.of([part], run.dim)
    if rounds == 0:
        return drawing
    drawing = replace(drawing, methods=(plain,), reasons=("max_iter",))
    objective, background = run.sums.objective(plain, affinity), background_of(plain.divergence)
    report, latest = run.report(drawing, "variational"), [drawing]

    def look(line: Round, Y: np.ndarray) -> bool:
        assert line.primal is not None
        latest[0] = replace(drawing, Y=np.array(Y), bound=line.bound)
        report(line.primal, latest[0].Y)
        return False

    features = affinity.features
    try:
        Y, trace = variational_drawing(
            affinity.P,
            spectral_coordinates(affinity.P, FEATURES) if features is None else features,
            drawing.Y,
            plain.conjugate,
            normalizer=_normalizer(plain.kernel, run, background > 0),
            primal=lambda Y: objective.evaluate(Y, gradient=False).value,
            form=schedule.form,
            rounds=rounds,
            ascents=schedule.ascents,
            first_ascents=schedule.first_ascents,
            descents=schedule.descents,
            background=background or None,
            tol=0.0 if run.tol is None else run.tol,
            rng=run.rng,
            callback=look,
        )
    except Stopped:
        return replace(latest[0], reasons=("stopped",))
    return replace(latest[0], Y=Y, reasons=("converged" if len(trace) < rounds else "max_iter",))


def _stages_before(method: Method, steps: int | None) -> tuple[Stage, ...]:
    """The method's stages, of the last the first steps, where the plain form falls fastest; None: no step at all."""
    last = method.stages[-1]
    if isinstance(last, CoarseToFine):
        return method.stages if steps is not None else (replace(last.as_descent(), max_iter=0),)
    few = replace(last, max_iter=steps or 0, large=None, small=None, starts=False)
    if steps is None:
        return (few,)
    return (*method.stages[:-1], replace(few, large=last.large and (steps, last.large[1])))


def _normalizer(kernel: Kernel, run: Run, with_logarithm: bool) -> Callable[[np.ndarray], tuple[Any, ...]]:
    """Y -> sum of q over all pairs and its gradient, followed by those of q ln q if they are wanted."""
    radials = (Radial(kernel), Radial(kernel, 1.0, "power-log"))[: 2 if with_logarithm else 1]

    def sums(Y: np.ndarray) -> tuple[Any, ...]:
        fields = run.sums.nbody.fields(Y, np.ones(len(Y)), radials)
        return tuple(part for field in fields for part in (float(np.sum(field.potential)), 2.0 * field.force))

    return sums
