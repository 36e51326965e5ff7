"""Ends and weights in columns of a table: text, a sheet or typed columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nelayout.errors import unknown
from nelayout.graphs.files.record import Columns, GraphFile, Source, count_of, from_edges
from nelayout.graphs.headings import MIN_SHARED_LETTERS, ends_named, is_length
from nelayout.graphs.network import length_note

__all__ = ["Ends", "column_of", "of_column"]


def column_of(
    source: Source, asked: str, names: Sequence[str], columns: Sequence[int], what: str, hint: str = ""
) -> int:
    """Return the first column with this heading, in any case, or this number from 1."""
    named = [k for k in columns if k < len(names)]
    fitting = [k for k in named if names[k] == asked] + [k for k in named if names[k].lower() == asked.lower()]
    if not fitting and asked.isdecimal() and int(asked) - 1 in columns:
        fitting = [int(asked) - 1]
    if not fitting:
        known = [names[k] for k in named if names[k]] or [str(k + 1) for k in columns]
        raise source.broken(str(unknown(f"column for {what}", asked, known)) + hint)
    return fitting[0]


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Nodes of a table, both ends of its edges by number (2, m), and headings of both columns."""

    labels: Sequence[Hashable]
    ends: np.ndarray
    headings: Sequence[str] = ()

    def shared(self) -> np.ndarray:
        """Return the numbers of the nodes that stand in both columns."""
        return np.intersect1d(*self.ends)

    def note(self) -> str:
        """Return a note on equal names under headings such as user and item, or an empty text."""
        headings = self.headings
        if not headings or min(map(len, headings)) < MIN_SHARED_LETTERS or ends_named(headings) is not None:
            return ""  # as in "x,y"
        both, few = self.shared(), min(len(np.unique(end)) for end in self.ends)
        numbers = all(str(label).isdecimal() for label in self.labels)
        if not len(both) or (not numbers and 2 * len(both) >= few):
            return ""
        one, other = map(repr, headings)
        names = f"{count_of(len(both), 'number' if numbers else 'name')}, such as {self.labels[both[0]]},"
        where = f"in the column {one} and in the column {other}"
        return f"{names} {where}: equal names are one node; bipartite=True makes two nodes of them"

    def apart(self) -> tuple[Ends, dict[str, list]]:
        """Return a node for each name in each column, and their kinds and names.

        >>> users = Ends([1, 2], np.array([[0, 1], [0, 0]]), ["user", "item"])
        >>> users.apart()[0].labels, users.apart()[0].ends.tolist()
        (['user 1', 'user 2', 'item 1'], [[0, 1], [2, 2]])
        """
        parts = [np.unique(end, return_inverse=True) for end in self.ends]
        names = [self.labels[k] for used, _ in parts for k in used.tolist()]
        kinds = [heading for heading, (used, _) in zip(self.headings, parts, strict=True) for _ in used]
        texts = [f"{kind} {name}" for kind, name in zip(kinds, names, strict=True)]
        if len(set(texts)) < len(texts):  # as in the headings "user" and "user group"
            texts = [f"{kind}: {name}" for kind, name in zip(kinds, names, strict=True)]
        ends = np.stack([parts[0][1], parts[1][1] + len(parts[0][0])])
        return Ends(texts if len(self.shared()) else names, ends), {"kind": kinds, "name": names}


def of_column(
    nodes: Ends, weights: np.ndarray | None, file_format: str, notes: Iterable[str], name: str, heading: str,
    columns: Columns, others: Mapping[str, Sequence] | None = None,
) -> GraphFile:  # fmt: skip
    """Return the record of edges with the numbers of a column, NaN where one is missing.

    A column with the heading of a length that the caller does not name holds distances.  A missing number is 1, or the
    mean length.  The columns `others` are edge attributes.
    """
    (rows, cols), known = nodes.ends, {}
    notes, lengths, guessed = list(notes), weights is not None and is_length(heading), columns.weight is None
    if columns.bipartite:
        nodes, known = nodes.apart()
        rows, cols = nodes.ends
    else:
        notes += filter(None, [nodes.note()])
    if weights is not None and lengths and guessed:
        apart = weights[rows != cols]
        if (apart <= 0).any():
            notes.append(f"the column {heading!r} is not read: lengths are > 0, and it has {apart.min():g}")
            weights, lengths = None, False
        else:
            notes.append(length_note(heading))
    if weights is not None and (missing := np.isnan(weights)).any():
        held = weights[~missing & (rows != cols)]
        weights = np.where(missing, held.mean() if lengths and len(held) else 1.0, weights)
        notes.append(f"{count_of(int(missing.sum()), 'weight')} missing: such edges weigh 1")
    name, kind = (heading, "distance") if lengths and guessed else (name, "auto")
    return from_edges(
        nodes.labels, rows, cols, weights, file_format, node_data=known, notes=tuple(notes), weight=name,
        weight_kind=kind, shortest=lengths, others=others,
    )  # fmt: skip
