"""What each number of "auto" decides: `python -m benchmarks.tuned_numbers`.

Each named number of the passes, their plan, masses and path lengths is halved and doubled in turn; numbers that are
whole stay whole.  The table shows the worst and the best factor of a measure, as a geometric mean over graphs of many
kinds, and how many graphs change in any measure by 1 % and more.  `--write` puts the table into docs/tuning.md, under
the rules of `benchmarks.ablation`.  A number that changes no graph is one that nobody has to know: it may be any.

Numbers that are read while a module is imported, in tables and as defaults, cannot be changed here and are left out.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import nelayout
from benchmarks.ablation import CHANGED, NUMBERS, PAGE, TITLES, compare, graphs, measured

PACKAGE = Path(nelayout.__file__).parent
MODULES = [
    "core/passes/coarsen", "core/passes/layers", "core/passes/levels", "core/passes/passes", "core/passes/placement",
    "core/passes/score", "core/passes/separation", "core/passes/springs", "core/passes/tidiness",
    "core/passes/facts", "core/untangling/held", "core/untangling/planar", "core/untangling/tutte",
    "core/untangling/untangling", "numerics/planarity", "core/run/plan", "core/similarities/masses",
    "numerics/communities", "numerics/distances",
]

class Number(NamedTuple):
    """A named number: module, name, value, and the comment that says what it decides."""

    module: str
    name: str
    value: float
    comment: str

    def changed(self, factor: float) -> float:
        """Return the number times a factor; whole numbers stay whole and do not become 0."""
        return max(1, round(factor * self.value)) if isinstance(self.value, int) else factor * self.value


def numbers() -> list[Number]:
    """Return the numbers that functions read, in the order of `MODULES` and of their files."""
    found = []
    for module in MODULES:
        text = (PACKAGE / f"{module}.py").read_text()
        tree, lines = ast.parse(text), text.splitlines()
        inside = {
            each.id
            for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
            for statement in node.body for each in ast.walk(statement) if isinstance(each, ast.Name)
        }
        for node in tree.body:
            if not isinstance(node, ast.Assign):
                continue
            (target,) = node.targets
            many = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            pairs = zip(target.elts, node.value.elts, strict=True) if many else [(target, node.value)]  # pyright: ignore[reportAttributeAccessIssue]
            for name, value in pairs:
                known = _number(value)
                if isinstance(name, ast.Name) and name.id.isupper() and name.id in inside and known is not None:
                    found.append(Number(module.replace("/", "."), name.id, known, _comment(lines, node.lineno - 1)))
    return found


def _number(node: ast.expr) -> float | None:
    """Return the number that a constant expression is; None if it is none."""
    plain = ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop
    if not all(isinstance(each, plain) for each in ast.walk(node)):
        return None
    value = eval(compile(ast.Expression(node), "", "eval"), {})  # noqa: S307  numbers and operators alone
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _comment(lines: list[str], line: int) -> str:
    """Return the comment above a line, without its references to the table."""
    first = line
    while first and lines[first - 1].startswith("#"):
        first -= 1
    text = " ".join(each.lstrip("# ") for each in lines[first:line])
    return re.sub(r"\s*[Ss]ee tuning: [\w, ]+\.?", "", text).strip()


@contextmanager
def as_if(number: Number, value: float) -> Iterator[None]:
    """Give a number another value."""
    with patch(f"nelayout.{number.module}.{number.name}", value):
        yield


def effect(base: dict[str, dict[str, float]], now: dict[str, dict[str, float]]) -> tuple[str, int]:
    """Return the worst and the best factor of a measure, in words, and the number of graphs that change."""
    found = {name: mean for name, (mean, _, _) in compare(base, now).items() if name != "seconds"}
    worst, best = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    both = dict.fromkeys((worst, best))
    said = [f"{TITLES[name]} {found[name]:.3f}" for name in both if abs(found[name] - 1) >= 5e-4]

    def changes_in(graph: str) -> bool:
        rows = ((value, now[graph][name]) for name, value in base[graph].items() if name != "seconds")
        return any(abs(then - value) > CHANGED * abs(value) for value, then in rows)

    changes = sum(map(changes_in, base))
    return ", ".join(said) or "none", changes


def table(results: dict[str, Any]) -> str:
    """Return the lines of docs/tuning.md; numbers that were not measured keep theirs."""
    date, commit = results["date"], results["commit"]
    known = {tuple(line.split(" | ")[:2]): line for line in PAGE.read_text().splitlines() if line.startswith("| `")}
    lines = [
        f"`python -m benchmarks.tuned_numbers --write` wrote these lines on {date} at commit {commit}.",
        f"Each number is halved and doubled, over {results['graphs']} graphs of up to {results['largest']} nodes.",
        "In brackets are the graphs in which some measure changes by 1 % and more.", "",
        "| number | is | decides | halved | doubled |", "|---|---|---|---|---|",
    ]
    for number in numbers():
        key = f"{number.module}.{number.name}"
        if key in results["numbers"]:
            half, double = results["numbers"][key]
            effects = (f"{said} ({count})" for said, count in (half, double))
            cells = [f"`{number.name}`", f"{number.value:g}", number.comment, *effects]
            lines.append("| " + " | ".join(cells) + " |")
        elif (own := (f"| `{number.name}`", f"{number.value:g}")) in known:
            lines.append(known[own])
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Draw, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuned_numbers", description=__doc__)
    parser.add_argument("--names", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH", help="default: all")
    parser.add_argument("--largest", type=int, default=400, help="nodes of the largest graph")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the figures, JSON")
    parser.add_argument("--write", action="store_true", help="write the table into docs/tuning.md")
    given = parser.parse_args(arguments)
    every = [
        each for each in graphs(given.largest)
        if each[1].shape[0] <= given.largest and (not given.graphs or each[0] in given.graphs)
    ]

    def drawn() -> dict[str, dict[str, float]]:
        return {name: measured(A, labels, coords, given.seed) for name, A, labels, coords in every}

    head = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=False).stdout.strip()
    largest = max(each[1].shape[0] for each in every)
    results: dict[str, Any] = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": commit, "graphs": len(every)}
    results |= {"largest": largest, "numbers": {}}
    base = drawn()
    for number in numbers():
        if given.names and number.name not in given.names:
            continue
        found = []
        for factor in (0.5, 2.0):
            value = number.changed(factor)
            if math.isclose(value, number.value):
                found.append(("none", 0))
                continue
            try:
                with as_if(number, value):
                    found.append(effect(base, drawn()))
            except Exception as error:  # noqa: BLE001  a value that no run survives is a result
                found.append((f"{type(error).__name__}", len(every)))
        results["numbers"][f"{number.module}.{number.name}"] = found
        (half, few), (double, many) = found
        print(f"{number.name:<24} {number.value:<8g} halved: {half} ({few})  doubled: {double} ({many})", flush=True)
        if given.out:
            given.out.write_text(json.dumps(results, indent=1) + "\n")
    if given.write:
        rules = PAGE.read_text().partition(NUMBERS)[0].rstrip()
        PAGE.write_text(f"{rules}\n\n{NUMBERS}\n\n{table(results)}\n")


if __name__ == "__main__":
    main()
