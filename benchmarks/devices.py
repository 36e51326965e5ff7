"""Drawings on a device and on the CPU, side by side: `python -m benchmarks.devices --device cuda`.

Rows are graphs: roads of Luxembourg and Moscow by auto, digits by ws-SNE, and nearest neighbors of a million and of
ten million random points, with 10 and 100 million edges.  Each is drawn warm, without reading, several times; the
table has the median seconds on the device and on the CPU's cores, their ratio, J on both, and the memory that was
taken on the device.  The last line is the roofline of one evaluation of ws-SNE: the bytes that it must move at least
(positions, edges and mesh once each), and their part of what the device copies in the same time.

Graphs that do not fit, or that are not there, are left out and named.  ``--device torch-cpu`` runs the same code
without a GPU, to see that it runs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems
from benchmarks.scaling import cloud, neighbors, seconds
from nelayout.core.catalogue import METHODS
from nelayout.core.passes.drawing import Summation
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.device import Device, device_named
from nelayout.errors import DeviceError
from nelayout.numerics.parallel import Threads, thread_count
from nelayout.numerics.pytorch import torch_module

SHARED = (("luxembourg", "auto"), ("mnist_knn10", "ws-sne"), ("road_moscow", "auto"))
# Random points, and neighbors of each: some 10 and 100 million edges.
POINTS = ((1_000_000, 18), (10_000_000, 18))
# Numbers of a copy by which the device's own speed is measured, 512 MB.
COPIED = 1 << 26


def graphs(given: list[str], points: list[int]) -> Iterator[tuple[str, csr_array, str]]:
    """Names, adjacencies and methods."""
    for name, method in SHARED:
        if name not in given:
            continue
        if name not in problems.names():
            print(f"{name} is not in {problems.data_folder()}")
            continue
        yield name, problems.load(name).adjacency, method
    for n, k in POINTS:
        if n in points:
            yield f"{n:,} points", neighbors(cloud(n), k), "ws-sne"
    for n in set(points) - {n for n, _ in POINTS}:
        yield f"{n:,} points", neighbors(cloud(n), 18), "ws-sne"


def timed(call: Callable[[], nl.Solution], repeats: int) -> tuple[float, nl.Solution]:
    """Median seconds of a warm call, and its last answer."""
    call()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        answer = call()
        times.append(time.perf_counter() - began)
    return statistics.median(times), answer


def taken(device: Device, call: Callable[[], object]) -> str:
    """Megabytes that a call takes on the device at its peak, where it says so."""
    torch = torch_module()

    if not device.name.startswith("cuda"):
        call()
        return "-"
    torch.cuda.reset_peak_memory_stats(device.name)
    call()
    return f"{torch.cuda.max_memory_allocated(device.name) / 1e6:.0f}"


def draw(name: str, A: csr_array, method: str, word: str, repeats: int, cpu: bool) -> None:
    """A row of the table."""
    device = device_named(word)
    assert device is not None

    def on(place: str) -> nl.Solution:
        return nl.solve(A, method, seed=0, node_size=None, device=place)

    try:
        memory = taken(device, lambda: on(word))
        median, there = timed(lambda: on(word), repeats)
    except DeviceError as error:
        print(f"| {name} | {error} |")
        return
    beside = "| - | - | - |"
    if cpu:
        plain, here = timed(lambda: on("cpu"), 1)
        beside = f"| {plain:.1f} | {plain / median:.1f} | {(there.value - here.value) / abs(here.value):+.2%} |"
    print(f"| {name}, {method} | {A.shape[0]:,} | {A.nnz // 2:,} | {median:.2f} {beside} {memory} |", flush=True)


def roofline(n: int, word: str) -> str:
    """A sentence: seconds of an evaluation of ws-SNE, and its part of the speed at which the device copies."""
    torch = torch_module()

    device, Y, method = device_named(word), cloud(n), METHODS["ws-sne"]
    assert device is not None
    A = neighbors(Y)
    affinity, _ = input_affinity(A, node_mass(A, method.mass)[0], method, 0.0, Threads())
    objective = Summation("auto", Threads(), device).objective(method, affinity)
    there = device.array(Y)

    def evaluate() -> None:
        np.asarray(objective.evaluate(there).gradient[:1])  # waits for the device

    numbers = torch.zeros(min(COPIED, 64 * n), dtype=torch.float64, device=device.name)

    def copy() -> None:
        float(numbers.clone()[-1])

    with device.torch_errors():
        took, copied = seconds(evaluate), seconds(copy)
    # positions and gradient; row, column, similarity and length of an entry; the mesh there and back, 8 points a node
    moved = n * (2 * 16 + 8) + A.nnz * (4 + 4 + 8 + 8) + 8 * n * 4 * 4
    speed = 2 * 8 * len(numbers) / copied
    return (
        f"one evaluation of ws-SNE on {n:,} points, {A.nnz // 2:,} edges: {1e3 * took:.2f} ms; it moves "
        f"{moved / 1e6:.0f} MB at least, at {moved / took / 1e9:.1f} GB/s, {moved / took / speed:.1%} of the "
        f"{speed / 1e9:.0f} GB/s at which the device copies"
    )


def main() -> None:
    """Print the table and the sentence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, mps, torch-cpu (cuda)")
    parser.add_argument("--graphs", nargs="*", default=[name for name, _ in SHARED], help="shared graphs (three)")
    parser.add_argument("--points", nargs="*", type=int, default=[n for n, _ in POINTS], help="random points")
    parser.add_argument("--evaluation", type=int, default=1_000_000, help="points of the evaluation (a million)")
    parser.add_argument("--repeats", type=int, default=3, help="drawings on the device (3)")
    parser.add_argument("--no-cpu", action="store_true", help="leave the CPU out")
    given = parser.parse_args()
    device = device_named(given.device)
    if device is None:
        raise SystemExit(f"--device {given.device} is no device: name one of cuda, mps, torch-cpu")
    torch = torch_module()

    card = torch.cuda.get_device_name(device.name) if device.name.startswith("cuda") else device.name
    print(f"{card}, PyTorch {torch.__version__}, beside {thread_count(None)} cores of the CPU\n")
    print("| graph | nodes | edges | s | CPU s | times | J, of the CPU's | MB on the device |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, A, method in graphs(given.graphs, given.points):
        draw(name, A, method, given.device, given.repeats, not given.no_cpu)
    print(f"\n{roofline(given.evaluation, given.device)}")


if __name__ == "__main__":
    main()
