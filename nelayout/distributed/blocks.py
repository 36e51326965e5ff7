"""Blocks: rows of a large symmetric matrix, cut by the size of the problem, in files.

A `Cut` has B blocks of consecutive rows.  Files store the data of a run.  Any worker can load any block at any time,
so a lost worker costs only the time to load its blocks.  Entries move between blocks in pieces.  A task sorts its
entries by target block and writes one piece.  Each block then reads its own range of every piece, sorts by row, column
and weight, and adds repeats.  So the files do not depend on the order of the tasks.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError
from nelayout.graphs.files import atomic

__all__ = ["Cut", "Journal", "StepKeeper", "assemble", "cut_points", "delete", "save", "stored", "write_piece"]

# Minimum number of blocks, and number of entries in a block.
MIN_BLOCKS, BLOCK_ENTRIES = 16, 1 << 21
# Two ends, the weight, and the direction of the entry: as in the input (1) or reversed (0).
ENTRY = np.dtype([("row", "<i8"), ("col", "<i8"), ("weight", "<f8"), ("given", "i1")])
NARROW = np.dtype([("row", "<i4"), ("col", "<i4"), ("weight", "<f4"), ("given", "i1")])
# Iterations between two stored states, and time between them relative to the time of storing.
STATE_STEPS, STATE_INTERVAL = 10, 20.0


def cut_points(n: int, entries: int, degree: np.ndarray | None = None, blocks: int = 0) -> np.ndarray:
    """Return first rows of blocks and the end, (B + 1,); ``degree`` (n,) balances the work.

    ``blocks``: their number; 0: chosen by the number of entries.
    """
    blocks = blocks or max(MIN_BLOCKS, -(-entries // BLOCK_ENTRIES))
    if degree is None:
        return np.linspace(0, n, blocks + 1).round().astype(np.int64)
    work = np.cumsum(degree + 1.0)
    cuts = np.searchsorted(work, np.linspace(0, work[-1] if n else 0, blocks + 1)[1:-1])
    return np.concatenate([[0], np.maximum.accumulate(cuts), [n]]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A matrix in blocks.

    folder, name  location of its files
    bounds        (B + 1,) first row of each block, and the end
    factor        of all weights: 1/2 for a symmetric matrix as input, because its entries count twice
    """

    folder: Path
    name: str
    bounds: np.ndarray
    factor: float = 1.0

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.bounds[-1])

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.bounds) - 1

    def file(self, b: int) -> Path:
        """Return the file of a block."""
        return self.folder / f"{self.name}-{b:04d}.npz"

    def gathered(self, field: str) -> np.ndarray:
        """Return "degree" or "strength" (sum of weights) of the rows, (n,)."""
        found = np.concatenate([np.load(self.file(b))[field] for b in range(self.count)])
        return found * self.factor if field == "strength" else found

    def block(self, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return indptr, columns and weights of a block's rows."""
        with np.load(self.file(b)) as file:
            indptr = np.concatenate([[0], np.cumsum(file["degree"], dtype=np.int64)])
            data = file["data"]
            return indptr, file["cols"], data if self.factor == 1.0 else (data * self.factor).astype(np.float32)

    def matrix(self) -> csr_array:
        """Return the whole matrix, in this process."""
        starts, cols, data = zip(*map(self.block, range(self.count)), strict=True)
        indptr = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(each) for each in starts]))])
        parts = np.concatenate(data).astype(np.float64), np.concatenate(cols).astype(np.int32), indptr.astype(np.int32)
        return csr_array(parts, shape=(self.n, self.n))


@contextmanager
def stored(path: Path) -> Iterator[BinaryIO]:
    """Write a file completely or not at all."""
    try:
        with atomic(path) as beside, beside.open("wb") as file:
            yield file
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else error
        raise InputError(
            f"{path.parent} must have room for the files of a run; got {said} at {path.name}. "
            "Free some space, or give another folder as checkpoint="
        ) from None


def save(path: Path, array: Any = None, **arrays: Any) -> None:
    """Store an array (npy), or several arrays by their names (npz)."""
    with stored(path) as file:
        if array is None:
            np.savez(file, **arrays)
        else:
            np.save(file, array)


def delete(folder: Path, *patterns: str) -> None:
    """Remove all files with such names."""
    for pattern in patterns:
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)


