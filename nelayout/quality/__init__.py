"""Measures of positions as functions of arrays: one subject a module, `MEASURES` the table."""

from nelayout.quality.table import MEASURES

__all__ = ["MEASURES"]
