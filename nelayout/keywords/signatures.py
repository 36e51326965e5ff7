"""Public functions show and explain every keyword, and correct a misspelled one.

A public function takes the common keywords as ``**options``; a decorator writes them into its signature and docstring::

    >>> @takes_common_keywords
    ... def count_nodes(G, method: str | Any = "auto", **options: typing.Unpack[LayoutOptions]) -> int:
    ...     '''Number of nodes of a graph.'''
    ...     return len(G)
    >>> str(inspect.signature(count_nodes))[:76]
    "(G, method='auto', *, weight: str | None = 'weight', weight_kind: str = 'aut"
    >>> count_nodes([1, 2], random_state=0)
    Traceback (most recent call last):
    ...
    TypeError: count_nodes has no keyword 'random_state': here it is called 'seed'
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, cast

from nelayout import graphs
from nelayout.core.catalogue import OWNERS, of_others
from nelayout.errors import unknown
from nelayout.keywords.options import (
    DEFAULTS,
    EVALUATION_DEFAULTS,
    GRAPH_TEXTS,
    GROUPS,
    LAYOUT_DEFAULTS,
    TEXTS,
    LayoutOptions,
)

__all__ = [
    "PASSED_ON", "VECTOR_OWN", "checks_keywords", "takes_addition_keywords", "takes_common_keywords",
    "takes_evaluation_keywords", "takes_keywords_of", "takes_layout_keywords", "takes_sequence_keywords",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")

# Keywords of networkx, igraph, scikit-learn and umap-learn with a different name here: errors name the keyword here.
SAME = {
    "seed": "random_state", "random_state": "seed", "dim": "n_components", "n_components": "dim", "init": "pos",
    "pos": "init", "weights": "weight", "iterations": "max_iter", "niter": "max_iter", "n_iter": "max_iter",
    "n_epochs": "max_iter", "threshold": "tol", "verbose": "progress",
    "timeout": "time_limit", "max_time": "time_limit", "max_seconds": "time_limit",
}
# Keywords of other libraries without an equal here -> what to use instead.
INSTEAD = {
    "min_dist": "no method has a least distance; method='hssne' with a larger tail draws clusters tighter",
    "y": "labels are not read; leave them out",
    "fixed": "a film holds all nodes by its stability, and nelayout.add_nodes holds old nodes still",
    "k": "no method has a best distance between nodes; scale sets the size of the drawing",
    "dist": "the graph's own weights are read; weight_kind='distance' takes them as lengths",
    **dict.fromkeys(("n_neighbors", "metric"), "vectors are drawn by nelayout.embed, which has it"),
}
# Keywords of every method's objective; with those of single methods, functions of vectors take them as ``**own``.
PASSED_ON = ("mass", "smoothing", "emphasis")
VECTOR_OWN = (*OWNERS, *PASSED_ON)
OWN = "".join(f"    {keyword} : of {', '.join(owners)}\n" for keyword, owners in OWNERS.items())
OWN_TEXT = f"own : keywords of the method, explained at its layout function\n{OWN}"
RETURNS = (
    "dict {node: (dim,) array} for networkx and rustworkx, igraph.Layout for igraph, (n, dim) array for matrices and\n"
    "networkit, a vertex property map for graph-tool, a pandas DataFrame indexed by node for tables\n"
)
ENTRY = re.compile(r"^(?=\w+ : )", re.MULTILINE)  # of a list of parameters: where the next begins
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def _takes(defaults: Mapping[str, object]) -> Callable[[F], F]:
    """Return a decorator: a function of a graph takes these keywords for its ``**options``.

    A function with the options of `MethodOptions` also takes the keywords that only some methods have, as ``**own``.
    """

    def takes(function: F) -> F:
        signature, hints = _readable(function), typing.get_type_hints(LayoutOptions)
        taken = typing.get_type_hints(function).get("options")
        any_method = any(OWNERS.keys() <= typing.get_type_hints(each).keys() for each in typing.get_args(taken))
        shown = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        shown += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_shown(hints[name]))
            for name, default in defaults.items()
        ]
        known = {*(p.name for p in shown), *(OWNERS if any_method else ())}
        others = [inspect.Parameter("own", inspect.Parameter.VAR_KEYWORD)] if any_method else []
        signature = signature.replace(parameters=[*shown, *others])
        changed = {name: default for name, default in defaults.items() if default != DEFAULTS.get(name)}

        @functools.wraps(function)
        def wrapped(*args: object, **keywords: Any) -> Any:
            _refuse_unknown(function.__name__, keywords, known)
            with graphs.translated_errors(args[0] if args else keywords.get("G")):
                return function(*args, **{**changed, **keywords})

        head, sections = _sections(inspect.cleandoc(function.__doc__ or ""))
        shared = "".join(f"{name} : {text}\n" for name, text in GRAPH_TEXTS.items())
        entries = {entry.partition(" : ")[0]: entry for entry in ENTRY.split(shared + sections.get("Parameters", ""))}
        first = {"Parameters": "".join(entries.get(name, "") for name in signature.parameters)}
        for group, names in GROUPS.items():
            lines = [f"{n} : default {defaults[n]!r}\n{_filled(TEXTS[n])}\n" for n in names if n in defaults]
            first |= {f"{group} keywords": "".join(lines)} if lines else {}
        first |= {"Method keywords": OWN_TEXT} if any_method else {}
        first["Returns"] = sections.get("Returns", RETURNS)
        rest = {title: text for title, text in sections.items() if title not in first}
        return cast("F", _door(wrapped, signature, head, first | rest))

    return takes


takes_common_keywords = _takes(DEFAULTS)
takes_layout_keywords = _takes(LAYOUT_DEFAULTS)  # with the defaults for visible drawings
takes_evaluation_keywords = _takes(EVALUATION_DEFAULTS)  # those that count for a given drawing
# Of functions that draw several graphs or parts one after another: all except those of one run.
_OF_SEVERAL = {name: given for name, given in LAYOUT_DEFAULTS.items() if name not in ("checkpoint", "resume")}
takes_sequence_keywords = _takes(_OF_SEVERAL)
# Of functions that add to a drawing: all except those that its units set.
takes_addition_keywords = _takes({k: v for k, v in _OF_SEVERAL.items() if k not in ("dim", "scale", "center")})


def checks_keywords(function: F) -> F:
    """Make a function's errors for wrong keywords list near ones, or its own for foreign ones.

    A function that takes ``**own`` gets the keywords of `VECTOR_OWN` there, and no others.

    >>> @checks_keywords
    ... def shuffle(items, random_state=None):
    ...     return items
    >>> shuffle([1, 2], seed=0)
    Traceback (most recent call last):
    ...
    TypeError: shuffle has no keyword 'seed': here it is called 'random_state'
    """
    signature = _readable(function)

    @functools.wraps(function)
    def wrapped(*args: object, **keywords: Any) -> Any:
        _refuse_unknown(function.__name__, keywords, _known(signature))
        return function(*args, **keywords)

    vars(wrapped)["__signature__"] = signature
    return cast("F", wrapped)


def takes_keywords_of(other: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Let a function take the arguments of another, and show its signature and explanations.

    >>> def area(width: float, height: float = 1.0) -> float:
    ...     '''Area of a box.
    ...
    ...     Parameters
    ...     ----------
    ...     width, height : in meters
    ...     '''
    ...     return width * height
    >>> @takes_keywords_of(area)
    ... def describe(*sides, **named) -> str:
    ...     '''Area of a box in words.'''
    ...     return f"{area(*sides, **named)} m^2"
    >>> describe(2.0, height=3.0), str(inspect.signature(describe))
    ('6.0 m^2', '(width: float, height: float = 1.0) -> str')
    """

    def decorated(function: Callable[..., R]) -> Callable[P, R]:
        signature = _readable(other).replace(return_annotation=_readable(function).return_annotation)

        @functools.wraps(function)
        def wrapped(*args: P.args, **keywords: P.kwargs) -> R:
            _refuse_unknown(function.__name__, keywords, _known(signature))
            try:
                signature.bind(*args, **keywords)
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}") from None
            return function(*args, **keywords)

        head, sections = _sections(inspect.cleandoc(function.__doc__ or ""))
        shared = _sections(inspect.cleandoc(other.__doc__ or ""))[1]
        return _door(wrapped, signature, head, {"Parameters": shared.get("Parameters", ""), **sections})

    return decorated


