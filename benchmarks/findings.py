"""What the papers found, asked of the methods here: `python -m benchmarks.findings` writes docs/research/findings.md.

[L13] Lee et al. 2013, [A15] Amid et al. 2015, [I18] Im et al. 2018; see the page for what each measure is.
Every drawing is made by `nelayout.embed` on one thread from a fixed seed.  The vectors are those of the shared data
(coil20, mnist, isomap_faces) and of scikit-learn (iris, wine, digits).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import nelayout as nl
from benchmarks import findings_page, problems
from benchmarks import rank_quality as rq
from nelayout.vectors.embedding import solve_vectors

SEED = 0
IMAGES, FEW_IMAGES, FEWEST_IMAGES = 6000, 2000, 1000
"""Handwritten digits for [L13], as many as in the paper; and where the perplexity is wide, fewer must do."""
KAPPAS = (0.05, 0.35, 0.65, 0.95)
ALPHAS = tuple(round(0.1 * i, 1) for i in range(1, 11))
TRADED_KAPPAS = tuple(round(0.1 * i, 1) for i in range(1, 10))
"""Of NeRV beside alpha-SNE [A15]: with kappa = 0, which is SNE and alpha = 1, as many as the orders."""
STARTS = 3
"""Seeds over which the drawings of [A15] are averaged."""
KEPT = (1, 5, 10, 20, 50, 100, 300)
"""Sizes of neighborhoods at which R_NX is stored."""
SIZES = (5, 10, 20, 50, 100, 200)
"""Mean sizes of the neighborhoods in the input for which [I18]'s threshold is set."""
REACH = 100
"""Neighbors, nearest or farthest, up to which [I18]'s greatest precision is looked for; the paper names no range."""
DIVERGENCES = ("kl", "reverse-kl", "js", "hellinger", "chi2")
BY_ROWS = nl.Method(kernel="cauchy", divergence="kl", connection="normalized-rows")
"""t-SNE as [L13, (3)] has it: the similarities of each row sum to one, in the data and in the drawing."""
TRADE_PERPLEXITY = 20.0
"""Of [A15]: the paper gives none; 20 neighbors are the relevant ones there."""

Row = tuple[str, dict[str, Any]]

MANNERS: dict[str, dict[str, Any]] = {
    "": {},
    "annealed": {"perplexity_annealing": True, "init": "pca"},
    "all pairs": {"n_neighbors": "all"},
}
"""How a set is drawn: the first as everywhere, the others closer to [L13]."""


def manner_of(name: str) -> str:
    """By the end of a set's name."""
    return next(manner for manner in reversed(MANNERS) if name.endswith(manner))


