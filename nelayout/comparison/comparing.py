"""`compare` and `compare_vectors`: measure drawings with the same samples.

nelayout makes drawings that are given by name. ``["ws-sne", "nx:spring", pos]`` and ``{"ours": "ws-sne", "mine": pos,
"spring": nx.spring_layout}`` are both lists of drawings.
"""

from __future__ import annotations

import inspect
import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout.comparison import inputs
from nelayout.comparison.alignment import align
from nelayout.comparison.compared import Comparison
from nelayout.comparison.measuring import (
    Measured,
    chosen_measures,
    facts_of,
    measure_drawing,
    path_lengths,
    table_facts,
)
from nelayout.comparison.peers import Peer, graph_peers, spelled, vector_peers
from nelayout.comparison.ranking import J_OF, mean_of
from nelayout.core.catalogue import METHODS, method_named
from nelayout.core.catalogue.record import Method
from nelayout.core.formula.part_names import split
from nelayout.core.record.solution import Evaluated, Solution
from nelayout.errors import InputError, InputTypeError, Unsupported, unknown, warn
from nelayout.graphs import Network, every_position, places, points, read, translated_errors
from nelayout.keywords.signatures import checks_keywords
from nelayout.layouts.evaluating import evaluate
from nelayout.layouts.solving import solve
from nelayout.numerics.parallel import thread_count
from nelayout.quality.table import MeasuredDrawing
from nelayout.vectors.embedding import solve_vectors
from nelayout.vectors.input import read_rows

__all__ = ["Subject", "Trial", "check_method", "compare", "compare_vectors", "graph_subject", "tried", "vector_subject"]

# Name of drawings that have none.
UNNAMED = "given"
EXAMPLE = 'such as ["ws-sne", "nx:spring", pos] or {"ours": "ws-sne", "mine": pos}'


