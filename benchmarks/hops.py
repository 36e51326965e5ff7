"""Similarities of path lengths beside edges: `python -m benchmarks.hops --write` writes docs/research/hops.md.

Each graph is drawn by "auto", by t-SNE of its edges, by t-SNE of path lengths ("drgraph") and by "tsnet", at several
perplexities.  `three terms` continues from tsnet with the whole objective of the paper: KL, compression 0.01 and
repulsion 0.6.  Another table shows what path lengths would bring as a branch of "auto": its score for their drawing, in
parts of the score of "auto".
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems
from benchmarks.drawing_quality import quality
from nelayout.core.passes.score import Score
from nelayout.core.similarities.entropic import joint
from nelayout.core.similarities.hops import hop_rows
from nelayout.numerics.parallel import Threads

PAGE = Path(__file__).resolve().parents[1] / "docs" / "research" / "hops.md"
SEEDS, PERPLEXITIES = (0, 1, 2), (5, 10, 20, 40)
COMPRESSION, REPULSION, SOFTENED = 0.01, 0.6, 0.05
"""Weights of the last stage in the authors' program, and what it adds to distances in the repulsion."""
OTHERS: dict[str, Callable[[], Any]] = {
    "karate": nx.karate_club_graph,
    "les_miserables": nx.les_miserables_graph,
    "tree": lambda: nx.balanced_tree(3, 5),
    "torus": lambda: nx.grid_2d_graph(20, 30, periodic=True),
}
GRAPHS = (*OTHERS, "can_96", "football", "netscience", "dwt_1005", "1138_bus")
MEASURES = {"np1": "N1", "np2": "N2", "sns": "stress", "crossings": "crossings"}


def graph(name: str) -> csr_array:
    """The edges of a graph, each of weight 1."""
    if name in OTHERS:
        return csr_array(nx.adjacency_matrix(OTHERS[name](), weight=""), dtype=float)
    return problems.load(name).adjacency


def three_terms(A: csr_array, perplexity: float, Y: np.ndarray) -> np.ndarray:
    """Minimize KL + compression + repulsion of tsNET from positions Y (n, 2), over all pairs."""
    n, P = len(Y), joint(hop_rows(A, perplexity, Threads())[0]).toarray()
    strength = REPULSION / (2 * n * n)

    def cost(flat: np.ndarray) -> tuple[float, np.ndarray]:
        Y = flat.reshape(n, 2)
        xi = np.sum((Y[:, None] - Y) ** 2, axis=2)
        q = 1.0 / (1.0 + xi)
        np.fill_diagonal(q, 0.0)
        total, away = q.sum(), Y - Y.mean(axis=0)
        d = np.sqrt(xi) + np.eye(n)  # the diagonal counts nothing
        apart = np.log(d + SOFTENED)
        np.fill_diagonal(apart, 0.0)
        value = np.sum(P * np.log1p(xi)) + np.log(total) - strength * apart.sum()
        pull = 4.0 * (P - q / total) * q - 2.0 * strength / np.maximum(d * (d + SOFTENED), 1e-9)
        np.fill_diagonal(pull, 0.0)
        slope = pull.sum(axis=1)[:, None] * Y - pull @ Y + COMPRESSION / n * away
        return float(value + COMPRESSION / (2 * n) * np.sum(away * away)), slope.ravel()

    return minimize(cost, Y.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x.reshape(n, 2)


def drawn(A: csr_array, method: str, seed: int, perplexity: int | None = None) -> np.ndarray:
    """Positions in the units of the objective."""
    options: Any = {} if perplexity is None else {"perplexity": perplexity}
    found = nl.solve(A, method, seed=seed, scale=None, n_jobs=1, **options)
    return np.asarray(found.positions)


def drawings(A: csr_array, seed: int) -> dict[str, np.ndarray]:
    """Positions by the name of the layout."""
    found = {"auto": drawn(A, "auto", seed), "tsne, edges": drawn(A, "tsne", seed)}
    for perplexity in PERPLEXITIES:
        found[f"drgraph, {perplexity}"] = drawn(A, "drgraph", seed, perplexity)
    for perplexity in PERPLEXITIES[1:]:
        found[f"tsnet, {perplexity}"] = drawn(A, "tsnet", seed, perplexity)
    for perplexity in PERPLEXITIES[1::2]:
        found[f"three terms, {perplexity}"] = three_terms(A, perplexity, found[f"tsnet, {perplexity}"])
    return found


def scorer(A: csr_array) -> Callable[[np.ndarray], float]:
    """The score of "auto"."""
    return Score(A, Threads())


def page(names: list[str]) -> str:
    """The note: a table of measures for each graph, and the scores."""
    scores, parts = [], []
    for name in names:
        A = graph(name)
        score, rows = scorer(A), dict[str, list[dict[str, float]]]()
        for seed in SEEDS:
            for title, Y in drawings(A, seed).items():
                measured = quality(A, Y, crossings=True)
                rows.setdefault(title, []).append({**measured, "score": score(Y)})
        medians = {
            title: {key: float(np.median([each[key] for each in some])) for key in some[0]}
            for title, some in rows.items()
        }
        lines = [
            f"| {title} | {m['np1']:.3f} | {m['np2']:.3f} | {m['sns']:.3f} | {m['crossings']:.0f} |"
            for title, m in medians.items()
        ]
        parts.append(f"## {name}, {A.shape[0]:,} nodes\n\n" + table(["layout", *MEASURES.values()], lines))
        own = medians["auto"]["score"]
        tried = [title for title in medians if title.startswith(("drgraph", "tsnet"))]
        gains = (f"{medians[title]['score'] / own - 1:+.0%}" for title in tried)
        scores.append(f"| {name} | {' | '.join(gains)} |")
        print(parts[-1], scores[-1], sep="\n", flush=True)
    branches = table(["graph", *tried], scores)
    return "\n".join([HEAD.format(date=datetime.now(UTC).date()), branches, *parts])


def table(head: list[str], lines: list[str]) -> str:
    """A Markdown table."""
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines]) + "\n"


HEAD = """# Similarities of path lengths

*Research note of {date}, written by `python -m benchmarks.hops --write`. [All notes](index.md)*

`affinity="hops"` replaces edges by entropic affinities of path lengths. `"drgraph"` is t-SNE with them, `"tsnet"` adds
the compression of tsNET. The number is the perplexity. `three terms` continues from `"tsnet"` with the repulsion of the
paper as well. N1 and N2 are neighborhoods within one and two edges. Stress compares distances with hops at the best
scale. All numbers are medians of three seeds. The paper's own numbers are not among them.

## As a branch of "auto"

The score of "auto" for each drawing beside the score of the drawing of "auto":
"""


def main(arguments: list[str] | None = None) -> None:
    """Draw, measure and print; or write the note."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hops", description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), metavar="NAME")
    parser.add_argument("--write", action="store_true", help="write the note")
    given = parser.parse_args(arguments)
    text = page(given.graphs)
    if given.write:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
