"""The catalogue: each named method as a record: kernel, divergence, connection and mass.

Weights are not in the masses: a heavier edge then pulls more and repels as before.  A method's own keywords make parts:
tail a kernel, kappa a divergence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import EVEN_SHAPE, SHAPE, CoarseToFine, Descend, growing_tail
from nelayout.core.formula import divergences
from nelayout.core.formula.alpha_choice import auto_alpha
from nelayout.core.formula.connections import Fixed
from nelayout.core.formula.divergences import BACKGROUND, divergence_named
from nelayout.core.formula.divergences.alpha import with_background
from nelayout.core.formula.kernels import heavy_tailed, inverse_power
from nelayout.core.formula.part_names import number_within
from nelayout.core.formula.potentials.gravity import Gravity
from nelayout.errors import InputError

__all__ = ["AUTO", "METHODS", "own_parts"]

LEE_2013 = "Lee et al., Type 1 and 2 mixtures of Kullback-Leibler divergences, Neurocomputing 112, 2013"
YANG_2014 = "Yang, Peltonen & Kaski, Optimization equivalence of divergences improves neighbor embedding, ICML 2014"
YANG_2009 = "Yang et al., Heavy-tailed symmetric stochastic neighbor embedding, NIPS 2009"
NOACK_2007 = "Noack, Energy models for graph clustering, J. Graph Algorithms and Applications 11, 2007"


def _alpha_sne(alpha: object, background: float) -> dict[str, Any]:
    if isinstance(alpha, str) and alpha == "auto":
        search = auto_alpha()
        with_background(divergences.alpha(search.first), background)  # refused if it has no effect
        return {"divergence": search}
    alpha = number_within(alpha, "alpha, unless it is 'auto',")
    return {"divergence": divergences.alpha(alpha, background), "choose": None}


def _forceatlas2(scaling_ratio: float, gravity: float, strong_gravity: bool, linlog: bool) -> dict[str, Any]:
    if not isinstance(linlog, (bool, np.bool_)):
        raise InputError(f"linlog must be True or False; got {linlog!r}")
    energy = divergences.force_atlas_linlog if linlog else divergences.force_atlas
    return {"divergence": energy(scaling_ratio), "gravity": Gravity(gravity, strong_gravity)}


def _tsnet(compression: object) -> dict[str, Any]:
    strength = number_within(compression, "compression", 0.0)
    return {"gravity": Gravity(strength, strong=True, shared=True) if strength else None}


_MAKERS: dict[str, Callable[..., dict[str, Any]]] = {
    "ws-sne": lambda kernel: {"kernel": kernel},
    "polylog": lambda r: {"kernel": inverse_power(r)},
    "ee": lambda repulsion: {"connection": Fixed(repulsion)},
    "hssne": lambda tail: {"kernel": heavy_tailed(tail)},
    "nerv": lambda kappa, background: {"divergence": divergences.nerv_divergence(kappa, background)},
    "jse": lambda kappa, background: {"divergence": divergences.jse_divergence(kappa, background)},
    "alpha-sne": _alpha_sne,
    "ftsne": lambda divergence, variational, background: {
        "divergence": with_background(divergence_named(divergence), background), "variational": variational
    },
    "forceatlas2": _forceatlas2,
    "tfdp": lambda **own: {"divergence": divergences.t_forces(**own)},
    "tsnet": _tsnet,
}


def own_parts(method: str, **own: Any) -> dict[str, Any]:
    """Return fields of a `Method`: the parts that its own keywords make, and the keywords."""
    return {**_MAKERS[method](**own), "own": tuple(own.items())}


# After the levels, a few steps on the graph itself.
_THROUGH_LEVELS = (CoarseToFine("levels", 15), Descend("majorize", 20, "majorize", starts=True))

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            **own_parts("ws-sne", kernel="cauchy"), divergence="i-divergence", connection="optimal", mass="degree",
            name="ws-sne", reference=f"{YANG_2014}, sec. 5.1",
            summary="t-SNE with edge repulsion: neighbors and classes, hubs outside; the first to try",
        ),
        Method(
            "inverse-square", "itakura-saito", "optimal", "unit", stages=_THROUGH_LEVELS,
            name="gamma-quadlog", reference=f"{YANG_2014}, sec. 5.2",
            summary="the global shape of meshes, roads and large graphs, in seconds; no scale, no parameter",
        ),
        Method(
            "inverse-distance", "itakura-saito", "optimal", "degree",
            name="gamma-linlog", reference=f"{YANG_2014}, sec. 5.2",
            summary="LinLog without its attraction parameter: clusters far apart",
        ),
        Method(
            "inverse-distance", "itakura-saito", "fixed", "degree", name="linlog", reference=NOACK_2007,
            summary="clusters far apart; mass='degree' is edge repulsion, mass='unit' node repulsion",
        ),
        Method(
            "inverse-square", "itakura-saito", "fixed", "unit", name="quadlog", reference=NOACK_2007,
            summary="springs and logarithmic repulsion",
        ),
        Method(
            **own_parts("polylog", r=3.0), divergence="itakura-saito", connection="fixed", mass="unit",
            name="polylog", reference=NOACK_2007,
            summary="attraction d^r, logarithmic repulsion: r = 1 LinLog, 2 QuadLog, 3 near Fruchterman-Reingold",
        ),
        Method(
            "gaussian", "i-divergence", **own_parts("ee", repulsion=1.0), mass="unit", name="ee",
            reference="Carreira-Perpinan, The elastic embedding algorithm for dimensionality reduction, ICML 2010",
            summary="Laplacian eigenmap and Gaussian repulsion, to be tuned; mass='strength' is weighted EE",
        ),
        Method(
            "inverse-square", connection="fixed", mass="degree+1", name="forceatlas2",
            **own_parts("forceatlas2", scaling_ratio=2.0, gravity=1.0, strong_gravity=False, linlog=False),
            stages=(SHAPE, Descend("descend", 200, small=400, starts=True)),
            reference="Jacomy, Venturini, Heymann & Bastian, ForceAtlas2, PLoS ONE 9(6), 2014",
            summary="the energy of ForceAtlas2 as networkx has it: springs, logarithmic repulsion and gravity",
        ),
        Method(
            "cauchy", **own_parts("tfdp", repulsion=10.0, attraction=8.0, exponent=2.0), connection="fixed",
            mass="unit", name="tfdp",
            reference="Zhong et al., Force-directed graph layouts revisited: a new force based on the t-distribution, "
            "IEEE TVCG 30(7), 2024",
            summary="the energy of t-FDP: springs with a strong pull of near neighbors, and bounded repulsion",
        ),
        Method(
            "cauchy", "i-divergence", "normalized", "unit", name="tsne",
            reference="van der Maaten & Hinton, Visualizing data using t-SNE, JMLR 9, 2008",
            summary="neighbors and clusters; every node counts alike, so hubs crowd the middle",
        ),
        Method(
            "cauchy", "i-divergence", "normalized", "unit", "hops:40", **own_parts("tsnet", compression=0.01),
            name="tsnet", reference="Kruiger et al., Graph layouts by t-SNE, Computer Graphics Forum 36(3), 2017",
            summary="t-SNE of path lengths, compressed: the distances of meshes, trees and networks",
        ),
        Method(
            "cauchy", "i-divergence", "normalized", "unit", "hops", name="drgraph",
            reference="Zhu et al., DRGraph: an efficient graph layout algorithm for large-scale graphs by "
            "dimensionality reduction, IEEE TVCG 27(2), 2021",
            summary="t-SNE of the path lengths to near nodes: neighbors within few hops",
        ),
        Method(
            "gaussian", "i-divergence", "normalized", "unit", name="ssne",
            reference="Cook et al., Visualizing similarity data with a mixture of maps, AISTATS 2007",
            summary="symmetric SNE: t-SNE with a Gaussian kernel; rounder, crowded",
        ),
        Method(
            **own_parts("hssne", tail=2.0), divergence="i-divergence", connection="normalized", mass="unit",
            name="hssne", reference=YANG_2009,
            summary="tails from Gaussian (0) over Cauchy (1) to heavier: clusters tighter and further apart",
        ),
        Method(
            "gaussian", "beta:2", "optimal", "unit", name="mds-ks",
            stages=(SHAPE, Descend("descend", 200)),  # random starts would fold paths
            reference="Yang, Peltonen & Kaski, Majorization-minimization for manifold embedding, AISTATS 2015",
            summary="kernel strain: the gamma divergence of order 2, which forgives outliers",
        ),
        Method(
            "gaussian", "i-divergence", "normalized-rows", name="sne",
            reference="Hinton & Roweis, Stochastic neighbor embedding, NIPS 2002",
            summary="each node's neighbors on their own: misses few, crowds the middle",
        ),
        Method(
            "gaussian", **own_parts("nerv", kappa=0.5, background=BACKGROUND), connection="normalized-rows",
            name="nerv",
            reference="Venna et al., Information retrieval perspective to nonlinear dimensionality reduction, JMLR 11, "
            f"2010; {LEE_2013}",
            summary="missed neighbors (kappa = 0, SNE) against false ones (kappa = 1), weighed against each other",
        ),
        Method(
            "gaussian", **own_parts("jse", kappa=0.5, background=BACKGROUND), connection="normalized-rows",
            name="jse", reference=LEE_2013,
            summary="Jensen-Shannon embedding: both kinds of error, each bounded",
        ),
        Method(
            "gaussian", **own_parts("alpha-sne", alpha=0.5, background=BACKGROUND), connection="normalized-rows",
            name="alpha-sne",
            reference="Amid, Dikmen & Oja, Optimizing the information retrieval trade-off in data visualization using "
            "alpha-divergence, arXiv:1505.05821, 2015",
            summary="alpha = 1 is SNE, less forgives missed neighbors; 'auto' is chosen from the data",
        ),
        Method(
            "cauchy", **own_parts("ftsne", divergence="kl", variational=False, background=BACKGROUND),
            connection="normalized", name="ftsne",
            reference="Im, Verma & Branson, Stochastic neighbor embedding under f-divergences, arXiv:1811.01247",
            summary="t-SNE by f-divergences: reverse-kl, js draw manifolds, kl clusters, chi2, hellinger hierarchies",
        ),
    )
}

# The default: the global shape, then the heavy-tailed family with its tail growing from the Gaussian's to the
# Cauchy kernel's.  Light tails draw meshes and maps, heavy tails clusters: each drawing is judged and the best is kept.
AUTO = Method(
    "cauchy", "i-divergence", "optimal", "auto", emphasis="auto", name="auto",
    stages=(
        EVEN_SHAPE,
        *growing_tail(heavy_tailed(1.0), tried=True),
        Descend("descend", 50, large=(40, 1.0), candidate=True),
    ),
    reference=f"this package; ws-SNE: {YANG_2014}; heavy tails: {YANG_2009}",
    summary="the default: global shape, ws-SNE with a growing tail, and the best of several drawings is kept",
)
