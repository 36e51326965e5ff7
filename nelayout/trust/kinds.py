"""Graphs and tables: keywords of one are refused with the other."""

from __future__ import annotations

from typing import Any

from nelayout.errors import InputError

__all__ = ["check_keywords"]

# Keywords of graphs, and of tables, with the values that say nothing.
GRAPH_KEYWORDS = {"weight": "weight", "weight_kind": "auto", "rewire": 0.0, "reweight": False}
TABLE_KEYWORDS = {"metric": "euclidean"}


def check_keywords(is_table: bool, **given: Any) -> None:
    """Raise `InputError` for a keyword of a graph with a table, or the other way round."""
    for name, usual in (GRAPH_KEYWORDS if is_table else TABLE_KEYWORDS).items():
        value = given.get(name, usual)
        if not isinstance(value, type(usual)) or value != usual:
            kind = "rows" if is_table else "a graph"
            raise InputError(f"{name} is not defined for {kind}: leave it out")
