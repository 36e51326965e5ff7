"""Elastic Embedding with lambda = 1 and with the connection scalar, on one graph in three units of weight.

    python docs/figures/draw_connection.py        writes docs/images/connection.png

The graph joins each of 1,797 handwritten digits to its ten nearest; colors are the digits.
"""

import sys
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import nelayout as nl

PICTURE = Path(__file__).resolve().parents[1] / "images" / "connection.png"
# Enough for every one of the six to come to rest.
MOST_STEPS = 3000


def main() -> int:
    digits: Any = load_digits()
    graph = nl.knn_graph(digits.data, n_neighbors=10)
    units = {"weights of sum 1": 1 / graph.sum(), "each weight 1": 1.0, "each weight 1000": 1000.0}
    scalar = nl.Method(kernel="gaussian", divergence="i-divergence", connection="optimal", mass="unit")
    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3)
    for column, (title, unit) in zip(axes.T, units.items(), strict=True):
        for axis, method in zip(column, ("ee", scalar), strict=True):
            solution = nl.solve(graph * unit, method, scale=None, seed=0, max_iter=MOST_STEPS)
            axis.scatter(*solution.positions.T, c=digits.target, cmap="tab10", s=1.5, linewidths=0)
            axis.set_aspect("equal", adjustable="datalim")
            axis.set(xticks=[], yticks=[])
            axis.set_xlabel(rf"$\lambda$ = {solution.connection:.2g}", fontsize=9)
            print(title, f"lambda {solution.connection:.3g}", len(solution.trace), solution.reason, sep=", ")
        column[0].set_title(title, fontsize=10)
    axes[0, 0].set_ylabel(r"Elastic Embedding, $\lambda$ = 1")
    axes[1, 0].set_ylabel("with the connection scalar")
    figure.savefig(PICTURE, dpi=90)
    return 0


if __name__ == "__main__":
    sys.exit(main())
