"""Layout functions by rows: each node's own neighbors, missed ones weighed against false ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, Unpack

from nelayout.catalogue import METHODS, tune
from nelayout.formula.alpha.choice import GRID, AlphaChoice
from nelayout.formula.divergences import BACKGROUND, auto_alpha
from nelayout.run.keywords import takes_common_keywords, takes_layout_keywords
from nelayout.run.options import LayoutOptions
from nelayout.run.pipeline import solve

__all__ = ["sne_layout", "nerv_layout", "jse_layout", "alpha_sne_layout", "choose_alpha"]


@takes_layout_keywords
def sne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Stochastic neighbor embedding: each node's neighbors are compared on their own.

    Minimizes sum_i KL(P_i || Q_i), P_ij = w_ij / sum_k w_ik, Q_ij = m_j q_ij / sum_k m_k q_ik with the Gaussian
    q = exp(-|y_i - y_j|^2).

    Source: Hinton & Roweis (2002).

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.sne_layout(nx.karate_club_graph(), seed=0))
    34
    """
    return solve(G, METHODS["sne"], pos, fixed, **options).positions


@takes_layout_keywords
def nerv_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kappa: float = 0.5, background: float = BACKGROUND,
    **options: Unpack[LayoutOptions],
) -> Any:
    """NeRV, the neighbor retrieval visualizer: missed neighbors weighed against false ones.

    Minimizes sum_i (1 - kappa) KL(P_i || Q_i) + kappa KL(Q_i || P_i), P and Q as for SNE.

    Source: Venna et al. (2010), kappa as in Lee et al. (2013), equations 7 and 8.

    Parameters
    ----------
    kappa : default 0.5
        0 is SNE (nobody is missed), 1 punishes false neighbors only
    background : default 0.01
        part of each node's similarity, in (0, 1), that those without an edge share in the second term, which would be
        infinite otherwise; nothing where every pair has a similarity.  Smaller punishes false neighbors harder; with
        0.1 drawings of some data shrink to a point at kappa 0.95

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.nerv_layout(nx.karate_club_graph(), kappa=0.2, seed=0))
    34
    """
    return solve(G, tune("nerv", kappa=kappa, background=background), pos, fixed, **options).positions


@takes_layout_keywords
def jse_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kappa: float = 0.5, background: float = BACKGROUND,
    **options: Unpack[LayoutOptions],
) -> Any:
    """Jensen-Shannon embedding: missed and false neighbors, each at a bounded price.

    Minimizes sum_i KL(P_i || Z_i) / (1 - kappa) + KL(Q_i || Z_i) / kappa with Z = kappa P + (1 - kappa) Q, P and Q
    as for SNE.

    Source: Lee et al. (2013), equations 12 and 14.

    Parameters
    ----------
    kappa : default 0.5
        0 is SNE, 1/2 four times the Jensen-Shannon divergence, 1 the reverse Kullback-Leibler divergence
    background : default 0.01
        as in `nerv_layout`, for kappa = 1 only, which on sparse graphs is therefore not the limit of larger and larger
        kappa (they charge false neighbors -ln(1 - kappa) / kappa); another than the default is refused below

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.jse_layout(nx.karate_club_graph(), seed=0))
    34
    """
    return solve(G, tune("jse", kappa=kappa, background=background), pos, fixed, **options).positions


@takes_layout_keywords
def alpha_sne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, alpha: float | Literal["auto"] = 0.5,
    background: float = BACKGROUND, **options: Unpack[LayoutOptions],
) -> Any:
    """alpha-SNE: recall against precision by the order of an alpha divergence.

    Minimizes sum_i D_alpha(P_i || Q_i), P and Q as for SNE; alpha = 1 is SNE, alpha = 0 its reverse.

    Source: Amid, Dikmen & Oja (2015).

    Parameters
    ----------
    alpha : default 0.5
        the order; "auto" chooses it from the data, from 0.1 to 1, in some ten times the time of one drawing; see
        `choose_alpha`
    background : default 0.01
        part of each node's similarity, in (0, 1), that those without an edge share at orders <= 0, which would be
        infinite otherwise; smaller punishes false neighbors harder.  So on sparse graphs order 0 is not the limit of
        small ones, which charge false neighbors 1 / alpha.  Another than the default is refused at orders > 0

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.alpha_sne_layout(nx.karate_club_graph(), alpha=0.8, seed=0))
    34
    >>> len(nl.alpha_sne_layout(nx.karate_club_graph(), alpha="auto", seed=0))
    34
    """
    return solve(G, tune("alpha-sne", alpha=alpha, background=background), pos, fixed, **options).positions


@takes_common_keywords
def choose_alpha(
    G: Any,
    pos: Any = None,
    fixed: Any = None,
    *,
    grid: Iterable[float] = GRID,
    refine: bool = True,
    **options: Unpack[LayoutOptions],
) -> AlphaChoice | None:
    """Choose the order of alpha-SNE that suits a graph, and show the evidence: the scores over alpha.

    The largest component is drawn at each order, in ``max_iter`` steps at most.  The order is taken at which its
    similarities v stray from the drawn ones m as the alpha divergence supposes,
    p(v; m) ~ v^(-1/2) exp(-D_alpha(v||m) / phi).

    Source: Amid, Dikmen & Oja (2015), section 3.

    Parameters
    ----------
    grid : default 1, 0.9, ..., 0.1
        orders to try, > 0
    refine : default True
        whether to look between the orders of the grid, to 0.02

    Returns
    -------
    AlphaChoice
        alpha, phi, the score at each order, and notes; None where every alpha fits equally well (a
        drawing that gives the similarities back exactly) and where there is no edge.  `nelayout.solve` with
        ``Method(kernel="gaussian", divergence="alpha:auto", connection="normalized-rows")`` gives the drawing, too.

    Raises
    ------
    ValueError
        for an empty grid, orders <= 0, and what every layout function refuses

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> choice = nl.choose_alpha(nx.karate_club_graph(), grid=[1.0, 0.75, 0.5], refine=False, seed=0)
    >>> choice.alphas, choice.alpha in choice.alphas, choice.phi > 0
    ((0.5, 0.75, 1.0), True, True)
    """
    method = replace(METHODS["alpha-sne"], divergence=auto_alpha(grid=grid, refine=refine), stages=())
    return solve(G, method, pos, fixed, **options).choice
