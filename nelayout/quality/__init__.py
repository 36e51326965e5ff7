"""Measures of positions, as functions of arrays; `MEASURES` is the table."""

from nelayout.quality.table import MEASURES

__all__ = ["MEASURES"]
