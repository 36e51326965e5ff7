"""Layers: drawings of which every node's place on one axis is given, and we draw the others.

The layers of a bipartite graph are two numbers of x, which say nothing of the unit of a method: under most objectives J
is lowest where all layers fall together.  So their unit comes from the drawing that the graph has without them: it is
turned until its nodes lie as much in the order of the layers as they can, and the layers are as wide then as it is;
under kernels with light tails they stay within reach, see `STEEP`.

On an axis that is left to us a node can hardly pass another one, so that the start decides the order.  Three starts
take some steps: the caller's, that free drawing, and a drawing of the graph on the free axes alone; the lowest goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import Descend
from nelayout.formula.kernels import Kernel
from nelayout.objective import Objective
from nelayout.optimizers.size import size_search, spread_search
from nelayout.placing.components import component_labels
from nelayout.placing.similarity import transform
from nelayout.record.progress import Observer
from nelayout.run.levels import method_of
from nelayout.run.several_starts import COMPARED, Way
from nelayout.run.start import frame, radius, stir_flat
from nelayout.run.state import Component, Drawing, Run

__all__ = ["descend_in_layers", "layer_axes"]


# An edge from layer to layer is no longer than where similarity falls as fast as this power of the distance (exp(-d^2)
# does so at d = 1.58, where it is 0.08): beyond, all neighbors that count are in a node's own layer, which is torn
# apart then.  A mesh of seven layers under JSE and alpha-SNE is left with half as many crossings and comes to rest.
STEEP = 5.0


# Take a component through all stages of a run.
Draw = Callable[[Component, Run], None]


def layer_axes(component: Component) -> np.ndarray:
    """(d,) mask of the axes on which every node is held, while some may move on another; none where it has no layers.

    >>> import types
    >>> layer_axes(types.SimpleNamespace(fixed=np.array([[True, False], [True, False]])))
    array([ True, False])
    """
    fixed = component.fixed
    return np.zeros(1, dtype=bool) if fixed is None or fixed.all() else np.asarray(fixed.all(axis=0))


def descend_in_layers(component: Component, stage: Descend, steps: int, run: Run, draw: Draw, descend: Way) -> None:
    """Take ``steps`` of a stage from the lowest of the starts of a component with layers.

    ``draw`` takes a component through all stages of a run, ``descend`` through one.
    """
    chosen = replace(run, tol=None)  # a tol of the caller's must not change which start goes on
    first, best, least = max(min(COMPARED, steps - 1), 0), component.drawing.Y, math.inf
    method = method_of(stage, run.method)
    objective = run.sums.objective(method, component.affinity, component.free)
    for number, Y in enumerate(_starts(component, objective, run, draw), 1):
        component.drawing = _placed(component, Y, method)
        run.observer.expect(first)
        descend(component, replace(stage, name=f"start {number}: {stage.name}"), first, chosen, True)
        value = objective.evaluate(component.drawing.Y, gradient=False).value
        if value < least or number == 1:
            best, least = component.drawing.Y, value
    component.drawing = _placed(component, best, method)
    descend(component, stage, steps, run, True)
    component.drawing = replace(_placed(component, component.drawing.Y, method), reason=component.drawing.reason)


def _starts(component: Component, objective: Objective, run: Run, draw: Draw) -> Iterator[np.ndarray]:
    """Positions (n, d) with the layers at their places, in the method's own unit; they differ on the free axes."""
    assert component.fixed is not None
    given, held = _given(component)[0], layer_axes(component)
    joined = component_labels(component.affinity.P).max() == 0  # coarse levels of several components part without end

    def drawn_freely(dim: int, rng: np.random.Generator) -> np.ndarray:
        alone = Component(component.nodes, component.affinity)
        unseen = replace(run, dim=dim, rng=rng, observer=Observer(None), notes=[])
        draw(alone, replace(unseen, optimizer=None, max_iter=None, tol=None))
        return _centered(alone.drawing.Y)

    # The layers are as far apart whatever the seed, so that a good drawing stays: this one has a seed of its own.
    free = drawn_freely(run.dim, np.random.default_rng(0)) if joined else given * size_search(objective, given)
    free = _turned(free, given, held)
    there, wanted = (_edge_length(component.affinity.P, Y[:, held]) for Y in (given, free))
    wanted = min(wanted, _reach(objective.kernel))
    unit = wanted / there if there > 0 < wanted else 1.0
    drawn, all_free = [given[:, ~held] * unit], not component.fixed[:, ~held].any()
    if joined and all_free:
        drawn += [free[:, ~held], drawn_freely(int(np.count_nonzero(~held)), run.rng)]
    for columns in drawn:
        Y = given * unit
        # J knows no mirror image: the one that is nearer to the caller's start is taken.
        Y[:, ~held] = np.where(np.sum(columns * given[:, ~held], axis=0) < 0, -columns, columns)
        Y = stir_flat(Y, component.free, run.rng)
        if all_free:
            Y[:, ~held] = _centered(Y[:, ~held])
            Y[:, ~held] *= spread_search(objective, Y, np.broadcast_to(~held, Y.shape))
        yield Y


