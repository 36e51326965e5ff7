"""Measures of drawings: `measure`, `measure_vectors`, curves of ranks, and `stability`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.comparison import inputs
from nelayout.core.record.shown import TableOfRows, TableOfValues
from nelayout.errors import InputError, InputTypeError, Unsupported, unknown
from nelayout.graphs import Network, every_position, links, points, read, translated_errors
from nelayout.graphs.network import check_kind
from nelayout.graphs.to_floats import numbers
from nelayout.keywords.signatures import checks_keywords
from nelayout.numerics.nearest import squared_distances
from nelayout.quality.distances import InputDistances, hop_distances, path_distances
from nelayout.quality.neighborhoods import neighbors_kept, procrustes_apart
from nelayout.quality.ranks import RankCurves, curves
from nelayout.quality.samples import NEIGHBORS, Sampled, Sweep
from nelayout.quality.table import MEASURES, MeasuredDrawing
from nelayout.vectors.input import read_rows
from nelayout.vectors.knn import knn_graph
from nelayout.vectors.metrics import ROUNDING, Metric, odd_distances, prepare

__all__ = [
    "Measured", "RankCurves", "chosen_measures", "facts_of", "measure", "measure_drawing", "measure_vectors",
    "measures", "path_lengths", "rank_curves", "rank_curves_vectors", "stability", "table_facts", "vector_distances",
]  # fmt: skip

# Field that a measure needs -> keyword of `measure` for it.
KEYWORD = {"classes": "labels", "coords": "coords", "diameters": "node_size"}


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one drawing; ``float(m)`` is its value.

    Attributes
    ----------
    value
        in the measure's own units (see `nelayout.measures`); NaN where there is nothing to measure (no edges,
        no known label)
    score
        the value on a scale from 0 to 1, higher is better
    error
        standard error of the value if it was sampled, else 0
    exact
        whether all nodes, pairs and edges entered
    runs
        the value of each seed, if this is a mean over several seeds
    """

    value: float
    score: float
    error: float
    exact: bool
    runs: tuple[float, ...] = field(default=(), repr=False)

    def __float__(self) -> float:
        return self.value


def measures() -> list[dict[str, str]]:
    """List the measures, in the order of "all".

    Returns
    -------
    list of dicts, which prints as a table
        name, definition; better: "higher" or "lower"; score: its rule; needs: keywords of `measure` for the input;
        default: "graphs", "vectors" or both, where it is taken by default; applies: where it is defined; dimensions:
        the only number of dimensions, or ""; invariances: changes that do not change the value (translation, rotation,
        reflection, scale and affine change the drawing, monotone is an increasing function of all distances in the
        input); complexity, for n nodes and m edges; sampling: the sample of ``sample="auto"``, and its least size of
        graph; source: paper and equation

    Examples
    --------
    >>> from nelayout import measures
    >>> measures()[2]["name"], measures()[2]["better"], measures()[2]["score"]
    ('stress', 'lower', '1 - value')
    >>> [each["name"] for each in measures() if "monotone" in each["invariances"]][:3]
    ['trustworthiness', 'continuity', 'q_nx']
    """
    rows = [
        {
            "name": name,
            "definition": entry.definition,
            "better": "higher" if entry.score.higher else "lower",
            "score": entry.score.words,
            "needs": " ".join(KEYWORD[field] for field in entry.uses if field in KEYWORD),
            "default": " ".join(entry.default_for),
            "applies": "graphs" if "adjacency" in entry.uses else "graphs vectors",
            "dimensions": "" if entry.dim is None else str(entry.dim),
            "invariances": " ".join(entry.invariances),
            "complexity": entry.complexity,
            "sampling": entry.sampling or "none: always exact",
            "source": entry.source,
        }
        for name, entry in MEASURES.items()
    ]
    return TableOfRows(rows, ("name", "better", "default", "needs", "definition"))


