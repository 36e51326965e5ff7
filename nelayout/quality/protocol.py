"""`Measure`: a function of a drawing in arrays, its definition in words, and how its value becomes a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.samples import Sampled

__all__ = ["EVENNESS", "OTHER_NODES", "REST", "VALUE", "Measure", "MeasuredDrawing", "Score"]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredDrawing:
    """A graph, where its nodes are drawn, and what is known about them; None where nothing was given.

    adjacency  (n, n) symmetric
    Y          (n, dim), finite
    classes    (n,) integers from 0, -1 unknown
    coords     (n, d') true coordinates, NaN rows unknown
    diameters  (n,) in the units of `Y`
    """

    adjacency: csr_array
    Y: np.ndarray
    classes: np.ndarray | None = None
    coords: np.ndarray | None = None
    diameters: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """How a value becomes a score from 0 to 1.

    words   the rule in words
    of      the rule as a function of the value and the drawing
    higher  whether a higher value is better
    count   whether the value counts something that should not be there; many more would fit than any drawing has
    """

    words: str
    of: Callable[[float, MeasuredDrawing], float]
    higher: bool = False
    count: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a drawing.

    name        its name in the table
    definition  what the value is, in words
    find        function of `uses`, by name, that returns a `Sampled`
    uses        fields of `MeasuredDrawing`, "sample" and "seed"
    score       how the value becomes a score; higher is better
    dim         the only dimension in which the measure is defined, None for any
    """

    name: str
    definition: str
    find: Callable[..., Sampled]
    uses: tuple[str, ...]
    score: Score
    dim: int | None = None


VALUE = Score("the value", lambda value, _: value, higher=True)
REST = Score("1 - value", lambda value, _: 1.0 - value)
EVENNESS = Score("1 / (1 + value)", lambda value, _: 1.0 / (1.0 + value))
OTHER_NODES = Score(
    "1 - value / number of nodes", lambda value, drawing: 1.0 - value / max(len(drawing.Y), 1), count=True
)
