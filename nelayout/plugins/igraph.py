"""Layouts of nelayout with igraph's names: ``g.layout("ws_sne")``, ``igraph.plot(...)``.

    >>> import igraph
    >>> register()
    >>> g = igraph.Graph.Famous("Zachary")
    >>> g.layout("ws_sne", seed=0), g.layout("ws_sne_3d", seed=0)
    (<Layout with 34 vertices and 2 dimensions>, <Layout with 34 vertices and 3 dimensions>)
    >>> start = g.layout("circle")
    >>> g.layout("linlog", weights=None, seed=start, fixed=g.vs[:2])
    <Layout with 34 vertices and 2 dimensions>
    >>> unregister()

Only `register` changes igraph, and `unregister` undoes it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nelayout import layouts
from nelayout.catalogue import METHODS
from nelayout.errors import InputError, Unsupported, missing_extra
from nelayout.graphs.libraries import IgraphHost

__all__ = ["register", "unregister"]

ANY_METHOD = "nelayout"  # igraph's name of `layout`; igraph has its own "auto"
TEXT = """

    Parameters
    ----------
    weights : name of the edge attribute with the weights, a number for each edge, or None: every edge weighs 1
    seed : initial positions, a Layout or a matrix with a row for each vertex; or a whole number, for the same drawing
    pos, fixed, mass, node_size : as in nelayout.{function}; vertices are names, indices or igraph.Vertex
    others : as in nelayout.{function}

    Returns
    -------
    igraph.Layout
"""


def register() -> None:
    """Add every layout function to igraph, without "_layout" in its name.

    `layout` becomes "nelayout". ``g.layout(NAME)`` and ``igraph.plot(g, layout=NAME)`` accept these names and NAME_3d;
    ``g.layout_NAME()`` is a method. Keywords `weights` and `seed` are igraph's; numbers of vertices are indices.

    Raises
    ------
    MissingExtra
        If igraph is not installed.
    Unsupported
        If igraph has a layout of the same name, or no table of names.
    """
    Graph, names = _table()
    functions = _functions()
    for name in functions:
        theirs = hasattr(Graph, f"layout_{name}") or any(spelling in names for spelling in _spellings(name))
        if theirs and not _is_ours(Graph, name):
            raise Unsupported(
                f"igraph has a layout {name!r} of its own, which is not replaced; hand the function over instead: "
                "g.layout(nelayout.ws_sne_layout)"
            )
    for name, function in functions.items():
        setattr(Graph, f"layout_{name}", _method(name, function))
        names.update(dict.fromkeys(_spellings(name), f"layout_{name}"))


def unregister() -> None:
    """Remove the layouts from igraph.

    Raises
    ------
    MissingExtra
        If igraph is not installed.
    """
    Graph, names = _table()
    for name in _functions():
        if _is_ours(Graph, name):
            delattr(Graph, f"layout_{name}")
            for spelling in _spellings(name):
                names.pop(spelling, None)


def _functions() -> dict[str, Callable[..., Any]]:
    """Return {name in igraph: layout function}."""
    names = [name.replace("-", "_") for name in METHODS]
    return {ANY_METHOD: layouts.layout, **{name: vars(layouts)[f"{name}_layout"] for name in names}}


def _spellings(name: str) -> tuple[str, str]:
    """Return a layout's name for igraph and for `nelayout.methods`: ws_sne, ws-sne."""
    return name, name.replace("_", "-")


def _table() -> tuple[Any, dict[str, str]]:
    """Return igraph's class of graphs, and its table {name of a layout: method of the class}."""
    try:
        igraph = importlib.import_module("igraph")
    except ImportError:
        raise missing_extra("igraph", "igraph", "layouts under igraph's names") from None
    names = getattr(igraph.Graph, "_layout_mapping", None)
    if not isinstance(names, dict):
        raise Unsupported(
            f"igraph {getattr(igraph, '__version__', '')} has no table of layout names; hand the function over "
            "instead: g.layout(nelayout.ws_sne_layout)"
        )
    return igraph.Graph, names


def _is_ours(Graph: Any, name: str) -> bool:
    return getattr(vars(Graph).get(f"layout_{name}"), "__module__", None) == __name__


def _method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the layout function as a method of igraph's graphs, with igraph's keywords."""

    def method(self: Any, weights: Any = "weight", seed: Any = None, **keywords: Any) -> Any:
        if "weight" in keywords:
            raise TypeError(f"layout_{name} has no keyword 'weight': here it is called 'weights'")
        if hasattr(seed, "__len__"):
            if "pos" in keywords:
                raise TypeError(f"layout_{name}: seed (a matrix) and pos both give initial positions; give one of them")
            if not hasattr(seed, "keys") and len(seed) != self.vcount():
                raise InputError(
                    f"seed must have a row for each of the {self.vcount()} vertices, or be a whole number; got "
                    f"{len(seed)} rows"
                )
            keywords["pos"], seed = seed, None
        for each in ("pos", "fixed", "mass", "node_size"):
            if each in keywords:
                keywords[each] = _by_label(self, keywords[each], each == "fixed")
        if weights is None or isinstance(weights, str):
            return function(self, weight=weights, seed=seed, **keywords)
        store = keywords.pop("store_pos_as", None)
        layout = function(_weighted(self, weights), seed=seed, **keywords)
        if store is not None:
            self.vs[store] = [list(row) for row in layout]
        return layout

    own = [p for p in inspect.signature(function).parameters.values() if p.name not in ("G", "weight", "seed")]
    kept = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
    rest = [p for p in own if p.kind is inspect.Parameter.VAR_KEYWORD]
    first = list(inspect.signature(method).parameters.values())[:3]
    vars(method)["__signature__"] = inspect.Signature([*first, *kept, *rest])
    method.__name__ = method.__qualname__ = f"layout_{name}"
    summary = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
    method.__doc__ = summary + inspect.cleandoc(TEXT).join(("\n\n", "\n")).format(function=function.__name__)
    return method


def _by_label(graph: Any, given: Any, vertices: bool) -> Any:
    """Return {vertex: value}, or a list of `vertices`, with labels instead of indices."""
    labels = IgraphHost(graph).aliases[0]

    def label(index: Any) -> Any:
        whole = isinstance(index, (int, np.integer)) and not isinstance(index, (bool, np.bool_))
        return labels[int(index)] if whole and 0 <= index < len(labels) else index

    if isinstance(given, Mapping):
        return {label(vertex): value for vertex, value in given.items()}
    if vertices and isinstance(given, (list, tuple, set)):
        return [label(vertex) for vertex in given]
    return given


def _weighted(graph: Any, weights: Any) -> Any:
    """Return a copy of the graph with these weights, one for each edge."""
    given = list(weights) if hasattr(weights, "__iter__") else None
    if given is None or len(given) != graph.ecount():
        size = repr(weights) if given is None else f"{len(given)} entries"
        raise InputError(
            f"weights must be the name of an edge attribute, a number for each of the {graph.ecount()} edges, or None; "
            f"got {size}"
        )
    copy = graph.copy()
    copy.es["weight"] = given
    return copy
