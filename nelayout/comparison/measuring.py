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

from nelayout.comparison import drawings
from nelayout.errors import InputError, Unsupported, unknown
from nelayout.graphs import every_position, guard, read
from nelayout.quality import MEASURES
from nelayout.quality.protocol import Measure, MeasuredDrawing

__all__ = ["Measured", "integer_seed", "measure", "measure_drawing", "measures", "sample_size"]


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
    """List the measures: name, definition, better direction, how the score follows from the value, keywords it needs.

    Examples
    --------
    >>> from nelayout import measures
    >>> measures()[2]["name"], measures()[2]["better"], measures()[2]["score"]
    ('stress', 'lower', '1 - value')
    """
    return [
        {
            "name": entry.name,
            "definition": entry.definition,
            "better": "higher" if entry.score.higher else "lower",
            "score": entry.score.words,
            "needs": " ".join(KEYWORD[field] for field in entry.uses if field in KEYWORD),
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
) -> dict[str, Measured]:
    """Measure how good a drawing is.

    The graph counts as undirected and unweighted: distances are numbers of edges.

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
    measures : names to take, in this order; None takes all for which everything needed was given.
    weight : edge attribute; an edge whose weight is 0 is no edge. None takes all edges.
    node_size : diameters in the units of `pos` (number, dict, array or attribute), for `overlaps`.
    sample : "auto" is exact where that takes seconds and samples beyond (neighborhoods and nearest nodes
        above 20,000 nodes, stress above 2,000, the area of classes above 5,000, crossings by work); None is
        always exact; a number is the nodes, pivots or edges to sample.
    seed : of the samples and of ties: int, None, `numpy.random.Generator` or `RandomState`.

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
        )
        return measure_drawing(drawing, measures, sample_size(sample), integer_seed(seed))


def measure_drawing(
    drawing: MeasuredDrawing, names: str | Iterable[str] | None, sample: Any, seed: int
) -> dict[str, Measured]:
    """Take the named measures (None: all that apply) of a drawing in arrays."""
    if isinstance(names, str):
        names = [names]
    result = {}
    for entry in MEASURES.values() if names is None else map(_entry, names):
        needs = {"sample": sample, "seed": seed}
        needs = {use: needs[use] if use in needs else getattr(drawing, use) for use in entry.uses}
        wanting = [KEYWORD[use] for use, x in needs.items() if x is None and use in KEYWORD]
        flat = entry.dim is None or drawing.Y.shape[1] == entry.dim
        if names is None and (wanting or not flat):
            continue
        if wanting:
            raise InputError(f"the measure {entry.name!r} needs {wanting[0]}=...: give it, or leave it out")
        if not flat:
            raise Unsupported(
                f"the measure {entry.name!r} is defined in {entry.dim} dimensions, "
                f"given {drawing.Y.shape[1]}; leave it out"
            )
        value, error, exact = entry.find(**needs)
        score = float(np.clip(entry.score.of(value, drawing), 0.0, 1.0))
        result[entry.name] = Measured(float(value), score, float(error), exact)
    return result


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
