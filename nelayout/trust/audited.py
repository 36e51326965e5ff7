"""`Audit`: faults of a drawing beyond chance, and what part of the reachable it has."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nelayout.comparison.ranking import arrow, shown
from nelayout.core.record.shown import text_table
from nelayout.errors import missing_extra
from nelayout.trust.reach import Reach
from nelayout.trust.records import Cluster, Fault, Hidden, Misplaced, Torn

if TYPE_CHECKING:
    from pandas import DataFrame

    from nelayout.graphs.files import PathOrBuffer
    from nelayout.pictures.pages import Page

__all__ = ["FAIR", "HEADINGS", "MOST_SENTENCES", "POOR", "Audit", "part_in_words", "reached_in_words"]

# Sentences on faults that a reader gets at once: nobody reads more.
MOST_SENTENCES = 10
# Shares from which on a drawing counts as about the best found, as fair, and as poor.
NEAR_BEST, FAIR, POOR = 0.9, 0.6, 0.3

HEADINGS = ("measure", "value", "null", "reachable", "share")


def reached_in_words(share: float) -> str:
    """Return one sentence on the median share of a drawing."""
    if math.isnan(share):
        return "No measure tells this drawing from one with shuffled places."
    how = "about the best that was found" if share >= NEAR_BEST else "fair" if share >= FAIR else "poor"
    how = "hardly better than chance" if share < POOR else how
    reached = f"{part_in_words(share)} of what is reachable"
    return f"The drawing is {how}: it reaches {reached} (0 is chance, 1 the best drawing found)."


def part_in_words(share: float) -> str:
    """Return a share with two digits, never as -0.00."""
    return f"{round(share, 2) + 0.0:.2f}"


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """Judgment of one drawing, the result of `audit`.

    misplaced        nodes that lie among strangers, worst first
    torn             false gaps: many edges cross them, worst first
    false_neighbors  communities that are drawn as one, worst first
    clusters         drawn groups of rows that other drawings do not show, worst first
    notes            sentences: what was not judged, and findings that are no faults
    verdict          the judgment in words
    share            median share of what is reachable; NaN if no measure has a share
    rows             one `Reach` for each measure
    G                the graph as it was given; None for a table
    drawing          the audited positions, as they were given; of a table an array (n, dim)
    weight           edge attribute with the weights
    """

    misplaced: tuple[Misplaced, ...]
    torn: tuple[Torn, ...]
    false_neighbors: tuple[Hidden, ...]
    clusters: tuple[Cluster, ...]
    notes: tuple[str, ...]
    verdict: str
    share: float
    rows: tuple[Reach, ...]
    G: Any = field(repr=False)
    drawing: Any = field(repr=False)
    weight: str | None = None

    @property
    def table(self) -> DataFrame:
        """Measures, a row each: value, the null (chance), what is reachable, share between them.

        NaN is no share.  Raises `MissingExtra` without pandas.
        """
        try:
            from pandas import DataFrame
        except ImportError:
            raise missing_extra("pandas", "compare", "tables") from None
        rows = [(row.measure, row.value, row.chance, row.best, row.share) for row in self.rows]
        return DataFrame(rows, columns=list(HEADINGS), index=[row.measure for row in self.rows])

    @property
    def findings(self) -> tuple[Fault, ...]:
        """All faults: groups of nodes first, then single nodes."""
        return (*self.torn, *self.false_neighbors, *self.clusters, *self.misplaced)

    @property
    def worst(self) -> tuple[Fault, ...]:
        """At most ten faults, the worst of each kind first."""
        kinds = [self.torn, self.false_neighbors, self.clusters, self.misplaced]
        chosen, place = [0] * len(kinds), 0
        while sum(chosen) < min(MOST_SENTENCES, sum(map(len, kinds))):
            chosen[place] += chosen[place] < len(kinds[place])
            place = (place + 1) % len(kinds)
        return tuple(one for kind, count in zip(kinds, chosen, strict=True) for one in kind[:count])

    @property
    def sentences(self) -> tuple[str, ...]:
        """At most ten faults in words, the worst of each kind first."""
        return tuple(one.sentence for one in self.worst)

    def to_html(self, path: PathOrBuffer, *, labels: object = None, title: str | None = None) -> None:
        """Write one page: the drawing with its faults in color, the sentences and the table.

        The page needs no other file and no network.  An error never leaves a partial file.

        Parameters
        ----------
        path : the file; "-" is standard output.
        labels : names of the nodes, as in `nelayout.explore`.
        title : the heading.

        Raises
        ------
        InputError
            if the folder does not exist, or if the page exceeds 100 MB, the limit of browsers.
        """
        from nelayout.graphs.files import check_output

        check_output(path)
        self.page(labels=labels, title=title).write(path)

    def page(self, *, labels: object = None, title: str | None = None) -> Page:
        """Return the page of `to_html`, which notebooks show."""
        from nelayout.trust.page import audit_page

        return audit_page(self, labels, title)

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()

    def lines(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and cells of the table in texts; a dash is no share."""
        cells = [
            [f"{row.measure} {arrow(row.measure)}", *(shown(x) for x in (row.value, row.chance, row.best)),
             shown(row.share, 2)]
            for row in self.rows
        ]  # fmt: skip
        return ["", *HEADINGS[1:]], cells

    def __repr__(self) -> str:
        left = len(self.findings) - len(self.worst)
        more = [f"... and {left} more: see .findings"] if left else []
        faults = [f"- {said}" for said in self.sentences]
        return "\n".join([self.verdict, *faults, *more, "", text_table(*self.lines())])
