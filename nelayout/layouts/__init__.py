"""The layout functions: `layout` for any method, and one function for each method.

LinLog shows two cliques that are joined by one edge as two clusters:

>>> import networkx as nx
>>> pos = linlog_layout(nx.barbell_graph(5, 0), seed=0)
>>> bool(abs(pos[0][0] - pos[1][0]) < 0.3 < abs(pos[0][0] - pos[9][0]))
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal, TypeVar, Unpack, cast

from nelayout.core.catalogue import METHODS
from nelayout.core.catalogue.record import Method
from nelayout.core.formula.alpha_choice import GRID, AlphaChoice
from nelayout.core.formula.divergences import BACKGROUND, auto_alpha
from nelayout.keywords.options import LayoutOptions, MethodOptions
from nelayout.keywords.signatures import takes_common_keywords, takes_layout_keywords
from nelayout.layouts.solving import positions_of, solve

__all__ = [
    "alpha_sne_layout", "choose_alpha", "drgraph_layout", "ee_layout", "forceatlas2_layout", "ftsne_layout",
    "gamma_linlog_layout", "gamma_quadlog_layout", "hssne_layout", "jse_layout", "layout", "linlog_layout",
    "mds_ks_layout", "nerv_layout", "polylog_layout", "quadlog_layout", "sne_layout", "ssne_layout", "tfdp_layout",
    "tsne_layout", "tsnet_layout", "ws_sne_layout",
]  # fmt: skip


F = TypeVar("F", bound=Callable[..., Any])


def _layout(nodes: int, *calls: str) -> Callable[[F], F]:
    """Return a decorator: a function draws by the method of its name; calls are examples."""

    def decorated(function: F) -> F:
        name = function.__name__.removesuffix("_layout").replace("_", "-")

        @functools.wraps(function)
        def draw(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[MethodOptions]) -> Any:
            return positions_of(G, name, pos, fixed, **options)

        lines = ["Examples", "--------", ">>> import networkx as nx, nelayout as nl"]
        for call in calls:
            lines += [f">>> len(nl.{function.__name__}({call}))", str(nodes)]
        draw.__doc__ = f"{function.__doc__}\n" + "".join(f"    {line}\n" for line in lines)
        return takes_layout_keywords(cast("F", draw))

    return decorated


@takes_layout_keywords
def layout(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[MethodOptions]
) -> Any:
    """Draw a graph by any method.

    Parameters
    ----------
    method : default "auto"
        a name ("ws-sne", "gamma-quadlog", ...; ``nelayout.methods()`` lists them; "nerv:0.3" sets a parameter), a
        ``nelayout.Method``, or "auto": the best drawing without any parameter

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> pos = nl.layout(nx.petersen_graph(), "gamma-quadlog", seed=0)
    >>> len(pos), pos[0].shape
    (10, (2,))
    """
    return positions_of(G, method, pos, fixed, **options)


# --- neighbor embeddings: similarities of all pairs in the drawing match the similarities of the graph ----------


@_layout(34, "nx.karate_club_graph(), seed=0")
def ws_sne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kernel: Any = "cauchy", **options: Unpack[LayoutOptions]
) -> Any:
    """Draw a graph by weighted symmetric SNE: t-SNE with degrees as masses.

    Minimizes ``-sum_ij P_ij ln q_ij / sum P + ln sum_ij m_i m_j q_ij``, ``q = 1/(1 + |y_i - y_j|^2)``: the I-divergence
    at its best scale factor. It sets the balance of attraction and repulsion. A node's mass m is its
    degree. Hubs repel more, which keeps them apart. ``mass="strength"`` takes sums of weights: the ends of a heavy edge
    then repel more as well, and the edge may get longer.
    Source: Yang, Peltonen & Kaski (2014), sec. 5.1.

    Parameters
    ----------
    kernel : default "cauchy"
        embedding kernel: a name ("cauchy", "gaussian", "heavy-tailed:2") or a ``nelayout.kernels.Kernel``
    """


@_layout(34, "nx.karate_club_graph(), seed=0")
def tsne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by t-SNE on its own similarities.

    Minimizes ``KL(P || Q)``, P = weights / sum, Q = q / sum q with ``q = 1/(1 + |y_i - y_j|^2)``: ws-SNE, unit mass.
    Source: van der Maaten & Hinton (2008).
    """


