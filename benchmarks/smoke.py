"""Every benchmark once, on graphs so small that all take less than a minute: `python benchmarks/smoke.py`.

Nothing is measured here that means anything; it shows that the benchmarks run.  They find a data folder of their own,
made on the spot, with a few graphs under names that they ask for.  Peers that are not installed are left out, and
named.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
GRAPHS = ("usair97", "worldtrade")
RUNS = {
    "audited": ["--smoke"],
    "balance": ["--graphs", *GRAPHS, "--methods", "ws-sne", "gamma-quadlog"],
    "changing_graphs": ["--graph", "usair97", "--methods", "ws-sne", "--stability", "0.8", "--steps", "3"],
    "cold": ["--graphs", "karate", "--repeats", "1"],
    "estimates": ["--nodes", "60", "--methods", "ws-sne", "linlog", "--repeats", "1"],
    "family": ["--nodes", "200", "--only", "ws-sne"],
    "famous": ["--graphs", "bull", "--seeds", "1"],
    "scaling": ["--sizes", "500", "1000", "--large", "1000", "--figure", "scaling.png"],
    "forceatlas2": ["--nodes", "60", "--steps", "2"],
    "minima": ["--graphs", "usair97", "--settings", "ws-sne", "jse 0.5", "linlog", "--seeds", "1", "--search", "1"],
    "optimizers": ["--graphs", "usair97", "--methods", "ws-sne", "linlog", "--figure", "race.png"],
    "peers": ["--graphs", "usair97", "--methods", "ws-sne", "--cold", "--out", "peers"],
    "vector_sets": ["--rows", "300"],
    "live": ["--nodes", "60", "--graphs", "mesh", "--repeats", "1"],
    "masses": ["--graphs", *GRAPHS, "--methods", "ws-sne", "--seeds", "1", "--edges", "2"],
    "weights": ["--graphs", *GRAPHS, "--seeds", "1"],
}
"""What each module is asked for; all others that have a main are asked for their help."""
SECONDS = 0.1
"""For each race of the optimizers."""


if importlib.util.find_spec("torch") is not None:
    RUNS["devices"] = ["--device", "torch-cpu", "--graphs", "--points", "300", "--evaluation", "300", "--repeats", "1"]


def write_data(folder: Path) -> None:
    """Two weighted graphs with classes and a map, a set of vectors, and what a peer is supposed to have reached."""
    rng = np.random.default_rng(0)
    (folder / "graphs").mkdir()
    (folder / "vectors").mkdir()
    for name in GRAPHS:
        places = rng.random((40, 2))
        near = np.argsort(((places[:, None] - places) ** 2).sum(axis=2), axis=1)[:, 1:5]
        pairs = np.unique(np.sort(np.column_stack([np.repeat(np.arange(40), 4), near.ravel()])), axis=0)
        np.savez(
            folder / "graphs" / f"{name}.npz",
            n=40,
            rows=pairs[:, 0],
            cols=pairs[:, 1],
            weights=rng.uniform(1, 9, len(pairs)),
            labels=(places[:, 0] > 0.5).astype(int),
            coords=places,
        )
    np.savez(folder / "vectors" / "cloud.npz", X=rng.normal(size=(50, 3)), y=np.arange(50) % 3)
    figures = {"np1": 0.5, "sns": 0.2, "knn_auc": 0.5, "geo_r2": 0.5}
    (folder / "peers.json").write_text(json.dumps({name: {"peer": figures} for name in GRAPHS}))


def smoke(name: str) -> bool:
    """Run one module's main in this process; prints a line, and all that it has said when it fails."""
    arguments = RUNS.get(name, ["--help"])
    said, began, fine = io.StringIO(), time.perf_counter(), True
    sys.argv = [name, *arguments]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            module = importlib.import_module(f"benchmarks.{name}")
            if not hasattr(module, "main"):
                return True
            if name == "optimizers":
                module.GRAPHS.update(dict.fromkeys(module.GRAPHS, SECONDS))
            module.main()
        except SystemExit as end:
            fine = not end.code
            said.write(f"{end.code}\n" if end.code else "")
        except Exception:  # noqa: BLE001  whatever it is, the others are to run too
            fine = False
            traceback.print_exc()
    lines = said.getvalue().splitlines()
    # A contender that fails does not stop its benchmark.
    fine = fine and not any(" failed: " in line for line in lines)
    seconds = time.perf_counter() - began
    print(f"{'ok    ' if fine else 'FAILED'} {name} {' '.join(arguments)}   {seconds:.1f} s", flush=True)
    for line in lines if not fine else [line for line in lines if line.startswith("not installed")]:
        print(f"       {line}", flush=True)
    return fine


def main() -> int:
    """Run all; 1 when one fails."""
    sys.path.insert(0, str(ROOT))
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in ("__init__", "smoke"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_data(folder)
        os.environ["NELAYOUT_DATA"] = str(folder)
        os.chdir(folder)  # what they write goes away with it
        fine = [smoke(name) for name in names]
        os.chdir(ROOT)
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
