"""How easily chance alone makes a difference: over seeds, over graphs, and in many tests.

Two layouts have values for several seeds.  If both came from one source, each way to split the values between the two
would be equally likely.  `rank_sum` counts the splits at least as far apart as the given one:

>>> rank_sum([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])  # the farthest of 20 splits, and the same with the sides exchanged
0.1

Many tests find something by chance.  `holm` makes each probability larger, so that all of them together err as rarely
as one test:

>>> holm([0.01, 0.04, 0.03]).tolist()
[0.03, 0.06, 0.06]

Over many graphs each graph is one pair of values, or one ranking of all layouts.

Sources: Wilcoxon, Biometrics Bulletin 1(6), 1945 ("Individual comparisons by ranking methods"); Holm, Scandinavian
Journal of Statistics 6(2), 1979 ("A simple sequentially rejective multiple test procedure"); Demsar, JMLR 7, 2006
("Statistical comparisons of classifiers over multiple data sets").
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = [
    "FEWEST_GRAPHS",
    "LEVEL",
    "critical_difference",
    "friedman",
    "holm",
    "rank_sum",
    "seeds_needed",
    "signed_rank",
]

# Largest probability of one false difference or more in a table of layouts over seeds.
LEVEL = 0.01
# Largest number of values for which all splits are counted; the sum of ranks of more values is nearly normal.
MAX_COUNTED_VALUES = 80
# Smallest number of graphs with a test over graphs.
FEWEST_GRAPHS = 2


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return probabilities corrected for their number (Holm 1979); NaN is not counted."""
    p = np.asarray(p, np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order, found = known[np.argsort(p[known], kind="stable")], p.copy()
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    found[order] = np.minimum(steps, 1.0)
    return found


def rank_sum(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the probability of values so far apart, either way, if chance splits them.

    All splits are counted, with ties, up to `MAX_COUNTED_VALUES` values; then the sum of ranks counts as normal. If one
    side has one value, Student's t tells how rarely a further value of the other side is so far from its mean: splits
    would need hundreds of values. NaN for a value against a value.
    """
    if len(a) < 2 and len(b) < 2:
        return math.nan
    if len(a) < 2 or len(b) < 2:
        return _one_more(*((a[0], b) if len(a) < 2 else (b[0], a)))
    return _split(tuple(a), tuple(b))


@lru_cache(maxsize=4096)
def _split(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    from scipy.stats import mannwhitneyu, rankdata

    if len({*a, *b}) == 1:
        return 1.0
    if len(a) + len(b) > MAX_COUNTED_VALUES:
        return float(mannwhitneyu(a, b, method="asymptotic").pvalue)
    ranks = np.rint(2 * rankdata([*a, *b])).astype(int)  # doubled: ties have half ranks
    # ways[j, s]: choices of j values with the sum of ranks s
    ways = np.zeros((len(a) + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks.tolist():
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    sums, drawn = ways[-1] / ways[-1].sum(), int(ranks[: len(a)].sum())
    return min(1.0, 2.0 * min(float(sums[: drawn + 1].sum()), float(sums[drawn:].sum())))


def _one_more(value: float, others: Sequence[float]) -> float:
    """Return the probability that one more value of a normal source is so far from the others."""
    from scipy.stats import t

    n, middle = len(others), math.fsum(others) / len(others)
    spread = math.sqrt(math.fsum((x - middle) ** 2 for x in others) / (n - 1) * (1.0 + 1.0 / n))
    if math.isnan(spread + value):
        return math.nan
    if not spread:
        return float(value == middle)
    return float(2.0 * t.sf(abs(value - middle) / spread, n - 1))


def seeds_needed(comparisons: int) -> int:
    """Return the fewest seeds with which so many comparisons can find a difference.

    >>> seeds_needed(1), seeds_needed(42)
    (5, 8)
    """
    seeds = 2
    while 2 * comparisons > LEVEL * math.comb(2 * seeds, seeds):
        seeds += 1
    return seeds


def signed_rank(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Return Wilcoxon's statistic and its probability for pairs of values.

    (NaN, NaN) for fewer than two pairs. Half of the equal pairs counts for each side (Demsar 2006, section 3.1.3).
    """
    from scipy.stats import wilcoxon

    if len(a) < FEWEST_GRAPHS:
        return math.nan, math.nan
    if not np.any(a != b):
        return len(a) * (len(a) + 1) / 4.0, 1.0
    with warnings.catch_warnings():  # older SciPy warns of few pairs with ties; newer SciPy counts them exactly
        warnings.filterwarnings("ignore", "Sample size too small", UserWarning)
        found: Any = wilcoxon(a, b, zero_method="zsplit", method="auto")
    return float(found.statistic), float(found.pvalue)


def friedman(ranks: np.ndarray) -> tuple[float, float]:
    """Return Friedman's chi-squared and its probability from ranks (graphs, layouts).

    It is corrected for ties. (NaN, NaN) for fewer than two graphs or layouts. Demsar 2006, section 3.2.2.
    """
    from scipy.stats import chi2

    count, layouts = ranks.shape
    if count < FEWEST_GRAPHS or layouts < 2:
        return math.nan, math.nan
    middle = (layouts + 1) / 2.0
    within = float(((ranks - middle) ** 2).sum()) / (count * (layouts - 1))  # less if values tie
    if not within:
        return 0.0, 1.0
    statistic = count * float(((ranks.mean(axis=0) - middle) ** 2).sum()) / within
    return statistic, float(chi2.sf(statistic, layouts - 1))


def critical_difference(layouts: int, graphs: int, alpha: float) -> float:
    """Return the smallest clear difference of two mean ranks (Nemenyi; Demsar, 3.2.2).

    >>> round(critical_difference(4, 14, 0.05), 2)
    1.25
    """
    from scipy.stats import studentized_range

    if graphs < FEWEST_GRAPHS or layouts < 2:
        return math.nan
    quantile = float(studentized_range.isf(alpha, layouts, np.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(layouts * (layouts + 1) / (6.0 * graphs))
