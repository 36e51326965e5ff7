"""How much of what is reachable a drawing reaches, in each measure.

A value alone says little: a stress of 0.1 is good for a social network and poor for a path.  Two values give a scale.
Chance is the mean over drawings with places shuffled among the nodes.  The best is what the best of several
methods reached.  The share of a drawing is (value - chance) / (best - chance): 0 is chance, 1 the best that was found,
and a drawing may be better than that.

A measure in which the best is not clearly better than chance has no share.  The spread of edge lengths is such a
measure: random places have even lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nelayout.comparison.measuring import measure_drawing
from nelayout.comparison.ranking import J_OF, explained
from nelayout.numerics.parallel import Threads
from nelayout.trust.moving import Part, at_best_size
from nelayout.trust.references import Audited

__all__ = ["J_NAME", "Reach", "lagging", "middle_share", "reach"]

J_NAME = J_OF + "ws-sne"
# Drawings with shuffled places, and standard deviations of them by which the best must differ from their mean.
SHUFFLES, CLEAR = 5, 3.0
# Edges sampled to count crossings in drawings with shuffled places, if the graph has more than the limit: nearly all
# pairs of edges overlap there.
SAMPLED_EDGES, MAX_COUNTED_EDGES = 400, 4_000
# Smallest difference, relative, between a drawing and one with shuffled places that is no rounding.
TOLD = 1e-9
# Difference from the middle share by which a measure lags: nodes pushed into a shape leave one measure behind.
LAG = 0.25
# Measures without a share: chance is as good as a fine drawing.
NO_SHARE = ("edge_length_variation",)


@dataclass(frozen=True, slots=True)
class Reach:
    """One measure of a drawing.

    value   of the drawing
    chance  mean over drawings with shuffled places
    best    best value of other drawings
    share   (value - chance) / (best - chance); NaN if the best is not clearly better than chance
    """

    measure: str
    value: float
    chance: float
    best: float
    share: float


def reach(
    of: Audited, parts: Sequence[Part], others: Sequence[np.ndarray], seed: int, threads: Threads
) -> tuple[Reach, ...]:
    """Return the table of a drawing; ``others``: drawings that show what is reachable."""
    rng = np.random.default_rng([seed, len(of.Y)])
    shuffled = [of.Y[rng.permutation(len(of.Y))] for _ in range(SHUFFLES)]
    many = of.P.nnz // 2 > MAX_COUNTED_EDGES
    null = [_values(of, parts, Y, seed, threads, SAMPLED_EDGES if many else "auto") for Y in shuffled]
    own, *rest = (_values(of, parts, Y, seed, threads, "auto") for Y in (of.Y, *others))
    return tuple(_row(name, own[name], [each[name] for each in null], [each[name] for each in rest]) for name in own)


def _row(name: str, value: float, null: Sequence[float], others: Sequence[float]) -> Reach:
    chance, spread = float(np.mean(null)), float(np.std(null, ddof=1))
    known = [each for each in others if math.isfinite(each)]
    way = 1.0 if explained(name).higher else -1.0
    best = way * max((way * each for each in known), default=math.nan)
    ahead = way * (best - chance)
    # Shuffles may change nothing, as in a complete graph.
    told = max(abs(each - value) for each in null) > TOLD * max(abs(value), abs(best))
    clear = name not in NO_SHARE and told and ahead > CLEAR * spread and ahead > 0.0
    return Reach(name, value, chance, best, (value - chance) / (best - chance) + 0.0 if clear else math.nan)


def _values(
    of: Audited, parts: Sequence[Part], Y: np.ndarray, seed: int, threads: Threads, edges: int | str
) -> dict[str, float]:
    """Return the measures of a drawing; ``edges``: the sample for crossings."""
    drawn = replace(of.facts, Y=Y)
    found = measure_drawing(drawn, [name for name in of.measures if name != "crossings"], "auto", seed)
    found |= measure_drawing(drawn, [name for name in of.measures if name == "crossings"], edges, seed)
    values = {name: found[name].value for name in of.measures}
    if parts:
        values[J_NAME] = sum(at_best_size(part, Y[part.nodes], threads)[1] for part in parts)
    return values


def lagging(rows: Sequence[Reach], decisive: Sequence[str]) -> Reach | None:
    """Return the decisive measure with the least share if it lags far behind the middle share."""
    known = [row for row in rows if row.measure in (*decisive, J_NAME) and math.isfinite(row.share)]
    last = min(known, key=lambda row: row.share, default=None)
    return last if last is not None and last.share < middle_share(rows, decisive) - LAG else None


def middle_share(rows: Sequence[Reach], decisive: Sequence[str]) -> float:
    """Return the median share of the decisive measures and J; NaN if none has a share."""
    shares = [row.share for row in rows if row.measure in (*decisive, J_NAME) and math.isfinite(row.share)]
    return float(np.median(shares)) if shares else math.nan
