"""The page of the study says what its table says, and the table is read as it was written."""

import math
import re
from pathlib import Path

import pytest

from benchmarks import page as benchmark_page
from benchmarks import study, study_page
from nelayout.comparison import Measured

DOCS = Path(__file__).resolve().parents[2] / "docs" / "research"


def row(stress, neighborhood, error=0.0):
    return {
        "stress": Measured(stress, round(1 - stress, 5), error, error == 0.0),
        "neighborhood": Measured(neighborhood, neighborhood, error, error == 0.0),
    }


def entry(nodes, **drawings):
    names = {"auto": "nelayout auto", "linlog": "nelayout linlog", "spring": "nx:spring", "sfdp": "graphviz:sfdp"}
    rows = {names[key]: value for key, value in drawings.items()}
    seconds = {name: 2.0 * (1 + k) for k, name in enumerate(rows)}
    return {"nodes": nodes, "edges": 2 * nodes, "drawings": rows, "seconds": seconds, "seeds": dict.fromkeys(rows, 3)}


FOUND = {
    "one": entry(10, auto=row(0.3, 0.8), linlog=row(0.5, 0.3), spring=row(0.1, 0.5), sfdp=row(0.2, 0.4)),
    "two": entry(20, auto=row(0.3, 0.8), linlog=row(0.4, 0.9), spring=row(0.2, 0.795), sfdp=row(0.4, 0.7)),
    "three": entry(30, auto=row(0.20, 0.8, 0.01), linlog=row(0.2, 0.7), spring=row(0.18, 0.7, 0.01)),
}


def cells(page, heading, first):
    """The cells of the line that begins with `first` in the table under a heading."""
    part = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    line = next(line for line in part.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_the_table_is_read_as_it_was_written(tmp_path):
    study.write_table(FOUND, tmp_path / "study.csv")
    assert study.read_table(tmp_path / "study.csv") == FOUND
    lost = {"one": entry(5, auto={**row(0.3, 0.8), "map_r2": Measured(math.nan, math.nan, 0.0, True)})}
    study.write_table(lost, tmp_path / "study.csv")
    known = study.read_table(tmp_path / "study.csv")["one"]["drawings"]["nelayout auto"]
    assert list(known) == ["stress", "neighborhood"]


def test_duels_are_counted():
    page = study_page.page(FOUND)
    # spring: neighborhood 0.795 beside 0.8 is alike, stress 0.18 beside 0.20 is within the errors
    assert cells(page, "`auto` beside each peer", "`neighborhood` ↑") == ["2–0 of 3", "2–0 of 2"]
    assert cells(page, "`auto` beside each peer", "`stress` ↓") == ["**0–2 of 3**", "1–1 of 2"]


def test_camps_are_counted():
    page = study_page.page(FOUND)
    heading = "The best of ours beside the best of the peers"
    assert cells(page, heading, "`neighborhood` ↑") == ["3", "0", "0", ""]
    assert cells(page, heading, "`stress` ↓") == ["0", "1", "2", "nx:spring 2, graphviz:sfdp 1"]


def test_the_front_is_counted():
    page = study_page.page(FOUND)
    assert cells(page, "Who is dominated", "auto") == ["3", "2", "nx:spring 1"]
    assert cells(page, "Who is dominated", "nx:spring") == ["3", "2", "auto 1"]
    assert cells(page, "Who is dominated", "graphviz:sfdp") == ["2", "0", "nx:spring 2, auto 1, linlog 1"]


def test_losses_and_seconds():
    page = study_page.page(FOUND)
    part = page.split("## Where `auto` loses most")[1]
    first = next(line for line in part.splitlines() if line.startswith("| one "))
    assert first == "| one | `stress` ↓ | 0.3 | nx:spring | 0.1 |"
    assert cells(page, "Seconds", "auto")[0] == "1"
    assert cells(page, "Seconds", "nx:spring")[0] == "3"
    assert cells(page, "Seconds", "graphviz:sfdp")[0] == "4"


def test_the_benchmark_page_says_when_and_where_and_who_wins():
    page = benchmark_page.page(FOUND, {})
    assert re.search(r"wrote this page on \d{4}-\d\d-\d\d at commit \w+", page)
    assert re.search(r"^Machine: .+ cores\. Python \d", page, re.MULTILINE)
    assert "A peer wins more often than `auto` in: `stress` (nx:spring 2–0)." in page
    assert "## Tables" not in page


@pytest.mark.full
@pytest.mark.skipif(not (DOCS / "study.csv").exists(), reason="docs/research/study.csv is not here")
def test_the_page_is_made_of_the_stored_table():
    found = study.read_table(DOCS / "study.csv")
    assert (DOCS / "study.md").read_text() == study_page.page(found)
    names = {name for each in found.values() for name in each["drawings"]}
    page = (DOCS / "study.md").read_text()
    assert all(re.search(rf"\b{re.escape(name.removeprefix('nelayout '))}\b", page) for name in names)
