"""`audit`: judge any drawing of a graph or table, by honest drawings of the same data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout.comparison import inputs
from nelayout.comparison.measuring import facts_of, table_facts
from nelayout.core.placing.components import component_labels
from nelayout.errors import InputError
from nelayout.graphs import every_position, graph_of, points, read, translated_errors
from nelayout.keywords.signatures import checks_keywords
from nelayout.layouts.solving import solve
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.quality.distances import standardize
from nelayout.quality.edges import coincident_nodes
from nelayout.trust.audited import FAIR, POOR, Audit, part_in_words, reached_in_words
from nelayout.trust.chance import LEVEL
from nelayout.trust.false_clusters import false_clusters
from nelayout.trust.gaps import closed, torn
from nelayout.trust.kinds import check_keywords
from nelayout.trust.misplaced import Found, find_misplaced, misplaced_sentence
from nelayout.trust.mixing import false_neighbors
from nelayout.trust.moving import MIN_JUDGED, Moves, Part, moves_of, parts_of
from nelayout.trust.reach import lagging, middle_share, reach
from nelayout.trust.records import Cluster, Hidden, Torn
from nelayout.trust.references import Audited, Recipe, drawings
from nelayout.trust.wording import cluster_sentence, gap_note, hidden_sentence, torn_sentence
from nelayout.vectors.embedding import solve_vectors
from nelayout.vectors.input import is_table
from nelayout.vectors.knn import knn_graph

__all__ = ["audit"]

# Honest drawings of a graph: the default method from five seeds.
GRAPH_REFERENCES: Sequence[Recipe] = (("auto", {}),) * 5
# Other drawings of a graph that show what is reachable; the last one has the least stress.
GRAPH_RIVALS: Sequence[Recipe] = (("ws-sne", {}), ("gamma-quadlog", {}), ("auto", {"emphasis": 1.0}))
# Number of nodes up to which each rival draws from two seeds.
TWO_SEEDS_NODES = 2_000
# Honest drawings of a table: at wider neighborhoods than most embeddings take.
TABLE_REFERENCES: Sequence[Recipe] = (
    ("tsne", {"perplexity": 30}), ("tsne", {"perplexity": 30}), ("tsne", {"perplexity": 15}),
    ("ws-sne", {"n_neighbors": 15}), ("ws-sne", {"n_neighbors": 15}),
)  # fmt: skip
TABLE_RIVALS: Sequence[Recipe] = (
    ("ws-sne", {"n_neighbors": 10}), ("tsne", {"perplexity": 10}), ("auto", {"emphasis": 1.0}),
)  # fmt: skip
# Gaps in the notes at most: they are no faults.
MAX_GAP_NOTES = 5
# Neighbors of a row in the graph that judges its places.
ROW_NEIGHBORS = 15
GRAPH_DECISIVE = ("neighborhood", "stress", "crossings")
GRAPH_MEASURES = (*GRAPH_DECISIVE, "edge_length_variation")
TABLE_MEASURES = ("q_nx", "r_nx_area", "spearman")
CLASS_MEASURES, MAP_MEASURES = ("class_auc", "class_accuracy"), ("map_r2", "map_neighbors")


@checks_keywords
def audit(
    G: object,
    pos: object,
    labels: object = None,
    coords: object = None,
    *,
    weight: str | None = "weight",
    weight_kind: str = "auto",
    metric: object = "euclidean",
    seed: object = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Judge a drawing of a graph or table: which of its claims hold, and how good it is.

    An honest drawing has few accusations or none. A node, a gap or a group is accused if it stands out from five honest
    drawings of the same data, and cannot be told from chance. Other drawings show which values of measures are
    reachable.

    Parameters
    ----------
    G : a graph as in `measure`, or a table with one row per sample: an array or sparse matrix that is not square, or a
        frame of four columns or more, without headings of edges.
    pos : positions of all nodes or rows, 1 to 3 coordinates each: a dict keyed by node, igraph.Layout, an array in node
        order, or a `Solution`; drawn by any program.
    labels, coords : classes and true coordinates, as in `measure`: more measures in the table.
    weight, weight_kind : as in `compare`.
    metric : of the distances between rows of a table, as in `embed`.
    seed : of the drawings that the audit makes, and of its samples.
    n_jobs : threads of the drawings; None: all cores. Searches for near nodes take all cores.

    Returns
    -------
    Audit
        ``.verdict`` (text), ``.sentences``, ``.notes``; ``.misplaced``, ``.torn``, ``.false_neighbors`` and
        ``.clusters``: records with ``.node`` or ``.nodes``, ``.score`` and ``.sentence``, worst first; ``.table``
        (pandas) with value, chance, reachable value and share of each measure; ``.to_html(path)``.

    Raises
    ------
    InputError
        for a node without a position, more than 3 coordinates, another number of rows than in the table, and as
        `measure` does.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.grid_2d_graph(10, 10)
    >>> pos = {(a, b): (float(a), float(b)) for a, b in G}
    >>> nl.audit(G, pos).misplaced
    ()
    >>> pos[2, 2], pos[7, 8] = pos[7, 8], pos[2, 2]
    >>> sorted(fault.node for fault in nl.audit(G, pos).misplaced)
    [(2, 2), (7, 8)]
    """
    number = inputs.integer_seed(seed)
    check_keywords(is_table(G), weight=weight, weight_kind=weight_kind, metric=metric)
    if is_table(G):
        pos = inputs.in_row_order(G, pos)
        found = _table(G, pos, labels, coords, metric, number, n_jobs)
        return _audit(found, None, inputs.every_row(pos, len(found.Y), "pos"), number, n_jobs)
    G = graph_of(G)
    with translated_errors(G):
        found = _graph(G, pos, labels, coords, weight, weight_kind, n_jobs)
        return replace(_audit(found, G, pos, number, n_jobs), weight=weight)


