"""Layouts of nelayout under names of igraph's own: ``g.layout("ws_sne")``, ``igraph.plot(g, layout="gamma_quadlog")``.

    >>> import igraph
    >>> register()
    >>> g = igraph.Graph.Famous("Zachary")
    >>> g.layout("ws_sne", seed=0), g.layout("ws_sne_3d", seed=0)
    (<Layout with 34 vertices and 2 dimensions>, <Layout with 34 vertices and 3 dimensions>)
    >>> start = g.layout("circle")
    >>> g.layout("linlog", weights=None, seed=start)
    <Layout with 34 vertices and 2 dimensions>
    >>> unregister()

igraph is not changed before `register` is called, and is as it was after `unregister`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from nelayout.catalogue import METHODS
from nelayout.errors import InputError, Unsupported, missing_extra
from nelayout.layouts import by_name, embeddings, energies, retrieval

__all__ = ["register", "unregister"]

# The layout that takes a method's name, and without one chooses: igraph's own "auto" keeps its name.
ANY_METHOD = "nelayout"
TEXT = """

    Parameters
    ----------
    weights : name of the edge attribute with the weights, a number for each edge, or None: every edge weighs 1
    seed : where the layout starts, a Layout or a matrix with a row for each vertex; or a whole number, from which the
        same drawing comes again
    others : as in nelayout.{function}; `pos` and a number as `seed` go together

    Returns
    -------
    igraph.Layout
"""


def register() -> None:
    """Give igraph every layout function of nelayout, by its name without "_layout"; `layout` is called "nelayout".

    ``g.layout(NAME)`` and ``igraph.plot(g, layout=NAME)`` know them then, NAME_3d too, and ``g.layout_NAME()`` is a
    method.  There `weights` and `seed` are igraph's words; all other keywords are those of nelayout.  Calling it again
    changes nothing.

    Raises
    ------
    MissingExtra
        where igraph is not installed.
    Unsupported
        where igraph has a layout of the same name, or no table of names; then nothing has been changed.
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
    """Take the layouts out of igraph again; without `register` before it nothing happens.

    Raises
    ------
    MissingExtra
        where igraph is not installed.
    """
    Graph, names = _table()
    for name in _functions():
        if _is_ours(Graph, name):
            delattr(Graph, f"layout_{name}")
            for spelling in _spellings(name):
                names.pop(spelling, None)


def _functions() -> dict[str, Callable[..., Any]]:
    """Name in igraph -> layout function."""
    modules = (embeddings, energies, retrieval)
    names = [name.replace("-", "_") for name in METHODS]
    found = {name: next(vars(m)[f"{name}_layout"] for m in modules if f"{name}_layout" in vars(m)) for name in names}
    return {ANY_METHOD: by_name.layout, **found}


def _spellings(name: str) -> tuple[str, str]:
    """A layout's name as igraph writes names, and as `nelayout.methods` does: ws_sne, ws-sne."""
    return name, name.replace("_", "-")


def _table() -> tuple[Any, dict[str, str]]:
    """igraph's class of graphs, and its table of layouts: name -> method of the class."""
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
    """The layout function as a method of igraph's graphs, in igraph's words."""

    def method(self: Any, weights: Any = "weight", seed: Any = None, **keywords: Any) -> Any:
        if "weight" in keywords:
            raise TypeError(f"layout_{name} has no keyword 'weight': here it is called 'weights'")
        if hasattr(seed, "__len__"):
            if "pos" in keywords:
                raise TypeError(f"layout_{name}: seed is a matrix, which is a start, and so is pos; give one of them")
            keywords["pos"], seed = _start(self, seed), None
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


def _start(graph: Any, seed: Any) -> Any:
    if not hasattr(seed, "keys") and len(seed) != graph.vcount():
        raise InputError(
            f"seed has {len(seed)} rows and the graph has {graph.vcount()} vertices; give a row for each, or a whole "
            "number for the same drawing again"
        )
    return seed


def _weighted(graph: Any, weights: Any) -> Any:
    """Copy of the graph with these weights; `InputError` unless there is one for each edge."""
    given = list(weights) if hasattr(weights, "__iter__") else None
    if given is None or len(given) != graph.ecount():
        size = f"is {weights!r}" if given is None else f"has {len(given)} entries"
        raise InputError(
            f"weights {size} and the graph has {graph.ecount()} edges; give the name of an edge attribute, a number "
            "for each edge, or None"
        )
    copy = graph.copy()
    copy.es["weight"] = given
    return copy
