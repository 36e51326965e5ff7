"""Masses: how the method "auto" weighs nodes, by powers of their strengths that are tried on the graph itself.

Node i of strength s_i weighs s_i^p.  With p = 0 all repel alike, and what has many edges is drawn into one crowd; with
p = 1, as in ws-SNE, hubs repel as hard as their edges attract, and push the others into a ring around them.  Powers
between are often better than either.  The drawing is made with one power; a few steps with the other one from there
tell whether that is the better, and the verdict decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout.similarities.masses import node_mass

__all__ = ["TRIAL_STEPS", "Masses", "is_crowded", "mass_to_read", "masses_of"]

# Most steps with the other masses.  (40 ended no better than 20 on 20 graphs.)
TRIAL_STEPS = 20
# Mean degree, and share of all nodes that it is, from which hubs crowd a dense graph.
DENSE_DEGREE, DENSE_SHARE = 8.0, 0.01
# Graphs of that mean degree in which hubs have most of the edges are crowded as well: the mean of the squared degrees
# is at least this many times the square of the mean.  (soc_slashdot0902 has 12; random graphs of power-law degrees with
# 8 and 9 gain a quarter of their neighbors and more. Graphs that are drawn better otherwise have at most 4.2, or
# ndwww's mean degree below 7.)
HUBS = 8.0
# Powers of the strengths for the drawing, and for the trial.  In crowded graphs the first keeps the classes of
# email_eu_core and usairports2010 apart, and the second gains in the balance of jazz, polblogs, usair97 and worldtrade.
# Lower ones trade classes and maps for stress: over six crowded graphs, 0.7, 0.8 and 0.85 have a balance of 0.900,
# 0.890 and 0.884, and keep 0.425, 0.432 and 0.427 of the neighbors on the map.  Elsewhere the first is the best of 0,
# 1/4, 1/2 and 1, and the second better on meshes and trees.
CROWDED, OTHERS = (1.0, 0.8), (0.25, 0.0)


class Masses(NamedTuple):
    """The masses of all nodes, (n,), mean 1: for the drawing, and to be tried on it; None: nothing is tried."""

    first: np.ndarray
    other: np.ndarray | None = None


def masses_of(
    P: csr_array, mass: Any, host: Any, rng: np.random.Generator, relative: bool = True
) -> tuple[Masses, tuple[str, ...]]:
    """The masses that were asked for, and notes; for "auto", the powers of the strengths that suit the graph.

    >>> star = csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    >>> masses, _ = masses_of(star, "auto", None, np.random.default_rng(0))
    >>> masses.first.round(2).tolist(), masses.other.tolist()
    ([1.12, 0.94, 0.94], [1.0, 1.0, 1.0])
    """
    found, notes = node_mass(P, mass_to_read(mass), host, rng, relative)
    if not _is_auto(mass):
        return Masses(found), notes
    first, other = ((weight := found**power) / np.mean(weight) if len(found) else found for power in _powers(P))
    return Masses(first, None if np.allclose(first, other) else other), notes


def mass_to_read(mass: Any) -> Any:
    """The mass that is read from the graph where `mass` is asked for."""
    return "strength" if _is_auto(mass) else mass


def _is_auto(mass: Any) -> bool:
    return isinstance(mass, str) and mass == "auto"


def _powers(P: csr_array) -> tuple[float, float]:
    """The powers of the strengths: others in crowded graphs."""
    return CROWDED if is_crowded(P) else OTHERS


def is_crowded(P: csr_array) -> bool:
    """Whether hubs are joined to a good part of a dense graph."""
    n = max(P.shape[0], 1)
    mean_degree = P.nnz / n
    squares = float(np.sum(np.diff(P.indptr).astype(np.float64) ** 2)) / n
    return mean_degree >= DENSE_DEGREE and (mean_degree >= DENSE_SHARE * n or squares >= HUBS * mean_degree**2)
