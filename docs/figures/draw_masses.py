"""What the mass does to hubs: ws-SNE of the flights between US airports with each of the named masses.

    python docs/figures/draw_masses.py        writes docs/images/masses.png and prints the table of weights.md

The weights are log(1 + services) throughout; medians over seeds, the picture is of the first. Distances are
in units of the radius of the drawing (root mean square from the centroid).
"""

import io
import sys
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from PIL import Image

import nelayout as nl

DOCS = Path(__file__).resolve().parents[1]
AIRPORTS = DOCS.parent / "examples" / "data" / "usairports2010.graphml"
MASSES = ("unit", "degree", "strength", "closeness", "betweenness", "eigenvector")
HUBS = 20
LABELS, ROOM = 5, 0.35  # names per panel, and how far apart at least
SEEDS = 3
BLUE, ORANGE, GRAY = "#3b6ea5", "#d55e00", "#b9bec7"


def airports() -> nx.Graph:
    """The largest component."""
    G = nx.Graph(nx.read_graphml(AIRPORTS))
    return G.subgraph(max(nx.connected_components(G), key=len)).copy()


def drawing(G: nx.Graph, mass: str, seed: int) -> np.ndarray:
    """(n, 2) with the centroid at 0 and radius 1."""
    pos = nl.ws_sne_layout(G, weight="services", weight_kind="log", mass=mass, seed=seed)
    Y = np.array([pos[v] for v in G])
    Y -= Y.mean(axis=0)
    return Y / np.sqrt((Y**2).sum(axis=1).mean())


def hubs(G: nx.Graph) -> np.ndarray:
    """Indices of the nodes of highest degree, highest first."""
    degree = np.array([d for _, d in G.degree])
    return np.argsort(-degree, kind="stable")[:HUBS]


def figures(G: nx.Graph, Y: np.ndarray) -> dict[str, float]:
    """Where the hubs are, how far from each other and from their leaves."""
    top, degree = hubs(G), np.array([d for _, d in G.degree])
    index = {v: i for i, v in enumerate(G)}
    radius = np.linalg.norm(Y, axis=1)
    rank = radius.argsort().argsort() / (len(Y) - 1)
    apart = np.linalg.norm(Y[top][:, None] - Y[top][None], axis=2)
    np.fill_diagonal(apart, np.inf)
    ends = np.array([(index[u], index[v]) for u, v in G.edges])
    is_hub = np.isin(np.arange(len(Y)), top)
    for_leaf = np.array([(a, b) for a, b in np.r_[ends, ends[:, ::-1]] if is_hub[a] and degree[b] == 1])
    to_leaf = np.linalg.norm(Y[for_leaf[:, 0]] - Y[for_leaf[:, 1]], axis=1)
    measured = nl.measure(G, dict(zip(G, Y, strict=True)), measures=["neighborhood", "stress"], weight=None)
    return {
        "hubs: distance from the center": float(radius[top].mean()),
        "hubs: rank in radius": float(np.median(rank[top])),
        "hub to nearest hub": float(np.median(apart.min(axis=1))),
        "hub to its leaves": float(np.median(to_leaf)),
        "neighborhood": float(measured["neighborhood"]),
        "stress": float(measured["stress"]),
    }


def panel(ax, G: nx.Graph, Y: np.ndarray, title: str) -> None:
    """Edges faint, hubs in color, the rest in gray."""
    index = {v: i for i, v in enumerate(G)}
    ends = np.array([(index[u], index[v]) for u, v in G.edges])
    top = hubs(G)
    ax.add_collection(LineCollection(Y[ends], colors=BLUE, linewidths=0.3, alpha=0.07, rasterized=True))
    ax.scatter(*Y.T, s=4, color=GRAY, linewidths=0, zorder=2)
    ax.scatter(*Y[top].T, s=22, color=ORANGE, edgecolors="white", linewidths=0.5, zorder=3)
    names, named = list(G), []
    for i in top:  # as far as there is room
        if len(named) < LABELS and all(np.linalg.norm(Y[i] - Y[j]) > ROOM for j in named):
            ax.annotate(names[i], Y[i], xytext=(3, 3), textcoords="offset points", fontsize=7, zorder=4)
            named.append(i)
    ax.set_title(title, fontsize=10)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    ax.autoscale_view()


def save(figure: Figure, path: Path) -> None:
    """A PNG of few colors: faint edges compress badly in full color."""
    sheet = io.BytesIO()
    figure.savefig(sheet, format="png", dpi=105)
    Image.open(sheet).convert("RGB").quantize(96, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def main() -> int:
    G = airports()
    rows = {}
    figure = Figure(figsize=(9, 6.2), layout="constrained")
    FigureCanvasAgg(figure)
    for ax, mass in zip(figure.subplots(2, 3).flat, MASSES, strict=True):
        drawings = [drawing(G, mass, seed) for seed in range(SEEDS)]
        every = [figures(G, Y) for Y in drawings]
        rows[mass] = {name: float(np.median([row[name] for row in every])) for name in every[0]}
        panel(ax, G, drawings[0], mass)
    save(figure, DOCS / "images" / "masses.png")
    names = list(rows["unit"])
    print(f"| mass | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|", sep="\n")
    for mass, row in rows.items():
        print(f"| {mass} | {' | '.join(f'{row[name]:.2f}' for name in names)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
