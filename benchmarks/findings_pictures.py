"""The pictures on the page of `benchmarks.findings`, from the same numbers as its tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

COLORS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
WIDTH, DPI = 8.5, 100


def panels(rows: int, columns: int, height: float) -> tuple[Any, np.ndarray]:
    """A figure that needs no display, and its (rows, columns) axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def finish(figure: Any, axes: Iterable[Any], across: str, up: str, path: Path) -> None:
    """Labels at the edges, a faint grid, and the file."""
    for axis in axes:
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
    figure.supxlabel(across, fontsize=9)
    figure.supylabel(up, fontsize=9)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


def curve(axis: Any, row: dict[str, Any], **style: Any) -> None:
    """R_NX over all K."""
    gain = np.array(row["curve"])
    axis.plot(np.arange(1, len(gain) + 1), gain, **{"lw": 1.2, **style})
    axis.set_xscale("log")


def draw_methods(parts: dict[str, Any], titles: dict[str, str], path: Path) -> None:
    """R_NX over K of the four methods, a panel for each set."""
    columns = min(len(parts), 3)
    rows = -(-len(parts) // columns)
    figure, axes = panels(rows, columns, 2.4 * rows)
    for axis, (name, part) in zip(axes.flat, parts.items(), strict=False):
        for color, method in zip(COLORS, ("SNE", "NeRV", "JSE", "t-SNE"), strict=False):
            curve(axis, part["methods"][method], color=color, label=method)
        axis.set_title(titles[name], fontsize=9)
    for axis in axes.flat[len(parts) :]:
        axis.set_visible(False)
    axes[0, 0].legend(fontsize=7)
    finish(figure, axes.flat, "K", "R(K)", path)


def draw_kappa(parts: dict[str, Any], titles: dict[str, str], kappas: Iterable[str], path: Path) -> None:
    """R_NX over K for several kappa: parts[name][method][kappa] are rows, and parts[name]["t-SNE"] beside them."""
    from matplotlib import colormaps

    kappas = list(kappas)
    figure, axes = panels(2, len(parts), 4.8)
    for column, (name, part) in zip(axes.T, parts.items(), strict=True):
        for axis, method in zip(column, ("NeRV", "JSE"), strict=True):
            for shade, kappa in zip(np.linspace(0.0, 0.9, len(kappas)), kappas, strict=True):
                curve(axis, part[method][kappa], color=colormaps["viridis"](shade), label=kappa)
            curve(axis, part["t-SNE"], color="black", ls=":", label="t-SNE")
            axis.set_title(f"{method}, {titles[name]}", fontsize=9)
            axis.sharey(column[0])
    axes[0, 0].legend(fontsize=7, title="kappa", title_fontsize=7)
    finish(figure, axes.flat, "K", "R(K)", path)


def draw_f(parts: dict[str, Any], divergences: dict[str, str], path: Path) -> None:
    """F over the mean number of neighbors, a panel for each set and perplexity."""
    columns = min(len(parts), 4)
    figure, axes = panels(-(-len(parts) // columns), columns, 4.6)
    for axis, (title, part) in zip(axes.flat, parts.items(), strict=False):
        for color, (key, short) in zip(COLORS, divergences.items(), strict=True):
            axis.plot(part["sizes"], part["divergences"][key]["f"], "o-", ms=2.5, lw=1.2, color=color, label=short)
        axis.set_xscale("log")
        axis.set_xticks(part["sizes"], [str(size) for size in part["sizes"]])
        axis.minorticks_off()
        axis.set_title(title, fontsize=8)
    for axis in axes.flat[len(parts) :]:
        axis.set_visible(False)
    axes[0, 0].legend(fontsize=7)
    finish(figure, axes.flat, "neighbors in the data (mean)", "F", path)


def draw_alpha(orders: dict[str, Any], choices: dict[str, Any], path: Path) -> None:
    """The area under precision and recall over alpha, and where alpha="auto" comes to lie."""
    figure, axes = panels(1, len(orders), 2.7)
    for axis, (name, part) in zip(axes.flat, orders.items(), strict=True):
        alphas = [float(alpha) for alpha in part["alpha"]]
        axis.plot(alphas, list(part["alpha"].values()), "o-", ms=3, lw=1.2, color=COLORS[1], label="alpha-SNE")
        runs = choices[name]["runs"]
        chosen = [run["alpha"] for run in runs]
        axis.plot(chosen, [run["walked"] for run in runs], "*", ms=9, color=COLORS[2], label='drawing of "auto"')
        axis.plot(chosen, [run["scratch"] for run in runs], "x", ms=6, color=COLORS[0], label="redrawn at its alpha")
        axis.set_title(name, fontsize=9)
    axes[0, -1].legend(fontsize=7)
    finish(figure, axes.flat, "alpha", "area", path)
