"""What a layout on workers costs, and how good it is: `python -m benchmarks.distributed --write`.

Whole layouts are compared, each on one machine and on two workers, by J and measures.  One evaluation of ws-SNE's
J with its gradient, on a neighbor graph of points in a square with nodes numbered along a curve: on one machine with
two threads, and on one and two workers.  ``--write`` writes docs/scaling.md.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks.drawing_quality import quality
from benchmarks.page import commit, machine
from benchmarks.problems import load
from benchmarks.scaling import cloud, neighbors
from nelayout.core.catalogue import METHODS
from nelayout.core.objective import Affinity
from nelayout.core.passes.drawing import Summation
from nelayout.core.run.several_machines import LEAST_NODES, Forecast, driver_bytes
from nelayout.distributed.drawing import _along_curve
from nelayout.distributed.floor import Blocks, FloorSummation
from nelayout.distributed.reading import from_matrix
from nelayout.distributed.worker_pool import SETTINGS, WorkerPool
from nelayout.numerics.parallel import Threads

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scaling.md"
REPEATS, MESSAGE = 5, 64
# The graph of points in a square, and the part of a graph's nodes from which its levels are in blocks.
SQUARE, LEAST = "square", 0.1
MEASURES = {"J": "J", "np1": "neighbors", "np2": "two steps", "sns": "stress"}


def used() -> tuple[float, int]:
    """CPU seconds of this process, and the megabytes that it had at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()  # a process inherits the peak that getrusage reports
    return time.process_time(), next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


def measured(call: Any, workers: Any) -> dict[str, float]:
    """Seconds of a call that is warm: the median by the clock, and the CPU's here and on workers."""
    call()
    call()
    before, there = time.process_time(), workers()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    here = (time.process_time() - before) / REPEATS
    cpu = sum(now[0] - then[0] for now, then in zip(workers(), there, strict=True)) / REPEATS
    return {"clock": statistics.median(times), "driver": here, "workers": cpu}


@contextmanager
def cluster_of(count: int) -> Iterator[Any]:
    """A client of so many workers of one thread."""
    from dask import config
    from distributed import Client, LocalCluster

    size: dict[str, Any] = {"n_workers": count, "threads_per_worker": 1, "memory_limit": "1GB"}
    with (
        config.set(SETTINGS),
        LocalCluster(**size, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster, direct_to_workers=True) as client,
    ):
        yield client


def both_ways(name: str, A: csr_array, method: str, seeds: int) -> str:
    """A row of the page: means over seeds of J and measures on one machine and on workers."""
    nodes, here, there = A.shape[0], list[Any](), list[Any]()
    with cluster_of(2) as client:
        for seed in range(seeds):
            one = nl.solve(A, method, seed=seed, scale=None)
            here.append({"J": one.value, **quality(A, np.asarray(one.positions))})
            drawn = nl.distributed.solve(A, method, client=client, seed=seed, scale=None, least=int(LEAST * nodes))
            Y = drawn.positions.compute().sort_values("id")[["x", "y"]].to_numpy()
            there.append({"J": nl.evaluate(A, Y, method).value, **quality(A, Y)})
            print(name, method, seed, here[-1], there[-1], flush=True)
        peak = max(peak for _, peak in dict(client.run(used)).values())
    cells = []
    for key in MEASURES:
        one, other = (float(np.mean([each[key] for each in found])) for found in (here, there))
        cells.append(f"{one:.4g} / {other:.4g} ({100 * (other / one - 1):+.1f} %)")
    forecast = Forecast.of(nodes, A.nnz, 2).worker / 1e6
    return f"| {name} | {method} | {nodes:,} | {seeds} | {' | '.join(cells)} | {peak} / {forecast:.0f} |"


