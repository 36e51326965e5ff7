"""Structure: wishes of a caller beside the edges, as terms and as fixed coordinates.

    groups, anchors, direction, negative   terms that are added to J, see `nelayout.core.terms`
    layers, columns                        coordinates that stay
    circle, rings                          distances from one point that stay
    align                                  coordinates that nodes share
    features                               similarities beside the edges

Messages name the keyword.  Everything is checked before any work begins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs
from nelayout.core.placing.components import component_labels
from nelayout.core.placing.rings import Rings
from nelayout.core.terms import Anchored, Directed, Gathered, Repelled, Term
from nelayout.errors import InputError, InputTypeError, near_matches
from nelayout.graphs.groups import groups_of
from nelayout.graphs.host import AXES, as_mapping
from nelayout.graphs.plain import is_missing
from nelayout.graphs.to_floats import short_repr
from nelayout.layouts.features import with_features
from nelayout.quality.distances import standardize

__all__ = ["Structure", "read_structure"]

# Name of a direction -> its axis and its sign there.
DIRECTIONS = {"down": (1, -1.0), "up": (1, 1.0), "right": (0, 1.0), "left": (0, -1.0)}
# Edges from each piece of a group to the rest of the group, if no edge of the graph joins them.
BRIDGES = 3
# Keywords that say where nodes lie, and so contradict rings.
CONTRADICT_RINGS = {
    "layers": "holds them in rows", "columns": "holds them in columns", "fixed": "holds them elsewhere",
    "align": "holds them on lines", "direction": "pulls them to one side", "anchors": "pull them to a map",
    "groups_shape": "moves them apart", "node_size": "moves them apart",
}
# Rise of an arc from which on it costs nothing, times the number of layers, in radii of the drawing.
RISE = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """The wishes of a caller beside the edges.

    P       (n, n) weights, with features, and with the edges that hold the pieces of a group together
    terms   that are added to J
    start   (n, dim) initial positions, NaN for nodes without one; None: none
    fixed   (n, dim) mask of the coordinates that stay; None: none
    tied    whether the fixed coordinates are layers or columns: the result is then scaled as a whole
    groups  sets of nodes that stay together
    rings   circles on which all nodes lie; None: none
    lines   (n, dim) number of the line of each coordinate, -1 for none; None: no lines
    notes   sentences for the reader
    """

    P: csr_array
    terms: tuple[Term, ...] = ()
    start: np.ndarray | None = None
    fixed: np.ndarray | None = None
    tied: bool = False
    groups: tuple[np.ndarray, ...] = ()
    rings: Rings | None = None
    lines: np.ndarray | None = None
    notes: tuple[str, ...] = ()


def read_structure(
    network: graphs.Network, o: dict[str, Any], P: csr_array, start: np.ndarray | None, fixed: np.ndarray | None
) -> Structure:
    """Read the structure that a call asks for.

    ``start``, ``fixed``: from the keywords ``pos`` and ``fixed``.
    """
    if o["features"] is not None:
        P = with_features(network, P, o["features"], o["features_share"], o["n_jobs"])
    terms, notes, groups = list[Term](), list[str](), tuple[np.ndarray, ...]()
    if o["groups"] is not None:
        groups = groups_of(network, o["groups"])
        P, said = _joined(P, groups, "groups", "groups")
        notes += said
        term = _gathered(groups, P.shape[0], o["group_strength"])
        terms += [] if term is None else [term]
    if network.negative is not None and network.negative.nnz:
        upper = network.negative.tocoo()
        kept = upper.row < upper.col
        pairs = upper.row[kept], upper.col[kept], upper.data[kept]
        terms.append(Repelled(*pairs, np.ones(P.shape[0])))
    if o["anchors"] is not None:
        term, start, said = _anchored(network, o["anchors"], o["anchor_strength"], o["dim"], P, start, fixed)
        terms += term
        notes += said
    _check_shape(o, groups, fixed)
    rings, said = _rings(network, o, groups, fixed)
    notes += said
    lines, P, said = _lines(network, o, P, fixed)
    notes += said
    layered = o["layers"] is not None or o["columns"] is not None
    if layered:
        start, fixed = _layered(network, o, start, fixed)
    elif o["direction"] is not None:
        terms.append(_directed(network, o["direction"], o["dim"]))
    return Structure(P, tuple(terms), start, fixed, layered, groups, rings, lines, tuple(notes))


def _check_shape(o: dict[str, Any], groups: Sequence[np.ndarray], fixed: np.ndarray | None) -> None:
    """Raise `InputError` where groups cannot have a shape."""
    shape = o["groups_shape"]
    if shape is None:
        return
    given = f"groups_shape={shape!r}"
    if o["groups"] is None:
        raise InputError(f"{given} needs groups; give groups, such as a node attribute, as well")
    if o["dim"] != 2:
        raise InputError(f"{given} is for drawings in the plane, given dim={o['dim']}; leave it out")
    held = [name for name in ("layers", "columns") if o[name] is not None] + ["fixed"] * (fixed is not None)
    if held and groups:
        raise InputError(f"{given} moves groups apart, and {held[0]} holds their nodes; leave one of them out")


def _gathered(groups: Sequence[np.ndarray], n: int, strength: float) -> Gathered | None:
    if not groups:
        return None
    sizes = [len(each) for each in groups]
    at = np.concatenate(groups), np.repeat(np.arange(len(groups)), sizes)
    return Gathered(csr_array((np.ones(sum(sizes)), at), shape=(n, len(groups))), np.ones(n), strength)


def _joined(P: csr_array, groups: Sequence[np.ndarray], keyword: str, what: str) -> tuple[csr_array, list[str]]:
    """Return P with edges that join the pieces of each group, of the mean weight, and a note."""
    labels = component_labels(P)
    rows, cols, pieces = list[np.ndarray](), list[np.ndarray](), 0
    for group in groups:
        own = labels[group]
        kinds, sizes = np.unique(own, return_counts=True)
        largest = kinds[np.argmax(sizes)]
        there = group[own == largest]
        for kind in kinds[kinds != largest]:
            here = group[own == kind]
            count = min(BRIDGES, len(here) * len(there))
            turns = np.arange(count)
            rows.append(here[turns % len(here)])
            # another piece begins at other nodes of the largest one
            cols.append(there[(pieces * BRIDGES + turns * max(len(there) // count, 1)) % len(there)])
            pieces += 1
    if not pieces:
        return P, []
    ends = np.concatenate(rows), np.concatenate(cols)
    weight = float(np.mean(P.data)) if P.nnz else 1.0
    more = csr_array((np.full(len(ends[0]), weight), ends), shape=P.shape)
    more.sum_duplicates()
    more.data[:] = weight
    joined = P + more + more.T
    note = (
        f"{keyword}: {pieces:,} pieces of {what} that no edge joins are held by {more.nnz:,} more similarities of the "
        "mean weight; J counts these"
    )
    return graphs.canonical(joined), [note]


def _anchored(
    network: graphs.Network,
    given: Any,
    strength: float,
    dim: int,
    P: csr_array,
    start: np.ndarray | None,
    fixed: np.ndarray | None,
) -> tuple[list[Term], np.ndarray | None, list[str]]:
    """Return the term of anchors, initial positions (n, dim), and notes.

    Components with one anchor, or with anchors at one place, get initial positions instead.
    """
    host = network.host
    if isinstance(given, str):
        names = [name.strip() for name in given.split(",")]
        if len(names) != dim:
            raise InputError(
                f"anchors={given!r} names {len(names)} attribute{'s' * (len(names) != 1)}; in {dim} dimensions it must "
                f"name {dim}, as 'lon,lat'"
            )
        columns = [_coordinates(network, name) for name in names]
        places = np.stack(columns, axis=1)
        places[np.isnan(places).any(axis=1)] = np.nan
    else:
        opened = host.opened(given)
        rows = None if as_mapping(opened) is not None else np.asarray(opened, dtype=np.float64)
        if rows is not None and np.isnan(rows).any():  # rows of NaN are nodes without an anchor
            known = np.flatnonzero(~np.isnan(rows).any(axis=-1))
            opened = {host.aliases[0][k]: rows[k] for k in known.tolist()}
        host.warn_of_others(opened, "anchors")
        places = host.positions(opened, dim)
    known = ~np.isnan(places[:, 0])
    if not known.any():
        raise InputError("anchors: no node of the graph has one; give a dict keyed by node, or names of attributes")
    if fixed is not None and (both := np.flatnonzero(known & fixed.any(axis=1))).size:
        raise InputError(
            f"node {short_repr(network.labels[int(both[0])])} has an anchor and is fixed; an anchor pulls, and fixed "
            "holds: leave one of them out"
        )
    term = Anchored.over(places, strength)
    labels, notes = component_labels(P), []
    placed = np.full_like(places, np.nan) if start is None else start.copy()
    for label in np.unique(labels[known]):
        nodes = np.flatnonzero(known & (labels == label))
        if (places[nodes] == places[nodes[0]]).all():  # one place gives no size
            placed[nodes] = places[nodes]
    alone = len(np.unique(labels)) - len(np.unique(labels[known]))
    if alone:
        notes.append(f"anchors: {alone:,} components have none; they stand beside the map")
    return [term], (None if np.isnan(placed).all() else placed), notes


def _coordinates(network: graphs.Network, name: str) -> np.ndarray:
    """Return an attribute as numbers (n,), NaN where a node has none."""
    values = network.host.attribute(name, "anchors")
    found = np.full(len(values), np.nan)
    for k, value in enumerate(values):
        if value is None or is_missing(value):
            continue
        try:
            found[k] = float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"anchors: {name!r} of node {short_repr(network.labels[k])} is {short_repr(value)}; it must be a number"
            ) from None
    return found


def _arcs(network: graphs.Network, keyword: str) -> tuple[np.ndarray, np.ndarray]:
    """Return tails and heads of all arcs but loops; `InputError` for an undirected graph."""
    if not network.directed:
        raise InputError(f"{keyword} needs a graph with directions, and this one is undirected; give a directed graph")
    links = network.host.links()
    kept = links.rows != links.cols
    return links.rows[kept], links.cols[kept]


def _directed(network: graphs.Network, direction: str, dim: int) -> Directed:
    """Return the term by which arcs point in a direction."""
    axis, sign = _axis(direction, dim)
    tail, head = _arcs(network, f"direction={direction!r}")
    n = len(network.labels)
    along = np.zeros(dim)
    along[axis] = sign
    back = _back_arcs(tail, head, n)
    depth = int(_levels(tail[~back], head[~back], n)[0].max(initial=0)) or 1
    return Directed(tail, head, np.ones(len(tail)), along, RISE / depth, np.ones(n))


def _axis(direction: str, dim: int) -> tuple[int, float]:
    axis, sign = DIRECTIONS[direction]
    if axis >= dim:
        raise InputError(f"direction={direction!r} needs two dimensions, given dim={dim}; give 'right' or 'left'")
    return axis, sign


def _layered(
    network: graphs.Network, o: dict[str, Any], start: np.ndarray | None, fixed: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return initial positions and the mask of the coordinates that layers and columns hold."""
    n, dim = len(network.labels), o["dim"]
    places, mask, axes = np.zeros((n, dim)), np.zeros((n, dim), dtype=bool), dict[int, str]()
    for keyword, usual in (("layers", "down"), ("columns", "right")):
        if o[keyword] is None:
            continue
        axis, sign = _axis((keyword == "layers" and o["direction"]) or usual, dim)
        if axis in axes:
            raise InputError(
                f"{keyword} and {axes[axis]} hold the same axis; with direction={o['direction']!r}, give one of them"
            )
        axes[axis] = keyword
        places[:, axis] = sign * _numbers(network, o[keyword], keyword)
        mask[:, axis] = True
    if fixed is not None:
        raise InputError(f"{' and '.join(axes.values())} hold coordinates of all nodes, and so does fixed; give one")
    free = [axis for axis in range(dim) if axis not in axes]
    if start is not None and free:
        known = ~np.isnan(start[:, 0])
        both = np.ix_(known, np.array(free))
        places[both] = start[both]
    return places, mask