def _graph(
    G: object, pos: object, labels: object, coords: object, weight: str | None, weight_kind: str, n_jobs: int | None
) -> Audited:
    """Read a graph with its drawing."""
    network = read(G, weight=weight, weight_kind=weight_kind)
    Y = _checked(every_position(network, pos), "pos")
    facts = replace(facts_of(network, labels, coords, None, adjacency=network.adjacency), Y=Y)
    P, kind = network.adjacency, "similarity"
    if network.lengths:
        far = np.reciprocal(np.asarray(P.data, np.float64))
        P, kind = csr_array((far, P.indices, P.indptr), shape=P.shape), "distance"

    def draw(method: str, keywords: dict[str, Any], seed: int) -> np.ndarray:
        given: dict[str, Any] = {"weight_kind": kind, "seed": seed, "n_jobs": n_jobs, "node_size": "auto"}
        return np.asarray(solve(P, method, dim=Y.shape[1], **given, **keywords).positions)

    measures = [name for name in GRAPH_MEASURES if Y.shape[1] == 2 or name != "crossings"]
    measures += [*(CLASS_MEASURES if labels is not None else ()), *(MAP_MEASURES if coords is not None else ())]
    rivals = [*GRAPH_RIVALS, *(GRAPH_RIVALS if len(Y) <= TWO_SEEDS_NODES else ())]
    return Audited(network, network.adjacency, facts, draw, GRAPH_REFERENCES, rivals, measures, GRAPH_DECISIVE)


def _table(
    X: object, pos: object, labels: object, coords: object, metric: object, seed: int, n_jobs: int | None
) -> Audited:
    """Read a table with its drawing."""
    facts = table_facts(X, metric, None, labels, coords, None, seed)
    n = len(facts.Y)
    Y = _checked(inputs.every_row(pos, n, "pos"), "pos")
    near: Any = knn_graph(X, min(ROW_NEIGHBORS, n - 1), metric, seed=seed)

    def draw(method: str, keywords: dict[str, Any], seed: int) -> np.ndarray:
        given = {name: min(value, limit) for name, value, limit in _limits(keywords, n)}
        how: dict[str, Any] = {"metric": metric, "random_state": seed, "n_jobs": n_jobs}
        return np.asarray(solve_vectors(X, method=method, n_components=Y.shape[1], **how, **given).positions)

    measures = [*TABLE_MEASURES, *(CLASS_MEASURES if labels is not None else ())]
    measures += MAP_MEASURES if coords is not None else ()
    own = replace(facts, Y=Y)
    return Audited(
        points(Y), csr_array(near), own, draw, TABLE_REFERENCES, TABLE_RIVALS, measures, TABLE_MEASURES, is_table=True
    )


