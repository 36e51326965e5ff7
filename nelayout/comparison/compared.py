"""Several drawings of one graph side by side: one table, one figure, one page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nelayout.comparison import drawings as given
from nelayout.comparison.alignment import align
from nelayout.comparison.measuring import Measured, integer_seed, measure_drawing, sample_size
from nelayout.comparison.ranking import J_OF, table_lines
from nelayout.errors import InputError, missing_extra
from nelayout.graphs import every_position, guard, places, read
from nelayout.method_record import Method
from nelayout.quality.protocol import MeasuredDrawing
from nelayout.record.evaluated import Evaluated
from nelayout.run.evaluation import evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure
    from pandas import DataFrame

    from nelayout.pages import Column, Page

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several drawings of one graph and their measures, as `compare` returns them.

    measured  {drawing: {measure: `Measured`}}
    drawings  {drawing: positions}, each but the first laid over the first by `align`; the caller's own are not changed
    G         the graph as it was given
    labels    the class of each node in node order, None where unknown; None without labels
    """

    measured: dict[str, dict[str, Measured]]
    drawings: dict[str, Any]
    G: Any
    labels: list[Any] | None = None

    @property
    def table(self) -> DataFrame:
        """Values: a row per drawing, a column per measure. Raises `MissingExtra` without pandas."""
        return self._frame("value")

    @property
    def scores(self) -> DataFrame:
        """Scores from 0 to 1, higher is better: a row per drawing, a column per measure."""
        return self._frame("score")

    @property
    def errors(self) -> DataFrame:
        """Standard errors of the values, 0 where they are exact."""
        return self._frame("error")

    def plot(self, *, color: Any = None, labels: Any = None, table: bool = True) -> Figure:
        """The drawings over their measures (darker is better).

        Parameters
        ----------
        color, labels : as in `nelayout.draw`; without a color the classes of the nodes color them.
        table : whether the measures stand below.

        Returns
        -------
        matplotlib.figure.Figure
            made without pyplot: notebooks show it, ``figure.savefig`` writes it.

        Raises
        ------
        MissingExtra
            without matplotlib.
        """
        from nelayout.comparison.figure import side_by_side

        found = self.measured if table else {}
        return side_by_side(self.G, self.drawings, found, self.labels if color is None else color, labels)

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
        )

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()

    def __repr__(self) -> str:
        return "\n".join(table_lines(self.measured))

    def _frame(self, field: str) -> DataFrame:
        try:
            from pandas import DataFrame
        except ImportError:
            raise missing_extra("pandas", "compare", "tables") from None
        rows = {
            drawing: {name: getattr(m, field) for name, m in row.items()}
            for drawing, row in self.measured.items()
        }
        return DataFrame.from_dict(rows, orient="index")


def compare(
    G: Any,
    drawings: Mapping[str, Any],
    labels: Any = None,
    coords: Any = None,
    *,
    measures: str | Iterable[str] | None = None,
    objective: str | Method | None = None,
    weight: str | None = "weight",
    node_size: Any = None,
    sample: str | int | None = "auto",
    seed: Any = 0,
) -> Comparison:
    """Measure several drawings of one graph with the same samples, and show them side by side.

    Parameters
    ----------
    G : the graph, as in `measure`.
    drawings : {name: positions}, at least one.
    labels, coords, measures, weight, node_size, sample, seed : as in `measure`.
    objective : name of a method, or a `Method`: a last row, "J of ws-sne", has its objective of each drawing, at the
        size that makes it least (`nelayout.evaluate`). None: no such row.

    Returns
    -------
    Comparison
        ``.table`` (pandas), ``.plot()`` (matplotlib), ``.to_html(path)``; ``.measured`` needs neither.

    Raises
    ------
    InputError
        as `measure` does, naming the drawing; and when there is no drawing.

    Examples
    --------
    >>> import networkx as nx
    >>> from nelayout import compare
    >>> G = nx.cycle_graph(6)
    >>> pos = {"circle": nx.circular_layout(G), "line": {v: (v, 0.0) for v in G}}
    >>> compare(G, pos, measures=["crossings", "neighborhood"])
                    circle     line
    crossings ↓          0*       3
    neighborhood ↑       1*  0.7778
    ↑ higher is better, ↓ lower is better, * best
    >>> compare(G, pos, measures="crossings", objective="t-sne").table["J of tsne"].round(2).to_dict()
    {'circle': 0.38, 'line': 0.62}
    """
    network = read(G, weight=weight)
    with guard(G):
        if not isinstance(drawings, Mapping) or not drawings:
            raise InputError(
                'drawings must be a dict {name: positions} with at least one, such as {"ws-SNE": pos}'
            )
        chosen = measures if measures is None or isinstance(measures, str) else list(measures)
        sample, seed = sample_size(sample), integer_seed(seed)
        names = given.class_names(network, labels)
        known = given.classes(names)
        true = given.coordinates(network, coords)
        diameters = None
        if node_size is not None:
            diameters = network.host.values(node_size, "node_size", nonnegative=True)
        found = {}
        for name, pos in drawings.items():
            Y = every_position(network, pos, f"the drawing {name!r}")
            drawing = MeasuredDrawing(network.adjacency, Y, known, true, diameters)
            found[str(name)] = measure_drawing(drawing, chosen, sample, seed)
        if objective is not None:
            values = {str(name): evaluate(G, pos, objective, "best", weight=weight) for name, pos in drawings.items()}
            for name, measured in _objectives(values).items():
                found[name][J_OF + values[name].method] = measured
        return Comparison(found, _align_all(drawings), G, names)


def _objectives(found: Mapping[str, Evaluated]) -> dict[str, Measured]:
    """J of each drawing as a measure; its score is 1 for the least and a half where J is twice as far from 0."""
    least = min(each.value for each in found.values())
    unit = abs(least) or 1.0

    def score(value: float) -> float:
        return 1.0 / (1.0 + (value - least) / unit) if math.isfinite(value) else 0.0

    return {name: Measured(each.value, score(each.value), 0.0, True) for name, each in found.items()}


def _align_all(drawings: Mapping[str, Any]) -> dict[str, Any]:
    """Each drawing laid over the first, where they have the same number of dimensions."""
    first = next(iter(drawings.values()))
    result = {}
    for name, pos in drawings.items():
        mine = places(pos)
        over = pos is not first and len(mine.given) > 0 and mine.dim == places(first).dim
        result[str(name)] = align(pos, to=first) if over else pos
    return result
