"""The common keywords of every layout function: types, defaults, groups, texts, checks."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, NamedTuple, TypedDict, cast

import numpy as np

from nelayout.core.catalogue.record import most_hops
from nelayout.core.formula.part_names import number_within
from nelayout.core.sums.device import device_named
from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.graphs import holds_weights
from nelayout.numerics.parallel import thread_count

__all__ = [
    "DEFAULTS", "EVALUATION_DEFAULTS", "GRAPH_TEXTS", "GROUPS", "LAYOUT_DEFAULTS", "TEXTS", "EvaluationOptions",
    "LayoutOptions", "MethodOptions", "check_checkpoint", "check_options", "generator",
]  # fmt: skip


class _DrawnOrGiven(TypedDict, total=False):
    """Keywords that count for a drawing that is made, and for one that is given."""

    weight: str | None
    weight_kind: str
    affinity: str | None
    perplexity: float | None
    hops: int | None
    mass: Any
    smoothing: float
    emphasis: float | None
    components: Literal["pack", "joint"]
    groups: Any
    group_strength: float
    anchors: Any
    anchor_strength: float
    direction: Literal["down", "up", "right", "left"] | None
    negative: Literal["error", "repel"]
    features: Any
    features_share: float
    seed: Any
    nbody: str
    n_jobs: int | None


class LayoutOptions(_DrawnOrGiven, total=False):
    """Keywords that every layout function takes, beside G, pos, fixed and its own."""

    dim: int
    scale: float | None
    center: Any
    node_size: Any
    groups_shape: Literal["hull", "circle", "box"] | None
    layers: Any
    columns: Any
    circle: bool
    rings: Any
    align: Any
    store_pos_as: str | None
    max_iter: int | None
    time_limit: float | None
    tol: float | None
    optimizer: Any
    device: str
    checkpoint: str | os.PathLike[str] | None
    resume: bool
    callback: Callable[..., object] | None
    progress: bool


class OwnOptions(TypedDict, total=False):
    """Keywords that only some methods have."""

    kernel: Any
    r: float
    repulsion: float
    tail: float
    kappa: float
    background: float
    alpha: Any
    divergence: Any
    variational: bool
    scaling_ratio: float
    attraction: float
    exponent: float
    gravity: float
    strong_gravity: bool
    linlog: bool
    compression: float


class MethodOptions(LayoutOptions, OwnOptions, total=False):
    """Keywords of the functions for any method: the common ones, and ones of some methods."""


class EvaluationOptions(_DrawnOrGiven, OwnOptions, total=False):
    """Keywords of the functions that look at a drawing by any method."""


class Keyword(NamedTuple):
    """A keyword's default, and its entry in docstrings and on the command line."""

    default: Any
    text: str


