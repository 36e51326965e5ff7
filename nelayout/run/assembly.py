"""Assembly: the drawings of all components come together in one.

Components without a start are packed side by side; those with one go back there, and the others stand beside them.
"""

from __future__ import annotations

import numpy as np

from nelayout.placing.orient import canonical
from nelayout.placing.packing import pack
from nelayout.placing.stacking import stacked
from nelayout.run.layers import layer_axes
from nelayout.run.start import as_before, one_place, radius
from nelayout.run.state import Component

__all__ = ["assemble", "units_of"]

# Room between what has a place and what stands beside it, in radii of the former.
BESIDE = 0.3
# Difference of a component's two sizes, in parts of them, that is a rounding error.
ROUNDING = 1e-12


def assemble(
    components: list[Component],
    start: np.ndarray | None,
    fixed: np.ndarray | None,
    shape: tuple[int, int],
    scale: float | None,
) -> np.ndarray:
    """One drawing of the whole graph, (n, d), in the largest component's units.

    start  (n, d) positions that the caller has given, NaN rows where there is none
    fixed  (n, d) mask of the coordinates that stay
    scale  the size of components whose start tells no size, where no other start tells one
    """
    Y = np.zeros(shape)
    if start is None:
        turned: dict[int, np.ndarray] = {}  # equal components share one drawing
        for c in components:
            if id(c.drawing) not in turned:
                turned[id(c.drawing)] = canonical(c.drawing.Y, c.affinity.mass)
        drawings = [turned[id(c.drawing)] for c in components]
        drawings = pack(drawings) if len(drawings) > 1 else drawings
        for component, drawing in zip(components, drawings, strict=True):
            Y[component.nodes] = drawing
        return Y
    placed = [c for c in components if c.placed]
    sized = [c.start[~np.isnan(c.start[:, 0])] for c in placed if c.start is not None and not _in_one_place(c)]
    there = np.concatenate(sized) if sized else np.zeros((0, shape[1]))
    for component in placed:
        alone = len(components) == 1 and fixed is None
        size = radius(there) * (len(component.nodes) / len(there)) ** (1 / shape[1]) if len(there) else scale
        Y[component.nodes] = component.drawing.Y if alone else _back(component, size)
    _stack(placed, Y)
    rest = [c for c in components if not c.placed]
    if rest:
        there = np.concatenate([c.nodes for c in placed]) if placed else np.array([], dtype=int)
        for component, drawing in zip(rest, _beside(Y[there], rest), strict=True):
            Y[component.nodes] = drawing
    return Y


def _in_one_place(component: Component) -> bool:
    """Whether the nodes of a component that have a place share one."""
    assert component.start is not None
    return one_place(component.start[~np.isnan(component.start[:, 0])])


def _back(component: Component, scale: float | None) -> np.ndarray:
    """The component's drawing at the size and place of its start; it reaches ``scale`` where that tells no size."""
    assert component.start is not None
    fixed = component.fixed if component.fixed is not None and component.fixed.any() else None
    if fixed is not None and not one_place(component.start, fixed):
        return component.drawing.in_place
    return as_before(component.drawing.Y, component.start, fixed, scale)


def _stack(placed: list[Component], Y: np.ndarray) -> None:
    """Lay components that share their layers one behind the other in Y (n, d), at the size and place of all starts."""
    axes = [layer_axes(c) for c in placed]
    held = next((each for each in axes if each.any()), None)
    if held is None:
        return
    layered = [
        c
        for c, own in zip(placed, axes, strict=True)
        if np.array_equal(own, held) and c.fixed is not None and not c.fixed[:, ~held].any()
    ]
    if len(layered) < 2:
        return
    nodes = np.concatenate([c.nodes for c in layered])
    stack = np.concatenate(stacked([Y[c.nodes] for c in layered], held))[:, ~held]
    start = np.concatenate([c.start for c in layered if c.start is not None])[:, ~held]
    Y[np.ix_(nodes, np.flatnonzero(~held))] = as_before(stack, start, None, None)


def _beside(placed: np.ndarray, rest: list[Component]) -> list[np.ndarray]:
    """Components packed beside positions that have their place, at the size that their number of nodes asks for."""
    own = [c.drawing.Y for c in rest]
    packed = pack(own) if len(own) > 1 else [canonical(own[0])]
    if not len(placed):
        return packed
    block = np.concatenate(packed)
    factor = radius(placed) / max(radius(block), 1e-300) if len(block) > 1 else 1.0
    factor *= (len(block) / len(placed)) ** (1 / placed.shape[1])
    offset = (placed.min(axis=0) + placed.max(axis=0)) / 2
    offset[0] = placed[:, 0].max() - factor * block[:, 0].min() + BESIDE * max(radius(placed), 1e-12)
    return [factor * drawing + offset for drawing in packed]


def units_of(parts: list[Component], Y: np.ndarray) -> np.ndarray:
    """(C, d) how many times as large each component was drawn along each axis as it lies on the sheet Y (n, d)."""
    units = np.ones((len(parts), Y.shape[1]))
    if not parts:
        return units
    placed = [Y[part.nodes] for part in parts]
    units[:] = _ratios([part.drawing.Y for part in parts], placed)[:, None]
    for unit, part, there in zip(units, parts, placed, strict=True):
        if part.fixed is not None and (held := layer_axes(part)).any():
            for axes in (held, ~held):
                unit[axes] = _ratios([part.drawing.Y[:, axes]], [there[:, axes]])[0]
    return units


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _ratios(drawn: list[np.ndarray], placed: list[np.ndarray]) -> np.ndarray:
    """(C,) how many times as large components were drawn as they lie on the sheet; 1 for points."""
    ratio = np.array([*map(radius, drawn)]) / np.array([*map(radius, placed)])
    return np.where((np.abs(ratio - 1.0) > ROUNDING) & (ratio > 0) & (ratio < np.inf), ratio, 1.0)
