"""A call, read and checked before any work: the graph, values of its nodes, and settings.

Drawings and estimates share this module, so both refuse the same calls in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs
from nelayout.catalogue import with_similarities
from nelayout.catalogue.options import generator
from nelayout.catalogue.record import Method
from nelayout.errors import InputError, Unsupported, unknown, warn
from nelayout.formula.connections import Fixed
from nelayout.graphs.host import as_mapping
from nelayout.graphs.to_floats import short_repr
from nelayout.numerics.distances import Distances
from nelayout.optimizers import Optimizer, optimizer_named
from nelayout.placing.components import component_labels
from nelayout.similarities.affinity import within_range
from nelayout.similarities.hops import hop_entries, path_lengths
from nelayout.sums.nbody import check_backend
from nelayout.variational.game import needs_torch

__all__ = ["NOTHING_KNOWN", "Kept", "Known", "Request", "checked_stability", "read_request"]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A drawing that stays itself while its graph changes.

    stability  part of its way that the layout forgoes, in [0, 1); None: nodes with a position are fixed
    same       (n,) mask of the nodes in components that have not changed: these are not drawn again
    """

    stability: float | None
    same: np.ndarray


class Known(NamedTuple):
    """A caller's knowledge about a connected graph besides its weights.

    memory    whether the memory needed has been compared with what there is
    rows      (nnz,) row-stochastic similarities on the pattern of the graph, a symmetric csr_array; connections by rows
              use these instead of the graph's similarities
    features  (n, p) coordinates of the nodes, for variational methods
    sketch    (n, dim) an outline of the drawing, from which a coarse level is also drawn
    goal      distances between some of the nodes, which count beside neighbors in the first descent
    kept      the drawing stays itself while its graph changes; None: it has no past
    merged    where nodes stand for several: part of all weight that is within them, and (n,) for how many
    """

    memory: bool = False
    rows: np.ndarray | None = None
    features: np.ndarray | None = None
    sketch: np.ndarray | None = None
    goal: Distances | None = None
    kept: Kept | None = None
    merged: tuple[float, np.ndarray] | None = None

    def of(self, nodes: np.ndarray, P: csr_array) -> Known:
        """Return the knowledge about some nodes of P in their order; of a part, the outline."""
        sketch = None if self.sketch is None else self.sketch[nodes]
        if len(nodes) < P.shape[0]:
            return Known(self.memory, sketch=sketch, kept=self.kept)
        rows = self.rows
        if rows is not None and len(rows) == P.nnz:
            ordered = csr_array((rows, P.indices, P.indptr), shape=P.shape)[nodes][:, nodes]
            ordered.sort_indices()
            rows = ordered.data
        return self._replace(
            rows=rows, sketch=sketch, features=None if self.features is None else self.features[nodes],
            goal=None if self.goal is None else self.goal.at(nodes),
            merged=None if self.merged is None else (self.merged[0], self.merged[1][nodes]),
        )


NOTHING_KNOWN = Known()