@checks_keywords
def measure(
    G: object,
    pos: object,
    labels: object = None,
    coords: object = None,
    *,
    measures: str | Iterable[str] | None = None,
    weight: str | None = "weight",
    weight_kind: str = "auto",
    node_size: object = None,
    sample: str | int | None = "auto",
    seed: object = 0,
    lengths: str | None = None,
) -> dict[str, Measured]:
    """Measure how good a drawing is.

    The graph counts as undirected and unweighted: distances are numbers of edges, or with `lengths` of paths. Nodes
    that no path joins have no distance. Measures of distances leave such pairs out (`distance_correlation` takes the
    largest component). Measures of ranks treat them as equally far, farther than all others.

    Parameters
    ----------
    G : networkx graph, igraph.Graph, scipy.sparse matrix or array, square array.
    pos : dict keyed by node, igraph.Layout, array (n, dim) in node order, or a `Solution`; every node needs a position.
    labels : classes of nodes, for `class_auc`, `class_accuracy` and `class_ari`: a dict, an array or a node attribute's
        name. None, NaN, -1 and "" are unknown; such nodes are left out.
    coords : true plane coordinates, for `map_r2` and `map_neighbors`: a dict, a Layout or an array. Nodes without
        coordinates, or with NaN, are left out. For longitudes and latitudes give x = lon cos(median lat), y = lat.
    measures : names to take, in this order; None takes the defaults for graphs (see `nelayout.measures`), and "all"
        takes all with the necessary input.
    weight : edge attribute; edges of weight 0 are left out. None takes all edges.
    weight_kind : "distance" takes the weights for `lengths`. With any other kind distances are numbers of edges.
    node_size : diameters in the units of `pos` (number, dict, array or attribute), for `overlaps`.
    sample : "auto" is exact for small graphs and samples large ones. It samples neighborhoods and nearest nodes above
        20,000 nodes, and stress above 2,000. Ranks, pairs and the area of classes are sampled above 5,000, crossings by
        work. None is always exact; `spearman` and `nonmetric_stress` then hold about 60 bytes for each pair. A number
        is the nodes, pivots or edges to sample.
    seed : of the samples: int, None, `numpy.random.Generator` or `RandomState`.
    lengths : edge attribute with lengths of edges, numbers > 0: distances are then lengths of shortest paths. The
        shortest of parallel edges counts, and an edge without a length has length 1. Any name takes the entries of a
        matrix. None: numbers of edges.

    Returns
    -------
    dict of `Measured` by name: value, score (0 to 1, higher is better), standard error, exact. It prints as a table.

    Raises
    ------
    InputError
        for a node without a position, an unknown measure (with near matches), or a measure that lacks its `labels`,
        `coords` or `node_size`; for networkx graphs they are `networkx.NetworkXError` too.
    Unsupported
        for `crossings` outside two dimensions, if asked for by name.

    Examples
    --------
    >>> import networkx as nx
    >>> from nelayout import measure
    >>> G = nx.path_graph(3)
    >>> pos = {0: (0, 0), 1: (1, 0), 2: (1, 0)}
    >>> found = measure(G, pos, measures=["stress", "coincident"])
    >>> round(found["stress"].value, 3), float(found["coincident"])
    (0.4, 2.0)
    """
    with translated_errors(G):
        check_kind(weight_kind)
        if weight_kind == "distance" and lengths is None:
            lengths, weight = weight, None
        network = read(G, weight=weight)
        graph = {"adjacency": network.adjacency, "given": path_lengths(G, network, lengths)}
        facts = facts_of(network, labels, coords, node_size, **graph)
        return measure_drawing(replace(facts, Y=every_position(network, pos)), measures, sample, seed)


@checks_keywords
def measure_vectors(
    X: object,
    Y: object,
    labels: object = None,
    *,
    metric: object = "euclidean",
    metric_params: dict[str, object] | None = None,
    measures: str | Iterable[str] | None = None,
    coords: object = None,
    node_size: object = None,
    sample: str | int | None = "auto",
    seed: object = 0,
) -> dict[str, Measured]:
    """Measure how good an embedding of vectors is.

    Measures keep their names. Distances are distances of the rows. For `neighborhood`, `precision`, `recall` and
    `f_score`, the neighbors of a row are its 10 nearest. Measures of edges are not defined.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix, or (n, n) distances for metric="precomputed".
    Y : (n, dim) positions of the rows in any number of dimensions, or a `Solution`.
    labels : classes of the rows, one each, for `class_auc`, `class_accuracy` and `class_ari`; None, NaN, -1 and "" are
        unknown.
    metric, metric_params : as in `nelayout.knn_graph`.
    measures : names to take, in this order; None takes the defaults for vectors (see `nelayout.measures`), and "all"
        takes all with the necessary input. `neighborhood`, `precision`, `recall` and `f_score` find the 10 nearest of
        every row, which is slow above about 50,000 rows.
    coords : true coordinates of the rows, (n, d'), for `map_r2` and `map_neighbors`.
    node_size : diameters in the units of `Y`, for `overlaps`.
    sample, seed : as in `nelayout.measure`.

    Returns
    -------
    dict of `Measured` by name.

    Raises
    ------
    InputError
        for NaN or infinity in X or Y (row named), another number of rows in Y or labels than in X, incomplete or
        asymmetric distances, distances of a row to itself, an unknown measure or metric (with near matches), a measure
        that lacks its `labels`, `coords` or `node_size`, or a measure of edges.

    Examples
    --------
    >>> import numpy as np
    >>> from nelayout import measure_vectors
    >>> X = np.array([[0.0, 0, 0], [0, 1, 0], [5, 0, 0], [5, 1, 1]])
    >>> found = measure_vectors(X, X[:, :2], labels=[0, 0, 1, 1], measures=["spearman", "stress", "class_ari"])
    >>> {name: round(m.value, 3) for name, m in found.items()}
    {'spearman': 0.91, 'stress': 0.013, 'class_ari': 1.0}
    """
    seed = inputs.integer_seed(seed)
    facts = table_facts(X, metric, metric_params, labels, coords, node_size, seed)
    return measure_drawing(replace(facts, Y=inputs.every_row(Y, len(facts.Y), "Y")), measures, sample, seed)