def _placed(component: Component, Y: np.ndarray, method: Method) -> Drawing:
    """A drawing that knows the way back: to the layers, and to the size and place of the start on the other axes.

    A start that has no size on these, or nodes whose places there are given as well, leave them in the unit of the
    layers.
    """
    assert component.fixed is not None
    (given, middle, extent), held = _given(component), layer_axes(component)
    sizes = [radius(columns[:, axes]) for axes in (held, ~held) for columns in (Y, given)]
    unit = sizes[0] / sizes[1] if sizes[1] > 0 else 1.0
    fits = sizes[2] > 0 < sizes[3] and not component.fixed[:, ~held].any()
    size = np.where(held, unit, sizes[2] / sizes[3] if fits else unit) / extent
    shift = np.where(held | component.fixed.any(axis=0), 0.0, np.sum(Y, axis=0) / len(Y))
    return Drawing(Y, method, place=middle - shift / size, size=size)


def _reach(kernel: Kernel) -> float:
    """The distance at which similarity falls as fast as the power `STEEP` of the distance; infinite if it never does.

    >>> round(_reach(Kernel(0.0, 1.0, 1.0)) ** 2, 9)
    2.5
    >>> _reach(Kernel(1.0, 1.0, 1.0))
    inf
    """
    excess = 2.0 * kernel.b - STEEP * kernel.a
    return math.sqrt(STEEP * kernel.c / excess) if excess > 0 < kernel.c else math.inf


def _edge_length(P: csr_array, Y: np.ndarray) -> float:
    """The mean length of the edges in a drawing Y (n, h)."""
    apart = np.repeat(Y, np.diff(P.indptr), axis=0) - Y[P.indices]
    return float(np.mean(np.sqrt(np.sum(apart * apart, axis=1))))


def _turned(free: np.ndarray, given: np.ndarray, held: np.ndarray) -> np.ndarray:
    """A centered drawing (n, d) turned so that its places on the held axes tell most of the layers of each node."""
    squares = np.einsum("ia,ib->ab", free, free) / len(free)
    # In units of its own spread, so that no long axis wins by chance.
    telling = np.einsum("ia,ab->ib", free, np.linalg.pinv(squares, hermitian=True))
    return transform(free, telling, np.where(held, given, 0.0), scale=False, reflect=False)


def _given(component: Component) -> tuple[np.ndarray, np.ndarray, float]:
    """The start about its middle, in parts of its extent, with both: the reader's units may be of any magnitude."""
    assert component.start is not None
    middle, extent = frame(component.start)
    given = (component.start - middle) / extent
    mean = np.sum(given, axis=0) / len(given)
    return given - mean, middle + extent * mean, extent


def _centered(Y: np.ndarray) -> np.ndarray:
    return Y - np.sum(Y, axis=0) / len(Y)
