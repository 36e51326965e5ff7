"""The defaults of ``nelayout.embed`` beside those of openTSNE, on vectors of few and of many rows.

    python -m benchmarks.vector_defaults [--choices N] [NAME ...]

prints, for each set, openTSNE's and ours: 10-nearest-neighbor class accuracy, trustworthiness (scikit-learn, 10
neighbors), Spearman's correlation of the distances of 100,000 pairs of rows, processor seconds; means over three seeds,
one thread each.  With ``--choices``, of sets that are sampled or made, means over so many random choices of the rows
with one seed each, and below them the standard errors of the differences.  "roll, unrolled" is the roll, the distances
of which are those along the sheet.  Sets of the folder ``../shared/data/vectors`` are left out, with a sentence, where
it is absent; large ones are sampled.  openTSNE is needed: ``pip install openTSNE``.
"""

from __future__ import annotations

import argparse
import math
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


def _whole(table) -> Table:
    return table.data, table.target


def _standardized(table) -> Table:
    X = table.data
    return (X - X.mean(axis=0)) / X.std(axis=0), table.target


def _sample(X: np.ndarray, y: np.ndarray | None, size: int, choice: int) -> Table:
    rows = np.sort(np.random.default_rng(choice).choice(len(X), min(size, len(X)), replace=False))
    return X[rows], None if y is None else y[rows]


def _stored(name: str, size: int = 5000, choice: int = 0) -> Table:
    with np.load(VECTORS / f"{name}.npz") as file:
        y = file["y"]
        return _sample(file["X"].astype(float), y if y.ndim == 1 else None, size, choice)


def _objects(size: int, choice: int) -> Table:
    """``size`` pictures of each object."""
    X, y = _stored("coil20")
    assert y is not None
    rng = np.random.default_rng(choice)
    rows = np.concatenate([rng.choice(np.flatnonzero(y == one), size, replace=False) for one in np.unique(y)])
    return X[rows], y[rows]


def _blobs(choice: int) -> Table:
    rng, sizes = np.random.default_rng(choice), (800, 400, 200, 100, 50)
    axis, parts = np.eye(10)[0], zip(sizes, (1.0, 0.5, 4.0, 1.0, 1.0), (0, 10, 30, 40, 90), strict=True)
    X = np.concatenate([width * rng.standard_normal((size, 10)) + place * axis for size, width, place in parts])
    return X, np.repeat(np.arange(5), sizes)


def _unrolled(choice: int) -> np.ndarray:
    """Places of the roll's rows on its sheet: the length of the spiral r = angle up to them, and the height."""
    X, angle = datasets.make_swiss_roll(1500, random_state=choice)
    return np.column_stack([(angle * np.sqrt(1 + angle**2) + np.arcsinh(angle)) / 2, X[:, 1]])


def _roll(choice: int) -> Table:
    return datasets.make_swiss_roll(1500, random_state=choice)[0], None


WHOLE: dict[str, Callable[[], Table]] = {
    "iris": lambda: _whole(datasets.load_iris()),
    "wine": lambda: _standardized(datasets.load_wine()),
    "breast cancer": lambda: _standardized(datasets.load_breast_cancer()),
    "digits": lambda: _whole(datasets.load_digits()),
    "coil20": lambda: _stored("coil20"),
    "isomap faces": lambda: _stored("isomap_faces"),
}
# By the number of a random choice of rows.
CHOSEN: dict[str, Callable[[int], Table]] = {
    "digits, 500": lambda choice: _sample(*_whole(datasets.load_digits()), 500, choice),
    "roll": _roll,
    "roll, unrolled": _roll,
    "blobs": _blobs,
    "coil20, 200": lambda choice: _objects(10, choice),
    "coil20, 400": lambda choice: _objects(20, choice),
    "mnist, 400": lambda choice: _stored("mnist", 400, choice),
    "mnist, 1000": lambda choice: _stored("mnist", 1000, choice),
    "mnist, 2000": lambda choice: _stored("mnist", 2000, choice),
    "mnist, 5000": lambda choice: _stored("mnist", 5000, choice),
    "usps, 600": lambda choice: _stored("usps", 600, choice),
    "usps, 5000": lambda choice: _stored("usps", 5000, choice),
    "newsgroups, 600": lambda choice: _stored("20news_w100", 600, choice),
    "newsgroups, 5000": lambda choice: _stored("20news_w100", 5000, choice),
    "pendigits, 5000": lambda choice: _stored("pendigits", 5000, choice),
    "shuttle, 5000": lambda choice: _stored("shuttle", 5000, choice),
}


