"""`view`, and `View`: a drawing as a widget in notebooks, joined with Python.

The widget runs the program of pages (`nelayout.explore`). Its traitlets hold what a reader changes there: the nodes
selected, the view, the hidden classes. Python sets the same traitlets, and the widget follows without a new drawing.
Positions, node numbers and values travel as bytes.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs.to_floats import short_repr
from nelayout.layouts import layout
from nelayout.pictures.colors import AMOUNTS
from nelayout.pictures.pages import (
    Column,
    Page,
    box_of,
    color_of,
    fitted,
    network_page,
    of_solution,
    page_data,
    shortened,
    widget_program,
)
from nelayout.pictures.sizes import checked, node_diameters
from nelayout.pictures.space import VIEW

try:
    import anywidget
    import traitlets
    from ipywidgets import CallbackDispatcher
except ImportError:
    raise missing_extra("anywidget", "widget", "widgets in notebooks") from None

__all__ = ["View", "view"]

MAX_FRAMES_PER_SECOND = 20  # of `watch`: motion looks smooth, and the run keeps most of its time
MAX_BYTES_PER_SECOND = 40_000_000  # of `watch`: five frames of a million nodes
ZOOMS = (0.5, 400.0)  # as the page limits the wheel
NO_WIDGET = "No widget can be shown here: this page has no channel to Python."
LINKED = ("selection", "camera", "hidden", "searched", "pinned")


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Node numbers as a browser sends them."""

    rows: np.ndarray  # (k,) uint32


class _Checked(traitlets.TraitType):
    """A traitlet that a method of the view checks; the method returns the value that is kept."""

    def __init__(self, check: str, default: object, to_json: Callable, from_json: Callable = lambda x, _: x) -> None:
        super().__init__(default)
        self.check = check
        self.tag(sync=True, to_json=to_json, from_json=from_json)

    def validate(self, obj: Any, value: Any) -> Any:
        # traitlets checks a value again after a message, and the first values twice
        known = value is not None and value is obj._trait_values.get(self.name)
        return value if known else getattr(obj, self.check)(value)


class _Nodes(_Checked):
    """Nodes of the graph, which travel as their numbers in uint32."""

    def __init__(self) -> None:
        super().__init__(
            "", (), lambda _, view: view._rows[self.name].tobytes(), lambda x, _: _Rows(np.frombuffer(x, "<u4"))
        )

    def validate(self, obj: Any, value: Any) -> Any:
        known = value is obj._trait_values.get(self.name)
        return value if known else obj._checked_nodes(self.name, value)


