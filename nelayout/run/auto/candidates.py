"""Candidates: the drawings, from light to heavy tails and with other masses, of which "auto" keeps the best."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from scipy.sparse import csr_array

from nelayout.catalogue.stages import LARGE_GRAPH, Descend
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.run.auto.masses import is_crowded
from nelayout.run.auto.verdict import PARTED, Judge
from nelayout.run.state import Drawing

__all__ = ["Candidate", "Candidates"]

# A candidate whose score is below this part of the best so far ends the search: the next would go further in the same
# direction.  Of few nodes, up to those that are parted for the verdict, a score also differs by chance: usair97's falls
# by 4 to 6 % with the second or third tail for one seed in three, and is a fifth higher with the last.  On large
# graphs, where a candidate costs seconds, one must be so much better to go on.
WORSE, WORSE_OF_FEW, HARDLY_BETTER = 0.97, 0.9, 1.05
# On large graphs a heavier tail must also be so much better to be kept, where the best drawing so far keeps more than
# the second of its neighborhoods.  One that lets go of a few edges tears a mesh where the sample of nodes hardly ever
# looks: grids of 300 x 300 gained 0.2 % to 1 %, and knots of 3 to 12 crossings.  What is not flat has nothing to tear:
# 70,000 digits keep 0.28, gain 0.8 % to 1.5 %, and a class AUC of 0.81 in place of 0.71.
SEEN, FLAT = 1.02, 0.5
# A bent drawing must be so much better than the one it comes from: with 1.02, minnesota stays as it is, and the balance
# over 20 graphs is 0.001 lower. In crowded graphs, where all distances are short, maps and classes lost by a bend that
# gained less than the second (usairports2010's map R^2 0.48 -> 0.41, worldtrade's 0.42 -> 0.39).
BENT, BENT_CROWDED = 1.005, 1.06


class Candidate(NamedTuple):
    """A drawing, the stage that made it, and the similarities and masses that it was made for."""

    drawing: Drawing
    stage: Descend
    affinity: Affinity


class Candidates:
    """The judged drawings of one component; ``best`` is None as long as there are none."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        self.P, self.threads = P, threads
        few, large = P.shape[0] <= PARTED, P.shape[0] > LARGE_GRAPH
        self.goal, self.bar = (HARDLY_BETTER, SEEN) if large else (WORSE_OF_FEW if few else WORSE, 1.0)
        self.best: Candidate | None = None
        self.score = 0.0

    @cached_property
    def judge(self) -> Judge:
        """The judge of all candidates; its sample is drawn when the first one comes."""
        return Judge(self.P, self.threads)

    def add(self, candidate: Candidate) -> bool:
        """Judge a drawing and keep it if it is the best, of a large graph clearly so; whether the search goes on."""
        score, before = self.judge.score(candidate.drawing.Y), self.score
        if self.best is None or score > before * self._bar(score, candidate, self.best):
            self.best, self.score = candidate, score
        return score >= before * self.goal

    def _bar(self, score: float, candidate: Candidate, best: Candidate) -> float:
        """By how much a candidate must be better than the best so far."""
        heavier = candidate.affinity is best.affinity
        if not heavier or score > self.score * self.bar:
            return 1.0
        return self.bar if self.judge.neighborhoods.kept(best.drawing.Y) > FLAT else 1.0

    def prefer(self, other: Candidate) -> bool:
        """Take a bent drawing in place of the best, if it is better by what suits the graph; whether it is."""
        score = self.judge.score(other.drawing.Y)
        if score < (BENT_CROWDED if is_crowded(self.P) else BENT) * self.score:
            return False
        self.best, self.score = other, score
        return True
