"""Sums over edges by blocks on Dask workers, for the one objective.

In an `Objective`, workers take the role of a device.  Positions go out as float32; values, slopes and pulls come back.
The sums of blocks are added pairwise in the order of the blocks, so the bits do not depend on the workers.

Workers also add the near pairs of the mesh and interpolate its field, in slabs: ranges of rows of cells.  A message has
the nodes of a slab, one more row on each side, and its rows of the grid.  Potentials and forces come back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Affinity, Objective
from nelayout.core.passes.drawing import Summation
from nelayout.core.sums.edges.matrix import EdgeSums
from nelayout.core.sums.nbody import NBody
from nelayout.core.sums.nbody.grid import Grid
from nelayout.core.sums.nbody.mesh import Mesh, Sorted
from nelayout.distributed.blocks import Cut, save
from nelayout.distributed.worker_pool import WorkerPool
from nelayout.distributed.workers import BlockLayout, evaluate, of_rows
from nelayout.errors import Unsupported

__all__ = ["Blocks", "DaskBackend", "FloorSummation"]


@dataclass(frozen=True, eq=False)
class Blocks:
    """A matrix P in blocks on workers: ``scale`` times the weights of a cut.

    degree, strength  (n,) number and sum of the weights of each row
    """

    team: WorkerPool
    cut: Cut
    scale: float
    degree: np.ndarray
    strength: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (n, n)."""
        return self.cut.n, self.cut.n

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return int(np.sum(self.degree))

    def edges(self, mass: np.ndarray) -> FloorEdges:
        """Return sums in the simplest form."""
        return FloorEdges(self, mass, linear=True, by_rows=False, rows=None, spread=None)

    def around(self, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `Affinity.around`."""
        near = self.edges(mass).of_rows("around", None, None)
        return near, self.degree.astype(float), self.scale * self.strength


@dataclass(frozen=True)
class DaskBackend:
    """Workers in the role of an objective's device."""

    def array(self, x: Any) -> Any:
        """Return the array itself: vectors stay on this machine."""
        return x

    def edges(self, affinity: Affinity, linear: bool, **given: Any) -> FloorEdges:
        """Make the edge half of an objective."""
        return FloorEdges(affinity.P, affinity.mass, linear, **given)


class FloorEdges:
    """`Edges` in blocks on workers, with the functions that objectives and L-BFGS need."""

    def __init__(self, P: Any, mass: np.ndarray, linear: bool, *, by_rows: bool, rows: Any, spread: Any) -> None:
        assert rows is None
        self.P, self.mass, self.linear, self.by_rows, self.spread = P, mass, linear, by_rows, spread
        self.team, self.n, self.size = P.team, P.cut.n, P.nnz
        self.form: BlockLayout | None = None

    @property
    def weight(self) -> Any:
        """Sum of P, over the graph or each row."""
        return np.ones(self.n) if self.by_rows else float(np.add.reduce(self.P.scale * self.P.strength))

    def pin(self) -> None:
        """Load the blocks on the workers in the form of these sums."""
        if self.form is None:
            cut = self.P.cut
            arrays: dict[str, Any] = {"mass": self.mass, "scale": np.asarray(self.P.scale)}
            if self.by_rows:
                arrays["strength"] = self.P.strength
            if self.spread is not None:
                arrays["eps"], arrays["missing"] = np.asarray(self.spread.eps), np.asarray(self.spread.missing)
            digest = blake2b(" ".join(arrays).encode(), digest_size=8)
            for each in arrays.values():
                digest.update(np.ascontiguousarray(each).data)
            key = f"{cut.name}-{digest.hexdigest()}-{self.linear:d}{self.by_rows:d}"
            path = cut.folder / f"{key}.npz"
            if not path.exists():
                save(path, **arrays)
            self.form = BlockLayout(key, cut, path, self.linear, self.by_rows, self.P.scale)
        self.team.pin(self.form)

    def sums(self, Y: Any, kernel: Any, divergence: Any, lam: Any, want: frozenset[str]) -> EdgeSums:
        """See `Edges.sums`."""
        if "weights" in want:
            raise Unsupported("the attraction of every edge stays on the workers: use optimizer='lbfgs' or 'momentum'")
        self.pin()
        found = self.team.round("edges", evaluate, self._local(Y, lam), _said(kernel, divergence), want)
        value, slope, pull, attraction = zip(*found, strict=True)
        total: Any = np.concatenate if self.by_rows else folded
        pulls = np.concatenate(pull, dtype=np.float64) if "pull" in want else None
        return EdgeSums(
            total(value), total(slope), pulls, None, np.concatenate(attraction) if "attraction" in want else None
        )

    def constants(self, divergence: Any) -> np.ndarray:
        """See `Edges.constants`."""
        return self.of_rows("constants", None, divergence)

    def at_input(self, divergence: Any) -> np.ndarray:
        """See `Edges.at_input`."""
        return self.of_rows("at_input", None, divergence)

    def node_values(self, Y: Any, kernel: Any, divergence: Any, lam: Any) -> np.ndarray:
        """See `Edges.node_values`."""
        return self.of_rows("node_values", kernel, divergence, Y, lam)

    def of_rows(self, name: str, kernel: Any, divergence: Any, *placed: Any) -> np.ndarray:
        """Return a number for each row; see `workers.of_rows`.  ``placed``: Y and lambda."""
        self.pin()
        given = self._local(*placed) if placed else lambda _: None
        return np.concatenate(self.team.round(name, of_rows, given, name, _said(kernel, divergence)))

    def _local(self, Y: Any, lam: Any) -> Callable[[int], tuple[np.ndarray, Any]]:
        """Return a function from a block to positions and lambda (by rows: of each node)."""
        Z = np.asarray(Y, dtype=np.float32)

        def of_block(b: int) -> tuple[np.ndarray, Any]:
            own, halo = slice(*self.P.cut.bounds[b : b + 2]), self.team.halos[b]
            here = np.concatenate([Z[own], Z[halo]])
            return here, np.concatenate([lam[own], lam[halo]]) if self.by_rows else float(lam)

        return of_block


def folded(values: Sequence[Any]) -> Any:
    """Return the pairwise sum of values in order: equal bits for any number of workers."""
    while len(values) > 1:
        values = [sum(values[k + 1 : k + 2], values[k]) for k in range(0, len(values), 2)]
    return values[0]


def _said(kernel: Any, divergence: Any) -> bytes:
    from distributed.protocol.pickle import dumps

    return dumps((kernel, divergence))


@dataclass(frozen=True)
class FloorSummation(Summation):
    """Summation with edges on workers for graphs in blocks, else on this machine."""

    def objective(self, method: Method, affinity: Affinity, free: np.ndarray | None = None) -> Objective:
        """See `Summation.objective`."""
        if not isinstance(affinity.P, Blocks):
            return Summation.objective(self, method, affinity, free)
        parts = method.kernel, method.divergence, method.connection
        device: Any = DaskBackend()
        return Objective(
            affinity,
            *parts,
            _with_slabs(self.backend(len(affinity.mass), affinity.P.nnz), affinity.P, affinity.mass),
            self.threads,
            compiled=True,
            free=free,
            gravity=method.gravity,
            device=device,
        )


def _with_slabs(nbody: NBody, P: Blocks, mass: np.ndarray) -> NBody:
    """Return the backend with its mesh in slabs on the workers with the blocks."""
    from nelayout.core.sums.nbody.auto import Auto

    if isinstance(nbody, Auto):
        return replace(nbody, mesh=_with_slabs(nbody.mesh, P, mass))
    if not isinstance(nbody, Mesh):
        return nbody

    def pin() -> None:
        if P.team.blocks != P.cut.count:
            P.edges(mass).pin()

    return SlabMesh(nbody.threads, tolerance=nbody.tolerance, _spectra=nbody._spectra, team=P.team, pin=pin)


@dataclass(frozen=True, slots=True)
class SlabMesh(Mesh):
    """`Mesh` with as many slabs as the edges have blocks.

    pin  loads the blocks in any form: a worker takes the slabs with the numbers of its blocks
    """

    team: Any = None
    pin: Any = None

    def _local(
        self, X, Z, charges, radial: Radial, grid: Grid, values, lags, smooth, in_cells: Sorted | None, potential, force
    ) -> None:
        if in_cells is None:
            Mesh._local(self, X, Z, charges, radial, grid, values, lags, smooth, in_cells, potential, force)
            return
        from nelayout.core.sums.nbody import mesh_loops

        self.pin()
        slabs = _cut(in_cells, grid, values, self.team.blocks)
        found = self.team.round("slabs", local_sums, slabs.__getitem__, radial, grid.h, grid.cutoff, lags, smooth)
        potential[:], force[:] = 0.0, 0.0
        mesh_loops.add_back(in_cells.order, *np.concatenate(found, axis=1, dtype=np.float64), potential, force)


def _cut(nodes: Sorted, grid: Grid, values: np.ndarray, count: int) -> list[tuple[Any, ...]]:
    """Cut sorted nodes into slabs of about equal size, relative to their first grid points."""
    at_rows = nodes.starts[:: nodes.columns]
    cuts = np.searchsorted(at_rows, np.linspace(0, len(nodes.order), count + 1))
    cuts[0], cuts[-1] = 0, nodes.rows
    slabs = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        first, last = max(low - 1, 0), min(high + 1, nodes.rows)
        here = slice(at_rows[first], at_rows[last])
        starts = nodes.starts[first * nodes.columns : last * nodes.columns + 1] - at_rows[first]
        bottom, top = max(int(first * grid.steps) - 2, 0), int(last * grid.steps) + 5  # a spline has four points
        places = np.empty((3, len(nodes.X[here])), dtype=np.float32)
        np.subtract(nodes.X[here], grid.x0 + bottom * grid.h, out=places[0], casting="same_kind")
        np.subtract(nodes.Z[here], grid.y0, out=places[1], casting="same_kind")
        places[2] = nodes.charges[here]
        points = np.ascontiguousarray(values[bottom:top])
        slabs.append((places, points, starts, nodes.columns, low - first, high - first))
    return slabs


def local_sums(
    run: str, key: str, given: dict[int, Any], radial: Radial, h: float, cutoff: float, lags: Any, smooth: Any
) -> dict[int, np.ndarray]:
    """Return potential and force (3, m) of the nodes of each slab, in single precision."""
    from nelayout.core.sums.nbody import mesh_loops

    answer = {}
    for b, (places, values, starts, columns, low, high) in given.items():
        nodes = Sorted(starts, columns, np.zeros(0), *places.astype(float))
        n = places.shape[1]
        sums, potential, force = np.zeros((3, n)), np.zeros(n), np.zeros((n, 2))
        nodes.near_pairs(radial, cutoff, smooth, *sums)(low, high)
        begin, end = int(starts[low * columns]), int(starts[high * columns])
        mesh_loops.read(*nodes[3:], 0.0, 0.0, h, values, lags, begin, end, potential, force)
        sums[0] += potential
        sums[1:] += force.T
        answer[b] = sums[:, begin:end].astype(np.float32)
    return answer