class View(anywidget.AnyWidget):
    """A drawing of a graph as a widget: `nelayout.view` makes it.

    Each attribute below is a traitlet: set it, observe it, link it. Nodes are the nodes of the graph.

    Attributes
    ----------
    positions : (n, 2) or (n, 3) float64 array
        Coordinates in node order, in the units of the layout. Set whatever a layout returns. `pos` has them in the type
        of a layout.
    colors : str, dict or array
        What colors the nodes: a node attribute, "degree", "strength", a dict or an array of values, or one color. The
        name of a column if the reader chooses another one.
    sizes : (n,) float64 array or None
        Diameters of the dots; 1 is the usual dot. Set one number, a dict, an array, or the name of a node attribute,
        "degree" or "strength" for areas in proportion. None: all are usual.
    selection : tuple
        The selected nodes, in node order.
    searched : node or None
        The last node that the reader has searched. Set it to select a node and to bring it into sight.
    hidden : tuple of str
        The hidden classes of the column that colors the nodes. Other colors show all classes again.
    camera : dict
        ``x`` and ``y``: what is in the middle of the view. 0 is the middle of the drawing, and 1 is half of its longer
        side. ``zoom`` from 0.5 to 400: 1 shows the whole drawing. In space also ``turn``: 9 numbers, the axes to the
        right, upwards and towards the reader. Keys that you leave out keep their values.
    pinned : tuple
        The nodes that the reader has dragged, in node order. A click with the tool Drag releases a node.
    paused : bool
        Whether the reader or Python has paused what `watch` shows.
    height : int
        Height of the drawing in pixels.
    """

    _esm = widget_program()
    _data = traitlets.Dict().tag(sync=True)
    _watched = traitlets.Bool(False).tag(sync=True)  # whether there is something to pause
    positions = _Checked("_checked_positions", None, lambda Y, view: fitted(Y, view._box).tobytes())
    colors = _Checked("_checked_colors", None, lambda _, view: view._sent_color())
    sizes = _Checked("_checked_sizes", None, lambda sizes, _: None if sizes is None else sizes.astype("<f4").tobytes())
    selection = _Nodes()
    pinned = _Nodes()
    searched = _Checked("_checked_searched", None, lambda _, view: view._row, lambda row, _: _Rows(np.array([row])))
    hidden = _Checked("_checked_hidden", (), lambda names, _: list(names))
    camera = _Checked("_checked_camera", None, lambda camera, _: camera)
    paused = traitlets.Bool(False).tag(sync=True)
    height = _Checked("_checked_height", 480, lambda pixels, _: pixels)

    def __init__(self, network: graphs.Network, page: Page, title: str, **traits: Any) -> None:
        (drawn,) = page.drawings
        self._network, self._page, self._dim = network, page, drawn.Y.shape[1]
        self._given: Column | None = None  # the column of values in `colors`
        self._color = page.color  # the name of the column that colors the nodes, or one color
        self._rows = {"selection": np.zeros(0, "<u4"), "pinned": np.zeros(0, "<u4")}
        self._row, self._held, self._moving, self._next_frame = -1, False, False, 0.0
        self._drag_callbacks = CallbackDispatcher()
        data = page_data(page, _raw)
        data["title"] = title
        data["drawings"] = [{"name": drawn.name, "facts": list(drawn.facts), "dim": self._dim}]
        self._view = {"x": 0.0, "y": 0.0, "zoom": 1.0} | ({"turn": VIEW.ravel().tolist()} if self._dim == 3 else {})
        super().__init__(_data=data, positions=drawn.Y, camera=self._view, **traits)
        self.on_msg(self._on_message)

    @property
    def pos(self) -> Any:
        """The positions in the type that a layout of this graph returns."""
        return self._network.host.write(self.positions)

    def page(self) -> Page:
        """Return the widget as a page: ``view.page().write("page.html")`` makes a file."""
        given = [] if self._given is None else [self._given]
        drawn = replace(self._page.drawings[0], Y=self.positions)
        return replace(self._page, drawings=[drawn], columns=[*given, *self._page.columns], color=self._color)

    def watch(self, state: Any) -> None:
        """Show the positions of a run: ``nelayout.layout(G, callback=view.watch)``.

        At most 20 frames a second are sent, fewer of large graphs, and none while the view is paused. So the last frame
        is not always the result: ``view.positions = nelayout.layout(G, callback=view.watch)`` shows the result too.

        Parameters
        ----------
        state : object
            What a layout hands to its callback, or any object with `positions` in node order.

        Raises
        ------
        InputError
            For positions of another graph or another number of coordinates.
        """
        if self.paused or time.monotonic() < self._next_frame:
            return
        self._watched = True
        self.positions = state.positions
        size = 4 * self.positions.size
        self._next_frame = time.monotonic() + max(1 / MAX_FRAMES_PER_SECOND, size / MAX_BYTES_PER_SECOND)

    def on_drag(self, function: Callable[[Hashable, np.ndarray, bool], Any], remove: bool = False) -> None:
        """Call a function while the reader drags a node; `remove` ends that.

        Parameters
        ----------
        function : callable
            ``function(node, position, done)``: a node of the graph, its new position in the units of `positions`, and
            whether the reader has let go. Then `pinned` has the node, and `positions` its position.
        remove : bool
            Whether to call the function no more.
        """
        self._drag_callbacks.register_callback(function, remove=remove)

    def link(self, other: View, names: Iterable[str] = ("selection", "camera")) -> list[traitlets.link]:
        """Link traitlets with another view, also one of another graph.

        Nodes with equal names are one node. A view leaves out nodes and classes that it does not have.

        Parameters
        ----------
        other : View
            The view that follows this one, and that this one follows.
        names : iterable of str
            "selection", "camera", "hidden", "searched" or "pinned".

        Returns
        -------
        list of traitlets.link
            One link for each name; ``link.unlink()`` ends it.

        Raises
        ------
        InputError
            For an unknown name.
        """
        names = [names] if isinstance(names, str) else list(names)
        for name in names:
            if name not in LINKED:
                raise unknown("name of a traitlet to link", name, LINKED)
        if not isinstance(other, View):
            raise InputError(f"other must be a view that nelayout.view made; got {short_repr(other)}")
        return [
            traitlets.link((self, name), (other, name), transform=(other._known(name), self._known(name)))
            for name in names
        ]

    def _known(self, name: str) -> Callable[[Any], Any]:
        """Return a function that keeps of a value of another view what this view has."""
        if name == "camera":
            return lambda camera: {key: x for key, x in camera.items() if key != "turn" or self._dim == 3}
        if name == "hidden":
            return lambda names: tuple(each for each in names if each in self._class_names())
        nodes = set(self._network.labels)
        if name == "searched":
            return lambda node: node if node in nodes else None
        return lambda chosen: tuple(node for node in chosen if node in nodes)

    def notify_change(self, change: Any) -> None:
        """Tell observers, and the browser unless a reader is dragging a node there."""
        if change["name"] == "positions" and self._moving:
            traitlets.HasTraits.notify_change(self, change)
        else:
            super().notify_change(change)

    def _on_message(self, _: object, content: Mapping[str, Any], __: object) -> None:
        if content.get("kind") != "dragged":
            return
        row, done, (middle, half) = int(content["node"]), bool(content["done"]), self._box
        Y = self.positions.copy()
        Y[row] = middle + half * np.array([content["x"], content["y"]])
        self._held, self._moving = True, not done
        try:
            self.positions = Y
            self._moving = False
            self._drag_callbacks(self._network.labels[row], Y[row].copy(), done)
        finally:
            self._held, self._moving = not done, False

    def _checked_positions(self, pos: object) -> np.ndarray:
        with graphs.translated_errors(self._network.host.G):
            Y = graphs.every_position(self._network, pos, "positions")
            Y = np.pad(Y, ((0, 0), (0, max(0, 2 - Y.shape[1]))))
            if Y.shape[1] != self._dim:
                raise InputError(
                    f"positions must have {self._dim} coordinates, as the view has; got {Y.shape[1]}. Make a new view "
                    "of them with nelayout.view"
                )
        if np.array_equal(Y, self._trait_values.get("positions", np.zeros(0))):
            return self.positions
        # While the reader holds a node, the drawing keeps its place: else the node would leave the mouse.
        if not (self._held or len(self._rows["pinned"])):
            self._box = box_of(Y)
        Y.flags.writeable = False
        return Y

    def _checked_colors(self, colors: object) -> object:
        with graphs.translated_errors(self._network.host.G):
            given = [self._given] if isinstance(colors, str) and self._given is not None else []
            self._color, extra = color_of(self._network, colors, [*given, *self._page.columns], "colors")
            if extra:
                self._given = extra[0]
        return colors if extra else self._color

    @traitlets.observe("colors")
    def _on_colors(self, _: object) -> None:
        self.hidden = ()

    def _sent_color(self) -> Any:
        if self._given is None or self._color != self._given.name:
            return self._color
        return self._given.held([], _raw)

    def _class_names(self) -> list[str]:
        given = [] if self._given is None else [self._given]
        column = next((each for each in (*given, *self._page.columns) if each.name == self._color), None)
        return [shortened(name) for name in column.classes or []] if column and column.kind == "classes" else []

    def _checked_hidden(self, names: Any) -> tuple[str, ...]:
        wanted, known = {names} if isinstance(names, str) else {str(name) for name in names}, self._class_names()
        for name in sorted(wanted):
            if name not in known:
                raise unknown(f"class of {self._color!r} in hidden", name, known)
        return tuple(name for name in known if name in wanted)

    def _checked_sizes(self, sizes: Any) -> np.ndarray | None:
        if sizes is None:
            return None
        network = self._network
        with graphs.translated_errors(network.host.G):
            if isinstance(sizes, str):
                attributes = network.host.attributes()
                if sizes not in (*AMOUNTS, *attributes):
                    raise unknown("sizes", sizes, [*AMOUNTS, *attributes])
                return node_diameters(network.host.G, network, sizes, self._page.weight_name, 0.0)[1]
            network.host.warn_of_others(sizes, "sizes")
            return network.host.values(sizes, "sizes", nonnegative=True)

    def _checked_nodes(self, name: str, nodes: Any) -> tuple[Hashable, ...]:
        with graphs.translated_errors(self._network.host.G):
            rows = nodes.rows if isinstance(nodes, _Rows) else self._network.host.nodes(nodes, name)
        self._rows[name] = rows.astype("<u4")
        return tuple(self._network.labels[row] for row in rows)

    def _checked_searched(self, node: Any) -> Hashable | None:
        with graphs.translated_errors(self._network.host.G):
            if node is None:
                rows: Any = [-1]
            else:
                rows = node.rows if isinstance(node, _Rows) else self._network.host.nodes([node], "searched")
        self._row = int(rows[0])
        return None if self._row < 0 else self._network.labels[self._row]

    def _checked_camera(self, camera: Any) -> dict[str, Any]:
        if not isinstance(camera, Mapping):
            raise InputError(f"camera must be a dict with {', '.join(self._view)}; got {short_repr(camera)}")
        for key, value in camera.items():
            if key not in self._view:
                raise unknown("key of camera", key, self._view)
            if key == "turn":
                turn = np.array(value, dtype=np.float64).reshape(-1) if np.size(value) == 9 else np.zeros(9)
                if not np.allclose(turn.reshape(3, 3) @ turn.reshape(3, 3).T, np.eye(3), atol=1e-3):
                    raise InputError(f"camera['turn'] must be 9 numbers of a rotation; got {short_repr(value)}")
            elif not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
                raise InputError(f"camera[{key!r}] must be a finite number; got {short_repr(value)}")
            elif key == "zoom" and not ZOOMS[0] <= value <= ZOOMS[1]:
                raise InputError(f"camera['zoom'] must be from {ZOOMS[0]:g} to {ZOOMS[1]:g}; got {value:g}")
        plain = {key: np.ravel(x).tolist() if key == "turn" else float(x) for key, x in camera.items()}
        self._view = self._view | plain
        return dict(self._view)

    def _checked_height(self, pixels: Any) -> int:
        return int(checked(pixels, "height", "a number of pixels from 100 to 4000", 100, 4000))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        """Return the widget, and the page for front ends that show no widgets."""
        found = super()._repr_mimebundle_(**kwargs)
        if found is None:
            return None
        return {**found[0], "text/html": f"<p>{NO_WIDGET}</p>{self.page()._repr_html_()}"}, found[1]

    def __repr__(self) -> str:
        n, m = len(self._page.names), len(self._page.ends[0])
        return (
            f"View({self._page.title!r}: {n} nodes, {m} edges; a notebook shows it, and "
            '.page().write("page.html") makes a page of it)'
        )


