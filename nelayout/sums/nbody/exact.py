"""Exact sums over all pairs: by NumPy in blocks for small work, by compiled loops on all cores for large."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field

__all__ = ["Exact", "PairTable", "sums_by_blocks", "sums_within"]

# Pairs that are held at once by the NumPy form, 96 KB: arrays from 128 KB on are often new pages of memory, whose first
# use may cost more than the sums.
BLOCK_PAIRS = 12_000
# Pairs up to which a table of them is kept between two sums over the same places.
TABLE_PAIRS = 40_000
# Pairs per task of the compiled form, about 0.4 ms.
TASK_PAIRS = 1 << 18


@dataclass(frozen=True, slots=True)
class Exact:
    """Sums of all pairs in O(n^2) time, by compiled loops (``compiled``) or by NumPy."""

    compiled: bool = False
    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "exact"
    tolerance: float = 1e-12

    @classmethod
    def on(cls, threads: Threads, compiled: bool) -> Exact:
        """Make it with these threads, in one of its two forms."""
        return cls(compiled, threads)

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""
        return tuple(self._compiled(Y, charges, radials) if self.compiled else sums_by_blocks(Y, charges, radials))

    def at(self, Y: np.ndarray) -> Exact | PairTable:
        """A table of the pairs where there are few, for several sums over the same places; else these very sums."""
        return self if self.compiled or len(Y) ** 2 > TABLE_PAIRS else PairTable(Y)

    def _compiled(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> list[Field]:
        n = len(Y)
        rows = max(1, TASK_PAIRS // max(n, 1))
        tasks = [(start, min(start + rows, n)) for start in range(0, n, rows)]
        everything = np.zeros(n, dtype=np.int64), np.full(n, n)
        return sums_within(Y, charges, radials, everything, tasks, self.threads)


def sums_within(
    Y: np.ndarray,
    charges: np.ndarray,
    radials: tuple[Radial, ...],
    within: tuple[np.ndarray, np.ndarray],
    tasks: list[tuple[int, int]],
    threads: Threads,
) -> list[Field]:
    """Potential and force of each radial function by compiled loops, of pairs within ranges of nodes.

    within  two arrays (n,): node i feels nodes low_i to high_i, but itself
    tasks   the nodes, in ranges for the threads
    """
    from nelayout.sums.nbody import pair_loops

    n, d = Y.shape
    points, own, answer = pair_loops.as_points(Y), np.arange(n), []
    for radial in radials:
        potential, force = np.empty(n), np.empty((3, n))

        def work(task: tuple[int, int], potential=potential, force=force, code=radial.code) -> None:
            key, *numbers = code
            add = pair_loops.pair_sums(*key)
            add(points, charges, *numbers, points, own, *within, *task, potential, force)

        threads.map(work, tasks)
        answer.append(Field(potential, np.ascontiguousarray(force[:d].T)))
    return answer


class PairTable:
    """The pairs of a small drawing with the values and slopes of radial functions, each taken once.

    NeRV of a grid of 64 nodes, which passes over them twice for each evaluation, takes 163 ms in place of 180.
    """

    def __init__(self, Y: np.ndarray) -> None:
        self.diffs, self.xi = _apart(Y, 0, len(Y))
        self.known: dict[Radial, tuple[np.ndarray, np.ndarray]] = {}

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """As `Exact.fields`, of the places Y that the table was made of."""
        answer = []
        for radial in radials:
            value, slope = self.known.get(radial) or self.known.setdefault(radial, _acting(radial, self.xi, 0))
            force, slope = np.empty_like(Y), slope * charges
            for c, diff in enumerate(self.diffs):
                force[:, c] = 2.0 * np.einsum("ij,ij->i", slope, diff)
            answer.append(Field(value @ charges, force))
        return tuple(answer)


def _apart(Y: np.ndarray, start: int, stop: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Differences of rows start..stop from all, by coordinates, and squared distances; 1 from a node to itself."""
    diffs = [column[start:stop, None] - column for column in Y.T]
    xi = diffs[0] * diffs[0]
    for diff in diffs[1:]:
        xi += diff * diff
    xi[np.arange(stop - start), np.arange(start, stop)] = 1.0  # any finite number will do
    return diffs, xi


def _acting(radial: Radial, xi: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and slopes of a radial function; 0 from a node to itself."""
    value, slope = radial.value_and_slope(xi)
    own = np.arange(len(xi)), np.arange(start, start + len(xi))
    value[own] = slope[own] = 0.0
    return value, slope


def sums_by_blocks(
    Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...], pairs: int = BLOCK_PAIRS
) -> list[Field]:
    """Potential and force of each radial function by whole arrays, in blocks of so many pairs."""
    n = len(Y)
    potentials = [np.empty_like(Y, shape=n) for _ in radials]
    forces = [np.empty_like(Y) for _ in radials]
    rows = max(1, pairs // max(n, 1))
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        diffs, xi = _apart(Y, start, stop)
        for radial, potential, force in zip(radials, potentials, forces, strict=True):
            value, slope = _acting(radial, xi, start)
            potential[start:stop] = np.einsum("ij,j->i", value, charges)
            slope *= charges
            for c, diff in enumerate(diffs):
                force[start:stop, c] = 2.0 * np.einsum("ij,ij->i", slope, diff)
    return [Field(p, f) for p, f in zip(potentials, forces, strict=True)]