# Group -> keyword, in the order in which signatures and docstrings show them.
KEYWORDS: dict[str, dict[str, Keyword]] = {
    "Graph": {
        "weight": Keyword("weight",
            "edge attribute that holds the weights; a larger weight draws its two nodes closer together; None: every "
            "edge weighs 1"),
        "weight_kind": Keyword("auto",
            'meaning of the weights: "similarity" (larger is closer), "distance" (larger is farther), "log" '
            '(similarities with heavy tails: log1p of them is taken), or "auto": "distance" for a column of a table '
            'with the heading of a length, such as "distance" or "km", else "similarity"'),
        "affinity": Keyword(None,
            'similarities of nodes: "weights" of edges, or "hops": entropic affinities of shortest paths, with lengths '
            'for weight_kind="distance", else with numbers of edges; None: the method\'s own, "weights" of most'),
        "perplexity": Keyword(None,
            'with affinity="hops": the effective number of neighbors of each node, > 1, and at most half of the nodes '
            "in its reach; None: the method's own, else 10"),
        "hops": Keyword(None, 'with affinity="hops": most edges of a path; None: as many as the perplexity needs'),
        "mass": Keyword(None,
            'node masses: "unit", "degree", "degree+1", "strength", "auto" (a power of the strengths), "closeness", '
            '"betweenness", "eigenvector", a node attribute, array or dict; None: the method\'s own'),
        "smoothing": Keyword(0.0, "rho in [0, 1): random-walk smoothing of the graph; 0 is none"),
        "emphasis": Keyword(None,
            "from neighbors (0) to large distances (1): the method minimizes J + mu sigma, where sigma is the stress "
            "of path lengths and mu = 128^emphasis - 1; None: the method's own, which is 0; "
            '"auto" tries 0.4, and draws communities of small graphs closer together'),
        "components": Keyword("pack",
            '"pack" draws components apart and packs them; "joint" draws all in one objective, where it has a minimum'),
    },
    "Structure": {
        "groups": Keyword(None,
            "nodes that stay together: a node attribute, a dict or array with the group of each node, or a list or "
            "dict of sets of nodes; groups may be nested, as sets, or with tuples as paths, but else do not overlap; "
            "a node with None is in no group"),
        "groups_shape": Keyword(None,
            'shape around each group that no other node and no other shape enters: "hull", "circle" or "box", in the '
            "plane; None: groups may overlap"),
        "group_strength": Keyword(1.0, "strength of the groups, > 0; 1 is as strong as the edges"),
        "anchors": Keyword(None,
            "places that pull nodes softly: a dict of positions of some nodes, an array with NaN rows for the others, "
            'or the names of node attributes, as "lon,lat"; the drawing then has the units of the anchors, and scale '
            "and center are not applied"),
        "anchor_strength": Keyword(1.0, "strength of the anchors, > 0; 1 is as strong as the edges"),
        "layers": Keyword(None,
            'rows in which nodes lie: an attribute, dict or array of numbers or names, or "auto": rows in which all '
            "edges of a directed graph point down"),
        "columns": Keyword(None, "columns in which nodes lie, as `layers`, from left to right"),
        "circle": Keyword(False, "all nodes lie on one circle at equal angles, in an order with few crossings"),
        "rings": Keyword(None,
            "circles about one point: a node, and the others lie as far out as their paths from it are long; or an "
            "attribute, dict or array of numbers or names, one circle for each value, from the inside out"),
        "align": Keyword(None,
            'lists of nodes that share a coordinate, and its axis: [(nodes, "x"), (nodes, "y"), ...]; the nodes of a '
            'list with "x" lie on a vertical line'),
        "direction": Keyword(None,
            'where edges of a directed graph point: "down", "up", "right" or "left", as far as cycles let them; with '
            '`layers`: where the layers go; None: anywhere, layers "down"'),
        "negative": Keyword("error",
            'edges with a weight < 0: "repel" keeps their nodes far from each other, "error" refuses them'),
        "features": Keyword(None,
            "table with a row for each node: nodes with near rows count as similar; an array, dict, frame indexed by "
            'node, or names of numeric attributes, as "age,income"; columns are standardized'),
        "features_share": Keyword(0.3, "share of the features in all similarities, > 0 and < 1; edges have the others"),
    },
    "Drawing": {
        "dim": Keyword(2, "dimensions of the drawing: 1, 2 or 3"),
        "scale": Keyword(1.0, "the drawing fits [-scale, scale]; None keeps the method's own units"),
        "center": Keyword(None, "middle of the drawing, dim numbers; None: the origin"),
        "node_size": Keyword(None,
            "node diameters in units of the drawing (scalar, dict or array), or the sides of a box for each node "
            '(dict of pairs, or array (n, dim)), which then do not overlap; "auto": those of the dots of '
            "`nelayout.draw`, so that no node hides another; None: the minimizer as it is"),
        "store_pos_as": Keyword(None, "node attribute in which G itself also gets the positions"),
    },
    "Run": {
        "seed": Keyword(None,
            "int, numpy Generator or RandomState; the same seed gives the same bits; None: another drawing each time"),
        "max_iter": Keyword(None,
            "most steps of the method's last stage, on its own objective, after the stages that prepare for it; None: "
            "as many as the stage has; 0 gives back pos"),
        "time_limit": Keyword(None,
            "seconds, > 0: nelayout takes a plan that fits, and at the limit the best drawing so far; None: the full "
            "plan, without a limit"),
        "tol": Keyword(None,
            "the last stage ends when J can fall by less than this fraction of itself, as the gradient says for a move "
            "of all nodes by their typical distance; None: 0.0001, or sooner when steps bring little"),
        "optimizer": Keyword("auto", 'minimizer: "auto", "majorize", "momentum", or one of nelayout.optimizers'),
        "nbody": Keyword("auto", 'backend of the sums over all pairs: "auto", "exact", "mesh" (dim <= 2) or "tree"'),
        "device": Keyword("cpu",
            'where large graphs are summed: "cpu", or a GPU by PyTorch: "cuda", "cuda:1", "mps"; "auto" takes a GPU '
            "if there is one"),
        "checkpoint": Keyword(None,
            "file for the state of the run, at most every few seconds, so that a run that was killed can go on; a run "
            "that is over deletes it; None: no file"),
        "resume": Keyword(False,
            "go on from the file ``checkpoint`` of the same call, and end with the bits of a run without an "
            "interruption; without the file the run starts anew and says so"),
        "callback": Keyword(None,
            "function called with the state (iteration, stage, value, positions, done, total, seconds_left) after each "
            "step; positions are in the scale of the drawing and turned alike from step to step, the last ones are "
            "the result; done of total is the planned work that is over; True stops"),
        "progress": Keyword(False, "show a progress bar"),
        "n_jobs": Keyword(None, "threads; None: all cores"),
    },
}
GROUPS = {group: tuple(keywords) for group, keywords in KEYWORDS.items()}
TEXTS = {name: keyword.text for each in KEYWORDS.values() for name, keyword in each.items()}
DEFAULTS = cast("LayoutOptions", {name: word.default for each in KEYWORDS.values() for name, word in each.items()})
# The defaults of functions that give positions; above: of functions that give the evidence.
LAYOUT_DEFAULTS: LayoutOptions = {**DEFAULTS, "node_size": "auto"}
# The common keywords of functions that look at a drawing, with their defaults.
EVALUATION_DEFAULTS = {name: given for name, given in DEFAULTS.items() if name in EvaluationOptions.__annotations__}