def _raw(x: np.ndarray | list) -> dict[str, Any]:
    """Return an array or a list of texts as type and bytes, which widgets send as they are."""
    if isinstance(x, list):
        return {"type": "json", "data": json.dumps(x, separators=(",", ":")).encode()}
    data = np.ascontiguousarray(x, dtype=x.dtype.newbyteorder("<")).tobytes()
    return {"type": x.dtype.kind + str(x.dtype.itemsize), "data": data}


def view(
    G: object,
    pos: object = None,
    *,
    labels: object = None,
    colors: object = None,
    sizes: object = None,
    weight: str | None = "weight",
    title: str | None = None,
    height: int = 480,
) -> View:
    """Show a drawing as a widget in a notebook; Python reads and sets what it shows.

    JupyterLab, Jupyter Notebook 7, VS Code, Colab and marimo show it, without network. The widget has the tools of
    `nelayout.explore`: zoom, search, selection, a legend with classes to hide. Further, the tool Drag moves nodes.

    Parameters
    ----------
    G : graph or None
        Any graph that the layouts take. None shows points without edges, such as an embedding.
    pos : positions, optional
        What a layout returns, or a `Solution`: the widget then shows node costs. None: ``nelayout.layout(G, seed=0)``.
    labels : str, dict or array, optional
        Names of the nodes: a node attribute, a dict or texts. By default the nodes themselves.
    colors, sizes : optional
        The first values of the traitlets, see `View`. By default the degree colors, and all dots have the usual size.
    weight : str, optional
        The edge attribute by which readers can hide weak edges; edges of weight 0 are left out. None reads no weights.
    title : str, optional
        The heading.
    height : int
        Height of the drawing in pixels, from 100 to 4000.

    Returns
    -------
    View
        The widget, with the traitlets `positions`, `colors`, `sizes`, `selection`, `searched`, `hidden`, `camera`,
        `pinned`, `paused` and `height`.

    Raises
    ------
    InputError
        For a node without a position, an unknown attribute, node or class, and values of another shape.
    MissingExtra
        If anywidget is not installed.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> view = nl.view(G, nl.ws_sne_layout(G, seed=0), colors="club")
    >>> view.selection = [0, 33]
    >>> view.hidden = "Officer"
    >>> view.selection, view.hidden, view.camera
    ((0, 33), ('Officer',), {'x': 0.0, 'y': 0.0, 'zoom': 1.0})
    """
    if pos is None and G is None:
        raise InputError("pos must hold the positions of the points if G is None; got None")
    checked(height, "height", "a number of pixels from 100 to 4000", 100, 4000)
    network = graphs.points(pos) if G is None else graphs.read(G, weight=weight)
    pos = layout(G, weight=weight, seed=0) if pos is None else pos
    with graphs.translated_errors(G):
        name, costs = of_solution(pos)
        n = len(network.labels)
        heading = title or (f"{n:,} points" if G is None else f"A graph of {n:,} nodes")
        page = network_page(
            network, {name: pos}, labels=labels, weight_name=weight or "weight", title=heading, columns=costs
        )
    return View(network, page, title or "", colors=colors, sizes=sizes, height=height)
