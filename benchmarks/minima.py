"""How low the default drawings are: `python -m benchmarks.minima`.

Every method of the catalogue, at several values of its own keywords, draws six small graphs from five seeds.  Printed
is the median of J of the five, and the least, over the lowest J that is known, which benchmarks/minima.json holds, and
beside them those of random starts that were polished: the median, and the median over five fives of the best of five.
`--search 5` looks for lower ones: it polishes our drawings and five fives of random starts by L-BFGS until steps bring
no decrease; `--update` stores what is lower.
1.000 is as low as known.  Where J is negative the figure is 1 + gap / |J|, and for scale-free methods, whose J is a
logarithm, it is the gap in nats (+0.01); so it is where the lowest J is 0 or nearly.

`--further` adds two tables: what 60 more steps bring on dwt_1005, and the ways to draw a sphere of 1,000 points by JSE.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems
from nelayout.core.catalogue.record import Method
from nelayout.core.objective import Objective
from nelayout.core.optimizers import LBFGS, Majorize
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.optimizers.size import size_search
from nelayout.core.passes.drawing import Summation
from nelayout.core.passes.placement import random_positions
from nelayout.core.run.splitting import input_affinity
from nelayout.core.similarities.masses import node_mass
from nelayout.numerics.parallel import Threads
from nelayout.vectors.embedding import solve_vectors

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in ("ws-sne", "gamma-quadlog", "gamma-linlog", "linlog", "quadlog", "forceatlas2")},
    **{f"polylog {r:g}": ("polylog", {"r": r}) for r in (1.5, 3.0)},
    **{f"ee {strength:g}": ("ee", {"repulsion": strength}) for strength in (0.3, 1.0)},
    **{name: (name, {}) for name in ("tsne", "ssne")},
    **{f"hssne {tail:g}": ("hssne", {"tail": tail}) for tail in (0.5, 2.0)},
    **{name: (name, {}) for name in ("mds-ks", "sne")},
    **{f"nerv {kappa:g}": ("nerv", {"kappa": kappa}) for kappa in (0.1, 0.5, 1.0)},
    **{f"jse {kappa:g}": ("jse", {"kappa": kappa}) for kappa in (0.05, 0.5, 0.95)},
    **{f"alpha-sne {alpha:g}": ("alpha-sne", {"alpha": alpha}) for alpha in (0.1, 0.5, 0.9)},
    **{f"ftsne {d}": ("ftsne", {"divergence": d}) for d in ("kl", "reverse-kl", "js", "hellinger", "chi2")},
}
GRAPHS = ("karate", "les-miserables", "grid-8x8", "can_96", "football", "usair97")
SEEDS = 5
STARTS = 5
"""Random starts, of which the best is taken: one five of them may be lucky, so the median of several fives counts."""
STORE = Path(__file__).with_suffix(".json")
"""{graph: {setting: {"best": the lowest J known, "random": [median, best of five] of polished random starts}}}."""
POLISH_STEPS = 3000
POLISHED = StoppingRule(stall=1e-6, stall_steps=50)
"""When a polish ends: 50 steps have brought less than 1e-6 of its decrease."""
NEAR_ZERO = 1e-2
"""Below this J, in nats for each row of methods by rows, ratios say nothing: differences are printed."""
MORE_STEPS = 60


def graph(name: str) -> csr_array:
    """The weights of a graph: as networkx has them, else 1."""
    made = {"karate": nx.karate_club_graph, "les-miserables": nx.les_miserables_graph}
    if name in made:
        A = nx.to_scipy_sparse_array(made[name](), format="csr", dtype=float)
    elif name == "grid-8x8":
        A = nx.to_scipy_sparse_array(nx.grid_2d_graph(8, 8), format="csr", dtype=float)
    else:
        A = problems.load(name).adjacency
    return csr_array((A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)


def objective_of(A: csr_array, method: Method) -> Objective:
    """The method's J of a connected graph, by exact sums."""
    one = Threads(1)
    mass, _ = node_mass(A, method.mass, relative=method.gravity is None)
    affinity, _ = input_affinity(A, mass, method, 0.0, one)
    return Summation("exact", one).objective(method, affinity)


def polish(J: Objective, Y: np.ndarray) -> float:
    """J where steps bring no more decrease."""
    value = math.inf
    for optimizer in (Majorize(), LBFGS()) if J.kernel.singular else (LBFGS(),):
        Y, value, _ = minimize(J, Y, optimizer, POLISH_STEPS, POLISHED)
    return value


def from_noise(J: Objective, seed: int) -> float:
    """J at the end of a polish from random positions."""
    Y = random_positions(J.affinity.P.shape[0], 2, np.random.default_rng(1000 + seed))
    return polish(J, Y * size_search(J, Y))


