"""Record of an objective at one drawing: value, gradient, and other requested results."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from nelayout.numerics.groups import Whole

__all__ = ["ENTRIES", "NOTHING", "PAIRS", "ROWS", "SHARED", "Evaluation", "chosen", "cut"]

# Value of results that were not requested.
NOTHING = np.empty(0)

# First axis of a field, if not groups: rows, entries of P, curvature pairs and then rows, or nothing.
ROWS, ENTRIES, PAIRS, SHARED = ({"counts": name} for name in ("rows", "entries", "pairs", "nothing"))


@dataclass(frozen=True, slots=True)
class Evaluation:
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
    gradient: Any = field(default_factory=lambda: NOTHING, metadata=ROWS)
    weights: Any = field(default_factory=lambda: NOTHING, metadata=ENTRIES)
    lost: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp), metadata=SHARED)
    strength: Any = math.nan
    stiffness: Any = field(default_factory=lambda: np.zeros(()), metadata=ROWS)
    attraction: Any = field(default_factory=lambda: NOTHING, metadata=ROWS)


def chosen(objective: Any, taken: Any, then: Any, now: Any) -> Any:
    """Return the record ``then`` for groups of the mask ``taken``, and ``now`` for others."""
    parts = objective.parts
    if isinstance(parts, Whole) or parts.all(taken):
        return then if parts.any(taken) else now
    mixed, rows = [], parts.spread(taken)
    for name, counts in _counts(type(now)):
        old, new = getattr(now, name), getattr(then, name)
        if counts != "nothing" and np.ndim(new) and 0 < len(new) == len(old):
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
        if is_dataclass(value):
            changes[name] = cut(objective, kept, value)
        elif counts != "nothing" and np.ndim(value) > 0 and len(value) > 0:
            changes[name] = np.compress(masks[counts], value, axis=1 if counts == "pairs" else 0)
    return replace(record, **changes)


@cache
def _counts(kind: Any) -> tuple[tuple[str, str | None], ...]:
    """Return the fields of a record, with what the first axis of each counts; None: groups."""
    return tuple((each.name, each.metadata.get("counts")) for each in fields(kind))