def _rings(
    network: graphs.Network, o: dict[str, Any], groups: Sequence[np.ndarray], fixed: np.ndarray | None
) -> tuple[Rings | None, list[str]]:
    """Return the circles on which nodes lie, and notes."""
    asked = [f"rings={short_repr(o['rings'])}"] * (o["rings"] is not None) + ["circle=True"] * bool(o["circle"])
    if not asked:
        return None, []
    if len(asked) > 1:
        raise InputError(f"{' and '.join(asked)} both say where nodes lie; give one of them")
    if o["dim"] != 2:
        raise InputError(f"{asked[0]} is for drawings in the plane, given dim={o['dim']}; leave it out")
    for name, why in CONTRADICT_RINGS.items():
        given = fixed is not None if name == "fixed" else o[name] is not None
        if given and not (name == "node_size" and isinstance(o[name], str) and o[name] == "auto"):
            raise InputError(f"{asked[0]} holds nodes on circles, and {name} {why}; leave one of them out")
    n = len(network.labels)
    if o["circle"]:
        return Rings(np.ones(n), True, tuple(groups)), []
    center = _center(network, o["rings"])
    if center is None:
        values, known = np.unique(_numbers(network, o["rings"], "rings"), return_inverse=True)
        if not len(values):
            return None, []
        values = standardize(values)  # differences of huge values would overflow
        step = float(values[-1] - values[0]) / max(len(values) - 1, 1) or 1.0
        alone = np.count_nonzero(known == 0) == 1
        return Rings((values - values[0] + (0.0 if alone else step))[known]), []
    from scipy.sparse.csgraph import shortest_path  # not loaded without rings

    hops = shortest_path(network.adjacency, unweighted=True, indices=center)
    away = ~np.isfinite(hops)
    outer = float(hops[~away].max()) + 1.0
    note = (
        f"rings: no path leads from {short_repr(network.labels[center])} to {int(away.sum()):,} nodes; they lie on a "
        "ring around the others"
    )
    return Rings(np.where(away, outer, hops)), [note] * bool(away.any())


