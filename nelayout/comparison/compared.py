"""`Comparison`: several drawings of one graph or of the same vectors, with their measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import (
    arrow,
    deviation,
    differences,
    dominators,
    front,
    keys,
    leaders,
    table_lines,
    table_rows,
    verdict,
)
from nelayout.comparison.typeset import PaperTable, Value, checked_digits
from nelayout.errors import missing_extra

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from nelayout.graphs.files import PathOrBuffer
    from nelayout.pictures.pages import Column, Page

__all__ = ["Comparison"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several drawings of one graph or table with their measures, the result of `compare`.

    measured   {drawing: {measure: `Measured`}}; for several seeds the means, with the standard error of the mean
    drawings   {drawing: positions}, for the first seed; `align` lays each over the first
    G          the graph as it was given; None for vectors
    labels     the class of each node in node order, None if unknown; None without labels
    seconds    {drawing: median wall-clock seconds over seeds}, for drawings that `compare` made
    runs       {drawing: [{measure: `Measured`}, ...]}, one for each seed
    notes      {drawing: sentences}: why a drawing was left out, and the notes of its run
    single     the drawings made with one seed by methods that use seeds
    layouts    {drawing: [positions, ...]}, one for each seed, as they were drawn
    node_cost  {drawing: (n,) cost of each node under the objective that was asked for}, for the first seed
    """

    measured: dict[str, dict[str, Measured]]
    drawings: dict[str, Any]
    G: Any
    labels: list | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, list[dict[str, Measured]]] = field(default_factory=dict)
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    single: tuple[str, ...] = ()
    layouts: dict[str, list] = field(default_factory=dict)
    node_cost: dict[str, np.ndarray] = field(default_factory=dict)

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
    def tests(self) -> DataFrame:
        """Test of each pair in each measure: difference, probability by chance, and Holm's.

        The probability is exact: the share of all ways to split the values of both between them that part them as far
        (Wilcoxon's rank sum). A drawing without seeds counts as one more value of the other (Student's t). ``holm`` is
        corrected for all pairs and measures; a star needs 0.01. NaN: neither has several seeds.
        """
        rows = {str(k): each._asdict() for k, each in enumerate(differences(self.measured))}
        names = ["measure", "drawing", "other"]
        return (
            _data_frame(rows, [*names, "value", "p", "holm"]).set_index(names).rename(columns={"value": "difference"})
        )

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

    def to_latex(self, *, caption: str | None = None, label: str | None = None, digits: int = 3) -> str:
        r"""Return a table of LaTeX: a row per drawing, a column per measure, the best in bold.

        It needs ``\usepackage{booktabs}``. Arrows point in the better direction. Bold is what `marked` gives a star,
        ``\pm`` is the standard deviation over seeds. Comments at the top explain the signs.

        Parameters
        ----------
        caption, label : of a table that floats; without both there is the tabular alone. LaTeX's signs in the caption
            print as they are.
        digits : significant digits of the largest value of each column, 1 to 15.

        Raises
        ------
        InputError
            for other numbers of digits, and for a label with LaTeX's signs or blanks.

        Examples
        --------
        >>> import networkx as nx, nelayout as nl
        >>> G = nx.cycle_graph(6)
        >>> pos = {"circle": nx.circular_layout(G), "the_line": {v: (v, 0.0) for v in G}}
        >>> print(nl.compare(G, pos, measures=["crossings", "stress"]).to_latex())
        % needs \usepackage{booktabs}
        % up higher is better, down lower is better, bold: best, or not clearly worse
        \begin{tabular}{lrr}
        \toprule
        layout & crossings $\downarrow$ & stress $\downarrow$ \\
        \midrule
        circle & $\mathbf{0}$ & $\mathbf{0.019}$ \\
        the\_line & $3$ & $0.347$ \\
        \bottomrule
        \end{tabular}
        """
        return self._paper_table(digits).to_latex(caption, label)

    def to_markdown(self, *, digits: int = 3) -> str:
        """Return the table of `to_latex` in Markdown, with the explanation of the signs below.

        Parameters
        ----------
        digits : significant digits of the largest value of each column, 1 to 15.

        Raises
        ------
        InputError
            for other numbers of digits.
        """
        return self._paper_table(digits).to_markdown() + "\n"

    def _paper_table(self, digits: int) -> PaperTable:
        spreads, columns = self.spreads, {}
        for name, first in leaders(self.measured).items():
            columns[f"{name.replace('_', ' ')} {arrow(name)}"] = [
                Value(row[name].value, spreads.get(drawing, {}).get(name, math.nan), drawing in first)
                for drawing, row in self.measured.items()
            ]
        if self.seconds:
            columns["seconds ↓"] = [Value(self.seconds.get(drawing, math.nan)) for drawing in self.measured]
        notes = keys(self.measured, spreads, "bold: best, or not clearly worse")
        return PaperTable("layout", list(self.measured), columns, notes=notes, digits=checked_digits(digits))

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


def _data_frame(rows: Mapping[str, Mapping[str, object]], columns: list[str] | None = None) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError:
        raise missing_extra("pandas", "compare", "tables") from None
    return DataFrame.from_dict(dict(rows), orient="index", columns=None if rows else columns)
