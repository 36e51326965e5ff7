"""The papers' rivals beside the methods here: `python -m benchmarks.rivals --write` writes docs/research/rivals.md.

PCA, Sammon's mapping (NLM), non-metric scaling (NMDS), curvilinear component analysis (CCA), Isomap, locally linear
embedding (LLE) and Laplacian eigenmaps (LEM) embed the same rows as SNE, t-SNE, HSSNE, NeRV, JSE, alpha-SNE and ws-SNE.
Each claim of a paper about them gets one line: claim, verdict, number.  R_NX and its area follow [L13], the area
under the retrieval curve follows [A15], and the accuracy of the nearest neighbor stands for the clusters of [Y14].
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA
from sklearn.manifold import MDS, Isomap, LocallyLinearEmbedding, SpectralEmbedding

import nelayout as nl
from benchmarks import findings, problems
from benchmarks import rank_quality as rq

SEED, ROWS, NEIGHBORS, PERPLEXITY = 0, 600, 12, 20.0
SMALL = 10
"""Size of the small neighborhoods of [L13]."""
RANGES = (1.0, 0.5, 0.25, 0.1)
"""Ranges of CCA, in parts of the largest distance, each from the positions of the one before."""
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "SNE": ("sne", {}),
    "t-SNE": ("tsne", {}),
    "HSSNE": ("hssne", {}),
    "NeRV": ("nerv", {"kappa": 0.5}),
    "JSE": ("jse", {"kappa": 0.5}),
    "alpha-SNE": ("alpha-sne", {"alpha": 0.5}),
    "ws-SNE": ("ws-sne", {}),
}


def pca(X: np.ndarray) -> np.ndarray:
    """Principal components."""
    return PCA(2, random_state=SEED).fit_transform(X)


def stressed(X: np.ndarray, weigh: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]], Y: np.ndarray):
    """Minimize sum w (delta - d)^2 over pairs from positions Y; ``weigh(delta, d)`` gives w and its slope in d."""
    n, delta = len(X), np.maximum(pdist(X), 1e-12)
    low, high = np.triu_indices(n, 1)

    def cost(flat: np.ndarray) -> tuple[float, np.ndarray]:
        Y = flat.reshape(n, 2)
        apart = Y[low] - Y[high]
        d = np.maximum(np.sqrt(np.sum(apart * apart, axis=1)), 1e-12)
        w, slope = weigh(delta, d)
        off = d - delta
        pull = ((2.0 * w * off + slope * off * off) / d)[:, None] * apart
        gradient = np.zeros_like(Y)
        for c in range(2):
            gradient[:, c] = np.bincount(low, pull[:, c], n) - np.bincount(high, pull[:, c], n)
        return float(np.sum(w * off * off)), gradient.ravel()

    return minimize(cost, Y.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x.reshape(n, 2)


def sammon(X: np.ndarray) -> np.ndarray:
    """Sammon's mapping: w = 1 / delta."""
    return stressed(X, lambda delta, d: (1.0 / delta, np.zeros_like(d)), pca(X))


def cca(X: np.ndarray) -> np.ndarray:
    """Curvilinear component analysis: w = exp(-d / range), the range falling."""
    Y, far = pca(X), float(pdist(X).max())
    for part in RANGES:
        reach = part * far

        def weigh(_: np.ndarray, d: np.ndarray, reach: float = reach) -> tuple[np.ndarray, np.ndarray]:
            w = np.exp(-d / reach)
            return w, -w / reach

        Y = stressed(X, weigh, Y)
    return Y


def nmds(X: np.ndarray) -> np.ndarray:
    """Non-metric scaling from the principal components."""
    scaling = MDS(2, metric=False, dissimilarity="precomputed", n_init=1, normalized_stress=True, random_state=SEED)
    return scaling.fit_transform(squareform(pdist(X)), init=pca(X))


def by_sklearn(kind: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return the embedding of a class of scikit-learn that takes a number of neighbors."""
    return lambda X: kind(n_components=2, n_neighbors=NEIGHBORS).fit_transform(X)


RIVALS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "PCA": pca,
    "NLM": sammon,
    "NMDS": nmds,
    "CCA": cca,
    "Isomap": by_sklearn(Isomap),
    "LLE": by_sklearn(LocallyLinearEmbedding),
    "LEM": by_sklearn(SpectralEmbedding),
}


def sets() -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    """Rows and classes by name: scikit-learn's sets, a sphere, and the shared sets where they are."""
    from sklearn import datasets

    rng = np.random.default_rng(SEED)
    sphere = rng.standard_normal((ROWS, 3))
    found: dict[str, tuple[np.ndarray, np.ndarray | None]] = {
        "sphere": (sphere / np.sqrt(np.sum(sphere**2, axis=1, keepdims=True)), None)
    }
    for name, load in (("iris", datasets.load_iris), ("wine", datasets.load_wine), ("digits", datasets.load_digits)):
        X, y = load(return_X_y=True)
        found[name] = (X / np.maximum(X.std(axis=0), 1e-9) if name == "wine" else X, y)
    stored = [path.stem for path in (problems.data_folder() / "vectors").glob("*.npz")]
    for name in ("coil20", "isomap_faces", "mnist"):
        if name in stored:
            X, y = findings.vectors(name)
            found[name] = (X, None if name == "isomap_faces" else y)
    for name, (X, y) in found.items():
        # equal rows have no order of neighbors
        _, first = np.unique(X, axis=0, return_index=True)
        at = np.sort(rng.permutation(np.sort(first))[:ROWS])
        found[name] = (X[at], None if y is None else y[at])
    return found


def accuracy(Y: np.ndarray, y: np.ndarray) -> float:
    """Share of rows with the class of their nearest neighbor in the drawing."""
    apart = squareform(pdist(Y))
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(y[np.argmin(apart, axis=1)] == y))


