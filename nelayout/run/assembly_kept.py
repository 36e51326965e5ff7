"""Assembly of a drawing that stays itself: components lie over their starts, new ones in the room around them.

J sees no rotation and, where it is free of scale, no size, so each component is laid over its start by the similarity
transform that moves its nodes the least.
"""

from __future__ import annotations

import numpy as np

from nelayout.placing.orient import canonical
from nelayout.placing.packing import pack, pack_around
from nelayout.placing.similarity import transform
from nelayout.run.start import one_place, radius
from nelayout.run.state import Component

__all__ = ["assemble_kept"]

# How many times the room for a node may be that of the largest component, or a part of it, before a component's start
# is no word on its size: two old nodes among a hundred new ones tell none.
DIFFERENT = 2.0


def assemble_kept(components: list[Component], shape: tuple[int, int]) -> np.ndarray:
    """One drawing of the whole graph, (n, d), in the units of the components' starts."""
    Y = np.zeros(shape)
    placed = [c for c in components if c.placed]
    rest = [c for c in components if not c.placed]
    fresh = [canonical(c.drawing.Y, c.affinity.mass) for c in rest]
    if not placed:
        for component, drawing in zip(rest, pack(fresh), strict=True):
            Y[component.nodes] = drawing
        return Y
    sized = next((c for c in placed if _distinct(c)), None)
    room = None if sized is None else _room(_over_start(sized, None))
    there = [_over_start(c, None if c is sized else room) for c in placed]
    stays = [c.fixed is not None and bool(c.fixed.any()) and not c.rests for c in placed]
    there, around = pack_around(there, stays, fresh) if len(components) > 1 else (there, [])
    for component, drawing in zip([*placed, *rest], [*there, *around], strict=True):
        Y[component.nodes] = drawing
    return Y


def _over_start(component: Component, room: float | None) -> np.ndarray:
    """A component's drawing laid over its start; ``room``: the typical distance between nodes, where that is known."""
    start, Y = component.start, component.drawing.Y
    assert start is not None
    if component.rests:
        return start
    known = ~np.isnan(start[:, 0])
    there, fixed = known, component.fixed
    if fixed is not None and fixed.any():
        if not one_place(start, fixed):
            return component.drawing.in_place
        there = np.asarray(fixed.any(axis=1))
    over = transform(Y, Y[there], start[there], scale=_distinct(component), reflect=False)
    if room is None or not _room(Y) > 0 or (_distinct(component) and 1 / DIFFERENT < _room(over) / room < DIFFERENT):
        return over
    Y = Y * (room / _room(Y))
    return transform(Y, Y[there], start[there], scale=False, reflect=False)


def _distinct(component: Component) -> bool:
    """Whether the start of a component has a size."""
    assert component.start is not None
    known = component.start[~np.isnan(component.start[:, 0])]
    return not one_place(known)


def _room(Y: np.ndarray) -> float:
    """The typical distance between nodes: 0 of a point."""
    return radius(Y) / len(Y) ** (1.0 / Y.shape[1])
