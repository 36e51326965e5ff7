"""`nl.distributed.layout`: lay out a graph that is larger than one machine."""

from __future__ import annotations

import atexit
import os
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout import graphs
from nelayout.core.catalogue import with_own
from nelayout.core.catalogue.record import Method
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.placing.final import finish
from nelayout.core.record.progress import LOG, observe
from nelayout.core.record.solution import Frame, Step
from nelayout.core.run.assembly import assemble
from nelayout.core.run.several_machines import (
    DRIVER,
    LEAST_NODES,
    MOST_ENTRIES,
    READING,
    WORKER,
    driver_bytes,
    worker_bytes,
)
from nelayout.core.similarities.masses import node_mass, tempered
from nelayout.core.sums.nbody import check_backend
from nelayout.distributed.blocks import Journal, stored
from nelayout.distributed.drawing import draw
from nelayout.distributed.floor import FloorSummation
from nelayout.distributed.reading import Columns, Graph, from_matrix, parts_of, read
from nelayout.distributed.worker_pool import WorkerPool, check_memory, check_workers, connected, folder_of, import_dask
from nelayout.errors import InputError, Unsupported
from nelayout.keywords.options import DEFAULTS, check_options, generator
from nelayout.layouts.call import read_call
from nelayout.layouts.solving import solution_of
from nelayout.numerics.parallel import threads_for

__all__ = ["LEAST_NODES", "Drawn", "layout", "solve", "write"]