@_layout(36, "nx.grid_2d_graph(6, 6), perplexity=10, seed=0")
def tsnet_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, compression: float = 0.01, **options: Unpack[LayoutOptions]
) -> Any:
    """Draw a graph by tsNET: t-SNE of path lengths, with a compression of the drawing.

    Minimizes ``KL(P || Q) + compression / 2n sum_i |y_i - c|^2``, with P the entropic affinities of shortest paths
    (``affinity="hops"``, ``perplexity=40``), Q as for t-SNE, and c the mean of all positions.
    Source: Kruiger et al. (2017).

    The paper has a third term, ``-0.6 / 2n^2 sum_ij ln |y_i - y_j|``, which holds nodes apart. This function leaves it
    out: set ``node_size`` instead. The paper first minimizes with a compression of 1.2. This function starts
    from coarsened graphs. A node has no similarity to nodes beyond its ring of ``3 * perplexity`` nodes.

    Parameters
    ----------
    compression : default 0.01
        strength >= 0 of the pull to the middle; at 0 it is ``tsne_layout(G, affinity="hops", perplexity=40)``
    """


@_layout(36, "nx.grid_2d_graph(6, 6), seed=0")
def drgraph_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by the model of DRGraph: t-SNE of the path lengths to near nodes.

    Minimizes ``KL(P || Q)`` as `tsne_layout` does, with P the entropic affinities of shortest paths
    (``affinity="hops"``, ``perplexity=10``).
    Source: Zhu et al. (2021).

    The paper takes nodes within a given number of hops, as ``hops=`` does here; without it the perplexity decides. The
    paper estimates the repulsion from a few random nodes, by logistic regression with its own weight. This
    function minimizes the divergence itself, over all pairs, and has no such weight.
    """


@_layout(4, "nx.path_graph(4), seed=0")
def ssne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by symmetric SNE: t-SNE with the Gaussian kernel ``exp(-|y_i - y_j|^2)``.

    Source: Cook et al. (2007); van der Maaten & Hinton (2008), sec. 3.1.
    """


@_layout(4, "nx.path_graph(4), tail=1.5, seed=0")
def hssne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, tail: float = 2.0, **options: Unpack[LayoutOptions]
) -> Any:
    """Draw a graph by heavy-tailed symmetric SNE: t-SNE with a tail of any weight.

    The kernel is ``(1 + tail |y_i - y_j|^2)^(-1/tail)``. Source: Yang et al. (2009).

    Parameters
    ----------
    tail : default 2.0
        heaviness of the tail, >= 0: 0 is s-SNE, 1 is t-SNE; a larger tail draws clusters tighter and further apart
    """


@_layout(34, *(f"nx.karate_club_graph(), divergence={f}, seed=0" for f in ('"js"', "lambda t: abs(t - 1) ** 1.5")))
def ftsne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, divergence: Any = "kl", variational: bool = False,
    background: float = BACKGROUND, **options: Unpack[LayoutOptions],
) -> Any:  # fmt: skip
    """Draw a graph by ft-SNE: t-SNE under any f-divergence.

    Minimizes sum_ij Q_ij f(P_ij / Q_ij), P = weights / sum, Q = q / sum q with ``q = 1/(1 + |y_i - y_j|^2)``.
    Source: Im, Verma & Branson (2018), Table 1.

    Parameters
    ----------
    divergence : default "kl"
        "kl" (t-SNE), "reverse-kl", "js", "hellinger", "chi2" (aliases rkl, hl, ch), a divergence, or a function f(t) of
        an array: convex with f(1) = 0
    variational : default False
        True plays the min-max game of the paper (section 3, Algorithm 1) for the named divergences. A small network
        with the spectral coordinates of the nodes raises a lower bound on the divergence. The drawing begins at
        random and lowers it. The drawing ends far worse than the ordinary one: use it to study the method. A note of
        `solve` gives the last bound. Needs torch: pip install "nelayout[torch]". Fixed nodes, masses and other
        optimizers are refused; ``max_iter`` counts rounds
    background : default 0.01
        share of the similarity, in (0, 1), of all pairs without an edge under "reverse-kl", which is infinite without
        it; a smaller one punishes false neighbors harder. Other divergences refuse other values than the default
    """