@checks_keywords
def compare(
    G: object,
    drawings: Mapping[str, object] | Iterable,
    labels: object = None,
    coords: object = None,
    *,
    measures: str | Iterable[str] | None = None,
    objective: str | Method | None = None,
    seeds: int = 1,
    weight: str | None = "weight",
    weight_kind: str = "auto",
    node_size: object = None,
    sample: str | int | None = "auto",
    seed: object = 0,
    n_jobs: int | None = None,
    lengths: str | None = None,
) -> Comparison:
    """Measure several drawings of one graph with the same samples, and show them side by side.

    Parameters
    ----------
    G : the graph, as in `measure`.
    drawings : {name: drawing} or a list of drawings, at least one. Each is

        - positions, or a `Solution`; several of one kind as a list of them or as an array (runs, n, dim);
        - the name of a method ("ws-sne", "nerv:0.3"), or a `Method`: drawn as `layout` does;
        - the name of a layout of another package, with that package's defaults: "nx:spring" and every layout of
          networkx that needs only the graph; "igraph:drl" and every layout of igraph; "graphviz:sfdp", neato, fdp, dot,
          circo, twopi; "opentsne", "umap", "s_gd2". Layouts that take weights as similarities get them. A layout that
          is not installed or fails is left out with a warning;
        - a function of ``G``; it gets ``seed=`` if it takes one.
    labels, coords, measures, weight, node_size, sample, lengths : as in `measure`.
    weight_kind : the meaning of weights for layouts: "similarity", "distance", "log", or "auto": "distance" for the
        column of a table with the heading of a length.
    objective : name of a method, or a `Method`. Adds a row such as "J of ws-sne": the objective of each drawing at its
        best size (`nelayout.evaluate`). ``.node_cost`` has the cost of each node, of other packages' layouts too.
    seeds : number of drawings of each method, peer and function, with the seeds seed, seed + 1, ...; their mean is
        measured, ``.spread`` has their deviation, ``.layouts`` all of them. Layouts without a seed are drawn once.
        Of several seeds a star marks only what is better beyond chance (``.tests``): several measures need about 8.
    seed : of the samples, as in `measure`, and of the first drawing.
    n_jobs : threads for our methods and for peers with such a keyword; None: their own default.

    Returns
    -------
    Comparison
        ``.table`` (pandas), ``.tests``, ``.spread``, ``.verdict``, ``.plot()`` (matplotlib), ``.to_html(path)``,
        ``.to_latex()``, ``.to_markdown()``;
        ``.measured`` and ``.seconds`` need no package. The first seconds include the loading of compiled loops.

    Raises
    ------
    InputError
        as `measure` does, with the drawing's name; for an unknown method or peer (with near matches); and if there is
        no drawing, or none is left. The error of a function gets a note with the drawing's name.
    Unsupported
        for a named measure that is not defined in the dimensions of a drawing; other measures are NaN there.

    Examples
    --------
    >>> import networkx as nx
    >>> from nelayout import compare
    >>> G = nx.cycle_graph(6)
    >>> pos = {"circle": nx.circular_layout(G), "line": {v: (v, 0.0) for v in G}}
    >>> found = compare(G, pos, measures=["crossings", "neighborhood"])
    >>> found
                    circle     line
    crossings ↓          0*       3
    neighborhood ↑       1*  0.7778
    ↑ higher is better, ↓ lower is better, * best, or not clearly worse
    >>> found.front, found.dominated
    (['circle'], {'line': ['circle']})
    >>> compare(G, pos, measures="crossings", objective="t-sne").table["J of tsne"].round(2).to_dict()
    {'circle': 0.38, 'line': 0.62}
    >>> drawn = compare(G, ["nx:spring", "ws-sne", pos["line"]], seeds=2, measures="stress")
    >>> list(drawn.measured), list(drawn.seconds), len(drawn.runs["nx:spring"])
    (['nx:spring', 'ws-sne', 'given'], ['nx:spring', 'ws-sne'], 2)
    """
    weights: dict[str, Any] = {"weight": weight, "weight_kind": weight_kind}
    subject = graph_subject(G, weights, n_jobs)
    with translated_errors(G):
        network = subject.network
        names = inputs.class_names(network, labels)
        graph = {"adjacency": network.adjacency, "given": path_lengths(G, network, lengths)}
        subject = replace(subject, facts=facts_of(network, names, coords, node_size, **graph))
        value = None if objective is None else lambda pos: evaluate(G, pos, objective, "best", **weights)
        return _compared(subject, drawings, names, measures, seeds, sample, seed, G, value)


