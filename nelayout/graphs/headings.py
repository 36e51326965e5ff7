"""Headings of tables of edges: which columns hold the ends of an edge, and which its weight.

Files and data frames are read by the same words, in large or small letters.  Two headings that differ by 1 and 2, by A
and B, or by from and to, name the ends as well::

    >>> ends_named(["year", "From", "To"]), ends_named(["protein1", "protein2", "score"]), ends_named(["a", "b"])
    ((1, 2), (0, 1), None)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["FROM", "NODE", "TO", "WEIGHT", "ends_named", "first_of", "is_time", "is_weight"]

FROM = frozenset(
    {"source", "src", "from", "fromnodeid", "node1", "node_1", "id_1", "id1", "u", "head", "i", "start"}
    | {"sender", "subject", "follower", "citing", "caller", "parent"}
)
TO = frozenset(
    {"target", "dst", "to", "tonodeid", "node2", "node_2", "id_2", "id2", "v", "tail", "j", "end", "dest"}
    | {"destination", "receiver", "recipient", "object", "followee", "cited", "callee", "child"}
)
WEIGHT = frozenset({"weight", "weights", "w", "value", "strength", "count", "score"})
# First headings of tables of nodes and of positions, which have no ends.
NODE = frozenset({"node", "row", "id", "nodeid", "node_id", "label", "name", "key"})
TIME = frozenset({"time", "timestamp", "ts", "date", "datetime", "year", "month", "day", "epoch", "unixtime", "t"})
# Beginnings and endings of a heading that say which end a column holds.
PAIRS = (("1", "2"), ("a", "b"), ("from", "to"), ("source", "target"), ("src", "dst"), ("sender", "receiver"))
# Letters that two headings share at least, so that x1 and x2 are no ends.
SHARED = 3


def ends_named(headings: Iterable[object]) -> tuple[int, int] | None:
    """Columns of the two ends, or None where either is not named."""
    words = list(headings)
    source, target = first_of(words, FROM), first_of(words, TO)
    return _paired(words) if source is None or target is None else (source, target)


def first_of(headings: Iterable[object], names: Iterable[str]) -> int | None:
    """The first column that is called by one of the names, None without one; blanks and quotes do not count."""
    known = set(names)
    for column, heading in enumerate(headings):
        if isinstance(heading, str) and re.sub(r"[\s\"'#]", "", heading).lower() in known:
            return column
    return None


def is_weight(heading: str) -> bool:
    """Whether a heading names a weight: one of `WEIGHT`, or a name that ends in one.

    >>> is_weight("combined_score"), is_weight("km")
    (True, False)
    """
    return bool(WEIGHT.intersection(_parts(heading)[-1:]))


def is_time(heading: str) -> bool:
    """Whether a heading names a time."""
    return not TIME.isdisjoint(_parts(heading))


def _parts(heading: str) -> list[str]:
    """Words and numbers of a heading in small letters: ["combined", "score"], ["protein", "1"], ["from", "id"]."""
    return [part.lower() for part in re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading))]


def _paired(headings: Sequence[object]) -> tuple[int, int] | None:
    """The first two columns that are called alike but for the mark of an end."""
    split = [_parts(heading) if isinstance(heading, str) else [] for heading in headings]
    for one, other in PAIRS:
        for at in (0, -1):
            marked = [(k, [*parts[:-1]] if at else parts[1:], parts[at]) for k, parts in enumerate(split) if parts]
            for k, rest, mark in marked:
                stem = "".join(rest)
                if mark != one or len(stem) < (SHARED if len(mark) == 1 else 1):
                    continue
                alike = {mark: k for k, same, mark in reversed(marked) if same == rest}
                if other in alike and not {"3", "c"} & alike.keys():
                    return k, alike[other]
    return None
