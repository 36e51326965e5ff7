"""`compare`: drawings of one graph, drawn here by name or given, are measured with the same samples."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from nelayout.catalogue import METHODS, method_named
from nelayout.catalogue.record import Method
from nelayout.comparison import drawings as given
from nelayout.comparison.alignment import align
from nelayout.comparison.compared import Comparison
from nelayout.comparison.entries import (
    Entry,
    Run,
    entries_of,
    function_entry,
    peer_entry,
    say_points,
    take_part,
)
from nelayout.comparison.means import mean_of
from nelayout.comparison.measuring import KEYWORD, Measured, integer_seed, measure_drawing, path_lengths, sample_size
from nelayout.comparison.peers import graph_peer, graph_peers
from nelayout.comparison.ranking import J_OF
from nelayout.errors import InputError, Unsupported, unknown
from nelayout.formula.part_names import split
from nelayout.graphs import Network, guard, places, read
from nelayout.numerics.parallel import thread_count
from nelayout.quality import MEASURES
from nelayout.quality.protocol import MeasuredDrawing
from nelayout.record.evaluated import Evaluated
from nelayout.run.evaluation import evaluate
from nelayout.run.pipeline import solve

__all__ = ["check_measures", "check_method", "compare", "comparison_of"]


def compare(
    G: Any,
    drawings: Mapping[str, Any] | Iterable[Any],
    labels: Any = None,
    coords: Any = None,
    *,
    measures: str | Iterable[str] | None = None,
    objective: str | Method | None = None,
    seeds: int = 1,
    weight: str | None = "weight",
    weight_kind: str = "similarity",
    node_size: Any = None,
    sample: str | int | None = "auto",
    seed: Any = 0,
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
        - the name of a layout of another package, with that package's defaults: "nx:spring", "nx:kamada_kawai" and
          every other layout of networkx that needs the graph alone; "igraph:drl" and every other of igraph;
          "graphviz:sfdp", neato, fdp, dot, circo, twopi; "opentsne", "umap", "s_gd2". Those that take weights for
          similarities get them, the others draw the graph without weights. One that is not installed or fails on this
          graph is left out with a warning;
        - a function of ``G``, which gets ``seed=`` where it takes one.
    labels, coords, measures, weight, node_size, sample, lengths : as in `measure`.
    weight_kind : what the weights are to those who draw, as in the layouts: "similarity", "distance" or "log".
    objective : name of a method, or a `Method`: a last row, "J of ws-sne", has its objective of each drawing, at the
        size that makes it least (`nelayout.evaluate`). None: no such row.
    seeds : drawings of each method, peer and function, with the seeds seed, seed + 1, ...; what does not depend on the
        seed is drawn once. Their mean is measured, ``.spread`` has their deviation.
    seed : of the samples, as in `measure`, and of the first drawing.
    n_jobs : threads for our methods and for the peers that have such a number; None: their own default.

    Returns
    -------
    Comparison
        ``.table`` (pandas), ``.marked``, ``.spread``, ``.verdict``, ``.plot()`` (matplotlib), ``.to_html(path)``;
        ``.measured`` and ``.seconds`` need no package. The seconds of a first run include the loading of compiled
        loops.

    Raises
    ------
    InputError
        as `measure` does, naming the drawing and the nodes that have no place; for an unknown method or peer, with near
        matches; and when there is no drawing, or none is left. What a function raises has a note with the drawing's
        name.
    Unsupported
        for a measure that was asked for by name and is not defined in the dimensions of a drawing; unasked, it is NaN.

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
    ↑ higher is better, ↓ lower is better, * best, or not told from it
    >>> found.front, found.dominated
    (['circle'], {'line': ['circle']})
    >>> compare(G, pos, measures="crossings", objective="t-sne").table["J of tsne"].round(2).to_dict()
    {'circle': 0.38, 'line': 0.62}
    >>> drawn = compare(G, ["nx:spring", "ws-sne", pos["line"]], seeds=2, measures="stress")
    >>> list(drawn.measured), list(drawn.seconds), len(drawn.runs["nx:spring"])
    (['nx:spring', 'ws-sne', 'given'], ['nx:spring', 'ws-sne'], 2)
    """
    network = read(G, weight, weight_kind)
    with guard(G):
        thread_count(n_jobs)
        chosen = check_measures(measures)
        sample, seed = sample_size(sample), integer_seed(seed)
        names = given.class_names(network, labels)
        known, true = given.classes(names), given.coordinates(network, coords)
        diameters = None
        if node_size is not None:
            diameters = network.host.values(node_size, "node_size", nonnegative=True)
        far = path_lengths(G, network, lengths)
        _check_needs(chosen, {"classes": known, "coords": true, "diameters": diameters})
        entries = entries_of(drawings, *_artists(G, network, weight, weight_kind, n_jobs))
        for entry in entries:  # before anything is drawn, which may take long
            given.check_dimensions(entry.name, entry.given)
            for pos in entry.given:
                given.every_place(network, pos, entry.name)

        def find(name: str, pos: Any) -> dict[str, Measured]:
            Y = given.every_place(network, pos, name)
            drawing = MeasuredDrawing(network.adjacency, Y, known, true, diameters, far)
            try:
                return measure_drawing(drawing, chosen, sample, seed)
            except Unsupported as error:
                raise Unsupported(f"the drawing {name!r}: {error}") from None

        runs, notes = take_part(entries, seeds, seed)
        say_points(runs, notes)
        found = {name: [find(name, run.positions) for run in each] for name, each in runs.items()}
        if objective is not None:
            weights = {"weight": weight, "weight_kind": weight_kind}
            _add_objective(found, runs, lambda pos: evaluate(G, pos, objective, "best", **weights))
        first = {name: _native(network, each[0].positions, name) for name, each in runs.items()}
        return comparison_of(found, first, runs, notes, entries, G, names)


