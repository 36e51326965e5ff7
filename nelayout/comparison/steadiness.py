"""Stability of a layout: several drawings of one graph against each other, in two figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nelayout.comparison.measuring import Measured, integer_seed, sample_size
from nelayout.errors import InputError, InputTypeError
from nelayout.graphs import every_position, points
from nelayout.quality.samples import Sampled
from nelayout.quality.steadiness import neighbors_kept, procrustes_apart

__all__ = ["stability"]


def stability(drawings: Iterable[Any], *, sample: str | int | None = "auto", seed: Any = 0) -> dict[str, Measured]:
    """Measure how alike several drawings of one graph are, such as those of one method from several seeds.

    Parameters
    ----------
    drawings : at least two drawings of the same nodes: dicts keyed by node, or arrays, layouts or solutions in one
        node order; all in the same number of dimensions.
    sample, seed : as in `nelayout.measure`; above 20,000 nodes the neighbors of 5,000 are compared.

    Returns
    -------
    dict of `Measured`
        "procrustes": mean over pairs of drawings of the Procrustes statistic, the share of squared size that is left
        when one is moved, turned, mirrored and resized onto the other (0: the same drawing; score 1 - value).
        "neighbors": mean over pairs, and over nodes, of the Jaccard index of a node's 10 nearest in both (1: the same).
        The drawings count as a sample: errors are standard errors over drawings (jackknife), infinite for two.

    Raises
    ------
    InputError
        for fewer than two drawings, another set of nodes or number of dimensions than in the first (named), and for a
        node without a place.

    Examples
    --------
    >>> import networkx as nx
    >>> import nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> found = nl.stability([nl.ws_sne_layout(G, seed=seed) for seed in range(4)])
    >>> found["procrustes"].value < 0.2, found["neighbors"].value > 0.6
    (True, True)
    """
    if isinstance(drawings, Mapping) or not isinstance(drawings, Iterable):
        kind = type(drawings).__name__
        raise InputTypeError(f"stability compares several drawings, given one {kind}; give a list of at least two")
    given = list(drawings)
    if len(given) < 2:
        raise InputError(f"stability compares at least two drawings, given {len(given)}; draw with several seeds")
    network = points(given[0])
    placed = []
    for number, pos in enumerate(given):
        other = points(pos)
        if number and set(other.labels) != set(network.labels):
            odd = sorted(map(repr, set(other.labels) ^ set(network.labels)))
            raise InputError(
                f"drawing {number} places other nodes than drawing 0: {odd[0]} is in one of them alone "
                f"({len(odd)} in all); give drawings of the same graph"
            )
        placed.append(every_position(network, pos, f"drawing {number}"))
        if placed[-1].shape != placed[0].shape:
            raise InputError(
                f"drawing {number} has {placed[-1].shape[1]} dimensions and drawing 0 has {placed[0].shape[1]}; "
                "give all in the same number"
            )
    apart = procrustes_apart(placed)
    kept = neighbors_kept(placed, sample_size(sample), integer_seed(seed))
    return {"procrustes": _measured(apart, 1 - apart.value), "neighbors": _measured(kept, kept.value)}


def _measured(found: Sampled, score: float) -> Measured:
    return Measured(found.value, float(np.clip(score, 0.0, 1.0)), found.error, found.exact)
