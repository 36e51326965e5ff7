"""`layout_sequence` draws snapshots of a changing graph; `add_nodes` adds to a drawing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs
from nelayout.changing.film import LayoutSequence
from nelayout.core.catalogue import with_own
from nelayout.core.catalogue.record import Method
from nelayout.core.passes.placement import radius
from nelayout.core.placing.components import component_labels
from nelayout.core.problem import PreviousLayout
from nelayout.core.record.solution import Solution
from nelayout.core.run.alpha_walk import at_order
from nelayout.core.similarities.masses import NAMED
from nelayout.errors import InputError, InputTypeError
from nelayout.graphs.to_floats import short_repr
from nelayout.keywords.options import MethodOptions, check_options, generator
from nelayout.keywords.signatures import takes_addition_keywords, takes_sequence_keywords
from nelayout.layouts.call import checked_stability, read_call
from nelayout.layouts.solving import solution_of

__all__ = ["STABILITY", "add_nodes", "keep_places", "layout_sequence", "unchanged"]


@takes_addition_keywords
def add_nodes(G: Any, pos: Any, method: str | Method = "auto", **options: Unpack[MethodOptions]) -> Any:
    """Add new nodes to a drawing of the old nodes, which do not move by a bit.

    Each new node first minimizes its own terms of the objective J among the old nodes. Then all new nodes settle
    together. New nodes without a path to an old node are drawn separately and packed around the drawing.
    `layout_sequence` moves old nodes a little, to make space for new ones.

    Parameters
    ----------
    pos : dict, igraph.Layout, (m, dim) array or Solution
        positions of the old nodes; for a matrix, of its first m rows. Removed nodes are left out
    method : default "auto"
        the method of the drawing: a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a
        ``nelayout.Method``. "auto" takes its objective with the best fit to the drawing

    Returns
    -------
    dict {node: (dim,) array} for networkx, igraph.Layout for igraph, (n, dim) array for matrices
        positions of all nodes, in the units of ``pos``

    Raises
    ------
    InputError
        if no node of G has a position, and as `layout` does

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> pos = nl.layout(G, seed=0)
    >>> G.add_edges_from([("new", 0), ("new", 1), ("newer", "new")])
    >>> more = nl.add_nodes(G, pos, seed=0)
    >>> len(more), all((more[v] == pos[v]).all() for v in pos)
    (36, True)
    """
    record, common = with_own(method, options)
    network = graphs.read(G, weight=None)
    places, dim = _given_places(network, pos)
    if not places and len(network.labels):
        raise InputError(
            f"pos has no position for any of the {len(network.labels)} nodes of the graph: give positions of the old "
            "nodes, or draw the graph with nelayout.layout"
        )
    previous = PreviousLayout(None, np.zeros(len(network.labels), dtype=bool))
    with read_call(G, record, {**common, "dim": dim}, places, list(places) or None, previous=previous) as call:
        return solution_of(call)[0].positions


def _given_places(network: graphs.Network, pos: Any) -> tuple[dict[Hashable, np.ndarray], int]:
    """Return {label: (dim,)} of nodes with a position, and dim; an array may lack last rows."""
    opened = graphs.places(pos)
    given = opened.given
    if opened.keys is None:
        if len(given) > len(network.labels):
            raise InputError(
                f"pos has {len(given)} rows and the graph has {len(network.labels)} nodes; give one row for each "
                "old node, and drop the rows of removed nodes"
            )
        given = dict(zip(network.labels, given, strict=False))
    Y = network.host.positions(given, opened.dim)
    there = np.flatnonzero(~np.isnan(Y).any(axis=1)).tolist()
    try:
        return {network.labels[k]: Y[k] for k in there}, opened.dim
    except TypeError:
        raise InputError(f"pos: node {short_repr(network.labels[there[0]])} cannot be a key") from None


# Default stability.
STABILITY = 0.8
# A part that was joined to a larger part keeps its positions if it has at least KEPT_NODES nodes and KEPT_SHARE of the
# larger part's number. Smaller parts go to their new neighbors.
KEPT_NODES, KEPT_SHARE = 50, 0.5


@takes_sequence_keywords
def layout_sequence(
    graphs: Iterable[Any],
    method: str | Method = "auto",
    stability: float = STABILITY,
    pos: Any = None,
    **options: Unpack[MethodOptions],
) -> LayoutSequence:
    """Draw the snapshots of a changing graph; nodes stay near their earlier positions.

    The first graph is drawn as `layout` does it. Each later graph starts from the drawing before. New nodes go where
    their own part of J is lowest, and springs hold the others while all nodes settle. A component without a change
    since the snapshot before is not drawn again. A node that comes back starts from its last position. Drawings are not
    turned, and one scale fits the whole sequence into [-scale, scale].

    Parameters
    ----------
    graphs : at least one graph
        networkx, igraph, or matrices. Labels identify nodes: in igraph names, if vertices have distinct names, in
        matrices numbers of rows
    method : default "auto"
        a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a ``nelayout.Method``
    stability : default 0.8
        how firmly springs hold the old positions, in [0, 1). At 0.8 the drawing as a whole moves one fifth as far as
        without springs; single nodes move to their neighbors almost freely. The number means the same for every method
        and size. 0: each drawing only starts from the one before and is aligned to it
    pos : dict, igraph.Layout, (n, dim) array, optional
        a drawing of an earlier snapshot, which holds the first one. A component of the first graph with a position for
        every node counts as unchanged. If its edges changed, give the earlier graph as the first of ``graphs``.
        Drawings then keep the units of ``pos``, and scale and center are not applied

    Returns
    -------
    LayoutSequence
        ``.positions``, a drawing for each graph in its own type, distances that nodes moved, J of each drawing;
        ``.to_html(path)`` and ``.to_gif(path)`` make films

    Raises
    ------
    InputError
        for no graph, a stability outside [0, 1), a graph that shares no node with earlier ones, and as `layout` does

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> nodes = sorted(G, key=G.degree, reverse=True)
    >>> film = nl.layout_sequence([G.subgraph(nodes[:n]) for n in (28, 31, 34)], "ws-sne", seed=0)
    >>> len(film[0]), len(film[2]), film.arrived.tolist(), bool(film.mean_moves.max() < 0.2)
    (28, 34, [0, 3, 3], True)
    """
    snapshots = _listed(graphs)
    stability = checked_stability(stability)
    record, common = with_own(method, options)
    o = check_options(dict(common))
    if not (o["node_size"] is None or (isinstance(o["node_size"], str) and o["node_size"] == "auto")):
        raise InputError(
            'node_size must be "auto", which lets no dot of a film hide another, or None, the minimizers as they are: '
            "sizes of your own are for single drawings (nelayout.layout)"
        )
    if o["time_limit"] is not None:
        o["time_limit"] /= len(snapshots)
    state = _State(record, o, stability)
    if pos is not None:
        state.hold(snapshots[0], pos)
    for G in snapshots:
        state.draw(G)
        if state.solutions[-1].reason == "stopped":
            break
    return state.finished(record.name, kept=pos is not None)


def _listed(given: Any) -> list[Any]:
    """Return the graphs as a list."""
    if any(host.recognizes(given) for host in graphs.HOSTS.values()):
        raise InputTypeError(
            "layout_sequence draws several graphs; got one. Put it into a list, [G1, G2, ...]; one graph is drawn by "
            "nelayout.layout"
        )
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
        raise InputTypeError(f"graphs must be a list of graphs, [G1, G2, ...]; got {type(given).__name__}")
    found = list(given)
    if not found:
        raise InputError("there is no graph to draw: give at least one, [G1, G2, ...]")
    return found


class _State:
    """Drawings so far, last position of every node, and the drawing given as ``pos``."""

    def __init__(self, record: Method, options: dict[str, Any], stability: float) -> None:
        self.record, self.options, self.stability = record, options, stability
        self.rng = generator(options["seed"])
        self.last: dict[Hashable, np.ndarray] = {}
        self.given: dict[Hashable, np.ndarray] = {}
        self.networks: list[graphs.Network] = []
        self.drawings: list[np.ndarray] = []
        self.solutions: list[Solution] = []

    def hold(self, G: Any, pos: Any) -> None:
        """Take the drawing `pos` that holds the first one."""
        network = graphs.read(G, weight=None) if graphs.places(pos).keys is None else graphs.points(pos)
        self.last, self.options["dim"] = _given_places(network, pos)
        self.given = dict(self.last)

    def draw(self, G: Any) -> None:
        """Draw the next graph."""
        before = self.networks[-1] if self.networks else None
        with graphs.translated_errors(G):
            network = graphs.read(G, self.options["weight"], self.options["weight_kind"])
            there = {label: self.last[label] for label in network.labels if label in self.last}
            if self.last and not there and len(network.labels):
                raise InputError(
                    f"graph number {len(self.networks) + 1} shares no node with the graphs before it, so that no "
                    "position can be kept. Labels identify nodes (in matrices rows); draw it by nelayout.layout"
                )
        same, mass = np.zeros(len(network.labels), dtype=bool), self.options["mass"]
        if before is not None:
            kept = zip(network.labels, keep_places(before, network), strict=True)
            there = {label: there[label] for label, stays in kept if stays and label in there}
            if mass is None or (isinstance(mass, str) and mass in NAMED):  # other masses may have changed
                same = unchanged(before, network)
        elif self.given:  # nodes in components without new nodes
            labels = component_labels(network.adjacency)
            same = ~np.isin(labels, labels[[label not in there for label in network.labels]])
        if before is not None and same.all() and len(same) == len(before.labels):  # the same graph again
            old, new = _common_rows(before.labels, network.labels)
            Y, solution = self.drawings[-1][old][np.argsort(new)], replace(self.solutions[-1], seconds=0.0)
        else:
            previous = PreviousLayout(self.stability, same) if there else None
            own = {"scale": None, "center": None, "store_pos_as": None, "seed": self.rng}
            if isinstance(mass, Mapping):  # one dict has the nodes of all graphs
                own["mass"] = {node: mass[node] for node in network.labels if node in mass}
            with read_call(G, self.record, {**self.options, **own}, there or None, previous=previous) as call:
                solution = solution_of(call)[0]
            if solution.choice is not None:  # one objective for all
                self.record = at_order(self.record, solution.choice.alpha)
            Y = network.host.positions(graphs.places(solution.positions).given, self.options["dim"])
        self.networks.append(network)
        self.drawings.append(Y)
        self.solutions.append(solution)
        self.last.update(zip(network.labels, Y, strict=True))

    def finished(self, name: str, kept: bool) -> LayoutSequence:
        """Return the record of all drawings, with the requested scale and center."""
        drawings = self.drawings if kept else _fitted(self.drawings, self.options["scale"], self.options["center"])
        T, stored = len(drawings), self.options["store_pos_as"]
        mean, most, arrived, left = np.zeros(T), np.zeros(T), np.zeros(T, dtype=int), np.zeros(T, dtype=int)
        labels, before = list(self.given), np.array(list(self.given.values()))
        for t, (network, Y) in enumerate(zip(self.networks, drawings, strict=True)):
            if t or kept:
                old, new = _common_rows(labels, network.labels)
                arrived[t], left[t] = len(Y) - len(new), len(before) - len(old)
                away = np.sqrt(np.sum((Y[new] - before[old]) ** 2, axis=1))
                if len(away) and (unit := radius(before)) > 0:
                    mean[t], most[t] = float(np.mean(away)) / unit, float(np.max(away)) / unit
            labels, before = network.labels, Y
        notes = dict.fromkeys(note for solution in self.solutions for note in solution.notes)
        written = tuple(net.host.write(Y, stored) for net, Y in zip(self.networks, drawings, strict=True))
        values, seconds = np.array([(each.value, each.seconds) for each in self.solutions]).T
        moves, snapshots = (mean, most, arrived, left), tuple(self.networks)
        return LayoutSequence(written, values, *moves, seconds, self.stability, name, tuple(notes), snapshots)


def _fitted(drawings: list[np.ndarray], scale: float | None, center: np.ndarray | None) -> list[np.ndarray]:
    """Return all drawings around the centroid of the last, at the one scale that fits all."""
    middle = np.sum(drawings[-1], axis=0) / max(len(drawings[-1]), 1)
    reach = max(float(np.abs(Y - middle).max(initial=0.0)) for Y in drawings)
    factor = scale / reach if scale is not None and 0 < reach < math.inf else 1.0
    return [factor * (Y - middle) + (0.0 if center is None else center) for Y in drawings]


def _common_rows(before: Sequence[Hashable], now: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (k,) of the nodes in both graphs, in the earlier and in the later graph."""
    number = {label: k for k, label in enumerate(before)}
    pairs = [(number[label], k) for k, label in enumerate(now) if label in number]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def unchanged(before: graphs.Network, now: graphs.Network) -> np.ndarray:
    """Return the mask (n,) of nodes in components with unchanged nodes, edges and weights."""
    old, new = _common_rows(before.labels, now.labels)
    same = np.zeros(len(now.labels), dtype=bool)
    A, B = csr_array(before.adjacency), csr_array(now.adjacency)
    difference = csr_array(A[old][:, old] - B[new][:, new])
    difference.eliminate_zeros()
    same[new] = (np.diff(difference.indptr) == 0) & (np.diff(A.indptr)[old] == np.diff(B.indptr)[new])
    labels = component_labels(now.adjacency)
    return ~np.isin(labels, labels[~same])


def keep_places(before: graphs.Network, now: graphs.Network) -> np.ndarray:
    """Return the mask (n,) of the later graph's nodes that keep their old positions.

    If a component was joined from several parts, the largest parts keep their positions. Nodes that were absent keep
    their last positions.
    """
    old, new = _common_rows(before.labels, now.labels)
    part = np.full(len(now.labels), -1)
    part[new] = component_labels(before.adjacency)[old]
    labels, kept = component_labels(now.adjacency), np.ones(len(now.labels), dtype=bool)
    known = np.flatnonzero(part >= 0)
    pairs, inverse, counts = np.unique(
        np.stack([labels[known], part[known]], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    order = np.lexsort((-counts, pairs[:, 0]))  # among equal parts, the part that was larger before comes first
    largest = np.zeros(len(order), dtype=bool)
    largest[order] = np.r_[True, np.diff(pairs[order, 0]) > 0][: len(order)]
    most = np.zeros(int(labels.max(initial=-1)) + 1, dtype=int)
    np.maximum.at(most, pairs[:, 0], counts)
    stays = largest | (counts >= np.maximum(KEPT_NODES, KEPT_SHARE * most[pairs[:, 0]]))
    kept[known] = stays[inverse.reshape(-1)]
    return kept