# First arguments -> their entry in docstrings.
GRAPH_TEXTS = {
    "G": """networkx graph, igraph.Graph, rustworkx, networkit or graph-tool graph, table of edges of pandas,
    polars or pyarrow (columns source and target), scipy.sparse matrix or square array
    directions are summed, self-loops dropped""",
    "pos": """dict, (n, dim) array, or what a layout of the graph's library gives, optional
    positions to start from, of all nodes or of some; without it the drawing starts from coarsened graphs""",
    "fixed": """nodes, optional
    nodes that come back exactly where ``pos`` puts them, or a dict of the axes on which they do, such as
    ``dict.fromkeys(G, "x")`` for layers; scale and center are then not applied""",
}

# Keyword -> the end of the message for a wrong number, and whether a number fits.
NUMBERS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "scale": ("> 0 or None (the method's own units), given {!r}", lambda x: x > 0),
    "smoothing": ("in [0, 1), given {!r}: 0 is none, 0.99 is strong", lambda x: 0 <= x < 1),
    "emphasis": ("None or a number in [0, 1]; got {!r}. 0 is neighbors, 1 large distances", lambda x: 0 <= x <= 1),
    "time_limit": ("None or a number of seconds > 0; got {!r}. Leave it out for no limit", lambda x: x > 0),
    "tol": ("None or a number >= 0, given {!r}", lambda x: x >= 0),
    "group_strength": ("> 0, given {!r}: 1 is as strong as the edges", lambda x: x > 0),
    "features_share": ("> 0 and < 1, given {!r}: 0.3 leaves 0.7 to the edges", lambda x: 0 < x < 1),
    "anchor_strength": ("> 0, given {!r}: 1 is as strong as the edges", lambda x: x > 0),
}

# Keyword -> its values, beside None if this is the default.
CHOICES = {
    "affinity": ["weights", "hops"],
    "components": ["pack", "joint"],
    "direction": ["down", "up", "right", "left"],
    "groups_shape": ["hull", "circle", "box"],
    "negative": ["error", "repel"],
}


