"""Frames: one drawing at several times, which a page plays.

>>> frames = Frames(("one", "two"), np.array([[[0.0, 0.0]], [[1.0, 0.0]]]), np.ones((2, 3), bool))
>>> frames.fitted()[:, 0].tolist()
[[-1.0, 0.0], [1.0, 0.0]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.pictures.pages.packed import packed

__all__ = ["Frames"]


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The nodes and edges of a page at T times, all in one frame.

    names  (T) what each time is called
    Y      (T, n, 2) places of the page's nodes, NaN where a node is not there
    edges  (T, m) whether each of the page's edges is there
    """

    names: Sequence[str]
    Y: np.ndarray
    edges: np.ndarray

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return 4 * self.Y.size + self.edges.size // 8

    def fitted(self) -> np.ndarray:
        """(T, n, 2) places with the middle of the box of all times at 0 and its longer side from -1 to 1, float32."""
        there = self.Y[~np.isnan(self.Y[..., 0])]
        if not len(there):
            return self.Y.astype(np.float32)
        low, high = there.min(axis=0), there.max(axis=0)
        half = float((high / 2 - low / 2).max())
        return ((self.Y - (low / 2 + high / 2)) / (half if half > 0 else 1.0)).astype(np.float32)

    def held(self, order: np.ndarray) -> dict[str, Any]:
        """The frames as the data of a page, whose edges stand in the order ``order`` (m,)."""
        bits = np.packbits(self.edges[:, order], axis=1, bitorder="little")
        return {"names": list(self.names), "xy": packed(self.fitted()), "edges": packed(bits)}
