r"""Tables of a paper: values with spreads, the best in bold, in LaTeX and in Markdown.

A `PaperTable` has a row per layout and a column per measure. All values of a column have the same number of decimals,
so that they can be compared digit by digit:

>>> found = PaperTable("layout", {"ws_sne": ["a"], "x": ["b"]}, {"stress": [Value(0.12345, 0.004, True), Value(0.5)]})
>>> print(found.to_markdown())
| layout | stress |
| :-- | --: |
| ws\_sne | **0.123** ± 0.004 |
| x | 0.500 |
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nelayout.errors import InputError

__all__ = ["PaperTable", "Value", "checked_digits", "to_latex_text"]

# Sizes of the largest value of a column from which it has powers of ten: LARGE upward and below SMALL.
LARGE, SMALL = 1e7, 1e-4
# Decimals that a column gets beside its digits because of its smallest value, and because of its smallest spread. With
# smaller values each cell has its own decimals.
MORE_FOR_VALUES, MORE_FOR_SPREADS = 2, 1
# Signs of names and headings that LaTeX's default encoding lacks, or that are its commands.
GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "o", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
OWN_CAPITALS = {"gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega"}
IN_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "|": "$|$", '"': "''", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\rightarrow$",
    "←": r"$\leftarrow$", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "≈": r"$\approx$",
    "∞": r"$\infty$", "−": "$-$", "–": "--", "—": "---", "…": r"\dots{}", "·": r"$\cdot$", "²": "$^2$", "³": "$^3$",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    **{chr(0x3B1 + k): "o" if name == "o" else rf"$\{name}$" for k, name in enumerate(GREEK)},
    **{chr(0x391 + k): rf"$\{name.title()}$" for k, name in enumerate(GREEK) if name in OWN_CAPITALS},
}  # fmt: skip
# Signs that a label may not have.
NO_LABEL = re.compile(r"[\\{}%#~^$&\s]")


class Value(NamedTuple):
    """A cell: a number, its spread (NaN for none), and whether it is the best of its column."""

    value: float
    spread: float = math.nan
    best: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table with a row per layout and a column per measure.

    corner   heading of the names
    rows     names of the rows
    columns  {heading: a cell per row}
    foot     {name: a text per column}, below a line
    notes    sentences that explain the signs
    digits   significant digits of the largest value of a column
    """

    corner: str
    rows: Sequence[str] | Mapping[str, object]
    columns: Mapping[str, Sequence[Value]]
    foot: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    digits: int = 3

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        """Return LaTeX by the package booktabs; it floats if there is a caption or label."""
        if label is not None and (not label or NO_LABEL.search(label)):
            raise InputError(f"label must be a key of LaTeX, such as tab:layouts; got {label!r}. Leave out its signs")
        cells = self._cells(_latex_number, r"\mathbf{{{}}}", "${}$", r"{} \pm {}", "--")
        head = [self.corner, *self.columns]
        lines = [f"% needs \\usepackage{{booktabs}}{''.join(f'{chr(10)}% {_ascii(note)}' for note in self.notes)}"]
        table = caption is not None or label is not None
        lines += [r"\begin{table}", r"\centering"] * table
        lines += [rf"\caption{{{to_latex_text(caption or '')}}}"] * (caption is not None)
        lines += [rf"\label{{{label}}}"] * (label is not None)
        lines += [rf"\begin{{tabular}}{{l{'r' * len(self.columns)}}}", r"\toprule", _row(map(to_latex_text, head))]
        lines += [r"\midrule", *(_row([to_latex_text(name), *row]) for name, row in zip(self.rows, cells, strict=True))]
        if self.foot:
            lines.append(r"\midrule")
            lines += [_row(map(to_latex_text, [name, *texts])) for name, texts in self.foot.items()]
        lines += [r"\bottomrule", r"\end{tabular}", *[r"\end{table}"] * table]
        return "\n".join(lines) + "\n"

    def to_markdown(self) -> str:
        """Return a table of GitHub's Markdown, with the notes below."""
        cells = self._cells(_plain_number, "**{}**", "{}", "{} ± {}", "–")
        head = [self.corner, *self.columns]
        lines = [_piped(map(_markdown_text, head)), _piped([":--", *["--:"] * len(self.columns)])]
        lines += [_piped([_markdown_text(name), *row]) for name, row in zip(self.rows, cells, strict=True)]
        lines += [_piped(map(_markdown_text, [name, *texts])) for name, texts in self.foot.items()]
        notes = "".join(f"\n{_markdown_text(note)}  " for note in self.notes)
        return "\n".join(lines) + (f"\n{notes.rstrip()}" if notes else "")

    def texts(self) -> list[list[str]]:
        """Return the texts of all cells, row by row; the best have a star."""
        return self._cells(_plain_number, "{}*", "{}", "{} ± {}", "–")

    def _cells(self, write, bold: str, number: str, spread: str, nothing: str) -> list[list[str]]:
        """Return the texts of all cells, row by row."""
        columns = []
        for values in self.columns.values():
            texts = []
            for each, decimals in zip(values, _decimals(values, self.digits), strict=True):
                text = nothing
                if not math.isnan(each.value):
                    text = write(each.value, decimals)
                    text = bold.format(text) if each.best else text
                    text = text if math.isnan(each.spread) else spread.format(text, write(each.spread, decimals))
                    text = number.format(text)
                texts.append(text)
            columns.append(texts)
        return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in self.rows]