# Masses that can be computed row by row.
MASSES = ("unit", "degree", "degree+1", "strength", "auto")
# Keywords that need the whole graph.
WHOLE_GRAPH = (
    "smoothing", "emphasis", "components", "node_size", "store_pos_as", "optimizer", "device", "weight_kind",
    "affinity", "perplexity", "hops", "time_limit",
)  # fmt: skip
# Folders of positions, which Dask reads lazily.
POSITION_FOLDERS = ExitStack()
atexit.register(POSITION_FOLDERS.close)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A layout on several machines: the result of `solve`.

    positions   Dask dataframe with the columns id, x, y
    value       J, summed over components
    reason      why the last descent ended
    components  number of nodes of each, the largest first
    entries     number of entries of the matrix, two per edge
    notes       sentences on the run
    trace       each iteration, with its value
    facts       seconds of the run and of its rounds, bytes sent and received, rounds, workers
    """

    positions: Any
    value: float
    reason: str
    components: np.ndarray
    entries: int
    notes: tuple[str, ...]
    trace: tuple[Step, ...]
    facts: dict[str, float]


def layout(edges: Any, method: str | Method = "ws-sne", **options: Any) -> Any:
    """Lay out a graph that is larger than one machine, on the workers of a Dask cluster.

    Parameters
    ----------
    edges : Dask dataframe, folder or file of parquet, csv, npz (scipy) or mtx files, or sparse matrix
        a row for each edge; the files of a folder have one format
    method : default "ws-sne"
        a name or a ``nelayout.Method``, except variational methods.  "auto" chooses its tail on the first
        coarsened graph that fits this machine, and it leaves out the emphasis of large distances
    source, target : default "source" and "target"
        columns of the ends of an edge: whole numbers or texts
    weight : default None
        column of the weights; None: every edge weighs 1.  For a matrix, any name reads its values
    client : ``distributed.Client``, address of a scheduler, or None
        None: nelayout starts workers on this machine, and ends them
    seed : default 0
        the same seed gives the same bits for any number of workers
    checkpoint : folder, optional
        folder for blocks and positions, on a disk that all workers see; the same call continues from there
    least : default 1,000,000
        number of nodes below which this machine lays out the graph alone
    mass, dim, scale, center, max_iter, tol, nbody, n_jobs, callback, progress
        as in `nelayout.layout`; ``mass`` is "unit", "degree", "degree+1", "strength" or "auto".  On workers
        "auto" takes one power for all nodes with edges, where `nelayout.layout` takes one for each component

    Returns
    -------
    dask.dataframe.DataFrame
        columns ``id``, ``x``, ``y``; ``.compute()`` gives a pandas table, ``.to_parquet`` files

    Raises
    ------
    InputError
        for edges that cannot be read, workers without this nelayout or with too little memory
    Unsupported
        for methods and keywords that need the whole graph on one machine

    Examples
    --------
    >>> import nelayout as nl
    >>> positions = nl.distributed.layout("edges/", source="from", target="to")  # doctest: +SKIP
    >>> positions.to_parquet("positions/")  # doctest: +SKIP
    """
    return solve(edges, method, **options).positions


def solve(
    edges: Any, method: str | Method = "ws-sne", *, source: str = "source", target: str = "target",
    weight: str | None = None, client: Any = None, seed: Any = 0, checkpoint: str | os.PathLike[str] | None = None,
    least: int = LEAST_NODES, **options: Any,
) -> Drawn:  # fmt: skip
    """Lay out a graph as `layout` does; return value, trace, components, notes and costs too.

    Parameters
    ----------
    edges, method, and keywords
        as in `layout`

    Returns
    -------
    Drawn
        the positions and the facts of the run

    Raises
    ------
    InputError, Unsupported
        as in `layout`
    """
    import_dask()
    began = time.perf_counter()
    record, o = _checked(method, options)
    columns = Columns(source, target, weight)
    rng = generator(seed)
    asked = f"{record!r} {sorted((k, repr(v)) for k, v in o.items() if k not in ('callback', 'progress', 'n_jobs'))}"
    parts, notes = (None, []) if issparse(edges) else parts_of(edges, columns)
    with folder_of(checkpoint) as folder, connected(client) as here, ExitStack() as stack:
        threads = stack.enter_context(threads_for(o["n_jobs"]))
        count = check_workers(here, folder)
        team = WorkerPool(here, uuid.uuid4().hex[:8])
        journal = Journal(folder, checkpoint is not None, rng)
        try:
            _check_call(folder, f"{asked} {columns} {seed!r} {least}", edges)
            if parts is None:
                graph = journal.once("read", lambda: from_matrix(graphs.read(edges, weight).adjacency, folder))
            else:
                check_memory(here, WORKER + READING, DRIVER, "to read edges")
                graph = journal.once("read", lambda: read(parts, columns, team, folder))
            notes += graph.notes
            n = graph.cut.n
            if n < least and graph.entries <= MOST_ENTRIES:
                notes.append(f"{n:,} nodes fit one machine, where workers only lose time: it was drawn here alone")
                own: Any = {**o, "weight": "weight", "seed": rng, "node_size": None}
                with read_call(graph.cut.matrix(), record, own) as call:
                    found = solution_of(call)[0]
                trace, value, reason, labels = found.trace, found.value, found.reason, found.components
                notes += found.notes
                Y = np.asarray(found.positions)
            else:
                needed = worker_bytes(n, graph.entries, count)
                check_memory(here, needed, driver_bytes(n), f"to draw {n:,} nodes and {graph.entries // 2:,} edges")
                observer = stack.enter_context(observe(record.name, o["callback"], o["progress"]))
                sums = FloorSummation(o["nbody"], threads)
                steps = {"max_iter": o["max_iter"], "tol": o["tol"]}
                animation: Any = SimpleNamespace(show=_frame, settle=lambda _: None)
                run = Run(record, o["dim"], sums, rng, observer, animation, notes=notes, **steps)
                drawings, labels, value = draw(graph, _masses(graph, record, o["mass"]), run, team, least, journal)
                Y = assemble(drawings, None, None, (n, o["dim"]), o["scale"])
                Y = finish(Y, scale=o["scale"], center=o["center"]).Y
                trace, reason = tuple(observer.trace), drawings[0].reason
            positions = _written(graph, Y, folder, checkpoint is not None)
        finally:
            team.leave()
    for note in notes:
        LOG.info("note: %s", note)
    facts = {"seconds": time.perf_counter() - began, "round_seconds": team.seconds, "rounds": team.number}
    facts |= {"sent": team.sent, "received": team.received, "workers": count}
    sizes = np.sort(np.bincount(labels))[::-1]
    return Drawn(positions, value, reason, sizes, graph.entries, tuple(notes), trace, facts)


def _frame(drawing: Drawing) -> Frame:
    """Return the positions of the current component."""
    return Frame(lambda: drawing.Y)


def _checked(method: str | Method, options: dict[str, Any]) -> tuple[Method, dict[str, Any]]:
    """Return the method and the common keywords; raise an error if one needs the whole graph."""
    record, common = with_own(method, options)
    if common.get("resume"):
        raise Unsupported("the same call with the same checkpoint always goes on from there: leave out resume")
    o = check_options(dict(common))
    check_backend(o["nbody"], o["dim"])
    for name, usual in DEFAULTS.items():
        if name in WHOLE_GRAPH and o[name] != usual:
            raise Unsupported(
                f"{name}={o[name]!r} needs the whole graph on one machine: leave it out, or use nelayout.layout"
            )
    if record.perplexity is not None:
        raise Unsupported(f"{record.name} takes path lengths, which need the whole graph on one machine: use 'tsne'")
    if record.variational:
        raise Unsupported("the variational form needs the whole graph on one machine: use variational=False")
    mass = record.mass if o["mass"] is None else o["mass"]
    if not (isinstance(mass, str) and mass in MASSES):
        raise Unsupported(f"mass must be {', '.join(map(repr, MASSES))} on several machines; got {mass!r}")
    return replace(record, emphasis=0.0), o


def write(drawn: Drawn, path: Path, kind: str) -> None:
    """Write the positions in one file, "parquet", "arrow" or "csv", completely or not at all."""
    import pyarrow as pa
    from pyarrow import csv, ipc, parquet

    maker: Any = {"parquet": parquet.ParquetWriter, "arrow": ipc.new_file, "csv": csv.CSVWriter}[kind]
    with stored(path) as file:
        writer: Any = None
        for k in range(drawn.positions.npartitions):
            table = pa.Table.from_pandas(drawn.positions.partitions[k].compute(), preserve_index=False)
            writer = writer or maker(file, table.schema)
            writer.write_table(table)
        writer.close()


def _check_call(folder: Path, asked: str, edges: Any) -> None:
    """Raise an error if the checkpoint belongs to another call."""
    if issparse(edges):
        named = f"matrix {edges.shape} {edges.nnz}"
    else:
        named = f"dataframe {edges.npartitions}" if hasattr(edges, "npartitions") else str(Path(edges).resolve())
    path, asked = folder / "call.txt", f"{asked} {named}"
    if path.exists() and path.read_text() != asked:
        raise InputError(
            f"checkpoint must be the folder of the same call; {folder} is of another one. Use a new folder"
        )
    with stored(path) as file:
        file.write(asked.encode())


def _masses(graph: Graph, method: Method, mass: Any) -> np.ndarray:
    """Return masses (n,)."""
    mass = method.mass if mass is None else mass
    degree, n = graph.cut.gathered("degree"), graph.cut.n
    values = {"unit": np.ones(n), "degree": degree, "degree+1": degree + 1.0}.get(mass)
    values = graph.cut.gathered("strength") if values is None else values
    ends = np.concatenate([[0], np.cumsum(degree, dtype=np.int64)])
    rows: Any = SimpleNamespace(indptr=ends, shape=(n, n), nnz=int(ends[-1]))
    found, _ = node_mass(rows, values.astype(float), None, None, method.gravity is None)
    # Components are not known yet: all nodes with edges count as one.
    return tempered(found, degree, np.unique(degree == 0, return_inverse=True)[1]) if mass == "auto" else found


def _written(graph: Graph, Y: np.ndarray, folder: Path, stays: bool) -> Any:
    """Return positions as a Dask dataframe over files, in the checkpoint or until process end."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from dask import dataframe as dd

    if stays:
        into = folder / "positions"
        into.mkdir(exist_ok=True)
    else:
        into = POSITION_FOLDERS.enter_context(folder_of(None))
    coordinates, files = dict(zip("xyz", Y.T, strict=False)), []
    for k, source in enumerate(graph.ids or range(0, graph.cut.n, LEAST_NODES)):
        if isinstance(source, int):
            number = np.arange(source, min(source + LEAST_NODES, graph.cut.n))
            ids = pa.array(number)
        else:
            table = pq.read_table(source)
            number, ids = table["number"].to_numpy(), table["id"]
        if not len(number) and k:
            continue
        files.append(into / f"positions-{k:05d}.parquet")
        with stored(files[-1]) as file:
            pq.write_table(pa.table({"id": ids, **{name: y[number] for name, y in coordinates.items()}}), file)
    return dd.from_map(pd.read_parquet, files, meta=pd.read_parquet(files[0]).iloc[:0])
