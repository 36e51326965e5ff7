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
from nelayout.core.catalogue import METHODS
from nelayout.errors import InputError, Unsupported, missing_extra
from nelayout.graphs.libraries import IgraphHost

__all__ = ["register", "unregister"]

INSTEAD = "hand the function over instead: g.layout(nelayout.ws_sne_layout)"
ANY_METHOD = "nelayout"  # igraph's name of `layout`; igraph has its own "auto"
TEXT = """{summary}

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
    Graph, names, functions = _table()
    for name in functions:
        theirs = hasattr(Graph, f"layout_{name}") or name in names or name.replace("_", "-") in names
        if theirs and not _is_ours(Graph, name):
            raise Unsupported(f"igraph has its own layout {name!r}, which is not replaced; {INSTEAD}")
    for name, function in functions.items():
        setattr(Graph, f"layout_{name}", _method(name, function))
        names.update(dict.fromkeys((name, name.replace("_", "-")), f"layout_{name}"))


def unregister() -> None:
    """Remove the layouts from igraph.

    Raises
    ------
    MissingExtra
        If igraph is not installed.
    """
    Graph, names, functions = _table()
    for name in functions:
        if _is_ours(Graph, name):
            delattr(Graph, f"layout_{name}")
            for spelling in (name, name.replace("_", "-")):
                names.pop(spelling, None)


def _table() -> tuple[Any, dict[str, str], dict[str, Callable[..., Any]]]:
    """Return igraph's Graph, its {name of a layout: method}, ours {name in igraph: function}."""
    try:
        igraph = importlib.import_module("igraph")
    except ImportError:
        raise missing_extra("igraph", "igraph", "layouts under igraph's names") from None
    names = getattr(igraph.Graph, "_layout_mapping", None)
    if not isinstance(names, dict):
        raise Unsupported(f"igraph {getattr(igraph, '__version__', '')} has no table of layout names; {INSTEAD}")
    ours = [name.replace("-", "_") for name in METHODS]
    functions = {ANY_METHOD: layouts.layout, **{name: vars(layouts)[f"{name}_layout"] for name in ours}}
    return igraph.Graph, names, functions


def _is_ours(Graph: object, name: str) -> bool:
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
                must = f"must have a row for each of the {self.vcount()} vertices, or be a whole number"
                raise InputError(f"seed {must}; got {len(seed)} rows")
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

    first = list(inspect.signature(method).parameters.values())[:3]
    own = [p for p in inspect.signature(function).parameters.values() if p.name not in ("G", "weight", "seed")]
    own = [p if p.kind is p.VAR_KEYWORD else p.replace(kind=p.KEYWORD_ONLY) for p in own]
    vars(method)["__signature__"] = inspect.Signature([*first, *own])
    method.__name__ = method.__qualname__ = f"layout_{name}"
    summary = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
    method.__doc__ = TEXT.format(summary=summary, function=function.__name__)
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
        must = f"must be the name of an edge attribute, a number for each of the {graph.ecount()} edges, or None"
        raise InputError(f"weights {must}; got {repr(weights) if given is None else f'{len(given)} entries'}")
    copy = graph.copy()
    copy.es["weight"] = given
    return copy
