"""Schedules: the stages by which a method's objective is minimized, and the schedule that suits a kernel.

A stage is one of two kinds.  `CoarseToFine` goes through the levels of the coarsened graph and finds the shape of the
whole; `Descend` takes steps on the graph itself.  ws-SNE, for example, has six stages: one through the levels, four
descents with kernels whose tail grows from none (a Gaussian) to nearly that of the Cauchy kernel, and a descent on its
own objective.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

from nelayout.errors import InputError, unknown
from nelayout.formula.divergences import Divergence, divergence_named, i_divergence
from nelayout.formula.kernels import Kernel, kernel_named

__all__ = [
    "EVEN_SHAPE",
    "FINEST",
    "LARGE_GRAPH",
    "OPTIMIZER_NAMES",
    "SHAPE",
    "SHAPE_TOL",
    "SLOW",
    "SLOW_TAIL_SMALL",
    "SMALL_GRAPH",
    "CoarseToFine",
    "Descend",
    "Stage",
    "early_exaggeration",
    "growing_tail",
    "optimizer_name",
    "recipe",
]

# Nodes above which a graph counts as large.
LARGE_GRAPH = 10_000
# On a large graph a `CoarseToFine` that is not `finest` stops at the level with this part of its nodes: the next stage,
# which draws neighbors, handles the finer levels in fewer steps.
FINEST = 1 / 5
# Nodes up to which a last stage has its steps for small graphs, where a step takes a millisecond.
SMALL_GRAPH = 2_000
# A last stage goes on from the lowest of several starts in graphs of more nodes than the first, which have few ways to
# lie, and of no more than the second: in larger ones random starts take longer than the way through the coarse levels,
# and seldom end below it.
FEWEST, SEVERAL_STARTS = 5, 200
# Names by which a stage calls its optimizer; `nelayout.optimizers` has the optimizers.
OPTIMIZER_NAMES = ("majorize", "momentum", "spectral-direction", "lbfgs")
# The move of a node, in typical distances between nodes, that ends a level: the next level goes on.
SHAPE_TOL = 0.1
# The part of all its decrease so far that a run of steps must bring in 10 of them: with less, it ends in a lull.
SLOW = 3e-4
# The part of J that the forces which are left at the end of a descent could still take away.  J of karate is then at
# its minimum to six digits under eight methods, with ten times as much to four; and with that a star of eight leaves
# rests as a square, which is a saddle.
BALANCED = 1e-4


@dataclass(frozen=True, slots=True)
class CoarseToFine:
    """A stage that goes through the coarsened graphs, the coarsest first.

    name       what traces and callbacks call it
    max_iter   most steps at each level
    power      minimize gamma-PolyLog of this power (2 is gamma-QuadLog), which has no local scale to get caught by and
               finds the global shape; None: the method's own objective
    finest     end with the graph itself; else the next stage takes over a large graph at a fifth of its nodes
    unfold     draw some coarse levels by s-SNE, which parts the layers of folded meshes, see `nelayout.run.levels`
    optimizer  a name from nelayout.optimizers
    tol        end a level when nodes move by less than this part of the typical distance between nodes
    """

    name: str
    max_iter: int
    power: float | None = None
    finest: bool = True
    unfold: bool = False
    optimizer: str = "majorize"
    tol: float = SHAPE_TOL

    def __post_init__(self) -> None:
        _check(self, "power")

    def as_descent(self) -> Descend:
        """The steps of one level, on the graph itself and the method's own objective: for drawings with a start."""
        return Descend(self.name, self.max_iter, self.optimizer)


