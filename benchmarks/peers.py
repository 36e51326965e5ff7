"""nelayout and its peers on the same graphs in one run: `python -m benchmarks.peers`.

Each contender draws each graph in a process of its own, once to warm up and then timed, on the same number of
cores and with the same seed. What it drew is measured by nelayout's own measures. Prints a line as each is
done, and writes a table as Markdown and JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import problems
from benchmarks.contenders import PEERS, contender
from benchmarks.drawing_quality import quality

GRAPHS = ["football", "usair97", "1138_bus", "cora", "us_counties", "3elt", "lastfm_asia", "luxembourg"]
METHODS = ["auto", "ws-sne", "gamma-quadlog"]
THREAD_VARIABLES = [f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS")] + [
    "VECLIB_MAXIMUM_THREADS"
]
COLUMNS = {
    "wall_s": "wall s",
    "cpu_s": "CPU s",
    "peak_mb": "peak MB",
    "ratio": "wall / first",
    "np1": "neighborhood",
    "np2": "neighborhood2",
    "sns": "stress",
    "crossings": "crossings",
    "knn_auc": "class AUC",
    "knn_acc": "class accuracy",
    "geo_r2": "map R²",
    "geo_np": "map neighbors",
}
"""What the table shows, under the names that peers.json uses."""


def run(name: str, graph: Path, folder: Path, given: argparse.Namespace) -> dict:
    """One contender on one graph; {"failed": why} when it did not finish."""
    out = folder / "drawn.npz"
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.drawn", name, str(graph), str(out)]
    command += ["--repeats", str(given.repeats), "--threads", str(given.threads), "--seed", str(given.seed)]
    command += ["--cold"] if given.cold else []
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(given.threads))}
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=Path(__file__).resolve().parents[1],
            timeout=given.limit,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {given.limit:g} s"}
    if done.returncode or not out.exists():
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:200]}
    found = np.load(out)
    return {
        "Y": found["Y"],
        "wall_s": statistics.median(found["wall"].tolist()),
        "wall_spread_s": float(np.ptp(found["wall"])),
        "cpu_s": statistics.median(found["cpu"].tolist()),
        "peak_mb": float(found["peak"]),
        "base_mb": float(found["before"]),
    }


def compete(given: argparse.Namespace) -> dict:
    """{graph: {contender: figures}}, a printed line each; ratios are to the first contender that finished."""
    results: dict = {}
    names = [f"nelayout {method}" for method in given.methods] + given.peers
    missing = [name for name in names if not contender(name).available]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}", flush=True)
    for graph_name in given.graphs:
        problem = problems.load(graph_name)
        print(f"\n{graph_name}: {problem.n} nodes, {problem.m} edges", flush=True)
        rows: dict = {}
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            problem.save(folder / "graph.npz")
            for name in names:
                if name in missing or problem.n > contender(name).largest:
                    continue
                row = run(name, folder / "graph.npz", folder, given)
                if "failed" not in row:
                    Y = row.pop("Y")
                    if given.positions:
                        given.positions.mkdir(parents=True, exist_ok=True)
                        np.save(given.positions / f"{graph_name}.{name.replace(' ', '-')}.npy", Y)
                    row |= quality(problem.adjacency, Y, problem.labels, problem.coords, crossings=True)
                    first = next((other for other in rows.values() if "failed" not in other), row)
                    row["ratio"] = row["wall_s"] / first["wall_s"]
                rows[name] = row
                print(line(name, row), flush=True)
        results[graph_name] = {"nodes": problem.n, "edges": problem.m, "drawings": rows}
    return results


def line(name: str, row: dict) -> str:
    """One result as a line of text."""
    if "failed" in row:
        return f"  {name:<24} failed: {row['failed']}"
    shown = [f"{COLUMNS[key]} {number(row[key])}" for key in COLUMNS if key in row]
    return f"  {name:<24} " + "  ".join(shown)


def number(value: float) -> str:
    """Three digits, whole numbers whole."""
    if value != value:  # noqa: PLR0124  NaN differs from itself
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def markdown(results: dict, about: dict) -> str:
    """The tables, one per graph, and how they were made."""
    packages = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    runs = f"{'first' if about['cold'] else 'warmed'} runs, median of {about['repeats']}"
    machine = f"{about['processor']}, {about['threads']} thread(s), seed {about['seed']}"
    better = "Lower is better for time, memory, stress and crossings, higher for the others."
    lines = [
        f"{machine}, {runs}; Python {about['python']}, {packages}.",
        f"Binary adjacency of the largest component. {better}",
        "",
    ]
    for graph, found in results.items():
        rows = found["drawings"]
        columns = [key for key in COLUMNS if any(key in row for row in rows.values())] or list(COLUMNS)[:1]
        lines += [f"### {graph} ({found['nodes']:,} nodes, {found['edges']:,} edges)", ""]
        lines += [
            "| | " + " | ".join(COLUMNS[key] for key in columns) + " |",
            "|---" + "|---:" * len(columns) + "|",
        ]
        for name, row in rows.items():
            cells = [number(row[key]) if key in row else "" for key in columns]
            if "failed" in row:
                cells[0] = row["failed"].replace("|", "/")
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def versions() -> dict[str, str]:
    """Of the packages that took part."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in (
        "nelayout",
        "numpy",
        "scipy",
        "numba",
        "igraph",
        "networkx",
        "openTSNE",
        "umap-learn",
        "s_gd2",
    ):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def main(arguments: list[str] | None = None) -> None:
    """Parse, compete, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, metavar="GRAPH", help='names, or "all"')
    parser.add_argument(
        "--methods",
        nargs="*",
        default=METHODS,
        metavar="METHOD",
        help="nelayout's, the first is the yardstick",
    )
    parser.add_argument(
        "--peers", nargs="*", default=list(PEERS), choices=list(PEERS), metavar="PEER", help=", ".join(PEERS)
    )
    parser.add_argument("--repeats", type=int, default=1, help="timed runs; the median counts")
    parser.add_argument("--threads", type=int, default=1, help="cores for every contender")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--limit", type=float, default=900, help="seconds for one contender on one graph, warm-up included"
    )
    parser.add_argument(
        "--cold", action="store_true", help="no warm-up: imports and compilation are not timed, first use is"
    )
    parser.add_argument("--positions", type=Path, help="folder to keep the drawings in, as GRAPH.CONTENDER.npy")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "peers", help="without ending")
    given = parser.parse_args(arguments)
    if given.graphs == ["all"]:
        given.graphs = problems.names()
    about = {key: getattr(given, key) for key in ("threads", "seed", "repeats", "cold")}
    about |= {"processor": processor(), "python": platform.python_version(), "versions": versions()}
    results = compete(given)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.with_suffix(".json").write_text(json.dumps({"about": about, "graphs": results}, indent=1) + "\n")
    given.out.with_suffix(".md").write_text(markdown(results, about))
    print(f"\nwritten: {given.out.with_suffix('.md')}, {given.out.with_suffix('.json')}")


def processor() -> str:
    """What the machine calls itself."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for entry in information.read_text().splitlines():
            if entry.startswith("model name"):
                return entry.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
