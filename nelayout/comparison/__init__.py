"""Comparing drawings: measures, alignment, a table, a figure and a page."""

from nelayout.comparison.alignment import align
from nelayout.comparison.benchmarked import Benchmark
from nelayout.comparison.benchmarking import benchmark
from nelayout.comparison.compared import Comparison
from nelayout.comparison.comparing import compare, compare_vectors
from nelayout.comparison.measuring import (
    Measured,
    RankCurves,
    measure,
    measure_vectors,
    measures,
    rank_curves,
    rank_curves_vectors,
    stability,
)  # fmt: skip

__all__ = [
    "Benchmark", "Comparison", "Measured", "RankCurves", "align", "benchmark", "compare", "compare_vectors", "measure",
    "measure_vectors", "measures", "rank_curves", "rank_curves_vectors", "stability",
]  # fmt: skip
