"""A caller's words, read and checked: they become a `Problem` and `Settings`.

Layouts, plans, evaluations, embeddings and sequences share this module, so all refuse the same calls in the same words.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs
from nelayout.core import Problem, Settings
from nelayout.core.catalogue import method_named, with_own, with_similarities
from nelayout.core.catalogue.record import Method
from nelayout.core.formula.connections import Fixed
from nelayout.core.optimizers import optimizer_named
from nelayout.core.placing.components import component_labels
from nelayout.core.problem import Limit
from nelayout.core.similarities.affinity import within_range
from nelayout.core.similarities.masses import NAMED, masses_given
from nelayout.core.sums.nbody import check_backend
from nelayout.core.variational.game import needs_torch
from nelayout.errors import InputError, Unsupported, unknown, warn
from nelayout.graphs.host import as_mapping
from nelayout.graphs.to_floats import short_repr
from nelayout.keywords.options import check_options, generator
from nelayout.layouts.checkpoint import Checkpoint
from nelayout.layouts.structure import read_structure

__all__ = ["Call", "checked_stability", "read_call"]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call as it is understood: what the core draws, and how the result goes back.

    options  all common keywords, as `options.check_options` gives them
    notes    sentences for the reader
    checkpoint  the file of a run with more than this call; None: the one that the options name
    """

    method: Method
    options: dict[str, Any]
    network: graphs.Network
    problem: Problem
    settings: Settings
    notes: tuple[str, ...]
    checkpoint: Checkpoint | None = None

    def written(self, Y: np.ndarray) -> Any:
        """Return positions (n, dim) in the graph library's type."""
        return self.network.host.write(Y, self.options["store_pos_as"])


def checked_stability(stability: Any) -> float:
    """Return the stability as a number; `InputError` outside [0, 1)."""
    number = isinstance(stability, (int, float, np.integer, np.floating)) and not isinstance(stability, bool)
    if not number or not 0 <= stability < 1:
        raise InputError(
            f"stability must be a number in [0, 1), given {stability!r}: 0 lets nodes go all the way, 0.99 a hundredth "
            "of it; nelayout.add_nodes does not move them at all"
        )
    return float(stability)


@contextmanager
def read_call(
    G: Any, method: str | Method, options: Mapping[str, Any], pos: Any = None, fixed: Any = None,
    limit: Limit | None = None, checkpoint: Checkpoint | None = None, **known: Any,
) -> Iterator[Call]:
    """Read and check a call before any work; the graph's library sees its own error types.

    ``options``: common keywords and the method's own.  ``limit``: of the whole call, if more than this is done in
    it; None: the ``time_limit`` of the options.  ``checkpoint``: likewise.  ``known``: fields of `Problem` that a
    caller knows.
    """
    began = time.perf_counter()
    record, common = with_own(method, options)
    G = graphs.graph_of(G)
    with graphs.translated_errors(G):
        o = check_options(common)
        if limit is None and o["time_limit"] is not None:
            limit = Limit(o["time_limit"], began=began)
        yield replace(_read(G, method_named(record), o, pos, fixed, limit, known), checkpoint=checkpoint)


def _read(
    G: Any, method: Method, o: dict[str, Any], pos: Any, fixed: Any, limit: Limit | None, known: dict[str, Any]
) -> Call:
    network = graphs.read(G, o["weight"], o["weight_kind"], o["negative"] == "repel")
    method = with_similarities(method, o, network.lengths)
    if o["emphasis"] is not None:
        method = replace(method, emphasis=o["emphasis"])
    optimizer = None
    if not isinstance(o["optimizer"], str) or o["optimizer"] != "auto":
        optimizer = optimizer_named(o["optimizer"])
        optimizer.check(method.kernel, method.divergence)
    check_backend(o["nbody"], o["dim"])
    rng = generator(o["seed"])
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
        _check_variational(o, method.mass if o["mass"] is None else o["mass"], mask)
    if o["features"] is not None and method.perplexity is not None:
        raise InputError(
            f"features count beside the weights of edges, and {method.name} takes path lengths in place of weights; "
            "use affinity='weights', or leave out features"
        )
    wanted = read_structure(network, o, P, start, mask)
    edges, P, start, mask, said = P, wanted.P, wanted.start, wanted.fixed, (*said, *wanted.notes)
    dots = isinstance(o["node_size"], str) and o["node_size"] == "auto"
    given = None if dots else o["node_size"]
    if isinstance(given, str) and given not in host.attributes():
        raise unknown("node_size", given, ["auto", *host.attributes()])
    size = None if given is None else _sizes(network, given, o["dim"])
    moves = mask is None or not mask.all()
    tied = wanted.rings is not None or wanted.lines is not None
    if start is not None and o["max_iter"] == 0 and not tied:  # nothing moves: given positions stay
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
    previous = known.get("previous")
    problem = Problem(
        P, _mass(method, o, network), lengths=network.lengths, joint=joint, start=start, fixed=mask,
        size=size, dots=dots, terms=wanted.terms, tied=wanted.tied, groups=wanted.groups,
        shape=o["groups_shape"] if wanted.groups else None, rings=wanted.rings,
        lines=wanted.lines, edges=None if P is edges else edges, **known,
    )
    settings = Settings(
        o["dim"], optimizer, o["max_iter"], o["tol"], None if previous is None else previous.stability, o["smoothing"],
        o["nbody"], o["device"], o["scale"], o["center"], o["n_jobs"], limit, rng=rng,
    )
    return Call(method, o, network, problem, settings, notes)


def _mass(method: Method, o: dict[str, Any], network: graphs.Network) -> np.ndarray | str:
    """Return the masses that the caller wants, or else the method's: a name, or numbers (n,)."""
    mass = method.mass if o["mass"] is None else o["mass"]
    return mass if isinstance(mass, str) and mass in NAMED else masses_given(mass, network.host)


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


def _check_variational(o: dict[str, Any], mass: Any, fixed: np.ndarray | None) -> None:
    """Refuse, before work begins, a call that the variational form cannot serve."""
    for refused, remedy in (
        (fixed is not None, "moves every node: leave out fixed"),
        (o["circle"] or o["rings"] is not None, "moves nodes freely: leave out circle and rings"),
        (o["align"] is not None, "moves nodes freely: leave out align"),
        (not (isinstance(mass, str) and mass == "unit"), "compares nodes of one mass: use mass='unit'"),
        (str(o["optimizer"]) != "auto", "moves by Adam: use optimizer='auto'"),
    ):
        if refused:
            raise Unsupported(f"the variational form {remedy}, or leave out variational=True")
    needs_torch()
