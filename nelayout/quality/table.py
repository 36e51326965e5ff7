"""The table of measures, in the order of "all": definition, score, source, cost, sampling.

A new measure is a function of a subject's module and one entry here. `nelayout.measures` lists the entries.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality import classes, crossings, edges, neighborhoods, ranks, samples, stress
from nelayout.quality.distances import InputDistances, hop_distances
from nelayout.quality.samples import Sampled

__all__ = ["INVARIANCES", "MEASURES", "Measure", "MeasuredDrawing", "Score"]

# Changes that may leave a value as it is. "monotone" is an increasing function of all distances in the input. The
# others change the drawing; "affine" is any invertible linear map.
INVARIANCES = ("translation", "rotation", "reflection", "scale", "affine", "monotone")
RIGID = INVARIANCES[:3]
SIMILARITY = INVARIANCES[:4]
AFFINE = INVARIANCES[:5]
MONOTONE = (*SIMILARITY, "monotone")


@dataclass(frozen=True, eq=False)
class MeasuredDrawing:
    """A graph or vectors, the positions, and facts about the nodes; None for unknown facts.

    Y          (n, dim), finite
    classes    (n,) integers from 0, -1 unknown
    coords     (n, d') true coordinates, NaN rows unknown
    diameters  (n,) in the units of `Y`
    adjacency  (n, n) symmetric
    given      distances that the drawing should follow; None: numbers of edges
    near       finds the nearest rows of vectors: (n, n), each row has the neighbors of one node
    """

    Y: np.ndarray
    classes: np.ndarray | None = None
    coords: np.ndarray | None = None
    diameters: np.ndarray | None = None
    adjacency: csr_array | None = None
    given: InputDistances | None = None
    near: Callable[[], csr_array] | None = None

    @cached_property
    def distances(self) -> InputDistances | None:
        """Distances that the drawing should follow."""
        return hop_distances(self.adjacency) if self.given is None and self.adjacency is not None else self.given

    @cached_property
    def neighbors(self) -> csr_array | None:
        """Neighbors of each node in its row: the graph, or the nearest rows of vectors."""
        return self.adjacency if self.near is None else self.near()


@dataclass(frozen=True, slots=True)
class Score:
    """How a value becomes a score from 0 to 1.

    words   the rule in words
    of      the rule as a function of the value and the drawing
    higher  whether a higher value is better
    count   whether the value counts defects; a drawing has far fewer of them than are possible
    """

    words: str
    of: Callable[[float, MeasuredDrawing], float]
    higher: bool = False
    count: bool = False


@dataclass(frozen=True)
class Measure:
    """One measure of a drawing.

    definition   what the value is, in words
    find         function that returns a `Sampled`; see `uses`
    score        how the value becomes a score; higher is better
    source       paper and equation, or the closest published measure
    complexity   operations for n nodes and m edges
    sampling     when and what "auto" samples; "" for a measure that is always exact
    invariances  changes that do not change the value, among `INVARIANCES`
    default_for  "graphs", "vectors": inputs with this measure by default
    dim          the only dimension in which the measure is defined, None for any
    """

    definition: str
    find: Callable[..., Sampled]
    score: Score
    source: str
    complexity: str
    sampling: str = ""
    invariances: tuple[str, ...] = SIMILARITY
    default_for: tuple[str, ...] = ()
    dim: int | None = None

    @cached_property
    def uses(self) -> tuple[str, ...]:
        """Parameters of `find` that `measure` fills: fields of the drawing, sweep, sample, seed."""
        fields = {*MeasuredDrawing.__annotations__, "distances", "neighbors", "sweep", "sample", "seed"}
        return tuple(name for name in inspect.signature(self.find).parameters if name in fields)


# Inputs for which a measure is taken by default.
GRAPHS, VECTORS, BOTH = ("graphs",), ("vectors",), ("graphs", "vectors")

VALUE = Score("the value", lambda value, _: value, higher=True)
CHANCE = Score("the value, or 0 where it is negative", lambda value, _: value, higher=True)
REST = Score("1 - value", lambda value, _: 1.0 - value)
EVENNESS = Score("1 / (1 + value)", lambda value, _: 1.0 / (1.0 + value))
OTHER_NODES = Score(
    "1 - value / number of nodes", lambda value, drawing: 1.0 - value / max(len(drawing.Y), 1), count=True
)
OTHER_PAIRS = Score(
    "1 - value / number of pairs of edges without a common node",
    lambda value, drawing: 1.0 - value / max(crossings.most_crossings(csr_array(drawing.adjacency)), 1),
    count=True,
)

# Rules of sampling, costs and sources that several measures share.
NODES = f"{samples.NODES:nodes}"
PIVOTS = f"{samples.PIVOTS:pivots and all pairs with them} nodes"
ROWS = f"the ranks of all others seen from {samples.ROWS:nodes}"
PAIRS = "300 nodes, each with 3,000 others, above 5,000 nodes"
AROUND = f"the nodes drawn around {samples.ROWS:nodes}"
EDGES = "edges, where more than 4e8 pairs overlap along one axis"
SORT, TREE, SWEEP = "O(n^2 log n), sampled O(n log n) a node", "O(n log n)", "O(m log m + pairs of overlapping edges)"
SQUARE = "O(n^2), sampled O(n) a node"
KRUIGER = "neighborhood preservation of Kruiger et al. 2017, at radius {}; ties as their mean over all orders"
VENNA = "Venna & Kaski 2001; ties as their mean over all orders"
RETRIEVAL = "Venna et al. 2010; Im et al. 2018 threshold similarities of both sides instead"
EADES = "Eades, Hong, Nguyen & Klein 2017, with the mean Jaccard index; {}"

MEASURES: dict[str, Measure] = {
    "neighborhood": Measure(
        "mean Jaccard index of a node's neighbors and as many nearest nodes in the drawing (vectors: the 10 nearest of "
        "each)",
        neighborhoods.neighborhood_jaccard, VALUE, KRUIGER.format(1), "O(m + n log n)", NODES, default_for=GRAPHS,
    ),
    "neighborhood2": Measure(
        "mean Jaccard index of the nodes within two edges of a node and as many nearest nodes in the drawing",
        neighborhoods.neighborhood2, VALUE, KRUIGER.format(2), "O(nodes within two edges + n log n)", NODES,
        default_for=GRAPHS,
    ),
    "stress": Measure(
        "mean of ((s e - d) / d)^2 over pairs at distance d in the input (numbers of edges) and drawn e apart, at the "
        "best s",
        stress.distance_stress, REST,
        "Gansner, Koren & North 2004 with weights d^-2; the best scale as in Smelser, Miller & Kobourov 2024",
        "O(n m), sampled O(m) a pivot", PIVOTS, default_for=GRAPHS,
    ),
    "crossings": Measure(
        "pairs of segments that share a point, for edges without a common node",
        crossings.edge_crossings, OTHER_PAIRS, "Purchase 2002; edges that touch or overlap cross", SWEEP, EDGES, AFFINE,
        GRAPHS, dim=2,
    ),
    "edge_length_variation": Measure(
        "standard deviation of the edges' lengths over their mean",
        edges.edge_length_variation, EVENNESS,
        "edge length variation of Haleem et al. 2019, without their division by sqrt(m - 1)", "O(m)",
        default_for=GRAPHS,
    ),
    "coincident": Measure(
        "nodes that share their exact position with another",
        edges.coincident_nodes, OTHER_NODES, "this package", TREE, invariances=AFFINE, default_for=BOTH,
    ),
    "resolution": Measure(
        "smallest distance between two nodes over the median distance to the nearest node: near 0 two nodes hide each "
        "other, larger values mean nothing more (nodes on a circle have 1)",
        edges.node_resolution, VALUE,
        "node resolution, here over the median of the nearest distances and not over the diameter", TREE,
        default_for=GRAPHS,
    ),
    "overlaps": Measure(
        "nodes with a disc of diameter node_size that overlaps another",
        edges.overlapping_nodes, OTHER_NODES, "node occlusions of Taylor & Rodgers 2005, counted by node",
        "O(n log n + overlaps)", invariances=RIGID, default_for=BOTH,
    ),
    "class_auc": Measure(
        "area under mean precision against mean recall of a node's class among its K nearest, over all K",
        classes.class_auc, VALUE, "Yang, Peltonen & Kaski 2014, sec. 6", SORT, "300 nodes above 5,000",
        default_for=BOTH,
    ),
    "class_accuracy": Measure(
        "share of nodes with the class of the majority of their 10 nearest others",
        classes.class_accuracy, VALUE, "leave-one-out k-nearest-neighbor accuracy, as in van der Maaten & Hinton 2008",
        TREE, NODES, default_for=BOTH,
    ),
    "class_ari": Measure(
        "adjusted Rand index of the classes and of as many clusters of positions by k-means (best of 10 starts)",
        classes.class_ari, CHANCE, "Hubert & Arabie 1985", "O(n log c) an iteration for c classes",
        "the centers of 5,000 nodes, ten times, above 20,000",
    ),
    "map_r2": Measure(
        "R^2 of the best rotation, reflection, scale and shift of the drawing onto the true coordinates",
        neighborhoods.map_r2, VALUE, "Procrustes analysis (Gower 1975): 1 - its statistic", "O(n)", default_for=BOTH,
    ),
    "map_neighbors": Measure(
        "mean share of a node's 10 nearest on the map that are among its 10 nearest in the drawing",
        neighborhoods.map_neighbors, VALUE,
        "Q_NX of the map and the drawing at K = 10 (Lee & Verleysen 2009); ties as their mean over all orders", TREE,
        NODES, default_for=BOTH,
    ),
    "precision": Measure(
        "mean share of the nodes drawn within one radius of a node that are its neighbors, at the radius of the "
        "largest F",
        partial(neighborhoods.retrieval_at_best, part="precision"), VALUE, RETRIEVAL, SQUARE, AROUND,
    ),
    "recall": Measure(
        "mean share of a node's neighbors that are drawn within one radius of it, at the radius of the largest F",
        partial(neighborhoods.retrieval_at_best, part="recall"), VALUE, RETRIEVAL, SQUARE, AROUND,
    ),
    "f_score": Measure(
        "harmonic mean of precision and recall of neighborhoods of one radius, at the radius where it is largest",
        partial(neighborhoods.retrieval_at_best, part="f_score"), VALUE, RETRIEVAL, SQUARE, AROUND,
    ),
    "trustworthiness": Measure(
        "1 - how far, in ranks of the input, the intruders among a node's 10 nearest in the drawing come from, over "
        "the most that any drawing has",
        partial(ranks.by_ranks, of=ranks.trustworthiness), VALUE, VENNA, SORT, ROWS, MONOTONE, VECTORS,
    ),
    "continuity": Measure(
        "1 - how far, in ranks of the drawing, the missing ones of a node's 10 nearest in the input are, over the most "
        "that any drawing has",
        partial(ranks.by_ranks, of=ranks.continuity), VALUE, VENNA, SORT, ROWS, MONOTONE, VECTORS,
    ),
    "q_nx": Measure(
        "mean share of a node's 10 nearest in the input that are among its 10 nearest in the drawing, over the share "
        "in the best drawing",
        partial(ranks.by_ranks, of=ranks.q_nx), VALUE,
        "Lee & Verleysen 2009; Lee et al. 2013, eq. 41; NN-precision of Im et al. 2018", SORT, ROWS, MONOTONE, VECTORS,
    ),
    "b_nx": Measure(
        "how much intrusions outnumber extrusions or the reverse among a node's 10 nearest, as a share of these",
        partial(ranks.by_ranks, of=ranks.b_nx), REST,
        "Lee & Verleysen 2009; Lee et al. 2013, eq. 43, without the sign", SORT, ROWS, MONOTONE,
    ),
    "r_nx": Measure(
        "agreement of a node's 10 nearest in the input and in the drawing: 0 for a drawing at random, 1 for the best",
        partial(ranks.by_ranks, of=ranks.r_nx), CHANCE, "Lee et al. 2013, eq. 44", SORT, ROWS, MONOTONE,
    ),
    "r_nx_area": Measure(
        "mean of R_NX over neighborhoods of all sizes K with weights 1/K: 0 for a drawing at random, 1 for the best",
        partial(ranks.by_ranks, of=ranks.r_nx_area), CHANCE, "Lee, Peluffo-Ordonez & Verleysen 2015", SORT, ROWS,
        MONOTONE, VECTORS,
    ),
    "retrieval_auc": Measure(
        "area under mean precision against mean recall of the 20 nearest in the input among the 1 to 100 nearest in "
        "the drawing, over the area of the best drawing",
        partial(ranks.by_ranks, of=ranks.retrieval_auc), VALUE, "Amid et al. 2015, sec. 4", SORT, ROWS, MONOTONE,
    ),
    "spearman": Measure(
        "Spearman's rank correlation of the distances in the input and in the drawing, over pairs that a path joins",
        stress.spearman, CHANCE, "Spearman 1904; of a Shepard diagram (Shepard 1962)", SORT, PAIRS, MONOTONE, VECTORS,
    ),
    "nonmetric_stress": Measure(
        "root of the share of squared drawn distances that no increasing function of the distances in the input gives, "
        "over pairs that a path joins",
        stress.nonmetric_stress, REST, "Kruskal 1964, stress-1 with the secondary approach to ties", SORT, PAIRS,
        MONOTONE,
    ),
    "distance_correlation": Measure(
        "distance correlation of the input and the drawing, in the largest component",
        stress.distance_correlation, VALUE, "Szekely, Rizzo & Bakirov 2007", SQUARE,
        "the distances of 300 nodes from all others in a component above 5,000",
    ),
    "shape_gabriel": Measure(
        "mean Jaccard index of a node's neighbors in the graph and in the Gabriel graph of the positions",
        partial(edges.shape_agreement, relative=False), VALUE, EADES.format("Gabriel & Sokal 1969"),
        "O(n log n) in the plane",
    ),
    "shape_relative": Measure(
        "mean Jaccard index of a node's neighbors in the graph and in the relative neighborhood graph of the positions",
        partial(edges.shape_agreement, relative=True), VALUE, EADES.format("Toussaint 1980"),
        "O(n log n) in the plane",
    ),
    "angular_resolution": Measure(
        "mean over nodes with k > 1 edges of the smallest angle between two of these over 360 / k degrees",
        crossings.angular_resolution, VALUE, "Formann et al. 1993; mean over nodes as in Purchase 2002", "O(m log m)",
        dim=2,
    ),
    "crossing_angle": Measure(
        "mean angle of crossing edges over 90 degrees, without edges of length 0",
        crossings.crossing_angle, VALUE, "the mean angle of Huang, Eades & Hong 2014", SWEEP, EDGES, dim=2,
    ),
}  # fmt: skip
