"""How long a drawing will take and how much memory, before any work: counts of steps times measured costs.

A run is a number of evaluations of the objective, each of which sums over all pairs (or over a mesh) and
over the edges, plus the linear systems or the memory of its optimizers.  The counts follow from the stages
of the method, the costs were measured: an estimate is right within about a factor of two on machines like
the one named below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from nelayout import graphs
from nelayout.catalogue import method_named, with_own
from nelayout.catalogue.record import Method
from nelayout.numerics.memory import size_in_words, warn_if_short
from nelayout.numerics.parallel import thread_count
from nelayout.run.auto.masses import mass_to_read
from nelayout.run.batch.drawing import LARGEST, LEAST, can_batch
from nelayout.run.keywords import takes_common_keywords
from nelayout.run.options import MethodOptions, check_options
from nelayout.run.part_costs import BYTES_ENTRY, BYTES_NODE, COMPONENT, PARTED_NODE, READ, Part
from nelayout.run.parting import MANY
from nelayout.run.request import read_request
from nelayout.similarities.masses import NAMED, node_mass
from nelayout.sums.device import device_named

__all__ = ["Estimate", "estimate", "warn_of_memory"]

# Nodes and entries below which no machine lacks the memory.
LITTLE = 20_000, 400_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of `estimate`.

    seconds      of one run on this number of threads
    bytes        allocated at the peak, the graph's own and the libraries' not counted
    device_bytes  allocated on the device; 0 without one
    nodes, edges of the graph
    evaluations  of the whole graph's objective, about
    nbody        the backend for sums over all pairs of the largest component
    """

    seconds: float
    bytes: int
    nodes: int
    edges: int
    evaluations: int
    nbody: str
    device_bytes: int = 0

    def __str__(self) -> str:
        """Short enough for a line in a log."""
        seconds, size = (f"{x:.0f}" if x >= 10 else f"{x:.2g}" for x in (self.seconds, self.bytes / 1e6))
        return f"about {seconds} s and {size} MB for {self.nodes} nodes and {self.edges} edges"


@takes_common_keywords
def estimate(G: Any, method: str | Method = "auto", **options: Unpack[MethodOptions]) -> Estimate:
    """Estimate the seconds and bytes that drawing G by a method will take; nothing is drawn.

    Of the common keywords dim, node_size, smoothing, max_iter, optimizer, nbody, device and n_jobs count; the seconds
    are the CPU's, which a device stays below from some ten thousand nodes on. Vectors have their
    graph estimated: ``nelayout.estimate(nelayout.knn_graph(X), method)``, to which the search for neighbors comes.

    Parameters
    ----------
    method : default "auto"
        a name or a ``nelayout.Method``

    Returns
    -------
    Estimate
        right within about a factor of two on a machine like the one the costs were measured on.  The compiled loops
        are taken as loaded: that takes half a second in each process, and some six seconds once.

    Raises
    ------
    InputError
        for the same graphs and keywords as `solve`, in the same words, and `Unsupported` likewise.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> small, large = (nl.estimate(nx.grid_2d_graph(k, k), "ws-sne") for k in (20, 40))
    >>> small.seconds < large.seconds, small.bytes < large.bytes, large.nodes
    (True, True, 1600)
    """
    with graphs.guard(G):
        recipe, common = with_own(method, options)
        o = check_options(common)
        threads = thread_count(o["n_jobs"])
        a = read_request(G, recipe, o)
        mass = mass_to_read(recipe.mass if o["mass"] is None else o["mass"])
        if mass is not None and not (isinstance(mass, str) and mass in NAMED):  # named ones may take long
            node_mass(a.P, mass, a.network.host)
        largest = _largest(recipe, o, *a.sizes, threads)
        optimizer = a.optimizer.name if a.optimizer else None
        device, (nodes, entries) = device_named(o["device"]), (int(each.max(initial=0)) for each in a.sizes)
        there = device.needs(nodes, entries) if device is not None and nodes >= device.least else 0
        seconds = _seconds(recipe, o, *a.sizes, a.different, threads, optimizer)
        return replace(largest, seconds=seconds, device_bytes=there)


def warn_of_memory(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray, held: int = 0) -> bool:
    """Whether components of these sizes take more memory than there is; then a warning with the numbers.

    entries  of each component's matrix, two an edge
    held     bytes that other work needs before, at its peak
    """
    if sizes.sum() < LITTLE[0] and entries.sum() < LITTLE[1]:
        return False
    needed = max(_largest(method, o, sizes, entries, 1).bytes, held)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if o["smoothing"]:
        remedies.append("so does smoothing=0")
    lean = _largest(method_named("gamma-quadlog"), o, sizes, entries, 1).bytes
    if lean < 0.8 * needed:
        remedies.append(f"method 'gamma-quadlog' needs about {size_in_words(lean)}")
    return warn_if_short(needed, f"drawing {sizes.sum():,} nodes by {method.name}", "; ".join(remedies))


def _largest(method: Method, o: dict[str, Any], sizes: np.ndarray, inside: np.ndarray, threads: int) -> Estimate:
    """The estimate for components with these numbers of nodes and entries, the largest first, without the seconds."""
    n, entries = int(sizes.sum()), int(inside.sum())
    if not n:
        return Estimate(0.0, 0, 0, 0, 0, "exact")
    largest = Part(method, o, int(sizes[0]), int(inside[0]), n * n, threads)
    held = BYTES_ENTRY * entries + BYTES_NODE * n
    return Estimate(0.0, held + largest.bytes, n, entries // 2, round(largest.evaluations), largest.nbody)


def _seconds(
    method: Method, o: dict[str, Any], sizes: np.ndarray, inside: np.ndarray, drawn: np.ndarray, threads: int,
    optimizer: str | None,
) -> float:
    """Seconds of all components; ``drawn`` masks those that are no copies of others."""
    n, entries, drawn = int(sizes.sum()), int(inside.sum()), drawn & (sizes > 1)
    small = drawn & (sizes <= LARGEST)
    if np.count_nonzero(small) < LEAST or o["smoothing"] or not can_batch(method, optimizer):
        small[:] = False
    seconds = READ * (n + entries) + COMPONENT * max(len(sizes) - 1, 0)
    if o["node_size"] is not None:
        seconds += PARTED_NODE[n > MANY] * n
    for k, e in zip(sizes[drawn & ~small].tolist(), inside[drawn & ~small].tolist(), strict=True):
        seconds += Part(method, o, k, e, n * n, threads).seconds
    # Components drawn together count as so many of one size, in bands: their pairs grow with its square.
    bands = np.floor(np.log2(sizes, where=small, out=np.zeros(len(sizes))))
    for band in np.unique(bands[small]).tolist():
        some = small & (bands == band)
        count, size = int(some.sum()), math.sqrt(float(np.mean(sizes[some].astype(float) ** 2)))
        part = Part(method, o, round(size), round(float(inside[some].mean())), n * n, threads, together=True)
        seconds += count * part.seconds
    return seconds
