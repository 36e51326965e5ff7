"""Comparing drawings: measures, one over the other, a table and a figure."""

from nelayout.comparison.alignment import align
from nelayout.comparison.compared import Comparison, compare
from nelayout.comparison.measuring import Measured, measure, measures

__all__ = ["Comparison", "Measured", "align", "compare", "measure", "measures"]