def cases(n: int) -> dict[str, dict[str, float]]:
    """What an evaluation takes in each way."""
    Y = cloud(n)
    order = np.argsort(_along_curve(Y))
    Y, P = Y[order], neighbors(Y[order])
    method, threads = METHODS["ws-sne"], Threads(2)
    mass = np.diff(P.indptr) / np.mean(np.diff(P.indptr))
    plain = Summation("auto", threads).objective(method, Affinity(P, mass))
    found = {"one machine": measured(lambda: plain.evaluate(Y), list)}
    for count in (1, 2):
        with tempfile.TemporaryDirectory() as folder, cluster_of(count) as client:
            team = WorkerPool(client, "benchmark")
            cut = from_matrix(csr_array(P), Path(folder)).cut
            blocks: Any = Blocks(team, cut, 1.0, cut.gathered("degree"), cut.gathered("strength"))
            there = FloorSummation("auto", threads).objective(method, Affinity(blocks, mass))
            each = measured(lambda J=there: J.evaluate(Y), lambda c=client: list(dict(c.run(used)).values()))
            team.sent = team.received = 0
            team.seconds, rounds = 0.0, 3
            for _ in range(rounds):
                there.evaluate(Y)
            each |= {"round": team.seconds / rounds, "sent": team.sent / rounds, "received": team.received / rounds}
            each["peak"] = max(peak for _, peak in dict(client.run(used)).values())
            each["forecast"] = Forecast.of(n, P.nnz, count).worker / 1e6
            found[f"{count} worker{'s' * (count > 1)}"] = each
            if count == 2:
                found["messages"] = messages(client)
            team.leave()
    found["graph"] = {"nodes": n, "entries": P.nnz, "driver_peak": used()[1], "blocks": cut.count}
    return found


