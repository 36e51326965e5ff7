"""Curves of neighborhood agreement over all sizes of neighborhoods: Q_NX, B_NX and R_NX."""

from __future__ import annotations

from typing import Any

from nelayout.comparison.measuring import integer_seed, path_lengths, sample_size
from nelayout.comparison.measuring_vectors import placed_rows
from nelayout.graphs import every_position, guard, read
from nelayout.quality.coranking import RankCurves, curves
from nelayout.quality.input_distances import Hops
from nelayout.quality.sweep import Sweep

__all__ = ["RankCurves", "rank_curves", "rank_curves_vectors"]


def rank_curves(
    G: Any,
    pos: Any,
    *,
    weight: str | None = "weight",
    lengths: str | None = None,
    sample: str | int | None = "auto",
    seed: Any = 0,
) -> RankCurves:
    """Q_NX, B_NX and R_NX of a drawing of a graph, for neighborhoods of all sizes K.

    Ranks are those of distances in the graph, whose many ties count as their mean over all orders; `r_nx` is 1 for the
    best drawing that they allow and 0 for one at random (without ties this is the curve of Lee et al. 2013).

    Parameters
    ----------
    G, pos, weight, lengths, sample, seed : as in `nelayout.measure`.

    Returns
    -------
    RankCurves
        arrays ``k``, ``q_nx``, ``b_nx``, ``r_nx``, ``attainable``, ``farthest``, and whether all nodes entered

    Raises
    ------
    InputError
        for what `nelayout.measure` refuses.

    Examples
    --------
    >>> import networkx as nx
    >>> from nelayout import rank_curves
    >>> G = nx.path_graph(5)
    >>> found = rank_curves(G, {v: (float(v), 0.0) for v in G})
    >>> found.k.tolist(), found.r_nx.round(2).tolist()
    ([1, 2, 3, 4], [1.0, 1.0, 1.0, nan])
    """
    network = read(G, weight=weight)
    with guard(G):
        Y = every_position(network, pos)
        distances = path_lengths(G, network, lengths) or Hops(network.adjacency)
        return curves(Sweep(distances, Y, sample_size(sample), integer_seed(seed)))


def rank_curves_vectors(
    X: Any,
    Y: Any,
    *,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    sample: str | int | None = "auto",
    seed: Any = 0,
) -> RankCurves:
    """Q_NX, B_NX and R_NX of an embedding of vectors, for neighborhoods of all sizes K (Lee et al. 2013, (41) to (44)).

    Parameters
    ----------
    X, Y, metric, metric_params, sample, seed : as in `nelayout.measure_vectors`.

    Returns
    -------
    RankCurves
        as of `nelayout.rank_curves`

    Raises
    ------
    InputError
        for what `nelayout.measure_vectors` refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from nelayout import rank_curves_vectors
    >>> X = np.array([[0.0, 0], [1, 0], [3, 0], [7, 9]])
    >>> rank_curves_vectors(X, X[:, :1]).q_nx.tolist()
    [1.0, 1.0, 1.0]
    """
    distances, _, places = placed_rows(X, Y, metric, metric_params)
    return curves(Sweep(distances, places, sample_size(sample), integer_seed(seed)))
