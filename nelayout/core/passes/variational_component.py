"""Variational ft-SNE of a component: network and positions take turns from a start.

`nelayout.core.variational` gets the start, node features, the sum Z of all q, and the divergence.  Features are
spectral coordinates of the graph, or the embedded vectors.  The last drawing is the result, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.passes import Pass
from nelayout.core.record.progress import Late, Stopped
from nelayout.core.variational.game import Round, variational_drawing
from nelayout.numerics.principal import principal_components, spectral_coordinates

__all__ = ["ROUNDS", "Game", "vector_features"]

# Features of each node for the network.  Rounds, if the caller does not limit them.
FEATURES, ROUNDS = 16, 50


def vector_features(rows: Any) -> np.ndarray | None:
    """Return the first principal components of vectors as features; None without vectors."""
    return None if rows is None else principal_components(rows, min(FEATURES, *rows.shape))[0]


@dataclass(frozen=True, kw_only=True)
class Game(Pass):
    """Let the network and the positions take turns; an iteration is a round."""

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        plain, affinity = replace(run.method, variational=False), drawing.affinity
        drawing = replace(drawing, method=plain, reason="max_iter")
        if not self.steps:
            return drawing
        objective = run.sums.objective(plain, affinity)
        report, latest = run.report(drawing, self.name), [drawing]

        def look(line: Round, Y: np.ndarray) -> None:
            assert line.primal is not None
            latest[0] = replace(drawing, Y=np.array(Y), bound=line.bound)
            report(line.primal, latest[0].Y)
            if run.observer.late:
                raise Late

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
                rounds=self.steps,
                background=plain.divergence.background,
                tol=0.0 if run.tol is None else run.tol,
                rng=run.rng,
                callback=look,
            )
        except Stopped as stopped:
            stopped.drawing = replace(latest[0], reason="stopped")
            raise
        except Late:
            return replace(latest[0], reason="time_limit")
        return replace(latest[0], Y=Y, reason="converged" if len(trace) < self.steps else "max_iter")
