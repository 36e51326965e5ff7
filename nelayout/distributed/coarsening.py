"""Coarsening on workers: matched nodes merge, until a graph fits one machine.

`nelayout.run.coarsen` matches nodes, and the workers compute the favorite neighbors.  A choice depends only on weights,
masses, tickets and masks, so the clusters are the same for any number of workers.  Merged rows are numbered in the
order of their members.  Merging never joins two components: the last level has the components of all levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.distributed.blocks import Cut, assemble, block_count, cut_points, stored, write_piece
from nelayout.distributed.reading import remove
from nelayout.distributed.team import Team
from nelayout.distributed.workers import Form, favorites
from nelayout.errors import Unsupported
from nelayout.run.coarsen import COARSEST, MAX_KEPT, matched

__all__ = ["Level", "alone", "coarsened", "renumbered"]

# Maximum number of entries of a graph in this process.
MAX_LOCAL_ENTRIES = 1 << 27


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A graph in blocks.

    mass, other       (n,) masses of its nodes, and other masses that "auto" tries; None: no other masses
    degree, strength  (n,) number and sum of the weights of each row
    cluster           (n,) node of the next coarser level; empty on the last
    """

    cut: Cut
    mass: np.ndarray
    other: np.ndarray | None
    degree: np.ndarray
    strength: np.ndarray
    cluster: np.ndarray

    @classmethod
    def of(cls, cut: Cut, mass: np.ndarray, other: np.ndarray | None, cluster: np.ndarray | None = None) -> Level:
        """Make a level, with degrees and strengths from its blocks."""
        cluster = np.zeros(0, dtype=np.int64) if cluster is None else cluster
        return cls(cut, mass, other, cut.gathered("degree"), cut.gathered("strength"), cluster)


def coarsened(
    team: Team, cut: Cut, mass: np.ndarray, other: np.ndarray | None, rng: np.random.Generator,
    fits: Callable[[int, int], bool], once: Callable[[str, Callable[[], Any]], Any],
) -> list[Level]:  # fmt: skip
    """Return levels from the finest to one that ``fits`` (nodes, entries) or cannot shrink.

    ``once``: stores the result of each level under a name, see `blocks.Journal`.
    """
    levels, degree = list[Level](), cut.gathered("degree")
    while not fits(cut.n, int(degree.sum())) and cut.n > COARSEST:
        number = len(levels)
        cluster: np.ndarray = once(f"clusters-{cut.name}", partial(_clusters, team, cut, mass, degree, rng))
        n = int(cluster.max(initial=-1)) + 1
        if n > MAX_KEPT * cut.n:
            break
        levels.append(Level.of(cut, mass, other, cluster))
        mass = np.bincount(cluster, mass, minlength=n)
        other = None if other is None else np.bincount(cluster, other, minlength=n)
        coarse = once(f"merged-{number + 1}", partial(_merged, team, cut, cluster, f"level-{number + 1}"))
        cut, degree = coarse, coarse.gathered("degree")
    return [*levels, Level.of(cut, mass, other)]


def _clusters(team: Team, cut: Cut, mass: np.ndarray, degree: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the cluster of each node, (n,)."""
    path = cut.folder / f"match-{cut.name}.npz"
    with stored(path) as file:
        np.savez(file, mass=mass, tickets=rng.permutation(cut.n))
    team.pin(Form(f"match-{cut.name}", cut, path, matching=True))

    def asked(chooses: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        bits = np.packbits(chosen)

        def given(b: int) -> tuple[np.ndarray, np.ndarray]:
            return np.packbits(chooses[cut.bounds[b] : cut.bounds[b + 1]]), bits

        return np.concatenate(team.round("favorites", favorites, given), dtype=np.int64)

    cluster = matched(asked, mass, degree)
    path.unlink()
    return cluster


def _merged(team: Team, cut: Cut, cluster: np.ndarray, name: str) -> Cut:
    """Return the merged graph; most coarse rows are in the block of their first member."""
    n = int(cluster.max()) + 1
    first = np.full(n, cut.n, dtype=np.int64)
    np.minimum.at(first, cluster, np.arange(cut.n))
    bounds = np.searchsorted(np.maximum.accumulate(first), cut.bounds)
    return _rewritten(team, cut, Cut(cut.folder, name, bounds), cluster)


def alone(team: Team, level: Level, mask: np.ndarray, name: str) -> csr_array:
    """Return the weights between the nodes of a mask (n,), in this process."""
    entries = int(level.degree[mask].sum())
    if entries > MAX_LOCAL_ENTRIES:
        raise Unsupported(
            f"the graph must shrink until it fits one machine; merging ends at {np.count_nonzero(mask):,} nodes and "
            f"{entries // 2:,} edges, as nodes with very many neighbors do not merge. Leave out the largest hubs"
        )
    if mask.all():
        return level.cut.matrix()
    number = np.full(len(mask), -1, dtype=np.int64)
    number[mask] = np.arange(np.count_nonzero(mask))
    cut = renumbered(team, level.cut, number, name, level.degree)
    P = cut.matrix()
    cut.delete()
    return P


def renumbered(team: Team, cut: Cut, number: np.ndarray, name: str, degree: np.ndarray) -> Cut:
    """Return the blocks with new numbers (n,) of the nodes; nodes with -1 are left out.

    ``degree`` (n,): number of entries of each row.
    """
    kept = np.flatnonzero(number >= 0)
    order = np.empty(len(kept), dtype=np.int64)
    order[number[kept]] = degree[kept]
    bounds = cut_points(len(kept), block_count(int(order.sum())), order)
    return _rewritten(team, cut, Cut(cut.folder, name, bounds), number)


def _rewritten(team: Team, cut: Cut, into: Cut, number: np.ndarray) -> Cut:
    """Write the entries of a cut with new node numbers (n,) into the blocks of another."""
    path = cut.folder / f"{into.name}-numbers.npy"
    with stored(path) as file:
        np.save(file, number)
    pieces = [f"{into.name}-piece-{b}" for b in range(cut.count)]
    team.spread("split", split, [(cut, into, path, pieces[b], b) for b in range(cut.count)])
    team.spread("block", assemble, [(cut.folder, pieces, into, b) for b in range(into.count)])
    remove(cut.folder, pieces)
    path.unlink()
    return into


def split(cut: Cut, into: Cut, numbers: Path, piece: str, b: int) -> None:
    """Write the entries of a block under new numbers as a piece, without loops."""
    number = np.load(numbers, mmap_mode="r")
    indptr, cols, data = cut.block(b)
    rows = np.repeat(number[cut.bounds[b] : cut.bounds[b + 1]], np.diff(indptr))
    cols = number[cols]
    keep = (rows != cols) & (rows >= 0)
    write_piece(into.folder, piece, into.bounds, rows[keep], cols[keep], data[keep])