def table_facts(
    X: object,
    metric: object,
    params: dict[str, object] | None,
    labels: object,
    coords: object,
    node_size: object,
    seed: int,
) -> MeasuredDrawing:
    """Return what is known of the rows of a table beside their positions."""
    rows = read_rows(X, metric)
    if issparse(rows) and isinstance(metric, str) and metric == "precomputed":
        raise InputError(
            "a sparse table of distances lacks most of them, and measures compare all: give an (n, n) array, or "
            "X with its metric"
        )
    n = rows.shape[0]
    for what, values in (("labels", labels), ("coords", coords), ("node_size", node_size)):
        inputs.check_rows(what, values, n)

    def near() -> csr_array:
        k = min(NEIGHBORS, n - 1)
        return csr_array(knn_graph(X, k, metric, symmetrize="none", seed=seed, metric_params=params))

    distances = vector_distances(prepare(rows, metric, params), n)
    return facts_of(points(np.zeros((n, 2))), labels, coords, node_size, given=distances, near=near)


def facts_of(network: Network, labels: object, coords: object, node_size: object, **distances: Any) -> MeasuredDrawing:
    """Return what is known of the nodes beside their positions; see `MeasuredDrawing`."""
    names, numbers = inputs.class_names(network, labels), dict[object, int]()
    known = None
    if names is not None:  # numbers in order of appearance
        known = np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in names], int)
    diameters = None if node_size is None else network.host.values(node_size, "node_size", nonnegative=True)
    nowhere = np.zeros((len(network.labels), 0))
    return MeasuredDrawing(nowhere, known, inputs.coordinates(network, coords), diameters, **distances)


def chosen_measures(names: str | Iterable[str] | None, facts: MeasuredDrawing) -> list[str]:
    """Return the measures to take; `InputError` for unknown names and missing facts."""
    absent = [use for use in ("adjacency", *KEYWORD) if getattr(facts, use) is None]
    if names is None or (isinstance(names, str) and names == "all"):
        kind = "vectors" if "adjacency" in absent else "graphs"
        return [
            name
            for name, entry in MEASURES.items()
            if not set(absent) & set(entry.uses) and (names == "all" or kind in entry.default_for)
        ]
    found = [names] if isinstance(names, str) else list(names)
    for name in found:
        if name not in MEASURES:
            raise unknown("measure", name, MEASURES)
        wanting = [use for use in MEASURES[name].uses if use in absent]
        if "adjacency" in wanting:
            raise InputError(f"the measure {name!r} needs edges, and vectors have none: leave it out")
        if wanting:
            raise InputError(
                f"the measure {name!r} needs {KEYWORD[wanting[0]]}=NAME: give it, or leave the measure out"
            )
    return found


def measure_drawing(
    drawing: MeasuredDrawing, names: str | Iterable[str] | None, sample: object, seed: object
) -> dict[str, Measured]:
    """Return measures of a drawing: `names`, the defaults (None), or all that apply ("all")."""
    brought: dict[str, Any] = {"sample": inputs.sample_size(sample), "seed": inputs.integer_seed(seed)}
    if drawing.distances is not None:
        brought["sweep"] = Sweep(drawing.distances, drawing.Y, **brought)
    result = TableOfValues()
    for name in chosen_measures(names, drawing):
        entry, dim = MEASURES[name], drawing.Y.shape[1]
        if entry.dim in (None, dim):
            found = entry.find(**{use: brought[use] if use in brought else getattr(drawing, use) for use in entry.uses})
            result[name] = _measured(found, entry.score.of(found.value, drawing))
        elif names is not None and names != "all":
            raise Unsupported(f"the measure {name!r} is defined in {entry.dim} dimensions; got {dim}. Leave it out")
    return result


