"""`nelayout methods`: the catalogue, one method a line."""

from __future__ import annotations

import argparse
import sys

__all__ = ["declare", "run"]


def declare(command: argparse.ArgumentParser) -> None:
    """No arguments."""
    del command


def run(given: argparse.Namespace) -> None:
    """Name and use of every method, on standard output."""
    del given
    from nelayout.catalogue import methods

    rows = [(row["name"], row["summary"]) for row in methods()]
    width = max(len(name) for name, _ in rows)
    sys.stdout.writelines(f"{name:<{width}}  {summary}\n" for name, summary in rows)