@checks_keywords
def compare_vectors(
    X: object,
    drawings: Mapping[str, object] | Iterable,
    labels: object = None,
    *,
    metric: object = "euclidean",
    measures: str | Iterable[str] | None = None,
    seeds: int = 1,
    sample: str | int | None = "auto",
    seed: object = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Measure several embeddings of one table with the same samples; show them side by side.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix, one row per sample.
    drawings : {name: drawing} or a list of drawings, at least one. Each is

        - an (n, dim) array, or several as an array (runs, n, dim); pictures and pages show up to three dimensions;
        - the name of a method ("ws-sne", "t-sne"), or a `Method`: made as `embed` does;
        - the name of another package's embedding, with its defaults and Euclidean distances: "opentsne", "umap",
          "sklearn:pca", "sklearn:tsne", "sklearn:isomap", "sklearn:spectral", "sklearn:lle". A package that is not
          installed or fails is left out with a warning;
        - a function of ``X``; it gets ``seed=`` if it takes one.
    labels : classes of the rows, as in `measure`.
    metric : of the distances in the input, for our methods and for the measures, as in `embed`.
    measures, sample : as in `measure_vectors`.
    seeds, seed, n_jobs : as in `compare`.

    Returns
    -------
    Comparison
        as of `compare`; its ``G`` is None.

    Raises
    ------
    InputError
        as `compare` does.

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> found = nl.compare_vectors(X, ["tsne", {"axes": X[:, :2]}["axes"]], measures="trustworthiness")
    >>> list(found.measured), found.front
    (['tsne', 'given'], ['tsne'])
    """
    seed = inputs.integer_seed(seed)
    facts = table_facts(X, metric, None, labels, None, None, seed)
    subject = vector_subject(X, metric, facts, n_jobs)
    names = inputs.class_names(subject.network, labels)
    return _compared(subject, drawings, names, measures, seeds, sample, seed)


def graph_subject(G: object, weights: dict[str, Any], n_jobs: int | None) -> Subject:
    """Return a graph that is drawn and measured; ``weights``: the keywords of `read`."""
    network = read(G, **weights)

    def draw(record: Method, seed: int) -> Solution:
        return solve(G, record, node_size="auto", seed=seed, n_jobs=n_jobs, **weights)

    def matrix(peer: Peer) -> csr_array:
        return network.adjacency.copy() if peer.weighted else network.adjacency.astype(bool).astype(float)

    with translated_errors(G):
        facts = facts_of(network, None, None, None, adjacency=network.adjacency)
    return Subject(G, network, facts, partial(every_position, network), graph_peers(), matrix, draw, n_jobs)


def vector_subject(X: object, metric: object, facts: MeasuredDrawing, n_jobs: int | None) -> Subject:
    """Return vectors that are embedded and measured."""
    network, rows = points(facts.Y), read_rows(X, metric)

    def draw(record: Method, seed: int) -> Solution:
        return solve_vectors(X, method=record, metric=metric, random_state=seed, n_jobs=n_jobs)

    def place(pos: object, what: str) -> np.ndarray:
        return inputs.every_row(pos, rows.shape[0], what)

    return Subject(X, network, facts, place, vector_peers(), lambda _: rows, draw, n_jobs)


class Trial(NamedTuple):
    """One layout of one graph: for each seed positions (n, dim), measures and seconds.

    Seconds are NaN for positions that were given. ``reason`` says why there is none; "" if there are some.
    """

    positions: list[np.ndarray]
    values: list[dict[str, float]]
    seconds: list[float]
    reason: str = ""


def tried(
    subject: Subject, name: str, layout: object, measures: list[str], seeds: int, sample: object, seed: int
) -> Trial:
    """Draw a graph by one layout and measure it; an error becomes the reason for no layout."""
    try:
        entry = subject.entries({name: layout})[name]
        try:
            runs = entry.runs(seeds, seed)
        except _LeftOut as reason:
            return Trial([], [], [], str(reason))
        arrays = [subject.array(run.positions, name) for run in runs]
        found = [measure_drawing(replace(subject.facts, Y=Y), measures, sample, seed) for Y in arrays]
    except Exception as error:  # noqa: BLE001  an error of one layout must not end the work on all others
        return Trial([], [], [], f"it failed with {type(error).__name__}: {error}")
    values = [{each: m.value for each, m in row.items()} for row in found]
    return Trial(arrays, values, [math.nan if run.seconds is None else run.seconds for run in runs])


def _compared(
    subject: Subject,
    drawings: object,
    labels: list | None,
    measures: str | Iterable[str] | None,
    seeds: int,
    sample: object,
    seed: object,
    G: object = None,
    value: Callable[[object], Evaluated] | None = None,
) -> Comparison:
    """Draw and measure; align the first drawing of each row to the first of all."""
    thread_count(subject.n_jobs)
    measures = measures if measures is None or isinstance(measures, str) else list(measures)
    sample, seed = inputs.sample_size(sample), inputs.integer_seed(seed)
    chosen_measures(measures, subject.facts)
    entries = subject.entries(drawings)
    runs, notes = subject.draw(entries.values(), inputs.seed_count(seeds), seed)
    found: dict[str, list[dict[str, Measured]]] = {}
    aligned: dict[str, object] = {}
    for name, each in runs.items():
        arrays = [subject.array(run.positions, name) for run in each]
        try:
            found[name] = [measure_drawing(replace(subject.facts, Y=Y), measures, sample, seed) for Y in arrays]
        except Unsupported as error:
            raise Unsupported(f"the drawing {name!r}: {error}") from None
        first, written = each[0].positions, subject.network.host.write(arrays[0])
        # Keyed as the library of the graph does: an array becomes a dict for networkx.
        pos = written if G is None or (places(first).keys is None) != (places(written).keys is None) else first
        over = next(iter(aligned.values()), None)
        alike = over is not None and pos is not over and places(over).dim == arrays[0].shape[1] and len(arrays[0]) > 0
        aligned[name] = align(pos, to=over) if alike else pos
        if any(len(Y) > 1 and not np.ptp(Y, axis=0).any() for Y in arrays):
            notes[name] = (*notes.get(name, ()), "all nodes have one position")
            warn(f"all nodes of the drawing {name!r} have one position: its measures mean little")
    costs = {} if value is None else _add_objective(found, runs, value)
    every = sorted((row for each in found.values() for row in each), key=len, reverse=True)
    nothing = dict.fromkeys((name for row in every for name in row), Measured(math.nan, math.nan, 0.0, True))
    found = {name: [nothing | row for row in each] for name, each in found.items()}
    times = {name: [run.seconds for run in each if run.seconds is not None] for name, each in runs.items()}
    seconds = {name: statistics.median(each) for name, each in times.items() if each}
    single = tuple(name for name, each in runs.items() if entries[name].seeded and len(each) == 1)
    means = {name: mean_of(each) for name, each in found.items()}
    layouts = {name: [run.positions for run in each] for name, each in runs.items()}
    return Comparison(means, aligned, G, labels, seconds, found, notes, single, layouts, costs)


def _add_objective(
    found: dict[str, list[dict[str, Measured]]], runs: dict[str, list[_Run]], value: Callable[[object], Evaluated]
) -> dict[str, np.ndarray]:
    """Add J of every run as a measure; return the costs of nodes in the first run of each.

    The score is 1 for the least J, and 1/2 if it is twice as far from 0.
    """
    values = {name: [value(run.positions) for run in each] for name, each in runs.items()}
    least = min(one.value for each in values.values() for one in each)
    for name, each in values.items():
        for row, one in zip(found[name], each, strict=True):
            score = 1.0 / (1.0 + (one.value - least) / (abs(least) or 1.0)) if math.isfinite(one.value) else 0.0
            row[J_OF + one.method] = Measured(one.value, score, 0.0, True)
    return {name: each[0].node_cost for name, each in values.items()}


class _LeftOut(Exception):
    """An entry that cannot draw this graph here; the message is the reason."""


class _Run(NamedTuple):
    """One drawing: positions, wall-clock seconds if `compare` made it, and notes of the run."""

    positions: object
    seconds: float | None = None
    notes: tuple[str, ...] = ()


class _Entry(NamedTuple):
    """One row: its drawings, or how a seed is drawn, and whether the seed matters."""

    name: str
    given: tuple[object, ...] = ()
    draw: Callable[[int], _Run] | None = None
    seeded: bool = False

    def runs(self, seeds: int, seed: int) -> list[_Run]:
        """Return all drawings of the row; raises `_LeftOut`."""
        if self.draw is None:
            return [_Run(getattr(pos, "positions", pos)) for pos in self.given]
        return [self.draw(one) for one in range(seed, seed + (seeds if self.seeded else 1))]


@dataclass(frozen=True, slots=True)
class Subject:
    """The graph or the vectors that are drawn and measured.

    data     the graph or vectors, which functions get
    network  its nodes
    facts    known of the nodes, without positions
    place    (positions, words for them in an error) -> array (n, dim)
    peers    layouts of other packages by name
    matrix   peer -> adjacency or rows
    solve    (method, seed) -> solution
    n_jobs   threads for peers
    """

    data: object
    network: Network
    facts: MeasuredDrawing
    place: Callable[[object, str], np.ndarray]
    peers: Mapping[str, Peer]
    matrix: Callable[[Peer], csr_array | np.ndarray]
    solve: Callable[[Method, int], Solution]
    n_jobs: int | None

    def array(self, pos: object, name: str) -> np.ndarray:
        """Return positions (n, dim); errors name the drawing."""
        who = f"the drawing {name!r}"
        with inputs.named(who):
            return self.place(pos, who)

    def entries(self, drawings: object) -> dict[str, _Entry]:
        """Read a list or a dict of drawings: {name: entry}."""
        if isinstance(drawings, str):
            drawings = [drawings]
        listed: list[tuple[object, object]] = []
        if isinstance(drawings, Mapping):
            if drawings and all(map(_is_place, drawings.values())):
                raise InputError("drawings is one dict of positions; give {name: positions}, or a list: [positions]")
            listed = list(drawings.items())
        elif isinstance(drawings, Iterable) and not isinstance(drawings, np.ndarray):
            listed = [(None, x) for x in drawings]
        if not listed:
            raise InputError(f"drawings must be a list or a dict with at least one drawing, {EXAMPLE}")
        found: dict[str, _Entry] = {}
        for row, x in listed:
            name = None if row is None else " ".join(str(row).split()) or UNNAMED  # a name is one line of a table
            entry = self._entry(name, x)
            if row is None and entry.name == UNNAMED and UNNAMED in found:
                count = sum(other.startswith(UNNAMED) for other in found)
                entry = _Entry(f"{UNNAMED} {count + 1}", entry.given)
            if entry.name in found:
                raise InputError(f"the drawing {entry.name!r} is given twice; give a dict with a name for each")
            found[entry.name] = entry
        for name, entry in found.items():  # before drawing, which may take long
            dims = sorted({self.array(pos, name).shape[1] for pos in entry.given})
            if len(dims) > 1:
                have = " and ".join(map(str, dims))
                raise InputError(f"the drawings of {name!r} have {have} dimensions; give one name per dimension")
        return found

    def _entry(self, row: str | None, x: object) -> _Entry:
        """Return the entry of a name, method, function or positions; `InputError` for other names."""
        if isinstance(x, str):
            peer = self.peers.get(spelled(x))
            if peer is not None:
                return _Entry(row or x, draw=lambda seed: self._by_peer(peer, seed), seeded=peer.seeded)
            check_method(x, self.peers)
            row, x = row or x, method_named(x)
        if isinstance(x, Method):
            return _Entry(row or x.name, draw=lambda seed: _timed(lambda: self.solve(x, seed)), seeded=True)
        if isinstance(x, type) or (callable(x) and not hasattr(x, "__len__")):
            name = row or getattr(x, "__name__", type(x).__name__)
            try:
                seeded = "seed" in inspect.signature(x).parameters
            except (TypeError, ValueError):
                seeded = False
            return _Entry(name, draw=lambda seed: self._by_function(name, x, seed, seeded), seeded=seeded)
        return _Entry(row or UNNAMED, _several(x, row or UNNAMED))

    def _by_peer(self, peer: Peer, seed: int) -> _Run:
        if peer.missing is not None:
            raise _LeftOut(peer.missing)
        data = self.matrix(peer)
        try:
            run = _timed(peer.prepare(data, seed, self.n_jobs))
            Y = np.asarray(run.positions, np.float64)
        except Exception as error:  # another package may raise any error; it is reported, and the others are compared
            raise _LeftOut(f"it failed with {type(error).__name__}: {error}") from error
        n = data.shape[0]
        lost = n if Y.shape != (n, 2) else int(np.count_nonzero(~np.isfinite(Y).all(axis=1)))
        if lost:
            raise _LeftOut(f"it gave {lost} of {n} nodes no position")
        return _Run(self.network.host.write(Y), run.seconds)

    def _by_function(self, name: str, function: Callable, seed: int, seeded: bool) -> _Run:
        try:
            run = _timed(lambda: function(self.data, seed=seed) if seeded else function(self.data))
        except Exception as error:
            error.add_note(f"raised by the function that draws {name!r}")
            raise
        if run.positions is None:
            raise InputTypeError(f"the function of the drawing {name!r} returned None; it must return positions")
        if len(_several(run.positions, name)) > 1:
            raise InputError(
                f"the function of the drawing {name!r} returned several drawings; it must return one: seeds=10 calls "
                "it ten times"
            )
        return run

    def draw(self, entries: Iterable[_Entry], seeds: int, seed: int) -> tuple[dict[str, list[_Run]], dict[str, tuple]]:
        """Draw all entries: {name: runs}, and {name: notes}; warns of entries that are left out."""
        runs: dict[str, list[_Run]] = {}
        notes: dict[str, tuple[str, ...]] = {}
        for entry in entries:
            name = entry.name
            try:
                runs[name] = entry.runs(seeds, seed)
            except _LeftOut as reason:
                notes[name] = (f"left out: {reason}",)
                continue
            said = dict.fromkeys(note for run in runs[name] for note in run.notes)
            if said:
                notes[name] = tuple(said)
        lost = [f"{name} is {said[0]}" for name, said in notes.items() if name not in runs]
        if not runs:
            raise InputError(f"no drawing is left to compare: {'; '.join(lost)}")
        for sentence in lost:
            warn(sentence)
        return runs, notes


def _timed(draw: Callable[[], object]) -> _Run:
    """Return the positions of a call, its seconds, and the notes of a solution."""
    began = time.perf_counter()
    found = draw()
    seconds = time.perf_counter() - began
    return _Run(getattr(found, "positions", found), seconds, tuple(getattr(found, "notes", ())))


def _several(x: Any, row: str) -> tuple:
    """Return the drawings in a list or an array of three dimensions; else ``(x,)``."""
    if x is None:
        raise InputTypeError(f"the drawing {row!r} is None; give positions or a method: {EXAMPLE}")
    if isinstance(x, np.ndarray):
        return tuple(x) if x.ndim == 3 else (x,)
    if type(x) not in (list, tuple):
        return (x,)
    if not len(x):
        raise InputError(f"the drawing {row!r} is an empty {type(x).__name__}; give one drawing or several in a list")
    who = next((each for each in x if isinstance(each, (str, Method)) or callable(each)), None)
    if who is not None:
        raise InputError(
            f"the drawing {row!r} is a list with {getattr(who, 'name', who)!r} in it; a list in a dict holds "
            "positions: give each method or function another name, and seeds=10 for ten drawings of each"
        )
    return tuple(x) if all(map(_is_drawing, x)) else (x,)


def _is_drawing(x: Any) -> bool:
    """Return whether `x` is a drawing; the position of one node is none."""
    known = isinstance(x, Mapping) or hasattr(x, "positions") or hasattr(x, "coords")
    return known or getattr(x, "ndim", 0) == 2 or (type(x) in (list, tuple) and len(x) > 0 and all(map(_is_place, x)))


def _is_place(x: Any) -> bool:
    """Return True for the position of one node: one to three numbers."""
    if isinstance(x, (str, Mapping)) or not hasattr(x, "__len__") or not 0 < len(x) < 4:
        return False
    return all(isinstance(value, (Real, np.number)) for value in x)


def check_method(name: str, peers: Iterable[str]) -> None:
    """Raise `InputError`, with near matches, for a name that is neither a method nor a peer."""
    try:
        method_named(split(name)[0])
    except InputError:
        raise unknown("method or peer", name, ["auto", *METHODS, *peers]) from None