@checks_keywords
def rank_curves(
    G: object,
    pos: object,
    *,
    weight: str | None = "weight",
    lengths: str | None = None,
    sample: str | int | None = "auto",
    seed: object = 0,
) -> RankCurves:
    """Find Q_NX, B_NX and R_NX of a drawing of a graph, for neighborhoods of all sizes K.

    Ranks follow distances in the graph; ties count as their mean over all orders. `r_nx` is 1 for the best possible
    drawing and 0 for a random drawing. If nothing is tied, this is the curve of Lee et al. 2013.

    Parameters
    ----------
    G, pos, weight, lengths, sample, seed : as in `nelayout.measure`.

    Returns
    -------
    RankCurves
        arrays ``k``, ``q_nx``, ``b_nx``, ``r_nx``, ``attainable``, ``farthest``, and whether all nodes entered

    Raises
    ------
    InputError
        as `nelayout.measure` does.

    Examples
    --------
    >>> import networkx as nx
    >>> from nelayout import rank_curves
    >>> G = nx.path_graph(5)
    >>> found = rank_curves(G, {v: (float(v), 0.0) for v in G})
    >>> found.k.tolist(), found.r_nx.round(2).tolist()
    ([1, 2, 3, 4], [1.0, 1.0, 1.0, nan])
    """
    network = read(G, weight=weight)
    with translated_errors(G):
        Y = every_position(network, pos)
        distances = path_lengths(G, network, lengths) or hop_distances(network.adjacency)
        return curves(Sweep(distances, Y, inputs.sample_size(sample), inputs.integer_seed(seed)))


@checks_keywords
def rank_curves_vectors(
    X: object,
    Y: object,
    *,
    metric: object = "euclidean",
    metric_params: dict[str, object] | None = None,
    sample: str | int | None = "auto",
    seed: object = 0,
) -> RankCurves:
    """Find Q_NX, B_NX, R_NX of an embedding for all sizes K (Lee et al. 2013, (41) to (44)).

    Parameters
    ----------
    X, Y, metric, metric_params, sample, seed : as in `nelayout.measure_vectors`.

    Returns
    -------
    RankCurves
        as of `nelayout.rank_curves`

    Raises
    ------
    InputError
        as `nelayout.measure_vectors` does.

    Examples
    --------
    >>> import numpy as np
    >>> from nelayout import rank_curves_vectors
    >>> X = np.array([[0.0, 0], [1, 0], [3, 0], [7, 9]])
    >>> rank_curves_vectors(X, X[:, :1]).q_nx.tolist()
    [1.0, 1.0, 1.0]
    """
    facts = table_facts(X, metric, metric_params, None, None, None, 0)
    assert facts.given is not None
    rows = inputs.every_row(Y, len(facts.Y), "Y")
    return curves(Sweep(facts.given, rows, inputs.sample_size(sample), inputs.integer_seed(seed)))


