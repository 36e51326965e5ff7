"""`Measure`, one entry of the table of measures, and `MeasuredDrawing`, its arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.distances import Hops, InputDistances
from nelayout.quality.samples import Sampled

__all__ = ["AFFINE", "INVARIANCES", "MONOTONE", "RIGID", "SIMILARITY", "Measure", "MeasuredDrawing", "Score"]

# Changes that may leave a value as it is. "monotone" is an increasing function of all distances in the input. The
# others change the drawing; "affine" is any invertible linear map.
INVARIANCES = ("translation", "rotation", "reflection", "scale", "affine", "monotone")
RIGID = INVARIANCES[:3]
SIMILARITY = INVARIANCES[:4]
AFFINE = INVARIANCES[:5]
MONOTONE = (*SIMILARITY, "monotone")


@dataclass(frozen=True, eq=False)
class MeasuredDrawing:
    """A graph or vectors, the positions, and facts about the nodes; None for unknown facts.

    adjacency  (n, n) symmetric
    Y          (n, dim), finite
    classes    (n,) integers from 0, -1 unknown
    coords     (n, d') true coordinates, NaN rows unknown
    diameters  (n,) in the units of `Y`
    given      distances that the drawing should follow; None: numbers of edges
    near       finds the nearest rows of vectors: (n, n), each row has the neighbors of one node
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
        """Distances that the drawing should follow."""
        return Hops(self.adjacency) if self.given is None and self.adjacency is not None else self.given

    @cached_property
    def neighbors(self) -> csr_array | None:
        """Neighbors of each node in its row: the graph, or the nearest rows of vectors."""
        return self.adjacency if self.near is None else self.near()


@dataclass(frozen=True, slots=True)
class Score:
    """How a value becomes a score from 0 to 1.

    words   the rule in words
    of      the rule as a function of the value and the drawing
    higher  whether a higher value is better
    count   whether the value counts defects; a drawing has far fewer of them than are possible
    """

    words: str
    of: Callable[[float, MeasuredDrawing], float]
    higher: bool = False
    count: bool = False


@dataclass(frozen=True)
class Measure:
    """One measure of a drawing.

    name         its name in the table
    definition   what the value is, in words
    find         function that returns a `Sampled`; see `uses`
    score        how the value becomes a score; higher is better
    source       paper and equation, or the closest published measure
    complexity   operations for n nodes and m edges
    sampling     when and what "auto" samples; "" for a measure that is always exact
    invariances  changes that do not change the value, among `INVARIANCES`
    default_for  "graphs", "vectors": inputs with this measure by default
    dim          the only dimension in which the measure is defined, None for any
    """

    name: str
    definition: str
    find: Callable[..., Sampled]
    score: Score
    source: str
    complexity: str
    sampling: str = ""
    invariances: tuple[str, ...] = SIMILARITY
    default_for: tuple[str, ...] = ()
    dim: int | None = None

    @cached_property
    def uses(self) -> tuple[str, ...]:
        """Parameters of `find` that `measure` fills: fields of the drawing, sweep, sample, seed."""
        fields = {*MeasuredDrawing.__annotations__, "distances", "neighbors", "sweep", "sample", "seed"}
        return tuple(name for name in inspect.signature(self.find).parameters if name in fields)