def _center(network: graphs.Network, given: Any) -> int | None:
    """Return the node that ``rings`` names; None for values of nodes."""
    if not isinstance(given, Hashable):
        return None
    truth = isinstance(given, (bool, np.bool_))  # True equals the node 1
    for labels in network.host.aliases:
        if given in labels and not (truth and not any(isinstance(label, bool) for label in labels)):
            return int(network.host.nodes([given], "rings")[0])
    attributes = network.host.attributes()
    values = isinstance(given, tuple) and len(given) == len(network.labels)
    if values or (isinstance(given, str) and given in attributes):
        return None
    if truth or isinstance(given, (str, int, np.integer, tuple)):
        near = near_matches(given, [*attributes, *(name for name in network.labels if isinstance(name, str))])
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"rings must be a node in the middle, or an attribute, dict or array with the ring of each node; got "
            f"{short_repr(given)}, which is no node and no attribute of the graph{hint}"
        )
    return None


def _lines(
    network: graphs.Network, o: dict[str, Any], P: csr_array, fixed: np.ndarray | None
) -> tuple[np.ndarray | None, csr_array, list[str]]:
    """Return the line of each coordinate (n, dim), weights that join lines, and notes."""
    if o["align"] is None:
        return None, P, []
    dim, given = o["dim"], o["align"]
    form = "give a list of pairs, as [(nodes, 'x'), (nodes, 'y')]"
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputTypeError(f"align must be a list of pairs of nodes and an axis, got {short_repr(given)}; {form}")
    if fixed is not None:
        raise InputError("align lets the method choose lines of nodes, and fixed holds nodes; leave one of them out")
    if o["groups_shape"] is not None:
        raise InputError(f"groups_shape={o['groups_shape']!r} moves groups apart, and align holds their nodes on "
                         "lines; leave one of them out")
    held = {_axis(o["direction"] or "down", dim)[0]: "layers"} if o["layers"] is not None else {}
    held |= {0: "columns"} if o["columns"] is not None else {}
    lines = np.full((len(network.labels), dim), -1)
    for each in given:
        if isinstance(each, (str, bytes)) or not isinstance(each, Sequence) or len(each) != 2:
            raise InputTypeError(f"align has {short_repr(each)} in place of a pair of nodes and an axis; {form}")
        nodes, name = each
        if not isinstance(name, str) or name not in AXES[:dim] or not name:
            allowed = " or ".join(repr(letter) for letter in AXES[:dim])
            raise InputError(f"the axis of align must be {allowed} in {dim} dimensions, got {short_repr(name)}")
        axis = AXES.index(name)
        if axis in held:
            raise InputError(
                f"align puts nodes on a line by their {name}, and {held[axis]} hold the {name} of all nodes; leave one "
                "of them out, or align on another axis"
            )
        index = network.host.nodes(nodes, "align")
        if not len(index):
            continue
        known = np.unique(lines[index, axis])
        known = known[known >= 0]
        number = int(known[0]) if len(known) else int(lines.max()) + 1
        lines[np.isin(lines[:, axis], known), axis] = number  # lists with a common node are one line
        lines[index, axis] = number
    if not (lines >= 0).any():
        return None, P, []
    members = [np.flatnonzero(lines[:, k] == number) for k in range(dim) for number in set(lines[:, k].tolist()) - {-1}]
    P, said = _joined(P, [each for each in members if len(each) > 1], "align", "lines")
    _, first, count = np.unique(lines[(lines >= 0).all(axis=1)], axis=0, return_index=True, return_counts=True)
    if (count > 1).any():
        node = network.labels[int(np.flatnonzero((lines >= 0).all(axis=1))[first[np.argmax(count)]])]
        said.append(
            f"align: {int(count[count > 1].sum()):,} nodes, such as {short_repr(node)}, share all coordinates with "
            "another one and coincide; leave each of them out of a list to part them"
        )
    return lines, P, said


