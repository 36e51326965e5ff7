"""Record of an objective at one drawing: value, gradient, and other requested results."""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from nelayout.numerics.groups import Whole, several

__all__ = ["NOTHING", "Evaluation", "OfEntries", "OfPairs", "OfRows", "Shared", "chosen", "cut"]

# Value of results that were not requested.
NOTHING = np.empty(0)

# Fields with another first axis than groups: rows, entries of P, curvature pairs and then rows, or nothing.
OfRows = Annotated[Any, "rows"]
OfEntries = Annotated[Any, "entries"]
OfPairs = Annotated[Any, "pairs"]
Shared = Annotated[Any, "nothing"]


class Evaluation(NamedTuple):
    """J of each group at one drawing, lambda, and requested results; other fields are empty.

    If J is infinite, other fields have no meaning.

    value       J: a float of one graph, (C,) of several
    lam         lambda; the geometric mean if each row has its own
    gradient    (n, d)
    weights     (nnz,) attraction omega of each edge, symmetric; a sign is possible
    lost        indices of nodes too far from all others for floats, which make J infinite
    strength    |dJ / d ln lambda| through the edges, their total pull, and gravity's share of J
    stiffness   (n,) a bound on the curvature of gravity and anchors; 0 without them
    attraction  (n,) sum over each node's edges of max(omega, 0)
    """

    value: Any
    lam: Any
    gradient: OfRows = NOTHING
    weights: OfEntries = NOTHING
    lost: Shared = NOTHING.astype(np.intp)
    strength: Any = math.nan
    stiffness: OfRows = np.zeros(())
    attraction: OfRows = NOTHING


def chosen(objective: Any, taken: Any, then: Any, now: Any) -> Any:
    """Return the record ``then`` for groups of the mask ``taken``, and ``now`` for others."""
    parts = objective.parts
    if isinstance(parts, Whole) or parts.all(taken):
        return then if parts.any(taken) else now
    mixed, rows = [], parts.spread(taken)
    for name, counts in _counts(type(now)):
        old, new = getattr(now, name), getattr(then, name)
        if counts != "nothing" and several(new) and 0 < len(new) == len(old):
            mask = taken if counts is None else rows if counts == "rows" else rows[objective.edges.rows]
            new = np.where(mask[:, None] if new.ndim == 2 else mask, new, old)
        mixed.append(new)
    return type(now)(*mixed)


def cut(objective: Any, kept: np.ndarray, record: Any) -> Any:
    """Return the record for only the groups of a mask (C,)."""
    rows = objective.parts.spread(kept)
    masks = {None: kept, "rows": rows, "pairs": rows, "entries": rows[objective.edges.rows]}
    changes = {}
    for name, counts in _counts(type(record)):
        value = getattr(record, name)
        if isinstance(value, tuple):
            changes[name] = cut(objective, kept, value)
        elif counts != "nothing" and several(value) and len(value) > 0:
            changes[name] = np.compress(masks[counts], value, axis=1 if counts == "pairs" else 0)
    return record._replace(**changes)


@cache
def _counts(kind: Any) -> tuple[tuple[str, str | None], ...]:
    """Return the fields of a record, with what the first axis of each counts; None: groups."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((name, getattr(hint, "__metadata__", (None,))[0]) for name, hint in hints.items())
