"""Convert edge weights (similarities, distances or heavy-tailed numbers) to similarities.

Layouts use similarities: a large P_ij draws i and j together.  ``weight_kind`` states what the numbers are;
nelayout never guesses it.  For the numbers 1, 2 and 3 (mean 2)::

    >>> for kind in KINDS:
    ...     print(kind, similarities(np.array([1.0, 2.0, 3.0]), kind, "weight", str).round(3))
    similarity [1. 2. 3.]
    distance [2.    1.    0.667]
    log [0.693 1.099 1.386]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from nelayout.errors import InputError, near_matches, unknown
from nelayout.graphs.to_floats import TEXT, numbers, short_repr

__all__ = ["check_kind", "NEGATIVE", "attribute_words", "similarities", "unread", "zero_note"]

# Numeric edge attributes that only identify edges, in GraphML, GEXF and multigraphs.
NOT_A_WEIGHT = frozenset({"id", "key"})


def _similarity(values: np.ndarray) -> np.ndarray:
    """Return the number itself."""
    return values


def _distance(values: np.ndarray) -> np.ndarray:
    """Return mean(d) / d: an edge of mean length weighs 1, independent of the unit of length."""
    if len(values) == 0:
        return values
    relative = values / values.max()  # first, so that the mean of huge numbers stays finite
    with np.errstate(over="ignore", divide="ignore"):
        return relative.mean() / relative


def _log(values: np.ndarray) -> np.ndarray:
    """Return ln(1 + w), so that a few heavy edges do not outweigh all others."""
    return np.log1p(values)


# Advice of the error for negative weights, such as correlations.
NEGATIVE = "weight=None takes every edge as 1; or take absolute values (abs), or leave the negative ones out"
# Advice on text in place of a weight.
TEXT_WEIGHTS = f"{TEXT}, or weight=None takes every edge as 1"

# `weight_kind` -> (numbers of all edges -> similarities of all edges).
KINDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "similarity": _similarity,
    "distance": _distance,
    "log": _log,
}


def check_kind(weight_kind: str) -> None:
    """Raise `InputError` with near matches unless `weight_kind` is in `KINDS`."""
    if not isinstance(weight_kind, str) or weight_kind not in KINDS:
        raise unknown("weight_kind", weight_kind, KINDS)


def similarities(
    values: Sequence | np.ndarray,
    weight_kind: str,
    attribute: str,
    name: Callable[[int], str],
    negative: str = NEGATIVE,
) -> np.ndarray:
    """Return the similarity of each edge, (m,) float64 >= 0, before parallel edges add up.

    Parameters
    ----------
    values : the number of each edge (each undirected edge once, or each twice; self-loops left out).
    weight_kind : "similarity" (w), "distance" (mean(d) / d), "log" (ln(1 + w)).
    attribute : name of the numbers, for messages.
    name : returns the name of the k-th edge, for messages.
    negative : advice about a negative number, for messages.

    Raises
    ------
    InputError
        naming the first edge with a number that is negative, NaN, infinite or missing; for distances also
        a 0, or a distance so short beside the mean that mean(d) / d overflows.
    """
    check_kind(weight_kind)
    if weight_kind == "distance":
        read = numbers(values, attribute, name, text=TEXT_WEIGHTS)
        _refuse_distances(read <= 0, values, attribute, name, "distances must be > 0")
        result = KINDS[weight_kind](read)
        _refuse_distances(~np.isfinite(result), values, attribute, name, "mean / distance overflows")
        return result
    return KINDS[weight_kind](numbers(values, attribute, name, True, negative, TEXT_WEIGHTS))


def _refuse_distances(
    wrong: np.ndarray, values: Sequence | np.ndarray, attribute: str, name: Callable[[int], str], why: str
) -> None:
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            f'{name(k)} has {attribute} {short_repr(values[k])}; with weight_kind="distance" {why}: '
            "remove or merge such edges, or say what the numbers are with another weight_kind"
        )


def attribute_words(weight: object) -> str:
    """Return the attribute's name in messages: "weight", or "weight 'km'" for any other name."""
    return "weight" if weight == "weight" else f"weight {weight!r}"


def unread(
    weight: Any, attributes: Iterable[Any], numeric: Callable[[Any], bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes and doubts (see `Network`) on a graph without the edge attribute `weight`.

    The default name may be absent.  The note then names the numeric attributes.  If there is exactly one, the user
    probably meant it, and the note is a doubt too.

    Raises
    ------
    InputError
        for any name except the default, with near matches.

    Examples
    --------
    >>> unread("weight", ["value", "color"], lambda name: name == "value")[0]
    ("no edge has the attribute 'weight', all weigh 1; weight='value' would use the numbers there",)
    """
    present = sorted(name for name in attributes if isinstance(name, str))
    if weight != "weight":
        near = near_matches(weight, present)
        hint = f": did you mean {near[0]!r}?" if near else "."
        there = "The edges have no attributes"
        if present:
            there = f"The edge attributes are {', '.join(map(repr, present))}"
        raise InputError(f"no edge has the attribute {weight!r}{hint} {there}; weight=None takes every edge as 1")
    could = [name for name in present if name not in NOT_A_WEIGHT and numeric(name)]
    if not could:
        return (), ()
    note = "no edge has the attribute 'weight', all weigh 1"
    if len(could) > 1:
        note += f"; the edge attributes {', '.join(map(repr, could))} hold numbers: weight= uses one of them"
        return (note,), ()
    note += f"; weight={could[0]!r} would use the numbers there"
    return (note,), (f"{note}, and weight=None takes every edge as 1 without this warning",)


def zero_note(zeros: int, what: str = "edges") -> tuple[str, ...]:
    """Return a note about edges of weight 0, which are not in the network."""
    if not zeros:
        return ()
    return (f"{zeros} {what} of weight 0 taken as no edge; weight=None takes every edge as 1",)
