"""Exact sums over the pairs within each graph of a stack: graphs that lie one after another do not act on each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.exact import BLOCK_PAIRS, TABLE_PAIRS, TASK_PAIRS, PairTable, sums_within
from nelayout.sums.nbody.field import Field

__all__ = ["Islands"]


@dataclass(frozen=True)
class Islands:
    """Sums over all pairs of each graph in O(sum n^2) time: compiled, or by NumPy on (C, n, n) arrays of equal graphs."""

    parts: Parts
    threads: Threads = field(default_factory=Threads, compare=False)
    compiled: bool = False
    name: str = "islands"
    tolerance: float = 1e-12

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""
        if self.compiled:
            return tuple(sums_within(Y, charges, radials, self._within, self._tasks, self.threads))
        return self._by_tables(Y, charges, radials, lambda block, places: PairTable(places))

    def at(self, Y: np.ndarray) -> Islands | Tables:
        """Sums that look at the same places several times: tables of the pairs, where there are few."""
        few = float(np.sum(self.parts.sizes.astype(float) ** 2)) <= TABLE_PAIRS
        return Tables(self) if few and not self.compiled else self

    def _by_tables(
        self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...], table: Callable[[int, Any], PairTable]
    ) -> tuple[Field, ...]:
        answer = tuple(Field(np.empty(len(Y)), np.empty_like(Y)) for _ in radials)
        for k, nodes in enumerate(self._blocks):
            places = Y[nodes]
            found = table(k, places).fields(places, charges[nodes], radials)
            for each, own in zip(answer, found, strict=True):
                each.potential[nodes], each.force[nodes] = own.potential, own.force
        return answer

    @cached_property
    def _blocks(self) -> list[np.ndarray]:
        """Nodes (c, n) of equally large graphs that are summed together."""
        blocks, starts = [], self.parts.starts[:-1]
        for size in np.unique(self.parts.sizes).tolist():
            first = starts[self.parts.sizes == size]
            count = max(1, BLOCK_PAIRS // size**2)
            blocks += [
                first[k : k + count, None] + np.arange(size) for k in range(0, len(first), count)
            ]
        return blocks

    @cached_property
    def _within(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) first node of each node's graph, and the end of that graph."""
        starts, sizes = self.parts.starts, self.parts.sizes
        return np.repeat(starts[:-1], sizes), np.repeat(starts[1:], sizes)

    @cached_property
    def _tasks(self) -> list[tuple[int, int]]:
        """Ranges of nodes for the threads, with about as many pairs each."""
        low, high = self._within
        pairs = np.cumsum(high - low)
        cuts = np.unique(np.searchsorted(pairs, np.arange(0, pairs[-1], TASK_PAIRS))).tolist()
        return list(zip(cuts, [*cuts[1:], len(pairs)], strict=True))


class Tables:
    """The sums of `Islands` over the places that are asked for first."""

    def __init__(self, islands: Islands) -> None:
        self.islands, self.tables = islands, dict[int, PairTable]()

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""

        def table(block: int, places: np.ndarray) -> PairTable:
            return self.tables.get(block) or self.tables.setdefault(block, PairTable(places))

        return self.islands._by_tables(Y, charges, radials, table)
