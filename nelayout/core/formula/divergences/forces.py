"""Attraction and repulsion of ForceAtlas2 and of t-FDP.

A sum over all ordered pairs has each pair twice. ForceAtlas2, in drawn similarities b = 1/d^2:

    pairs(b) = (s/4) ln b,        edge(p, b) = p d^2 / 4  or  p [(1 + d) ln(1 + d) - d] / 2,        d = b^(-1/2).

At a connection of 1 its forces are w d (LinLog mode: w ln(1 + d)) along edges and s m_i m_j / d between all nodes. The
first form is the Itakura-Saito divergence up to a factor. The second is not a divergence: its best b is not p.
Source: Jacomy, Venturini, Heymann & Bastian, ForceAtlas2, PLoS ONE 9(6), 2014, which gives the forces.

t-FDP, in drawn similarities b = 1 / (1 + d^2):

    pairs(b) = r / (4 (g - 1)) b^(g - 1),        edge(p, b) = p [(1/b - 1) / 8 - (a/4) ln b]

At a connection of 1 its forces are w (1/2 + a / (1 + d^2)) d along edges and r m_i m_j (1 + d^2)^-g d between nodes.
The program of t-FDP splits the 1/2 between both ends by their degrees. Such forces have no energy.
Source: Zhong, Xue, Zhang, Zhang, Ban, Deussen & Wang, Force-directed graph layouts revisited: a new force based on the
t-distribution, IEEE TVCG 30(7), 2024.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nelayout.core.formula.divergences.protocol import Divergence, PairTerm, Powers, Similarity
from nelayout.core.formula.part_names import number_within, spell

__all__ = ["ForceAtlas", "TForces", "force_atlas", "force_atlas_linlog", "t_forces"]


@dataclass(frozen=True, slots=True)
class ForceAtlas(Divergence):
    """Energy of one strength s of the repulsion; ``linlog``: with the weaker attraction."""

    linear = True
    repulsion: float
    linlog: bool = False

    @property
    def name(self) -> str:
        return spell("forceatlas2-linlog" if self.linlog else "forceatlas2", self.repulsion)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(self.repulsion / 4.0, 0.0, "boxcox"),)

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        if not self.linlog:
            return Divergence.edge_and_slope(self, p, b)
        d = b.power(-0.5)
        return 0.5 * p * ((1.0 + d) * np.log1p(d) - d), -0.25 * p * d * np.log1p(d)

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        return None if self.linlog else Powers(-1.0, 0.25 * p, 0.0, "power")


def force_atlas(repulsion: float) -> ForceAtlas:
    """Return the energy of ForceAtlas2 with attraction w d^2 / 2; s is its scaling ratio.

    >>> force_atlas(2).name
    'forceatlas2:2'
    """
    rule = "scaling_ratio, the strength of the repulsion,"
    return ForceAtlas(number_within(repulsion, rule, 0.0, open_ends=True))


def force_atlas_linlog(repulsion: float) -> ForceAtlas:
    """Return the energy of ForceAtlas2's LinLog mode: attraction w [(1 + d) ln(1 + d) - d]."""
    return replace(force_atlas(repulsion), linlog=True)


@dataclass(frozen=True, slots=True)
class TForces(Divergence):
    """Energy of one repulsion r, attraction a and exponent g."""

    linear = True
    repulsion: float
    attraction: float
    exponent: float

    @property
    def name(self) -> str:
        return spell("t-fdp", self.repulsion, self.attraction, self.exponent)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        order = self.exponent - 1.0
        return (PairTerm(self.repulsion / (4.0 * order), order),)

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        inverse = b.power(-1.0)
        edge = p * (0.125 * (inverse - 1.0) - 0.25 * self.attraction * b.log())
        return edge, -p * (0.125 * inverse + 0.25 * self.attraction)


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
