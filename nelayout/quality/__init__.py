"""Measures of a drawing: functions of arrays (adjacency, positions), one subject a module; `MEASURES` is the table."""

from nelayout.quality.table import MEASURES

__all__ = ["MEASURES"]
