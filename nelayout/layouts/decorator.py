"""What makes a layout function of one line: the common keywords in its signature and docstring, and their checks."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from nelayout import graphs
from nelayout.catalogue import Method
from nelayout.errors import unknown
from nelayout.run.options import DEFAULTS, GRAPH_TEXT, TEXTS, LayoutOptions
from nelayout.run.pipeline import solve

__all__ = ["draw", "layout_function"]


def layout_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Writes the common keywords into a layout function's signature and docstring."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    hints = LayoutOptions.__annotations__
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
        for name, default in DEFAULTS.items()
    ]

    known = [*(p.name for p in own), *DEFAULTS]

    @functools.wraps(function)
    def wrapped(*args: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name not in known:
                raise TypeError(str(unknown(f"keyword of {function.__name__}", name, known)))
        with graphs.guard(args[0] if args else keywords.get("G")):
            return function(*args, **keywords)

    vars(wrapped)["__signature__"] = signature.replace(parameters=[*own, *common])
    body = inspect.cleandoc(function.__doc__ or "")
    head, _, tail = body.partition("\nParameters\n----------\n")
    mine, _, example = tail.partition("\n\n") if tail else ("", "", "")
    lines = "\n".join(f"{name} : default {DEFAULTS[name]!r}\n    {text}" for name, text in TEXTS.items())
    wrapped.__doc__ = (
        f"{head.rstrip()}\n\nParameters\n----------\n{GRAPH_TEXT}{mine + chr(10) if mine else ''}{lines}\n\n"
        "Returns\n-------\n"
        "dict {node: (dim,) array} for networkx, igraph.Layout for igraph, (n, dim) array for matrices\n\n"
        f"{example}"
    ).rstrip() + "\n"
    return wrapped


def draw(G: Any, method: Method, pos: Any, fixed: Any, options: LayoutOptions) -> Any:
    """The positions alone, in the host's type."""
    return solve(G, method, pos, fixed, **options).positions
