"""The pieces of a drawing: each component with its input and its own drawing, and how they come together.

Components without places are packed side by side; those with places go back there, and newcomers stand beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.objective import Affinity
from nelayout.placing.orient import canonical
from nelayout.placing.packing import pack
from nelayout.run.component import Drawing
from nelayout.run.start import as_before, one_place, radius

__all__ = ["Part", "assemble"]


@dataclass
class Part:
    """A component on its way: where its nodes are in the graph, its input and its drawing."""

    nodes: np.ndarray
    affinity: Affinity
    start: np.ndarray | None
    fixed: np.ndarray | None
    drawing: Drawing | None = None

    @property
    def Y(self) -> np.ndarray:
        assert self.drawing is not None
        return self.drawing.Y


def assemble(
    parts: list[Part], start: np.ndarray | None, still: np.ndarray | None, shape: tuple[int, int], scale: float | None
) -> np.ndarray:
    """One drawing of the whole graph, (n, d), in the largest component's units.

    start  (n, d) places that the caller has given, NaN rows where there is none
    still  mask of the nodes that stay
    scale  the size of components whose places tell no size
    """
    Y = np.zeros(shape)
    if start is None:
        drawings = [canonical(part.Y, part.affinity.mass) for part in parts]
        drawings = pack(drawings) if len(drawings) > 1 else drawings
        for part, drawing in zip(parts, drawings, strict=True):
            Y[part.nodes] = drawing
        return Y
    placed = [part for part in parts if part.start is not None and not np.isnan(part.start).all()]
    for part in placed:
        if len(parts) == 1 and still is None:
            Y[part.nodes] = part.Y
            continue
        assert part.start is not None
        assert part.drawing is not None
        held = part.fixed if part.fixed is not None and part.fixed.any() else None
        if held is not None and not one_place(part.start[held]):
            Y[part.nodes] = part.drawing.before
        else:
            Y[part.nodes] = as_before(part.Y, part.start, held, scale)
    rest = [part for part in parts if all(part is not p for p in placed)]
    if rest:  # beside what has a place already
        own = [part.Y for part in rest]
        packed = pack(own) if len(own) > 1 else [canonical(own[0])]
        there = np.concatenate([part.nodes for part in placed]) if placed else np.array([], dtype=int)
        block = np.concatenate(packed)
        factor = radius(Y[there]) / max(radius(block), 1e-300) if len(there) and len(block) > 1 else 1.0
        factor *= (len(block) / max(len(there), 1)) ** (1 / Y.shape[1]) if len(there) else 1.0
        offset = np.zeros(Y.shape[1])
        if len(there):
            offset[0] = Y[there, 0].max() - factor * block[:, 0].min() + 0.3 * max(radius(Y[there]), 1e-12)
            offset[1:] = (Y[there].min(axis=0) + Y[there].max(axis=0))[1:] / 2
        for part, drawing in zip(rest, packed, strict=True):
            Y[part.nodes] = factor * drawing + offset
    return Y
