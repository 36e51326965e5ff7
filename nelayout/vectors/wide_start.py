"""A start from wide neighborhoods, for methods that compare rows with a Gaussian: the whole first, details later.

What lies far apart in a drawing has no similarity under a Gaussian, so that no step brings it together again.  A sphere
of 1,000 points is cut open by JSE where its neighborhoods are 500 points wide, and goes on in one piece; where they
have been 50 wide from the beginning, it is torn into strips, with twice the value.  Groups that nothing connects end
higher from such a start, so it is compared with the usual way to a drawing, by `nelayout.run.several_starts`.

A wide neighborhood among all rows is one of fewer rows among a part of them, which cost less::

    >>> plan(1000, 50.0)
    ((400, 200.0), (800, 200.0), (1000, 125.0))

rows of each drawing, spread evenly, and the perplexity among them: 500, 250 and 125 among all 1,000.  Each but the
first starts where the nearest rows of the one before lie, and the method's own steps follow, at the perplexity itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import Descend
from nelayout.formula.divergences import Type2Mixture, i_divergence
from nelayout.formula.divergences.alpha import Alpha
from nelayout.numerics.parallel import threads_for
from nelayout.record.progress import Observer, Stopped
from nelayout.run.pipeline import run_parts
from nelayout.run.request import Known
from nelayout.run.start import stir_flat
from nelayout.run.state import OtherStart
from nelayout.vectors.annealing import at_perplexity
from nelayout.vectors.input import support
from nelayout.vectors.neighbors import Space

__all__ = ["plan", "wide_start"]

# Rows of which there is a table of all distances: 70 MB.
MOST_ROWS = 3_000
# Perplexity of the first drawings, in units of the one asked for.  With 2 a sphere ends 20 % higher in the mean (JSE,
# NeRV and alpha-SNE, perplexities 15 and 50), with 3 15 %; with all rows at each width as low, in twice the time.
FINER = 4.0
# Random rows of which the farthest from those before is drawn next; with 1 a sphere ends 5 % higher.
CANDIDATES = 5
# Steps at each width; with 10 a sphere ends 5 % higher in the mean, with all rows 25 and 50 end as low as 15.
STEPS = 15
# Rows of the drawing before, beside whose places a row starts.
NEAREST = 3
# JSE at a smaller kappa and alpha-SNE of a larger order, up to 1, are nearly SNE, which lets go of no edge: their wide
# drawings are made with these.  A sphere then ends at 165 to 197 under JSE at kappa = 0.05, at 265 to 294 from wide
# drawings of its own, and at 370 to 411 under alpha-SNE of order 0.9, with its own at 578 to 588.  With 0.2 and 0.7
# spheres end a tenth higher in the mean, with 0.5 and 0.5 those of kappa 0.35 do.  NeRV near kappa = 0 ends lower with
# its own.
LEAST_KAPPA, MOST_ORDER = 0.3, 0.6
# Part of the distance to the farthest of these at which a row has all but the place of the nearest.
SAME = 1e-5


def _gains(method: Method) -> bool:
    """Whether a method compares rows with a Gaussian by a divergence that lets go of edges; SNE's lets go of none."""
    by_rows = method.connection.by_rows and method.kernel.a == 0 and method.choose is None
    return by_rows and not method.variational and method.divergence not in (i_divergence(), Alpha(1.0))


def _that_lets_go(divergence: Any) -> Any:
    """The divergence of wide drawings: that of the method, or one of its family that is farther from SNE's."""
    if isinstance(divergence, Type2Mixture):
        return Type2Mixture(max(divergence.kappa, LEAST_KAPPA))
    if isinstance(divergence, Alpha) and divergence.order < 1.0:
        return Alpha(min(divergence.order, MOST_ORDER))
    return divergence


def plan(n: int, perplexity: float) -> tuple[tuple[int, float], ...]:
    """(rows, perplexity among them) of each drawing, from half of all n rows as neighborhoods down by halves."""
    found, wide = list[tuple[int, float]](), n / 2
    while wide >= 2 * perplexity:
        rows = min(n, round(n * FINER * perplexity / wide))
        found.append((rows, wide * rows / n))
        wide /= 2
    return tuple(found)


def wide_start(
    space: Space, perplexity: float, method: Method, rng: np.random.Generator, run: dict[str, Any]
) -> OtherStart | None:
    """The start of all rows for a run of these options; None where the method or the rows have none."""
    n, widths = space.n, plan(space.n, perplexity)
    if not (widths and n <= MOST_ROWS and _gains(method)) or run["max_iter"] == 0:
        return None
    D = space.given.between_some(np.arange(n), np.arange(n))
    if D is None or not np.isfinite(D).all():
        return None
    stages = tuple(replace(stage, starts=False) if isinstance(stage, Descend) else stage for stage in method.stages)
    method = replace(method, stages=stages, divergence=_that_lets_go(method.divergence))
    options = {name: value for name, value in run.items() if name not in ("callback", "progress", "tol")}

    def draw(observer: Observer) -> np.ndarray:
        order, Y = _spread_out(D, rng), None
        with threads_for(run["n_jobs"]) as threads:
            for rows, here in widths:
                part = np.sort(order[:rows])
                start = None if Y is None else Y[part]
                some = Space(D[np.ix_(part, part)], "precomputed")
                found = some.nearest(support(None, here, rows), rng, threads)
                graph, shares, _ = at_perplexity(some, found, here, threads)
                settings: Any = {"scale": None, "components": "joint", **options, "seed": rng, "max_iter": STEPS}
                inner = observer.within(f"perplexity {here:.4g} of {rows} rows: ", _spread(D[:, part]))
                solution, _ = run_parts(graph, method, start, None, settings, Known(True, shares, observer=inner))
                if solution.reason == "stopped":
                    raise Stopped
                Y = _beside(np.asarray(solution.positions), D[:, part], rng)
        assert Y is not None
        return Y

    widest = widths[0][1] * n / widths[0][0]
    said = f"of two starts the one from wide neighborhoods, of {widest:.0f} rows and less, went on"
    return OtherStart(draw, STEPS * len(widths), said)


def _spread_out(D: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An order of rows at distances D (n, n) whose beginnings are even parts: each next row is the farthest from those
    before among a few random ones (Mitchell, Spectrally optimal sampling for distribution ray tracing, 1991).
    """
    n = len(D)
    order, away = rng.permutation(n), np.full(n, np.inf)
    for place in range(n):
        some = rng.integers(place, n, CANDIDATES)
        best = some[np.argmax(away[order[some]])]
        order[place], order[best] = order[best], order[place]
        np.minimum(away, D[order[place]], out=away)
    return order


def _beside(Y: np.ndarray, D: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Places (n, dim) among the nearest of some rows, which are drawn at Y (m, dim), by distances D (n, m)."""
    near = np.argpartition(D, NEAREST - 1, axis=1)[:, :NEAREST]
    far = np.take_along_axis(D, near, axis=1)
    farthest = np.max(far, axis=1, keepdims=True)
    far = np.maximum(far / np.where(farthest > 0, farthest, 1.0), SAME)
    share = far**-2 / np.sum(far**-2, axis=1, keepdims=True)
    return stir_flat(np.einsum("nk,nkd->nd", share, Y[near]), None, rng)


def _spread(D: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The function that gives each row the place of the nearest of those that are drawn."""
    nearest = np.argmin(D, axis=1)
    return lambda Y: Y[nearest]
