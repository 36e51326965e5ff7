"""Embed vectors as points: any method draws the graph of nearest neighbors.

Six points form two groups. A neighbor embedding brings neighbors together; the space between the groups has no
meaning::

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    >>> Y = embed(X, n_neighbors=2, random_state=0)
    >>> bool(np.ptp(Y[:3], axis=0).max() < np.abs(Y[:3].mean(axis=0) - Y[3:].mean(axis=0)).max())
    True
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.catalogue.keywords import takes_keywords_of
from nelayout.errors import warn
from nelayout.record.solution import Solution
from nelayout.vectors.fitting import fit_vectors

__all__ = ["embed", "solve_vectors"]


@takes_keywords_of(fit_vectors)
def solve_vectors(*vectors: Any, **keywords: Any) -> Solution:
    """Embed vectors and return all results: value, trace, scale factor and notes.

    Returns
    -------
    Solution
        as of `nelayout.solve`; ``positions`` are the result of `embed`

    Examples
    --------
    >>> import nelayout as nl
    >>> solution = nl.solve_vectors([[0.0], [1.0], [10.0], [11.0]], n_neighbors=1, random_state=0)
    >>> solution.notes
    ('the graph of the 1 nearest neighbors has 2 components; 1 shortest edge between them was added',)
    """
    _warn_of_edges(vectors[0] if vectors else keywords.get("X"))
    return fit_vectors(*vectors, **keywords).solution


def _warn_of_edges(X: Any) -> None:
    """Warn if rows are pairs of whole numbers, usually the edges of a graph."""
    if getattr(getattr(X, "dtype", None), "kind", "") in ("i", "u") and np.ndim(X) == 2 and np.shape(X)[1] == 2:
        warn(
            "X has two columns of whole numbers, like a list of edges; embed draws each row as a point. For the "
            "graph of them take nelayout.layout(networkx.Graph(X.tolist())); floats are taken without this warning"
        )


@takes_keywords_of(solve_vectors)
def embed(*vectors: Any, **keywords: Any) -> np.ndarray:
    """Embed vectors as points in the plane, so that similar rows are close to each other.

    ``method`` draws the graph of each row's nearest rows. The weights of its edges are the joint similarities of
    `entropic_affinity`. The default ``perplexity`` is smaller for more rows. If only ``n_neighbors`` is given, all
    weights are 1 (the union of both directions, see `knn_graph`). Most methods have no minimum on a graph with several
    components. So `embed` adds the shortest edges between components, with weight 1 in the binary graph, else 1 / (2 n
    perplexity).

    Returns
    -------
    (n, n_components) float64 array
        in the method's own units

    Raises
    ------
    ValueError
        for what `knn_graph` and `entropic_affinity` refuse, unknown names, an ``init`` with another shape, annealing
        without a perplexity

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> nl.embed(X, random_state=0).shape
    (60, 2)
    >>> nl.embed(X, method="hssne", tail=3.0, random_state=0).shape
    (60, 2)
    >>> nl.embed(X, method="tsne", perplexity=8, random_state=0).shape
    (60, 2)
    """
    return solve_vectors(*vectors, **keywords).positions