def _known(signature: inspect.Signature) -> set[str]:
    """Return the keywords that a function of vectors takes."""
    return {*signature.parameters, *(VECTOR_OWN if "own" in signature.parameters else ())} - {"own"}


def _refuse_unknown(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for a keyword that is not known, with the word to use instead."""
    for name in given:
        if name in known:
            continue
        wrong = f"{function} has no keyword {name!r}"
        if SAME.get(name) in known:
            raise TypeError(f"{wrong}: here it is called {SAME[name]!r}")
        if name in INSTEAD:
            raise TypeError(f"{wrong}: {INSTEAD[name]}")
        if name in OWNERS:
            raise TypeError(f"{wrong}; {of_others(name)}")
        raise TypeError(str(unknown(f"keyword of {function}", name, known)))


def _readable(function: Callable[..., object]) -> inspect.Signature:
    """Return the signature with types for their source text, without empty ones."""
    signature, hints = inspect.signature(function), typing.get_type_hints(function)
    # annotations of this function are types already, and its hints describe the wrapped function
    parameters = [
        p.replace(annotation=_shown(hints.get(p.name, p.annotation))) for p in signature.parameters.values()
    ]
    return signature.replace(parameters=parameters, return_annotation=_shown(hints.get("return", Any)))


def _shown(hint: object) -> Any:
    says_nothing = any(part in (Any, object) for part in (hint, *typing.get_args(hint)))
    return inspect.Signature.empty if says_nothing else hint


def _filled(text: str) -> str:
    return textwrap.fill(text, 110, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """Text before the first heading of a docstring, and heading -> text below it."""
    head, *rest = HEADING.split(text)
    return head.rstrip(), {title: body.rstrip() + "\n" for title, body in zip(rest[::2], rest[1::2], strict=True)}


def _door(wrapped: Callable[P, R], signature: inspect.Signature, head: str, sections: dict[str, str]) -> Callable[P, R]:
    vars(wrapped)["__signature__"] = signature
    body = "\n".join(f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items())
    wrapped.__doc__ = f"{head}\n\n{body}"
    return wrapped
