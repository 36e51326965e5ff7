"""Layers: the caller fixes every node on one axis; nelayout draws the other axes.

The layers of a bipartite graph are two numbers of x, without the unit of a method.  Under most objectives J is least
if all layers coincide.  So their unit comes from the drawing of the graph without layers.  This drawing is turned until
its nodes follow the order of the layers best.  The layers become as wide as this drawing.

On a drawn axis a node can hardly pass another one, so the initial positions decide the order.  nelayout compares three:
the caller's, the free drawing, and a drawing of the graph on the free axes alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Objective
from nelayout.core.optimizers.size import size_search, spread_search
from nelayout.core.passes.costs import Cost, CostModel
from nelayout.core.passes.drawing import Drawing, Part, Run
from nelayout.core.passes.ordering import in_order
from nelayout.core.passes.passes import BestOf, Candidate, Descent, Pass, fold, passes_within
from nelayout.core.passes.placement import centered, centered_start, stir_flat
from nelayout.core.placing.components import component_labels
from nelayout.core.placing.orient import transform

__all__ = ["MAX_COUNTED_EDGES", "Layers"]

# Power of the distance.  Edges between layers end where similarity falls as fast as this power.  Beyond it, all
# relevant neighbors are in a node's own layer.
# see tuning: STEEP
STEEP = 5.0
# Edges up to which the drawing with fewest crossings is kept, else the one with the least J.
# see tuning: MAX_COUNTED_EDGES
MAX_COUNTED_EDGES = 4000


@dataclass(frozen=True, kw_only=True)
class Layers(Pass):
    """Choose the unit of the layers and the initial positions on the free axes.

    compared  the iterations after which initial positions are compared
    free      the passes that draw the graph without layers
    across    the passes that draw the graph on the free axes alone
    """

    compared: Descent
    free: tuple[Pass, ...]
    across: tuple[Pass, ...]

    def cost(self, model: CostModel) -> Cost:
        return sum((each.cost(model) for each in self._inner), super().cost(model))

    def loops(self, method: Method) -> Iterator[Radial | str]:
        for each in self._inner:
            yield from each.loops(method)

    @property
    def _inner(self) -> list[Pass]:
        return [each for _, each in passes_within((*self.free, *self.across))]

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        method = drawing.method or run.method.during(self.compared.stage)
        drawing, branches = replace(drawing, method=method), []
        for number, Y in enumerate(self._initial(drawing.part, run.objective(drawing, method), run), 1):
            step = replace(self.compared, name=f"start {number}: {self.compared.name}")
            branches.append(Candidate(passes=(step,), start=drawing.at(Y)))
        few = drawing.Y.shape[1] == 2 and drawing.part.seen_edges.nnz <= 2 * MAX_COUNTED_EDGES
        return BestOf(name=self.name, branches=tuple(branches), by="crossings" if few else "J")(drawing, run)

    def _initial(self, part: Part, objective: Objective, run: Run) -> Iterator[np.ndarray]:
        """Yield positions (n, d) with fixed layers, in the method's unit; free axes differ."""
        assert part.fixed is not None
        assert part.start is not None
        given, held = centered_start(part.start)[0], part.layers
        joined = component_labels(part.affinity.P).max() == 0  # coarse levels of several components part without end

        def drawn(passes: tuple[Pass, ...], dim: int, rng: np.random.Generator) -> np.ndarray:
            observer = run.observer.silent_copy(lambda: False)
            unseen = replace(run, dim=dim, rng=rng, observer=observer, notes=[])
            return centered(fold(passes, Drawing.of(Part(part.nodes, part.affinity), dim), unseen).Y)

        # The distance of the layers must not depend on the seed, so that a good drawing stays: this seed is constant.
        free = drawn(self.free, run.dim, np.random.default_rng(0)) if joined else given * size_search(objective, given)
        free = _turned(free, given, held)
        there, wanted = (_edge_length(part.affinity.P, Y[:, held]) for Y in (given, free))
        kernel = objective.kernel  # similarity falls as the power STEEP at a distance, or never
        excess = 2.0 * kernel.b - STEEP * kernel.a
        wanted = min(wanted, math.sqrt(STEEP * kernel.c / excess) if excess > 0 < kernel.c else math.inf)
        unit = wanted / there if there > 0 < wanted else 1.0
        columns_of, all_free = [given[:, ~held] * unit], not part.fixed[:, ~held].any()
        if joined and all_free:
            columns_of += [free[:, ~held], drawn(self.across, int(np.count_nonzero(~held)), run.rng)]
            if held.sum() == 1 and len(held) == 2:
                ordered = in_order(part.seen_edges, given[:, held][:, 0], free[:, ~held][:, 0])
                columns_of.append(ordered[:, None])
        for columns in columns_of:
            Y = given * unit
            # J is the same for mirror images: take the one nearer to the caller's positions.
            Y[:, ~held] = np.where(np.sum(columns * given[:, ~held], axis=0) < 0, -columns, columns)
            Y = stir_flat(Y, part.free, run.rng)
            if all_free:
                Y[:, ~held] = centered(Y[:, ~held])
                Y[:, ~held] *= spread_search(objective, Y, np.broadcast_to(~held, Y.shape))
            yield Y


def _edge_length(P: csr_array, Y: np.ndarray) -> float:
    """Return the mean length of the edges in a drawing Y (n, h)."""
    apart = np.repeat(Y, np.diff(P.indptr), axis=0) - Y[P.indices]
    return float(np.mean(np.sqrt(np.sum(apart * apart, axis=1))))


def _turned(free: np.ndarray, given: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return a centered drawing (n, d) turned so that its held axes match the layers best."""
    squares = np.einsum("ia,ib->ab", free, free) / len(free)
    # In units of its spread, so that no long axis wins by chance.
    telling = np.einsum("ia,ab->ib", free, np.linalg.pinv(squares, hermitian=True))
    return transform(free, telling, np.where(held, given, 0.0), scale=False, reflect=False)
