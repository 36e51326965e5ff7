"""The defaults of ``nelayout.embed`` beside those of openTSNE, on vectors of few and of many rows.

    python -m benchmarks.vector_defaults [NAME ...]

prints, for each set, openTSNE's and ours: 10-nearest-neighbor class accuracy, trustworthiness (scikit-learn, 10
neighbors), Spearman's correlation of the distances of 100,000 pairs of rows, processor seconds; means over three seeds,
one thread each.  Sets of the folder ``../shared/data/vectors`` are left out, with a sentence, where it is absent;
large ones are sampled.  openTSNE is needed: ``pip install openTSNE``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn import datasets
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors

import nelayout as nl

VECTORS = Path(__file__).parents[1] / "../shared/data/vectors"
SEEDS, NEAREST, PAIRS = 3, 10, 100_000
Table = tuple[np.ndarray, np.ndarray | None]


def _standardized(table) -> Table:
    X = table.data
    return (X - X.mean(axis=0)) / X.std(axis=0), table.target


def _sample(X: np.ndarray, y: np.ndarray | None, size: int) -> Table:
    rows = np.sort(np.random.default_rng(0).choice(len(X), min(size, len(X)), replace=False))
    return X[rows], None if y is None else y[rows]


def _stored(name: str, size: int = 5000) -> Table:
    with np.load(VECTORS / f"{name}.npz") as file:
        y = file["y"]
        return _sample(file["X"].astype(float), y if y.ndim == 1 else None, size)


def _objects(size: int) -> Table:
    """``size`` pictures of each object."""
    X, y = _stored("coil20")
    assert y is not None
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.choice(np.flatnonzero(y == one), size, replace=False) for one in np.unique(y)])
    return X[rows], y[rows]


def _blobs() -> Table:
    rng, sizes = np.random.default_rng(0), (800, 400, 200, 100, 50)
    axis, parts = np.eye(10)[0], zip(sizes, (1.0, 0.5, 4.0, 1.0, 1.0), (0, 10, 30, 40, 90), strict=True)
    X = np.concatenate([width * rng.standard_normal((size, 10)) + place * axis for size, width, place in parts])
    return X, np.repeat(np.arange(5), sizes)


SETS: dict[str, Callable[[], Table]] = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: _standardized(datasets.load_wine()),
    "breast cancer": lambda: _standardized(datasets.load_breast_cancer()),
    "digits, 500": lambda: _sample(*datasets.load_digits(return_X_y=True), 500),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "roll": lambda: (datasets.make_swiss_roll(1500, random_state=0)[0], None),
    "blobs": _blobs,
    "coil20, 200": lambda: _objects(10),
    "coil20, 400": lambda: _objects(20),
    "coil20": lambda: _stored("coil20"),
    "mnist, 400": lambda: _stored("mnist", 400),
    "mnist, 1000": lambda: _stored("mnist", 1000),
    "mnist, 2000": lambda: _stored("mnist", 2000),
    "mnist, 5000": lambda: _stored("mnist"),
    "usps, 600": lambda: _stored("usps", 600),
    "usps, 5000": lambda: _stored("usps"),
    "newsgroups, 600": lambda: _stored("20news_w100", 600),
    "newsgroups, 5000": lambda: _stored("20news_w100"),
    "isomap faces": lambda: _stored("isomap_faces"),
    "pendigits, 5000": lambda: _stored("pendigits"),
    "shuttle, 5000": lambda: _stored("shuttle"),
}


def measured(X: np.ndarray, y: np.ndarray | None, Y: np.ndarray) -> tuple[float, float, float]:
    """Class accuracy (NaN without classes), trustworthiness, rank correlation of distances."""
    accuracy = np.nan
    if y is not None:
        classes, of = np.unique(y, return_inverse=True)
        near = of[NearestNeighbors(n_neighbors=NEAREST).fit(Y).kneighbors(return_distance=False)]
        votes = np.stack([(near == one).sum(axis=1) for one in range(len(classes))], axis=1)
        accuracy = float(np.mean(np.argmax(votes, axis=1) == of))
    i, j = np.random.default_rng(0).integers(len(X), size=(2, PAIRS))
    there = np.concatenate([np.linalg.norm(X[a] - X[b], axis=1) for a, b in _blocks(i, j)])
    order = float(spearmanr(there[i != j], np.linalg.norm(Y[i] - Y[j], axis=1)[i != j]).statistic)
    return accuracy, float(trustworthiness(X, Y, n_neighbors=NEAREST)), order


def _blocks(i: np.ndarray, j: np.ndarray):
    return zip(np.array_split(i, 50), np.array_split(j, 50), strict=True)


def compare(names: list[str]) -> None:
    """Print the table."""
    try:
        from openTSNE import TSNE
    except ImportError:
        print("openTSNE is not installed, and there is nothing to compare with: pip install openTSNE")
        return
    contenders = {
        "openTSNE": lambda X, seed: np.asarray(TSNE(neighbors="exact", random_state=seed, n_jobs=1).fit(X)),
        "nelayout": lambda X, seed: nl.embed(X, random_state=seed, n_jobs=1),
    }
    nl.embed(np.random.default_rng(0).standard_normal((3000, 5)), random_state=0, n_jobs=1)  # loads the loops
    print(f"{'':18}{'':10}accuracy  trust  order  seconds")
    for name in names:
        try:
            X, y = SETS[name]()
        except FileNotFoundError as missing:
            print(f"{name:18}left out: there is no {missing.filename}")
            continue
        for who, draw in contenders.items():
            rows = []
            for seed in range(SEEDS):
                began = time.process_time()
                Y = draw(X, seed)
                seconds = time.process_time() - began
                rows.append((*measured(X, y, Y), seconds))
            accuracy, trust, order, seconds = np.mean(rows, axis=0)
            print(f"{name:18}{who:10}{accuracy:8.4f} {trust:6.4f} {order:6.3f} {seconds:8.2f}", flush=True)


if __name__ == "__main__":
    compare(sys.argv[1:] or list(SETS))
