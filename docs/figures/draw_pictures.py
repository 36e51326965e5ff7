"""The pictures of docs/pictures.md: edges drawn in three ways, dark paper, and drawings in space.

    python docs/figures/draw_pictures.py        writes docs/images/edges.png, flights.png, dark.png and space.png
"""

import io
import sys
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

import nelayout as nl

DOCS = Path(__file__).resolve().parents[1]
AIRPORTS = DOCS.parent / "examples" / "data" / "usairports2010.graphml"
WIDTH = 1200  # pixels


def mainland() -> tuple[nx.Graph, dict]:
    """The airports of the 48 states, where they lie on the map."""
    G = nx.Graph(nx.read_graphml(AIRPORTS))
    places = {v: (d.get("lon", 0.0), d.get("lat", 0.0)) for v, d in G.nodes(data=True)}
    inside = [v for v, (x, y) in places.items() if -126 < x < -66 and 24 < y < 50]  # degrees
    G = G.subgraph(inside)
    G = G.subgraph(max(nx.connected_components(G), key=len))
    mean = np.radians(np.mean([places[v][1] for v in G]))
    return G, {v: (places[v][0] * np.cos(mean), places[v][1]) for v in G}


def save(figure: Figure, name: str) -> None:
    """A PNG of few colors: faint edges compress badly."""
    sheet = io.BytesIO()
    figure.savefig(sheet, format="png", dpi=2 * WIDTH / figure.get_size_inches()[0])
    image = Image.open(sheet).convert("RGB")
    small = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    path = DOCS / "images" / f"{name}.png"
    small.quantize(128, Image.Quantize.FASTOCTREE, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


def row(count: int) -> tuple[Figure, list]:
    """A figure of square axes side by side."""
    figure = Figure(figsize=(14, 14 / count + 0.4), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, count)
    figure.subplots_adjust(0.005, 0.005, 0.995, 0.92, wspace=0.02)
    return figure, list(axes)


def main() -> int:
    clusters = nx.planted_partition_graph(14, 30, 0.4, 0.012, seed=0)
    pos = nl.ws_sne_layout(clusters, seed=0)
    figure, axes = row(3)
    for ax, edges in zip(axes, ("straight", "faded", "bundled"), strict=True):
        nl.draw(clusters, pos, ax=ax, edges=edges, title=f'edges="{edges}"')
    save(figure, "edges")

    G, places = mainland()
    save(nl.draw(G, places, edges="bundled", color="degree", background="dark"), "flights")

    characters = nx.les_miserables_graph()
    groups = nx.community.louvain_communities(characters, seed=0)
    color = {v: f"group {k + 1}" for k, group in enumerate(groups) for v in group}
    pos = nl.ws_sne_layout(characters, seed=0)
    picture = nl.draw(characters, pos, background="dark", color=color, labels=True, edges="bundled", figsize=(12, 8))
    save(picture, "dark")

    figure, axes = row(2)
    nl.draw(characters, nl.ws_sne_layout(characters, dim=3, seed=0), ax=axes[0], color=color, title="from one side")
    axes[1].remove()
    grid = nx.grid_graph((6, 6, 6))
    ax = figure.add_axes((0.5, 0.0, 0.5, 0.92), projection="3d")
    degree = {v: f"{d} neighbors" for v, d in grid.degree}
    nl.draw(grid, nl.ws_sne_layout(grid, dim=3, seed=0), ax=ax, color=degree, title="on 3-D axes, which turn")
    save(figure, "space")
    return 0


if __name__ == "__main__":
    sys.exit(main())