def write_piece(
    folder: Path, name: str, bounds: np.ndarray, rows: np.ndarray, cols: np.ndarray, weights: np.ndarray, given: Any = 1
) -> None:
    """Write entries sorted by the block of their row, and the start of each block."""
    block = (np.searchsorted(bounds, rows, side="right") - 1).astype(np.uint16)
    order = np.argsort(block, kind="stable")
    entries = np.empty(len(rows), dtype=NARROW if bounds[-1] < 2**31 else ENTRY)
    entries["row"], entries["col"], entries["weight"] = rows[order], cols[order], weights[order]
    entries["given"] = given[order] if np.ndim(given) else given
    save(folder / f"{name}.entries.npy", entries)
    save(folder / f"{name}.starts.npy", np.searchsorted(block[order], np.arange(len(bounds))))


def assemble(folder: Path, pieces: Sequence[str], cut: Cut, b: int, ways: bool = False) -> tuple[int, bool]:
    """Read a block's entries from all pieces, sort and add them, and write the block.

    Return the number of entries, and (only with ``ways``) whether entries as given equal the reversed entries.
    """
    found = [np.zeros(0, dtype=NARROW if cut.n < 2**31 else ENTRY)]
    for name in pieces:
        starts = np.load(folder / f"{name}.starts.npy")
        if starts[b] < starts[b + 1]:
            found.append(np.load(folder / f"{name}.entries.npy", mmap_mode="r")[starts[b] : starts[b + 1]])
    entries = np.concatenate(found)
    del found
    low, m = int(cut.bounds[b]), int(cut.bounds[b + 1] - cut.bounds[b])
    key = (entries["row"].astype(np.int64) - low) * cut.n + entries["col"]
    weight, given = entries["weight"].astype(np.float64), entries["given"]
    del entries
    order = np.argsort(key, kind="stable")
    key, weight, given = key[order], weight[order], given[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    symmetric = True
    if len(first) < len(key):  # repeats are added in the order of their weights
        order = np.lexsort((weight, key))
        weight, given = weight[order], given[order]
        sums = np.add.reduceat(weight, first)
        if ways:
            forth = np.add.reduceat(np.where(given == 1, weight, 0.0), first)
            symmetric = bool((np.abs(2.0 * forth - sums) <= np.finfo(np.float32).eps * sums).all())
        key, weight = key[first], sums
    elif ways:
        symmetric = not len(key)
    rows = key // cut.n
    degree = np.bincount(rows, minlength=m).astype(np.int32)
    cols = (key - rows * cut.n).astype(np.int32 if cut.n < 2**31 else np.int64)
    strength = np.bincount(rows, weight, minlength=m)
    save(cut.file(b), degree=degree, cols=cols, data=weight.astype(np.float32), strength=strength)
    return len(key), symmetric


@dataclass(slots=True)
class StepKeeper:
    """A `nelayout.core.optimizers.minimize.Keeper` in a file, which takes little of the time."""

    path: Path
    next: int = STATE_STEPS
    ready: float = 0.0

    def load(self, to_device: Callable[[Any], Any]) -> Any:
        if not self.path.exists():
            return None
        return pickle.loads(self.path.read_bytes())  # noqa: S301  written by this package

    def store(self, steps: int, state: Any) -> None:
        began = time.monotonic()
        if steps < self.next or began < self.ready:
            return
        with stored(self.path) as file:
            pickle.dump(state, file, protocol=5)
        now = time.monotonic()
        self.next, self.ready = steps + STATE_STEPS, now + STATE_INTERVAL * (now - began)


@dataclass(frozen=True, slots=True)
class Journal:
    """Finished work of a run in its folder; ``keeps``: a repeated run continues from there."""

    folder: Path
    keeps: bool
    rng: np.random.Generator

    def keeper(self, name: str) -> StepKeeper | None:
        """Return the keeper of the descent of that name; None if nothing is stored."""
        return StepKeeper(self.folder / f"{name}.state") if self.keeps else None

    def once(self, name: str, work: Callable[[], Any]) -> Any:
        """Return the result of some work, from the folder if stored, and restore the random state."""
        path = self.folder / f"{name}.done"
        if self.keeps and path.exists():
            result, self.rng.bit_generator.state = pickle.loads(path.read_bytes())  # noqa: S301  written by this package
            return result
        result = work()
        if self.keeps:
            with stored(path) as file:
                pickle.dump((result, self.rng.bit_generator.state), file, protocol=5)
            delete(self.folder, f"{name}.state")
        return result
