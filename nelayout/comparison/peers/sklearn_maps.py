"""Maps of scikit-learn as peers of embeddings of vectors: "sklearn:pca", "sklearn:tsne" and others."""

from __future__ import annotations

import importlib
from functools import partial

import numpy as np

from nelayout.comparison.peers.peer import Draw, Peer

__all__ = ["sklearn_maps"]

# Name -> module and class, and whether it draws random numbers.
MAPS = {
    "pca": ("decomposition", "PCA", False),
    "tsne": ("manifold", "TSNE", True),
    "isomap": ("manifold", "Isomap", False),
    "spectral": ("manifold", "SpectralEmbedding", True),
    "lle": ("manifold", "LocallyLinearEmbedding", True),
}


def sklearn_maps() -> dict[str, Peer]:
    """Name -> peer."""
    return {
        f"sklearn:{name}": Peer(
            f"sklearn:{name}", partial(_prepare, name), package="sklearn", install="scikit-learn", seeded=seeded
        )
        for name, (_, _, seeded) in MAPS.items()
    }


def _prepare(name: str, X: np.ndarray, seed: int, threads: int | None) -> Draw:
    module, kind, seeded = MAPS[name]
    made = getattr(importlib.import_module(f"sklearn.{module}"), kind)
    given = {"random_state": seed} if seeded else {}
    return lambda: np.asarray(made(n_components=2, **given).fit_transform(X), np.float64)
