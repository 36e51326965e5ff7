"""What each rule of the plan is worth: `python -m benchmarks.ablation`.

Each pass, branch or rule of "auto" is left out in turn, on graphs of every kind: the shared graphs, files that nobody
tuned on, and generated graphs of other seeds and sizes.  Of each rule the table shows the factor by which measures get
better or worse without it, as geometric means over all graphs, and how many graphs change by 1 % and more.  `--starts`
does the same for the initial positions of other methods, by J.  `--write` puts the table into docs/tuning.md.

A rule stays if leaving it out makes a measure worse by 1 % on two graphs of different kinds, or if a picture without it
has a visible defect, which the last column names.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import Delaunay, KDTree
from sklearn.metrics import silhouette_score

import nelayout as nl
from benchmarks import problems
from benchmarks.drawing_quality import quality
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.levels import Levels
from nelayout.core.passes.passes import BestOf, Candidate, Pass
from nelayout.core.problem import Settings
from nelayout.core.untangling.untangling import Redraw
from nelayout.numerics.communities import communities

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tuning.md"
SIGNS = {"np1": 1, "np2": 1, "sns": -1, "crossings": -1, "groups": 1, "knn_auc": 1, "geo_r2": 1, "seconds": -1}
"""Measures, and whether larger (1) or smaller (-1) is better."""
TITLES = {
    "np1": "neighbors", "np2": "two steps", "sns": "stress", "crossings": "crossings", "groups": "groups",
    "knn_auc": "classes", "geo_r2": "map", "seconds": "time",
}
NUMBERS = "## Numbers"
CHANGED = 0.01
"""Change of a measure, in parts of it, that counts."""
MOST_EDGES_CROSSED = 9_000
"""Edges up to which crossings are counted."""

Plan = tuple[Pass, ...]


def without_branch(name: str) -> Callable[[Plan], Plan]:
    """Leave out each pass of a name that begins so, each branch of `BestOf` that ends with it, and its descents."""

    def kept(branch: Candidate) -> bool:
        return not branch.passes or not branch.passes[-1].name.startswith(name)

    def within(each: Pass) -> Pass:
        if isinstance(each, Redraw):
            descents = (own for own in each.descents if not own.name.endswith(name))
            return replace(each, descents=tuple(descents))
        if isinstance(each, BestOf):
            some = (replace(branch, passes=changed(branch.passes)) for branch in each.branches if kept(branch))
            return replace(each, branches=tuple(some))
        return each

    def changed(passes: Plan) -> Plan:
        return tuple(within(each) for each in passes if not each.name.startswith(name))

    return changed


def without_keep(passes: Plan) -> Plan:
    """Take the last branch of every `BestOf` that was chained, and the first of the others."""
    found: list[Pass] = []
    for each in passes:
        if not isinstance(each, BestOf):
            found.append(each)
            continue
        chained = [branch for branch in each.branches if branch.start == "last"]
        for branch in chained or each.branches[:1]:
            found.extend(without_keep(branch.passes))
    return tuple(found)


def unfolded_never(passes: Plan) -> Plan:
    """Unfold no level."""
    return tuple(
        replace(each, stage=replace(each.stage, unfold=False)) if isinstance(each, Levels) else each for each in passes
    )


def never_stopped(passes: Plan) -> Plan:
    """Try all tails."""
    return tuple(
        replace(each, branches=tuple(
            replace(branch, stop=0.0, passes=never_stopped(branch.passes)) for branch in each.branches
        ))
        if isinstance(each, BestOf) else each
        for each in passes
    )


@contextmanager
def planned(change: Callable[[Plan], Plan]) -> Iterator[None]:
    """Change every plan."""
    from nelayout.core.run import draw

    own = draw.passes_for
    with patch.object(draw, "passes_for", lambda *given: change(own(*given))):
        yield


@contextmanager
def nothing_special() -> Iterator[None]:
    """Plan rings, wheels, stars and hubs like any other graphs."""
    from nelayout.core.run import draw

    own = draw.passes_for

    def plain(method: nl.Method, facts: Facts, settings: Settings) -> Plan:
        return own(method, replace(facts, special=""), settings)

    with patch.object(draw, "passes_for", plain):
        yield


@contextmanager
def constants(module: str, **values: Any) -> Iterator[None]:
    """Give constants of a module of nelayout other values."""
    with ExitStack() as stack:
        for name, value in values.items():
            stack.enter_context(patch(f"nelayout.{module}.{name}", value))
        yield


RULES: dict[str, tuple[str, Callable[[], Any], str]] = {
    "BestOf": ("the last tail is drawn, nothing is compared", lambda: planned(without_keep), ""),
    "emphasis": ("neighbors alone count", lambda: planned(without_branch("emphasis")), ""),
    "communities": (
        "distances within communities are not shorter", lambda: constants("numerics.distances", SHORTER=0.0), ""
    ),
    "untangle": (
        "no piece turns and no node moves where edges cross", lambda: planned(without_branch("untangle")),
        "branches of trees cross",
    ),
    "radial drawing": (
        "trees and cactuses have no radial start", lambda: planned(without_branch("from a radial drawing")), "",
    ),
    "without crossings": (
        "planar graphs have no candidate without crossings", lambda: planned(without_branch("without crossings")),
        "ladders are twisted",
    ),
    "turns": (
        "only nodes move where edges cross", lambda: constants("core.untangling.untangling", MAX_PIECE_NODES=0), "",
    ),
    "crowded masses": (
        "crowded graphs have the power of others",
        lambda: constants("core.similarities.masses", CROWDED_POWER=0.25), "",
    ),
    "unfold": ("no level is unfolded", lambda: planned(unfolded_never), "meshes that bend in space are folded"),
    "stop": (
        "all tails are tried in graphs of more than 10,000 nodes; the table has one only with `--largest`",
        lambda: planned(never_stopped), "",
    ),
    "special shapes": (
        "rings, wheels, stars and hubs are drawn like others", nothing_special,
        "rims of wheels break open, leaves lie in clumps",
    ),
}
"""Rule -> what happens without it, how to leave it out, and the visible defect."""


def generated() -> dict[str, nx.Graph]:
    """Graphs of every kind that nothing was tuned on."""
    found: dict[str, nx.Graph] = {}
    for n, seed in ((400, 11), (1200, 12)):
        corners = Delaunay(np.random.default_rng(seed).random((n, 2))).simplices
        found[f"delaunay {n}"] = nx.Graph([(a, b) for s in corners.tolist() for a in s for b in s if a < b])
    found["grid 18 x 27"] = nx.grid_2d_graph(18, 27)
    found["torus 12 x 20"] = nx.grid_2d_graph(12, 20, periodic=True)
    found["roads"] = roads(90, 3)
    found["path 300"] = nx.path_graph(300)
    found["tree 300"] = nx.random_labeled_tree(300, seed=14)
    found["binary tree"] = nx.balanced_tree(2, 8)
    found["preferential 300"] = nx.barabasi_albert_graph(300, 2, seed=17)
    found["clustered 500"] = nx.powerlaw_cluster_graph(500, 4, 0.5, seed=18)
    found["dense 120"] = nx.gnp_random_graph(120, 0.15, seed=19)
    found["windmill"] = nx.windmill_graph(12, 6)
    found["star 200"] = nx.star_graph(200)
    found["wheel 120"] = nx.wheel_graph(120)
    hubs = nx.path_graph(6)
    hubs.add_edges_from((hub, 6 + 25 * hub + leaf) for hub in range(6) for leaf in range(25))
    found["hubs with leaves"] = hubs
    found["ladder ring 80"] = nx.circular_ladder_graph(80)
    found["cycle 250"] = nx.cycle_graph(250)
    found["small world 200"] = nx.connected_watts_strogatz_graph(200, 6, 0.08, seed=12)
    found["blocks"] = nx.stochastic_block_model([40, 60, 50, 70], np.full((4, 4), 0.012) + 0.24 * np.eye(4), seed=13)
    found["caveman"] = nx.connected_caveman_graph(15, 8)
    found["bipartite"] = nx.complete_bipartite_graph(8, 20)
    weighted = nx.random_geometric_graph(300, 0.12, seed=15)
    for a, b, data in weighted.edges(data=True):
        data["weight"] = 1.0 + (a * b) % 7
    found["weighted"] = weighted
    rows = np.random.default_rng(16).standard_normal((900, 8)) + 4.0 * np.eye(8)[np.arange(900) % 6]
    near = KDTree(rows).query(rows, k=9)[1][:, 1:]
    found["rows in groups"] = nx.Graph((i, int(j)) for i, some in enumerate(near) for j in some)
    return found


def roads(junctions: int, seed: int) -> nx.Graph:
    """A planar street map; each street is a path of 3 to 7 edges."""
    rng = np.random.default_rng(seed)
    places = rng.random((junctions, 2))
    corners = Delaunay(places).simplices
    streets = nx.Graph()
    for s in corners.tolist():
        for a in s:
            for b in s:
                streets.add_edge(a, b, length=float(np.linalg.norm(places[a] - places[b])))
    kept = nx.Graph(nx.minimum_spanning_edges(streets, weight="length", data=False))
    edges = sorted(streets.edges(data="length"), key=lambda edge: edge[2])
    kept.add_edges_from((a, b) for a, b, _ in edges[: int(1.2 * junctions)])
    found, fresh = nx.Graph(), junctions
    for a, b in kept.edges:
        inner = int(rng.integers(2, 7))
        nx.add_path(found, [a, *range(fresh, fresh + inner), b])
        fresh += inner
    return found


def graphs(largest: int) -> Iterator[tuple[str, csr_array, Any, Any]]:
    """Yield name, adjacency, classes and map of every graph."""
    for name in problems.names():
        if "_knn" not in name:
            problem = problems.load(name)
            if problem.n <= largest:
                yield name, problem.adjacency, problem.labels, problem.coords
    for name, G in generated().items():
        G = G.subgraph(max(nx.connected_components(G), key=len))
        weight = "weight" if name == "weighted" else None
        A = csr_array(nx.to_scipy_sparse_array(G, weight=weight), dtype=float)
        A.setdiag(0)
        A.eliminate_zeros()
        yield name, A, None, None


def measured(A: csr_array, labels: Any, coords: Any, seed: int) -> dict[str, float]:
    """The measures of the drawing by "auto", and its processor seconds."""
    began = time.process_time()
    Y = nl.layout(A, seed=seed)
    seconds = time.process_time() - began
    found = quality(A, Y, labels, coords, crossings=A.nnz // 2 <= MOST_EDGES_CROSSED)
    groups = communities(A, np.random.default_rng(0))
    if 1 < len(np.unique(groups)) < len(Y):
        found["groups"] = 1.0 + silhouette_score(Y, groups)
    return {name: float(value) for name, value in {**found, "seconds": seconds}.items() if name in SIGNS}


def compare(base: dict[str, dict[str, float]], now: dict[str, dict[str, float]]) -> dict[str, tuple[float, int, int]]:
    """{measure: (geometric mean of the factor without the rule, graphs that get worse, that get better)}."""
    found = {}
    for name, sign in SIGNS.items():
        least = 1.0 if name == "crossings" else 1e-4
        ratios = [
            ((now[g][name] + least) / (row[name] + least)) ** sign
            for g, row in base.items()
            if name in row and name in now[g] and not math.isnan(row[name] + now[g][name])
        ]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            found[name] = mean, sum(r < 1 - CHANGED for r in ratios), sum(r > 1 + CHANGED for r in ratios)
    return found


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """The lines of docs/tuning.md: each rule with the factors of the measures without it."""
    head = ["without", *TITLES.values(), "visible defect without it"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for rule, (_, _, defect) in RULES.items():
        if rule not in results:
            continue
        found = compare(results["nothing left out"], results[rule])
        cells = []
        for name in SIGNS:
            mean, worse, better = found.get(name, (math.nan, 0, 0))
            cells.append(f"{mean:.3f}" + (f" ({worse}-, {better}+)" if name != "seconds" else ""))
        lines.append("| " + " | ".join([f"`{rule}`", *cells, defect]) + " |")
    return "\n".join(lines)


def page(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """docs/tuning.md."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    rules = "\n".join(f"- `{rule}`: {what}." for rule, (what, _, _) in RULES.items())
    return f"""# Tuning

`python -m benchmarks.ablation --write` wrote this page on {datetime.now(UTC):%Y-%m-%d} at commit {commit.strip()}, over
{len(results["nothing left out"])} graphs. Each line leaves one rule out of "auto".

A number says how many times as good a measure is without the rule, as a geometric mean over all graphs: below 1 the
rule helps. Of stress, crossings and time less is better, so their numbers are the value with the rule over the value
without. In brackets are the graphs that get worse and the graphs that get better, by 1 % and more.

{table(results)}

{rules}
"""


