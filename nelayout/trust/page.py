"""The page of an audit: the drawing with its faults in color, the sentences and the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Protocol

from nelayout.comparison.ranking import explained
from nelayout.graphs import places, points, read
from nelayout.pictures.pages import Column, Page, network_page
from nelayout.trust.reach import Reach
from nelayout.trust.records import Cluster, Fault, Hidden, Misplaced, Torn

__all__ = ["audit_page"]

# Kinds of faults in a legend, from the least to the most that a color shows where a node has several.
KINDS = {Cluster: "made by the drawing", Hidden: "drawn as one", Torn: "torn apart", Misplaced: "among strangers"}
# Both sides of a fault of groups, as in its record.
SIDES = "smaller group", "larger group"
# Heading of the column with the kinds.
ACCUSED = "accused"


class Judged(Protocol):
    """The fields of `Audit` that its page shows."""

    @property
    def G(self) -> Any: ...
    @property
    def drawing(self) -> Any: ...
    @property
    def weight(self) -> str | None: ...
    @property
    def rows(self) -> tuple[Reach, ...]: ...
    @property
    def findings(self) -> tuple[Fault, ...]: ...
    @property
    def worst(self) -> tuple[Fault, ...]: ...
    @property
    def verdict(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    def lines(self) -> tuple[list[str], list[list[str]]]: ...


def audit_page(audit: Judged, labels: object, title: str | None) -> Page:
    """Return the page of an audit; the nodes without a fault are gray."""
    network = points(audit.drawing) if audit.G is None else read(audit.G, weight=audit.weight)
    rows = {node: row for row, node in enumerate(network.labels)}
    kinds = _kinds(audit, rows)
    columns = [*([Column(ACCUSED, kinds)] if any(kinds) else []), *_sides(audit, rows)]
    # One color for most of the nodes shows nothing: then the two sides of the worst fault have their colors.
    most = sum(kind is not None for kind in kinds) > len(kinds) / 2
    color = columns[1 if most and len(columns) > 1 else 0].name if columns else None
    if title is None:
        title = f"An audit of a drawing of {len(rows):,} {'rows' if audit.G is None else 'nodes'}"
    return network_page(
        network, {"drawing": places(audit.drawing).given}, labels=labels, color=color, title=title, columns=columns,
        weight_name=audit.weight or "weight", below=_below(audit),
    )  # fmt: skip


def _kinds(audit: Judged, rows: dict[Any, int]) -> list[str | None]:
    """Return the kind of fault of each node."""
    kinds: list[str | None] = [None] * len(rows)
    for kind, name in KINDS.items():
        for fault in audit.findings:
            if isinstance(fault, kind):
                for node in _nodes(fault):
                    kinds[rows[node]] = name
    return kinds


def _sides(audit: Judged, rows: dict[Any, int]) -> Iterator[Column]:
    """Yield both sides of each fault of groups."""
    for number, fault in enumerate(audit.worst, start=1):
        if isinstance(fault, (Torn, Hidden)):
            sides: list[str | None] = [None] * len(rows)
            for side, nodes in zip(SIDES, fault.nodes, strict=True):
                for node in nodes:
                    sides[rows[node]] = side
            yield Column(f"{number}: {KINDS[type(fault)]}", sides)


def _nodes(fault: Fault) -> Iterable[Any]:
    if isinstance(fault, Misplaced):
        return (fault.node,)
    return fault.nodes if isinstance(fault, Cluster) else (*fault.nodes[0], *fault.nodes[1])


def _below(audit: Judged) -> str:
    """Return the judgment as HTML: it needs no JavaScript."""
    left = len(audit.findings) - len(audit.worst)
    more = f"<p>{left} more faults are not listed here.</p>" if left else ""
    faults = "".join(f"<li>{escape(fault.sentence)}</li>" for fault in audit.worst)
    notes = "".join(f"<li>{escape(note)}</li>" for note in audit.notes)
    meanings = "".join(
        f"<dt>{escape(row.measure)}</dt><dd>{escape(explained(row.measure).definition)}</dd>" for row in audit.rows
    )
    reached = f"<h2>What it reaches</h2>{_table(*audit.lines())}<h2>Definitions</h2><dl>{meanings}</dl>"
    return (
        f"<p><b>{escape(audit.verdict)}</b></p>"
        + (f"<h2>Faults, worst first</h2><ol>{faults}</ol>{more}" if faults else "")
        + (f"<h2>Notes</h2><ul>{notes}</ul>" if notes else "")
        + (reached if meanings else "")
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the table, with the meaning of its columns."""
    lines = ["<table><thead><tr>", *(f"<th>{escape(name)}</th>" for name in head), "</tr></thead><tbody>"]
    for name, *cells in rows:
        inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f"<tr><th>{escape(name)}</th>{inner}</tr>")
    said = "null: places shuffled; reachable: the best drawing found; share: 0 is the null, 1 what is reachable"
    return "".join(lines) + f"</tbody></table><p>{said}</p>"