@_layout(4, "nx.path_graph(4), seed=0")
def mds_ks_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by MDS with kernel strain: gamma divergence of order 2, Gaussian kernel.

    Minimizes (1/2) ln sum_ij q_ij^2 - ln sum_ij P_ij q_ij with ``q = exp(-|y_i - y_j|^2)``.
    Source: Yang, Peltonen & Kaski (2015), sec. 2.4.
    """


# --- energies: attraction along edges, repulsion of all pairs ---------------------------------------------------


@_layout(25, "nx.grid_2d_graph(5, 5), seed=0")
def gamma_quadlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by gamma-QuadLog: the global shape of large graphs, without parameters.

    Minimizes ``ln sum_ij P_ij |y_i - y_j|^2 - sum_ij m_i m_j ln |y_i - y_j|^2 / sum_ij m_i m_j``, the Itakura-Saito
    divergence at its best scale factor. Neither the scale of the weights nor the size of the drawing matters.
    Source: Yang, Peltonen & Kaski (2014), sec. 5.2 and Proposition 6.
    """


@_layout(34, "nx.karate_club_graph(), seed=0")
def gamma_linlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by gamma-LinLog: LinLog's clusters without its attraction parameter.

    Minimizes ``ln sum_ij P_ij |y_i - y_j| - sum_ij m_i m_j ln |y_i - y_j| / sum_ij m_i m_j``. Minimizers are LinLog's
    up to size, because the scale factor only rescales a power kernel.
    Source: Yang, Peltonen & Kaski (2014), sec. 5.2.
    """


@_layout(34, "nx.karate_club_graph(), seed=0")
def linlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by LinLog: the distance of clusters reflects how few edges join them.

    Minimizes ``sum_ij P_ij |y_i - y_j| - sum_ij m_i m_j ln |y_i - y_j|``. ``mass="degree"`` (the default) is edge
    repulsion, ``mass="unit"`` node repulsion.
    Source: Noack (2007); as a divergence, Yang, Peltonen & Kaski (2014), Proposition 4.
    """


