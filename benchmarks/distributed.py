"""What a step on workers costs, and what a run on several machines will: `python -m benchmarks.distributed --write`.

One evaluation of ws-SNE's J with its gradient, on a neighbor graph of points in a square with nodes numbered along
a curve: on one machine with two threads, and on one and two workers.  ``--write`` writes docs/scaling.md.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks.scaling import cloud, neighbors
from nelayout.catalogue import METHODS
from nelayout.distributed.drawing import _along_curve
from nelayout.distributed.floor import Blocks, FloorSummation
from nelayout.distributed.reading import from_matrix
from nelayout.distributed.team import Team
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.run.drawing import Summation
from nelayout.run.several_machines import Forecast
from nelayout.sums.nbody import backend

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scaling.md"
REPEATS, MESSAGE = 5, 64


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


def cases(n: int) -> dict[str, dict[str, float]]:
    """What an evaluation takes in each way."""
    from dask import config
    from distributed import Client, LocalCluster

    from nelayout.distributed.team import SETTINGS

    Y = cloud(n)
    order = np.argsort(_along_curve(Y))
    Y, P = Y[order], neighbors(Y[order])
    method, threads = METHODS["ws-sne"], Threads(2)
    mass = np.diff(P.indptr) / np.mean(np.diff(P.indptr))
    plain = Summation(backend("auto", threads, True), threads, True).objective(method, Affinity(P, mass))
    found = {"one machine": measured(lambda: plain.evaluate(Y), list)}
    for count in (1, 2):
        with (
            tempfile.TemporaryDirectory() as folder,
            config.set(SETTINGS),
            LocalCluster(n_workers=count, threads_per_worker=1, memory_limit="1GB", dashboard_address=":0") as cluster,
            Client(cluster, direct_to_workers=True) as client,
        ):
            team = Team(client, "benchmark")
            cut = from_matrix(csr_array(P), Path(folder)).cut
            blocks: Any = Blocks(team, cut, 1.0, cut.gathered("degree"), cut.gathered("strength"))
            there = FloorSummation(backend("auto", threads, True), threads, True).objective(
                method, Affinity(blocks, mass)
            )
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


def page(found: dict[str, dict[str, float]]) -> str:
    """The page of documentation."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
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
    return f"""# Several machines

`nl.distributed.layout` draws graphs with edges that fit no single machine; their positions must fit one. This page
says what a step costs and when workers pay. `python -m benchmarks.distributed --write` wrote it on
{datetime.now(UTC):%Y-%m-%d} at commit {commit.strip()}, on {platform.machine()} with two cores that other work shared.

## One machine, a GPU or a cluster

| the graph | use |
|---|---|
| up to 1,000,000 nodes | `nl.layout`: workers only lose time, and `nl.distributed.layout` draws on this machine alone |
| its matrix fits the memory of a GPU | `nl.layout(G, device="cuda")`, see [GPUs](howto/install.md#use-a-gpu) |
| its matrix fits this machine | `nl.layout` |
| its edges fit no machine, its positions do | `nl.distributed.layout` |

`nl.plan(G, workers=16, memory="64GB").cluster` gives the numbers of the last section for a graph of yours.

## A step

One evaluation of ws-SNE's objective with its gradient: {graph["nodes"]:,.0f} nodes, {graph["entries"]:,.0f} entries in
{graph["blocks"]:.0f} blocks. Seconds by the clock, seconds of the CPU on this machine and on all workers, seconds by
the clock of the rounds of messages with the sums on workers, megabytes out and back, and megabytes of a worker at its
peak beside the forecast. This machine had {graph["driver_peak"]:,.0f} MB at its peak, the graph's own matrix included.

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
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true", help="write docs/scaling.md")
    given = parser.parse_args()
    text = page(cases(given.nodes))
    if given.write:
        PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
