"""Large real graphs as `nl.layout(G)` and `nl.draw` show them: the pictures of docs/large.md.

    python docs/figures/draw_large.py            writes docs/images/large-*.png, prints what large.md says of each
    python docs/figures/draw_large.py 3elt mnist draws these alone

$NELAYOUT_DATA, or ../shared/data beside the project, holds graphs/*.npz and vectors/mnist.npz, which are not kept in
the repository; a graph that is not there is skipped.
"""

import io
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import nelayout as nl

DOCS = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("NELAYOUT_DATA", DOCS.parents[1] / "shared" / "data"))
WIDTH = 1200  # pixels
LARGEST = 400_000  # bytes


@dataclass(frozen=True)
class Picture:
    """What is drawn. color: "label", "degree" or None; map: its true coordinates are drawn beside it."""

    name: str
    color: str | None = None
    map: bool = False
    folder: str = "graphs"

    @property
    def source(self) -> Path:
        """The file that holds the data."""
        return DATA / self.folder / f"{self.name}.npz"


PICTURES = (
    Picture("luxembourg", map=True),
    Picture("minnesota", map=True),
    Picture("us_counties", "label", map=True),
    Picture("3elt"),
    Picture("sierpinski3d"),
    Picture("mnist", "label", folder="vectors"),
    Picture("soc_slashdot0902", "degree"),
    Picture("finan512"),
)


def read(picture: Picture) -> tuple[csr_array, np.ndarray | None, np.ndarray | None]:
    """The largest component, its labels and its map (degrees made square)."""
    stored = np.load(picture.source)
    if picture.folder == "vectors":
        A = nl.knn_graph(stored["X"].astype(np.float32), n_neighbors=10)
        labels, where = stored["y"], None
    else:
        n, ends = int(stored["n"]), (stored["rows"], stored["cols"])
        half = csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
        A, labels, where = csr_array(half + half.T), stored.get("labels"), stored.get("coords")
    component = connected_components(A, directed=False)[1]
    keep = np.flatnonzero(component == np.bincount(component).argmax())
    if where is not None:
        where = where[keep].astype(float)
        if picture.name == "luxembourg":  # stored in 1e-5 degrees, a degree too far north
            where = where / 1e5 - [0.0, 1.0]
        if (np.nanmax(np.abs(where), axis=0) <= [180, 90]).all():
            where = where * [np.cos(np.radians(np.nanmedian(where[:, 1]))), 1.0]
    return csr_array(A[keep][:, keep]), None if labels is None else labels[keep], where


def colors(picture: Picture, A: csr_array, labels: np.ndarray | None) -> np.ndarray | None:
    """One value per node for `nl.draw`: the class, or the decimal logarithm of the degree."""
    if picture.color == "degree":
        return np.log10(np.diff(A.indptr))
    if picture.color == "label" and labels is not None:
        return labels if labels.max() < 12 else np.array([f"class {k}" for k in labels])
    return None


def beside_the_map(A: csr_array, Y: np.ndarray, where: np.ndarray, color: np.ndarray | None) -> Figure:
    """The drawing turned over the map, left, and the map, right: the nodes that have a place on it."""
    known = np.flatnonzero(~np.isnan(where).any(axis=1))
    A, Y, where = csr_array(A[known][:, known]), nl.align(Y, where)[known], where[known]
    color = None if color is None else color[known]
    width, height = np.transpose([np.ptp(Z, axis=0) for Z in (Y, where)])
    figure = Figure(figsize=(8.4, 8.4 / float(np.sum(width / height))), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 2, width_ratios=list(width / height))
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.99, wspace=0.04)
    for ax, Z in zip(axes, (Y, where), strict=True):
        nl.draw(A, Z, ax=ax, color=color, legend=False)
    return figure


def save(figure: Figure, path: Path) -> None:
    """A PNG of as many colors and pixels as make a small file: faint edges compress badly."""
    sheet = io.BytesIO()
    figure.savefig(sheet, format="png", dpi=2 * WIDTH / figure.get_size_inches()[0])
    image = Image.open(sheet).convert("RGB")
    for width in range(WIDTH, WIDTH // 2, -WIDTH // 12):
        small = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
        for few in (256, 128, 64):
            # An octree keeps the few pixels of a legend in their colors.
            small.quantize(few, Image.Quantize.FASTOCTREE, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)
            if path.stat().st_size < LARGEST:
                return


def main(names: list[str]) -> int:
    nl.layout(np.ones((5, 5)) - np.eye(5), seed=0)  # numba compiles once
    for picture in PICTURES:
        if names and picture.name not in names:
            continue
        if not picture.source.is_file():
            print(f"{picture.name}: skipped, there is no {picture.source}; NELAYOUT_DATA names the folder of the data")
            continue
        A, labels, where = read(picture)
        began, worked = time.perf_counter(), time.process_time()
        Y = nl.layout(A, seed=0)
        seconds, work = time.perf_counter() - began, time.process_time() - worked
        color = colors(picture, A, labels)
        began = time.perf_counter()
        if picture.map and where is not None:
            figure = beside_the_map(A, Y, where, color)
        else:
            figure = nl.draw(A, Y, color=color)
        path = DOCS / "images" / f"large-{picture.name.replace('_', '-')}.png"
        save(figure, path)
        drawn = time.perf_counter() - began
        about = [f"{A.shape[0]:,} nodes", f"{A.nnz // 2:,} edges", f"{seconds:.1f} s ({work:.1f} s of processor time)"]
        about.append(f"picture {drawn:.1f} s")
        print(f"{path.name}: {', '.join(about)}, {path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
