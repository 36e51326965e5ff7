"""Layouts of other packages by name: "nx:spring", "igraph:drl", "graphviz:sfdp"."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csr_array, csr_matrix, triu

__all__ = ["IGRAPH", "Draw", "Peer", "Prepare", "graph_peer", "graph_peers", "spelled", "vector_peers"]

# A function that draws once: (n, 2) positions in node order.
Draw = Callable[[], np.ndarray]
# (adjacency or vectors, seed, threads or None for the peer's default) -> `Draw`. It imports the package and makes its
# graph, so that only the drawing is timed.
Prepare = Callable[[Any, int, int | None], Draw]

# Spellings of the part before the colon, and of whole names.
PREFIXES = {"networkx": "nx", "ig": "igraph", "gv": "graphviz", "scikit-learn": "sklearn"}
SPELLINGS = {"sfdp": "graphviz:sfdp", "umap-learn": "umap", "s-gd2": "s_gd2"}
# Layouts that take weights as similarities. Other layouts take weights as lengths or not at all, and get no weights.
NX_WEIGHTED = {"spring", "fruchterman_reingold", "spectral", "forceatlas2"}
IGRAPH_WEIGHTED = {"drl", "fr", "fruchterman_reingold"}
# Layouts of igraph -> True if they depend on the seed.
IGRAPH = {
    "auto": True, "circle": False, "davidson_harel": True, "drl": True, "fruchterman_reingold": True, "graphopt": True,
    "grid": False, "kamada_kawai": False, "lgl": True, "mds": False, "random": True, "reingold_tilford": False,
    "reingold_tilford_circular": False, "star": False, "sugiyama": False, "umap": True,
}  # fmt: skip
# igraph's short names -> names of methods.
IGRAPH_SHORT = {
    "dh": "davidson_harel", "fr": "fruchterman_reingold", "kk": "kamada_kawai", "rt": "reingold_tilford",
    "rt_circular": "reingold_tilford_circular", "tree": "reingold_tilford", "circular": "circle",
}  # fmt: skip
# Programs of Graphviz -> True if they start from random positions.
GRAPHVIZ = {"sfdp": True, "fdp": True, "neato": True, "dot": False, "circo": False, "twopi": False}
SKLEARN, PLANE = ("sklearn", "scikit-learn"), {"n_components": 2}
# Embeddings of vectors: package, name of its installation, module, class, keywords, and True if it is random.
MAPS: dict[str, tuple[str, str, str, str, dict[str, Any], bool]] = {
    "umap": ("umap", "umap-learn", "umap", "UMAP", {"n_jobs": 1}, True),
    "sklearn:pca": (*SKLEARN, "sklearn.decomposition", "PCA", PLANE, False),
    "sklearn:tsne": (*SKLEARN, "sklearn.manifold", "TSNE", PLANE, True),
    "sklearn:isomap": (*SKLEARN, "sklearn.manifold", "Isomap", PLANE, False),
    "sklearn:spectral": (*SKLEARN, "sklearn.manifold", "SpectralEmbedding", PLANE, True),
    "sklearn:lle": (*SKLEARN, "sklearn.manifold", "LocallyLinearEmbedding", PLANE, True),
}
# Largest number of nodes for all pairs in s_gd2, and number of pivots above it.
S_GD2_PAIRS, S_GD2_PIVOTS = 5_000, 200
# Smallest number of nodes for openTSNE's grid; smaller graphs use its tree, as in openTSNE's own TSNE.
OPENTSNE_GRID = 10_000


@dataclass(frozen=True, slots=True)
class Peer:
    """One layout of another package, with its own defaults.

    package   the package to import, None for none
    install   the name by which the package is installed
    program   the program to run, None for none
    seeded    whether another seed may give another drawing
    weighted  whether it takes weights as similarities; others get no weights
    """

    name: str
    prepare: Prepare
    package: str | None = None
    install: str = ""
    program: str | None = None
    seeded: bool = True
    weighted: bool = False

    @property
    def missing(self) -> str | None:
        """Sentence with what is not installed and how to install it; None if nothing is missing."""
        if self.package is not None and importlib.util.find_spec(self.package) is None:
            return f"{self.package} is not installed (pip install {self.install or self.package})"
        if self.program is not None and shutil.which(self.program) is None:
            return f"there is no program {self.program} ({self.install})"
        return None


@cache
def graph_peers() -> dict[str, Peer]:
    """Return the peers that draw graphs, by name, whether installed or not."""
    import networkx as nx

    found = []
    for function in sorted(name for name in dir(nx) if name.endswith("_layout")):
        parameters = list(inspect.signature(getattr(nx, function)).parameters.values())
        needed = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        layout, keywords = function.removesuffix("_layout"), {p.name for p in parameters}
        if needed == ["G"] and layout != "multipartite":  # multipartite_layout reads a node attribute
            draw, weighted = partial(_networkx, layout, keywords), layout in NX_WEIGHTED
            found.append(Peer(f"nx:{layout}", draw, "networkx", seeded="seed" in keywords, weighted=weighted))
    for name, layout in ({name: name for name in IGRAPH} | IGRAPH_SHORT).items():
        weighted = name in IGRAPH_WEIGHTED
        draw = partial(_igraph, layout, weighted)
        found.append(Peer(f"igraph:{name}", draw, "igraph", seeded=IGRAPH[layout], weighted=weighted))
    install = "it comes with Graphviz, such as apt install graphviz"
    for name, seeded in GRAPHVIZ.items():
        draw = partial(_graphviz, name)
        found.append(Peer(f"graphviz:{name}", draw, program=name, install=install, seeded=seeded))
    found.append(Peer("opentsne", _opentsne, "openTSNE", weighted=True))
    found.append(Peer("umap", _umap, "umap", "umap-learn", weighted=True))
    found.append(Peer("s_gd2", _s_gd2, "s_gd2"))
    return {peer.name: peer for peer in found}


@cache
def vector_peers() -> dict[str, Peer]:
    """Return the peers that draw vectors, by name, whether installed or not."""
    found = {"opentsne": Peer("opentsne", _opentsne_vectors, "openTSNE")}
    for name, (package, install, *how, seeded) in MAPS.items():
        found[name] = Peer(name, partial(_map, *how, seeded), package, install, seeded=seeded)
    return found


def graph_peer(name: str) -> Peer | None:
    """Return the peer of this name in any spelling ("networkx:kamada-kawai"); None if unknown."""
    return graph_peers().get(spelled(name))


def spelled(name: str) -> str:
    """Return the name in the spelling of the tables."""
    prefix, colon, layout = name.strip().lower().partition(":")
    if not colon:
        return SPELLINGS.get(prefix, prefix)
    layout = layout.replace("-", "_").removesuffix("_layout")
    return f"{PREFIXES.get(prefix, prefix)}:{layout.removeprefix('layout_')}"


def _upper(adjacency: csr_array) -> Any:
    return triu(adjacency, 1).tocoo()


def _networkx(layout: str, keywords: set[str], adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    import networkx as nx

    graph = nx.from_scipy_sparse_array(adjacency)
    given: dict[str, Any] = {"seed": seed} if "seed" in keywords else {}
    if "weight" in keywords:
        given["weight"] = "weight" if layout in NX_WEIGHTED else None
    function = getattr(nx, f"{layout}_layout")

    def draw() -> np.ndarray:
        pos = function(graph, **given)
        return np.array([pos[node] for node in graph], np.float64).reshape(-1, 2)

    return draw


def _igraph(layout: str, weighted: bool, adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    import random

    import igraph

    upper = _upper(adjacency)
    graph = igraph.Graph(adjacency.shape[0], np.column_stack([upper.row, upper.col]).tolist())
    given = {"weights": upper.data.tolist()} if weighted and np.any(upper.data != 1) else {}
    function = getattr(graph, f"layout_{layout}")

    def draw() -> np.ndarray:
        before = random.getstate()  # the source of igraph's random numbers
        random.seed(seed)
        try:
            return np.array(function(**given).coords, np.float64).reshape(-1, 2)
        finally:
            random.setstate(before)

    return draw


def _graphviz(program: str, adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    upper, n = _upper(adjacency), adjacency.shape[0]
    start = f"start={seed + 1};" if GRAPHVIZ[program] else ""  # Graphviz treats seed 0 as 1
    edges = (f"{i}--{j}" for i, j in zip(upper.row.tolist(), upper.col.tolist(), strict=True))
    text = "\n".join([f"graph{{{start}", *map(str, range(n)), *edges, "}"])

    def draw() -> np.ndarray:
        done = subprocess.run(  # noqa: S603  the program comes from the table above, and the text has only numbers
            [program, "-Tplain"], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
        Y = np.full((n, 2), np.nan)
        for line in done.stdout.splitlines():
            if line.startswith("node "):
                _, node, x, y, *_ = line.split(maxsplit=4)
                Y[int(node)] = float(x), float(y)
        return Y

    return draw


def _opentsne(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    """Return t-SNE of P = A / sum A from a random start, in openTSNE's two usual phases."""
    tsne, affinity = map(importlib.import_module, ("openTSNE", "openTSNE.affinity"))
    P = csr_matrix(adjacency / adjacency.sum())
    gradient = "bh" if adjacency.shape[0] < OPENTSNE_GRID else "fft"

    def draw() -> np.ndarray:
        start = tsne.initialization.random(adjacency.shape[0], n_components=2, random_state=seed)
        given = {"negative_gradient_method": gradient, "n_jobs": threads or 1, "random_state": seed}
        embedding = tsne.TSNEEmbedding(start, affinity.PrecomputedAffinities(P, normalize=False), **given)
        embedding = embedding.optimize(n_iter=250, exaggeration=12, momentum=0.5)
        return np.asarray(embedding.optimize(n_iter=500, momentum=0.8), np.float64)

    return draw


