"""The pictures on the page of `benchmarks.findings_yang`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.findings_pictures import COLORS, finish, panels

METHODS = ("sfdp", "LinLog", "t-SNE", "EE", "ws-SNE")
MOST_DOTS = 12_000
"""Of a panel: more make the file large and the picture no clearer."""
MOST_COLORS = 200
"""Of a picture with many dots, so that its file stays small."""
CUT = 0.005
"""Part of the nodes at each edge of a panel that may lie outside of it, as the paper zooms in."""


def dots(axis: Any, file: Path) -> None:
    """A drawing as dots in the colors of its classes, or from west (dark) to east where there are none."""
    from matplotlib import colormaps

    if not file.exists():
        axis.text(0.5, 0.5, "not drawn", ha="center", va="center", fontsize=8, color="#888888")
        return
    stored = np.load(file)
    Y, labels = stored["Y"].astype(float), stored["labels"]
    some = np.random.default_rng(0).permutation(len(Y))[: max(MOST_DOTS, 0)]
    if np.issubdtype(labels.dtype, np.integer):
        _, codes = np.unique(labels, return_inverse=True)
        color = colormaps["tab10"](codes[some] % 10)
    else:
        color = colormaps["viridis"]((labels[some] - labels.min()) / np.ptp(labels))
    axis.scatter(*Y[some].T, s=min(9.0, 4000.0 / len(some)), c=color, linewidths=0)
    low, high = np.quantile(Y, CUT, axis=0), np.quantile(Y, 1 - CUT, axis=0)
    middle, half = (low + high) / 2, 0.55 * float(np.max(high - low))
    axis.set_xlim(middle[0] - half, middle[0] + half)
    axis.set_ylim(middle[1] - half, middle[1] + half)


def bare(axes: np.ndarray) -> None:
    """No ticks, equal units."""
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[], aspect="equal", box_aspect=1)
        for side in axis.spines.values():
            side.set_color("#cccccc")


def save_small(figure: Any, path: Path) -> None:
    """A PNG with few colors."""
    from PIL import Image

    figure.canvas.draw()
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    path.parent.mkdir(exist_ok=True)
    image.quantize(MOST_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def draw_grid(
    parts: dict[str, Any], titles: dict[str, str], manner: str, columns: Iterable[str], folder: Path, path: Path
) -> None:
    """[Y14, figure 1]: sets in rows, methods in columns, the number that counts above each drawing."""
    columns = list(columns)
    figure, axes = panels(len(parts), len(columns), 8.5 * len(parts) / len(columns))
    for row, (name, part) in zip(axes, parts.items(), strict=True):
        for axis, method in zip(row, columns, strict=True):
            dots(axis, folder / f"{name}.{manner}.{method}.npz")
            numbers = part[manner].get(method, {})
            shown = (f"{word} {numbers[key]:.2f}" for key, word in SHOWN.items() if key in numbers)
            axis.set_title(f"{method}, {next(shown, '')}".rstrip(", "), fontsize=8, pad=3)
        row[0].set_ylabel(titles[name], fontsize=9)
    bare(axes)
    save_small(figure, path)


SHOWN = {"auc": "AUC", "r2": "R²"}


def draw_curves(parts: dict[str, Any], titles: dict[str, str], smoothed: dict[str, Any], path: Path) -> None:
    """[Y14, figure 2]: mean precision over mean recall, a panel for each set with classes."""
    figure, axes = panels(1, len(parts), 3.0)
    for axis, (name, part) in zip(axes.flat, parts.items(), strict=True):
        for color, method in zip(COLORS, METHODS, strict=True):
            if "curve" in part["ours"].get(method, {}):
                axis.plot(*part["ours"][method]["curve"], color=color, lw=1.2, label=method)
        if name == "shuttle":
            axis.plot(*smoothed["0.99"]["curve"], color="#888888", ls="--", lw=1.2, label="gamma-QuadLog, 0.99")
        axis.set_title(titles[name], fontsize=9)
        axis.set_ylim(0, 1)
    axes[0, 0].legend(fontsize=6.5, loc="lower left")
    finish(figure, axes.flat, "mean recall", "mean precision", path)


def draw_smoothing(parts: dict[str, Any], folder: Path, path: Path) -> None:
    """[Y14, figure 3]: gamma-QuadLog, starts in rows, rho in columns."""
    columns = list(next(iter(parts.values())))
    figure, axes = panels(len(parts), len(columns), 6.0)
    for row, (manner, part) in zip(axes, parts.items(), strict=True):
        for axis, rho in zip(row, columns, strict=True):
            dots(axis, folder / f"smoothing.{manner}.{rho}.npz")
            axis.set_title(f"rho = {rho}, AUC {part[rho]['auc']:.2f}", fontsize=8, pad=3)
        row[0].set_ylabel({"ours": "our start", "random": "random start"}[manner], fontsize=9)
    bare(axes)
    save_small(figure, path)


def draw_optimizers(parts: dict[str, Any], path: Path) -> None:
    """[Y15]: J above the least that any optimizer found, over processor seconds (above) and steps (below)."""
    figure, axes = panels(2, len(parts), 4.6)
    for column, (name, part) in zip(axes.T, parts.items(), strict=True):
        first = {label: runs[0] for label, runs in part["runs"].items()}
        least = min(run["value"] for run in first.values())
        for color, (label, run) in zip(COLORS, first.items(), strict=True):
            J = np.minimum.accumulate(run["J"]) - least
            # A curve that reaches the least ends at the lower edge of the logarithmic axis.
            J = np.maximum(J, 1e-3)
            column[0].plot(np.maximum(run["time"], 1e-4), J, color=color, lw=1.2, label=label)
            column[1].plot(np.maximum(run["step"], 0.8), J, color=color, lw=1.2)
        column[0].set_title(f"{name}, {part['n']:,}", fontsize=9)
        column[0].set_xlabel("seconds", fontsize=8)
        column[1].set_xlabel("steps", fontsize=8)
        for axis in column:
            axis.set(xscale="log", yscale="log", ylim=(9e-4, None))
        column[0].set_xlim(run["seconds"] / 300, None)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=8)
    finish(figure, axes.flat, "", "J above the least", path)
