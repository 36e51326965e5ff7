"""Several seeds of one method become one row: the mean of each measure, and how certain it is.

>>> runs = [{"stress": Measured(value, 1 - value, 0.0, True)} for value in (0.1, 0.2, 0.3)]
>>> found = mean_of(runs)["stress"]
>>> round(found.value, 3), round(found.error, 4), round(deviation([0.1, 0.2, 0.3]), 3)
(0.2, 0.0577, 0.1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nelayout.comparison.measuring import Measured

__all__ = ["deviation", "mean_of"]


def mean_of(runs: Sequence[dict[str, Measured]]) -> dict[str, Measured]:
    """The mean of each measure over the runs.

    Its standard error is the hypotenuse of that over seeds (their deviation over the root of their number) and the
    mean one of the samples: all runs are measured on the same sample, so that more of them do not lessen it.
    """
    if len(runs) == 1:
        return runs[0]
    return {name: _mean([run[name] for run in runs]) for name in runs[0]}


def _mean(found: list[Measured]) -> Measured:
    count = len(found)
    values = [m.value for m in found]
    sampling = math.fsum(m.error for m in found) / count
    seeds = deviation(values) / math.sqrt(count)
    return Measured(
        math.fsum(values) / count,
        math.fsum(m.score for m in found) / count,
        0.0 if math.isnan(seeds) else math.hypot(sampling, seeds),
        all(m.exact for m in found),
    )


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of a sample (n - 1); NaN for less than two."""
    if len(values) < 2:
        return math.nan
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((x - middle) ** 2 for x in values) / (len(values) - 1))
