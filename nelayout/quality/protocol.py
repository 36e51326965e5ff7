"""`Measure`: a function of a drawing in arrays, its definition in words, and how its value becomes a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.input_distances import Hops, InputDistances
from nelayout.quality.samples import Sampled

__all__ = [
    "AFFINE", "ALL", "BOTH", "CHANCE", "EVENNESS", "GRAPHS", "INVARIANCES", "MONOTONE", "OTHER_NODES", "PIVOTS", "REST",
    "RIGID", "ROWS", "SAMPLED_NODES", "SIMILARITY", "VALUE", "Measure", "MeasuredDrawing", "Score",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class MeasuredDrawing:
    """A graph or vectors, where they are drawn, and what is known about them; None where nothing was given.

    adjacency  (n, n) symmetric
    Y          (n, dim), finite
    classes    (n,) integers from 0, -1 unknown
    coords     (n, d') true coordinates, NaN rows unknown
    diameters  (n,) in the units of `Y`
    given      distances that the drawing should follow, where they are not numbers of edges
    near       finds the nearest rows of vectors: (n, n), a row's entries are its neighbors
    """

    adjacency: csr_array | None
    Y: np.ndarray
    classes: np.ndarray | None = None
    coords: np.ndarray | None = None
    diameters: np.ndarray | None = None
    given: InputDistances | None = None
    near: Callable[[], csr_array] | None = None

    @cached_property
    def distances(self) -> InputDistances | None:
        """Distances that the drawing should follow: those given, or numbers of edges."""
        if self.given is None and self.adjacency is not None:
            return Hops(self.adjacency)
        return self.given

    @cached_property
    def neighbors(self) -> csr_array | None:
        """The neighbors of each node in its row: the graph, or the nearest rows of vectors."""
        return self.adjacency if self.near is None else self.near()


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

    name         its name in the table
    definition   what the value is, in words
    find         function of `uses`, by name, that returns a `Sampled`
    uses         fields of `MeasuredDrawing`, "sweep" (a `Sweep`), "sample" and "seed"
    score        how the value becomes a score; higher is better
    dim          the only dimension in which the measure is defined, None for any
    invariances  what does not change the value, among `INVARIANCES`
    complexity   operations for n nodes and m edges
    sampling     when and what "auto" samples
    source       paper and equation, or what the measure is close to
    default_for  "graphs", "vectors": where it is taken without being asked for by name
    """

    name: str
    definition: str
    find: Callable[..., Sampled]
    uses: tuple[str, ...]
    score: Score
    dim: int | None = None
    invariances: tuple[str, ...] = ()
    complexity: str = ""
    sampling: str = "none: always exact"
    source: str = ""
    default_for: tuple[str, ...] = ("graphs",)


# Changes that may leave a value as it is. "monotone" is a strictly increasing function of all distances in the input,
# the others are changes of the drawing; "affine" is any linear map without a kernel.
INVARIANCES = ("translation", "rotation", "reflection", "scale", "affine", "monotone")
RIGID = INVARIANCES[:3]
SIMILARITY = INVARIANCES[:4]
AFFINE = INVARIANCES[:5]
MONOTONE = INVARIANCES[5]

# Inputs for which a measure is taken by default.
GRAPHS, BOTH = ("graphs",), ("graphs", "vectors")

# Rules of sampling that several measures share.
SAMPLED_NODES = "5,000 nodes above 20,000"
PIVOTS = "200 pivots and all pairs with them above 2,000 nodes"
ROWS = "the ranks of all others seen from 300 nodes above 5,000"
ALL = "none: always exact"

VALUE = Score("the value", lambda value, _: value, higher=True)
CHANCE = Score("the value, or 0 where it is negative", lambda value, _: value, higher=True)
REST = Score("1 - value", lambda value, _: 1.0 - value)
EVENNESS = Score("1 / (1 + value)", lambda value, _: 1.0 / (1.0 + value))
OTHER_NODES = Score(
    "1 - value / number of nodes", lambda value, drawing: 1.0 - value / max(len(drawing.Y), 1), count=True
)