def _umap(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    """Return UMAP's layout of the graph as its fuzzy simplicial set, from a spectral start."""
    umap = importlib.import_module("umap.umap_")
    a, b = umap.find_ab_params(1.0, 0.1)  # umap-learn's own defaults of spread and min_dist
    given = {
        "n_components": 2, "initial_alpha": 1.0, "a": a, "b": b, "gamma": 1.0, "negative_sample_rate": 5,
        "n_epochs": None, "init": "spectral", "densmap": False, "densmap_kwds": {}, "output_dens": False,
        "metric": "euclidean", "metric_kwds": {},
    }  # fmt: skip
    members = coo_matrix(adjacency / adjacency.max())  # memberships of a fuzzy set are at most 1

    def draw() -> np.ndarray:
        rows = np.zeros((adjacency.shape[0], 1), np.float32)
        found = umap.simplicial_set_embedding(rows, members, random_state=np.random.RandomState(seed), **given)
        return np.asarray(found[0], np.float64)

    return draw


def _s_gd2(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
    """Minimize stress by stochastic gradient descent (Zheng, Pawar, Goodman 2019)."""
    import s_gd2  # pyright: ignore[reportMissingImports]  a peer, not a dependency

    upper = _upper(adjacency)
    i, j = upper.row.astype(np.int32), upper.col.astype(np.int32)
    if adjacency.shape[0] <= S_GD2_PAIRS:
        return lambda: s_gd2.layout(i, j, random_seed=seed)
    return lambda: s_gd2.layout_sparse(i, j, S_GD2_PIVOTS, random_seed=seed)


def _opentsne_vectors(X: np.ndarray, seed: int, threads: int | None) -> Draw:
    from openTSNE import TSNE  # pyright: ignore[reportMissingImports]  a peer, not a dependency

    return lambda: np.asarray(TSNE(n_jobs=threads or 1, random_state=seed).fit(X), np.float64)


def _map(module: str, kind: str, given: dict, seeded: bool, X: np.ndarray, seed: int, threads: int | None) -> Draw:
    made = getattr(importlib.import_module(module), kind)
    seeds = {"random_state": seed} if seeded else {}
    return lambda: np.asarray(made(**given, **seeds).fit_transform(X), np.float64)
