"""Find the columns of a table that hold ends, weights or lengths of edges, by headings.

Files and data frames share the same words; case does not matter.  Two headings that differ only by 1 and 2, by A
and B, or by from and to, also name the ends::

    >>> ends_named(["year", "From", "To"]), ends_named(["protein1", "protein2", "score"]), ends_named(["a", "b"])
    ((1, 2), (0, 1), None)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = [
    "FROM",
    "MIN_SHARED_LETTERS",
    "NODE",
    "TO",
    "WEIGHT",
    "ends_named",
    "first_of",
    "is_length",
    "is_time",
    "is_weight",
]

FROM = frozenset(
    {"source", "src", "from", "fromnodeid", "node1", "node_1", "id_1", "id1", "u", "head", "i", "start"}
    | {":start_id", "sender", "subject", "follower", "citing", "caller", "parent"}
)
TO = frozenset(
    {"target", "dst", "to", "tonodeid", "node2", "node_2", "id_2", "id2", "v", "tail", "j", "end", "dest"}
    | {":end_id", "destination", "receiver", "recipient", "object", "followee", "cited", "callee", "child"}
)
WEIGHT = frozenset({"weight", "weights", "w", "value", "strength", "count", "score"})
# Last words of headings of distances, before a unit; numbers that are small for near nodes.
LENGTH = frozenset(
    {"distance", "distances", "dist", "length", "lengths", "len", "cost", "costs", "duration", "latency", "rank"}
    | {"pvalue", "pval", "padj", "qvalue", "qval", "evalue", "dissimilarity"}
)
# Units of length. The long ones are a heading by themselves.
LONG_UNITS = frozenset({"km", "miles", "meters", "metres", "kilometers", "kilometres"})
UNITS = LONG_UNITS | {"m", "cm", "mm", "mi", "ft", "nm"}
# Words that turn a length into a similarity, as in "inverse distance".
INVERSE = frozenset({"inverse", "inv", "1", "neg", "log10"})
# First headings of tables of nodes and of positions; such tables hold no edges.
NODE = frozenset({"node", "row", "id", "nodeid", "node_id", "label", "name", "key"})
TIME = frozenset({"time", "timestamp", "ts", "date", "datetime", "year", "month", "day", "epoch", "unixtime", "t"})
# Beginnings and endings of headings that mark the two ends of an edge.
PAIRS = (("1", "2"), ("a", "b"), ("from", "to"), ("source", "target"), ("src", "dst"), ("sender", "receiver"))
# Longer headings name no column.
LONGEST_HEADING = 200
# Fewest letters that two headings must share: x1 and x2 are coordinates, not ends.
MIN_SHARED_LETTERS = 3


def ends_named(headings: Iterable[object]) -> tuple[int, int] | None:
    """Return the columns of the two ends, or None if the headings do not name both."""
    words = list(headings)
    source, target = first_of(words, FROM), first_of(words, TO)
    return _paired(words) if source is None or target is None else (source, target)


def first_of(headings: Iterable[object], names: Iterable[str]) -> int | None:
    """Return the first column with one of the names, or None; blanks and quotes are ignored.

    Types and groups of Neo4j do not belong to a heading: weight:double, :START_ID(Person).
    """
    known = set(names)
    for column, heading in enumerate(headings):
        text = heading[: LONGEST_HEADING + 1] if isinstance(heading, str) else ""
        if re.sub(r"[\s\"'#]", "", _untyped(text)).lower() in known:
            return column
    return None


def is_weight(heading: str) -> bool:
    """Return whether a heading is one of `WEIGHT` or ends in one, as "combined_score"."""
    return bool(WEIGHT.intersection(_parts(heading)[-1:])) and not is_length(heading)


def is_length(heading: str) -> bool:
    """Return whether a heading names a length or another number that is small for near nodes.

    >>> [is_length(x) for x in ("distance", "Length_m", "km", "p-value", "m", "score", "inverse_distance")]
    [True, True, True, True, False, False, False]
    """
    parts = _parts(heading)
    named = parts[:-1] if len(parts) > 1 and parts[-1] in UNITS else parts
    single = "".join(named[-2:]) if named[-1:] in (["value"], ["val"]) else "".join(named[-1:])  # p-value
    return INVERSE.isdisjoint(parts) and (single in LENGTH or (parts == named and single in LONG_UNITS))


def is_time(heading: str) -> bool:
    """Return whether a heading names a time."""
    return not TIME.isdisjoint(_parts(heading))


def _untyped(heading: str) -> str:
    """Return a heading without the type or the group that Neo4j writes behind it."""
    return re.sub(r"(?<=_ID)\(.*\)$|(?<=\w):(?:int|long|float|double|boolean|byte|short|char|string)$", "", heading)


def _parts(heading: str) -> list[str]:
    """Split a heading into lower-case words and numbers: ["protein", "1"], ["from", "id"]."""
    heading = heading[:LONGEST_HEADING]
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _untyped(heading))
    return [part.lower() for part in re.findall(r"[^\W\d_]+|\d+", spaced)]


def _paired(headings: Sequence[object]) -> tuple[int, int] | None:
    """Return the first two columns with equal headings except for the mark of an end."""
    split = [_parts(heading) if isinstance(heading, str) else [] for heading in headings]
    for one, other in PAIRS:
        for at in (0, -1):
            marked = [(k, [*parts[:-1]] if at else parts[1:], parts[at]) for k, parts in enumerate(split) if parts]
            for k, rest, mark in marked:
                stem = "".join(rest)
                if mark != one or len(stem) < (MIN_SHARED_LETTERS if len(mark) == 1 else 1):
                    continue
                alike = {mark: k for k, same, mark in reversed(marked) if same == rest}
                if other in alike and not {"3", "c"} & alike.keys():
                    return k, alike[other]
    return None
