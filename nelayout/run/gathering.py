"""Gathering: components that were drawn alone come together about their common middle, where gravity holds them.

Side by side, as they are packed without gravity, they would have to pass each other on their way.  So their places are
found first, by the same objective: each component counts as one node of its mass, and no edge joins any two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from nelayout.objective import Affinity
from nelayout.optimizers import LBFGS
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.size import size_search
from nelayout.run.start import random_positions
from nelayout.run.state import Component, Run

__all__ = ["gather"]

# Most steps: of 180 components J falls by less than a thousandth after 60.
STEPS = 100


def gather(parts: Sequence[Component], run: Run) -> np.ndarray:
    """(n, d) drawings of all components, each about its place among the others."""
    mass = np.array([float(np.sum(part.affinity.mass)) for part in parts])
    objective = run.sums.objective(run.method, Affinity(csr_array((len(parts), len(parts))), mass))
    places = random_positions(len(parts), run.dim, run.rng)
    places, _, _ = minimize(objective, places * size_search(objective, places), LBFGS(), STEPS, Rest(gain=1e-4))
    Y = np.empty((sum(len(part.nodes) for part in parts), run.dim))
    for part, place in zip(parts, places, strict=True):
        drawn = part.drawing.Y
        Y[part.nodes] = drawn - np.sum(drawn, axis=0) / len(drawn) + place
    return Y