@dataclass(frozen=True, slots=True)
class Request:
    """A call as it is understood.

    options  all common keywords, as `options.check_options` gives them
    P        (n, n) weights, brought within range where they are huge
    labels   (n,) component of each node
    joint    whether one objective spans several components
    start    (n, dim) positions, NaN rows where a node has none; None: no pos was given
    fixed    (n, dim) mask of the coordinates that stay; None: all are free
    size     (n,) node diameters, or None
    dots     whether node diameters are dot diameters of a picture
    optimizer  overrides the optimizer of the stages; None: no override
    """

    method: Method
    options: dict[str, Any]
    network: graphs.Network
    P: csr_array
    labels: np.ndarray
    joint: bool
    start: np.ndarray | None
    fixed: np.ndarray | None
    size: np.ndarray | None
    dots: bool
    optimizer: Optimizer | None
    rng: np.random.Generator
    notes: tuple[str, ...]

    @property
    def mass(self) -> Any:
        """Return the masses that the caller wants, or else the method's."""
        return self.method.mass if self.options["mass"] is None else self.options["mass"]

    @property
    def near(self) -> float | None:
        """Return the mean number of similar nodes by path lengths, about; None for weights."""
        if self.method.perplexity is None or not self.P.nnz:
            return None
        lengths = path_lengths(self.P, self.options["weight_kind"] == "distance")
        return hop_entries(lengths, np.flatnonzero(self.labels == 0), self.method.perplexity, self.method.hops)

    @property
    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes and entries of each objective, largest first; path lengths: estimates."""
        sizes, entries = np.bincount(self.labels), np.bincount(self.labels, np.diff(self.P.indptr)).astype(int)
        if (near := self.near) is not None:
            entries = np.ceil(sizes * np.minimum(near, sizes - 1)).astype(int)
        return (np.array([sizes.sum()]), np.array([entries.sum()])) if self.joint else (sizes, entries)


def checked_stability(stability: Any) -> float:
    """Return the stability as a number; `InputError` outside [0, 1)."""
    number = isinstance(stability, (int, float, np.integer, np.floating)) and not isinstance(stability, bool)
    if not number or not 0 <= stability < 1:
        raise InputError(
            f"stability must be a number in [0, 1), given {stability!r}: 0 lets nodes go all the way, 0.99 a hundredth "
            "of it; nelayout.add_nodes does not move them at all"
        )
    return float(stability)


def read_request(G: Any, method: Method, o: dict[str, Any], pos: Any = None, fixed: Any = None) -> Request:
    """Read a call; ``o`` are the common keywords as `options.check_options` gives them."""
    method = with_similarities(method, o)
    if o["emphasis"] is not None:
        method = replace(method, emphasis=o["emphasis"])
    optimizer = None
    if not isinstance(o["optimizer"], str) or o["optimizer"] != "auto":
        optimizer = optimizer_named(o["optimizer"])
        optimizer.check(method.kernel, method.divergence)
    check_backend(o["nbody"], o["dim"])
    rng = generator(o["seed"])
    network = graphs.read(G, o["weight"], o["weight_kind"])
    for doubt in network.doubts:
        warn(doubt)
    # Weights that only decide about sizes are rescaled early, others when floats would overflow.
    sizes_only = (method.kernel.singular or not isinstance(method.connection, Fixed)) and method.gravity is None
    P, notes = within_range(network.adjacency, 40 if sizes_only else 300)
    host = network.host
    host.check_stores(o["store_pos_as"])
    start, said = (None, ()) if pos is None else _start(network, pos, o["dim"])
    if host.about_numbers and _by_number(fixed, pos, o["mass"], o["node_size"]):
        said = (*said, *host.about_numbers)
    mask = _fixed(network, fixed, start, o["dim"])
    if method.variational and o["max_iter"] != 0:
        _check_variational(method.mass if o["mass"] is None else o["mass"], o["optimizer"], mask)
    dots = isinstance(o["node_size"], str) and o["node_size"] == "auto"
    given = None if dots else o["node_size"]
    if isinstance(given, str) and given not in host.attributes():
        raise unknown("node_size", given, ["auto", *host.attributes()])
    size = None if given is None else _sizes(network, given, o["dim"])
    moves = mask is None or not mask.all()
    if start is not None and o["max_iter"] == 0:  # nothing moves: given positions stay
        placed = ~np.isnan(start[:, 0])
        mask = np.repeat(placed[:, None], o["dim"], axis=1) if size is None and placed.any() else mask
        moves = not placed.any()
    labels = component_labels(P)
    joint = o["components"] == "joint" and labels.max(initial=0) > 0
    holds = method.gravity is not None and method.gravity.strength > 0
    if joint and moves and not holds:
        _check_joint(method, P, int(labels.max()) + 1)
    if joint and start is not None and np.isnan(start).all():
        start = None
    notes = (*network.notes, *_broken_note(G, network, labels), *said, *notes)
    joint = joint and (P.nnz > 0 or holds)
    return Request(method, o, network, P, labels, joint, start, mask, size, dots, optimizer, rng, notes)


def _by_number(fixed: Any, *others: Any) -> bool:
    """Return True if ``fixed`` or a key of the others names a node by a whole number."""
    nodes = [key for each in others for key in as_mapping(each) or ()]
    nodes += list(fixed) if isinstance(fixed, (Mapping, list, tuple, AbstractSet, np.ndarray)) else [fixed]
    return any(isinstance(node, (int, np.integer)) and not isinstance(node, bool) for node in nodes)


def _start(network: graphs.Network, pos: Any, dim: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return initial positions (n, dim), NaN if missing, and a note on unknown keys."""
    given = network.host.opened(graphs.places(pos, network.host).given)
    start = network.host.positions(given, dim)
    mapping, names = as_mapping(given) or {}, set().union(*network.host.aliases)
    others = [key for key in mapping if key not in names]
    if not others or not names:
        return start, ()
    if len(others) == len(mapping):
        key, node = others[0], network.labels[0]
        raise InputError(
            f"pos must have nodes as its keys; got {short_repr(key)} ({type(key).__name__}), where nodes are like "
            f"{short_repr(node)} ({type(node).__name__}). Use the names that the graph has: keys from JSON are text"
        )
    count = f"{len(others)} of {len(mapping)} keys of pos, such as {short_repr(others[0])},"
    return start, (f"{count} {'is no node' if len(others) == 1 else 'are no nodes'} of the graph and were left out",)


