"""Tasks of the workers, which have blocks in memory and sum over their entries.

A block's nodes are its own rows first, then the halo: all other nodes in its entries.  With columns numbered in this
order a block is a small graph, and `nelayout.core.sums.edges.matrix.Edges` sums over it.  An edge pulls both its ends.
So for connections by rows, a block also has its reversed entries, with the similarities of the other end.

Blocks are in a table of the process, never among Dask's results, which may be moved or written to disk.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.formula.divergences.protocol import BackgroundShare
from nelayout.core.passes.coarsen import favorites_of
from nelayout.core.sums.edges.matrix import Edges
from nelayout.distributed.blocks import Cut
from nelayout.numerics.parallel import Threads

__all__ = ["Block", "BlockLayout", "Lost", "evaluate", "favorites", "forget", "hold", "of_rows"]


class Lost(RuntimeError):
    """A worker has left the scheduler, or does not have the blocks of its task."""


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Form of the blocks in memory.

    key      its name; a new form has a new name
    arrays   file of values of all nodes: mass, tickets, strength, eps, missing
    linear, by_rows, scale  of the sums, see `Edges`; similarities are ``scale`` times the weights
    matching whether the blocks are for favorite neighbors instead of sums
    """

    key: str
    cut: Cut
    arrays: Path
    linear: bool = True
    by_rows: bool = False
    scale: float = 1.0
    matching: bool = False


@dataclass(slots=True)
class Block:
    """A block in memory: rows ``low`` to ``low + m``, and the halo.

    entries      for matching: indptr, columns (j - low) modulo n, and weights
    edges, mass  for sums: the edges and the masses of all its nodes
    """

    low: int
    m: int
    halo: np.ndarray
    entries: Any = None
    edges: Any = None
    mass: Any = None


@dataclass(slots=True)
class WorkerBlocks:
    """Blocks of one worker in one form."""

    form: BlockLayout
    arrays: dict[str, np.ndarray]
    blocks: dict[int, Block] = field(default_factory=dict)


# Kernel and divergence from the driver: equal bytes give the same objects, as `Edges` needs.
law_of = lru_cache(8)(pickle.loads)
HELD: dict[tuple[str, str], WorkerBlocks] = {}


def _name() -> str:
    """Return the address of this worker; workers of one process share the table."""
    from distributed import get_worker

    return get_worker().address


def hold(run: str, form: BlockLayout, blocks: list[int]) -> dict[int, np.ndarray]:
    """Load blocks in a form, and drop all others; return the halo of each."""
    here = run, _name()
    before = HELD.pop(here, None)
    known = before.blocks if before is not None and before.form.key == form.key else {}
    del before
    with np.load(form.arrays) as file:
        arrays = {name: file[name] for name in file.files}
    held = WorkerBlocks(form, arrays if form.matching else {}, {b: known[b] for b in blocks if b in known})
    for b in blocks:
        if b not in held.blocks:
            held.blocks[b] = _loaded(form, arrays, b)
    HELD[here] = held
    return {b: held.blocks[b].halo for b in blocks}