def comparison_of(
    found: dict[str, list[dict[str, Measured]]],
    first: dict[str, Any],
    runs: dict[str, list[Run]],
    notes: dict[str, tuple[str, ...]],
    entries: list[Entry],
    G: Any,
    names: list[Any] | None,
) -> Comparison:
    """Put the measures of all runs together, and lay the first drawing of each over that of the first.

    A measure that is not defined for a drawing, such as crossings in space, is NaN for it.
    """
    rows = sorted((row for each in found.values() for row in each), key=len, reverse=True)
    columns = dict.fromkeys(measure for row in rows for measure in row)
    nothing = Measured(math.nan, math.nan, 0.0, True)
    found = {
        name: [{measure: row.get(measure, nothing) for measure in columns} for row in each]
        for name, each in found.items()
    }
    drawn = {name: [run.seconds for run in each if run.seconds is not None] for name, each in runs.items()}
    return Comparison(
        {name: mean_of(each) for name, each in found.items()},
        _align_all(first),
        G,
        names,
        {name: statistics.median(seconds) for name, seconds in drawn.items() if seconds},
        found,
        notes,
        tuple(entry.name for entry in entries if entry.seeded and len(runs.get(entry.name, ())) == 1),
    )


def _artists(
    G: Any, network: Network, weight: str | None, weight_kind: str, n_jobs: int | None
) -> tuple[Callable[[str, str], Entry], Callable[[str, Method], Entry], Callable[[str, Callable], Entry]]:
    """Makers of entries, of names, of methods and of functions, for `entries_of`."""

    def method(row: str, record: Method) -> Entry:
        def draw(seed: int) -> Run:
            began = time.perf_counter()
            weights = {"weight": weight, "weight_kind": weight_kind}
            found = solve(G, record, node_size="auto", seed=seed, n_jobs=n_jobs, **weights)
            return Run(found.positions, time.perf_counter() - began, found.notes)

        return Entry(row, draw=draw, seeded=True)

    def named(row: str, name: str) -> Entry:
        peer = graph_peer(name)
        if peer is None:
            check_method(name, graph_peers())
            return method(row, method_named(name))
        adjacency = network.adjacency.copy()
        if not peer.weighted:
            adjacency.data[:] = 1.0
        return peer_entry(row, peer, adjacency, network.host.write, n_jobs)

    return named, method, lambda row, function: function_entry(row, function, G)


def check_method(name: str, peers: Iterable[str]) -> None:
    """Raise `InputError` for a name that is neither a method nor a peer, with the near matches of both."""
    try:
        method_named(split(name)[0])
    except InputError:
        raise unknown("method or peer", name, ["auto", *METHODS, *peers]) from None


def _native(network: Network, pos: Any, name: str) -> Any:
    """A drawing as the graph's library keys it: an array of a networkx graph becomes a dict."""
    pos = getattr(pos, "positions", pos)
    keyed = places(network.host.write(np.zeros((len(network.labels), 2)))).keys is not None
    if (places(pos).keys is not None) == keyed:
        return pos
    return network.host.write(given.every_place(network, pos, name))


def check_measures(measures: str | Iterable[str] | None) -> list[str] | str | None:
    """The measures that were asked for; `InputError` for one that does not exist, before anything is drawn."""
    if measures is None or (isinstance(measures, str) and measures == "all"):
        return measures
    names = [measures] if isinstance(measures, str) else list(measures)
    for name in names:
        if name not in MEASURES:
            raise unknown("measure", name, MEASURES)
    return names


def _check_needs(measures: list[str] | str | None, brought: Mapping[str, Any]) -> None:
    """Raise `InputError`, before anything is drawn, for a measure that needs what was not given."""
    for name in measures if isinstance(measures, list) else ():
        lacking = [KEYWORD[use] for use in MEASURES[name].uses if use in brought and brought[use] is None]
        if lacking:
            raise InputError(f"the measure {name!r} needs {lacking[0]}=...: give it, or leave it out")


def _add_objective(
    found: dict[str, list[dict[str, Measured]]], runs: dict[str, list[Run]], value: Callable[[Any], Evaluated]
) -> None:
    """Add J of every run as a measure; its score is 1 for the least and a half where J is twice as far from 0."""
    values = {name: [value(run.positions) for run in each] for name, each in runs.items()}
    least = min(one.value for each in values.values() for one in each)
    unit = abs(least) or 1.0
    for name, each in values.items():
        for row, one in zip(found[name], each, strict=True):
            score = 1.0 / (1.0 + (one.value - least) / unit) if math.isfinite(one.value) else 0.0
            row[J_OF + one.method] = Measured(one.value, score, 0.0, True)


def _align_all(drawings: Mapping[str, Any]) -> dict[str, Any]:
    """Each drawing laid over the first, where they have the same number of dimensions."""
    first = next(iter(drawings.values()))
    result = {}
    for name, pos in drawings.items():
        mine = places(pos)
        over = pos is not first and len(mine.given) > 0 and mine.dim == places(first).dim
        result[name] = align(pos, to=first) if over else pos
    return result


