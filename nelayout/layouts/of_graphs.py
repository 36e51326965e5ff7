"""Layout functions: a docstring and one line each.

Every function takes the common keywords of :class:`nelayout.run.options.LayoutOptions`; they and their texts stand
once, and the decorator writes them into each signature and docstring.
"""

from __future__ import annotations

from typing import Any, Unpack

from nelayout.catalogue import METHODS, Method, method_named
from nelayout.layouts.decorator import draw, layout_function
from nelayout.own_keywords import tuned
from nelayout.run.options import LayoutOptions

__all__ = [
    "ee_layout",
    "gamma_linlog_layout",
    "gamma_quadlog_layout",
    "hssne_layout",
    "layout",
    "linlog_layout",
    "mds_ks_layout",
    "polylog_layout",
    "quadlog_layout",
    "ssne_layout",
    "tsne_layout",
    "ws_sne_layout",
]


@layout_function
def layout(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]
) -> Any:
    """Draw a graph by any method.

    Parameters
    ----------
    method : default "auto"
        a name ("ws-sne", "gamma-quadlog", ...; ``nelayout.methods()`` lists them), a ``nelayout.Method``, or "auto":
        the best drawing with no parameter set

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> pos = nl.layout(nx.petersen_graph(), "gamma-quadlog", seed=0)
    >>> len(pos), pos[0].shape
    (10, (2,))
    """
    return draw(G, method_named(method), pos, fixed, options)


@layout_function
def ws_sne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kernel: Any = "cauchy", **options: Unpack[LayoutOptions]
) -> Any:
    """Weighted symmetric SNE: t-SNE with degrees as masses, for graphs and for neighborhoods of vectors alike.

    Minimizes -sum_ij P_ij ln q_ij / sum P + ln sum_ij m_i m_j q_ij, q = 1/(1 + |y_i - y_j|^2): the I-divergence at
    its best connection scalar, so no trade-off between attraction and repulsion is left to choose.  Masses m (the
    strengths: degrees, where there are no weights) repel in proportion to what attracts them, which keeps hubs out of
    the crowd.

    Source: Yang, Peltonen & Kaski (2014), sec. 5.1.

    Parameters
    ----------
    kernel : default "cauchy"
        embedding kernel: a name ("cauchy", "gaussian", "heavy-tailed:2") or a ``nelayout.kernels.Kernel``

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> pos = nl.ws_sne_layout(nx.karate_club_graph(), seed=0)
    >>> len(pos)
    34
    """
    return draw(G, tuned("ws-sne", kernel=kernel), pos, fixed, options)


@layout_function
def gamma_quadlog_layout(
    G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]
) -> Any:
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
    return draw(G, METHODS["gamma-quadlog"], pos, fixed, options)


@layout_function
def gamma_linlog_layout(
    G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]
) -> Any:
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
    return draw(G, METHODS["gamma-linlog"], pos, fixed, options)


@layout_function
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
    return draw(G, METHODS["linlog"], pos, fixed, options)


@layout_function
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
    return draw(G, METHODS["quadlog"], pos, fixed, options)


@layout_function
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
    return draw(G, tuned("polylog", r=r), pos, fixed, options)


@layout_function
def ee_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, repulsion: float = 1.0, **options: Unpack[LayoutOptions]
) -> Any:
    """Elastic Embedding: a Laplacian eigenmap term plus Gaussian repulsion; weighted EE with ``mass="degree"``.

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
    return draw(G, tuned("ee", repulsion=repulsion), pos, fixed, options)


@layout_function
def tsne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """t-SNE on a graph's own similarities.

    Minimizes KL(P || Q), P = weights / sum, Q = q / sum q with q = 1/(1 + |y_i - y_j|^2).  ws-SNE with unit masses.

    Source: van der Maaten & Hinton (2008).

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.tsne_layout(nx.karate_club_graph(), seed=0))
    34
    """
    return draw(G, METHODS["tsne"], pos, fixed, options)


@layout_function
def ssne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Symmetric SNE: t-SNE with the Gaussian kernel exp(-|y_i - y_j|^2).

    Source: Cook et al. (2007); van der Maaten & Hinton (2008), sec. 3.1.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.ssne_layout(nx.path_graph(4), seed=0))
    4
    """
    return draw(G, METHODS["ssne"], pos, fixed, options)


@layout_function
def hssne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, tail: float = 2.0, **options: Unpack[LayoutOptions]
) -> Any:
    """Heavy-tailed symmetric SNE: t-SNE with the kernel (1 + tail |y_i - y_j|^2)^(-1/tail).

    Source: Yang et al. (2009).

    Parameters
    ----------
    tail : default 2.0
        heaviness of the tail, >= 0: 0 is s-SNE, 1 is t-SNE, more draws clusters tighter and further apart

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.hssne_layout(nx.path_graph(4), tail=1.5, seed=0))
    4
    """
    return draw(G, tuned("hssne", tail=tail), pos, fixed, options)


@layout_function
def mds_ks_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """MDS by kernel strain: the gamma divergence of order 2 between P and a Gaussian kernel.

    Minimizes (1/2) ln sum_ij q_ij^2 - ln sum_ij P_ij q_ij with q = exp(-|y_i - y_j|^2).

    Source: Yang, Peltonen & Kaski (2015), sec. 2.4.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.mds_ks_layout(nx.path_graph(4), seed=0))
    4
    """
    return draw(G, METHODS["mds-ks"], pos, fixed, options)
