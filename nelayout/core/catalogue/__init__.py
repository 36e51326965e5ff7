"""The methods with names: find one, list all, or change one by keywords or parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nelayout.core.catalogue.record import PERPLEXITY, Method
from nelayout.core.catalogue.stages import Descend
from nelayout.core.catalogue.table import AUTO, METHODS, own_parts
from nelayout.core.formula.part_names import as_number, spell, split
from nelayout.core.record.shown import TableOfRows
from nelayout.errors import InputError, InputTypeError, Unsupported, unknown

__all__ = [
    "AUTO", "METHODS", "OWNERS", "method", "method_named", "methods", "of_others", "own_keywords", "tune", "with_own",
    "with_similarities",
]

# Keyword that only some methods have -> their names.
OWNERS: dict[str, list[str]] = {
    keyword: [m.name for m in METHODS.values() if keyword in dict(m.own)]
    for keyword in dict.fromkeys(keyword for m in METHODS.values() for keyword, _ in m.own)
}

_SPELLINGS = {"t-sne": "tsne", "s-sne": "ssne", "wssne": "ws-sne"}
# Parts: with another one, a method is another method, with another name and another schedule.
_FORMULA = ("kernel", "divergence", "connection")
_PARTS = (
    *_FORMULA, "mass", "affinity", "perplexity", "hops", "gravity", "emphasis", "stages", "name", "summary",
    "reference",
)


def method_named(method: str | Method) -> Method:
    """Return the method with a name ("ws-sne", "ws_sne", "auto"), or the Method.

    A number behind a name, as in "nerv:0.3", is the first of the method's own keywords.
    """
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise InputTypeError(
            f"method must be a name or a nelayout.Method, given {type(method).__name__}; "
            "nelayout.methods() lists the names"
        )
    name, words = split(method)
    name = _SPELLINGS.get(name, name)
    record = AUTO if name == "auto" else METHODS.get(name)
    if record is None:
        if name in ("energy", "force"):  # ways of networkx.spring_layout
            raise InputError(
                f"method must be a name that nelayout.methods() lists; got {name!r}, a way in which "
                "networkx.spring_layout computes forces. Leave it out, or choose a way by nbody="
            )
        raise unknown("method", name if words else method, ["auto", *METHODS])
    if not words:
        return record
    keyword = _number_of(record)
    if keyword is None:
        raise InputError(f"method {method!r}: {name} takes no number; write {name!r}")
    if len(words) > 1:
        raise InputError(f"method {method!r}: write one number behind the colon, {keyword}, as in '{name}:0.5'")
    number = as_number(words[0])
    return tune(record, **{keyword: words[0] if number is None else number})


def own_keywords(method: str) -> dict[str, Any]:
    """Return the keywords that only this method has, and their defaults."""
    name = split(method)[0]
    return dict(METHODS[name].own) if name in METHODS else {}


def tune(method: str | Method, **own: Any) -> Method:
    """Return a method of the catalogue with other values for the method's keywords."""
    record = method_named(method)
    if not own:
        return record
    name = split(record.name)[0]
    for keyword in own:
        if keyword not in dict(record.own) or name not in METHODS:
            raise InputTypeError(_not_its_own(record, keyword))
    number = _number_of(METHODS[name])
    if isinstance(method, str) and split(method)[1] and number in own:
        raise InputTypeError(f"{number} is given twice: in the name {method!r} and as a keyword")
    if replace(record, **own_parts(name, **dict(record.own))) != record:
        raise InputTypeError(f"the parts of this {name} were replaced, and {', '.join(own)} would replace them again")
    parts = own_parts(name, **{**dict(record.own), **own})
    if not record.scheduled and ("kernel" in parts or "divergence" in parts):  # they may need another schedule
        parts["stages"] = ()
    if number is not None:
        default, value = dict(METHODS[name].own)[number], dict(parts["own"])[number]
        if value != default:
            name = f"{name}:{value}" if isinstance(value, str) else spell(name, float(value))
    return replace(record, **parts, name=name)


def with_own(method: str | Method, options: Mapping[str, object]) -> tuple[Method, dict[str, Any]]:
    """Return the method with its own keywords among the options, and the other options."""
    own = {name: value for name, value in options.items() if name in OWNERS}
    return tune(method, **own), {name: value for name, value in options.items() if name not in own}


