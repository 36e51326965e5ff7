"""`Stage`: a part of a schedule; and the schedules that suit a kernel.

ws-SNE, for example, takes five stages: the global shape through coarse graphs, four kernels whose tail grows from none
(a Gaussian) to nearly that of the Cauchy kernel, and then its own objective.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nelayout.divergences import Divergence, i_divergence
from nelayout.kernels import Kernel

__all__ = ["EVEN_SHAPE", "FINEST", "LARGE", "SHAPE", "SHAPE_TOL", "Stage", "annealed", "growing_tail", "recipe"]

# Nodes above which a graph counts as large.
LARGE = 10_000
# What a shape stage does not see of a large graph: levels with more than a fifth of its nodes.  A stage that draws
# neighbors takes them over in fewer steps.
FINEST = 1 / 5


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a schedule: which objective, by which optimizer, for how many steps.

    name       what traces and callbacks call it
    optimizer  a name from nelayout.optimizers
    max_iter   steps, at each level when ``levels``
    attraction factor on the edges (annealing)
    shape      > 0: minimize gamma-PolyLog of this power (2 is gamma-QuadLog) instead of the method's own objective;
               it has no local scale to get caught by, and finds the global shape
    levels     go through the coarsened graphs, coarsest first; else the graph itself only
    finest     whether going through the levels ends with the graph itself; else the next stage takes a large one over
               from levels of a fifth of its nodes
    unfold     with ``levels``: draw some coarse ones by s-SNE in place of the stage's own objective and steps, which
               parts the sheets of folded meshes: see `nelayout.run.levels`
    kernel     take this kernel in place of the method's own (continuation from light to heavy tails)
    divergence take this divergence in place of the method's own
    candidate  judge the drawing at the end of this stage; the best of all candidates is what is given back
    straight   the edges of road maps pull harder, so that roads lie straight: see `nelayout.run.component.road_pull`
    large      (steps, attraction) that take their places in graphs of more than 10,000 nodes
    tol        end the stage when the mean move of a node falls below this part of the drawing's radius
    """

    name: str
    optimizer: str
    max_iter: int
    attraction: float = 1.0
    shape: float = 0.0
    levels: bool = False
    finest: bool = True
    unfold: bool = False
    tol: float = 1e-4
    kernel: Kernel | None = None
    divergence: Divergence | None = None
    candidate: bool = False
    straight: bool = False
    large: tuple[int, float] | None = None

    def at(self, n: int, pull: float = 1.0) -> Stage:
        """The stage as a graph of n nodes is taken through it; ``pull`` is what keeps its roads straight."""
        steps, attraction = (self.max_iter, self.attraction) if self.large is None or n <= LARGE else self.large
        attraction *= pull if self.straight else 1.0
        return replace(self, max_iter=steps, attraction=attraction, straight=False, large=None)


# The mean move that ends a level of a shape stage, in typical distances: the next level goes on.
SHAPE_TOL = 0.1
SHAPE = Stage("shape", "majorize", 15, shape=2.0, levels=True, finest=False, tol=SHAPE_TOL)
# A higher power draws edges of more even length: roads and meshes come out closer to their maps (Procrustes R^2 of
# luxembourg: power 2 0.92, 3 0.95, 6 0.98), other graphs alike.
EVEN_SHAPE = replace(SHAPE, shape=6.0, unfold=True)


# How a tail is grown: parts of it, with the steps of each, and the steps with all of it.  Four parts end lower than
# two with as many steps, and better: on 70,000 digits J -4.98 and -4.89, class AUC 0.77 and 0.76.
TAILS = ((0.0, 40), (1 / 3, 20), (2 / 3, 30), (0.8, 30))
# In large graphs the edges pull harder meanwhile: what belongs together has far to go.  J of 70,000 digits -5.02 in
# place of -4.99, class AUC 0.80 and 0.78; neighborhood Jaccard of luxembourg under ws-SNE 0.88 and 0.80.
PULLS = ((40, 2.0), (40, 1.5), (40, 1.2), (40, 1.0))
WHOLE_TAIL = 80
# Steps of the I-divergence with the kernel itself before another divergence takes over.
BEFORE_OWN = 40


def growing_tail(kernel: Kernel, divergence: Divergence | None = None, auto: bool = False) -> tuple[Stage, ...]:
    """From the Gaussian with the same b up to the kernel, its own stage left out; ``auto``: as `"auto"` takes them."""
    return tuple(
        Stage(
            f"tail x {part:.2g}",
            "lbfgs",
            steps,
            kernel=Kernel(kernel.a * part, kernel.b, kernel.c)
            if part
            else Kernel(0.0, kernel.b / kernel.c, 1.0),
            divergence=divergence,
            candidate=auto,
            straight=auto,
            large=pull,
        )
        for (part, steps), pull in zip(TAILS, PULLS, strict=True)
    )


def recipe(kernel: Kernel, by_kl: bool = False) -> tuple[Stage, ...]:
    """The schedule of a kernel: the global shape through coarse graphs, then the method's own objective.

    A heavy-tailed kernel lets go of an edge that has become long and never takes it up again, which tears meshes.
    So its tail is grown: first the Gaussian of the same b, then parts of the tail, then the kernel itself.  ``by_kl``:
    the way there is the I-divergence's, which forgets no edge; divergences that give up neighbors end lower from
    there.
    """
    kl = i_divergence() if by_kl else None
    if kernel.singular:
        # Steps as cautious as these kernels ask for do not bring leaves back that the last coarse level left far out,
        # unless the shape is that of the kernel itself.
        shape = SHAPE if kernel.b / kernel.a == 1.0 else replace(SHAPE, finest=True)
        return (shape, Stage("majorize", "majorize", 60))
    if kernel.a == 0:
        own = Stage("descend", "lbfgs", 100 if by_kl else 200)
        return (SHAPE, Stage("kl", "lbfgs", 60, divergence=kl), own) if by_kl else (SHAPE, own)
    stages = (EVEN_SHAPE, *growing_tail(kernel, kl))
    if by_kl:
        stages = (*stages, Stage("kl", "lbfgs", BEFORE_OWN, divergence=kl))
    return (*stages, Stage("descend", "lbfgs", WHOLE_TAIL))


def annealed(optimizer: str) -> tuple[Stage, ...]:
    """The classical schedule of neighbor embedding: the edges pull 12, 6, 3, 2 times as hard before they pull alone."""
    stages = (Stage(f"attraction x {a}", optimizer, 40, attraction=float(a)) for a in (12, 6, 3, 2))
    return (SHAPE, *stages, Stage("descend", optimizer, 250))
