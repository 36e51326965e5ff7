"""Numbers that decide how "auto" draws have a line in docs/tuning.md, and the code names it."""

import re
from pathlib import Path

from benchmarks.tuned_numbers import PACKAGE, numbers

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tuning.md").read_text()


def test_each_number_has_a_line_and_the_code_names_it():
    known = set(re.findall(r"^\| `(\w+)` \| [-\d.e+]+ \|", PAGE, re.MULTILINE))
    for number in numbers():
        assert number.name in known, f"{number.name}: python -m benchmarks.tuned_numbers --names {number.name}"
        text = (PACKAGE / f"{number.module.replace('.', '/')}.py").read_text()
        named = {name for line in re.findall(r"# see tuning: (.*)", text) for name in line.split(", ")}
        assert number.name in named, f"{number.module}: say `see tuning: {number.name}` above it"
        assert number.comment, f"{number.name}: say above it what it decides"
