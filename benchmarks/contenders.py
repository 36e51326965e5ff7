"""Who draws: nelayout's methods and the peers that are installed, each on the same binary adjacency.

`prepare(adjacency, seed, threads)` returns a function that draws; only that function is timed, so that
building another library's graph object is not held against it. sfdp is a program: writing its input and
reading its answer is part of it. Every peer runs with its own defaults.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu

Draw = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Contender:
    """A name, how it starts, the package or program that it needs, up to how many nodes it is sensible."""

    name: str
    prepare: Callable[[csr_array, int, int], Draw]
    package: str | None = None
    program: str | None = None
    largest: float = float("inf")

    @property
    def available(self) -> bool:
        """Whether what it needs is installed."""
        package = self.package is None or importlib.util.find_spec(self.package) is not None
        return package and (self.program is None or shutil.which(self.program) is not None)


def nelayout(method: str) -> Contender:
    """One of our own methods."""

    def prepare(adjacency: csr_array, seed: int, threads: int) -> Draw:
        import nelayout as nl

        return lambda: nl.layout(adjacency, method=method, seed=seed, n_jobs=threads)

    return Contender(f"nelayout {method}", prepare, package="nelayout")


def _sfdp(adjacency: csr_array, seed: int, threads: int) -> Draw:
    def draw() -> np.ndarray:
        i, j = edges(adjacency)
        n = len(adjacency.indptr) - 1
        lines = [
            f"graph{{start={seed};",
            *map(str, range(n)),
            *(f"{a}--{b}" for a, b in zip(i, j, strict=True)),
            "}",
        ]
        done = subprocess.run(["sfdp", "-Tplain"], input="\n".join(lines), capture_output=True, text=True, check=True)
        Y = np.empty((n, 2))
        for line in done.stdout.splitlines():
            if line.startswith("node "):
                _, node, x, y, *_ = line.split(maxsplit=4)
                Y[int(node)] = float(x), float(y)
        return Y

    return draw


def _igraph(layout: str) -> Callable[[csr_array, int, int], Draw]:
    def prepare(adjacency: csr_array, seed: int, threads: int) -> Draw:
        import random

        import igraph

        graph = igraph.Graph(len(adjacency.indptr) - 1, np.column_stack(edges(adjacency)).tolist())

        def draw() -> np.ndarray:
            random.seed(seed)
            return np.array(graph.layout(layout).coords)

        return draw

    return prepare


def _networkx_spring(adjacency: csr_array, seed: int, threads: int) -> Draw:
    import networkx as nx

    graph = nx.from_scipy_sparse_array(adjacency)
    return lambda: np.array(list(nx.spring_layout(graph, seed=seed).values()))


def _opentsne(adjacency: csr_array, seed: int, threads: int) -> Draw:
    """t-SNE of the graph's own P = A / sum A, from a random start, with openTSNE's usual two phases."""
    from openTSNE import TSNEEmbedding, initialization
    from openTSNE.affinity import PrecomputedAffinities
    from scipy.sparse import csr_matrix

    n = len(adjacency.indptr) - 1

    P = csr_matrix(adjacency / adjacency.sum())

    def draw() -> np.ndarray:
        start = initialization.random(n, n_components=2, random_state=seed)
        embedding = TSNEEmbedding(
            start,
            PrecomputedAffinities(P, normalize=False),
            negative_gradient_method="fft",
            n_jobs=threads,
            random_state=seed,
        )
        embedding = embedding.optimize(n_iter=250, exaggeration=12, momentum=0.5)
        return np.asarray(embedding.optimize(n_iter=500, momentum=0.8))

    return draw


def _umap(adjacency: csr_array, seed: int, threads: int) -> Draw:
    """UMAP's layout step on the graph as its fuzzy simplicial set, spectral start."""
    from scipy.sparse import coo_matrix
    from umap.umap_ import (  # pyright: ignore[reportMissingImports]  a peer, not a dependency
        find_ab_params,
        simplicial_set_embedding,
    )

    a, b = find_ab_params(1.0, 0.1)
    n = len(adjacency.indptr) - 1

    def draw() -> np.ndarray:
        found = simplicial_set_embedding(
            np.zeros((n, 1), np.float32),
            coo_matrix(adjacency),
            n_components=2,
            initial_alpha=1.0,
            a=a,
            b=b,
            gamma=1.0,
            negative_sample_rate=5,
            n_epochs=None,
            init="spectral",
            random_state=np.random.RandomState(seed),
            metric="euclidean",
            metric_kwds={},
            densmap=False,
            densmap_kwds={},
            output_dens=False,
        )
        return np.asarray(found[0])

    return draw


def _s_gd2(adjacency: csr_array, seed: int, threads: int) -> Draw:
    """Stress by stochastic gradient descent: all pairs up to 5,000 nodes, 200 pivots beyond."""
    import s_gd2  # pyright: ignore[reportMissingImports]  a peer, not a dependency

    i, j = (x.astype(np.int32) for x in edges(adjacency))
    if len(adjacency.indptr) <= 5_000:
        return lambda: s_gd2.layout(i, j, random_seed=seed)
    return lambda: s_gd2.layout_sparse(i, j, 200, random_seed=seed)


def edges(adjacency: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Each edge once."""
    upper: Any = triu(adjacency, 1).tocoo()
    return upper.row, upper.col


PEERS = {
    peer.name: peer
    for peer in (
        Contender("sfdp", _sfdp, program="sfdp"),
        Contender("igraph DrL", _igraph("drl"), package="igraph"),
        Contender("igraph FR", _igraph("fr"), package="igraph", largest=20_000),
        Contender("openTSNE", _opentsne, package="openTSNE"),
        Contender("umap", _umap, package="umap"),
        Contender("s_gd2", _s_gd2, package="s_gd2"),
        Contender("networkx spring", _networkx_spring, package="networkx", largest=10_000),
    )
}


def contender(name: str) -> Contender:
    """A peer by its name, or one of our methods. Raises `SystemExit` for a peer that is not installed."""
    if name in PEERS:
        return PEERS[name]
    return nelayout(name.removeprefix("nelayout "))