def messages(client: Any) -> dict[str, float]:
    """CPU seconds of this process for 64 MB forth and back in so many messages, as that many workers would get."""
    address, answer = min(client.nthreads()), {}
    for count in (4, 16, 64):
        rows = np.zeros(MESSAGE * 10**6 // (4 * count), dtype=np.float32)
        began = time.process_time()
        sent = [client.scatter([rows], workers=[address], direct=True, hash=False)[0] for _ in range(count)]
        done = [client.submit(np.copy, each, workers=[address], pure=False) for each in sent]
        client.gather(done, direct=True)
        answer[str(count)] = time.process_time() - began
    return answer


def page(layouts: list[str], found: dict[str, dict[str, float]]) -> str:
    """The page of documentation."""
    graph, huge = found["graph"], Forecast.of(10**8, 2 * 10**9, 16, "64GB")
    alone = found["one machine"]
    rows = [f"| one machine, two threads | {alone['clock']:.2f} | {alone['driver']:.2f} | | | | |"]
    for name in ("1 worker", "2 workers"):
        each = found[name]
        rows.append(
            f"| {name} | {each['clock']:.2f} | {each['driver']:.2f} | {each['workers']:.2f} | {each['round']:.2f} | "
            f"{each['sent'] / 1e6:.1f} / {each['received'] / 1e6:.1f} | {each['peak']:.0f} / {each['forecast']:.0f} |"
        )
    table, sizes = "\n".join(rows), found["messages"]
    simulated = "\n".join(f"| {count} | {seconds:.2f} |" for count, seconds in sizes.items())
    head = " | ".join(["graph", "method", "nodes", "seeds", *MEASURES.values(), "MB of a worker / forecast"])
    compared = "\n".join([f"| {head} |", "|---" * (5 + len(MEASURES)) + "|", *layouts])
    return f"""# Several machines

`nl.distributed.layout` draws graphs with edges that fit no single machine; their positions must fit one. This page
says when workers pay, how good their layouts are and what a step costs.
`python -m benchmarks.distributed --write` wrote it on {datetime.now(UTC):%Y-%m-%d} at commit {commit()}.
Machine: {machine()}, which other work shared.

## One machine, a GPU or a cluster

| the graph | use |
|---|---|
| fewer than 1,000,000 nodes and 16 million edges | `nl.layout`; `nl.distributed.layout` draws on this machine alone |
| its matrix fits the memory of a GPU | `nl.layout(G, device="cuda")`, see [GPUs](howto/install.md#use-a-gpu) |
| its matrix fits this machine | `nl.layout` |
| its edges fit no machine, its positions do | `nl.distributed.layout` |

`nl.plan(G, workers=16, memory="64GB").cluster` gives the numbers of the last section for a graph of yours.

## The same layouts

Workers take the same passes as one machine. Here both lay out the same graph from several seeds, and all levels of more
than a tenth of the nodes are in blocks. {SQUARE} joins each point in a square to its 10 nearest points. Each cell has
the mean on one machine, the mean on two workers, and the difference. Neighbors and two steps are the parts of the nodes
within one and two edges that are also nearest in the layout (more is better). Stress is scaled to its least (less is
better).

{compared}

The method "auto" chooses its tail on the first level that fits one machine. It does not try the emphasis of
large distances, which needs path lengths in the whole graph.

## A step

One evaluation of ws-SNE's objective with its gradient: {graph["nodes"]:,.0f} nodes, {graph["entries"]:,.0f} entries in
{graph["blocks"]:.0f} blocks. Seconds by the clock, seconds of the CPU on this machine and on all workers, seconds by
the clock of the rounds of messages with the sums on workers, megabytes out and back, and megabytes of a worker at its
peak beside the forecast. This machine had {graph["driver_peak"]:,.0f} MB at its peak, with the graph's own matrix; the
forecast is {driver_bytes(int(graph["nodes"])) / 1e6:,.0f} MB.

| | clock | CPU here | CPU of workers | round | MB out / back | peak / forecast |
|---|---|---|---|---|---|---|
{table}

Workers take the sums over edges, the near pairs and the readings of the field. This machine sorts the nodes, spreads
their charges and transforms the grid; this part does not shrink with more workers. The messages depend on the
blocks alone: the same bytes go to 1 worker and to 64. What they cost the CPU here in more messages, 64 MB forth and
back, all to a single process, which stands for 4, 16 and 64 workers:

| messages | CPU seconds |
|---|---|
{simulated}

## A forecast for 10^9 edges

100,000,000 nodes and 1,000,000,000 edges on 16 machines of 64 GB, from the numbers of a million nodes, on one thread
of each machine; nobody has measured this.

| | |
|---|---|
| memory of a worker | {huge.worker / 1e9:.1f} GB |
| memory of the machine that draws | {huge.driver / 1e9:.0f} GB |
| messages of a step | {huge.sent / 1e9:.2f} GB out, {huge.received / 1e9:.2f} GB back |
| seconds of a step | {huge.computing:.0f} of computing, {huge.communicating:.1f} of messages at 1 GB/s |
| hours of all steps on workers | {huge.seconds / 3600:.1f} |

The machine that draws is the bottleneck: its memory, its grid, its vectors and its network card. A machine of 64 GB
is too small for this graph's positions and grid. More threads there shorten a
step; more workers only lessen the memory that each needs.
"""


def main() -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000_000, help="points in the square")
    parser.add_argument("--graphs", nargs="*", default=["road_moscow", "mnist_knn10", SQUARE], help="to lay out")
    parser.add_argument("--methods", nargs="+", default=["ws-sne"])
    parser.add_argument("--seeds", type=int, default=2, help=f"one in graphs of {LEAST_NODES:,} nodes and more")
    parser.add_argument("--write", action="store_true", help="write docs/scaling.md")
    given = parser.parse_args()
    found = cases(given.nodes)  # first: a process keeps its peak
    rows = list[str]()
    for name in given.graphs:
        A = neighbors(cloud(given.nodes)) if name == SQUARE else load(name).adjacency
        seeds = given.seeds if A.shape[0] < LEAST_NODES else 1
        rows += [both_ways(name, A, method, seeds) for method in given.methods]
    text = page(rows, found)
    if given.write:
        PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