def main(arguments: list[str] | None = None) -> None:
    """Draw, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("--rules", nargs="+", choices=list(RULES), default=list(RULES), metavar="RULE")
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH", help="default: all")
    parser.add_argument("--largest", type=int, default=10_000, help="nodes of the largest shared graph")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write docs/tuning.md")
    parser.add_argument("--out", type=Path, help="file for the figures, JSON")
    given = parser.parse_args(arguments)
    every = [each for each in graphs(given.largest) if not given.graphs or each[0] in given.graphs]
    results: dict[str, dict[str, dict[str, float]]] = {}
    nothing = planned(lambda passes: passes)
    for rule in ["nothing left out", *given.rules]:
        with nothing if rule == "nothing left out" else RULES[rule][1]():
            results[rule] = {name: measured(A, labels, coords, given.seed) for name, A, labels, coords in every}
        if rule != "nothing left out":
            found = compare(results["nothing left out"], results[rule])
            cells = (f"{TITLES[k]} {mean:.3f} ({worse}-, {better}+)" for k, (mean, worse, better) in found.items())
            line = "  ".join(cells)
            print(f"without {rule:<16} {line}", flush=True)
    if given.out:
        given.out.write_text(json.dumps(results, indent=1) + "\n")
    if given.write:
        kept = PAGE.read_text().partition(NUMBERS)[1:]  # what benchmarks.tuned_numbers wrote stays
        PAGE.write_text(page(results) + "\n" + "".join(kept) if any(kept) else page(results))


if __name__ == "__main__":
    main()
