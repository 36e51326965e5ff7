"""`benchmark`: many graphs, drawn by several layouts and seeds, measured and tested.

Graphs come one by one, from files or a generator too. Each layout of each graph is a `Trial`, and a folder can keep
the trials, so that a run goes on where it ended.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nelayout.comparison import inputs
from nelayout.comparison.benchmarked import SECONDS, Benchmark
from nelayout.comparison.comparing import Subject, Trial, check_method, graph_subject, tried
from nelayout.comparison.measuring import chosen_measures
from nelayout.comparison.peers import graph_peers, spelled
from nelayout.core.catalogue.record import Method
from nelayout.core.record.progress import counted
from nelayout.errors import InputError, InputTypeError, unknown, warn
from nelayout.graphs.files import CONVERSIONS, EXTENSIONS, GraphFile, deliver, read_graph
from nelayout.keywords.signatures import checks_keywords
from nelayout.numerics.parallel import thread_count
from nelayout.quality.table import MEASURES

__all__ = ["benchmark"]

# Largest number of graphs that the warning of left-out graphs names.
MAX_NAMED_GRAPHS = 5
LAYOUTS = 'such as ["ws-sne", "igraph:sugiyama", nx.spring_layout] or {"ours": "ws-sne", "theirs": {graph: positions}}'
GRAPHS = 'such as {"karate": G}, [G, H], "folder" or ["a.graphml", "b.csv"]'


@checks_keywords
def benchmark(
    graphs: object,
    layouts: Mapping[str, object] | Iterable,
    seeds: int = 10,
    *,
    measures: str | Iterable[str] | None = None,
    alpha: float = 0.05,
    weight: str | None = "weight",
    weight_kind: str = "auto",
    sample: str | int | None = "auto",
    seed: object = 0,
    n_jobs: int | None = None,
    path: str | PathLike | None = None,
    progress: bool | None = None,
) -> Benchmark:
    """Draw many graphs by several layouts and seeds, measure them, and test the ranks.

    Use it to find out whether a layout is better in general. `compare` shows one graph.

    Parameters
    ----------
    graphs : {name: graph}, a list of graphs or of files, (name, graph) pairs, a folder with files that `read_graph`
        reads, or a generator of such graphs. A graph without a name gets its number.
    layouts : {name: layout} or a list of layouts, at least two. Each is

        - the name of a method ("ws-sne", "nerv:0.3"), or a `Method`;
        - the name of a layout of another package ("nx:planar", "igraph:sugiyama"), as in `compare`;
        - a function of the graph; it gets ``seed=`` if it takes one;
        - stored positions: a dict {name of the graph: positions}, or a list of positions for several seeds.
    seeds : drawings of each graph by each layout, with the seeds seed, seed + 1, ...; layouts without a seed are drawn
        once. Ranks and tests take the mean over seeds, of seconds the median.
    measures : names, as in `measure`; None: the defaults for graphs. Seconds are one more measure.
    alpha : level of the tests, between 0 and 1.
    weight, weight_kind, sample, seed, n_jobs : as in `compare`.
    path : a folder that keeps each layout of each graph when it is done. A later call with the same folder draws only
        what is not there, or has changed. A function counts as changed by its name and code.
    progress : show a progress bar; None: if there is a terminal.

    Returns
    -------
    Benchmark
        ``.ranks``, ``.wins``, ``.tests``, ``.table`` (pandas), ``.plot()`` (critical-difference diagrams),
        ``.to_latex()``, ``.to_markdown()``, ``.to_html(path)``, ``.layouts`` (positions of all seeds), ``.left_out``

    Raises
    ------
    InputError
        for an unknown method, measure or file, for fewer than two layouts or no graph, and if no layout draws any
        graph. A layout that cannot draw a graph is named in ``left_out`` and in a warning, with the reason.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> graphs = {f"tree {k}": nx.random_labeled_tree(20, seed=k) for k in range(8)}
    >>> found = nl.benchmark(graphs, ["ws-sne", "nx:circular"], seeds=2, measures=["crossings"])
    >>> found.ranks["crossings"].to_dict()
    {'ws-sne': 1.0, 'nx:circular': 2.0}
    >>> found.tests.wilcoxon.loc[("crossings", "ws-sne", "nx:circular"), "better"]
    'ws-sne'
    """
    count, size, seed = inputs.seed_count(seeds), inputs.sample_size(sample), inputs.integer_seed(seed)
    thread_count(n_jobs)
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError(f"alpha must be a number between 0 and 1; got {alpha!r}. Take 0.05 for most tables")
    names = measures if measures is None or isinstance(measures, str) else list(measures)
    for name in [] if names is None or names == "all" else [names] if isinstance(names, str) else names:
        if name not in MEASURES:
            raise unknown("measure", name, MEASURES)
    wanted, known = _named_layouts(layouts), _named_graphs(graphs)
    folder = None if path is None else _folder(path)
    done: dict[str, dict[str, Trial]] = {}
    sizes: dict[str, tuple[int, int]] = {}
    taken: list[str] = []
    total = len(wanted) * len(graphs) if isinstance(graphs, Sized) and not isinstance(graphs, str) else None
    with counted("benchmark", "layouts", total, progress) as bar:
        for name, load in known:
            try:
                subject = _subject(load(), weight, weight_kind, n_jobs)
            except InputError as error:
                done[name] = dict.fromkeys(wanted, Trial([], [], [], f"the graph cannot be read: {error}"))
                bar.update(len(wanted))
                continue
            taken = taken or chosen_measures(names, subject.facts)
            sizes[name] = len(subject.network.labels), subject.network.adjacency.nnz // 2
            done[name] = {}
            for layout, what in wanted.items():
                bar.set_postfix_str(f"{name}: {layout}")
                given = _of_graph(what, name)
                if given is None:
                    trial, file = Trial([], [], [], "it has no positions of this graph"), None
                else:
                    facts = (weight, weight_kind, taken, count, size, seed)
                    file = None if folder is None else folder / _file_name(name, layout, given, subject, facts)
                    trial = None if file is None else _loaded(file)
                if trial is None:
                    trial = tried(subject, layout, given, taken, count, size, seed)
                    if file is not None and not trial.reason:
                        deliver(str(file), _stored(trial))
                done[name][layout] = trial
                bar.update()
    return _collected(done, sizes, [*taken, SECONDS], float(alpha), count)


def _collected(
    done: dict[str, dict[str, Trial]], sizes: dict[str, tuple[int, int]], measures: list[str], alpha: float, seeds: int
) -> Benchmark:
    if not done:
        raise InputError(f"graphs must be at least one graph; got none. Give some, {GRAPHS}")
    left_out = {
        graph: {name: trial.reason for name, trial in row.items() if trial.reason} for graph, row in done.items()
    }
    left_out = {graph: reasons for graph, reasons in left_out.items() if reasons}
    if all(trial.reason for row in done.values() for trial in row.values()):
        graph, reasons = next(iter(left_out.items()))
        raise InputError(f"no layout draws any of {len(done)} graphs; of {graph!r}: {_in_words(reasons)}")
    if left_out:
        listed = [f"{graph} ({_in_words(reasons)})" for graph, reasons in left_out.items()]
        more = f"; and {len(listed) - MAX_NAMED_GRAPHS} more" if len(listed) > MAX_NAMED_GRAPHS else ""
        warn(
            f"{len(left_out)} of {len(done)} graphs lack a layout and are left out of mean ranks and Friedman's test: "
            f"{'; '.join(listed[:MAX_NAMED_GRAPHS])}{more}"
        )
    values = {
        graph: {
            name: [{**row, SECONDS: spent} for row, spent in zip(trial.values, trial.seconds, strict=True)]
            for name, trial in row.items()
        }
        for graph, row in done.items()
    }
    positions = {graph: {name: trial.positions for name, trial in row.items()} for graph, row in done.items()}
    return Benchmark(values, positions, left_out, sizes, measures, list(next(iter(done.values()))), alpha, seeds)


def _in_words(reasons: Mapping[str, str]) -> str:
    """Return reasons in one phrase, equal ones once."""
    alike: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        alike.setdefault(reason, []).append(name)
    return ", ".join(f"{' and '.join(names)}: {reason}" for reason, names in alike.items())


class _Stored(NamedTuple):
    """Stored positions by the name of the graph."""

    by_graph: Mapping[str, object]


def _named_layouts(layouts: object) -> dict[str, object]:
    """Check the layouts: {name: name of a method or peer, `Method`, function or `_Stored`}."""
    if isinstance(layouts, Mapping):
        pairs = [(" ".join(str(name).split()), each) for name, each in layouts.items()]
    elif isinstance(layouts, Iterable) and not isinstance(layouts, (str, np.ndarray)):
        pairs = [(None, each) for each in layouts]
    else:
        raise InputTypeError(f"layouts must be a list or a dict of layouts; got {type(layouts).__name__}, {LAYOUTS}")
    found: dict[str, object] = {}
    for row, each in pairs:
        name, what = row, each
        if isinstance(each, str):
            peer = graph_peers().get(spelled(each))
            if peer is None:
                check_method(each, graph_peers())
            elif peer.missing is not None:
                raise InputError(f"the layout {each!r} cannot be drawn: {peer.missing}; install it, or leave it out")
            name = row or each
        elif isinstance(each, Method):
            name = row or each.name
        elif isinstance(each, Mapping):
            name, what = row or "stored", _Stored({" ".join(str(key).split()): pos for key, pos in each.items()})
        elif callable(each) and not hasattr(each, "__len__"):
            name = row or getattr(each, "__name__", type(each).__name__)
        else:
            raise InputTypeError(
                f"the layout {row or each!r} is a {type(each).__name__}; a layout is the name of a method, a `Method`, "
                "a function, or a dict {name of the graph: positions}"
            )
        if name in found:
            raise InputError(f"the layout {name!r} is given twice; give a dict with a name for each")
        found[str(name)] = what
    if len(found) < 2:
        raise InputError(f"layouts must be at least two layouts, to rank them; got {len(found)}. Give more, {LAYOUTS}")
    return found


def _of_graph(layout: object, graph: str) -> object:
    """Return the layout for one graph: stored positions of it, None if there are none."""
    return layout.by_graph.get(graph) if isinstance(layout, _Stored) else layout


def _named_graphs(graphs: object) -> Iterator[tuple[str, Callable[[], object]]]:
    """Return (name, function that returns the graph) pairs; checks files before any is read."""
    if isinstance(graphs, (str, PathLike)):
        place = Path(graphs)
        if not place.exists():
            raise InputError(f"graphs={str(graphs)!r} does not exist; give a folder, a file or graphs, {GRAPHS}")
        graphs = sorted(each for each in place.iterdir() if _is_graph_file(each)) if place.is_dir() else [place]
        if not graphs:
            endings = ", ".join(sorted(EXTENSIONS))
            raise InputError(f"the folder {str(place)!r} has no file with the ending of a graph; allowed are {endings}")
    if isinstance(graphs, Mapping):
        pairs: Iterable = graphs.items()
    elif isinstance(graphs, (list, tuple)):
        pairs = [_pair(each, number) for number, each in enumerate(graphs, start=1)]
    elif isinstance(graphs, Iterator):
        pairs = (_pair(each, number) for number, each in enumerate(graphs, start=1))
    else:
        kind = type(graphs).__name__
        raise InputTypeError(f"graphs must be several graphs; got one {kind}. Give a list or a dict, {GRAPHS}")
    if not isinstance(graphs, Iterator):
        pairs = list(pairs)
        for _, each in pairs:
            if isinstance(each, (str, PathLike)) and not Path(each).is_file():
                raise InputError(f"the file {str(each)!r} does not exist; correct its name, or leave it out")
    return _unique(pairs)


def _unique(pairs: Iterable[tuple[object, object]]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield names and loaders; equal names get numbers."""
    counts: dict[str, int] = {}
    for given, graph in pairs:
        name = " ".join(str(given).split())
        counts[name] = counts.get(name, 0) + 1
        name = name if counts[name] == 1 else f"{name} ({counts[name]})"
        yield name, (lambda graph=graph: read_graph(graph) if isinstance(graph, (str, PathLike)) else graph)


