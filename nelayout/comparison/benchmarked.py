"""`Benchmark`: several layouts of many graphs, their ranks, and tests of the ranks.

Each graph ranks the layouts in each measure, 1 for the best; equal values share their ranks. Friedman's test finds out
whether the mean ranks differ beyond chance. If they do, two mean ranks that are farther apart than Nemenyi's critical
difference belong to different layouts. Both need all layouts of a graph, so graphs without one are left out. Wins and
Wilcoxon's test take two layouts, and so all graphs that both draw: a third layout must not change what they say of the
two.

Sources: Demsar, JMLR 7, 2006 ("Statistical comparisons of classifiers over multiple data sets"); Benavoli, Corani &
Mangili, JMLR 17(5), 2016 ("Should we really use post-hoc tests based on mean-ranks?").
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nelayout.comparison.chance import FEWEST_GRAPHS, critical_difference, friedman, holm, signed_rank
from nelayout.comparison.critical import Ranking, diagrams
from nelayout.comparison.ranking import arrow, explained, ranking_measures, shown
from nelayout.comparison.typeset import PaperTable, Value, checked_digits
from nelayout.core.record.shown import html_table, text_table
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs.files import check_output, deliver
from nelayout.pictures import render

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from nelayout.graphs.files import PathOrBuffer

__all__ = ["SECONDS", "Benchmark", "Tests"]

# Name of the measure of time.
SECONDS = "seconds"
# Name of the column with the mean over measures.
MEAN = "mean"
# Significant digits in which two values must differ: the same drawing, turned, differs in the last of sixteen.
DIGITS = 9
# Largest number of graphs with a row of values on the page.
MAX_ROWS = 200
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#202020}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.2rem .7rem;border-bottom:1px solid #ddd;"
    "text-align:right}th:first-child,td:first-child{text-align:left}.wide{overflow-x:auto}svg{max-width:100%;height:auto}"
)


class Tests(NamedTuple):
    """Tests of a `Benchmark`, as two tables of pandas.

    friedman  a row per measure: graphs, layouts, statistic (chi-squared), p, holm (p corrected for all measures), and
              the critical difference of two mean ranks (Nemenyi)
    wilcoxon  a row per measure and pair: graphs, better (the layout with the better ranks), statistic, p, holm (p
              corrected for the pairs of the measure), holm_all (for all pairs and measures)
    """

    friedman: DataFrame
    wilcoxon: DataFrame


class Blocks(NamedTuple):
    """Layouts with values of one measure, and values (graphs, layouts), larger is better."""

    layouts: list[str]
    values: np.ndarray

    @property
    def complete(self) -> np.ndarray:
        """The graphs that have a value of each layout."""
        return self.values[~np.isnan(self.values).any(axis=1)]


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Several layouts of many graphs, their measures, ranks and tests; see `benchmark`.

    values    {graph: {layout: [{measure: value}, ...]}}, one for each seed, with the seconds
    layouts   {graph: {layout: [positions (n, dim), ...]}}, one for each seed, in the order of the graph's nodes
    left_out  {graph: {layout: reason}}, where a layout has no positions
    sizes     {graph: (nodes, edges)}
    measures  names, with "seconds"
    names     of the layouts
    alpha     level of the tests
    seeds     drawings of a graph by each layout that has seeds
    """

    values: dict[str, dict[str, list[dict[str, float]]]]
    layouts: dict[str, dict[str, list[np.ndarray]]]
    left_out: dict[str, dict[str, str]]
    sizes: dict[str, tuple[int, int]]
    measures: list[str]
    names: list[str]
    alpha: float = 0.05
    seeds: int = 1

    @property
    def table(self) -> DataFrame:
        """Values: a row per graph, layout and seed (from 0), a column per measure."""
        rows = [
            {"graph": graph, "layout": name, "seed": seed, **run}
            for graph, row in self.values.items()
            for name, runs in row.items()
            for seed, run in enumerate(runs)
        ]
        return _frame(rows, ["graph", "layout", "seed"], self.measures)

    @property
    def means(self) -> DataFrame:
        """Means over seeds, of seconds the median: a row per graph and layout."""
        rows = [
            {"graph": graph, "layout": name, **{m: self._value(graph, name, m) for m in self.measures}}
            for graph in self.values
            for name in self.names
        ]
        return _frame(rows, ["graph", "layout"], self.measures)

    @property
    def ranks(self) -> DataFrame:
        """Mean ranks, 1 is best: a row per layout, a column per measure, and their mean.

        The mean leaves out the seconds.
        """
        found = self._rankings
        rows = []
        for name in self.names:
            row = {m: dict(zip(r.layouts, r.ranks, strict=True)).get(name, math.nan) for m, r in found.items()}
            known = [rank for m, rank in row.items() if m != SECONDS]
            rows.append({"layout": name, **row, MEAN: sum(known) / len(known) if known else math.nan})
        return _frame(rows, ["layout"], [*found, MEAN])

    @property
    def wins(self) -> DataFrame:
        """Numbers of graphs on which a layout is better, equal and worse than another."""
        rows = []
        for m, one, other, ours, theirs in self._pairs():
            counts = {"wins": int((ours > theirs).sum()), "ties": int((ours == theirs).sum())}
            counts["losses"] = len(ours) - sum(counts.values())
            rows.append({"measure": m, "layout": one, "other": other, **counts})
        return _frame(rows, ["measure", "layout", "other"], ["wins", "ties", "losses"])

    @property
    def tests(self) -> Tests:
        """Friedman's test of each measure with critical differences, Wilcoxon's of each pair."""
        every = list(self._rankings.items())
        corrected = holm([r.p for _, r in every])
        first = [
            {
                "measure": m, "graphs": r.graphs, "layouts": len(r.layouts), "statistic": r.statistic, "p": r.p,
                "holm": float(p), "critical_difference": r.difference,
            }
            for (m, r), p in zip(every, corrected, strict=True)
        ]  # fmt: skip
        pairs = []
        for m, one, other, ours, theirs in self._pairs():
            statistic, p = signed_rank(ours, theirs)
            ahead = _rank_sum_ahead(ours, theirs)
            better = one if ahead > 0 else other if ahead < 0 else ""
            about = {"measure": m, "layout": one, "other": other, "graphs": len(ours), "better": better}
            pairs.append({**about, "statistic": statistic, "p": p, "holm": math.nan, "holm_all": math.nan})
        for pair, p in zip(pairs, holm([pair["p"] for pair in pairs]), strict=True):
            pair["holm_all"] = float(p)
        for m in dict.fromkeys(pair["measure"] for pair in pairs):
            own = [pair for pair in pairs if pair["measure"] == m]
            for pair, p in zip(own, holm([pair["p"] for pair in own]), strict=True):
                pair["holm"] = float(p)
        columns = ["graphs", "layouts", "statistic", "p", "holm", "critical_difference"]
        return Tests(
            _frame(first, ["measure"], columns),
            _frame(pairs, ["measure", "layout", "other"], ["graphs", "better", "statistic", "p", "holm", "holm_all"]),
        )

    def plot(self, measures: str | Iterable[str] | None = None) -> Figure:
        """Draw critical-difference diagrams, one below the other: Demsar 2006, figure 1.

        The axis has the mean ranks, the best at the right. A bar joins layouts that do not differ beyond chance, which
        means by less than the critical difference CD (Nemenyi). A bar joins all if Friedman's test finds nothing.

        Parameters
        ----------
        measures : names of the measures; None: all that rank.

        Returns
        -------
        matplotlib.figure.Figure
            made without pyplot: notebooks show it, ``figure.savefig`` writes it.

        Raises
        ------
        InputError
            for a measure without ranks, and if fewer than two graphs have all layouts.
        MissingExtra
            without matplotlib.
        """
        found = self._rankings
        asked = [measures] if isinstance(measures, str) else list(found) if measures is None else list(measures)
        for name in asked:
            if name not in found:
                raise unknown("ranked measure", name, found)
        few = [name for name in asked if found[name].graphs < FEWEST_GRAPHS]
        if measures is None:
            asked = [name for name in asked if name not in few]
        if not asked or (few and measures is not None):
            raise InputError(
                f"a diagram needs at least {FEWEST_GRAPHS} graphs with all layouts; got fewer{_of(few)}. Give more "
                "graphs, or leave out the layouts that cannot draw them (left_out names them)"
            )
        return diagrams({f"{_plain(name)} {_arrow(name)}": found[name] for name in asked}, self.alpha)

    def to_latex(self, *, caption: str | None = None, label: str | None = None, digits: int = 3) -> str:
        r"""Return mean ranks as a table of LaTeX: a row per layout, a column per measure.

        It needs ``\usepackage{booktabs}``. Bold is the best of a column, with all within the critical difference
        (Nemenyi) of it. Nothing is bold if Friedman's test finds no difference. The last rows have the number of
        graphs, Friedman's p and the critical difference.

        Parameters
        ----------
        caption, label, digits : as of `Comparison.to_latex`.

        Raises
        ------
        InputError
            as `Comparison.to_latex` does.
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

    def to_html(self, path: PathOrBuffer) -> None:
        """Write one page: what differs, diagrams, ranks, tests, wins, values, left-out graphs.

        The page needs no other file and no network. An error never leaves a partial file.

        Parameters
        ----------
        path : the file; "-" is standard output.

        Raises
        ------
        InputError
            if the folder does not exist.
        MissingExtra
            without matplotlib.
        """
        check_output(path)
        policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        page = (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self._title)}</title>\n<style>{STYLE}</style></head><body>\n"
            f"{self._summary()}{self._details()}</body></html>\n"
        )
        deliver(path, page.encode("utf-8", "replace"))

    def _repr_html_(self) -> str:
        return self._summary()

    def __repr__(self) -> str:
        table = self._paper_table(3)
        rows = [[name, *cells] for name, cells in zip(table.rows, table.texts(), strict=True)]
        rows += [[name, *texts] for name, texts in table.foot.items()]
        notes = [note.replace("bold:", "*") for note in table.notes]
        return "\n".join([self._title, text_table([table.corner, *table.columns], rows), *notes])

    @property
    def _title(self) -> str:
        return f"{len(self.names)} layouts of {len(self.values)} graphs, {self.seeds} seed{'s' * (self.seeds != 1)}"

    def _value(self, graph: str, name: str, measure: str) -> float:
        """Return the mean over seeds, of seconds the median."""
        runs = [run.get(measure, math.nan) for run in self.values[graph].get(name, ())]
        if not runs:
            return math.nan
        return float(np.median(runs) if measure == SECONDS else math.fsum(runs) / len(runs))

    @cached_property
    def _blocks(self) -> dict[str, Blocks]:
        """The values of each measure that ranks and that two layouts have; larger is better."""
        found = {}
        for m in [*ranking_measures(name for name in self.measures if name != SECONDS), SECONDS]:
            values = np.array([[self._value(graph, name, m) for name in self.names] for graph in self.values])
            has = np.asarray(~np.isnan(values).all(axis=0))
            if has.sum() > 1:
                names = [name for name, known in zip(self.names, has.tolist(), strict=True) if known]
                found[m] = Blocks(names, _rounded(values[:, has] if _higher(m) else -values[:, has]))
        return found

    @cached_property
    def _rankings(self) -> dict[str, Ranking]:
        from scipy.stats import rankdata

        found = {}
        for m, blocks in self._blocks.items():
            complete = blocks.complete
            ranks = rankdata(-complete, axis=1) if len(complete) else complete
            statistic, p = friedman(ranks)
            difference = critical_difference(len(blocks.layouts), len(ranks), self.alpha)
            mean = ranks.mean(axis=0).tolist() if len(ranks) else [math.nan] * len(blocks.layouts)
            found[m] = Ranking(blocks.layouts, mean, len(ranks), statistic, p, difference, p < self.alpha)
        return found

    def _pairs(self) -> Iterable[tuple[str, str, str, np.ndarray, np.ndarray]]:
        """Yield each measure and pair with values of the graphs of both; larger is better."""
        for m, blocks in self._blocks.items():
            for i, j in combinations(range(len(blocks.layouts)), 2):
                ours, theirs = blocks.values[:, i], blocks.values[:, j]
                both = ~(np.isnan(ours) | np.isnan(theirs))
                yield m, blocks.layouts[i], blocks.layouts[j], ours[both], theirs[both]

    def _paper_table(self, digits: int) -> PaperTable:
        columns, foot = {}, {"graphs": [], "Friedman p": [], "critical difference": []}
        for m, found in self._rankings.items():
            ranks, best = dict(zip(found.layouts, found.ranks, strict=True)), found.best
            columns[f"{_plain(m)} {_arrow(m)}"] = [
                Value(ranks.get(name, math.nan), best=name in best) for name in self.names
            ]
            foot["graphs"].append(str(found.graphs))
            foot["Friedman p"].append(_short_p(found.p))
            foot["critical difference"].append(shown(found.difference, 3))
        notes = [
            "mean ranks, 1 is best, of graphs that all layouts draw",
            f"bold: best, or within the critical difference (Nemenyi, level {self.alpha:g}) of it",
        ]
        if self.left_out:
            notes.append(f"{len(self.left_out)} of {len(self.values)} graphs lack a layout and are left out")
        return PaperTable("layout", self.names, columns, foot, notes, checked_digits(digits))

    @property
    def sentences(self) -> list[str]:
        """Sentences: what the tests find in each measure, and how many graphs are left out."""
        said = []
        for m, found in self._rankings.items():
            where = f"{_plain(m)}, {found.graphs} graphs"
            if found.graphs < FEWEST_GRAPHS:
                said.append(f"{where}: too few to test.")
                continue
            order = sorted(zip(found.ranks, found.layouts, strict=True))
            if not found.differs:
                said.append(f"{where}: no difference beyond chance (Friedman, p {_relation(found.p)}).")
                continue
            others = [name for _, name in order[1:] if name in found.best]
            close = f"; not clearly worse: {', '.join(others)}" if others else ", clearly ahead of all others"
            said.append(
                f"{where}: {order[0][1]} is best (mean rank {order[0][0]:.2f}){close} "
                f"(Friedman, p {_relation(found.p)}; critical difference {found.difference:.2f})."
            )
        if self.left_out:
            said.append(f"{len(self.left_out)} of {len(self.values)} graphs lack a layout, see below.")
        return said

    def _summary(self) -> str:
        """Return the heading, what differs, the ranks and the diagrams as HTML."""
        table = self._paper_table(3)
        head = [table.corner, *table.columns]
        rows = [[name, *cells] for name, cells in zip(table.rows, table.texts(), strict=True)]
        rows += [[name, *texts] for name, texts in table.foot.items()]
        said = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        notes = "; ".join(note.replace("bold:", "*") for note in table.notes)
        picture = ""
        if any(found.graphs >= FEWEST_GRAPHS for found in self._rankings.values()):
            svg = render(self.plot(), "svg").decode()
            picture = f'<div class="wide" role="img" aria-label="mean ranks">{svg[svg.index("<svg") :]}</div>'
        return (
            f"<h1>{escape(self._title)}</h1><ul>{said}</ul><h2>Mean ranks</h2><div class='wide'>"
            f"{html_table(head, rows)}</div><p>{escape(notes)}</p><h2>Critical differences</h2>{picture}"
        )

    def _details(self) -> str:
        """Return left-out graphs, tests, wins and values as HTML."""
        parts = []
        if self.left_out:
            lost = [[graph, name, why] for graph, row in self.left_out.items() for name, why in row.items()]
            parts.append(f"<h2>Left out</h2>{html_table(['graph', 'layout', 'reason'], lost)}")
        pairs = []
        tests = self.tests.wilcoxon.reset_index().to_dict("records")
        for row, won in zip(tests, self.wins.to_dict("records"), strict=True):
            counts = f"{won['wins']} / {won['ties']} / {won['losses']}"
            pair = [_plain(row["measure"]), row["layout"], row["other"], counts, row["better"]]
            pairs.append([*pair, _short_p(row["p"]), _short_p(row["holm"])])
        head = ["measure", "layout", "other", "wins / ties / losses", "better", "Wilcoxon p", "Holm"]
        parts.append(f"<h2>Pairs of layouts</h2><div class='wide'>{html_table(head, pairs)}</div>")
        graphs = list(self.values)[:MAX_ROWS]
        for m in self.measures:
            rows = [[graph, *(shown(self._value(graph, name, m)) for name in self.names)] for graph in graphs]
            for row, graph in zip(rows, graphs, strict=True):
                n, edges = self.sizes.get(graph, (0, 0))
                row[1:1] = [f"{n:,}", f"{edges:,}"]
            table = html_table(["graph", "nodes", "edges", *self.names], rows)
            parts.append(f"<h2>{escape(_plain(m))} {_arrow(m)}</h2><div class='wide'>{table}</div>")
        if len(self.values) > MAX_ROWS:
            parts.append(f"<p>The first {MAX_ROWS} of {len(self.values)} graphs are shown.</p>")
        return "".join(parts)


def _higher(name: str) -> bool:
    return name != SECONDS and explained(name).higher


def _arrow(name: str) -> str:
    return "↓" if name == SECONDS else arrow(name)


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _of(names: Sequence[str]) -> str:
    return f" for {', '.join(names)}" if names else ""


def _rounded(values: np.ndarray) -> np.ndarray:
    """Return values with `DIGITS` significant digits; infinite and unknown ones stay."""
    return np.array([[float(f"{x:.{DIGITS - 1}e}") for x in row] for row in values.tolist()]).reshape(values.shape)


def _rank_sum_ahead(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the sum of signed ranks of the differences: positive if ours are better."""
    from scipy.stats import rankdata

    with np.errstate(invalid="ignore"):
        difference = np.nan_to_num(ours - theirs)
    return float((np.sign(difference) * rankdata(np.abs(difference))).sum()) if len(difference) else 0.0


def _short_p(p: float) -> str:
    """Return a probability in three digits: "< 0.001", "0.034", "–"."""
    return "–" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _relation(p: float) -> str:
    return _short_p(p) if p < 0.001 else f"= {_short_p(p)}"


def _frame(rows: Sequence[dict], index: list[str], columns: Sequence[str]) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError:
        raise missing_extra("pandas", "compare", "tables") from None
    return DataFrame(list(rows), columns=[*index, *columns]).set_index(index)
