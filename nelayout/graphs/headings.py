"""Headings of tables of edges: which columns hold the ends of an edge, and which its weight.

Files and data frames are read by the same words, in large or small letters::

    >>> ends_named(["year", "From", "To"]), ends_named(["a", "b"])
    ((1, 2), None)
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["FROM", "TO", "WEIGHT", "ends_named", "first_of"]

FROM = frozenset(
    {"source", "src", "from", "fromnodeid", "node1", "node_1", "id_1", "id1", "u", "head", "i", "start"}
)
TO = frozenset(
    {"target", "dst", "to", "tonodeid", "node2", "node_2", "id_2", "id2", "v", "tail", "j", "end", "dest"}
)
WEIGHT = frozenset({"weight", "w", "value", "strength", "count"})


def ends_named(headings: Iterable[object]) -> tuple[int, int] | None:
    """Columns of the two ends, or None where either is not named."""
    words = list(headings)
    source, target = first_of(words, FROM), first_of(words, TO)
    return None if source is None or target is None else (source, target)


def first_of(headings: Iterable[object], names: Iterable[str]) -> int | None:
    """The first column that is called by one of the names, None without one; blanks and quotes do not count."""
    known = set(names)
    for column, heading in enumerate(headings):
        if isinstance(heading, str) and re.sub(r"[\s\"']", "", heading).lower() in known:
            return column
    return None
