"""Whether nodes that are called certain stay near the same nodes: `python -m benchmarks.certainty`.

`uncertainty` calls nodes certain from 20 drawings at the rates .7, .8 and .9.  Ten fresh drawings, with other seeds and
other edges (rows) left out, say whether these nodes keep their neighbors.  A row has, for each rate: the share of the
nodes that are called certain, the mean share of neighbors that they keep in the fresh drawings, and how many of them
keep at least the rate there.  The correlation is between the shares of all nodes in both.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nelayout as nl
from benchmarks.problems import data_folder, load
from nelayout.trust.certainty import lower_bound

DRAWN, FRESH, RATES = 20, 10, (0.7, 0.8, 0.9)
GRAPHS = ("scotland", "zoo_kdl", "dwt_1005", "usair97", "london_underground", "email_eu_core")
TABLES = ("usps", "isomap_faces", "shuttle")
ROWS = 500


def subjects() -> Iterator[tuple[str, object]]:
    """Give graphs and tables by name; made ones come first."""
    yield "karate", nx.karate_club_graph()
    yield "blocks", nx.random_partition_graph([40] * 4, 0.3, 0.01, seed=0)
    for name in GRAPHS:
        yield name, load(name).adjacency
    for name in TABLES:
        X = np.asarray(np.load(data_folder() / "vectors" / f"{name}.npz")["X"], np.float32)
        yield name, X[np.random.default_rng(0).permutation(len(X))[:ROWS]]


def main(given: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME")
    asked = parser.parse_args(given)
    print("| data (n) | kept | correlation | seconds |", *(f"certain at {r}: nodes, keep, held |" for r in RATES))
    for name, data in subjects():
        if asked.only and name not in asked.only:
            continue
        began = time.perf_counter()
        first = nl.uncertainty(data, seeds=DRAWN, seed=0, progress=False)
        seconds = time.perf_counter() - began
        fresh = nl.uncertainty(data, pos=first.pos, seeds=FRESH, seed=1000, progress=False)
        cells = []
        for rate in RATES:
            sure = lower_bound(first.shares, 0.95) >= rate
            keep = fresh.kept[sure]
            share = f"{sure.mean():.2f}"
            cells.append(f"{share} {keep.mean():.2f} {(keep >= rate).mean():.2f} |" if sure.any() else f"{share} - - |")
        alike = np.corrcoef(first.kept, fresh.kept)[0, 1]
        known = f"| {name} ({len(first.kept)}) | {first.kept.mean():.2f} | {alike:.2f} | {seconds:.1f} |"
        print(known, *cells, flush=True)


if __name__ == "__main__":
    main()
