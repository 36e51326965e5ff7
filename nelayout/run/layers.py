"""Layers: drawings with every node's place on one axis given; the other axes are drawn.

The layers of a bipartite graph are two numbers of x, which say nothing of the unit of a method: under most objectives J
is least where all layers fall together.  So their unit comes from the drawing of the graph without layers.  It is
turned until its nodes lie as much in the order of the layers as they can, and the layers become as wide as it is.

On an axis that is drawn, a node can hardly pass another one, so that the initial positions decide the order.  Three of
them are compared: the caller's, the free drawing, and a drawing of the graph on the free axes alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.formula.kernels import Kernel
from nelayout.objective import Objective
from nelayout.optimizers.size import size_search, spread_search
from nelayout.placing.components import component_labels
from nelayout.placing.similarity import transform
from nelayout.record.progress import Observer
from nelayout.run.drawing import Drawing, Part, Run
from nelayout.run.passes import Branch, Descent, Keep, Pass, fold
from nelayout.run.placement import centered_start, stir_flat

__all__ = ["Layers"]

# Power of the distance: an edge between layers is no longer than where similarity falls as fast as this power.  Beyond
# it, all neighbors that count are in a node's own layer.
STEEP = 5.0


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

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        method = run.method.during(self.compared)
        drawing = replace(drawing, methods=(method,))
        objective = run.objective(drawing, method)
        branches = []
        for number, Y in enumerate(self._initial(drawing.part, objective, run), 1):
            step = replace(self.compared, name=f"start {number}: {self.compared.name}")
            branches.append(Branch(passes=(step,), start=drawing.at(Y)))
        return Keep(name=self.name, branches=tuple(branches), by="J")(drawing, run)

    def _initial(self, part: Part, objective: Objective, run: Run) -> Iterator[np.ndarray]:
        """Yield positions (n, d) with the layers in place, in the method's unit; they differ on the free axes."""
        assert part.fixed is not None
        assert part.start is not None
        given, held = centered_start(part.start)[0], part.layers
        joined = component_labels(part.affinity.P).max() == 0  # coarse levels of several components part without end

        def drawn(passes: tuple[Pass, ...], dim: int, rng: np.random.Generator) -> np.ndarray:
            unseen = replace(run, dim=dim, rng=rng, observer=Observer(None), notes=[])
            return _centered(fold(passes, Drawing.of([Part(part.nodes, part.affinity)], dim), unseen).Y)

        # The layers are as far apart whatever the seed, so that a good drawing stays: its seed is always the same.
        free = drawn(self.free, run.dim, np.random.default_rng(0)) if joined else given * size_search(objective, given)
        free = _turned(free, given, held)
        there, wanted = (_edge_length(part.affinity.P, Y[:, held]) for Y in (given, free))
        wanted = min(wanted, _reach(objective.kernel))
        unit = wanted / there if there > 0 < wanted else 1.0
        columns_of, all_free = [given[:, ~held] * unit], not part.fixed[:, ~held].any()
        if joined and all_free:
            columns_of += [free[:, ~held], drawn(self.across, int(np.count_nonzero(~held)), run.rng)]
        for columns in columns_of:
            Y = given * unit
            # J is the same for mirror images: take the one nearer to the caller's positions.
            Y[:, ~held] = np.where(np.sum(columns * given[:, ~held], axis=0) < 0, -columns, columns)
            Y = stir_flat(Y, part.free, run.rng)
            if all_free:
                Y[:, ~held] = _centered(Y[:, ~held])
                Y[:, ~held] *= spread_search(objective, Y, np.broadcast_to(~held, Y.shape))
            yield Y


def _reach(kernel: Kernel) -> float:
    """The distance at which similarity falls as fast as the power `STEEP` of the distance; infinite if none is."""
    excess = 2.0 * kernel.b - STEEP * kernel.a
    return math.sqrt(STEEP * kernel.c / excess) if excess > 0 < kernel.c else math.inf


def _edge_length(P: csr_array, Y: np.ndarray) -> float:
    """The mean length of the edges in a drawing Y (n, h)."""
    apart = np.repeat(Y, np.diff(P.indptr), axis=0) - Y[P.indices]
    return float(np.mean(np.sqrt(np.sum(apart * apart, axis=1))))


def _turned(free: np.ndarray, given: np.ndarray, held: np.ndarray) -> np.ndarray:
    """A centered drawing (n, d) turned so that its places on the held axes tell most of the layers of each node."""
    squares = np.einsum("ia,ib->ab", free, free) / len(free)
    # In units of its spread, so that no long axis wins by chance.
    telling = np.einsum("ia,ab->ib", free, np.linalg.pinv(squares, hermitian=True))
    return transform(free, telling, np.where(held, given, 0.0), scale=False, reflect=False)


def _centered(Y: np.ndarray) -> np.ndarray:
    return Y - np.sum(Y, axis=0) / len(Y)
