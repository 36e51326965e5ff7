"""The stress of a drawing on a device, with PyTorch, in blocks of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from nelayout.core.formula.potentials.stress import Push, Stress
from nelayout.core.sums.device.arrays import array_of, torch

__all__ = ["DeviceStress"]


@dataclass(frozen=True, eq=False)
class DeviceStress(Stress):
    """The stress of one graph, with sums over pairs on the device ``on``."""

    on: Any = None

    def _sums(self, Y: Any, gradient: bool) -> tuple[tuple[Any, Any], Push]:
        """Return the same as `Stress._sums`, on the device."""
        here = self.on.array(Y).tensor
        (n, d), k = here.shape, len(self.distances.pivots)
        sums, back = here.new_empty(2 + 2 * d, n), here.new_zeros(2 * d, k)
        for block in self._blocks:
            apart = self._apart(here, block)
            weights, pulls = self._pair_weights[:, block].to(here.dtype)
            squares = _squares(apart)
            sums[0, block] = (pulls * squares.sqrt()).sum(dim=1)
            sums[1, block] = (weights * squares).sum(dim=1)
            if gradient:
                for at, factors in (0, weights), (d, pulls * squares.rsqrt()):
                    slopes = factors * apart
                    sums[2 + at : 2 + at + d, block] = slopes.sum(dim=2)
                    back[at : at + d] += slopes.sum(dim=1)
        if gradient:
            sums[2:, self._there] -= back

        def push(scale: Any) -> Any:
            return array_of(scale * sums[2 : 2 + d] - sums[2 + d :])

        return (array_of(sums[0]), array_of(sums[1])), push

    def _apart(self, here: Any, block: slice) -> Any:
        """Return (d, b, k) y_i - y_k of a block of nodes and all pivots."""
        columns = here.T
        return columns[:, block, None] - columns[:, None, self._there]

    @cached_property
    def _blocks(self) -> list[slice]:
        """Nodes with pairs that fit into the device's block."""
        n, step = len(self.distances.squares), max(1, self.on.block // max(1, len(self.distances.pivots)))
        return [slice(*ends) for ends in pairwise([*range(0, n, step), n])]

    @cached_property
    def _pair_weights(self) -> Any:
        """(2, n, k) w and w D of each pair, in single precision."""
        given = np.require(self.distances.weights, requirements=("C", "W"))
        return torch.from_numpy(given).to(self.on.name)

    @cached_property
    def _there(self) -> Any:
        """The pivots, on the device."""
        return self.on.array(self.distances.pivots).tensor

    @cached_property
    def _squares(self) -> Any:
        return self.on.array(super()._squares)

    @cached_property
    def _weights(self) -> Any:
        return self.on.array(super()._weights)


def _squares(apart: Any) -> Any:
    """Return squared lengths of (d, b, k), more than 0."""
    return apart.square().sum(dim=0).clamp(min=torch.finfo(apart.dtype).tiny)
