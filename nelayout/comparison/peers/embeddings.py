"""openTSNE, umap-learn and s_gd2 as peers: of a graph, whose weights they take for their similarities, and of vectors.

Each draws a graph as its documentation does a precomputed one, and vectors with nothing set but the seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csr_array, csr_matrix, triu

from nelayout.comparison.peers.peer import Draw, Peer

__all__ = ["graph_embeddings", "vector_embeddings"]

# s_gd2 compares all pairs up to this many nodes, and beyond each node with this many pivots: all pairs would take
# minutes and gigabytes.
ALL_PAIRS, PIVOTS = 5_000, 200
# Below this openTSNE's own TSNE sums over a tree, from there on over a grid.
FEW = 10_000


def graph_embeddings() -> dict[str, Peer]:
    """Name -> peer that draws a graph."""
    peers = [
        Peer("opentsne", _opentsne, package="openTSNE", install="openTSNE", weighted=True),
        Peer("umap", _umap, package="umap", install="umap-learn", weighted=True),
        Peer("s_gd2", _s_gd2, package="s_gd2", install="s_gd2"),
    ]
    return {peer.name: peer for peer in peers}


def vector_embeddings() -> dict[str, Peer]:
    """Name -> peer that draws vectors."""
    peers = [
        Peer("opentsne", _opentsne_vectors, package="openTSNE", install="openTSNE"),
        Peer("umap", _umap_vectors, package="umap", install="umap-learn"),
    ]
    return {peer.name: peer for peer in peers}


def _opentsne(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    """t-SNE of the graph's own P = A / sum A, from a random start, with openTSNE's usual two phases."""
    from openTSNE import (  # pyright: ignore[reportMissingImports]  a peer, not a dependency
        TSNEEmbedding,
        initialization,
    )
    from openTSNE.affinity import (  # pyright: ignore[reportMissingImports]  a peer, not a dependency
        PrecomputedAffinities,
    )

    P = csr_matrix(adjacency / adjacency.sum())
    gradient = "bh" if adjacency.shape[0] < FEW else "fft"

    def draw() -> np.ndarray:
        start = initialization.random(adjacency.shape[0], n_components=2, random_state=seed)
        embedding = TSNEEmbedding(
            start,
            PrecomputedAffinities(P, normalize=False),
            negative_gradient_method=gradient,
            n_jobs=threads or 1,
            random_state=seed,
        )
        embedding = embedding.optimize(n_iter=250, exaggeration=12, momentum=0.5)
        return np.asarray(embedding.optimize(n_iter=500, momentum=0.8), np.float64)

    return draw


def _umap(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    """UMAP's layout step on the graph as its fuzzy simplicial set, from a spectral start."""
    from umap.umap_ import (  # pyright: ignore[reportMissingImports]  a peer, not a dependency
        find_ab_params,
        simplicial_set_embedding,
    )

    a, b = find_ab_params(1.0, 0.1)  # umap-learn's own defaults of spread and min_dist
    own = {"initial_alpha": 1.0, "a": a, "b": b, "gamma": 1.0, "negative_sample_rate": 5, "n_epochs": None}
    without = {"densmap": False, "densmap_kwds": {}, "output_dens": False, "metric": "euclidean", "metric_kwds": {}}
    # A fuzzy set's memberships are at most 1.
    members = coo_matrix(adjacency / adjacency.max())

    def draw() -> np.ndarray:
        found = simplicial_set_embedding(
            np.zeros((adjacency.shape[0], 1), np.float32),
            members,
            n_components=2,
            init="spectral",
            random_state=np.random.RandomState(seed),
            **own,
            **without,
        )
        return np.asarray(found[0], np.float64)

    return draw


def _s_gd2(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    """Stress by stochastic gradient descent (Zheng, Pawar, Goodman 2019)."""
    import s_gd2  # pyright: ignore[reportMissingImports]  a peer, not a dependency

    upper: Any = triu(adjacency, 1).tocoo()
    i, j = upper.row.astype(np.int32), upper.col.astype(np.int32)
    if adjacency.shape[0] <= ALL_PAIRS:
        return lambda: s_gd2.layout(i, j, random_seed=seed)
    return lambda: s_gd2.layout_sparse(i, j, PIVOTS, random_seed=seed)


def _opentsne_vectors(X: np.ndarray, seed: int, threads: int | None) -> Draw:
    from openTSNE import TSNE  # pyright: ignore[reportMissingImports]  a peer, not a dependency

    return lambda: np.asarray(TSNE(n_jobs=threads or 1, random_state=seed).fit(X), np.float64)


def _umap_vectors(X: np.ndarray, seed: int, threads: int | None) -> Draw:
    from umap import UMAP  # pyright: ignore[reportMissingImports]  a peer, not a dependency

    return lambda: np.asarray(UMAP(random_state=seed, n_jobs=1).fit_transform(X), np.float64)
