"""Variational ft-SNE of a component: network and positions take turns from a start.

`nelayout.variational` gets the start, node features, the sum Z of all q, and the divergence.  Features are spectral
coordinates of the graph, or the embedded vectors.  The last drawing is the result, as in the paper.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nelayout.catalogue.stages import Descend
from nelayout.formula.kernels import Radial
from nelayout.numerics.principal import principal_components, spectral_coordinates
from nelayout.record.progress import Stopped
from nelayout.run.draw import draw_part
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.variational.game import Round, variational_drawing

__all__ = ["ROUNDS", "draw_variational", "vector_features"]

# Features of each node for the network.  Rounds, if the caller does not limit them.
FEATURES, ROUNDS = 16, 50


def vector_features(rows: Any) -> np.ndarray | None:
    """Return the first principal components of vectors as features; None without vectors."""
    return None if rows is None else principal_components(rows, min(FEATURES, *rows.shape))[0]


def draw_variational(part: Part, run: Run) -> Drawing:
    """Draw a component by a variational method; an iteration of ``run.max_iter`` is a round."""
    plain, affinity = replace(run.method, variational=False), part.affinity
    rounds = ROUNDS if run.max_iter is None else run.max_iter
    drawing = draw_part(part, replace(run, method=replace(plain, stages=(Descend("size", 0),)), max_iter=0))
    if rounds == 0:
        return drawing
    drawing = replace(drawing, method=plain, reason="max_iter")
    objective = run.sums.objective(plain, affinity)
    report, latest = run.report(drawing, "variational"), [drawing]

    def look(line: Round, Y: np.ndarray) -> None:
        assert line.primal is not None
        latest[0] = replace(drawing, Y=np.array(Y), bound=line.bound)
        report(line.primal, latest[0].Y)

    def normalizer(Y: np.ndarray) -> tuple[float, np.ndarray]:
        """Sum of q over all pairs and its gradient."""
        (field,) = objective.nbody.fields(Y, np.ones(len(Y)), (Radial(plain.kernel),))
        return float(np.sum(field.potential)), 2.0 * field.force

    features = affinity.features
    try:
        Y, trace = variational_drawing(
            affinity.P,
            spectral_coordinates(affinity.P, FEATURES) if features is None else features,
            drawing.Y,
            plain.conjugate,
            normalizer=normalizer,
            primal=lambda Y: objective.evaluate(Y, gradient=False).value,
            rounds=rounds,
            background=plain.divergence.background,
            tol=0.0 if run.tol is None else run.tol,
            rng=run.rng,
            callback=look,
        )
    except Stopped:
        return replace(latest[0], reason="stopped")
    return replace(latest[0], Y=Y, reason="converged" if len(trace) < rounds else "max_iter")