def _sizes(network: graphs.Network, given: Any, dim: int) -> np.ndarray:
    """Return node diameters (n,), or sides of boxes (n, dim) if nodes have several sizes."""
    mapping = as_mapping(given)
    each = given if mapping is None else list(mapping.values())
    pairs = np.ndim(each[0]) == 1 if hasattr(each, "__getitem__") and not isinstance(each, str) and len(each) else False
    if not pairs:
        return network.host.values(given, "node_size", nonnegative=True)
    wrong = next((side for side in each if np.shape(side) != (dim,)), None)
    if wrong is not None:
        raise InputError(
            f"node_size has {short_repr(wrong)} for a node, in a drawing of {dim} dimensions: give each node its "
            f"diameter, or the {dim} sides of its box"
        )
    columns = []
    for side, along in zip(("width", "height", "depth"), zip(*each, strict=True), strict=False):
        of_nodes = list(along) if mapping is None else dict(zip(mapping, along, strict=True))
        columns.append(network.host.values(of_nodes, f"{side} in node_size", nonnegative=True))
    return np.stack(columns, axis=1)


def _broken_note(G: Any, network: graphs.Network, labels: np.ndarray) -> tuple[str, ...]:
    """Note for a graph that falls apart without its edges of weight 0."""
    if not network.zeros:
        return ()
    whole = graphs.read(G, None).adjacency
    before, after = (int(each.max(initial=-1)) + 1 for each in (component_labels(whole), labels))
    if after <= before:
        return ()
    dropped = (whole.nnz - network.adjacency.nnz) // 2
    note = f"without its {dropped:,} edges of weight 0 the graph has {after:,} components instead of {before:,}, which"
    return (f"{note} are drawn apart; weight=None keeps it together",)


def _check_joint(method: Method, P: csr_array, count: int) -> None:
    """Raise Unsupported without a background that holds components together."""
    if not P.nnz:
        raise Unsupported("the graph has no edges, so no objective spans its nodes: use components='pack'")
    if not method.divergence.background:
        raise Unsupported(
            f"the graph has {count} components, and in {method.name} nodes without an edge between them only repel: "
            "components would part without end, so that there is no minimum. Use components='pack', connect them, or "
            "take a divergence with a background, as NeRV with kappa > 0 has, or gravity, as forceatlas2 has"
        )


def _fixed(network: graphs.Network, fixed: Any, start: np.ndarray | None, dim: int) -> np.ndarray | None:
    if fixed is None:
        return None
    mask = network.host.held(fixed, dim, "fixed")
    nodes = np.flatnonzero(mask.any(axis=1))
    if not len(nodes):
        return None
    if start is None:
        raise InputError("nodes are fixed without positions: give them in pos")
    homeless = nodes[np.isnan(start[nodes, 0])]
    if len(homeless):
        name = network.labels[int(homeless[0])]
        raise InputError(f"nodes are fixed without positions: {name!r} has none in pos; give it one, or free it")
    return mask


def _check_variational(mass: Any, optimizer: Any, fixed: np.ndarray | None) -> None:
    """Refuse, before work begins, a call that the variational form cannot serve."""
    for refused, remedy in (
        (fixed is not None, "moves every node: leave out fixed"),
        (not (isinstance(mass, str) and mass == "unit"), "compares nodes of one mass: use mass='unit'"),
        (str(optimizer) != "auto", "moves by Adam: use optimizer='auto'"),
    ):
        if refused:
            raise Unsupported(f"the variational form {remedy}, or leave out variational=True")
    needs_torch()