def above(value: float, best: float, logarithmic: bool) -> str:
    """A value against the best known, see the module's docstring."""
    if logarithmic or abs(best) < NEAR_ZERO:
        return f"{value - best:+.4f}"
    return f"{1 + (value - best) / abs(best):.4f}"


def measured(name: str, settings: list[str], seeds: int, search: int, store: dict[str, Any]) -> None:
    """Print a line for each setting on one graph; lower values go into the store."""
    A, own = graph(name), store.setdefault(name, {})
    heads = ("best known", "median", "least", "random, median", "best of five", "s")
    print(f"\n| {name} | {' | '.join(heads)} |\n|---{'|---:' * len(heads)}|", flush=True)
    for setting in settings:
        base, keywords = SETTINGS[setting]
        method = nl.method(base, **keywords)
        J = objective_of(A, method)
        began = time.process_time()
        drawn = [nl.solve(A, method, seed=seed, scale=None, n_jobs=1) for seed in range(seeds)]
        seconds = (time.process_time() - began) / seeds
        values = [solution.value for solution in drawn]
        known = own.setdefault(setting, {"best": math.inf, "random": [math.nan, math.nan]})
        found = list(values)
        if search:
            noise = np.array([[from_noise(J, STARTS * k + seed) for seed in range(STARTS)] for k in range(search)])
            found += [*noise.ravel(), *(polish(J, np.asarray(solution.positions)) for solution in drawn[:search])]
            known["random"] = [float(np.median(noise)), float(np.median(noise.min(axis=1)))]
        known["best"] = min(known["best"], *map(float, found))
        cells = [above(v, known["best"], J.scale_free) for v in (np.median(values), min(values), *known["random"])]
        print(f"| {setting} | {known['best']:.6g} | {' | '.join(cells)} | {seconds:.2f} |", flush=True)


def more_steps() -> None:
    """Print what 60 more steps of L-BFGS bring after the default on dwt_1005."""
    A = graph("dwt_1005")
    print(f"\n| dwt_1005 | J | {MORE_STEPS} more steps | gain |\n|---|---:|---:|---:|", flush=True)
    for setting in ("ws-sne", "jse 0.5", "hssne 2", "ftsne reverse-kl"):
        base, keywords = SETTINGS[setting]
        method = nl.method(base, **keywords)
        J = objective_of(A, method)
        Y = np.asarray(nl.solve(A, method, seed=0, scale=None, n_jobs=1).positions)
        before = J.evaluate(Y, gradient=False).value
        _, after, _ = minimize(J, Y, LBFGS(), MORE_STEPS, StoppingRule())
        print(f"| {setting} | {before:.5g} | {after:.5g} | {(before - after) / abs(before):.2%} |", flush=True)


def sphere() -> None:
    """Print where JSE ends on a sphere by three ways."""
    X = np.random.default_rng(0).standard_normal((1000, 3))
    X /= np.sqrt((X**2).sum(axis=1, keepdims=True))
    ways = {"default": {}, "pca": {"init": "pca"}, "pca, annealed": {"init": "pca", "perplexity_annealing": True}}
    print(f"\n| sphere, JSE | {' | '.join(ways)} |\n|---|---:|---:|---:|", flush=True)
    for kappa in (0.05, 0.95):
        method = nl.method("jse", kappa=kappa)
        values = [
            solve_vectors(X, method=method, perplexity=50, random_state=0, **way).value
            for way in ways.values()
        ]
        print(f"| kappa {kappa:g} | {' | '.join(f'{value:.1f}' for value in values)} |", flush=True)


def main() -> None:
    """Print the tables; with --update, store values that are lower than those known."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.minima", description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=GRAPHS, metavar="GRAPH")
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=list(SETTINGS), metavar="SETTING")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="drawings of each setting")
    parser.add_argument("--search", type=int, default=0, metavar="STARTS", help="polish, also so many random starts")
    parser.add_argument("--store", type=Path, default=STORE, help="the file of the values known")
    parser.add_argument("--update", action="store_true", help="let lower values replace those of the store")
    parser.add_argument("--further", action="store_true", help="add the tables of dwt_1005 and the sphere")
    given = parser.parse_args()
    store = json.loads(given.store.read_text()) if given.store.exists() else {}
    for name in given.graphs:
        measured(name, given.settings, given.seeds, given.search, store)
        if given.update:
            given.store.write_text(json.dumps(store, indent=1) + "\n")
    if given.further:
        more_steps()
        sphere()


if __name__ == "__main__":
    main()