def _pair(each: object, number: int) -> tuple[object, object]:
    """Return a name and a graph or file."""
    if isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str):
        return each
    if isinstance(each, (str, PathLike)):
        name = Path(each).name.removesuffix(".gz")
        return name.rpartition(".")[0] or name, each
    own = getattr(each, "name", "")  # of networkx graphs
    return own if isinstance(own, str) and own else f"graph {number}", each


def _is_graph_file(path: Path) -> bool:
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    return path.is_file() and not path.name.startswith(".") and ending in EXTENSIONS and ending not in CONVERSIONS


def _subject(graph: object, weight: str | None, weight_kind: str, n_jobs: int | None) -> Subject:
    if isinstance(graph, GraphFile):
        weight_kind = graph.weight_kind if weight_kind == "auto" else weight_kind
        weight = graph.weight if weight == "weight" else weight
        graph = graph.graph
    return graph_subject(graph, {"weight": weight, "weight_kind": weight_kind}, n_jobs)


def _folder(path: str | PathLike) -> Path:
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"path={str(path)!r} is a file; give a folder, which may be new")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"path={str(path)!r}: {error.strerror}; give a folder that can be written") from None
    return folder


def _file_name(graph: str, layout: str, what: object, subject: Subject, facts: tuple) -> str:
    """Return the name of a trial's file: graph, layout, and a digest of all that decides."""
    digest, matrix, about = blake2b(digest_size=8), subject.network.adjacency, repr(type(what))
    code = getattr(what, "__code__", None)
    if code is not None:
        about = f"{getattr(what, '__qualname__', '')} {code.co_code!r} {code.co_names}"
    elif isinstance(what, (str, Method)):
        about = repr(what)
    elif not callable(what):
        with suppress(InputError):  # bad positions become a reason later
            for Y in subject.entries({layout: what})[layout].given:
                digest.update(np.ascontiguousarray(subject.array(Y, layout)).tobytes())
    for part in (matrix.indptr, matrix.indices, matrix.data):
        digest.update(part.tobytes())
    digest.update(repr((graph, layout, about, facts)).encode())
    plain = "-".join("".join(c if c.isalnum() else "_" for c in word)[:40] for word in (graph, layout))
    return f"{plain}-{digest.hexdigest()}.npz"


def _stored(trial: Trial) -> bytes:
    """Return a trial as the bytes of an npz file."""
    content = io.BytesIO()
    about = json.dumps({"values": trial.values, "seconds": trial.seconds})
    arrays: dict[str, Any] = {f"positions{k}": Y for k, Y in enumerate(trial.positions)}
    np.savez_compressed(content, about=np.array(about), **arrays)
    return content.getvalue()


def _loaded(file: Path) -> Trial | None:
    """Return the trial in a file; None if there is none."""
    if not file.exists():
        return None
    try:
        with np.load(file, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            positions = [stored[f"positions{k}"] for k in range(len(about["values"]))]
    except (OSError, ValueError, KeyError) as error:
        warn(f"{file.name} cannot be read ({error}): nelayout draws again")
        return None
    return Trial(positions, about["values"], about["seconds"])
