"""`uncertainty`: which positions other seeds, and slightly other data, would confirm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout import graphs
from nelayout.comparison import inputs
from nelayout.comparison.comparing import Subject, graph_subject, vector_subject
from nelayout.comparison.measuring import table_facts
from nelayout.core.catalogue.record import Method
from nelayout.core.record.progress import counted
from nelayout.errors import InputError, InputTypeError, missing_extra
from nelayout.graphs.plain import is_missing
from nelayout.graphs.to_floats import short_repr
from nelayout.keywords.signatures import checks_keywords
from nelayout.numerics.parallel import thread_count
from nelayout.quality.distances import standardize
from nelayout.trust.certainty import lower_bound, neighborhoods, second_homes, spreads, touches
from nelayout.trust.kinds import check_keywords
from nelayout.trust.perturbing import free_edges, perturbed
from nelayout.vectors.input import is_table, read_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from nelayout.pictures.pages import Page

__all__ = ["SecondPlace", "Uncertainty", "uncertainty"]

# The drawing in messages.
NAME = "drawing"
# Confidence with which a node's share of kept neighbors is at least the rate of `certain`.
LEVEL = 0.95
# Share of kept neighbors from which on the neighborhood of a node counts as certain.
RATE = 0.8


# Shares of edges that are dropped and rewired, and whether weights are drawn again.
Changes = tuple[float, float, bool]


@dataclass(frozen=True, slots=True)
class SecondPlace:
    """Another place where a node is in some of the drawings.

    share     of the drawings that put it there
    near      the nodes that are near it there, the most frequent first
    position  the mean position of these nodes in the drawing that is shown
    """

    share: float
    near: tuple
    position: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """How certain the position of each node is; see `uncertainty`.

    pos           the drawing that is judged, in the type that a layout returns
    nodes         the nodes, in their order
    kept          (n,) mean share of a node's nearest nodes that other drawings keep near it, 0 to 1
    spread        (n,) median distance of a node from its places in other drawings, in units of `pos`
    second_place  {node: `SecondPlace`}, of nodes that have one
    touch         {(group, group): share of the drawings in which they touch}, if there are labels
    shares        (n, drawings) share of kept neighbors in each drawing, NaN for rows that were left out
    drawings      the other drawings, arrays (n, dim) in node order
    data          the graph or table
    notes         sentences
    """

    pos: Any
    nodes: list
    kept: np.ndarray
    spread: np.ndarray
    second_place: dict[object, SecondPlace]
    touch: dict[tuple[object, object], float]
    shares: np.ndarray = field(repr=False)
    drawings: list[np.ndarray] = field(repr=False)
    data: Any = field(repr=False)
    notes: tuple[str, ...] = ()

    def certain(self, rate: float = RATE) -> list:
        """Return the nodes that keep at least a share of their neighbors.

        Parameters
        ----------
        rate : between 0 and 1. A node is certain if the lower 95 % confidence bound of its mean share is at least this
            (Student's t over drawings).

        Returns
        -------
        list of nodes, in node order

        Raises
        ------
        InputError
            for a rate that is not a number from 0 to 1
        """
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0 <= rate <= 1:
            raise InputError(f"rate={rate!r}; give a share of neighbors from 0 to 1, such as {RATE}")
        sure = lower_bound(self.shares, LEVEL) >= rate
        return [node for node, yes in zip(self.nodes, sure.tolist(), strict=True) if yes]

    @property
    def table(self) -> DataFrame:
        """A row per node: kept, spread, certain, and the share of a second place; needs pandas."""
        try:
            from pandas import DataFrame, Index
        except ImportError:
            raise missing_extra("pandas", "compare", "tables") from None
        sure = lower_bound(self.shares, LEVEL) >= RATE
        second = [self.second_place[v].share if v in self.second_place else math.nan for v in self.nodes]
        columns = {"kept": self.kept, "spread": self.spread, "certain": sure, "second_place": second}
        return DataFrame(columns, index=Index(self.nodes, name="node", tupleize_cols=False))

    def draw(self, path: Any = None, **keywords: Any) -> Figure:
        """Draw the graph, nodes colored by `kept` over clouds as wide as `spread`.

        Parameters
        ----------
        path, keywords : as of `nelayout.draw`

        Returns
        -------
        matplotlib.figure.Figure
        """
        from matplotlib import rcParams

        from nelayout.pictures import draw

        how: dict[str, Any] = {}
        if keywords.get("color") is None:
            how = {"color": self.kept, "vmin": 0.0, "vmax": 1.0, "legend_title": "neighbors kept"}
            if (self.kept % 1 == 0).all():  # these would be classes
                how["cmap"] = rcParams["image.cmap"]
            keywords = {name: value for name, value in keywords.items() if name != "color"}
        if graphs.places(self.pos).dim == 2:
            how["clouds"] = self.spread
        return draw(None if is_table(self.data) else self.data, self.pos, path, **(how | keywords))

    def page(self, **keywords: Any) -> Page:
        """Return the page that `to_html` writes; notebooks show it."""
        from nelayout.pictures.pages import Column, page_of

        second = [
            f"{100 * self.second_place[v].share:.0f} % near {', '.join(map(str, self.second_place[v].near[:3]))}"
            if v in self.second_place else None
            for v in self.nodes
        ]  # fmt: skip
        columns = [Column("neighbors kept", self.kept, amount=True), Column("spread", self.spread, amount=True)]
        columns += [Column("second place", second)] if self.second_place else []
        below = "".join(f"<p>{escape(line)}</p>" for line in self._lines())
        table = is_table(self.data)
        title = f"How certain {len(self.nodes):,} {'rows' if table else 'nodes'} are"
        how: dict[str, Any] = {"title": title, "color": "neighbors kept", "below": below, "columns": columns}
        return page_of(None if table else self.data, {"drawing": self.pos}, **(how | keywords))

    def to_html(self, path: Any, **keywords: Any) -> None:
        """Write a page: nodes colored by `kept`, with their values beside their names.

        Parameters
        ----------
        path : file name or open file
        keywords : labels, color, weight and title as of `nelayout.explore`
        """
        self.page(**keywords).write(path)

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()

    def _lines(self) -> list[str]:
        what = "rows" if is_table(self.data) else "nodes"
        first = (
            f"{len(self.certain()):,} of {len(self.nodes):,} {what} are certain: at least {100 * RATE:.0f} % of their "
            f"nearest nodes stay near them in other drawings ({len(self.drawings)} drawings, confidence "
            f"{100 * LEVEL:.0f} %)."
        )
        lines = [first, f"On average a node keeps {100 * float(np.nanmean(self.kept)):.0f} % of its nearest nodes."]
        if self.second_place:
            lines.append(f"Number of {what} with a second place: {len(self.second_place):,}.")
        loose = [pair for pair, share in self.touch.items() if 0 < share < 1]
        if loose:
            lines.append(
                f"{len(loose):,} of {len(self.touch):,} pairs of groups touch in some drawings and not in others."
            )
        return [*lines, *self.notes]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__


@checks_keywords
def uncertainty(
    G: object,
    method: str | Method | None = None,
    *,
    pos: object = None,
    seeds: int = 20,
    drop: float = 0.05,
    rewire: float = 0.0,
    reweight: bool = False,
    labels: object = None,
    weight: str | None = "weight",
    weight_kind: str = "auto",
    metric: object = "euclidean",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Uncertainty:
    """Find out which positions other seeds, and slightly other data, would confirm.

    Each of the other drawings starts anew, with a seed of its own and with some edges (of a table: rows) left out. A
    node is certain if the nodes near it stay near it. It takes as long as `seeds` + 1 drawings.

    Parameters
    ----------
    G : graph, or (n, d) table with one row per sample
        a table is an array or sparse matrix that is not square, or a frame of four columns or
        more, without headings of edges
    method : the layout of all drawings: a name or a `Method`; of another package's layout a name as in `compare`, such
        as "nx:spring". None: "auto" for graphs, "ws-sne" for tables
    pos : the drawing that is judged, of any origin; None: the one with `seed`
    seeds : number of other drawings, at least 2; 10 are enough for colors, 20 for rates
    drop : share of the edges (of a table: rows) that each other drawing leaves out, 0 up to 1, exclusively. A random
        spanning forest stays, so that no component falls apart. A table leaves out at least one row if drop > 0
    rewire : share of the edges that swap ends in pairs; degrees stay
    reweight : multiply each weight by a random number of mean 1, exponentially distributed: the Bayesian bootstrap
    labels : groups for `touch`: a node attribute, dict or array
    weight, weight_kind : of the graph, as in `layout`
    metric : of the table, as in `embed`
    seed : of the shown drawing, a whole number; the others have seed + 1, seed + 2, ...
    n_jobs : threads of the drawings; None: all cores. Searches for near nodes take all cores
    progress : show a progress bar; None: if there is a terminal

    Returns
    -------
    Uncertainty
        per node ``kept``, ``spread`` and ``second_place``; ``touch`` per pair of groups; ``certain(rate)``;
        ``draw(path)``, ``to_html(path)``, ``table``

    Raises
    ------
    InputError
        for fewer than two seeds, shares out of range, positions of other nodes, an unknown method, fewer than 4 nodes,
        and keywords of a graph with a table or the other way round

    Notes
    -----
    The nearest nodes are the 10 nearest, of fewer than 100 nodes a tenth, at least 3. Mean shares over cold drawings
    are calibrated; warm starts and the spread after one rotation of the whole are not: groups turn as wholes.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> found = nl.uncertainty(G, "ws-sne", seeds=5, labels="club")
    >>> found.kept.shape, bool(found.kept.max() <= 1)
    ((34,), True)
    >>> list(found.touch)
    [('Mr. Hi', 'Officer')]
    """
    count = inputs.seed_count(seeds)
    if count < 2:
        raise InputError(f"seeds={seeds!r}; uncertainty compares drawings: give at least 2, better 10 or 20")
    for name, value in (("drop", drop), ("rewire", rewire)):
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < 1:
            raise InputError(f"{name}={value!r}; give a share from 0 up to 1, exclusively, such as 0.05")
    if drop + rewire >= 1:
        raise InputError(f"drop={drop!r} and rewire={rewire!r} together are all edges; give less")
    if not isinstance(reweight, (bool, np.bool_)):
        raise InputTypeError(f"reweight must be True or False; got {short_repr(reweight)}")
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or int(seed) < 0:
        raise InputError(f"seed={seed!r}; give a whole number of at least 0, from which the other seeds follow")
    if method is not None and not isinstance(method, (str, Method)):
        raise InputTypeError(f"method={short_repr(method)}; give a name such as 'ws-sne' or 'nx:spring', or a Method")
    thread_count(n_jobs)
    check_keywords(
        is_table(G), weight=weight, weight_kind=weight_kind, metric=metric, rewire=float(rewire),
        reweight=bool(reweight),
    )  # fmt: skip
    if is_table(G):
        pos = inputs.in_row_order(G, pos)
        data = _Table(G, "ws-sne" if method is None else method, metric, drop, n_jobs)
    else:
        changes = (float(drop), float(rewire), bool(reweight))
        data = _Graph(G, "auto" if method is None else method, weight, weight_kind, changes, n_jobs)
    subject = data.subject
    with graphs.translated_errors(G):
        names = inputs.class_names(subject.network, labels)
        shown = None if pos is None else subject.array(pos, "pos")
    n = len(subject.network.labels)
    if n < 4:
        raise InputError(f"uncertainty compares neighborhoods and needs at least 4 nodes; got {n}")
    with counted("uncertainty", "drawings", count + (shown is None), progress) as bar:
        if shown is None:
            run = _drawn(subject, data.method, int(seed))
            pos, shown = getattr(run, "positions", run), subject.array(run, NAME)
            bar.update()
        others = list[np.ndarray]()
        for other in data.others(int(seed), count):
            others.append(other)
            bar.update()
    if others[0].shape[1] != shown.shape[1]:
        raise InputError(
            f"pos has {shown.shape[1]} dimensions, and the other drawings have {others[0].shape[1]}; give positions in "
            f"{others[0].shape[1]}"
        )
    return _judged(G, subject, pos, shown, others, names, data.notes)


def _judged(
    G: object, subject: Subject, pos: object, Y: np.ndarray, others: list[np.ndarray], names: list | None, notes: tuple
) -> Uncertainty:
    """Return what the other drawings say of positions Y (n, dim)."""
    # Squares of huge or tiny positions would overflow.
    exponent, Y = np.frexp(np.abs(Y).max(initial=0.0))[1], standardize(Y)
    found, nodes = neighborhoods(Y, others), list(subject.network.labels)
    second: dict[object, SecondPlace] = {
        nodes[v]: SecondPlace(
            home.share, tuple(nodes[k] for k in home.near.tolist()), tuple(np.ldexp(home.position, exponent).tolist())
        )
        for v, home in second_homes(Y, found).items()
    }
    touch = dict[tuple[object, object], float]()
    if names is not None:
        classes = list(dict.fromkeys(name for name in names if name is not None and not is_missing(name)))
        number = {name: k for k, name in enumerate(classes)}
        share = touches(found, np.array([number.get(name, -1) for name in names]), len(classes))
        pairs = [(a, b) for a in range(len(classes)) for b in range(a + 1, len(classes))]
        touch = {(classes[a], classes[b]): float(share[a, b]) for a, b in sorted(pairs, key=lambda p: -share[p])}
    never = np.isnan(found.kept).all(axis=1)
    kept = np.full(len(Y), np.nan)
    kept[~never] = np.nanmean(found.kept[~never], axis=1)
    spread = np.ldexp(spreads(Y, others), exponent)
    return Uncertainty(pos, nodes, kept, spread, second, touch, found.kept, others, G, notes)


def _drawn(subject: Subject, method: str | Method, seed: int) -> object:
    """Return one drawing of a subject."""
    entries = subject.entries({NAME: method}).values()
    return subject.draw(entries, 1, seed)[0][NAME][0].positions


class _Graph:
    """A graph, and graphs that could have been observed as well."""

    def __init__(
        self, G: object, method: str | Method, weight: str | None, weight_kind: str, changes: Changes,
        n_jobs: int | None,
    ) -> None:  # fmt: skip
        self.subject = graph_subject(G, {"weight": weight, "weight_kind": weight_kind}, n_jobs)
        self.method, self.changes, self.n_jobs = method, changes, n_jobs
        self.notes = tuple[str, ...]()
        self.subject.entries({NAME: method})  # raises for an unknown name
        P = self.subject.network.adjacency
        wanted, free = round((changes[0] + changes[1]) * P.nnz / 2), free_edges(P)
        if wanted > free:
            said = f"drop and rewire ask for {wanted:,} edges, and {free:,} are not needed to hold components together"
            self.notes = (f"{said}; only these change",)

    def others(self, seed: int, count: int) -> Iterator[np.ndarray]:
        network = self.subject.network
        for k in range(1, count + 1):
            changed, kind = perturbed(network.adjacency, *self.changes, np.random.default_rng([seed, k])), "similarity"
            if network.lengths:  # some methods read lengths of paths
                changed.data, kind = np.reciprocal(changed.data), "distance"
            subject = graph_subject(changed, {"weight": "weight", "weight_kind": kind}, self.n_jobs)
            yield subject.array(_drawn(subject, self.method, seed + k), NAME)


class _Table:
    """A table, and tables with fewer rows."""

    def __init__(self, X: Any, method: str | Method, metric: object, drop: float, n_jobs: int | None) -> None:
        self.X, self.method, self.metric, self.drop, self.n_jobs, self.notes = X, method, metric, drop, n_jobs, ()
        self.rows = read_rows(X, metric)
        self.subject = self._of(X)
        self.subject.entries({NAME: method})  # raises for an unknown name

    def _of(self, X: Any) -> Subject:
        return vector_subject(X, self.metric, table_facts(X, self.metric, None, None, None, None, 0), self.n_jobs)

    def others(self, seed: int, count: int) -> Iterator[np.ndarray]:
        n = self.rows.shape[0]
        less = min(max(1, round(self.drop * n)), n - 3) if self.drop else 0
        for k in range(1, count + 1):
            there = np.sort(np.random.default_rng([seed, k]).permutation(n)[less:])
            subject = self._of(self.rows[there])
            found = subject.array(_drawn(subject, self.method, seed + k), NAME)
            whole = np.full((n, found.shape[1]), np.nan)
            whole[there] = found
            yield whole