def _limits(keywords: dict[str, Any], n: int) -> list[tuple[str, Any, Any]]:
    """Return keywords of an embedding with the largest values that n rows allow."""
    largest = {"perplexity": max((n - 1) / 4.0, 1.01), "n_neighbors": n - 1}
    return [(name, value, largest.get(name, value)) for name, value in keywords.items()]


def _checked(Y: np.ndarray, what: str) -> np.ndarray:
    if not 1 <= Y.shape[1] <= 3 and len(Y):
        raise InputError(
            f"{what} must have 1, 2 or 3 coordinates for each node; got {Y.shape[1]}. An audit judges pictures: give "
            "the positions that are drawn"
        )
    return standardize(Y)  # squares of huge or tiny positions would overflow


def _audit(of: Audited, G: object, pos: object, seed: int, n_jobs: int | None) -> Audit:
    """Draw the references, and judge."""
    Y, n, notes = of.Y, len(of.Y), list(of.network.notes)
    labels = component_labels(of.P)
    sizes = np.bincount(labels) if n else np.zeros(0, dtype=int)
    parts = parts_of(of.P, labels, seed)
    notes += _limits_in_words(of, sizes, parts)
    with threads_for(n_jobs) as threads:
        references = drawings(of, of.references, seed, 0) if n else []
        rivals = drawings(of, of.rivals, seed, 1) if n else []
        rows = reach(of, parts, [*references, *rivals], seed, threads) if n else ()
        moves, usual = _moves(parts, Y, threads), [_moves(parts, each, threads) for each in references]
        found = find_misplaced(moves, usual, Y, threads)
        found = _with_gaps_closed(of, found, parts, usual, references, threads)
    names = of.network.labels
    misplaced = tuple(
        replace(
            each, node=names[each.node], better_near=names[each.better_near],
            sentence=misplaced_sentence(
                names[each.node], names[each.better_near], found.shorter[each.node], found.rank[each.node]
            ),
        )
        for each in found.accused
    )  # fmt: skip
    if found.better:
        notes.append(f"nodes that could lie better beside where they are, and are no strangers there: {found.better}")
    groups = _groups(of, found.repaired, references, seed) if parts else _Groups()
    share = middle_share(rows, of.decisive)
    counts = len(misplaced), len(groups.gaps), len(groups.pairs), len(groups.clusters)
    verdict = f"{reached_in_words(share)} {_claims(share, *counts, len(of.references))}"
    last = lagging(rows, of.decisive)
    if last is not None and share >= POOR:
        reached = f"{last.measure} reaches {part_in_words(last.share)}"
        verdict += f" One measure lags: {reached}, so the others alone mislead."
    notes += groups.notes
    return Audit(
        misplaced, groups.gaps, groups.pairs, groups.clusters, tuple(notes), verdict, share, rows, G, pos
    )  # fmt: skip


def _with_gaps_closed(
    of: Audited, found: Found, parts: Sequence[Part], usual: Sequence[Sequence[Moves]],
    references: Sequence[np.ndarray], threads: Threads,
) -> Found:  # fmt: skip
    """Keep the nodes that are misplaced with closed gaps, too: the others lie at a gap."""
    gaps, _ = torn(of.P, of.Y, references) if found.accused else ((), ())
    if not gaps:
        return found
    Y = closed(of.P, of.Y, gaps)
    still = {each.node for each in find_misplaced(_moves(parts, Y, threads), usual, Y, threads).accused}
    accused = tuple(each for each in found.accused if each.node in still)
    repaired, rows = of.Y.copy(), [each.node for each in accused]
    repaired[rows] = found.repaired[rows]
    return replace(found, accused=accused, repaired=repaired)


