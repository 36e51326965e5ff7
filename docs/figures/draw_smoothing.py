"""What random-walk smoothing does: neighboring US counties and US flights at several rho.

    python docs/figures/draw_smoothing.py        writes docs/images/smoothing.png, prints smoothing.md's table

The counties (US Census, public domain) are not kept in the repository: $NELAYOUT_DATA, or ../shared/data
beside the project, holds graphs/us_counties.npz. Drawings are turned over the map; they have not seen it.
"""

import io
import os
import sys
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from PIL import Image
from scipy.sparse import csr_array

import nelayout as nl

DOCS = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("NELAYOUT_DATA", DOCS.parents[1] / "shared" / "data"))
RHOS = (0.0, 0.5, 0.9, 0.99)
METHODS = {"gamma-quadlog": "gamma-QuadLog", "ws-sne": "ws-SNE"}


def connected(A: csr_array, *rest: np.ndarray) -> tuple:
    """The largest component and what belongs to its nodes."""
    G = nx.from_scipy_sparse_array(A)
    nodes = np.array(sorted(max(nx.connected_components(G), key=len)))
    return A[nodes][:, nodes], *(x[nodes] for x in rest)


def counties() -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Which counties touch, the map (degrees made square), and their states."""
    data = np.load(DATA / "graphs" / "us_counties.npz")
    n, ends = int(data["n"]), (data["rows"], data["cols"])
    half = csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
    A, where, state = connected(half + half.T, data["coords"], data["labels"])
    where = where * np.array([np.cos(np.radians(np.nanmedian(where[:, 1]))), 1.0])
    return A, where, state


def airports() -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Who flies where, whether flights are many or few; the map and the states."""
    G = nx.Graph(nx.read_graphml(DOCS.parent / "examples" / "data" / "usairports2010.graphml"))
    where = np.array([(d.get("lon", np.nan), d.get("lat", np.nan)) for _, d in G.nodes(data=True)])
    state = np.unique([d.get("state", "") for _, d in G.nodes(data=True)], return_inverse=True)[1]
    A, where, state = connected(csr_array(nx.to_scipy_sparse_array(G, weight=None)), where, state)
    return A, where * np.array([np.cos(np.radians(np.nanmedian(where[:, 1]))), 1.0]), state


def like_the_map(Y: np.ndarray, where: np.ndarray) -> tuple[np.ndarray, float]:
    """The drawing over the map, and the part of the map's variance that it explains (Procrustes R^2)."""
    turned = nl.align(Y, where)
    known = ~np.isnan(where[:, 0])
    rest = where[known] - turned[known]
    middle = where[known] - where[known].mean(axis=0)
    return turned, float(1 - (rest**2).sum() / (middle**2).sum())


def panel(ax, A: csr_array, Y: np.ndarray, state: np.ndarray, title: str) -> None:
    """Edges faint, nodes in the colors of their states."""
    rows = np.repeat(np.arange(len(Y)), np.diff(A.indptr))
    once = rows < A.indices
    lines = np.stack([Y[rows[once]], Y[A.indices[once]]], axis=1)
    faint = min(0.3, 500 / len(lines))
    ax.add_collection(LineCollection(lines, colors="#9098a4", linewidths=0.3, alpha=faint, rasterized=True))
    ax.scatter(*Y.T, s=1.6, c=state * 7 % 20, cmap="tab20", linewidths=0, zorder=2)
    ax.set_title(title, fontsize=8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    ax.autoscale_view()


def save(figure: Figure, path: Path) -> None:
    """A PNG of few colors: faint edges compress badly in full color."""
    sheet = io.BytesIO()
    figure.savefig(sheet, format="png", dpi=105)
    Image.open(sheet).convert("RGB").quantize(128, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def main() -> int:
    figure = Figure(figsize=(9, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    rows = figure.subplots(3, len(RHOS))
    shown = [(counties(), "gamma-quadlog"), (counties(), "ws-sne"), (airports(), "ws-sne")]
    for axes, (graph, method), what in zip(rows, shown, ("counties", "counties", "flights"), strict=True):
        A, where, state = graph
        for ax, rho in zip(axes, RHOS, strict=True):
            solution = nl.solve(A, method, smoothing=rho, seed=0)
            Y, explained = like_the_map(solution.positions, where)
            panel(ax, A, Y, state, f"{METHODS[method]}, {what}, ρ = {rho:g}")
            measured = nl.measure(A, Y, measures=["neighborhood", "stress"])
            line = [METHODS[method], what, f"{rho:g}", f"{float(measured['neighborhood']):.2f}"]
            line += [f"{float(measured['stress']):.3f}", f"{explained:.2f}"]
            print(f"| {' | '.join(line)} |", *solution.notes)
    save(figure, DOCS / "images" / "smoothing.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