def _loaded(form: BlockLayout, arrays: dict[str, np.ndarray], b: int) -> Block:
    """Load a block in a form."""
    indptr, cols, data = form.cut.block(b)
    low, high = int(form.cut.bounds[b]), int(form.cut.bounds[b + 1])
    m = high - low
    if form.matching:
        cols -= low
        cols[cols < 0] += form.cut.n
        return Block(low, m, np.zeros(0, dtype=cols.dtype), entries=(indptr, cols, data))
    inside = (cols >= low) & (cols < high)
    halo = np.unique(cols[~inside])
    indices = np.searchsorted(halo, cols).astype(np.int32)
    indices += m
    indices[inside] = cols[inside] - low

    def local(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values[low:high], values[halo]])

    size, mass = m + len(halo), local(arrays["mass"])
    data = (data * form.scale).astype(np.float32)
    indptr = np.concatenate([indptr, np.full(size - m, indptr[-1])])
    own: Any = csr_array((data, indices, indptr.astype(np.int32)), shape=(size, size))
    given: dict[str, Any] = {}
    if form.by_rows:
        back: Any = csr_array(own[:, m:].T)  # entries of the halo's rows, equal by symmetry
        starts = np.concatenate([np.zeros(m, back.indptr.dtype), back.indptr])
        own = csr_array(own + csr_array((back.data, back.indices, starts), shape=own.shape))
        own.sort_indices()
        rows = own.data / np.repeat(local(arrays["strength"]) * form.scale, np.diff(own.indptr))
        given = {"by_rows": True, "rows": np.maximum(rows, np.finfo(np.float32).tiny).astype(np.float32)}
    if "eps" in arrays:
        given["spread"] = BackgroundShare(*(local(x) if x.ndim else x[()] for x in (arrays["eps"], arrays["missing"])))
    own.indptr, own.indices = own.indptr.astype(np.int32), own.indices.astype(np.int32)
    return Block(low, m, halo, edges=Edges(own, mass, form.linear, Threads(), compiled=True, **given), mass=mass)


def _held(run: str, key: str) -> WorkerBlocks:
    held = HELD.get((run, _name()))
    if held is None or held.form.key != key:
        raise Lost(f"worker {_name()} does not hold the blocks of {key}")
    return held


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def evaluate(run: str, key: str, given: dict[int, Any], said: bytes, want: frozenset[str]) -> dict[int, Any]:
    """Return value, slope (by rows: of each row), pull and attraction of blocks.

    ``given``: for each block the positions of its nodes, and lambda (by rows: of each node).
    """
    held, answer = _held(run, key), {}
    for b, (Y, lam) in given.items():
        block = held.blocks[b]
        found = block.edges.sums(Y, *law_of(said), lam, want)
        rows = (None if x is None or not np.ndim(x) else x[: block.m] for x in (found.pull, found.attraction))
        value, slope = (x[: block.m] if np.ndim(x) else x for x in (found.value, found.slope))
        answer[b] = value, slope, *rows
    return answer


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def of_rows(run: str, key: str, given: dict[int, Any], name: str, said: bytes) -> dict[int, Any]:
    """Return a number for each row: "constants", "at_input", "node_values" or "around"."""
    held, answer = _held(run, key), {}
    kernel, divergence = law_of(said)
    for b, placed in given.items():
        block, edges = held.blocks[b], held.blocks[b].edges
        if name == "around":
            rows = np.repeat(np.arange(edges.n), np.diff(edges.indptr))
            found = np.bincount(rows, block.mass[edges.indices], minlength=edges.n)
        elif name == "node_values":
            found = edges.node_values(placed[0], kernel, divergence, placed[1])
        else:
            found = getattr(edges, name)(divergence)
            vars(edges).pop("measure", None)  # eight bytes per entry, not needed in iterations
        answer[b] = found[: block.m]
    return answer


def favorites(run: str, key: str, given: dict[int, Any]) -> dict[int, Any]:
    """Return the favorite chosen neighbor of each row of the blocks that chooses, or -1.

    ``given``: for each block two masks in bits, of its rows that choose and of all nodes that may be chosen.
    """
    held, answer = _held(run, key), {}
    n, (mass, tickets) = held.form.cut.n, (held.arrays[name] for name in ("mass", "tickets"))
    for b, (chooses, chosen) in given.items():
        block = held.blocks[b]
        turned = (np.roll(x, -block.low) for x in (mass, tickets))
        own, all_of = (
            np.unpackbits(bits, count=count).astype(bool) for bits, count in ((chooses, block.m), (chosen, n))
        )
        choice = favorites_of(*block.entries, *turned)(own, np.roll(all_of, -block.low))
        choice = np.where(choice < 0, -1, (choice + block.low) % n)
        answer[b] = choice.astype(np.int32 if n < 2**31 else np.int64)
    return answer


def forget(run: str) -> None:
    """Drop all data of a run in this process."""
    for key in [key for key in HELD if key[0] == run]:
        del HELD[key]
