"""Several drawings of one graph side by side, drawn here or elsewhere: one table, one figure, one page, one verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nelayout import graphs
from nelayout.comparison.means import deviation
from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import leaders, marked_cell, table_lines
from nelayout.comparison.verdict import dominators, front, verdict
from nelayout.errors import missing_extra

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure
    from pandas import DataFrame

    from nelayout.pictures.pages import Column, Page

__all__ = ["Comparison"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several drawings of one graph or of the same vectors and their measures, as `compare` returns them.

    measured  {drawing: {measure: `Measured`}}; of several seeds the means, with the standard error of the mean
    drawings  {drawing: positions}, of the first seed, each but the first laid over the first by `align`; the caller's
              own are not changed
    G         the graph as it was given; None for vectors
    labels    the class of each node in node order, None where unknown; None without labels
    seconds   {drawing: seconds of wall clock}, the median over seeds, of those that were drawn here
    runs      {drawing: [{measure: `Measured`}, ...]}, one for each seed
    notes     {drawing: sentences}: why one was left out, and what its run said
    single    the drawings of which one seed was drawn and others would have been possible
    """

    measured: dict[str, dict[str, Measured]]
    drawings: dict[str, Any]
    G: Any
    labels: list[Any] | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, list[dict[str, Measured]]] = field(default_factory=dict)
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    single: tuple[str, ...] = ()

    @property
    def table(self) -> DataFrame:
        """Values: a row per drawing, a column per measure, and seconds where any was drawn here.

        Raises `MissingExtra` without pandas.
        """
        found = self._frame("value")
        if self.seconds:
            found["seconds"] = [self.seconds.get(name, math.nan) for name in self.measured]
        return found

    @property
    def scores(self) -> DataFrame:
        """Scores from 0 to 1, higher is better: a row per drawing, a column per measure."""
        return self._frame("score")

    @property
    def errors(self) -> DataFrame:
        """Standard errors of the values, 0 where they are exact and of one seed."""
        return self._frame("error")

    @property
    def spread(self) -> DataFrame:
        """Standard deviations of the values over seeds, NaN where there is one drawing."""
        columns = list(next(iter(self.measured.values()), {}))
        rows = {drawing: self.spreads.get(drawing, dict.fromkeys(columns, math.nan)) for drawing in self.measured}
        return _data_frame(rows).reindex(columns=columns)

    @property
    def marked(self) -> DataFrame:
        """The table as text: a star behind the best of each column and what is not told from it, as `verdict` tells."""
        rows: dict[str, dict[str, str]] = {drawing: {} for drawing in self.measured}
        for name, first in leaders(self.measured).items():
            for drawing, row in self.measured.items():
                text = marked_cell(row[name], self.spreads.get(drawing, {}).get(name))
                rows[drawing][name] = f"{text}*" if drawing in first else text
        return _data_frame(rows)

    @property
    def spreads(self) -> dict[str, dict[str, float]]:
        """{drawing: {measure: standard deviation over seeds}}, of drawings with several."""
        return {
            drawing: {name: deviation([run[name].value for run in runs]) for name in runs[0]}
            for drawing, runs in self.runs.items()
            if len(runs) > 1
        }

    @property
    def front(self) -> list[str]:
        """The drawings that no other dominates: none is worse in no measure and better in one (Pareto)."""
        return front(self.measured)

    @property
    def dominated(self) -> dict[str, list[str]]:
        """{drawing: those that dominate it}, beyond the standard errors and a hundredth of the scale."""
        return dominators(self.measured)

    @property
    def verdict(self) -> list[str]:
        """Sentences: what each drawing is best in and gives up, which are dominated, which was fastest."""
        return verdict(self.measured, self.seconds, self.single)

    def plot(
        self, *, color: Any = None, labels: Any = None, table: bool = True, background: Any = "auto"
    ) -> Figure:
        """The drawings over their measures (darker is better).

        Each drawing fills its panel, with one scale for both of its axes; all are colored alike.

        Parameters
        ----------
        color, labels : as in `nelayout.draw`; without a color the classes of the nodes color them.
        table : whether the measures stand below.
        background : as in `nelayout.draw`: "auto" (white), "dark", a color, or None for a transparent figure.

        Returns
        -------
        matplotlib.figure.Figure
            made without pyplot: notebooks show it, ``figure.savefig`` writes it.

        Raises
        ------
        MissingExtra
            without matplotlib.
        InputError
            for a background that is no color, and as `nelayout.draw` does.
        """
        from nelayout.comparison.figure import side_by_side
        from nelayout.pictures.colors import class_coloring, coloring
        from nelayout.pictures.paper import paper

        found = self.measured if table else {}
        if color is None and self.labels is not None:
            color = class_coloring(self.labels, paper=paper(background))
        elif isinstance(color, list):
            network = graphs.points(next(iter(self.drawings.values()))) if self.G is None else graphs.read(self.G, None)
            color = coloring(network, color, paper=paper(background))
        return side_by_side(self.G, self.drawings, found, color, labels, self.seconds, background)

    def to_html(
        self, path: str | Path, *, color: Any = None, labels: Any = None, weight: str | None = "weight"
    ) -> None:
        """Write one page that needs no other file and no network: the drawings, to zoom, search and select in, the
        table, and what each measure means.

        What is hovered over or selected in one drawing stands out in all; nodes can be colored by degree, class, any
        attribute, and by the neighbors that each drawing keeps. The file appears whole or not at all.

        Parameters
        ----------
        path : the file; "-" is standard output.
        color, labels, weight : as in `nelayout.explore`; without a color the classes of the nodes color them.

        Raises
        ------
        InputError
            for a folder that does not exist, and a page of more than 100 MB, which browsers do not bear.
        """
        from nelayout.graphs.files import check_output

        check_output(path)
        self.page(color=color, labels=labels, weight=weight).write(path)

    def page(
        self,
        *,
        color: Any = None,
        labels: Any = None,
        weight: str | None = "weight",
        title: str | None = None,
        columns: Iterable[Column] = (),
    ) -> Page:
        """The page of `to_html`, which shows itself in a notebook; `columns` are further values of the nodes."""
        from nelayout.comparison.page import comparison_page

        return comparison_page(
            self.G,
            self.drawings,
            self.measured,
            self.labels,
            color=color,
            labels=labels,
            weight=weight,
            title=title,
            columns=columns,
            seconds=self.seconds,
            spreads=self.spreads,
            words="\n\n".join(self.verdict),
        )

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()

    def __repr__(self) -> str:
        return "\n".join(table_lines(self.measured, self.spreads, self.seconds))

    def _frame(self, name: str) -> DataFrame:
        return _data_frame(
            {
                drawing: {measure: getattr(m, name) for measure, m in row.items()}
                for drawing, row in self.measured.items()
            }
        )


def _data_frame(rows: Mapping[str, Mapping[str, Any]]) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError:
        raise missing_extra("pandas", "compare", "tables") from None
    return DataFrame.from_dict(dict(rows), orient="index")
