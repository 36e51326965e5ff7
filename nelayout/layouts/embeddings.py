"""Layout functions of neighbor embeddings: similarities of all pairs in the drawing, matched to those of the graph."""

from __future__ import annotations

from typing import Any, Unpack

from nelayout.catalogue import METHODS, tune
from nelayout.formula.divergences import BACKGROUND
from nelayout.run.keywords import takes_layout_keywords
from nelayout.run.options import LayoutOptions
from nelayout.run.pipeline import solve

__all__ = ["ws_sne_layout", "tsne_layout", "ssne_layout", "hssne_layout", "ftsne_layout", "mds_ks_layout"]


@takes_layout_keywords
def ws_sne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kernel: Any = "cauchy", **options: Unpack[LayoutOptions]
) -> Any:
    """Weighted symmetric SNE: t-SNE with strengths as masses, for graphs and for neighborhoods of vectors alike.

    Minimizes -sum_ij P_ij ln q_ij / sum P + ln sum_ij m_i m_j q_ij, q = 1/(1 + |y_i - y_j|^2): the I-divergence at
    its best connection scalar, so no trade-off between attraction and repulsion is left to choose.  Masses m (the
    strengths, sums of a node's weights: degrees, in a simple graph without weights) repel in proportion to what
    attracts them, which keeps hubs out of the crowd.

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
    return solve(G, tune("ws-sne", kernel=kernel), pos, fixed, **options).positions


@takes_layout_keywords
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
    return solve(G, METHODS["tsne"], pos, fixed, **options).positions


@takes_layout_keywords
def ssne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Symmetric SNE: t-SNE with the Gaussian kernel exp(-|y_i - y_j|^2).

    Source: Cook et al. (2007); van der Maaten & Hinton (2008), sec. 3.1.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.ssne_layout(nx.path_graph(4), seed=0))
    4
    """
    return solve(G, METHODS["ssne"], pos, fixed, **options).positions


@takes_layout_keywords
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
    return solve(G, tune("hssne", tail=tail), pos, fixed, **options).positions


@takes_layout_keywords
def ftsne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, divergence: Any = "kl", variational: bool = False,
    background: float = BACKGROUND, **options: Unpack[LayoutOptions],
) -> Any:
    """ft-SNE: t-SNE under any f-divergence.

    Minimizes sum_ij Q_ij f(P_ij / Q_ij), P = weights / sum, Q = q / sum q with q = 1/(1 + |y_i - y_j|^2).

    Source: Im, Verma & Branson (2018), Table 1.

    Parameters
    ----------
    divergence : default "kl"
        "kl" (t-SNE), "reverse-kl", "js", "hellinger", "chi2" (aliases rkl, hl, ch), a divergence, or a function f(t) of
        an array: convex with f(1) = 0
    variational : default False
        True plays the min-max game of the paper (ibid., section 3, Algorithm 1) for the named divergences.  A small
        network that knows the spectral coordinates of the nodes raises a lower bound on the divergence; the drawing
        begins at random and lowers it.  The drawing ends far worse than the ordinary one: use it to study the method.
        A note of `solve` names the last bound.  Needs torch: pip install "nelayout[torch]".  No fixed nodes, masses or
        other optimizers; ``max_iter`` counts rounds
    background : default 0.01
        part of all similarity, in (0, 1), that pairs without an edge share under "reverse-kl", which would be infinite
        otherwise; smaller punishes false neighbors harder.  Another than the default is refused where the divergence
        has no use for one

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.ftsne_layout(nx.karate_club_graph(), divergence="js", seed=0))
    34
    >>> len(nl.ftsne_layout(nx.karate_club_graph(), divergence=lambda t: abs(t - 1) ** 1.5, seed=0))
    34
    """
    method = tune("ftsne", divergence=divergence, variational=variational, background=background)
    return solve(G, method, pos, fixed, **options).positions


@takes_layout_keywords
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
    return solve(G, METHODS["mds-ks"], pos, fixed, **options).positions
