"""The findings of [Y14] and [Y15], asked of the methods here: `python -m benchmarks.findings_yang` writes a page.

    python -m benchmarks.findings_yang figures       [Y14, figures 1 and 2]: five methods on five sets
    python -m benchmarks.findings_yang smoothing     [Y14, figure 3]: gamma-QuadLog of a smoothed graph
    python -m benchmarks.findings_yang optimizers    [Y15, table 2 and figures]: optimizers from one start

Without a word, all three.  Numbers and positions are kept in a folder; what is there already is not made again.  The
page, docs/research/findings-yang.md, is written as soon as it has all of them.
[Y14] Yang, Peltonen & Kaski, Optimization equivalence of divergences improves neighbor embedding, ICML 2014.
[Y15] Yang, Peltonen & Kaski, Majorization-minimization for manifold embedding, AISTATS 2015, supplement.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import findings_yang_drawings as drawings
from benchmarks import findings_yang_optimizers as optimizers
from benchmarks import findings_yang_page as page

# Part -> its pieces, and the function that makes one of them, given its name and a folder for positions.
PARTS: dict[str, tuple[tuple[str, ...], Callable[[str, Path], Any]]] = {
    "figures": (drawings.SETS, drawings.figure),
    "smoothing": (drawings.MANNERS, drawings.smoothing),
    "optimizers": (tuple(optimizers.SETS), optimizers.races),
}


def main(arguments: list[str] | None = None) -> None:
    """Draw, measure, write the page."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(prog="python -m benchmarks.findings_yang", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; none: all")
    parser.add_argument("--results", type=Path, default=here / "results" / "yang", help="folder for what is made")
    parser.add_argument("--docs", type=Path, default=here.parent / "docs" / "research")
    given = parser.parse_args(arguments)
    if strange := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(strange))}; there are {', '.join(PARTS)}")
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for part, (names, make) in PARTS.items():
        for name in names:
            file = given.results / f"{part}.{name}.json"
            if part in (given.parts or PARTS) or file.exists():
                found[part][name] = drawings.kept(file, lambda: make(name, given.results))  # noqa: B023
    if all(len(found[part]) == len(names) for part, (names, _) in PARTS.items()):
        page.write(found, given.results, given.docs)


if __name__ == "__main__":
    main()
