"""The graphs that are drawn: largest component, binary adjacency, with classes and a map where they are
known.

They are read from the folder that $NELAYOUT_DATA names, else from ../shared/data beside the project.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

NEIGHBORS = 10
WITHOUT_MAP = {"3elt"}
"""A mesh around an airfoil: its coordinates are stretched so that they say nothing about a drawing."""
HUNDRED_THOUSANDTHS = {"luxembourg"}
"""DIMACS10 stores these coordinates in units of 1e-5 degrees, and a degree too far north. What peers.json says of
their agreement with this map is about the map as it is stored, which is too wide."""


@dataclass(frozen=True)
class Problem:
    """A graph to draw. labels: (n,) integers, -1 unknown, or None. coords: (n, 2), NaN unknown, or None."""

    name: str
    adjacency: csr_array
    labels: np.ndarray | None = None
    coords: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.adjacency.indptr) - 1

    @property
    def m(self) -> int:
        """Number of edges."""
        return self.adjacency.nnz // 2

    def save(self, path: Path) -> None:
        """The adjacency alone: all that a contender may see."""
        np.savez(path, indptr=self.adjacency.indptr, indices=self.adjacency.indices)


def data_folder() -> Path:
    """The folder with graphs/, vectors/ and peers.json. Raises `SystemExit` where there is none."""
    folder = Path(os.environ.get("NELAYOUT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not (folder / "graphs").is_dir():
        raise SystemExit(f"no data at {folder}: let NELAYOUT_DATA name the folder that holds graphs/ and vectors/")
    return folder


def names() -> list[str]:
    """Graphs that are there, and vectors as NAME_knn10."""
    folder = data_folder()
    vectors = [f"{path.stem}_knn{NEIGHBORS}" for path in sorted((folder / "vectors").glob("*.npz"))]
    return [path.stem for path in sorted((folder / "graphs").glob("*.npz"))] + vectors


def load(name: str) -> Problem:
    """The largest component of a graph, or of the 10-nearest-neighbor graph (union) of vectors."""
    folder = data_folder()
    if name.endswith(f"_knn{NEIGHBORS}"):
        stored = np.load(folder / "vectors" / f"{name.removesuffix(f'_knn{NEIGHBORS}')}.npz")
        adjacency, labels, coords = neighbor_graph(stored["X"].astype(np.float32)), stored["y"], None
        if labels.ndim > 1:
            labels = None
    else:
        if name not in names():
            raise SystemExit(f"no graph {name!r} in {folder}; there are: {', '.join(names())}")
        stored = np.load(folder / "graphs" / f"{name}.npz")
        rows, cols = stored["rows"].astype(np.int32), stored["cols"].astype(np.int32)
        adjacency = symmetric(int(stored["n"]), rows, cols)
        labels = stored.get("labels")
        coords = stored.get("coords") if name not in WITHOUT_MAP else None
        if name in HUNDRED_THOUSANDTHS and coords is not None:
            coords = coords / 1e5 - [0.0, 1.0]
    keep = largest_component(adjacency)
    adjacency = adjacency[keep][:, keep].tocsr()
    adjacency.sort_indices()
    return Problem(
        name,
        adjacency,
        None if labels is None else labels[keep],
        None if coords is None else plane(coords[keep]),
    )


def symmetric(n: int, rows: np.ndarray, cols: np.ndarray) -> csr_array:
    """Binary adjacency of undirected edges."""
    A = csr_array((np.ones(2 * len(rows)), (np.r_[rows, cols], np.r_[cols, rows])), shape=(n, n))
    A.data[:] = 1
    A.sort_indices()
    return A


def neighbor_graph(X: np.ndarray) -> csr_array:
    """Exact k nearest neighbors of each row, joined where either is the other's."""
    from sklearn.neighbors import NearestNeighbors

    found = NearestNeighbors(n_neighbors=NEIGHBORS).fit(X).kneighbors(return_distance=False)
    return symmetric(len(X), np.repeat(np.arange(len(X)), NEIGHBORS), found.ravel())


def largest_component(adjacency: csr_array) -> np.ndarray:
    """Indices of its nodes, sorted."""
    _, component = connected_components(adjacency, directed=False)
    return np.flatnonzero(component == np.bincount(component).argmax())


def plane(coords: np.ndarray) -> np.ndarray:
    """Longitudes and latitudes to x = lon cos(median lat), y = lat; other coordinates as they are."""
    coords = coords.astype(np.float64)
    if np.nanmax(np.abs(coords[:, 0])) <= 180 and np.nanmax(np.abs(coords[:, 1])) <= 90:
        coords = coords * [np.cos(np.radians(np.nanmedian(coords[:, 1]))), 1.0]
    return coords
