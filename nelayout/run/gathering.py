"""Gathering: components that were drawn alone come together where gravity holds them.

Packed side by side, components would have to pass each other on their way.  So nelayout first minimizes the same
objective over the components.  Each counts as one node of its mass, and no edge joins any two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from nelayout.objective import Affinity
from nelayout.optimizers import LBFGS
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.size import size_search
from nelayout.run.drawing import Drawing, Run
from nelayout.run.placement import random_positions

__all__ = ["gather"]

# Iterations that arrange the components.
STEPS = 100


def gather(parts: Sequence[Drawing], run: Run) -> np.ndarray:
    """Return drawings (n, d) of all components, each at its position among the others."""
    mass = np.array([float(np.sum(part.affinity.mass)) for part in parts])
    objective = run.sums.objective(run.method, Affinity(csr_array((len(parts), len(parts))), mass))
    places = random_positions(len(parts), run.dim, run.rng)
    places, _, _ = minimize(objective, places * size_search(objective, places), LBFGS(), STEPS, Rest(lull=1e-4))
    Y = np.empty((sum(len(each.Y) for each in parts), run.dim))
    for each, place in zip(parts, places, strict=True):
        Y[each.part.nodes] = each.Y - each.centers() + place
    return Y
