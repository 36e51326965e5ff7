"""Attraction and repulsion of t-FDP, in drawn similarities b = 1 / (1 + d^2).

    pairs(b) = r / (4 (g - 1)) b^(g - 1),        edge(p, b) = p [(1/b - 1) / 8 - (a/4) ln b]

A sum over all ordered pairs has each pair twice. For the Cauchy kernel and a connection of 1 it is

    sum over edges of w [d^2/4 + (a/2) ln(1 + d^2)]  +  r / (2 (g - 1)) sum over pairs of m_i m_j (1 + d^2)^(1 - g),

the energy with forces w (1/2 + a / (1 + d^2)) d along edges and r m_i m_j (1 + d^2)^-g d between all nodes.  The
program of t-FDP splits the 1/2 between both ends by their degrees.  Such forces have no energy.

Source: Zhong, Xue, Zhang, Zhang, Ban, Deussen & Wang, Force-directed graph layouts revisited: a new force based on the
t-distribution, IEEE TVCG 30(7), 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.formula.divergences.protocol import PairTerm, Similarity
from nelayout.formula.part_names import number_within, spell

__all__ = ["TForces", "t_forces"]


@dataclass(frozen=True, slots=True)
class TForces:
    """Energy of one repulsion r, attraction a and exponent g."""

    repulsion: float
    attraction: float
    exponent: float

    @property
    def linear(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return spell("t-fdp", self.repulsion, self.attraction, self.exponent)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        order = self.exponent - 1.0
        return (PairTerm(self.repulsion / (4.0 * order), order),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return p * (0.125 * (b.power(-1.0) - 1.0) - 0.25 * self.attraction * b.log())

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -p * (0.125 * b.power(-1.0) + 0.25 * self.attraction)


def t_forces(repulsion: float, attraction: float, exponent: float) -> TForces:
    """Return the energy of t-FDP; the paper's 1/alpha, beta and gamma.

    >>> t_forces(10, 8, 2).name
    't-fdp:10:8:2'
    """
    return TForces(
        number_within(repulsion, "repulsion", 0.0, open_ends=True),
        number_within(attraction, "attraction", 0.0),
        number_within(exponent, "exponent", 1.0, open_ends=True),
    )