def with_similarities(method: Method, options: Mapping[str, object], lengths: bool) -> Method:
    """Return the method with the similarities that the common keywords ask for."""
    affinity = options["affinity"]
    perplexity = None if affinity == "weights" else method.perplexity or (PERPLEXITY if affinity == "hops" else None)
    if perplexity is None:
        for name in ("perplexity", "hops"):
            if options[name] is not None:
                raise InputError(
                    f"{name} must come with affinity='hops'; got {name}={options[name]:g} for similarities that are "
                    "weights of edges. Give both, or leave it out; vectors are drawn by nelayout.embed"
                )
        return replace(method, perplexity=None, hops=None)
    if any(isinstance(stage, Descend) and stage.candidate for stage in method.stages):
        raise Unsupported(
            f"method {method.name!r} compares drawings by the edges of the graph, and affinity='hops' replaces these: "
            "name a method, such as 'tsne' or 'tsnet'"
        )
    if options["smoothing"]:
        raise InputError(
            f"smoothing must be 0 for affinity='hops'; got {options['smoothing']:g}. Leave out one of them: each makes "
            "similarities of its own"
        )
    hops = options["hops"] or method.hops
    if hops is not None and lengths:
        raise InputError(
            f"hops must be None for weight_kind='distance'; got {hops}. It counts edges, and these have lengths: leave "
            "out one of them"
        )
    return replace(method, perplexity=options["perplexity"] or perplexity, hops=hops)


def method(base: str | Method, **changes: Any) -> Method:
    """Change a method: replace parts of a record of the catalogue or set its own keywords.

    Parameters
    ----------
    base : a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a `Method`.
    changes : its own keywords (kappa of "nerv", tail of "hssne", ...), and kernel, divergence, connection, mass,
        affinity, perplexity, hops, gravity, emphasis, stages or name as `Method` has them.  With another kernel,
        divergence or connection the method is called "custom" unless you give a name, and takes the stages that suit
        its kernel unless you give stages.

    Returns
    -------
    Method
        for `layout`, `solve`, `estimate` and `embed`

    Raises
    ------
    InputError
        for a name or keyword that the method does not have, and for a keyword beside the part that it makes

    Examples
    --------
    >>> import nelayout as nl
    >>> nl.method("ws-sne", divergence="beta:0.5"), nl.method("nerv", kappa=0.3).name
    (Method(cauchy, beta:0.5, optimal, mass=degree), 'nerv:0.3')
    """
    record = method_named(base)
    own = {name: value for name, value in changes.items() if name in dict(record.own)}
    parts = {name: value for name, value in changes.items() if name not in own}
    for name in parts:
        if name not in _PARTS:
            near = unknown("part or keyword of a method", name, [*_PARTS, *dict(record.own)])
            raise InputTypeError(_not_its_own(record, name) if name in OWNERS else str(near))
    made = own_parts(split(record.name)[0], **dict(record.own)) if record.own else {}
    for name in parts:
        if name in made and own:
            raise InputTypeError(f"{', '.join(own)} makes the {name}, which is given too: leave out one of them")
    record = tune(base, **own)
    if not any(name in parts for name in _FORMULA):
        return replace(record, **parts) if parts else record
    fresh: dict[str, Any] = {"name": "custom", "summary": "", "reference": "", "own": (), "stages": ()}
    if "connection" in parts:
        fresh["affinity"] = None
    if "divergence" in parts:
        fresh["choose"] = None
    if split(record.name)[0] not in (*METHODS, "auto") and record.scheduled:
        fresh["stages"] = record.stages
    return replace(record, **{**fresh, **parts})


def methods() -> list[dict[str, Any]]:
    """Return the catalogue as rows: name, parts, summary and reference of each method.

    The first is "auto", the default of `nelayout.layout`.  The list prints as a table.

    >>> [row["name"] for row in methods()][:3]
    ['auto', 'ws-sne', 'gamma-quadlog']
    """
    parts = ("name", "kernel", "divergence", "connection", "mass", "summary", "reference")
    rows = [
        {part: getattr(m, part).name if part in _FORMULA else getattr(m, part) for part in parts}
        for m in (AUTO, *METHODS.values())
    ]
    return TableOfRows(rows, parts[:-1])


def of_others(keyword: str) -> str:
    """Say which methods have a keyword."""
    return f"{keyword} is a keyword of {' and '.join(map(repr, OWNERS[keyword]))}"


def _number_of(record: Method) -> str | None:
    """Return the keyword that a number behind the name sets: the first, if it is a number."""
    return next((keyword for keyword, value in record.own[:1] if isinstance(value, float)), None)


def _not_its_own(record: Method, keyword: str) -> str:
    message = f"the method {record.name!r} has no keyword {keyword!r}; {of_others(keyword)}"
    if keyword in _FORMULA:
        message += f"; nelayout.method({record.name!r}, {keyword}=...) has another {keyword}"
    return message
