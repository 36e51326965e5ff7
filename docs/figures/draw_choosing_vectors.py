"""The pictures and tables of docs/choosing-vectors.md.

    python docs/figures/draw_choosing_vectors.py [method neighbors perplexity columns distrust]

writes docs/images/choosing-*.png and prints the tables. Needs scikit-learn, whose digits and wine are UCI's
(E. Alpaydin and C. Kaynak; S. Aeberhard and M. Forina), CC BY 4.0; the other sets are made here. Seconds are of
processor time.
"""

import io
import sys
import time
from typing import Any, NamedTuple

import numpy as np
from draw_masses import DOCS
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from sklearn.datasets import load_digits, load_wine

import nelayout as nl

# Cells of each branch, and the branch that it grows out of.
BRANCHES = {
    "trunk": (300, None),
    "A": (300, "trunk"),
    "B": (300, "trunk"),
    "A1": (200, "A"),
    "A2": (200, "A"),
    "rare": (30, "B"),
}
RARE = list(BRANCHES).index("rare")
GENES = 1000
# The groups of `blobs`: rows, standard deviation, place on a line.
SIZES, WIDTHS, PLACES = (800, 400, 200, 100, 50), (0.25, 1, 4, 1, 0.5), (0, 10, 30, 40, 90)
KS = (5, 10, 15, 30, 100)
METHODS: dict[str, dict[str, Any]] = {
    "ws-sne": {},
    "tsne": {"perplexity": 30},
    "auto": {},
    "gamma-quadlog": {},
    "linlog": {},
    "nerv": {},
}


class Rows(NamedTuple):
    """Rows, and what is known of them that no method reads."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,) classes; on the roll the angle
    coords: np.ndarray | None = None  # (n, 2) the true map
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed


def digits() -> Rows:
    """1,797 images of 8 x 8 pixels."""
    found: Any = load_digits()
    return Rows(found.data, found.target)


def swiss_roll() -> Rows:
    """1,500 points of a rolled sheet, which is the true map: the length of the spiral, and the width."""
    rng = np.random.default_rng(0)
    t, width = 1.5 * np.pi * (1 + 2 * rng.random(1500)), 21 * rng.random(1500)
    X = np.stack([t * np.cos(t), width, t * np.sin(t)], axis=1) + 0.1 * rng.standard_normal((1500, 3))
    along = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return Rows(X, t, np.stack([along, width], axis=1))


def blobs() -> Rows:
    """Five round groups on a line in 10 dimensions; their sizes and widths differ by a factor of 16."""
    rng = np.random.default_rng(0)
    X = [width * rng.standard_normal((size, 10)) for size, width in zip(SIZES, WIDTHS, strict=True)]
    for group, place in zip(X, PLACES, strict=True):
        group[:, 0] += place
    return Rows(np.concatenate(X), np.repeat(np.arange(5), SIZES))


def counts() -> Rows:
    """Counts of 1,000 genes in 1,330 cells of a tree with six branches: Poisson, depths of 170 to 2,800."""
    rng = np.random.default_rng(0)
    ends: dict[Any, np.ndarray] = {None: rng.normal(-1.5, 1.5, GENES)}
    rates, branch = [], []
    for number, (name, (size, parent)) in enumerate(BRANCHES.items()):
        change = 1.5 * rng.standard_normal(GENES) * (rng.random(GENES) < 0.1)
        ends[name] = ends[parent] + change
        rates.append(ends[parent] + rng.random((size, 1)) * change)
        branch += [number] * size
    depth = rng.lognormal(0, 0.6, (len(branch), 1))
    return Rows(rng.poisson(depth * np.exp(np.concatenate(rates))), np.array(branch))


def log_counts(X: np.ndarray) -> np.ndarray:
    """log(1 + count), after every cell has been scaled to the median depth."""
    depth = X.sum(axis=1, keepdims=True)
    return np.log1p(X / depth * np.median(depth))


def cells() -> Rows:
    """The counts, made ready: logarithms, in their first 10 principal components."""
    rows = counts()
    return Rows(log_counts(rows.X), rows.y, options={"pca": 10})


def standardized(X: np.ndarray) -> np.ndarray:
    """Every column with mean 0 and standard deviation 1; a constant one stays 0."""
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread == 0, 1, spread)


def plain(options: dict) -> dict:
    """The graph of 10 neighbors, unless there is a perplexity or another number."""
    return options if "perplexity" in options else {"n_neighbors": 10, **options}


def timed(X: np.ndarray, **options) -> tuple[np.ndarray, float]:
    """Positions of seed 0, and seconds of processor time."""
    start = time.process_time()
    Y = nl.embed(X, random_state=0, **plain(options))
    return Y, time.process_time() - start


def accuracy(Y: np.ndarray, y: np.ndarray) -> float:
    """Share of rows whose class is the majority among the 10 nearest others in the drawing."""
    return float(nl.measure(nl.knn_graph(Y), Y, labels=y, measures=["class_accuracy"])["class_accuracy"])


def near(Y: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Mean of a value over the 10 nearest others in the drawing."""
    return nl.knn_graph(Y, symmetrize="none") @ value / 10


