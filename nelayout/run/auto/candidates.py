"""Candidates: the drawings from light to heavy tails of which the method "auto" keeps the best."""

from __future__ import annotations

from functools import cached_property

from scipy.sparse import csr_array

from nelayout.numerics.parallel import Threads
from nelayout.run.auto.verdict import Judge
from nelayout.run.state import Drawing
from nelayout.stages import LARGE_GRAPH

__all__ = ["Candidates"]

# A candidate whose score is below this part of the best so far ends the search: the next would go further in the same
# direction.  On large graphs, where a candidate costs seconds, one must be so much better to go on.
WORSE, HARDLY_BETTER = 0.95, 1.05


class Candidates:
    """The judged drawings of one component; ``best`` is None as long as there are none."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        self.P, self.threads = P, threads
        self.goal = WORSE if P.shape[0] <= LARGE_GRAPH else HARDLY_BETTER
        self.best: Drawing | None = None
        self.score = 0.0

    @cached_property
    def judge(self) -> Judge:
        """The judge of all candidates; its sample is drawn when the first one comes."""
        return Judge(self.P, self.threads)

    def add(self, drawing: Drawing) -> bool:
        """Judge a drawing and keep it if it is the best; whether the search goes on."""
        score, before = self.judge.score(drawing.Y), self.score
        if self.best is None or score > before:
            self.best, self.score = drawing, score
        return score >= before * self.goal