@dataclass(frozen=True, slots=True)
class Descend:
    """A stage that takes steps of one optimizer on the graph itself.

    name          what traces and callbacks call it
    max_iter      most steps
    optimizer     a name from nelayout.optimizers
    exaggeration  factor on the attraction of all edges
    kernel        minimize with this kernel in place of the method's own (continuation from light to heavy tails); a
                  name or a Kernel
    divergence    minimize this divergence in place of the method's own; a name, a function f or a Divergence
    large         (max_iter, exaggeration) in their places in graphs of more than 10,000 nodes
    small         max_iter in its place in graphs of up to 2,000 nodes
    starts        try random starts beside the drawing of the stages before, in graphs of up to 200 nodes; the lowest
                  goes on, see `nelayout.run.several_starts`
    straight      exaggerate further in road maps, so that roads lie straight, see `nelayout.run.auto.roads`
    judged        judge the drawing at the end of this stage; the best of all judged drawings is given back
    tol           end when J would fall by less than this part of itself if all nodes went down the gradient by the
                  typical distance between nodes, see `nelayout.optimizers.minimize.Rest`
    lull          end when 10 steps bring less than this part of the decrease so far
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
    straight: bool = False
    judged: bool = False
    tol: float = BALANCED
    lull: float = SLOW

    def __post_init__(self) -> None:
        _check(self, "exaggeration")
        if self.kernel is not None:
            object.__setattr__(self, "kernel", kernel_named(self.kernel))
        if self.divergence is not None:
            object.__setattr__(self, "divergence", divergence_named(self.divergence))

    def at(self, n: int, road: float = 1.0) -> Descend:
        """The stage for a graph of n nodes; ``road``: the exaggeration that straightens its roads."""
        steps, factor = (self.max_iter, self.exaggeration) if self.large is None or n <= LARGE_GRAPH else self.large
        factor *= road if self.straight else 1.0
        steps = steps if self.small is None or n > SMALL_GRAPH else self.small
        starts = self.starts and FEWEST < n <= SEVERAL_STARTS
        return replace(self, max_iter=steps, exaggeration=factor, straight=False, large=None, small=None, starts=starts)


Stage = CoarseToFine | Descend


def _check(stage: Stage, factor: str) -> None:
    """InputError for numbers out of range, which name the field, and for optimizers that there are not."""
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
    """The name of an optimizer, whatever its spelling.

    >>> optimizer_name("L_BFGS")
    'lbfgs'
    """
    name = word.strip().lower().replace("_", "-")
    name = {"l-bfgs": "lbfgs", "mm": "majorize"}.get(name, name)
    if name not in OPTIMIZER_NAMES:
        raise unknown("optimizer", word, OPTIMIZER_NAMES)
    return name


SHAPE = CoarseToFine("shape", 15, power=2.0, finest=False)
# A higher power draws edges of more even length: roads and meshes come out closer to their maps (Procrustes R^2 of
# luxembourg: power 2 0.92, 3 0.95, 6 0.98), other graphs alike.
EVEN_SHAPE = replace(SHAPE, power=6.0, unfold=True)

# Parts of its tail with which a kernel is drawn on the way, and the most steps of each.  Four parts end lower than two
# with as many steps, and better: on 70,000 digits J -4.98 and -4.89, class AUC 0.77 and 0.76.
TAILS = ((0.0, 40), (1 / 3, 20), (2 / 3, 30), (0.8, 30))
# Steps and exaggerations of these parts in large graphs, where what belongs together has far to go.  J of 70,000 digits
# -5.02 in place of -4.99, class AUC 0.80 and 0.78; neighborhood Jaccard of luxembourg under ws-SNE 0.88 and 0.80.
LARGE_TAILS = ((40, 2.0), (40, 1.5), (40, 1.2), (40, 1.0))
# Most steps with the whole tail, and in small graphs.  Without a KL divergence 80 steps end 1 to 5 % above 240.
WHOLE_TAIL, WHOLE_TAIL_SMALL = 80, 240
# Steps on small graphs of tails heavier than Cauchy's, and of divergences that let go of edges: ft-SNE of karate by
# Jensen-Shannon and Hellinger is 1.0 and 0.5 % above the lowest known after 240, 0.5 and 0.3 % after 450.  Most of the
# latter rest before; reverse KL of dwt_1005 is at 1.36 after 480, at 1.24 after 960, where 60 more bring 0.3 %.
SLOW_TAIL_SMALL, SLOWEST_SMALL = 480, 960
# Most steps of the I-divergence with the kernel itself before another divergence takes over.
BEFORE_OWN = 40


def growing_tail(kernel: Kernel, divergence: Divergence | None = None, auto: bool = False) -> tuple[Descend, ...]:
    """Descents from the Gaussian of the same b towards a kernel, its own descent left out.

    ``auto``: their drawings are judged, and roads are straightened, as the method "auto" wants it.
    """
    return tuple(
        Descend(
            f"tail x {part:.2g}",
            steps,
            kernel=Kernel(kernel.a * part, kernel.b, kernel.c)
            if part
            else Kernel(0.0, kernel.b / kernel.c, 1.0),
            divergence=divergence,
            large=large,
            straight=auto,
            judged=auto,
        )
        for (part, steps), large in zip(TAILS, LARGE_TAILS, strict=True)
    )


def recipe(kernel: Kernel, by_kl: bool = False) -> tuple[Stage, ...]:
    """The schedule that suits a kernel: the global shape through coarse graphs, then the method's own objective.

    A heavy-tailed kernel lets go of an edge that has become long and never takes it up again, which tears meshes.
    So its tail is grown: first the Gaussian of the same b, then parts of the tail, then the kernel itself.  ``by_kl``:
    the stages before the last minimize the I-divergence, which lets go of no edge; divergences that give up neighbors
    end lower from there.
    """
    kl = i_divergence() if by_kl else None
    if kernel.singular:
        # The cautious steps of these kernels do not bring leaves back that the last coarse level left far out, unless
        # the shape is that of the kernel itself.
        shape = SHAPE if kernel.b / kernel.a == 1.0 else replace(SHAPE, finest=True)
        return (shape, Descend("majorize", 60, "majorize", starts=True))
    if kernel.a == 0:
        own = Descend("descend", 100 if by_kl else 200, small=200, starts=True)
        return (SHAPE, Descend("kl", 60, divergence=kl), own) if by_kl else (SHAPE, own)
    stages = (EVEN_SHAPE, *growing_tail(kernel, kl))
    if by_kl:
        stages = (*stages, Descend("kl", BEFORE_OWN, divergence=kl))
    few = SLOWEST_SMALL if by_kl else SLOW_TAIL_SMALL if kernel.a > kernel.b else WHOLE_TAIL_SMALL
    lull = SLOW / 3 if by_kl else SLOW
    return (*stages, Descend("descend", WHOLE_TAIL, small=few, starts=True, lull=lull))


def early_exaggeration(optimizer: str) -> tuple[Stage, ...]:
    """The classical schedule of neighbor embedding: exaggeration 12, 6, 3, 2, then none."""
    stages = (Descend(f"exaggeration x {a}", 40, optimizer, exaggeration=float(a)) for a in (12, 6, 3, 2))
    return (SHAPE, *stages, Descend("descend", 250, optimizer))