def checked_digits(digits: object) -> int:
    """Return a number of digits from 1 to 15; `InputError` for others."""
    if isinstance(digits, bool) or not hasattr(digits, "__index__") or not 1 <= int(digits) <= 15:  # type: ignore[call-overload]
        raise InputError(f"digits must be a whole number from 1 to 15; got {digits!r}. Take 3 for most tables")
    return int(digits)  # type: ignore[call-overload]


def to_latex_text(text: str) -> str:
    r"""Return a text that LaTeX prints as it is; letters of other scripts stay.

    >>> print(to_latex_text("γ-SNE 50% & x_1"))
    $\gamma$-SNE 50\% \& x\_1
    """
    return "".join(IN_LATEX.get(sign, sign) for sign in " ".join(text.split()))


def _decimals(values: Sequence[Value], digits: int) -> list[int]:
    """Return the decimals of each cell of a column; negative: digits of powers of ten."""

    def first(size: float, more: int = 0) -> int:
        """Return the decimals that show so many digits after the first one."""
        return max(0, more - math.floor(math.log10(size)))

    known = [abs(each.value) for each in values if math.isfinite(each.value)]
    sizes, spreads = [size for size in known if size], [each.spread for each in values if each.spread > 0]
    if not sizes or (all(size == int(size) < LARGE for size in known) and all(math.isnan(v.spread) for v in values)):
        return [0] * len(values)
    if max(sizes) >= LARGE or max(sizes) < SMALL:
        return [-digits] * len(values)
    wanted, needed = first(max(sizes), digits - 1), first(min(sizes))
    if needed > wanted + MORE_FOR_VALUES:
        return [first(abs(v.value), digits - 1) if v.value and math.isfinite(v.value) else 0 for v in values]
    spread = first(min(spreads)) if spreads else 0
    return [max(wanted, needed, min(spread, wanted + MORE_FOR_SPREADS))] * len(values)


def _plain_number(value: float, decimals: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.{decimals}f}" if decimals >= 0 else f"{value:.{-decimals - 1}e}"


def _latex_number(value: float, decimals: int) -> str:
    text = _plain_number(value, decimals).replace("∞", r"\infty")
    return re.sub(r"e([+-])0*(\d+)", lambda m: rf" \cdot 10^{{{m[1].strip('+')}{m[2]}}}", text)


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _piped(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_|<>\[\]#~])", r"\\\1", " ".join(text.split()))


def _ascii(text: str) -> str:
    """Return a comment that any engine reads."""
    signs = {"↑": "up", "↓": "down", "±": "+-", "*": "bold"}
    return "".join(signs.get(sign, sign) for sign in " ".join(text.split())).encode("ascii", "replace").decode()