def measured(rows: Rows, Y: np.ndarray, seconds: float) -> list[str]:
    """Neighborhood and stress against the 10 nearest rows, accuracy or agreement with the map, seconds."""
    graph = nl.knn_graph(rows.X, pca=rows.options.get("pca"))
    truth = {"labels": rows.y} if rows.coords is None else {"coords": rows.coords}
    last = "class_accuracy" if rows.coords is None else "map_r2"
    found = nl.measure(graph, Y, measures=["neighborhood", "stress", last], **truth)
    return [*(f"{float(value):.3f}" for value in found.values()), f"{seconds:.1f}"]


def sheet(rows: int, columns: int) -> tuple[Figure, np.ndarray]:
    """A figure and its (rows, columns) axes."""
    figure = Figure(figsize=(1.75 * columns, 1.8 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def panel(ax, Y: np.ndarray, y: np.ndarray, title: str) -> None:
    """Points in colors under a title, in a square that they fill."""
    middle, half = (Y.max(axis=0) + Y.min(axis=0)) / 2, np.ptp(Y, axis=0).max() / 2
    nl.draw(None, Y, color=y, legend=False, node_size=half * min(0.06, 1.2 / len(Y) ** 0.5), ax=ax)
    low, high = middle - 1.05 * half, middle + 1.05 * half
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_title(title, fontsize=8)


def save(figure: Figure, name: str) -> None:
    """A PNG of few colors, which is a fraction of the size."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=95)
    few = Image.open(picture).convert("RGB").quantize(64, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(DOCS / "images" / f"choosing-{name}.png", optimize=True)


def grid(name: str, sets: dict[str, Rows], columns: dict[str, dict[str, Any]]) -> None:
    """A drawing for each set and each column of keywords, and their figures."""
    figure, axes = sheet(len(sets), len(columns))
    for line, (title, rows) in zip(axes, sets.items(), strict=True):
        for ax, (label, options) in zip(line, columns.items(), strict=True):
            Y, seconds = timed(rows.X, **rows.options, **options)
            panel(ax, Y, rows.y, f"{title}: {label}")
            rare = f"{near(Y, rows.y == RARE)[rows.y == RARE].mean():.2f}" if title == "cells" else ""
            print("|", " | ".join([title, label, *measured(rows, Y, seconds), rare]), flush=True)
    save(figure, name)


def sheets(**options) -> str:
    """Agreement of three drawings of the roll with its sheet."""
    rows = swiss_roll()
    drawings = [nl.embed(rows.X, random_state=seed, **plain(options)) for seed in range(3)]
    graph = nl.knn_graph(rows.X)
    found = [nl.measure(graph, Y, coords=rows.coords, measures=["map_r2"])["map_r2"] for Y in drawings]
    return f"{options}, sheet over three seeds: " + ", ".join(f"{float(value):.2f}" for value in found)


def method() -> None:
    """Every method with its own defaults, t-SNE with its usual perplexity."""
    sets = {"digits": digits(), "roll": swiss_roll(), "blobs": blobs(), "cells": cells()}
    grid("method", sets, {label: {"method": label, **options} for label, options in METHODS.items()})
    for label, options in METHODS.items():
        print(sheets(method=label, **options))
    for label in ("ssne", "sne", "ee"):
        print(sheets(method=label))


def neighbors() -> None:
    """ws-SNE with few and many neighbors."""
    sets = {"digits": digits(), "roll": swiss_roll(), "cells": cells()}
    grid("neighbors", sets, {str(k): {"n_neighbors": k} for k in KS})
    for k in KS:
        ends = sets["roll"].y[np.array(nl.knn_graph(sets["roll"].X, k).nonzero())]
        print(f"{k} neighbors: {int((abs(ends[0] - ends[1]) > 2).sum()) // 2} edges from turn to turn")


def perplexity() -> None:
    """t-SNE of the binary graph and with three perplexities."""
    options = {"10 neighbors": {"n_neighbors": 10}} | {f"perplexity {p}": {"perplexity": p} for p in (5, 30, 100)}
    sets = {"digits": digits(), "roll": swiss_roll(), "blobs": blobs()}
    grid("perplexity", sets, {label: {"method": "tsne", **given} for label, given in options.items()})
    print(sheets(method="tsne"))


def columns() -> None:
    """Two ways to read the wines, five to read the counts, in colors of the classes and of what should not matter."""
    found: Any = load_wine()
    figure, axes = sheet(1, 4)
    for pair, (label, X) in zip(
        axes.reshape(2, 2), {"raw": found.data, "standardized": standardized(found.data)}.items(), strict=True
    ):
        Y, _ = timed(X)
        panel(pair[0], Y, found.target, f"{label}: vineyard")
        panel(pair[1], Y, found.data[:, -1], f"{label}: proline")
        print(f"| wine, {label} | {accuracy(Y, found.target):.2f}")
    save(figure, "wine")

    rows = counts()
    depth, logs = np.log(rows.X.sum(axis=1)), log_counts(rows.X)
    readings: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
        "counts": (rows.X, {}),
        "counts, cosine": (rows.X, {"metric": "cosine"}),
        "logs": (logs, {}),
        "logs, standardized": (standardized(logs), {}),
        "logs, pca=10": (logs, {"pca": 10}),
        "logs, pca=50": (logs, {"pca": 50}),
    }
    figure, axes = sheet(2, len(readings))
    for pair, (label, (X, options)) in zip(axes.T, readings.items(), strict=True):
        Y, _ = timed(X, **options)
        panel(pair[0], Y, rows.y, label)
        panel(pair[1], Y, depth, "depth")
        told = np.corrcoef(near(Y, depth), depth)[0, 1] ** 2
        print(f"| {label} | {accuracy(Y, rows.y):.2f} | {told:.2f}", flush=True)
    save(figure, "counts")
    components = np.linalg.svd(logs - logs.mean(axis=0), full_matrices=False)[0][:, :10]
    print("depth by component:", np.round([np.corrcoef(one, depth)[0, 1] ** 2 for one in components.T], 2))
    images = digits()
    print("digits, standardized:", accuracy(timed(standardized(images.X))[0], images.y))


def distrust() -> None:
    """Groups as they are and as they are drawn, seeds side by side, and where copies and strays go."""
    figure, axes = sheet(1, 5)
    rows = blobs()
    panel(axes[0, 0], rows.X[:, :2], rows.y, "blobs: two true columns")
    for number, known in enumerate((rows, digits())):
        first = rows.X[:, :2] if known is rows else None
        for seed in (0, 1):
            Y = nl.embed(known.X, n_neighbors=10, random_state=seed)
            if first is None:
                first = Y
            elif known is not rows:
                kept = nl.measure(nl.knn_graph(known.X), Y, coords=first, measures=["map_r2", "map_neighbors"])
                print({name: round(float(value), 2) for name, value in kept.items()}, accuracy(Y, known.y))
            Y = nl.align(Y, to=first)
            panel(axes[0, 1 + 2 * number + seed], Y, known.y, f"{('blobs', 'digits')[number]}: seed {seed}")
            if known is rows:
                centers = np.array([Y[known.y == group].mean(axis=0) for group in range(5)])
                radius = np.sqrt([Y[known.y == group].var(axis=0).sum() for group in range(5)])
                gaps = np.linalg.norm(np.diff(centers, axis=0), axis=1)
                print("radius", np.round(radius / radius[0], 2), "gaps", np.round(gaps / gaps[0], 2))
    save(figure, "distrust")

    known = digits()
    stray = known.X.mean(axis=0) + 30 * (known.X[5] - known.X.mean(axis=0))
    X = np.concatenate([known.X, np.repeat(known.X[:1], 30, axis=0), stray[None]])
    for label in ("ws-sne", "tsne"):
        Y, _ = timed(X, method=label, **METHODS[label])
        apart = np.linalg.norm(Y[:, None] - Y[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        usual = np.median(apart.min(axis=1))
        size = np.sqrt(Y.var(axis=0).sum())
        copies = np.r_[0, len(known.X) : len(known.X) + 30]
        spread = np.sqrt(Y[copies].var(axis=0).sum()) / size
        print(f"{label}: copies spread over {spread:.3f}, stray {apart[-1].min() / usual:.1f} from its next")
    far = nl.knn_graph(X, symmetrize="none").tocoo()
    lengths = np.linalg.norm(X[far.row] - X[far.col], axis=1).reshape(len(X), 10).max(axis=1)
    print("tenth neighbor of the stray over the median:", lengths[-1] / np.median(lengths))


def main() -> int:
    questions = {f.__name__: f for f in (method, neighbors, perplexity, columns, distrust)}
    timed(digits().X)  # loads the compiled loops
    for name in sys.argv[1:] or questions:
        print(f"\n{name}")
        questions[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
