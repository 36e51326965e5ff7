"""Draws docs/images/family.png: scikit-learn's digits by SNE, its relatives and t-SNE under other divergences.

    python docs/figures/draw_family.py        needs scikit-learn and matplotlib
"""

from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import nelayout as nl

OUT = Path(__file__).resolve().parents[1] / "images" / "family.png"
SHOWN = {
    "SNE": ("sne", {}),
    "NeRV, kappa 0.5": ("nerv", {"kappa": 0.5}),
    "JSE, kappa 0.5": ("jse", {"kappa": 0.5}),
    "alpha-SNE, alpha 0.5": ("alpha-sne", {"alpha": 0.5}),
    "t-SNE (ft-SNE, kl)": ("ftsne", {"divergence": "kl"}),
    "ft-SNE, reverse-kl": ("ftsne", {"divergence": "reverse-kl"}),
    "ft-SNE, js": ("ftsne", {"divergence": "js"}),
    "ft-SNE, hellinger": ("ftsne", {"divergence": "hellinger"}),
    "ft-SNE, chi2": ("ftsne", {"divergence": "chi2"}),
}


def main() -> None:
    """Nine drawings of one graph."""
    digits = load_digits()
    A = nl.knn_graph(digits.data, 10, seed=0)
    figure = Figure(figsize=(9, 9.4), layout="constrained")
    for ax, (title, (method, own)) in zip(figure.subplots(3, 3).ravel(), SHOWN.items(), strict=True):
        layout = getattr(nl, f"{method.replace('-', '_')}_layout")
        Y = layout(A, seed=0, **own)
        ax.scatter(*Y.T, c=digits.target, cmap=colormaps["tab10"], s=4, lw=0)
        ax.set_title(title, fontsize=10)
        ax.set_aspect("equal")
        ax.set_axis_off()
        print(title, np.abs(Y).max())
    figure.savefig(OUT, dpi=100)


if __name__ == "__main__":
    main()
