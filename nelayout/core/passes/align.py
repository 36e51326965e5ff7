"""Aligned nodes: they have one coordinate in common, and the objective chooses it.

The free drawing is turned to where its nodes are nearest to their lines, unless something says what is up.  The mean of
each line is then its coordinate, and the objective descends on the lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import Radial
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.minimize import StoppingRule
from nelayout.core.passes.costs import radials_of
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.passes import Pass, resized
from nelayout.core.passes.ties import OnLines
from nelayout.core.placing.lines import lines_hold, on_lines, turned_to_lines

__all__ = ["ALIGN_STEPS", "Align", "aligned"]

# Most iterations on the lines, the parts of them between which the size is searched for, and the least fraction of the
# decrease of J for which they go on.
ALIGN_STEPS, PARTS, STALL = 200, 2, 1e-4


@dataclass(frozen=True, kw_only=True)
class Align(Pass):
    """Bring aligned nodes to their lines, and minimize the drawing's objective on these."""

    def loops(self, method: Method) -> Iterator[Radial | str]:
        yield from radials_of(method)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        line, drawing = drawing.part.lines, aligned(drawing)
        assert line is not None
        if not self.steps:
            return drawing
        objective = run.objective(drawing, drawing.method or run.method, drawing.exaggeration)
        tied, rule, left = OnLines(objective, line), StoppingRule(stall=STALL), self.steps
        method = drawing.method
        for part in range(PARTS, 0, -1):
            drawing = replace(resized(replace(drawing, method=None), objective), method=method)
            steps = left // part
            report = run.report(drawing, self.name, tied.positions)
            x, _, reason = run.minimized(tied, drawing.Y, LBFGS(), steps, rule, report)
            drawing, left = replace(drawing, Y=on_lines(x, line), reason=reason), left - steps
        return drawing


def aligned(drawing: Drawing) -> Drawing:
    """Return a drawing with its nodes on their lines; one that has them there as it is."""
    part, Y = drawing.part, drawing.Y
    if part.lines is None or lines_hold(Y, part.lines):
        return drawing
    stands = part.placed or any(term.upright for term in part.affinity.terms)
    if Y.shape[1] == 2 and not stands:
        Y = turned_to_lines(Y, part.lines)
    return drawing.at(on_lines(Y, part.lines))
