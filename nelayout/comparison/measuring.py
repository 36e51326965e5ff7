"""`measure` takes the measures of a drawing, `measures` lists them.

>>> import networkx as nx
>>> from nelayout import measure
>>> square = nx.cycle_graph(4)
>>> corners = {0: (0, 0), 1: (1, 0), 2: (1, 1), 3: (0, 1)}
>>> found = measure(square, corners)
>>> found["crossings"].value, found["neighborhood"].value, round(float(found["stress"]), 3)
(0.0, 1.0, 0.023)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.comparison import drawings
from nelayout.errors import InputError, Unsupported, unknown
from nelayout.graphs import Network, every_position, guard, links, read
from nelayout.quality import MEASURES
from nelayout.quality.input_distances import InputDistances, PathLengths
from nelayout.quality.protocol import Measure, MeasuredDrawing
from nelayout.quality.sweep import Sweep

__all__ = ["Measured", "integer_seed", "measure", "measure_drawing", "measures", "path_lengths", "sample_size"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one drawing; ``float(m)`` is its value.

    value  in the measure's own units (see `nelayout.measures`); NaN where there is nothing to measure (no edges,
           no known label)
    score  the value on a scale from 0 to 1, higher is better
    error  standard error of the value if it was sampled, else 0
    exact  whether all nodes, pairs and edges entered
    """

    value: float
    score: float
    error: float
    exact: bool

    def __float__(self) -> float:
        return self.value


# Field that a measure needs -> keyword of `measure` that brings it.
KEYWORD = {"classes": "labels", "coords": "coords", "diameters": "node_size"}


def measures() -> list[dict[str, str]]:
    """List the measures, in the order of "all".

    Returns
    -------
    list of dicts
        name, definition; better: "higher" or "lower"; score: how it follows from the value; needs: keywords of
        `measure` that bring what is needed; default: for what it is taken unasked ("graphs", "vectors"); applies: for
        what it is defined; dimensions: the only number of dimensions, or ""; invariances: what does not change the
        value (translation, rotation, reflection, scale and affine are changes of the drawing, monotone is an increasing
        function of all distances in the input); complexity, for n nodes and m edges; sampling: what ``sample="auto"``
        samples, and from which size on; source: paper and equation

    Examples
    --------
    >>> from nelayout import measures
    >>> measures()[2]["name"], measures()[2]["better"], measures()[2]["score"]
    ('stress', 'lower', '1 - value')
    >>> [each["name"] for each in measures() if "monotone" in each["invariances"]][:3]
    ['trustworthiness', 'continuity', 'q_nx']
    """
    return [
        {
            "name": entry.name,
            "definition": entry.definition,
            "better": "higher" if entry.score.higher else "lower",
            "score": entry.score.words,
            "needs": " ".join(KEYWORD[field] for field in entry.uses if field in KEYWORD),
            "default": " ".join(entry.default_for),
            "applies": "graphs" if "adjacency" in entry.uses else "graphs vectors",
            "dimensions": "" if entry.dim is None else str(entry.dim),
            "invariances": " ".join(entry.invariances),
            "complexity": entry.complexity,
            "sampling": entry.sampling,
            "source": entry.source,
        }
        for entry in MEASURES.values()
    ]


