"""Attraction and repulsion of ForceAtlas2, in drawn similarities b = 1/d^2.

    pairs(b) = (s/4) ln b,        edge(p, b) = p d^2 / 4  or  p [(1 + d) ln(1 + d) - d] / 2,        d = b^(-1/2).

A sum over all ordered pairs has each pair twice. For the kernel 1/d^2 and a connection of 1 it is

    sum over edges of w d^2/2 (LinLog mode: w [(1 + d) ln(1 + d) - d])  -  s sum over pairs of m_i m_j ln d,

the energy with forces w d (w ln(1 + d)) along edges and s m_i m_j / d between all nodes. The first form is the
Itakura-Saito divergence at a fixed connection, up to a factor. The second is not a divergence: its best b is not p.

Source: Jacomy, Venturini, Heymann & Bastian, ForceAtlas2, PLoS ONE 9(6), 2014, which gives the forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.formula.divergences.protocol import PairTerm, Powers, Similarity
from nelayout.formula.part_names import number_within, spell

__all__ = ["ForceAtlas", "force_atlas", "force_atlas_linlog"]


@dataclass(frozen=True, slots=True)
class ForceAtlas:
    """Energy of one strength s of the repulsion; ``linlog``: with the weaker attraction."""

    repulsion: float
    linlog: bool = False

    @property
    def linear(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return spell("forceatlas2-linlog" if self.linlog else "forceatlas2", self.repulsion)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(self.repulsion / 4.0, 0.0, "boxcox"),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        if not self.linlog:
            return 0.25 * p * b.power(-1.0)
        d = b.power(-0.5)
        return 0.5 * p * ((1.0 + d) * np.log1p(d) - d)

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        return None if self.linlog else Powers(-1.0, 0.25 * p, 0.0, "power")

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        if not self.linlog:
            return -0.25 * p * b.power(-1.0)
        d = b.power(-0.5)
        return -0.25 * p * d * np.log1p(d)


def force_atlas(repulsion: float) -> ForceAtlas:
    """Return the energy of ForceAtlas2 with attraction w d^2 / 2; s is its scaling ratio.

    >>> force_atlas(2).name
    'forceatlas2:2'
    """
    return ForceAtlas(_checked(repulsion))


def force_atlas_linlog(repulsion: float) -> ForceAtlas:
    """Return the energy of ForceAtlas2's LinLog mode: attraction w [(1 + d) ln(1 + d) - d].

    >>> force_atlas_linlog(2).name
    'forceatlas2-linlog:2'
    """
    return ForceAtlas(_checked(repulsion), linlog=True)


def _checked(repulsion: float) -> float:
    return number_within(repulsion, "scaling_ratio, the strength of the repulsion,", 0.0, open_ends=True)