def _numbers(network: graphs.Network, given: Any, keyword: str) -> np.ndarray:
    """Return the layer of each node, (n,): numbers as they are, other values in their order."""
    if isinstance(given, str) and given == "auto" and "auto" not in network.host.attributes():
        tail, head = _arcs(network, f"{keyword}='auto'")
        level, cycle = _levels(tail, head, len(network.labels))
        if cycle:
            names = " -> ".join(short_repr(network.labels[k]) for k in cycle)
            raise InputError(
                f"{keyword}='auto' needs a graph without cycles, and {names} is one; take out one of these edges, give "
                "layers by an attribute, or give direction='down' alone, where a few arcs may point back"
            )
        return _tightened(level, tail, head)
    values = list(network.host.objects(given, keyword))
    missing = [k for k, value in enumerate(values) if value is None or is_missing(value)]
    if missing:
        raise InputError(
            f"{keyword}: node {short_repr(network.labels[missing[0]])} has no value ({len(missing):,} of "
            f"{len(values):,} nodes have none); give every node one"
        )
    try:
        found = np.array([float(value) for value in values])
    except (TypeError, ValueError):
        kinds = sorted(set(values), key=lambda x: (type(x).__name__, x))
        index = {kind: k for k, kind in enumerate(kinds)}
        found = np.array([float(index[value]) for value in values])
    if not np.isfinite(found).all():
        raise InputError(
            f"{keyword} must be finite numbers or names; node "
            f"{short_repr(network.labels[int(np.argmin(np.isfinite(found)))])} has none"
        )
    return found


