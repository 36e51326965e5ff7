"""`Comparison`: several drawings of one graph or of the same vectors, with their measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import deviation, dominators, front, table_lines, table_rows, verdict
from nelayout.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from nelayout.graphs.files import PathOrBuffer
    from nelayout.pictures.pages import Column, Page

__all__ = ["Comparison"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several drawings of one graph or table with their measures, the result of `compare`.

    measured  {drawing: {measure: `Measured`}}; for several seeds the means, with the standard error of the mean
    drawings  {drawing: positions}, for the first seed; `align` lays each over the first
    G         the graph as it was given; None for vectors
    labels    the class of each node in node order, None if unknown; None without labels
    seconds   {drawing: median wall-clock seconds over seeds}, for drawings that `compare` made
    runs      {drawing: [{measure: `Measured`}, ...]}, one for each seed
    notes     {drawing: sentences}: why a drawing was left out, and the notes of its run
    single    the drawings made with one seed by methods that use seeds
    """

    measured: dict[str, dict[str, Measured]]
    drawings: dict[str, Any]
    G: Any
    labels: list | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, list[dict[str, Measured]]] = field(default_factory=dict)
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    single: tuple[str, ...] = ()

    @property
    def table(self) -> DataFrame:
        """Values: a row per drawing, a column per measure, and seconds for drawings made here.

        Raises `MissingExtra` without pandas.
        """
        found = _data_frame({name: {each: m.value for each, m in row.items()} for name, row in self.measured.items()})
        if self.seconds:
            found["seconds"] = [self.seconds.get(name, math.nan) for name in self.measured]
        return found

    @property
    def spread(self) -> DataFrame:
        """Standard deviations of the values over seeds, NaN for one drawing."""
        columns = list(next(iter(self.measured.values()), {}))
        rows = {drawing: self.spreads.get(drawing, dict.fromkeys(columns, math.nan)) for drawing in self.measured}
        return _data_frame(rows).reindex(columns=columns)

    @property
    def marked(self) -> DataFrame:
        """Table of texts, also for ``to_latex``: a star marks the best and all within its error."""
        rows = table_rows(self.measured, self.spreads)
        return _data_frame(
            {
                drawing: {name: f"{cells[k].text}{'*' if cells[k].best else ''}" for name, cells in rows.items()}
                for k, drawing in enumerate(self.measured)
            }
        )

    @property
    def spreads(self) -> dict[str, dict[str, float]]:
        """{drawing: {measure: standard deviation over seeds}}, for drawings with several seeds."""
        return {
            drawing: {name: deviation([run[name].value for run in runs]) for name in runs[0]}
            for drawing, runs in self.runs.items()
            if len(runs) > 1
        }

    @property
    def front(self) -> list[str]:
        """Drawings that no other dominates (Pareto front)."""
        return front(self.measured)

    @property
    def dominated(self) -> dict[str, list[str]]:
        """{drawing: its dominators}: worse in no measure, better in one, beyond errors and 1 %."""
        return dominators(self.measured)

    @property
    def verdict(self) -> list[str]:
        """Sentences: each drawing's best and worst measures, dominated drawings, the fastest."""
        return verdict(self.measured, self.seconds, self.single)

    def plot(
        self, *, color: object = None, labels: object = None, table: bool = True, background: object = "auto"
    ) -> Figure:
        """Draw all drawings in one figure, with their measures below (darker is better).

        Parameters
        ----------
        color, labels : as in `nelayout.draw`; the default color is the class of the node.
        table : True to show the measures below the drawings.
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
            if the background is not a color, and as `nelayout.draw` does.
        """
        from nelayout.comparison.views import side_by_side

        return side_by_side(self, color, labels, table, background)

    def to_html(
        self, path: PathOrBuffer, *, color: object = None, labels: object = None, weight: str | None = "weight"
    ) -> None:
        """Write one page: drawings to zoom, search and select in, the table and the definitions.

        The page needs no other file and no network. An error never leaves a partial file.

        Parameters
        ----------
        path : the file; "-" is standard output.
        color, labels, weight : as in `nelayout.explore`; the default color is the class of the node.

        Raises
        ------
        InputError
            if the folder does not exist, or if the page exceeds 100 MB, the limit of browsers.
        """
        from nelayout.graphs.files import check_output

        check_output(path)
        self.page(color=color, labels=labels, weight=weight).write(path)

    def page(
        self,
        *,
        color: object = None,
        labels: object = None,
        weight: str | None = "weight",
        title: str | None = None,
        columns: Iterable[Column] = (),
    ) -> Page:
        """Return the page of `to_html`, which notebooks show; `columns`: more values of the nodes."""
        from nelayout.comparison.views import comparison_page

        return comparison_page(self, labels, color, weight, title, columns)

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()

    def __repr__(self) -> str:
        return "\n".join(table_lines(self.measured, self.spreads, self.seconds))


def _data_frame(rows: Mapping[str, Mapping[str, object]]) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError:
        raise missing_extra("pandas", "compare", "tables") from None
    return DataFrame.from_dict(dict(rows), orient="index")