def vectors(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes of a stored set."""
    stored = np.load(problems.data_folder() / "vectors" / f"{name}.npz")
    return stored["X"].astype(np.float64), stored["y"]


def some(X: np.ndarray, count: int) -> np.ndarray:
    """A random choice of rows, in their order."""
    return X[np.sort(np.random.default_rng(SEED).choice(len(X), count, replace=False))]


def drawing(
    X: np.ndarray, method: Any, perplexity: float, options: dict[str, Any], seed: int = SEED, manner: str = ""
) -> dict:
    """Positions, and what the run says of itself; the manner is one of MANNERS."""
    began = time.process_time()
    how = MANNERS[manner]
    solution = solve_vectors(
        X, method=method, perplexity=perplexity, random_state=seed, n_jobs=1, method_options=options or None, **how
    )
    Y = solution.positions
    radius = np.sqrt(((Y - np.median(Y, axis=0)) ** 2).sum(axis=1))
    return {
        "Y": Y,
        "value": float(solution.value),
        "steps": len(solution.trace),
        "reason": solution.reason,
        "radius": float(np.median(radius)),
        "farthest": float(radius.max()),
        "seconds": time.process_time() - began,
    }


def kept(X: np.ndarray, wanted: list[tuple[str, Any, dict]], perplexity: float, manner: str = "") -> dict[str, dict]:
    """{title: R_NX and its summaries} for (title, method, options)."""
    found = {}
    for title, method, options in wanted:
        run = drawing(X, method, perplexity, options, manner=manner)
        Y = run.pop("Y")
        curves = rq.curves(X, Y)
        found[title] = {
            **run,
            "gain": {str(K): float(curves.r_nx[K - 1]) for K in KEPT},
            "curve": [float(g) for g in curves.r_nx[:-1]],
            "area": rq.measured(X, Y, "r_nx_area"),
            "intrusion": float(-100.0 * np.mean(curves.b_nx)),
            "auc": rq.measured(X, Y, "retrieval_auc"),
        }
        told(title, found[title])
    return found


def told(title: str, row: dict) -> None:
    """A line of progress."""
    short = {key: round(value, 3) for key, value in row.items() if isinstance(value, (int, float))}
    print(title, short, flush=True)


def mixture_sets() -> Iterator[tuple[str, np.ndarray, float, list[tuple[str, Any, dict]]]]:
    """Name, rows, perplexity and methods of the sets that [L13] draws: its four methods, and kappa of NeRV and JSE."""
    four: list[tuple[str, Any, dict]] = [
        ("SNE", "sne", {}),
        ("NeRV", "nerv", {"kappa": 0.5}),
        ("JSE", "jse", {"kappa": 0.5}),
        ("t-SNE", "tsne", {}),
    ]
    more = [
        (f"{title} {kappa:g}", method, {"kappa": kappa})
        for title, method in (("NeRV", "nerv"), ("JSE", "jse"))
        for kappa in KAPPAS
    ]
    coil, digits = vectors("coil20")[0], vectors("mnist")[0]
    rng = np.random.default_rng(SEED)
    sphere = rng.standard_normal((1000, 3))
    sphere /= np.sqrt((sphere**2).sum(axis=1, keepdims=True))
    rows = [("t-SNE by rows", BY_ROWS, {})]
    yield "coil20", coil, len(coil) / 20, four + rows + more
    yield "coil20 annealed", coil, len(coil) / 20, four
    yield "coil20 all pairs", coil, len(coil) / 20, four
    yield "mnist", some(digits, IMAGES), 32.0, four
    yield "mnist n/20", some(digits, FEW_IMAGES), FEW_IMAGES / 20, four + rows + more
    yield "mnist all pairs", some(digits, FEWEST_IMAGES), FEWEST_IMAGES / 20, four + more
    yield "sphere", sphere, len(sphere) / 20, four
    yield "sphere annealed", sphere, len(sphere) / 20, four + rows + more


def mixtures(done: Container[str]) -> Iterator[Row]:
    """[L13]: how much of the neighborhoods SNE, NeRV, JSE and t-SNE keep."""
    for name, X, perplexity, wanted in mixture_sets():
        if name not in done:
            print(name)
            methods = kept(X, wanted, perplexity, manner_of(name))
            yield name, {"n": len(X), "perplexity": perplexity, "methods": methods}


def family_sets() -> Iterator[tuple[str, np.ndarray, tuple[float, ...]]]:
    """Name, rows and perplexities of the sets of [I18]."""
    digits, classes = vectors("mnist")
    clusters, ones = some(digits[classes < 5], FEWEST_IMAGES), some(digits[classes == 1], FEWEST_IMAGES)
    yield "faces", vectors("isomap_faces")[0], (30.0, 100.0, 200.0)
    yield "digit 1", components(ones), (30.0, 100.0)
    yield "digits 0-4", components(clusters), (30.0, 100.0, 300.0)


def divergences(done: Container[str]) -> Iterator[Row]:
    """[I18]: F between neighborhoods in the input and in the drawing, and the share of the K nearest that is kept."""
    for name, X, perplexities in family_sets():
        for perplexity in perplexities:
            title = f"{name}, perplexity {perplexity:g}"
            if title in done:
                continue
            print(title)
            p = nl.entropic_affinity(X, perplexity, symmetrize="none").toarray()
            rows = {}
            for divergence in DIVERGENCES:
                run = drawing(X, "ftsne", perplexity, {"divergence": divergence})
                Y = run.pop("Y")
                q, curves = rq.cauchy_rows(Y), rq.curves(X, Y)
                nearest, farthest = curves.q_nx[:REACH], curves.farthest[:REACH]
                at = [rq.retrieval(p, q, rq.threshold_of(p, size)) for size in SIZES if size < 3 * perplexity]
                rows[divergence] = {
                    **run,
                    "f": [one.f for one in at],
                    "precision": [one.precision for one in at],
                    "recall": [one.recall for one in at],
                    "nearest": [float(share) for share in nearest],
                    "farthest": [float(share) for share in farthest],
                }
                told(divergence, {**rows[divergence], "f": max(rows[divergence]["f"])})
            sizes = [size for size in SIZES if size < 3 * perplexity]
            yield title, {"n": len(X), "set": name, "sizes": sizes, "divergences": rows}


def components(X: np.ndarray, count: int = 30) -> np.ndarray:
    """The first principal components, as [I18] takes of MNIST."""
    from sklearn.decomposition import PCA

    return PCA(count, svd_solver="full").fit_transform(X)


def trade_sets(done: Container[str]) -> Iterator[tuple[str, np.ndarray, range]]:
    """Name, rows and the seeds to average over, of the sets asked about [A15]."""
    from sklearn import datasets

    tables: dict[str, Any] = {name: getattr(datasets, f"load_{name}")() for name in ("iris", "wine", "digits")}
    wine = tables["wine"].data
    sets = {
        "iris": tables["iris"].data,
        "wine": (wine - wine.mean(axis=0)) / wine.std(axis=0),
        "digits": tables["digits"].data,
        "coil20": vectors("coil20")[0],
    }
    for name, X in sets.items():
        if name not in done:
            print(name)
            yield name, X, range(STARTS if len(X) < 1000 else 1)


def orders(done: Container[str]) -> Iterator[Row]:
    """[A15]: the area under precision and recall for the orders of alpha-SNE, and what stands beside it there."""
    for name, X, seeds in trade_sets(done):

        def area(method: str, options: dict, X: np.ndarray, seeds: range) -> float:
            Ys = [drawing(X, method, TRADE_PERPLEXITY, options, seed)["Y"] for seed in seeds]
            return float(np.mean([rq.measured(X, Y, "retrieval_auc") for Y in Ys]))

        given = (X, seeds)
        alphas = {str(alpha): area("alpha-sne", {"alpha": alpha}, *given) for alpha in ALPHAS}
        others = {"t-SNE": area("tsne", {}, *given)}
        for kappa in TRADED_KAPPAS:
            others[f"NeRV {kappa}"] = area("nerv", {"kappa": kappa}, *given)
        told(name, {**alphas, **others})
        yield name, {"n": len(X), "alpha": alphas, "others": others}


def choices(done: Container[str]) -> Iterator[Row]:
    """[A15]: the order that alpha="auto" chooses, the area of its drawing, and of one drawn from scratch at it."""
    for name, X, seeds in trade_sets(done):
        rows = []
        for seed in seeds:
            auto = solve_vectors(
                X,
                method="alpha-sne",
                perplexity=TRADE_PERPLEXITY,
                random_state=seed,
                n_jobs=1,
                method_options={"alpha": "auto"},
            )
            # Equal similarities speak for no order; then there is no choice, and alpha is 1.
            alpha = 1.0 if auto.choice is None else float(auto.choice.alpha)
            again = drawing(X, "alpha-sne", TRADE_PERPLEXITY, {"alpha": alpha}, seed)
            rows.append(
                {
                    "alpha": alpha,
                    "walked": rq.measured(X, auto.positions, "retrieval_auc"),
                    "scratch": rq.measured(X, again["Y"], "retrieval_auc"),
                }
            )
            told(name, rows[-1])
        yield name, {"n": len(X), "runs": rows}


# Parts are told what sets are done, and give the name and the numbers of each of the others.
PARTS: dict[str, Callable[[Container[str]], Iterator[Row]]] = {
    "mixtures": mixtures,
    "divergences": divergences,
    "orders": orders,
    "choices": choices,
}


def main() -> None:
    """Draw, measure, write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.findings", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--figures", type=Path, help="JSON file: read what sets it has, and keep the others there")
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parents[1] / "docs" / "research")
    given = parser.parse_args()
    found = json.loads(given.figures.read_text()) if given.figures and given.figures.exists() else {}
    for part in given.parts:
        rows = found.setdefault(part, {})
        for name, row in PARTS[part](rows):
            rows[name] = row
            if given.figures:
                given.figures.write_text(json.dumps(found) + "\n")
    if set(PARTS) <= set(found):
        findings_page.write(found, given.docs)


if __name__ == "__main__":
    main()
