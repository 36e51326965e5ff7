"""Layout functions of energies: attraction along edges against a repulsion of all pairs of nodes.

LinLog, QuadLog and their relatives sum forces of powers of the distance; the gamma forms have the balance of the two
taken out, and Elastic Embedding repels by a Gaussian.  On two cliques joined by one edge, LinLog shows two clusters::

    >>> import networkx as nx
    >>> pos = linlog_layout(nx.barbell_graph(5, 0), seed=0)
    >>> bool(abs(pos[0][0] - pos[1][0]) < 0.3 < abs(pos[0][0] - pos[9][0]))
    True
"""

from __future__ import annotations

from typing import Any, Unpack

from nelayout.catalogue import METHODS, tune
from nelayout.run.keywords import takes_layout_keywords
from nelayout.run.options import LayoutOptions
from nelayout.run.pipeline import solve

__all__ = [
    "ee_layout",
    "forceatlas2_layout",
    "gamma_linlog_layout",
    "gamma_quadlog_layout",
    "linlog_layout",
    "polylog_layout",
    "quadlog_layout",
]


@takes_layout_keywords
def gamma_quadlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """gamma-QuadLog: the global shape of meshes, roads and large graphs, free of scale and of parameters.

    Minimizes ln sum_ij P_ij |y_i - y_j|^2 - sum_ij m_i m_j ln |y_i - y_j|^2 / sum_ij m_i m_j, the Itakura-Saito
    divergence at its best connection scalar.  Neither the scale of the weights nor the size of the drawing matters.

    Source: Yang, Peltonen & Kaski (2014), sec. 5.2 and Proposition 6.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.gamma_quadlog_layout(nx.grid_2d_graph(5, 5), seed=0))
    25
    """
    return solve(G, METHODS["gamma-quadlog"], pos, fixed, **options).positions


@takes_layout_keywords
def gamma_linlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """gamma-LinLog: LinLog's clusters without its attraction parameter.

    Minimizes ln sum_ij P_ij |y_i - y_j| - sum_ij m_i m_j ln |y_i - y_j| / sum_ij m_i m_j.  Its minimizers are those
    of LinLog up to size, because the connection scalar only rescales a power kernel.

    Source: Yang, Peltonen & Kaski (2014), sec. 5.2.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.gamma_linlog_layout(nx.karate_club_graph(), seed=0))
    34
    """
    return solve(G, METHODS["gamma-linlog"], pos, fixed, **options).positions


@takes_layout_keywords
def linlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """LinLog: clusters at distances that reflect how few edges join them.

    Minimizes sum_ij P_ij |y_i - y_j| - sum_ij m_i m_j ln |y_i - y_j|.  ``mass="strength"`` (the default) is edge
    repulsion, ``mass="unit"`` node repulsion.

    Source: Noack (2007); as a divergence, Yang, Peltonen & Kaski (2014), Proposition 4.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.linlog_layout(nx.karate_club_graph(), seed=0))
    34
    """
    return solve(G, METHODS["linlog"], pos, fixed, **options).positions


@takes_layout_keywords
def quadlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """QuadLog: springs against logarithmic repulsion.

    Minimizes sum_ij P_ij |y_i - y_j|^2 - sum_ij m_i m_j ln |y_i - y_j|^2.

    Source: Noack (2007).

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.quadlog_layout(nx.path_graph(4), seed=0))
    4
    """
    return solve(G, METHODS["quadlog"], pos, fixed, **options).positions


@takes_layout_keywords
def polylog_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, r: float = 3.0, **options: Unpack[LayoutOptions]
) -> Any:
    """r-PolyLog: attraction of power r against logarithmic repulsion.

    Minimizes sum_ij P_ij |y_i - y_j|^r - r sum_ij m_i m_j ln |y_i - y_j|.

    Source: Noack (2007).

    Parameters
    ----------
    r : default 3.0
        the power, > 0: 1 is LinLog, 2 QuadLog, 3 has the forces of Fruchterman & Reingold

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.polylog_layout(nx.path_graph(4), r=1.5, seed=0))
    4
    """
    return solve(G, tune("polylog", r=r), pos, fixed, **options).positions


@takes_layout_keywords
def ee_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, repulsion: float = 1.0, **options: Unpack[LayoutOptions]
) -> Any:
    """Elastic Embedding: a Laplacian eigenmap term plus Gaussian repulsion; weighted EE with ``mass="strength"``.

    Minimizes sum_ij P_ij |y_i - y_j|^2 + repulsion sum_ij m_i m_j exp(-|y_i - y_j|^2).

    Source: Carreira-Perpinan (2010); as a divergence, Yang, Peltonen & Kaski (2014), Propositions 3 and 5.

    Parameters
    ----------
    repulsion : default 1.0
        lambda > 0, the weight of the repulsion against the raw weights; the drawing depends on it

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.ee_layout(nx.path_graph(4), repulsion=2.0, seed=0))
    4
    """
    return solve(G, tune("ee", repulsion=repulsion), pos, fixed, **options).positions


@takes_layout_keywords
def forceatlas2_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, scaling_ratio: float = 2.0, gravity: float = 1.0,
    strong_gravity: bool = False, linlog: bool = False, **options: Unpack[LayoutOptions]
) -> Any:
    """ForceAtlas2: springs along edges, logarithmic repulsion by degrees, and gravity to the middle.

    Minimizes, with each edge and each pair of nodes counted once and c the mean of all positions,

        sum_edges w_ij |y_i - y_j|^2 / 2 - scaling_ratio sum_pairs m_i m_j ln |y_i - y_j| + gravity sum_i m_i |y_i - c|,

    whose downward gradient is the force of `networkx.forceatlas2_layout` but for a shift of the whole drawing.  Masses
    are taken as they are given; the default is the degree + 1.  ``components="joint"`` draws components together, as
    networkx does; packed, each has a middle of its own.

    Source: the forces of Jacomy, Venturini, Heymann & Bastian (2014), with the middle of the drawing for the origin.

    Parameters
    ----------
    scaling_ratio : default 2.0
        strength > 0 of the repulsion
    gravity : default 1.0
        strength >= 0 of the pull to the middle
    strong_gravity : default False
        gravity in proportion to the distance: m_i |y_i - c|^2 / 2 in place of m_i |y_i - c|
    linlog : default False
        attraction ln(1 + d) in place of d: w [(1 + d) ln(1 + d) - d] in place of w d^2 / 2, for clusters further apart

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.forceatlas2_layout(nx.karate_club_graph(), gravity=0.5, seed=0))
    34
    """
    own = {"scaling_ratio": scaling_ratio, "gravity": gravity, "strong_gravity": strong_gravity, "linlog": linlog}
    return solve(G, tune("forceatlas2", **own), pos, fixed, **options).positions
