"""Draws docs/images/vectors.png: two sets of handwritten digits, from raw rows, by four methods.

    python docs/figures/draw_vectors.py        needs scikit-learn, matplotlib, and vectors/mnist.npz of the shared data

$NELAYOUT_DATA, or ../shared/data beside the project, holds vectors/mnist.npz, which is not kept in the repository.
"""

import os
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import nelayout as nl

DOCS = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("NELAYOUT_DATA", DOCS.parents[1] / "shared" / "data"))
OUT = DOCS / "images" / "vectors.png"
METHODS = ("ws-sne", "ee", "linlog", "gamma-quadlog")
ROWS = 5000


def sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name -> rows (n, p) and classes (n,)."""
    digits = load_digits()
    mnist = np.load(DATA / "vectors" / "mnist.npz")
    some = np.random.default_rng(0).choice(len(mnist["y"]), ROWS, replace=False)
    return {
        "digits": (digits.data, digits.target),
        f"MNIST, {ROWS:,} rows": (mnist["X"][some].reshape(ROWS, -1).astype(float), mnist["y"][some]),
    }


def main() -> None:
    """A row of drawings for each set, and the accuracy of classes told by the 10 nearest in the drawing."""
    figure = Figure(figsize=(11, 5.9), layout="constrained")
    axes = figure.subplots(2, len(METHODS))
    for row, (name, (X, y)) in zip(axes, sets().items(), strict=True):
        for ax, method in zip(row, METHODS, strict=True):
            Y = nl.embed(X, method=method, n_neighbors=10, random_state=0)
            near = nl.knn_graph(Y, 10, symmetrize="none")
            votes = near @ np.eye(int(y.max()) + 1)[y]
            accuracy = float(np.mean(np.argmax(votes, axis=1) == y))
            print(f"{name:18s} {method:14s} {accuracy:.3f}", flush=True)
            ax.scatter(*Y.T, c=y, cmap=colormaps["tab10"], s=2, lw=0)
            ax.set_title(f"{name}: {method}", fontsize=9)
            ax.set_aspect("equal")
            ax.set_axis_off()
    figure.savefig(OUT, dpi=100)


if __name__ == "__main__":
    main()