def measure(
    G: Any,
    pos: Any,
    labels: Any = None,
    coords: Any = None,
    *,
    measures: str | Iterable[str] | None = None,
    weight: str | None = "weight",
    node_size: Any = None,
    sample: str | int | None = "auto",
    seed: Any = 0,
    lengths: str | None = None,
) -> dict[str, Measured]:
    """Measure how good a drawing is.

    The graph counts as undirected and unweighted: distances are numbers of edges, or with `lengths` of paths. Nodes
    that no path joins have no distance: measures of distances leave such pairs out (`distance_correlation` takes the
    largest component), and measures of ranks take them for equally far, farther than all others.

    Parameters
    ----------
    G : networkx graph, igraph.Graph, scipy.sparse matrix or array, square array.
    pos : dict keyed by node, igraph.Layout, array (n, dim) in node order, or a `Solution`; every node needs a
        place.
    labels : classes of nodes, for `class_auc` and `class_accuracy`: a dict, an array or a node attribute's
        name. None, NaN, -1 and "" are unknown; such nodes take no part.
    coords : true plane coordinates, for `map_r2` and `map_neighbors`: a dict, a Layout or an array; nodes
        without, or with NaN, take no part. For longitudes and latitudes give x = lon cos(median lat),
        y = lat.
    measures : names to take, in this order; None takes those that are default for graphs (see `nelayout.measures`), and
        "all" takes all, for which everything needed was given.
    weight : edge attribute; an edge whose weight is 0 is no edge. None takes all edges.
    node_size : diameters in the units of `pos` (number, dict, array or attribute), for `overlaps`.
    sample : "auto" is exact where that takes seconds and samples beyond (neighborhoods and nearest nodes
        above 20,000 nodes, stress above 2,000, the area of classes, ranks and pairs above 5,000, crossings by work);
        None is always exact (`spearman` and `nonmetric_stress` then hold some 60 bytes for each pair); a number is the
        nodes, pivots or edges to sample.
    seed : of the samples and of ties: int, None, `numpy.random.Generator` or `RandomState`.
    lengths : edge attribute that holds lengths of edges, numbers > 0: distances are then lengths of shortest paths, of
        parallel edges the shortest counts, and an edge without a length has length 1. Any name takes the entries of a
        matrix. None: numbers of edges.

    Returns
    -------
    dict of `Measured` by name: value, score (0 to 1, higher is better), standard error, exact.

    Raises
    ------
    InputError
        for a node without a place, an unknown measure (with near matches), or a measure whose `labels`,
        `coords` or `node_size` are missing; for networkx graphs they are `networkx.NetworkXError` too.
    Unsupported
        for `crossings` outside two dimensions, when asked for by name.

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
    network = read(G, weight=weight)
    with guard(G):
        drawing = MeasuredDrawing(
            network.adjacency,
            every_position(network, pos),
            drawings.classes(drawings.class_names(network, labels)),
            drawings.coordinates(network, coords),
            None if node_size is None else network.host.values(node_size, "node_size", nonnegative=True),
            path_lengths(G, network, lengths),
        )
        return measure_drawing(drawing, measures, sample_size(sample), integer_seed(seed))


def measure_drawing(
    drawing: MeasuredDrawing, names: str | Iterable[str] | None, sample: Any, seed: int
) -> dict[str, Measured]:
    """Take the named measures (None: the default ones that apply, "all": all that apply) of a drawing in arrays."""
    kind = "vectors" if drawing.adjacency is None else "graphs"
    if names is None:
        chosen = [entry for entry in MEASURES.values() if kind in entry.default_for]
    elif names == "all":
        chosen, names = list(MEASURES.values()), None
    else:
        chosen = [_entry(name) for name in ([names] if isinstance(names, str) else names)]
    distances = drawing.distances
    brought: dict[str, Any] = {"sample": sample, "seed": seed}
    if distances is not None:
        brought["sweep"] = Sweep(distances, drawing.Y, sample, seed)
    result = {}
    for entry in chosen:
        flat = entry.dim is None or drawing.Y.shape[1] == entry.dim
        wanting = [use for use in entry.uses if use not in brought and getattr(drawing, use) is None]
        if names is None and (wanting or not flat):
            continue
        if "adjacency" in wanting:
            raise InputError(f"the measure {entry.name!r} is one of edges, and vectors have none: leave it out")
        if wanting:
            raise InputError(f"the measure {entry.name!r} needs {KEYWORD[wanting[0]]}=...: give it, or leave it out")
        if not flat:
            raise Unsupported(
                f"the measure {entry.name!r} is defined in {entry.dim} dimensions, "
                f"given {drawing.Y.shape[1]}; leave it out"
            )
        needs = {use: brought[use] if use in brought else getattr(drawing, use) for use in entry.uses}
        value, error, exact = entry.find(**needs)
        score = float(np.clip(entry.score.of(value, drawing), 0.0, 1.0))
        result[entry.name] = Measured(float(value), score, float(error), exact)
    return result


def path_lengths(G: Any, network: Network, lengths: str | None) -> InputDistances | None:
    """Lengths of paths by an edge attribute, None where none is named; checks every length."""
    if lengths is None:
        return None
    found = links(G)
    is_matrix = list(found.names) == ["weight"] and isinstance(network.labels, range)
    if not isinstance(lengths, str) or not (is_matrix or lengths in found.names):
        raise unknown("edge attribute for lengths", lengths, found.names)
    values = found.attribute(lengths)
    apart = found.rows != found.cols
    long = np.empty(len(values))
    for k, value in enumerate(values):
        try:
            long[k] = 1.0 if value is None else float(value)
        except (TypeError, ValueError):
            long[k] = np.nan
        if apart[k] and not (np.isfinite(long[k]) and long[k] > 0):
            ends = network.labels[int(found.rows[k])], network.labels[int(found.cols[k])]
            raise InputError(
                f"the length {lengths!r} of edge {ends} is {value!r}; lengths are finite numbers > 0, since a path of "
                "length 0 leaves two nodes no distance: correct it, or leave lengths out"
            )
    n = len(network.labels)
    i, j = np.minimum(found.rows, found.cols)[apart], np.maximum(found.rows, found.cols)[apart]
    long = long[apart]
    order = np.lexsort((long, j, i))
    i, j, long = i[order], j[order], long[order]
    first = np.ones(len(i), bool)
    first[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
    i, j, long = i[first], j[first], long[first]
    return PathLengths(csr_array((np.r_[long, long], (np.r_[i, j], np.r_[j, i])), shape=(n, n)))


def sample_size(sample: Any) -> Any:
    """Check `sample`: "auto", None, or an integer of at least 2."""
    if sample is None or (isinstance(sample, str) and sample == "auto"):
        return sample
    if isinstance(sample, bool) or not hasattr(sample, "__index__") or int(sample) < 2:
        raise InputError(f'sample={sample!r}; allowed are "auto", None (exact) and a number of at least 2')
    return int(sample)


def integer_seed(seed: Any) -> int:
    """Turn a seed of any kind into one integer, so that no measure's draws depend on which others are taken."""
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**31 - 1))
    if isinstance(seed, np.random.Generator) or seed is None:
        return int(np.random.default_rng(seed).integers(2**31 - 1))
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or int(seed) < 0:
        raise InputError(
            f"seed={seed!r}; allowed are an integer >= 0, None, "
            "numpy.random.Generator and numpy.random.RandomState"
        )
    return int(seed)


def _entry(name: str) -> Measure:
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES)
    return MEASURES[name]
