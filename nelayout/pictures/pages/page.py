"""`Page`, the drawings of a graph and what is known of its nodes, as one HTML file."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs.files import check_output, deliver
from nelayout.pictures.colors import PLAIN
from nelayout.pictures.pages.columns import Column, shortened
from nelayout.pictures.pages.frames import Frames
from nelayout.pictures.pages.packed import embedded, node_numbers, packed
from nelayout.pictures.paper import DARK, WHITE
from nelayout.pictures.space import VIEW

__all__ = ["LARGEST", "Drawn", "Page"]

# The program, in the order in which its files stand in the page.
_PROGRAM = (
    "data.js", "space.js", "webgl.js", "plain.js", "panel.js", "gestures.js", "controls.js", "theme.js", "start.js",
)  # fmt: skip
# Bytes of the largest page that is written: one of 96 MB, with 1.6 million nodes and 4.5 million edges, took Chromium
# 12 seconds to open, on two cores without a graphics card.
LARGEST = 100_000_000
# Bytes of the largest page that a notebook takes into itself: it is stored there with every saved output.
_IN_NOTEBOOK = 4_000_000
# Height in pixels of a page within a notebook, with one drawing and with several.
_HEIGHT = (720, 860)
# Bytes that base64 needs for three.
_BASE64 = 4 / 3


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A drawing on a page.

    name   its heading
    Y      (n, 2 or 3) places, in units of its own: a page brings every drawing to one size
    facts  further short texts beside the heading: "0.3 s", "the best of 3 seeds"
    """

    name: str
    Y: np.ndarray
    facts: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One or more drawings of one graph as a page that needs neither network nor other files.

    In notebooks it shows itself; ``write`` makes a file of it.

    names        the names of the nodes, for search, hover and lists
    ends         (rows, cols), the nodes that each edge joins
    weights      (m,) the weight of each edge, by which the page can leave out weak ones; None where all are alike
    drawings     at least one `Drawn`
    columns      values of the nodes, see `Column`
    color        the name of the column that colors the nodes when the page opens, or one color for all
    title        the heading
    below        HTML under the drawings: tables, definitions; it is taken as it is, so its texts are escaped
    weight_name  what the weights are called
    frames       the nodes and edges at several times, to be played; then there is one drawing.  None: all are there
    """

    names: Sequence[str]
    ends: tuple[np.ndarray, np.ndarray]
    weights: np.ndarray | None
    drawings: Sequence[Drawn]
    columns: Sequence[Column] = ()
    color: str = PLAIN
    title: str = "A graph"
    below: str = ""
    weight_name: str = "weight"
    frames: Frames | None = None

    @property
    def size(self) -> int:
        """Bytes of the page, to a few percent, without making it."""
        n, m = len(self.names), len(self.ends[0])
        numbers = m * (4 if n <= 1 << 16 else 8) + (0 if self.weights is None else 4 * m)
        numbers += 4 * n * sum(drawing.Y.shape[1] for drawing in self.drawings)
        texts = sum(map(len, self.names)) + 3 * n + len(self.below)
        for column in self.columns:
            if column.kind == "texts":
                texts += sum(3 + min(len(str(value)), 200) for value in column.values)
            else:
                numbers += (8 if column.kind == "numbers" else 2) * n
        numbers += 0 if self.frames is None else self.frames.size
        return int(texts + _BASE64 * numbers) + sum(map(len, _parts(self.frames is not None)))

    def html(self) -> str:
        """The whole page.

        Raises `InputError` for one larger than browsers bear, 100 MB, before it is made.
        """
        if self.size > LARGEST:
            raise InputError(
                f"the page of {len(self.names)} nodes, {len(self.ends[0])} edges and {len(self.drawings)} drawings "
                f"would be {self.size / 1e6:.0f} MB, and browsers bear some {LARGEST / 1e6:.0f}: draw a picture "
                "instead (nelayout.draw, Comparison.plot; on the command line a png), or a subgraph"
            )
        style, program = _parts(self.frames is not None)
        digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode("ascii")
        # No network and no other script: also where a text should slip through as markup.
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title>\n<style>\n{style}</style></head><body>\n"
            f'<header><h1>{escape(self.title)}</h1><p id="count"></p></header>\n'
            '<noscript><p class="note">The drawings need JavaScript; the measures below do not.</p></noscript>\n'
            '<div id="bar" role="group" aria-label="Tools"></div>\n'
            '<main><div id="panels"></div><aside id="aside"></aside></main>\n'
            f'<section id="below">{self.below}</section>\n'
            '<p id="status" role="status" aria-live="polite" class="aside-text"></p>\n'
            f'<script type="application/json" id="data">{embedded(self._data())}</script>\n'
            f"<script>{program}</script>\n</body></html>\n"
        )

    def write(self, path: str | os.PathLike) -> None:
        """Write the page to a file, whole or not at all; "-" is standard output.

        Raises `InputError` for a folder that does not exist, and as `html` does.
        """
        check_output(path)
        deliver(path, self.html().encode("utf-8", "replace"))

    def _repr_html_(self) -> str:
        """The page in a frame of its own; where it is too heavy for a notebook, how to write it, and what is below."""
        if self.size > _IN_NOTEBOOK:
            return (
                f"<p>{escape(self.title)}: the page has {self.size / 1e6:.0f} MB, too much for a notebook; "
                f"<code>.write(&quot;page.html&quot;)</code> makes a file of it.</p>{self.below}"
            )
        height = _HEIGHT[len(self.drawings) > 1]
        return (
            f'<iframe srcdoc="{escape(self.html())}" title="{escape(self.title)}" '
            f'style="width:100%;height:{height}px;border:0" sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Page({self.title!r}: {len(self.names)} nodes, {len(self.ends[0])} edges, {self.size / 1e6:.1f} MB)"

    def _data(self) -> dict[str, Any]:
        n, m = len(self.names), len(self.ends[0])
        # Strong edges first, in random order where they are equally strong: the page draws a first part of them while
        # it moves, and those above a weight.
        order = np.random.default_rng(0).permutation(m)
        if self.weights is not None:
            order = order[np.argsort(-self.weights[order], kind="stable")]
        names = [drawing.name for drawing in self.drawings]
        film = {} if self.frames is None else {"film": self.frames.held(order)}
        return film | {
            "title": self.title,
            "names": [shortened(name) for name in self.names],
            "rows": packed(node_numbers(self.ends[0][order], n)),
            "cols": packed(node_numbers(self.ends[1][order], n)),
            "weights": None if self.weights is None else packed(self.weights[order].astype(np.float32)),
            "weightName": self.weight_name,
            "drawings": [
                {"name": each.name, "facts": list(each.facts), "xyz"[: each.Y.shape[1]]: packed(_fitted(each.Y))}
                for each in self.drawings
            ],
            "view": VIEW.ravel().tolist(),
            "columns": [column.held(names) for column in self.columns],
            "color": self.color,
            "plain": [WHITE.plain, DARK.plain],
            "unknown": [WHITE.unknown, DARK.unknown],
        }


def _fitted(Y: np.ndarray) -> np.ndarray:
    """Places (n, dim) with the middle of their box at 0 and the longer side from -1 to 1, as float32."""
    if not len(Y):
        return np.zeros(Y.shape, np.float32)
    low, high = Y.min(axis=0), Y.max(axis=0)
    half = float((high / 2 - low / 2).max())
    return ((Y - (low / 2 + high / 2)) / (half if half > 0 else 1.0)).astype(np.float32)


@cache
def _parts(film: bool) -> tuple[str, str]:
    """The style and the program, with what plays a film where there is one."""
    folder = files("nelayout.pictures.pages").joinpath("program")
    scripts, styles = (*_PROGRAM, *["film.js"] * film), ("page.css", *["film.css"] * film)
    program = "\n".join(folder.joinpath(name).read_text("utf-8") for name in scripts)
    style = "".join(folder.joinpath(name).read_text("utf-8") for name in styles)
    return style, f'"use strict";\n(() => {{\n{program}\n}})();\n'
