"""Exact sums over all pairs: NumPy in blocks for small work, else compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field

__all__ = ["Exact", "acting", "apart", "field_of", "itself", "sums_by_blocks", "sums_within"]

# Number of pairs in a block of the NumPy form, 96 KB.  Arrays from 128 KB on are often new pages of memory, and their
# first use may cost more than the sums.
BLOCK_PAIRS = 12_000
# Number of pairs in a task of the compiled form, about 0.4 ms.
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
        """Make it with these threads, compiled or not."""
        return cls(compiled, threads)

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        return tuple(self._compiled(Y, charges, radials) if self.compiled else sums_by_blocks(Y, charges, radials))

    def at(self, Y: np.ndarray) -> Exact | PairTable:
        """Return a backend for several sums at one Y: a table of pairs unless compiled."""
        return self if self.compiled else PairTable(Y)

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
    """Return potential and force of each radial function over pairs in ranges, compiled.

    within  two arrays (n,): node i feels nodes low_i to high_i, except itself
    tasks   ranges of nodes for the threads
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
    """Pairs of a small layout, with each radial function computed once for several sums."""

    def __init__(self, Y: np.ndarray) -> None:
        self.diffs, self.xi = apart(Y, 0, len(Y))
        self.known: dict[Radial, tuple[np.ndarray, np.ndarray]] = {}

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return the same as `Exact.fields`, for the positions Y of the table."""
        answer = []
        for radial in radials:
            if radial not in self.known:
                self.known[radial] = acting(radial, self.xi, 0)
            answer.append(field_of(*self.known[radial], charges, self.diffs, Y))
        return tuple(answer)


def apart(Y: np.ndarray, start: int, stop: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return differences by axis and squared distances (1 to itself) of rows start..stop."""
    columns = (Y[..., c] for c in range(Y.shape[-1]))
    diffs = [column[..., start:stop, None] - column[..., None, :] for column in columns]
    xi = diffs[0] * diffs[0]
    for diff in diffs[1:]:
        xi += diff * diff
    itself(xi, start)[...] = 1.0  # an arbitrary finite number
    return diffs, xi


def itself(pairs: np.ndarray, start: int) -> np.ndarray:
    """Return a view of the entries (node, itself), for rows from ``start`` on (..., rows, n)."""
    rows, n = pairs.shape[-2:]
    return pairs.reshape(*pairs.shape[:-2], rows * n)[..., start :: n + 1]


def acting(radial: Radial, xi: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Return values and slopes of a radial function; 0 from a node to itself."""
    value, slope = radial.value_and_slope(xi)
    itself(value, start)[...] = 0.0
    itself(slope, start)[...] = 0.0
    return value, slope


def field_of(
    value: np.ndarray, slope: np.ndarray, charges: np.ndarray, diffs: list[np.ndarray], Y: np.ndarray
) -> Field:
    """Return the field of charges with values and slopes (..., rows, n)."""
    several = value.ndim > 2
    potential = np.einsum("cij,cj->ci" if several else "ij,j->i", value, charges)
    force = np.empty_like(Y, shape=(*value.shape[:-1], Y.shape[-1]))
    slope = slope * (charges[..., None, :] if several else charges)
    for c, diff in enumerate(diffs):
        force[..., c] = 2.0 * np.einsum("cij,cij->ci" if several else "ij,ij->i", slope, diff)
    return Field(potential, force)


def sums_by_blocks(
    Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...], pairs: int = BLOCK_PAIRS
) -> list[Field]:
    """Return potential and force of each radial function by arrays, in blocks of ``pairs``."""
    n = len(Y)
    fields = [Field(np.empty_like(Y, shape=n), np.empty_like(Y)) for _ in radials]
    rows = max(1, pairs // max(n, 1))
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        diffs, xi = apart(Y, start, stop)
        for radial, whole in zip(radials, fields, strict=True):
            found = field_of(*acting(radial, xi, start), charges, diffs, Y)
            whole.potential[start:stop], whole.force[start:stop] = found.potential, found.force
    return fields
