"""`nelayout methods`: the catalogue, and the parameters of each method that --set can set."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from nelayout.cli import layout_command
from nelayout.cli.report import in_options

__all__ = ["EXAMPLES", "declare", "run"]

EXAMPLES = (
    "nelayout methods",
    "nelayout layout graph.graphml -m nerv --set kappa=0.2 -o drawing.png",
    "nelayout layout graph.graphml -m nerv:0.2 -o drawing.png",
)


def declare(command: argparse.ArgumentParser) -> None:
    """No arguments."""
    del command


def run(given: argparse.Namespace) -> None:
    """Write name and use of every method to standard output, below it its own parameters with their defaults."""
    del given
    from nelayout.catalogue import methods, own_keywords

    layout = argparse.ArgumentParser()
    layout_command.declare(layout)
    rows = methods()
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        sys.stdout.write(f"{row['name']:<{width}}  {in_options(row['summary'], layout)}\n")
        own = own_keywords(row["name"])
        if own:
            settings = " ".join(f"--set {name}={_as_setting(value)}" for name, value in own.items())
            sys.stdout.write(f"{'':<{width}}  {settings}\n")


def _as_setting(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower()
