"""Masses of "auto": powers of the strengths of nodes, tried on the graph itself.

Node i of strength s_i has the mass s_i^p.  With p = 0 all nodes repel alike, and nodes with many edges crowd the
middle.  With p = 1, as in ws-SNE, hubs repel as hard as their edges attract.  They push the others into a ring around
them.  Powers between are often better than either.  nelayout draws with one power, then takes some iterations with the
other power, and keeps the better drawing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout.run.facts import is_crowded
from nelayout.similarities.masses import node_mass

__all__ = ["Masses", "mass_to_read", "masses_of", "tried_masses"]

# Powers of the strengths for the drawing, and for the trial: in crowded graphs and in others.
CROWDED_POWERS, POWERS = (1.0, 0.8), (0.25, 0.0)


class Masses(NamedTuple):
    """The masses of all nodes, (n,), mean 1: the first, and an alternative to try or None."""

    first: np.ndarray
    other: np.ndarray | None = None


def masses_of(
    P: csr_array, mass: Any, host: Any, rng: np.random.Generator, relative: bool = True
) -> tuple[Masses, tuple[str, ...]]:
    """Return the masses that the caller wants, and notes; "auto" uses powers of the strengths.

    >>> star = csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    >>> masses, _ = masses_of(star, "auto", None, np.random.default_rng(0))
    >>> masses.first.round(2).tolist(), masses.other.tolist()
    ([1.12, 0.94, 0.94], [1.0, 1.0, 1.0])
    """
    found, notes = node_mass(P, mass_to_read(mass), host, rng, relative)
    if not _is_auto(mass):
        return Masses(found), notes
    return tried_masses(found, P), notes


def tried_masses(strength: np.ndarray, P: Any) -> Masses:
    """Return the powers of the strengths (n,) that suit a graph."""
    powers = CROWDED_POWERS if is_crowded(P) else POWERS
    first, other = ((weight := strength**power) / np.mean(weight) if len(strength) else strength for power in powers)
    return Masses(first, None if np.allclose(first, other) else other)


def mass_to_read(mass: Any) -> Any:
    """Return the mass to read from the graph for the keyword `mass`."""
    return "strength" if _is_auto(mass) else mass


def _is_auto(mass: Any) -> bool:
    return isinstance(mass, str) and mass == "auto"
