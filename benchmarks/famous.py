"""Where "auto" loses: `python -m benchmarks.famous`.

Thirty famous graphs of at most 300 nodes are drawn by "auto" and by every method of the catalogue, from three seeds.
A method beats "auto" on a graph if its mean is better in neighborhoods, crossings, groups and stress at once.
Groups are the silhouettes of the communities that Louvain finds.
"""

from __future__ import annotations

import argparse

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import silhouette_score

import nelayout as nl
from benchmarks import problems
from benchmarks.drawing_quality import quality
from nelayout.core.catalogue import METHODS
from nelayout.numerics.communities import communities

WEIGHTED = {"karate", "les miserables", "davis"}
SIGNS = {"np1": 1, "crossings": -1, "groups": 1, "sns": -1}


def graphs() -> dict[str, csr_array]:
    """The weights of each graph."""
    made = {
        "karate": nx.karate_club_graph(), "les miserables": nx.les_miserables_graph(),
        "davis": nx.davis_southern_women_graph(), "florentine": nx.florentine_families_graph(),
        "krackhardt": nx.krackhardt_kite_graph(), "petersen": nx.petersen_graph(), "tutte": nx.tutte_graph(),
        "dodecahedron": nx.dodecahedral_graph(), "icosahedron": nx.icosahedral_graph(), "cube": nx.cubical_graph(),
        "octahedron": nx.octahedral_graph(), "truncated cube": nx.truncated_cube_graph(),
        "truncated tetrahedron": nx.truncated_tetrahedron_graph(), "heawood": nx.heawood_graph(),
        "moebius-kantor": nx.moebius_kantor_graph(), "pappus": nx.pappus_graph(), "desargues": nx.desargues_graph(),
        "frucht": nx.frucht_graph(), "chvatal": nx.chvatal_graph(), "bull": nx.bull_graph(),
        "house": nx.house_x_graph(), "maze": nx.sedgewick_maze_graph(),
        "hoffman-singleton": nx.hoffman_singleton_graph(), "4-cube": nx.hypercube_graph(4),
        "caves": nx.connected_caveman_graph(8, 6), "barbell": nx.barbell_graph(10, 10),
        "binary tree": nx.balanced_tree(2, 6),
    }  # fmt: skip
    found = {
        name: csr_array(nx.to_scipy_sparse_array(G, weight="weight" if name in WEIGHTED else None, dtype=float))
        for name, G in made.items()
    }
    stored = (name for name in ("football", "can_96", "jazz") if name in problems.names())
    return found | {name: problems.load(name).adjacency for name in stored}


def measured(A: csr_array, method: str, seeds: int) -> np.ndarray:
    """Means of the four measures, larger is better."""
    groups, found = communities(A, np.random.default_rng(0)), []
    for seed in range(seeds):
        Y = nl.layout(A, method, seed=seed)
        own = quality(A, Y, None, None, crossings=True)
        own["groups"] = silhouette_score(Y, groups) if 1 < len(np.unique(groups)) < len(Y) else 0.0
        found.append([sign * float(own[name]) for name, sign in SIGNS.items()])
    return np.mean(found, axis=0)


def main() -> None:
    """Draw, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.famous", description=__doc__)
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH", help="default: all")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    others = [name for name in METHODS if name != "auto"]
    every, lost = graphs(), 0
    names = given.graphs or list(every)
    for name in names:
        A = every[name]
        ours = measured(A, "auto", given.seeds)
        better = [other for other in others if (measured(A, other, given.seeds) > ours).all()]
        lost += bool(better)
        said = ", ".join(better) or "none is better in all four"
        print(f"{name:<22} {len(A.indptr) - 1:4d} nodes  {said}", flush=True)
    print(f"auto is beaten in all four measures on {lost} of {len(names)} graphs")


if __name__ == "__main__":
    main()
