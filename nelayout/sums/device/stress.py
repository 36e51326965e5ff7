"""The stress of a drawing on a device: `nelayout.formula.potentials.stress` with PyTorch, in blocks of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from nelayout.formula.potentials import Pull
from nelayout.numerics.distances import Distances
from nelayout.numerics.pytorch import torch_module
from nelayout.sums.device.arrays import array_of

__all__ = ["DeviceStress"]


@dataclass(frozen=True, eq=False)
class DeviceStress:
    """The stress of one graph: f sigma, f ``factor``."""

    on: Any
    factor: float
    distances: Distances

    def at(self, Y: Any, mass: Any) -> Pull:
        """Return the pull at positions Y (n, d), see `Stress.at`."""
        here, goal = self.on.array(Y).tensor, self.distances
        a, b = here.new_empty(len(here)), here.new_empty(len(here))
        for block in self._blocks:
            squares = _squares(self._apart(here, block))
            weights, pulls = self._weights[:, block].to(here.dtype)
            a[block], b[block] = (pulls * squares.sqrt()).sum(dim=1), (weights * squares).sum(dim=1)
        whole, over = float(goal.squares.sum()), float(b.sum())
        by, scale = self.factor / whole if whole > 0 else 0.0, float(a.sum()) / over if over > 0 else 0.0
        forces, back = here.new_empty(here.shape[::-1]), here.new_zeros((here.shape[1], len(goal.pivots)))
        for block in self._blocks:
            apart = self._apart(here, block)
            weights, pulls = self._weights[:, block].to(here.dtype)
            apart *= scale * weights - pulls * _squares(apart).rsqrt()
            forces[:, block] = apart.sum(dim=2)
            back += apart.sum(dim=1)
        forces[:, self._pivots] -= back
        steep = 2.0 * by * scale
        cost = by * (scale * (scale * b - 2.0 * a) + self._squares)
        found = cost, steep * forces.T.contiguous(), 2.0 * steep * scale * self._pairs
        return Pull(*map(array_of, found))

    def _apart(self, here: Any, block: slice) -> Any:
        """Return (d, b, k) y_i - y_k of a block of nodes and all pivots."""
        columns = here.T
        return columns[:, block, None] - columns[:, None, self._pivots]

    @cached_property
    def _blocks(self) -> list[slice]:
        """Nodes whose pairs with pivots fit into the device's block."""
        n, step = len(self.distances.squares), max(1, self.on.block // max(1, len(self.distances.pivots)))
        return [slice(*ends) for ends in pairwise([*range(0, n, step), n])]

    @cached_property
    def _weights(self) -> Any:
        """(2, n, k) w and w D of each pair, in single precision."""
        given = np.require(self.distances.weights, requirements=("C", "W"))
        return torch_module().from_numpy(given).to(self.on.name)

    @cached_property
    def _pivots(self) -> Any:
        return self.on.array(self.distances.pivots).tensor

    @cached_property
    def _squares(self) -> Any:
        return self.on.array(self.distances.squares).tensor

    @cached_property
    def _pairs(self) -> Any:
        """(n,) sums of the weights of the pairs of each node."""
        weights = self.distances.weights[0]
        sums = weights.sum(axis=1, dtype=float)
        sums[self.distances.pivots] += weights.sum(axis=0, dtype=float)
        return self.on.array(sums).tensor


def _squares(apart: Any) -> Any:
    """Return squared lengths of (d, b, k), more than 0."""
    return apart.square().sum(dim=0).clamp(min=torch_module().finfo(apart.dtype).tiny)
