"""Tables for papers: what they print is the table, LaTeX compiles them, and names print as they are."""

import math
import re
import shutil
import subprocess

import networkx as nx
import pytest

import nelayout as nl
from nelayout.comparison.typeset import PaperTable, Value, to_latex_text
from nelayout.errors import InputError

G = nx.karate_club_graph()
POS = {"a_1 & b% #$ {x} ~^\\": nx.circular_layout(G), 'γ|Δ *α* <b> "q"': nx.random_layout(G, seed=0)}


def column(*values, spreads=(), digits=3):
    cells = [Value(x, s) for x, s in zip(values, spreads or [math.nan] * len(values), strict=True)]
    rows = PaperTable("layout", ["r"] * len(values), {"x": cells}, digits=digits).to_markdown().splitlines()[2:]
    return [row.split("|")[2].strip() for row in rows]


def test_digits_follow_the_largest_value_and_the_smallest_spread():
    assert column(0.12345, 0.5) == ["0.123", "0.500"]
    assert column(0.12345, 0.5, digits=2) == ["0.12", "0.50"]
    assert column(51343.0, 7.0) == ["51343", "7"]
    assert column(51343.2, 7.4) == ["51343", "7"]
    assert column(1.4, 0.47, spreads=(0.02, 0.0017)) == ["1.400 ± 0.020", "0.470 ± 0.002"]
    assert column(0.004, 9.5) == ["0.004", "9.500"]
    assert column(0.00041, 951.0) == ["0.000410", "951"]  # too far apart for one number of decimals
    assert column(2.5e8, 1.0) == ["2.50e+08", "1.00e+00"]
    assert column(math.nan, math.inf, 0.0) == ["–", "∞", "0"]


def test_latex_has_powers_of_ten_dashes_and_bold():
    cells = [Value(2.5e8, 3e6, True), Value(math.nan), Value(-math.inf)]
    text = PaperTable("layout", ["a", "b", "c"], {"x ↑": cells}, {"p": ["< 0.001"]}).to_latex()
    assert r"a & $\mathbf{2.50 \cdot 10^{8}} \pm 3.00 \cdot 10^{6}$ \\" in text
    assert r"b & -- \\" in text
    assert r"c & $-\infty$ \\" in text
    assert r"p & $<$ 0.001 \\" in text
    assert r"x $\uparrow$ \\" in text


@pytest.mark.parametrize("sign", '\\&%$#_{}~^<>|"')
def test_no_sign_of_latex_stays_bare(sign):
    """Signs inside math stand in it on purpose; elsewhere each one has a backslash."""
    text = re.sub(r"\$[^$]*\$", "", to_latex_text(f"a{sign}b"))
    bare = re.sub(r"\\([&%$#_{}]|text\w+\{\})", "", text)
    assert not set(bare) & set('\\&%$#_{}~^<>|"')


def test_stars_of_the_comparison_are_bold():
    found = nl.compare(G, {"ring": "nx:circular", "spring": "nx:spring", "mine": POS[next(iter(POS))]}, seeds=8)
    rows = found.to_markdown().splitlines()
    marked = found.marked
    for row, name in zip(rows[2:5], found.measured, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
        assert [cell.startswith("**") for cell in cells[:-1]] == [cell.endswith("*") for cell in marked.loc[name]]
    assert rows[0].count("|") == 3 + len(found.measured["ring"])
    assert rows[6].startswith("↑ higher is better, ↓ lower is better, bold")


def test_bad_arguments_are_refused():
    found = nl.compare(G, {"a": POS[next(iter(POS))]}, measures="stress")
    for digits in (0, 16, 2.5, True, "3"):
        with pytest.raises(InputError, match="digits must be a whole number from 1 to 15"):
            found.to_latex(digits=digits)
        with pytest.raises(InputError, match="digits must be"):
            found.to_markdown(digits=digits)
    for label in ("", "a b", "a}", "50%"):
        with pytest.raises(InputError, match="label must be a key of LaTeX"):
            found.to_latex(label=label)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles_it(tmp_path):
    """With a name of every sign, a caption of every sign, spreads, dashes and powers of ten."""
    caption = "All: " + "".join(chr(k) for k in range(33, 127)) + " γΔ ±×≤≥≈∞↑↓→←−–—…·²³"
    table = nl.compare(G, POS | {"ws": "ws-sne"}, seeds=2, measures=["stress", "crossings"], objective="ee")
    odd = PaperTable("x", ["a", "b"], {"y ↓": [Value(2.5e8, 3e6, True), Value(math.nan)]}, {"p": ["< 0.01"]}, ["γ ↑"])
    body = table.to_latex(caption=caption, label="tab:a_1") + odd.to_latex() + r"See~\ref{tab:a_1}."
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 10_000