def measured(
    X: np.ndarray, y: np.ndarray | None, Y: np.ndarray, places: np.ndarray | None = None
) -> tuple[float, float, float]:
    """Class accuracy (NaN without classes), trustworthiness, rank correlation of distances (of ``places``, else X)."""
    accuracy = np.nan
    if y is not None:
        classes, of = np.unique(y, return_inverse=True)
        near = of[NearestNeighbors(n_neighbors=NEAREST).fit(Y).kneighbors(return_distance=False)]
        votes = np.stack([(near == one).sum(axis=1) for one in range(len(classes))], axis=1)
        accuracy = float(np.mean(np.argmax(votes, axis=1) == of))
    i, j = np.random.default_rng(0).integers(len(X), size=(2, PAIRS))
    places = X if places is None else places
    there = np.concatenate([np.linalg.norm(places[a] - places[b], axis=1) for a, b in _blocks(i, j)])
    order = float(spearmanr(there[i != j], np.linalg.norm(Y[i] - Y[j], axis=1)[i != j]).statistic)
    return accuracy, float(trustworthiness(X, Y, n_neighbors=NEAREST)), order


def _blocks(i: np.ndarray, j: np.ndarray):
    return zip(np.array_split(i, 50), np.array_split(j, 50), strict=True)


def compare(names: list[str], choices: int | None) -> None:
    """Print the table; ``choices``: random choices of the rows, else three seeds on one of them."""
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
        rows: dict[str, list[tuple[float, ...]]] = {who: [] for who in contenders}
        try:
            for number in range(choices or SEEDS):
                choice = number if choices else 0
                X, y = WHOLE[name]() if name in WHOLE else CHOSEN[name](choice)
                places = _unrolled(choice) if name == "roll, unrolled" else None
                for who, draw in contenders.items():
                    began = time.process_time()
                    Y = draw(X, number)
                    seconds = time.process_time() - began
                    rows[who].append((*measured(X, y, Y, places), seconds))
        except FileNotFoundError as missing:
            print(f"{name:18}left out: there is no {missing.filename}")
            continue
        for who, measures in rows.items():
            accuracy, trust, order, seconds = np.mean(measures, axis=0)
            print(f"{name:18}{who:10}{accuracy:8.4f} {trust:6.4f} {order:6.3f} {seconds:8.2f}", flush=True)
        if choices:
            differences = np.subtract(rows["nelayout"], rows["openTSNE"])[:, :3]
            accuracy, trust, order = np.std(differences, axis=0, ddof=1) / math.sqrt(choices)
            print(f"{'':18}{'+-':10}{accuracy:8.4f} {trust:6.4f} {order:6.3f}", flush=True)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vector_defaults", description=__doc__)
    names = [*WHOLE, *CHOSEN]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"sets (all): {', '.join(names)}")
    parser.add_argument("--choices", type=int, metavar="N", help="random choices of the rows, 2 or more")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in names]:
        parser.error(f"there is no set {unknown[0]!r}; the sets are {', '.join(names)}")
    if given.choices is not None and given.choices < 2:
        parser.error(f"--choices is {given.choices}; a standard error needs 2 or more")
    compare(given.names or (list(CHOSEN) if given.choices else names), given.choices)


if __name__ == "__main__":
    main()