def _moves(parts: Sequence[Part], Y: np.ndarray, threads: Threads) -> list[Moves]:
    """Return the moves of all parts of the drawing Y (n, dim)."""
    return [moves_of(part, Y[part.nodes], threads) for part in parts]


class _Groups(NamedTuple):
    """Faults of groups with the caller's names, and notes."""

    gaps: tuple[Torn, ...] = ()
    pairs: tuple[Hidden, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    notes: tuple[str, ...] = ()


def _groups(of: Audited, Y: np.ndarray, references: Sequence[np.ndarray], seed: int) -> _Groups:
    """Find the faults of groups in the repaired drawing Y (n, dim)."""
    names, kind = of.network.labels, of.kind
    clusters, said = false_clusters(Y, references) if of.is_table else ((), ())
    gaps, wide = torn(of.P, Y, references)
    made = np.zeros(len(Y), dtype=bool)
    for each in clusters:
        made[list(each.nodes)] = True
    # A gap beside groups that the drawing made is part of the same fault.
    gaps = [gap for gap in gaps if not any(made[list(side)].mean() > 0.5 for side in gap.nodes)]
    pairs, more = false_neighbors(of.P, Y, references, seed)

    def named(nodes: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(names[node] for node in nodes)

    def both(fault: Torn | Hidden) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return named(fault.nodes[0]), named(fault.nodes[1])

    return _Groups(
        tuple(replace(gap, nodes=both(gap), sentence=torn_sentence(of.P, gap, names, kind)) for gap in gaps),
        tuple(replace(pair, nodes=both(pair), sentence=hidden_sentence(of.P, pair, names, kind)) for pair in pairs),
        tuple(
            replace(cluster, nodes=named(cluster.nodes), sentence=cluster_sentence(of.P, cluster, names, kind))
            for cluster in clusters
        ),
        (*said, *more, *(gap_note(of.P, gap, names, kind) for gap in wide[:MAX_GAP_NOTES])),
    )


def _claims(share: float, nodes: int, gaps: int, pairs: int, groups: int, references: int) -> str:
    """Return one sentence on the findings."""
    how = f"({references} references, false discovery rate {LEVEL:.0%})"
    said = [
        *([f"{gaps} false {'gaps' if gaps > 1 else 'gap'}"] if gaps else []),
        *([f"{pairs} {'pairs' if pairs > 1 else 'pair'} of communities drawn as one"] if pairs else []),
        *([f"{groups} {'groups' if groups > 1 else 'group'} made by the drawing"] if groups else []),
        *([f"{nodes} {'nodes' if nodes > 1 else 'node'} among strangers"] if nodes else []),
    ]
    if not said and math.isnan(share):
        return f"No fault stands out {how}."
    if not said and share < FAIR:
        why = "because all of it is near chance" if share < POOR else "but all of it could be better"
        return f"No single fault stands out, {why} {how}."
    if not said:
        return f"What the drawing claims holds: nothing beyond chance {how}."
    return f"It has {' and '.join(filter(None, [', '.join(said[:-1]), said[-1]]))} {how}."


def _limits_in_words(of: Audited, sizes: np.ndarray, parts: Sequence) -> list[str]:
    """Return notes on what is not judged."""
    notes, n = [], len(of.Y)
    together = int(coincident_nodes(of.Y).value) if n else 0
    if together:
        notes.append(f"{together} of {n} nodes share their position with another: a reader sees one of each place")
    judged = sum(len(part.nodes) for part in parts)
    if judged < n:
        few = f"components of fewer than {MIN_JUDGED} nodes are not judged"
        notes.append(f"{n - judged} of {n} nodes are not accused of anything: {few}")
    if len(sizes) > 1 and len(parts) > 1:
        notes.append("each component is judged alone; how components lie beside each other claims nothing")
    return notes