@_layout(4, "nx.path_graph(4), seed=0")
def quadlog_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by QuadLog: springs against logarithmic repulsion.

    Minimizes ``sum_ij P_ij |y_i - y_j|^2 - sum_ij m_i m_j ln |y_i - y_j|^2``.
    Source: Noack (2007).
    """


@_layout(4, "nx.path_graph(4), r=1.5, seed=0")
def polylog_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, r: float = 3.0, **options: Unpack[LayoutOptions]
) -> Any:
    """Draw a graph by r-PolyLog: attraction of power r against logarithmic repulsion.

    Minimizes ``sum_ij P_ij |y_i - y_j|^r - r sum_ij m_i m_j ln |y_i - y_j|``.
    Source: Noack (2007).

    Parameters
    ----------
    r : default 3.0
        the power, > 0: 1 is LinLog, 2 QuadLog, 3 has the forces of Fruchterman & Reingold
    """


@_layout(4, "nx.path_graph(4), repulsion=2.0, seed=0")
def ee_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, repulsion: float = 1.0, **options: Unpack[LayoutOptions]
) -> Any:
    """Draw a graph by Elastic Embedding; with ``mass="strength"``, by weighted EE.

    Minimizes ``sum_ij P_ij |y_i - y_j|^2 + repulsion sum_ij m_i m_j exp(-|y_i - y_j|^2)``.
    Source: Carreira-Perpinan (2010); as a divergence, Yang, Peltonen & Kaski (2014), Propositions 3 and 5.

    Parameters
    ----------
    repulsion : default 1.0
        lambda > 0, the weight of the repulsion against the raw weights; the drawing depends on it
    """


@_layout(34, "nx.karate_club_graph(), gravity=0.5, seed=0")
def forceatlas2_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, scaling_ratio: float = 2.0, gravity: float = 1.0,
    strong_gravity: bool = False, linlog: bool = False, **options: Unpack[LayoutOptions],
) -> Any:  # fmt: skip
    """Draw a graph by ForceAtlas2: springs, logarithmic repulsion and gravity to the middle.

    Minimizes, with each edge and each pair of nodes counted once and c the mean of all positions,
    ``sum_edges w_ij |y_i - y_j|^2 / 2 - scaling_ratio sum_pairs m_i m_j ln |y_i - y_j| + gravity sum_i m_i |y_i - c|``.

    The downward gradient is the force of `networkx.forceatlas2_layout` up to a shift of the whole drawing. Masses are
    used as given; the default is the degree + 1. ``components="joint"`` draws components together, as networkx does;
    packed components have a middle each.
    Source: the forces of Jacomy, Venturini, Heymann & Bastian (2014), with the middle of the drawing for the origin.

    Parameters
    ----------
    scaling_ratio : default 2.0
        strength > 0 of the repulsion
    gravity : default 1.0
        strength >= 0 of the pull to the middle
    strong_gravity : default False
        gravity in proportion to the distance: ``m_i |y_i - c|^2 / 2`` instead of ``m_i |y_i - c|``
    linlog : default False
        attraction ln(1 + d) instead of d: w [(1 + d) ln(1 + d) - d] instead of w d^2 / 2, for clusters further apart
    """


@_layout(34, "nx.karate_club_graph(), attraction=4.0, seed=0")
def tfdp_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, repulsion: float = 10.0, attraction: float = 8.0,
    exponent: float = 2.0, **options: Unpack[LayoutOptions],
) -> Any:  # fmt: skip
    """Draw a graph by t-FDP: springs with a strong pull when near, and bounded repulsion.

    Minimizes, with each edge and each pair of nodes counted once and xi_ij the squared distance,
    ``sum_edges w_ij [xi_ij / 4 + attraction / 2 ln(1 + xi_ij)]
    + repulsion / (2 (exponent - 1)) sum_pairs m_i m_j (1 + xi_ij)^(1 - exponent)``.

    The program of t-FDP splits the spring's force between both ends of an edge by their degrees. Such forces have no
    energy, so here both ends take half.
    Source: the forces of Zhong et al. (2024).

    Parameters
    ----------
    repulsion : default 10.0
        strength > 0 of the repulsion, 1/alpha in the paper
    attraction : default 8.0
        strength >= 0 of the pull of near neighbors, beta in the paper
    exponent : default 2.0
        power > 1 by which repulsion falls off with 1 + xi, gamma in the paper
    """


# --- row by row: each node's own neighbors, missed ones weighed against false ones -----------------------------


@_layout(34, "nx.karate_club_graph(), seed=0")
def sne_layout(G: Any, pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]) -> Any:
    """Draw a graph by stochastic neighbor embedding, with one distribution for each node.

    Minimizes ``sum_i KL(P_i || Q_i)``, P_ij = w_ij / sum_k w_ik, Q_ij = m_j q_ij / sum_k m_k q_ik with the Gaussian
    ``q = exp(-|y_i - y_j|^2)``.
    Source: Hinton & Roweis (2002).
    """


@_layout(34, "nx.karate_club_graph(), kappa=0.2, seed=0")
def nerv_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kappa: float = 0.5, background: float = BACKGROUND,
    **options: Unpack[LayoutOptions],
) -> Any:  # fmt: skip
    """Draw a graph by NeRV (neighbor retrieval visualizer): missed against false neighbors.

    Minimizes ``sum_i (1 - kappa) KL(P_i || Q_i) + kappa KL(Q_i || P_i)``, P and Q as for SNE.
    Source: Venna et al. (2010), kappa as in Lee et al. (2013), equations 7 and 8.

    Parameters
    ----------
    kappa : default 0.5
        0 is SNE and misses no neighbor, 1 punishes false neighbors only
    background : default 0.01
        share of each node's similarity, in (0, 1), of all nodes without an edge to it in the second term, which is
        infinite without it; without effect if every pair has a similarity. A smaller one punishes false neighbors
        harder; a large one with a large kappa can shrink a drawing to a point
    """


@_layout(34, "nx.karate_club_graph(), seed=0")
def jse_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, kappa: float = 0.5, background: float = BACKGROUND,
    **options: Unpack[LayoutOptions],
) -> Any:  # fmt: skip
    """Draw a graph by Jensen-Shannon embedding: bounded costs of missed and false neighbors.

    Minimizes ``sum_i KL(P_i || Z_i) / (1 - kappa) + KL(Q_i || Z_i) / kappa`` with Z = kappa P + (1 - kappa) Q, P and Q
    as for SNE.
    Source: Lee et al. (2013), equations 12 and 14.

    Parameters
    ----------
    kappa : default 0.5
        0 is SNE, 1/2 four times the Jensen-Shannon divergence, 1 the reverse Kullback-Leibler divergence
    background : default 0.01
        as in `nerv_layout`, for kappa = 1 only; a smaller kappa refuses other values than the default. On sparse graphs
        kappa = 1 is not the limit of larger and larger kappa, which charge false neighbors -ln(1 - kappa) / kappa
    """


@_layout(34, "nx.karate_club_graph(), alpha=0.8, seed=0", 'nx.karate_club_graph(), alpha="auto", seed=0')
def alpha_sne_layout(
    G: Any, pos: Any = None, fixed: Any = None, *, alpha: float | Literal["auto"] = 0.5,
    background: float = BACKGROUND, **options: Unpack[LayoutOptions],
) -> Any:  # fmt: skip
    """Draw a graph by alpha-SNE: recall against precision by the order of an alpha divergence.

    Minimizes ``sum_i D_alpha(P_i || Q_i)``, P and Q as for SNE; alpha = 1 is SNE, alpha = 0 its reverse.
    Source: Amid, Dikmen & Oja (2015).

    Parameters
    ----------
    alpha : default 0.5
        the order; "auto" chooses it from the data, from 0.1 to 1, in about ten times the time; see `choose_alpha`
    background : default 0.01
        share of each node's similarity, in (0, 1), of all nodes without an edge to it at orders <= 0, which are
        infinite without it; orders > 0 refuse other values than the default. A smaller one punishes false neighbors
        harder. On sparse graphs order 0 is not the limit of small orders, which charge false neighbors 1 / alpha
    """


@takes_common_keywords
def choose_alpha(
    G: Any, pos: Any = None, fixed: Any = None, *, grid: Iterable[float] = GRID,
    refine: bool = True, **options: Unpack[LayoutOptions],
) -> AlphaChoice | None:  # fmt: skip
    """Choose the order of alpha-SNE for a graph, and show the score of every order.

    The largest component is drawn at each order, in at most ``max_iter`` steps. The chosen order is the one at which
    its similarities v differ from the drawn ones m as the alpha divergence supposes,
    ``p(v; m) ~ v^(-1/2) exp(-D_alpha(v||m) / phi)``.
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
        alpha, phi, the score at each order, and notes; None if every alpha fits equally well (the
        drawing has exactly the similarities of the graph) or it has no edges. `nelayout.solve` with
        ``Method(kernel="gaussian", divergence="alpha:auto", connection="normalized-rows")`` gives the drawing, too.

    Raises
    ------
    ValueError
        for an empty grid, orders <= 0, and as every layout function

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> choice = nl.choose_alpha(nx.karate_club_graph(), grid=[1.0, 0.75, 0.5], refine=False, seed=0)
    >>> choice.alphas, choice.alpha in choice.alphas, choice.phi > 0
    ((0.5, 0.75, 1.0), True, True)
    """
    divergence = auto_alpha(grid=grid, refine=refine)
    return solve(G, replace(METHODS["alpha-sne"], divergence=divergence, stages=()), pos, fixed, **options).choice
