"""Schedules: stages that minimize a method's objective, and default stages of a kernel.

`CoarseToFine` goes through the levels of the coarsened graph and finds the global shape.  `Descend` takes steps on the
graph itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

from nelayout.core.formula.divergences import Divergence, divergence_named, i_divergence
from nelayout.core.formula.kernels import Kernel, kernel_named
from nelayout.errors import InputError, unknown

__all__ = [
    "BALANCED", "EVEN_SHAPE", "FINEST", "LARGE_GRAPH", "OPTIMIZER_NAMES", "SHAPE", "SLOW", "SLOW_TAIL_SMALL",
    "SMALL_GRAPH", "CoarseToFine", "Descend", "Stage", "early_exaggeration", "growing_tail", "optimizer_name", "recipe",
]  # fmt: skip

# Nodes above which a graph counts as large, and up to which it counts as small.
LARGE_GRAPH, SMALL_GRAPH = 10_000, 2_000
# Part of the nodes of a large graph at which a `CoarseToFine` that is not `finest` stops.
FINEST = 1 / 5
# Names by which a stage calls its optimizer; `nelayout.optimizers` has the optimizers.
OPTIMIZER_NAMES = ("majorize", "momentum", "spectral-direction", "lbfgs")
# Defaults of `Descend.lull` and of `Descend.tol`; less than the part ``BALANCED`` of J makes no drawing lower.
SLOW, BALANCED = 3e-4, 1e-4


@dataclass(frozen=True, slots=True)
class CoarseToFine:
    """A stage that goes through the coarsened graphs, the coarsest first.

    name       what traces and callbacks call it
    max_iter   most steps at each level
    power      minimize gamma-PolyLog of this power (2 is gamma-QuadLog); None: the method's own objective
    finest     end with the graph itself; else the next stage takes over a large graph at a fifth of its nodes.  If
               other stages follow that one, it moves the next coarser graph
    unfold     draw some coarse levels by s-SNE, which unfolds meshes, see `nelayout.core.passes.levels`
    optimizer  a name from nelayout.optimizers
    tol        end a level when nodes move by less than this fraction of the typical distance between nodes
    """

    name: str
    max_iter: int
    power: float | None = None
    finest: bool = True
    unfold: bool = False
    optimizer: str = "majorize"
    tol: float = 0.1

    def __post_init__(self) -> None:
        _check(self, "power")

    def as_descent(self) -> Descend:
        """Return the steps of one level as a `Descend` on the graph, for drawings with a start."""
        return Descend(self.name, self.max_iter, self.optimizer)


@dataclass(frozen=True, slots=True)
class Descend:
    """A stage that takes steps of one optimizer on the graph itself.

    name          what traces and callbacks call it
    max_iter      most steps
    optimizer     a name from nelayout.optimizers
    exaggeration  factor on the attraction of all edges
    kernel        minimize with this kernel instead of the method's own (continuation from light to heavy tails); a name
                  or a Kernel
    divergence    minimize this divergence instead of the method's own; a name, a function f or a Divergence
    large         (max_iter, exaggeration) in graphs of more than 10,000 nodes
    small         max_iter in graphs of up to 2,000 nodes
    starts        try other initial positions too, in graphs of up to 200 nodes; the lowest J continues
    candidate     compare the drawing at the end of this stage with drawings of other such stages by the quality score;
                  the best is the result (the method "auto" alone has such stages)
    tol           end when a move of all nodes down the gradient by the typical distance between nodes would lower J by
                  less than this fraction of itself
    lull          end when 10 steps bring less than this fraction of the decrease so far; 0: only ``tol`` ends it early
    """

    name: str
    max_iter: int
    optimizer: str = "lbfgs"
    exaggeration: float = 1.0
    kernel: Any = None
    divergence: Any = None
    large: tuple[int, float] | None = None
    small: int | None = None
    starts: bool = False
    candidate: bool = False
    tol: float = BALANCED
    lull: float = SLOW

    def __post_init__(self) -> None:
        _check(self, "exaggeration")
        if self.kernel is not None:
            object.__setattr__(self, "kernel", kernel_named(self.kernel))
        if self.divergence is not None:
            object.__setattr__(self, "divergence", divergence_named(self.divergence))

    def at(self, n: int) -> Descend:
        """Return the stage for a graph of n nodes."""
        steps, factor = (self.max_iter, self.exaggeration) if self.large is None or n <= LARGE_GRAPH else self.large
        steps = steps if self.small is None or n > SMALL_GRAPH else self.small
        return replace(self, max_iter=steps, exaggeration=factor, large=None, small=None)


Stage = CoarseToFine | Descend


def _check(stage: Stage, factor: str) -> None:
    """Raise InputError for numbers out of range and unknown optimizers."""
    steps, tol, above = stage.max_iter, stage.tol, getattr(stage, factor)
    what = f"stage {stage.name!r}: "
    if isinstance(steps, bool) or not isinstance(steps, Integral) or steps < 0:
        raise InputError(f"{what}max_iter must be a whole number >= 0, given {steps!r}")
    if not (isinstance(tol, Real) and tol >= 0):
        raise InputError(f"{what}tol must be a number >= 0, given {tol!r}")
    if above is not None and not (isinstance(above, Real) and 0 < float(above) < math.inf):
        raise InputError(f"{what}{factor} must be a number > 0, given {above!r}")
    if isinstance(stage.optimizer, str):
        object.__setattr__(stage, "optimizer", optimizer_name(stage.optimizer))


def optimizer_name(word: str) -> str:
    """Return the name of an optimizer in the spelling of `OPTIMIZER_NAMES`."""
    name = word.strip().lower().replace("_", "-")
    name = {"l-bfgs": "lbfgs", "mm": "majorize"}.get(name, name)
    if name not in OPTIMIZER_NAMES:
        raise unknown("optimizer", word, OPTIMIZER_NAMES)
    return name


SHAPE = CoarseToFine("shape", 15, power=2.0, finest=False)
# A higher power draws edges of more even length, so that roads and meshes look like their maps.
EVEN_SHAPE = replace(SHAPE, max_iter=8, power=6.0, unfold=True)
# Fractions of its tail with which a kernel is drawn before the whole tail.  Most steps of each.  Steps and
# exaggeration of each in large graphs.
TAILS = ((0.0, 40, (40, 2.0)), (0.5, 30, (30, 1.5)), (0.8, 30, (30, 1.2)))
# Most steps with the whole tail.  First graphs that are not small, then three kinds of small graphs: tails up to
# Cauchy, heavier tails, and divergences that release edges.
WHOLE_TAIL, WHOLE_TAIL_SMALL, SLOW_TAIL_SMALL, SLOWEST_SMALL = 100, 240, 480, 960


def growing_tail(kernel: Kernel, divergence: Divergence | None = None, tried: bool = False) -> tuple[Descend, ...]:
    """Return the descents from the Gaussian towards a kernel.

    ``tried``: all but the first are candidates.
    """
    a, b, c = kernel.a, kernel.b, kernel.c
    kernels = [Kernel(a * part, b, c) if part else Kernel(0.0, b / c, 1.0) for part, *_ in TAILS]
    return tuple(
        Descend(f"tail x {part:.2g}", n, kernel=at, divergence=divergence, large=large, candidate=tried and part > 0)
        for at, (part, n, large) in zip(kernels, TAILS, strict=True)
    )


def recipe(kernel: Kernel, by_kl: bool = False) -> tuple[Stage, ...]:
    """Return a kernel's schedule: the global shape by coarse graphs, then the own objective.

    Under a heavy-tailed kernel a long edge hardly pulls, which tears meshes.  So the tail grows: first the Gaussian
    of the same b, then parts of the tail, then the kernel itself.  ``by_kl``: the stages before the last minimize the
    I-divergence, under which every edge pulls.  Divergences that release neighbors end lower from there.
    """
    kl = i_divergence() if by_kl else None
    if kernel.singular:
        # a shape of another kernel leaves leaves far out, unless it goes through the finest level
        shape = SHAPE if kernel.b / kernel.a == 1.0 else replace(SHAPE, finest=True)
        return (shape, Descend("majorize", 60, "majorize", starts=True))
    if kernel.a == 0:
        own = Descend("descend", 100 if by_kl else 200, small=200, starts=True)
        return (SHAPE, Descend("kl", 60, divergence=kl), own) if by_kl else (SHAPE, own)
    stages = (EVEN_SHAPE, *growing_tail(kernel, kl), *([Descend("kl", 40, divergence=kl)] if by_kl else []))
    few = SLOWEST_SMALL if by_kl else SLOW_TAIL_SMALL if kernel.a > kernel.b else WHOLE_TAIL_SMALL
    lull = SLOW / 3 if by_kl else SLOW
    return (*stages, Descend("descend", WHOLE_TAIL, small=few, starts=True, lull=lull))


def early_exaggeration(optimizer: str) -> tuple[Stage, ...]:
    """Return the classical schedule of neighbor embedding: exaggeration 12, 6, 3, 2, 1."""
    stages = (Descend(f"exaggeration x {a}", 40, optimizer, exaggeration=float(a)) for a in (12, 6, 3, 2))
    return (SHAPE, *stages, Descend("descend", 250, optimizer))