def measured(X: np.ndarray, y: np.ndarray | None) -> dict[str, dict[str, float]]:
    """Measures of every method's embedding of the rows."""
    found = {}
    for title in (*RIVALS, *OURS):
        if title in RIVALS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of scikit-learn, about graphs in pieces and coming defaults
                Y = RIVALS[title](X)
        else:
            method, own = OURS[title]
            Y = nl.embed(X, method=method, perplexity=PERPLEXITY, random_state=SEED, method_options=own or None)
        curve = rq.curves(X, Y).r_nx
        found[title] = {
            "area": rq.measured(X, Y, "r_nx_area"),
            "small": float(np.mean(curve[:SMALL])),
            "retrieval": rq.measured(X, Y, "retrieval_auc"),
            "accuracy": float("nan") if y is None else accuracy(Y, y),
        }
    return found


CLAIMS: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    ("[L13]", "CCA, t-SNE, NeRV and JSE cut the sphere and keep its small neighborhoods better than the others",
     "small", ("sphere",), ("CCA", "t-SNE", "NeRV", "JSE"), ("PCA", "NLM", "NMDS", "SNE")),
    ("[L13]", "similarities (SNE, t-SNE, NeRV, JSE) keep more neighborhoods of images than distances",
     "area", ("coil20", "mnist", "digits"), ("SNE", "t-SNE", "NeRV", "JSE"), ("PCA", "NLM", "NMDS", "CCA")),
    ("[L13]", "JSE keeps small neighborhoods best of the four",
     "small", ("sphere", "coil20", "mnist", "digits"), ("JSE",), ("SNE", "t-SNE", "NeRV")),
    ("[A15]", "neighbor embeddings retrieve better than PCA, LLE, LEM and Isomap",
     "retrieval", (), ("SNE", "t-SNE", "HSSNE", "NeRV", "alpha-SNE"), ("PCA", "LLE", "LEM", "Isomap")),
    ("[A15]", "alpha-SNE retrieves best",
     "retrieval", (), ("alpha-SNE",), ("SNE", "t-SNE", "HSSNE", "NeRV", "PCA", "LLE", "LEM", "Isomap")),
    ("[I18]", "embeddings of similarities keep small neighborhoods of Isomap's faces better than Isomap",
     "small", ("isomap_faces",), ("t-SNE", "JSE"), ("Isomap", "PCA")),
    ("[Y14]", "ws-SNE separates classes better than PCA, LEM and LLE",
     "accuracy", (), ("ws-SNE",), ("PCA", "LEM", "LLE")),
    ("[Y15]", "minimized alike, ws-SNE and t-SNE keep more neighborhoods than the spectral methods",
     "area", (), ("ws-SNE", "t-SNE"), ("LEM", "LLE", "Isomap")),
)


def claims(found: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """A line of the table for each claim, holding on a set if the worst of the first beat the best of the others."""
    lines = ["| paper | claim | verdict | sets | least lead |", "|---|---|---|---|---|"]
    for paper, claim, measure, wanted, first, others in CLAIMS:
        leads = {}
        for name in wanted or found:
            values = {title: row[measure] for title, row in found.get(name, {}).items()}
            if values and not np.isnan(values[first[0]]):
                leads[name] = min(values[t] for t in first) - max(values[t] for t in others)
        held = [name for name, lead in leads.items() if lead > 0]
        word = "not tested" if not leads else "holds" if len(held) == len(leads) else "holds in part" if held else ""
        of = f"{', '.join(held) or 'none'} of {', '.join(leads)}"
        least = min(leads.values(), default=0.0)
        lines.append(f"| {paper} | {claim} | {word or 'does not hold'} | {of} | {least:+.3f} |")
    return lines


def page(found: dict[str, dict[str, dict[str, float]]]) -> str:
    """The page: claims, then a table for each measure."""
    titles = {"area": "Area under R_NX", "small": f"Mean R_NX of the {SMALL} nearest", "retrieval": "Retrieval AUC",
              "accuracy": "Accuracy of the nearest neighbor"}
    said = (
        f"{datetime.now(UTC).date()}; at most {ROWS} rows of each set, perplexity {PERPLEXITY:g}, {NEIGHBORS} "
        f"neighbors, seed {SEED}. Written by `python -m benchmarks.rivals --write`."
    )
    lines = ["# The papers' rivals", "", said, ""]
    lines += [*claims(found), ""]
    for measure, title in titles.items():
        names = [name for name, rows in found.items() if not np.isnan(rows["PCA"][measure])]
        lines += [f"## {title}", "", "| method | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
        for method in (*RIVALS, *OURS):
            lines.append(f"| {method} | " + " | ".join(f"{found[name][method][measure]:.3f}" for name in names) + " |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Measure and print, or write, the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/research/rivals.md")
    parser.add_argument("--sets", nargs="*", help="some of the sets")
    given = parser.parse_args()
    found = {}
    for name, (X, y) in sets().items():
        if given.sets and name not in given.sets:
            continue
        print(f"{name}: {X.shape[0]} rows of {X.shape[1]}", flush=True)
        found[name] = measured(X, y)
    text = page(found)
    print(text)
    if given.write:
        from pathlib import Path

        (Path(__file__).parent.parent / "docs" / "research" / "rivals.md").write_text(text)


if __name__ == "__main__":
    main()