def check_options(options: dict[str, object]) -> dict[str, Any]:
    """Fill in the defaults and check everything that needs no graph."""
    for name in options:
        if name not in DEFAULTS:
            raise TypeError(str(unknown("keyword", name, DEFAULTS)))
    o: dict[str, Any] = {**DEFAULTS, **options}
    dim = o["dim"]
    if isinstance(dim, (bool, np.bool_)) or not isinstance(dim, (int, np.integer)) or not 1 <= dim <= 3:
        negative = "negative dimensions are not allowed: " if isinstance(dim, (int, np.integer)) and dim < 0 else ""
        raise InputError(f"{negative}dim must be 1, 2 or 3, given {dim!r}")
    o["dim"] = int(dim)
    for name, (allowed, fits) in NUMBERS.items():
        if o[name] is not None or (DEFAULTS[name] is not None and name != "scale"):
            o[name] = _number(o[name], name, allowed, fits)
    if o["center"] is not None:
        o["center"] = _center(o["center"], o["dim"])
    for name, allowed in CHOICES.items():
        if o[name] not in allowed and (o[name] is not None or DEFAULTS[name] is not None):
            raise unknown(name, o[name], allowed)
    if o["perplexity"] is not None:
        o["perplexity"] = number_within(o["perplexity"], "perplexity", 1.0, open_ends=True)
    if o["hops"] is not None:
        o["hops"] = most_hops(o["hops"])
    steps = o["max_iter"]
    if steps is not None:
        if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 0:
            raise InputError(f"max_iter must be None or an integer >= 0, given {steps!r}")
        o["max_iter"] = int(steps)
    device_named(o["device"])
    thread_count(o["n_jobs"])
    if o["callback"] is not None and not callable(o["callback"]):
        raise InputTypeError(f"callback must be a function of one state, given {type(o['callback']).__name__}")
    for name in ("circle", "progress", "resume"):
        if not isinstance(o[name], (bool, np.bool_)):
            raise InputTypeError(f"{name} must be True or False, given {o[name]!r}")
    check_checkpoint(o["checkpoint"], o["resume"])
    named = isinstance(o["weight"], Hashable) and not callable(o["weight"])
    if not named and not holds_weights(o["weight"]):
        raise InputTypeError(
            f"weight must be the name of an edge attribute or None, given {type(o['weight']).__name__}: "
            "store what it stands for in an attribute first"
        )
    if o["store_pos_as"] is not None and not isinstance(o["store_pos_as"], str):
        raise InputTypeError(f"store_pos_as must be an attribute name, given {type(o['store_pos_as']).__name__}")
    return o


def check_checkpoint(checkpoint: Any, resume: bool) -> None:
    """Raise an error unless ``checkpoint`` is a path or None, and a path if the run resumes."""
    if checkpoint is not None and not (isinstance(checkpoint, (str, os.PathLike)) and os.fspath(checkpoint)):
        raise InputTypeError(f"checkpoint must be the path of a file or None; got {checkpoint!r}")
    if resume and checkpoint is None:
        raise InputError("resume=True needs the file of the run: give it as checkpoint='FILE'")


def _number(value: Any, name: str, allowed: str, fits: Callable[[float], bool]) -> float:
    try:
        number = math.nan if isinstance(value, (bool, np.bool_, str, bytes)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and fits(number)):
        raise InputError(f"{name} must be {allowed.format(value)}")
    return number


def _center(center: object, dim: int) -> np.ndarray:
    try:
        array = np.asarray(list(center) if isinstance(center, Iterable) else center, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (dim,) or not np.isfinite(array).all():
        raise InputError(f"center must be {dim} finite numbers for dim={dim}, given {center!r}")
    return array


def generator(seed: Any, name: str = "seed") -> np.random.Generator:
    """Return the random generator of a run from the user's seed; ``name``: its keyword."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    if isinstance(seed, np.random.RandomState) or seed is np.random:  # the module has its own state
        return np.random.default_rng(seed.randint(0, 2**31 - 1, size=4))
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)) or seed < 0:
        hint = ""
        if hasattr(seed, "__len__") and not isinstance(seed, (str, bytes)):  # igraph's word for a start
            hint = f": positions to start from are given as {'pos' if name == 'seed' else 'init'}="
        given = f"{type(seed).__name__}{hint}" if hint else repr(seed)
        allowed = "None, an integer >= 0, a numpy Generator, a RandomState or numpy.random"
        raise InputError(f"{name} must be {allowed}, given {given}")
    return np.random.default_rng(int(seed))