def _levels(tail: np.ndarray, head: np.ndarray, n: int) -> tuple[np.ndarray, list[int]]:
    """Return the number of arcs of the longest path to each node, (n,), and a cycle or [].

    Nodes on cycles, and behind them, count from where no order is left.
    """
    order = np.argsort(tail, kind="stable")
    ends, first = head[order].tolist(), np.searchsorted(tail[order], np.arange(n + 1)).tolist()
    waits, level = np.bincount(head, minlength=n).tolist(), [0] * n
    ready = [k for k in range(n) if not waits[k]]
    left = n
    while ready:
        k = ready.pop()
        left -= 1
        for other in ends[first[k] : first[k + 1]]:
            level[other] = max(level[other], level[k] + 1)
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    if not left:
        return np.array(level), []
    behind = {k for k in range(n) if waits[k]}  # each has an arc from another of them
    before = dict(zip(head.tolist(), tail.tolist(), strict=True))
    before |= {h: t for t, h in zip(tail.tolist(), head.tolist(), strict=True) if t in behind and h in behind}
    path, seen, at = list[int](), dict[int, int](), min(behind)
    while at not in seen:
        seen[at] = len(path)
        path.append(at)
        at = before[at]
    cycle = [*path[seen[at] :], at][::-1]
    return np.array(level), cycle


def _back_arcs(tail: np.ndarray, head: np.ndarray, n: int) -> np.ndarray:
    """Return the mask (m,) of the arcs that a search in depth finds to close cycles."""
    order = np.argsort(tail, kind="stable")
    ends, first = head[order].tolist(), np.searchsorted(tail[order], np.arange(n + 1)).tolist()
    incoming = np.bincount(head, minlength=n)
    back, state, at = np.zeros(len(tail), dtype=bool), [0] * n, list(first[:n])
    for root in np.argsort(incoming, kind="stable").tolist():  # sources first
        path = [root] if not state[root] else []
        while path:
            k = path[-1]
            state[k] = 1
            if at[k] == first[k + 1]:
                state[k] = 2
                path.pop()
                continue
            other = ends[at[k]]
            back[order[at[k]]] = state[other] == 1
            at[k] += 1
            if not state[other]:
                path.append(other)
    return back


def _tightened(level: np.ndarray, tail: np.ndarray, head: np.ndarray) -> np.ndarray:
    """Return the layers with the least sum of the lengths of all arcs, (n,) whole numbers.

    This is the linear program of Gansner, Koutsofios, North & Vo (IEEE Trans. Software Eng. 19, 1993).
    """
    from scipy.optimize import linprog

    n, m = len(level), len(tail)
    if not m:
        return level.astype(float)
    rows = np.repeat(np.arange(m), 2)
    ends = np.stack([tail, head], axis=1).ravel()
    lengths = csr_array((np.tile([1.0, -1.0], m), (rows, ends)), shape=(m, n))
    cost = np.bincount(head, minlength=n) - np.bincount(tail, minlength=n)
    found = linprog(cost, A_ub=lengths, b_ub=-np.ones(m), bounds=(0, float(level.max())), method="highs-ds")
    rounded = np.round(found.x) if found.success else level.astype(float)
    return rounded if (rounded[head] - rounded[tail] >= 1).all() else level.astype(float)