@checks_keywords
def stability(drawings: Iterable, *, sample: str | int | None = "auto", seed: object = 0) -> dict[str, Measured]:
    """Measure how alike several drawings of one graph are, for example from several seeds.

    Parameters
    ----------
    drawings : at least two drawings of the same nodes: dicts keyed by node, or arrays, layouts or solutions in one
        node order; all in the same number of dimensions.
    sample, seed : as in `nelayout.measure`; above 20,000 nodes the neighbors of 5,000 are compared.

    Returns
    -------
    dict of `Measured`
        "procrustes": mean over pairs of drawings of the Procrustes statistic: the share of squared size that is left
        after the best similarity transform of one onto the other (0: the same drawing; score 1 - value). "neighbors":
        mean over pairs and over nodes of the Jaccard index of a node's 10 nearest in both (1: the same). Errors are
        standard errors over drawings (jackknife), infinite for two drawings.

    Raises
    ------
    InputError
        for fewer than two drawings, another set of nodes or number of dimensions than in the first (named), and for a
        node without a position.

    Examples
    --------
    >>> import networkx as nx
    >>> import nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> found = nl.stability([nl.ws_sne_layout(G, seed=seed) for seed in range(4)])
    >>> found["procrustes"].value < 0.2, found["neighbors"].value > 0.6
    (True, True)
    """
    if isinstance(drawings, Mapping) or not isinstance(drawings, Iterable):
        kind = type(drawings).__name__
        raise InputTypeError(f"stability compares several drawings; got one {kind}. Give a list of at least two")
    given = list(drawings)
    if len(given) < 2:
        raise InputError(f"stability compares at least two drawings; got {len(given)}. Draw with several seeds")
    network = points(given[0])
    placed = []
    for number, pos in enumerate(given):
        odd = sorted(map(repr, set(points(pos).labels) ^ set(network.labels)))
        if odd:
            raise InputError(
                f"drawing {number} has other nodes than drawing 0: {odd[0]} is in only one of them "
                f"({len(odd)} in all); give drawings of the same graph"
            )
        with inputs.named(f"drawing {number}"):
            placed.append(every_position(network, pos, f"drawing {number}"))
        if placed[-1].shape != placed[0].shape:
            raise InputError(
                f"drawing {number} has {placed[-1].shape[1]} dimensions and drawing 0 has {placed[0].shape[1]}; "
                "give all in the same number"
            )
    apart = procrustes_apart(placed)
    kept = neighbors_kept(placed, inputs.sample_size(sample), inputs.integer_seed(seed))
    return {"procrustes": _measured(apart, 1 - apart.value), "neighbors": _measured(kept, kept.value)}


def _measured(found: Sampled, score: float) -> Measured:
    return Measured(float(found.value), float(np.clip(score, 0.0, 1.0)), float(found.error), found.exact)


def path_lengths(G: object, network: Network, lengths: str | None) -> InputDistances | None:
    """Return lengths of paths by an edge attribute, None without one; checks every length."""
    if lengths is None:
        return None
    found = links(G)
    is_matrix = list(found.names) == ["weight"] and isinstance(network.labels, range)
    if not isinstance(lengths, str) or not (is_matrix or lengths in found.names):
        raise unknown("edge attribute for lengths", lengths, found.names)
    apart, n = found.rows != found.cols, len(network.labels)
    rows, cols = found.rows[apart], found.cols[apart]
    given = [1.0 if value is None else value for value in np.array(found.attribute(lengths), object)[apart]]

    def edge(k: int) -> str:
        return f"edge {(network.labels[int(rows[k])], network.labels[int(cols[k])])}"

    long = numbers(given, f"length {lengths!r}", edge)
    if not (long > 0).all():
        k = int(np.argmin(long))
        raise InputError(
            f"{edge(k)} has length {lengths!r} {long[k]:g}; every length must be a finite number > 0, since a path of "
            "length 0 leaves two nodes no distance: correct it, or leave lengths out"
        )
    ends, at = np.unique(np.minimum(rows, cols).astype(np.int64) * n + np.maximum(rows, cols), return_inverse=True)
    least = np.full(len(ends), np.inf)
    np.minimum.at(least, at, long)  # the shortest of parallel edges
    i, j = ends // n, ends % n
    return path_distances(csr_array((np.r_[least, least], (np.r_[i, j], np.r_[j, i])), shape=(n, n)))


def vector_distances(metric: Metric, n: int) -> InputDistances:
    """Return rows of distances in a metric; small Euclidean distances come from differences."""
    if metric.table is not None:
        for _, _, said in odd_distances(metric.table):
            remedy = "give their mean, say (X + X.T) / 2, with a diagonal of 0"
            raise InputError(f"{said}; measures need distances that are the same in both directions: {remedy}")
        table = np.asarray(metric.table, np.float64)
        return InputDistances(n, lambda nodes: table[nodes])
    if not metric.euclidean:
        return InputDistances(n, lambda nodes: metric.distances_from(metric.rows[nodes], "row", nodes))
    rows: Any = metric.rows.astype(np.float64)
    if not issparse(rows):
        rows = rows - rows.mean(axis=0)
    squared = np.asarray((rows * rows).sum(axis=1)).ravel()

    def find(nodes: np.ndarray) -> np.ndarray:
        product = rows[nodes] @ rows.T
        product = product.toarray() if issparse(product) else np.asarray(product)
        length = squared[nodes][:, None] + squared
        xi = length - 2 * product
        i, j = np.nonzero(xi < ROUNDING * length)  # products lose digits, differences do not
        xi[i, j] = squared_distances(rows, nodes[i], rows, j)
        return metric.convert(np.maximum(xi, 0.0))

    return InputDistances(n, find)
