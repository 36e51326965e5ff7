"""Comparing drawings: measures, one over the other, a table and a figure."""

from nelayout.comparison.alignment import align
from nelayout.comparison.compared import Comparison
from nelayout.comparison.comparing import compare
from nelayout.comparison.comparing_vectors import compare_vectors
from nelayout.comparison.curves import RankCurves, rank_curves, rank_curves_vectors
from nelayout.comparison.measuring import Measured, measure, measures
from nelayout.comparison.measuring_vectors import measure_vectors
from nelayout.comparison.steadiness import stability

__all__ = [
    "Comparison", "Measured", "RankCurves", "align", "compare", "compare_vectors", "measure", "measure_vectors",
    "measures", "rank_curves", "rank_curves_vectors", "stability",
]  # fmt: skip
