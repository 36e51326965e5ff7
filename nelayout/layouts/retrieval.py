"""Layout functions whose divergence weighs missed neighbors against false ones: SNE, NeRV, JSE, alpha-SNE, ft-SNE."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, Unpack

from nelayout.alpha.choice import GRID, AlphaChoice
from nelayout.catalogue import METHODS
from nelayout.divergences import BACKGROUND, auto_alpha
from nelayout.layouts.decorator import draw, layout_function
from nelayout.own_keywords import tuned
from nelayout.run.options import LayoutOptions
from nelayout.run.pipeline import solve

__all__ = ["alpha_sne_layout", "choose_alpha", "ftsne_layout", "jse_layout", "nerv_layout", "sne_layout"]


@layout_function
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
    return draw(G, METHODS["sne"], pos, fixed, options)


@layout_function
def nerv_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kappa: float = 0.5, background: float = BACKGROUND,
    **options: Unpack[LayoutOptions],
) -> Any:
    """NeRV, the neighbor retrieval visualizer: missed neighbors weighed against false ones.

    Minimizes sum_i (1 - kappa) KL(P_i || Q_i) + kappa KL(Q_i || P_i), P and Q as for SNE.

    Source: Venna et al. (2010), kappa as in Lee et al. (2013), equation 32.

    Parameters
    ----------
    kappa : default 0.5
        0 is SNE (nobody is missed), 1 punishes false neighbors only
    background : default 0.1
        part of each node's similarity, in (0, 1), that those without an edge share in the second term, which would be
        infinite otherwise; smaller punishes false neighbors harder

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.nerv_layout(nx.karate_club_graph(), kappa=0.2, seed=0))
    34
    """
    return draw(G, tuned("nerv", kappa=kappa, background=background), pos, fixed, options)


@layout_function
def jse_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kappa: float = 0.5, background: float = BACKGROUND,
    **options: Unpack[LayoutOptions],
) -> Any:
    """Jensen-Shannon embedding: missed and false neighbors, each at a bounded price.

    Minimizes sum_i KL(P_i || Z_i) / (1 - kappa) + KL(Q_i || Z_i) / kappa with Z = kappa P + (1 - kappa) Q, P and Q
    as for SNE.

    Source: Lee et al. (2013), equation 37.

    Parameters
    ----------
    kappa : default 0.5
        0 is SNE, 1/2 the Jensen-Shannon divergence, 1 the reverse Kullback-Leibler divergence
    background : default 0.1
        as in `nerv_layout`, for kappa = 1 only; another than the default is refused below

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.jse_layout(nx.karate_club_graph(), seed=0))
    34
    """
    return draw(G, tuned("jse", kappa=kappa, background=background), pos, fixed, options)


@layout_function
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
    background : default 0.1
        part of each node's similarity, in (0, 1), that those without an edge share at orders <= 0, which would be
        infinite otherwise; smaller punishes false neighbors harder.  Another than the default is refused at orders > 0

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> len(nl.alpha_sne_layout(nx.karate_club_graph(), alpha=0.8, seed=0))
    34
    >>> len(nl.alpha_sne_layout(nx.karate_club_graph(), alpha="auto", seed=0))
    34
    """
    return draw(G, tuned("alpha-sne", alpha=alpha, background=background), pos, fixed, options)


def choose_alpha(
    G: Any,
    pos: Any = None,
    fixed: Any = None,
    *,
    grid: Iterable[float] = GRID,
    estimator: str = "score matching",
    refine: bool = True,
    **options: Unpack[LayoutOptions],
) -> AlphaChoice | None:
    """Which order of alpha-SNE suits a graph, and the evidence: the curves of both estimators over alpha.

    The largest component is drawn at each order, and the order is taken at which its similarities v stray from the
    drawn ones m as the alpha divergence supposes, p(v; m) ~ v^(-1/2) exp(-D_alpha(v||m) / phi).

    Source: Amid, Dikmen & Oja (2015), section 3.

    Parameters
    ----------
    G, pos, fixed : as for `alpha_sne_layout`
    grid : default 1, 0.9, ..., 0.1
        orders to try, > 0
    estimator : default "score matching"
        or "likelihood"; both are computed, this one decides
    refine : default True
        whether to look between the orders of the grid, to 0.02
    options : the common keywords; ``max_iter`` bounds the steps of each drawing

    Returns
    -------
    AlphaChoice
        alpha, phi, the values of both estimators, notes, and ``plot()``; None where every alpha fits equally well (a
        drawing that gives the similarities back exactly) and where there is no edge.  `nelayout.solve` with
        ``Method(kernel="gaussian", divergence="alpha:auto", connection="normalized-rows")`` gives the drawing, too.

    Raises
    ------
    ValueError
        for an empty grid, orders <= 0, an unknown estimator, and what every layout function refuses

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> choice = nl.choose_alpha(nx.karate_club_graph(), grid=[1.0, 0.75, 0.5], refine=False, seed=0)
    >>> choice.alphas, choice.alpha in choice.alphas, choice.phi > 0
    ((0.5, 0.75, 1.0), True, True)
    """
    method = replace(
        METHODS["alpha-sne"], divergence=auto_alpha(grid=grid, estimator=estimator, refine=refine), stages=()
    )
    return solve(G, method, pos, fixed, **options).choice


@layout_function
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
        True minimizes the variational form of the named divergences, in which a small network that knows the spectral
        coordinates of the nodes, and p and q of each pair, learns where drawing and similarities differ (ibid.,
        section 3); it ends as low as the ordinary form, in twice its time.  Needs torch: pip install "nelayout[torch]".
        No fixed nodes, no masses, no other optimizer; ``max_iter`` counts its rounds and the steps before them
    background : default 0.1
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
    method = tuned("ftsne", divergence=divergence, variational=variational, background=background)
    return draw(G, method, pos, fixed, options)

