"""A growing citation graph held in place and drawn anew: writes docs/images/changing.png.

    python docs/figures/draw_changing.py

The graph is read as the benchmarks read it, from the data folder.  Nodes of the first snapshot have the color of their
place in it, later ones are black: where colors stay together, the reader's map has stayed.
"""

import io
import sys
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import hsv_to_rgb
from matplotlib.figure import Figure
from PIL import Image

DOCS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCS.parent))

import nelayout as nl  # noqa: E402
from benchmarks.changing_graphs import anew, growing  # noqa: E402

SHOWN = (0, 6, 13, 19)
METHOD = "tsne"


def colors_of(pos: dict) -> dict:
    """A color for each node of the first drawing, by its place: the hue goes around, the middle is pale."""
    Y = np.array(list(pos.values()))
    Y = Y - Y.mean(axis=0)
    angle, away = np.arctan2(Y[:, 1], Y[:, 0]), np.hypot(Y[:, 0], Y[:, 1])
    away = np.minimum(away / np.quantile(away, 0.9), 1.0)
    hsv = np.stack([angle / (2 * np.pi) % 1, 0.25 + 0.75 * away, np.full(len(away), 0.9)], axis=1)
    return dict(zip(pos, hsv_to_rgb(hsv), strict=True))


def panel(ax, G: nx.Graph, pos: dict, colors: dict, title: str) -> None:
    """One drawing."""
    segments = [(pos[u], pos[v]) for u, v in G.edges]
    ax.add_collection(LineCollection(segments, colors="0.35", linewidths=0.3, alpha=0.25, zorder=1))
    nodes = sorted(G, key=lambda v: v not in colors)
    Y = np.array([pos[v] for v in nodes])
    ax.scatter(Y[:, 0], Y[:, 1], s=2.2, c=[colors.get(v, (0, 0, 0)) for v in nodes], linewidths=0, zorder=2)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_title(title, fontsize=8)


def main() -> None:
    """Draw and write."""
    snapshots = growing("cora", "breadth-first", 20, 0.8, 0)
    film = nl.layout_sequence(snapshots, METHOD, seed=0)
    _, laid = anew(snapshots, METHOD, 0)
    colors = colors_of(film[0])
    figure = Figure(figsize=(10, 5.3), dpi=110)
    axes = figure.subplots(2, len(SHOWN))
    for column, t in enumerate(SHOWN):
        size = f"{len(snapshots[t]):,} nodes"
        for row, (name, pos) in enumerate((("held", film[t]), ("drawn anew", laid[t]))):
            panel(axes[row, column], snapshots[t], pos, colors, f"{name}, snapshot {t + 1}: {size}")
    low = min(Y.min() for pos in film.positions for Y in [np.array(list(pos.values()))])
    high = max(Y.max() for pos in film.positions for Y in [np.array(list(pos.values()))])
    for ax in axes[0]:
        ax.set_xlim(low, high)
        ax.set_ylim(low, high)
    figure.tight_layout(pad=0.4)
    content = io.BytesIO()
    FigureCanvasAgg(figure).print_png(content)
    Image.open(content).convert("RGB").quantize(256).save(DOCS / "images" / "changing.png", optimize=True)


if __name__ == "__main__":
    main()
