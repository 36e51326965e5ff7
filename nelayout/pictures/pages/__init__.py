"""`explore`, and `Page`: drawings of a graph and values of its nodes as one HTML file.

A page is data and a program. The data are names, values, edges, and one position per node and drawing. The program
draws them with WebGL. Values of nodes are columns. Their kind follows the rule of colors in pictures.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, TypeGuard

import numpy as np

from nelayout import graphs
from nelayout.core.placing.shapes import SHAPES, outlines, shape_gap
from nelayout.errors import InputError, unknown
from nelayout.graphs.files import PathOrBuffer, check_output, deliver
from nelayout.graphs.groups import groups_of
from nelayout.graphs.plain import Named, listed, plain_value, spelled
from nelayout.pictures.colors import (
    AMOUNTS,
    LEGEND,
    PLAIN,
    SCALES,
    class_names,
    classes_of,
    is_color,
    is_known,
    palette,
    scale_limits,
    scale_numbers,
    unknown_color,
    with_dates,
)
from nelayout.pictures.paper import DARK, WHITE
from nelayout.pictures.space import VIEW
from nelayout.pictures.style import STYLE

__all__ = [
    "Column", "Drawn", "Frames", "Page", "box_of", "color_of", "explore", "fitted", "hex_color", "network_page",
    "of_solution", "page_data", "page_of", "shortened", "solution_page", "widget_program",
]  # fmt: skip

# The parts of the program, in their order. "film" follows if there are frames, then "start" in a file or "widget".
_PROGRAM = ("data", "space", "webgl", "plain", "panel", "gestures", "controls", "theme", "page")
MAX_PAGE_BYTES = 100_000_000  # bytes of the largest page for browsers
_MAX_NOTEBOOK_BYTES = 4_000_000  # bytes of the largest page inside a notebook
_MAX_LETTERS = 200  # largest number of letters of a name or value in a page
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


# Turns an array or a list of texts into data for the program.
Pack = Callable[[Any], Any]


class Column:
    """One value per node, shown beside its name; the nodes may be colored by it.

    `values` are in node order, None or NaN for a node without a value. `drawing` names the drawing with these values,
    None stands for all; columns with the same name are one choice. `amount`: whole numbers are never classes. Columns
    of the kinds "classes" and "numbers" have colors, columns of the kind "texts" do not.
    """

    def __init__(
        self, name: str, values: Sequence | np.ndarray, drawing: str | None = None, amount: bool = False
    ) -> None:
        self.name, self.drawing, self.kind, self.unit = name, drawing, "texts", ""
        self.values: Any
        if is_numeric(values) and np.isfinite(values).any():
            finite = np.isfinite(values)
            distinct = np.unique(values[finite])
            if amount or len(distinct) > LEGEND or not (distinct == np.floor(distinct)).all():
                self.kind, self.classes = "numbers", None
                self.values = np.where(finite, values, np.nan).astype(np.float64)
            else:
                self.kind, self.classes = "classes", list(map(int, distinct))
                self.values = np.where(finite, np.searchsorted(distinct, values), -1).astype(np.int16)
            return
        every = listed(values)
        known = Named((value if is_known(value) else None for value in every), categories=every.categories)
        known = with_dates(known)
        given = [plain_value(value) for value in known if value is not None]
        self.classes = None if amount and given else classes_of(known)
        scale = any(all(isinstance(value, kind) for value in given) for kind in SCALES.values())
        if self.classes is None and (amount or scale):
            self.kind = "numbers"
        elif self.classes and len(self.classes) <= STYLE.max_classes:
            names = len(self.classes) == len(given) > 1 and isinstance(self.classes[0], str)
            self.kind = "texts" if names else "classes"
        if self.kind == "numbers":
            self.values, self.unit = scale_numbers(known, name)
        elif self.kind == "classes":
            number = {name: k for k, name in enumerate(map(str, self.classes or []))}
            codes = [-1 if value is None else number[str(plain_value(value))] for value in known]
            self.values = np.array(codes, np.int16)
        else:
            self.values = [None if value is None else shortened(value) for value in known]

    def held(self, drawings: Sequence[str], pack: Pack | None = None) -> dict[str, Any]:
        """Return the column as data of a page; `drawings` are the names of the drawings."""
        pack = pack or packed
        result: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.drawing is not None:
            result["drawing"] = drawings.index(self.drawing)
        if self.kind == "texts":
            return result | {"values": pack(self.values)}
        if self.kind == "numbers":
            low, high, log = scale_limits(self.values, self.name in AMOUNTS)
            ends = {"low": low, "high": high, "log": log}
            return result | {"unit": self.unit, **ends, "values": pack(self.values)}
        classes = self.classes or []
        own = [hex_color(name) for name in classes]
        light, dark = ([hex_color(color) for color in palette(len(classes), night)] for night in (False, True))
        colors = {"colors": own if all(own) else light, "dark": own if all(own) else dark}
        return result | {"names": [shortened(name) for name in classes], **colors, "codes": pack(self.values)}


def is_numeric(values: object) -> TypeGuard[np.ndarray]:
    """Return whether values are a plain array (n,) of numbers, which needs no look at each."""
    return type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iuf"


def hex_color(color: Any) -> str | None:
    """Return a color as HTML writes it, or None; all but hex codes need matplotlib."""
    if isinstance(color, str) and _HEX.fullmatch(color):
        return color
    try:
        from matplotlib.colors import to_hex
    except ImportError:
        return None
    return to_hex(color) if is_color(color) else None


def shortened(value: object) -> str:
    """Return a value as text of at most 200 letters; 5 for 5.0.

    >>> shortened(5.0), shortened(("a", 1)), len(shortened("x" * 1000))
    ('5', "('a', 1)", 200)
    """
    text = spelled(value)
    return text if len(text) <= _MAX_LETTERS else text[: _MAX_LETTERS - 1] + "…"


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The nodes and edges of a page at T times."""

    names: Sequence[str]
    Y: np.ndarray  # (T, n, 2), NaN for an absent node
    edges: np.ndarray  # (T, m), whether each edge is present


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A drawing on a page.

    Facts are short texts beside its heading, such as "0.3 s".  Shapes are polygons (k, 2) behind it, outer ones first.
    """

    name: str
    Y: np.ndarray  # (n, 2 or 3), in any units
    facts: Sequence[str] = ()
    shapes: Sequence[np.ndarray] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """Drawings of one graph as an HTML page that needs no network and no other file.

    A notebook shows it; ``write`` makes a file.

    names        names of the nodes
    ends         (rows, cols), the nodes that each edge joins
    weights      (m,) weights by which the page can leave out edges; None: all weights are equal
    drawings     at least one `Drawn`
    columns      values of the nodes
    color        the name of the column that colors the nodes at first, or one color
    title        the heading
    below        HTML under the drawings; its texts must be escaped
    weight_name  the name of the weights
    frames       the nodes and edges at several times, as a film; then there is one drawing
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
        """Bytes of the page within a few percent, without a run of `html`."""
        n, m = len(self.names), len(self.ends[0])
        numbers = m * (4 if n <= 1 << 16 else 8) + (0 if self.weights is None else 4 * m)
        numbers += 4 * n * sum(drawing.Y.shape[1] for drawing in self.drawings)
        texts = sum(map(len, self.names)) + 3 * n + len(self.below)
        for column in self.columns:
            if column.kind == "texts":
                texts += sum(3 + len(value or "null") for value in column.values)
            else:
                numbers += column.values.nbytes
        numbers += 0 if self.frames is None else 4 * self.frames.Y.size + self.frames.edges.size // 8
        return texts + 4 * numbers // 3 + sum(map(len, _parts(self.frames is not None)))  # base64: four bytes for three

    def html(self) -> str:
        """Return the page; raise `InputError` if it would be larger than 100 MB."""
        if self.size > MAX_PAGE_BYTES:
            raise InputError(
                f"the page of {len(self.names)} nodes, {len(self.ends[0])} edges and {len(self.drawings)} drawings "
                f"would be {self.size / 1e6:.0f} MB, and browsers open up to {MAX_PAGE_BYTES / 1e6:.0f} MB: draw a "
                "picture instead (nelayout.draw, Comparison.plot; on the command line a png), or a subgraph"
            )
        style, program = _parts(self.frames is not None)
        digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode("ascii")
        # No network and no other script, even if a text passes as markup.
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
            f'<script type="application/json" id="data">{embedded(page_data(self))}</script>\n'
            f"<script>{program}</script>\n</body></html>\n"
        )

    def write(self, path: PathOrBuffer) -> None:
        """Write the page to a file or buffer, or not at all; "-" is standard output."""
        check_output(path)
        deliver(path, self.html().encode("utf-8", "replace"))

    def _repr_html_(self) -> str:
        """Return the page in a frame; for a large page, the command to write it, and `below`."""
        if self.size > _MAX_NOTEBOOK_BYTES:
            return (
                f"<p>{escape(self.title)}: the page has {self.size / 1e6:.0f} MB, too much for a notebook; "
                f"<code>.write(&quot;page.html&quot;)</code> makes a file of it.</p>{self.below}"
            )
        height = 860 if len(self.drawings) > 1 else 720
        return (
            f'<iframe srcdoc="{escape(self.html())}" title="{escape(self.title)}" '
            f'style="width:100%;height:{height}px;border:0" sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Page({self.title!r}: {len(self.names)} nodes, {len(self.ends[0])} edges, {self.size / 1e6:.1f} MB)"


def page_data(page: Page, pack: Pack | None = None) -> dict[str, Any]:
    """Return the data of a page; `pack` turns arrays and lists of texts into data."""
    pack = pack or packed
    m, number = len(page.ends[0]), np.uint16 if len(page.names) <= 1 << 16 else np.uint32
    # Strong edges first, equally strong ones in random order: the page draws a first part while it moves.
    order = np.random.default_rng(0).permutation(m)
    if page.weights is not None:
        order = order[np.argsort(-page.weights[order], kind="stable")]
    names, longest = [drawing.name for drawing in page.drawings], max(map(len, page.names), default=0)
    film = {}
    if page.frames is not None:
        bits = np.packbits(page.frames.edges[:, order], axis=1, bitorder="little")
        film["film"] = {"names": list(page.frames.names), "xy": pack(fitted(page.frames.Y)), "edges": pack(bits)}
    return film | {
        "title": page.title,
        "names": pack(list(page.names) if longest <= _MAX_LETTERS else [shortened(name) for name in page.names]),
        "rows": pack(page.ends[0][order].astype(number)),
        "cols": pack(page.ends[1][order].astype(number)),
        "weights": None if page.weights is None else pack(page.weights[order].astype(np.float32)),
        "weightName": page.weight_name,
        "drawings": [
            {"name": each.name, "facts": list(each.facts), "xyz"[: each.Y.shape[1]]: pack(fitted(each.Y))}
            | {"shapes": [pack(fitted(shape, box_of(each.Y)).ravel()) for shape in each.shapes]}
            for each in page.drawings
        ],
        "view": VIEW.ravel().tolist(),
        "columns": [column.held(names, pack) for column in page.columns],
        "color": page.color,
        "plain": [WHITE.plain, DARK.plain],
        "unknown": [WHITE.unknown, DARK.unknown],
    }


def box_of(Y: np.ndarray) -> tuple[np.ndarray, float]:
    """Return middle (dim) and half the longer side of the box around positions (..., dim)."""
    there = Y[~np.isnan(Y[..., 0])]
    if not len(there):
        return np.zeros(Y.shape[-1]), 1.0
    low, high = there.min(axis=0), there.max(axis=0)
    half = float((high / 2 - low / 2).max())
    return low / 2 + high / 2, half if half > 0 else 1.0


def fitted(Y: np.ndarray, box: tuple[np.ndarray, float] | None = None) -> np.ndarray:
    """Return float32 positions (..., dim), box centered at 0, its longer side from -1 to 1."""
    middle, half = box or box_of(Y)
    return ((Y - middle) / half).astype(np.float32)


def packed(x: np.ndarray | list) -> Any:
    """Return an array as type (NumPy's letter, bytes) and base64 of bytes; a list as it is."""
    if isinstance(x, list):
        return x
    kind = x.dtype.kind + str(x.dtype.itemsize)
    data = np.ascontiguousarray(x, dtype=x.dtype.newbyteorder("<")).tobytes()
    return {"type": kind, "data": base64.b64encode(data).decode("ascii")}


def embedded(data: object) -> str:
    """Return JSON for a script element: no tag, entity or comment begins in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _parts(film: bool) -> tuple[str, str]:
    """Return the style and the program, with the part that plays a film."""
    folder = files("nelayout.pictures.pages").joinpath("program")
    parts = (*_PROGRAM, *["film"] * film, "start")
    program = "\n".join(folder.joinpath(f"{name}.js").read_text("utf-8") for name in parts)
    return folder.joinpath("page.css").read_text("utf-8"), f'"use strict";\n(() => {{\n{program}\n}})();\n'


@cache
def widget_program() -> str:
    """Return the program of pages with its style, as one module for widgets."""
    folder = files("nelayout.pictures.pages").joinpath("program")
    style = json.dumps(folder.joinpath("page.css").read_text("utf-8"))
    parts = (*_PROGRAM, "widget")
    return f"const STYLE = {style};\n" + "\n".join(folder.joinpath(f"{name}.js").read_text("utf-8") for name in parts)


def explore(
    G: object,
    pos: object,
    path: PathOrBuffer | None = None,
    *,
    labels: object = None,
    color: object = None,
    weight: str | None = "weight",
    title: str | None = None,
    groups: object = None,
    groups_shape: str = "hull",
) -> Page:
    """Make a page of a drawing to zoom, search and select in: one HTML file, without network.

    A reader can hover over nodes, search names, and select nodes one by one, in a box or by a lasso. The page
    highlights their neighbors. A reader can also choose the column that colors the nodes, and hide weak edges. Mouse,
    fingers and keys work. The page is dark if the reader's system is. `nelayout.draw` makes pictures for print, and
    ``compare(G, {...}).to_html(path)`` a page of several drawings.

    Parameters
    ----------
    G : graph or None
        Any graph that the layouts take. None shows points without edges, such as an embedding.
    pos : positions
        What a layout returns, or a `Solution`: the page then shows node costs. Positions in space (``dim=3``) can
        be turned by dragging, and by the keys W, A, S, D, Q and E.
    path : str, Path or buffer, optional
        The file, or a buffer such as `io.StringIO`; an error leaves no partial file. None writes no file; a notebook
        shows the page.
    labels : str, dict or array, optional
        Names of the nodes: a node attribute, a dict or texts. By default the nodes themselves.
    color : str, dict or array, optional
        What colors the nodes at first: a node attribute, "degree", "strength", a dict or an array of values, or one
        color. By default the degree.
    weight : str, optional
        The edge attribute by which readers can hide weak edges; edges of weight 0 are left out. None reads no weights.
    title : str, optional
        The heading of the page.
    groups : str, dict, array or list of sets, optional
        Groups of nodes that get a shape behind the drawing, as `groups` of a layout.
    groups_shape : {"hull", "circle", "box"}
        The shape of groups.

    Returns
    -------
    Page
        ``.write(path)`` makes the file, ``.html()`` returns its text.

    Raises
    ------
    InputError
        For a node without a position, an unknown attribute, a folder that does not exist, groups of a drawing that is
        not in the plane, and a page of more than 100 MB.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> page = nl.explore(G, nl.ws_sne_layout(G, seed=0), "karate.html", color="club")
    >>> page
    Page('A graph of 34 nodes': 34 nodes, 78 edges, 0.1 MB)
    """
    if path is not None:
        check_output(path)
    look = {"labels": labels, "color": color, "weight": weight, "title": title}
    page = solution_page(G, pos, **look, groups=groups, groups_shape=groups_shape)
    if path is not None:
        page.write(path)
    return page


def solution_page(G: object, pos: object, *, columns: Iterable[Column] = (), **look: Any) -> Page:
    """Return the page of one drawing, with node costs of a `Solution`; `look`: see `page_of`."""
    name, costs = of_solution(pos)
    return page_of(G, {name: pos}, columns=[*costs, *columns], **look)


def of_solution(pos: object) -> tuple[str, list[Column]]:
    """Return the method and the node costs of a `Solution`, or "drawing" and nothing."""
    cost = getattr(pos, "node_cost", None)
    costs = [] if cost is None or not len(cost) else [Column("cost", np.asarray(cost), amount=True)]
    return getattr(pos, "method", "") or "drawing", costs


def page_of(
    G: object,
    drawings: Mapping[str, object],
    *,
    weight: str | None = "weight",
    title: str | None = None,
    **look: Any,
) -> Page:
    """Return the page of drawings {name: positions}; see `explore`, `Page` and `Drawn`."""
    network = graphs.points(next(iter(drawings.values()))) if G is None else graphs.read(G, weight=weight)
    with graphs.translated_errors(G):
        if title is None:
            n = len(network.labels)
            title = f"{n:,} points" if G is None else f"A graph of {n:,} nodes"
        return network_page(network, drawings, weight_name=weight or "weight", title=title, **look)


def network_page(
    network: graphs.Network,
    drawings: Mapping[str, object],
    *,
    labels: object = None,
    color: object = None,
    weight_name: str = "weight",
    title: str = "A graph",
    columns: Iterable[Column] = (),
    facts: Mapping[str, Sequence[str]] | None = None,
    below: str = "",
    groups: object = None,
    groups_shape: str = "hull",
) -> Page:
    """Return the page of drawings of a graph that has been read; see `page_of`."""
    plain = isinstance(network.labels, range)
    own = list(map(str if plain else shortened, network.labels))
    given = [None] * len(own) if labels is None else network.host.objects(labels, "labels")
    names = [name if text is None else shortened(text) for text, name in zip(given, own, strict=True)]
    every = (*columns, *_of_graph(network))
    known = [column for column in every if column.kind != "texts" or column.values != names]
    if labels is not None:
        known.append(Column("node", own))
    chosen, extra = color_of(network, color, known)
    rows = np.repeat(np.arange(len(names)), np.diff(network.adjacency.indptr))
    cols = network.adjacency.indices
    once = rows < cols
    weights = np.asarray(network.adjacency.data)[once]
    differ = len(weights) > 0 and float(weights.min()) < float(weights.max())
    if groups_shape not in SHAPES:
        raise unknown("groups_shape", groups_shape, SHAPES)
    members = () if groups is None else groups_of(network, groups)
    drawn = []
    for name, pos in drawings.items():
        Y = graphs.every_position(network, pos, f"the drawing {name!r}")
        network.host.warn_of_others(graphs.places(pos, network.host).given, "pos")
        if Y.shape[1] not in (1, 2, 3):
            raise InputError(f"{name!r} must have 1, 2 or 3 coordinates; got {Y.shape[1]}")
        flat = np.pad(Y, ((0, 0), (0, max(0, 2 - Y.shape[1]))))
        if members and Y.shape[1] != 2:
            raise InputError(
                f"shapes of groups are for drawings in the plane, and {name!r} has {Y.shape[1]} coordinates; leave out "
                "groups"
            )
        shapes = outlines(Y, members, groups_shape, shape_gap(Y)) if members else ()
        drawn.append(Drawn(str(name), flat, (facts or {}).get(name, ()), shapes))
    ends, shown = (rows[once], cols[once]), weights if differ else None
    return Page(names, ends, shown, drawn, [*extra, *known], chosen, title, below, weight_name)


def _of_graph(network: graphs.Network) -> list[Column]:
    """Return degree (if there are edges), strength (if weights), and the node attributes."""
    amounts = []
    if network.adjacency.nnz:
        amounts.append(Column("degree", np.diff(network.adjacency.indptr), amount=True))
    if network.weighted:
        amounts.append(Column("strength", np.asarray(network.adjacency.sum(axis=1)).ravel(), amount=True))
    names = [name for name in network.host.attributes() if name not in AMOUNTS]
    return [*amounts, *(Column(str(name), network.host.attribute(name, "a page")) for name in names)]


def color_of(
    network: graphs.Network, color: object, known: Sequence[Column], what: str = "color"
) -> tuple[str, list[Column]]:
    """Return the name of the first color, and a column for given values."""
    colored = [column.name for column in known if column.kind != "texts"]
    if color is None or (isinstance(color, str) and color in AMOUNTS and color not in colored):
        return ("degree" if network.adjacency.nnz else PLAIN), []  # without weights the strength equals the degree
    if isinstance(color, str) and color in colored:
        return color, []
    one = isinstance(color, str) or (isinstance(color, tuple) and len(color) != len(network.labels))
    plain = hex_color(color) if one else None
    if plain is not None:
        return plain, []
    if isinstance(color, str):
        raise unknown_color(color, [name for name in colored if name not in AMOUNTS])
    few = is_numeric(color) and LEGEND < len(np.unique(color)) <= STYLE.max_classes
    as_it_is = is_numeric(color) and len(color) == len(network.labels) and not few
    values: Any = color if as_it_is else class_names(network.host.objects(color, what))
    named = getattr(values, "name", "")
    heading = named if named not in {"", *(column.name for column in known)} else "color"
    column = Column(heading, values)
    if column.kind == "texts":
        raise InputError(
            f"{what} must hold numbers or at most {STYLE.max_classes} classes; got more different texts. Show them "
            "with labels="
        )
    return heading, [column]
