"""The drawings of [Y14]'s figures 1 to 3, and what is measured of them.

A graph is drawn as it is; vectors as their 10-nearest-neighbor graph, or for t-SNE by similarities of perplexity 30.
Every edge counts 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import nelayout as nl
from benchmarks import problems
from benchmarks.contenders import contender
from benchmarks.drawn import cpu_seconds
from nelayout.core.catalogue import METHODS, tune
from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import Descend
from nelayout.quality.classes import class_accuracy
from nelayout.quality.crossings import edge_crossings
from nelayout.quality.neighborhoods import map_neighbors, map_r2

SETS = ("shuttle", "mnist", "worldtrade", "usair97", "luxembourg")
"""Those of [Y14] that are at hand; mirex07, a graph of songs, is not."""
VECTORS = ("shuttle", "mnist")
NEIGHBORS, PERPLEXITY = 10, 30.0
"""[Y14, sec. 6] says 10; the perplexity is the one that t-SNE programs have by default."""
FEW = 1_000
"""Nodes up to which a set is drawn from several seeds."""
SEEDS = range(5)
CURVE_SAMPLE = 1_000
"""Nodes that ask, in larger drawings; the same ones for every method."""
CURVE_POINTS = 60
METHOD_OF = {"LinLog": "linlog", "t-SNE": "tsne", "EE": "ee", "ws-SNE": "ws-sne"}
RANDOM_STAGES = {
    "LinLog": (Descend("descend", 100, "majorize"),),
    "t-SNE": (Descend("early", 250, "momentum", exaggeration=12.0), Descend("descend", 750, "momentum")),
    "EE": (Descend("descend", 200, "spectral-direction"),),
    "ws-SNE": (Descend("descend", 200, "spectral-direction"),),
}
"""From random positions, the method's own objective alone: ws-SNE by the optimizer that [Y14] names (its limit is 1,000
steps, which cost minutes), t-SNE with the exaggeration of its authors' program (van der Maaten 2013)."""
RANDOM_SETS = {name: tuple(METHOD_OF) for name in SETS} | {"mnist": ("LinLog",)}
REPULSIONS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""lambda of EE where its influence is asked for; everywhere else it is 1."""
REPULSION_SETS = ("worldtrade", "usair97")
RHOS = (0.0, 0.99)
MANNERS = ("ours", "random")
"""Starts: through coarsened graphs, as the package draws by default, and random positions."""


@dataclass(frozen=True)
class Given:
    """A set to draw: its graph, what t-SNE gets, classes (n,) or None, true places (n, 2) or None."""

    name: str
    graph: csr_array
    similarities: csr_array
    labels: np.ndarray | None
    coords: np.ndarray | None

    @property
    def seeds(self) -> range:
        """Seeds to average over."""
        return SEEDS if self.graph.shape[0] <= FEW else range(1)


def given(name: str, similarities: bool = True) -> Given:
    """Read a set; without similarities, t-SNE gets the graph."""
    if name not in VECTORS:
        problem = problems.load(name)
        return Given(name, problem.adjacency, problem.adjacency, problem.labels, problem.coords)
    stored = np.load(problems.data_folder() / "vectors" / f"{name}.npz")
    X = stored["X"].astype(np.float32)
    graph: Any = nl.knn_graph(X, NEIGHBORS, seed=0)
    P: Any = nl.entropic_affinity(X, PERPLEXITY, seed=0) if similarities else graph
    return Given(name, graph, P, stored["y"], None)


def class_curve(Y: np.ndarray, labels: np.ndarray, sample: int = CURVE_SAMPLE, seed: int = 0) -> np.ndarray:
    """(2, n-1): mean recall and mean precision of retrieving a node's class among its K nearest, K = 1 .. n-1.

    As `nelayout.quality.classes.class_auc` has it, whose value is the area below; a random sample of nodes asks.
    """
    known = labels >= 0
    Y, (_, codes) = np.asarray(Y)[known], np.unique(labels[known], return_inverse=True)
    others = np.bincount(codes)[codes] - 1
    asking, n = np.flatnonzero(others), len(codes)
    if len(asking) > sample:
        asking = np.random.default_rng(seed).choice(asking, sample, replace=False)
    found, recalled = np.zeros(n - 1), np.zeros(n - 1)
    for node in asking:
        far = ((Y - Y[node]) ** 2).sum(axis=1)
        far[node] = -1.0
        hits = codes[np.argsort(far)[1:]] == codes[node]
        found += hits
        recalled += hits / others[node]
    return np.array([np.cumsum(recalled), np.cumsum(found) / np.arange(1, n)]) / len(asking)


def area(curve: np.ndarray) -> float:
    """[Y14]'s AUC: below straight lines between the points, with the first precision at recall 0."""
    recall, precision = curve
    return float(np.trapezoid(np.r_[precision[0], precision], np.r_[0.0, recall]))


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's."""
    from scipy.stats import spearmanr

    return float(spearmanr(a, b)[0])


def measured(what: Given, Y: np.ndarray) -> dict[str, Any]:
    """The numbers of one drawing.

    center   rank correlation of a node's degree with its distance from the middle: -1, hubs are in the middle
    reach    distance of the farthest node from the middle, the median node's being 1
    auc, acc with classes: [Y14]'s AUC, and the share whose 10 nearest say its class
    r2, near with a map: Procrustes R^2, and the share of the 10 nearest on the map that are among the 10 nearest here
    """
    out = np.sqrt(((Y - np.median(Y, axis=0)) ** 2).sum(axis=1))
    found: dict[str, Any] = {
        "center": rank_correlation(np.diff(what.graph.indptr), out),
        "reach": float(out.max() / np.median(out)),
    }
    if what.labels is not None:
        curve = class_curve(Y, what.labels)
        keep = np.unique(np.geomspace(1, curve.shape[1], CURVE_POINTS).astype(int)) - 1
        found |= {"auc": area(curve), "acc": class_accuracy(Y, what.labels).value, "curve": curve[:, keep].tolist()}
    if what.coords is not None:
        found |= {"r2": map_r2(Y, what.coords).value, "near": map_neighbors(Y, what.coords).value}
    if what.name == "luxembourg":
        found["crossings"] = edge_crossings(what.graph, Y).value
    return found


def drawn(
    what: Given, method: Method, seed: int, similarities: bool = False, **options: Any
) -> tuple[np.ndarray, dict]:
    """Positions, and the run's own account: processor seconds on one thread, steps, value."""
    began = cpu_seconds()
    P = what.similarities if similarities else what.graph
    run = nl.solve(P, method, seed=seed, scale=None, n_jobs=1, **options)
    account = {"seconds": cpu_seconds() - began, "steps": len(run.trace), "value": float(run.value), "end": run.reason}
    return np.asarray(run.positions), account


def by_sfdp(what: Given, seed: int) -> tuple[np.ndarray, dict]:
    """Graphviz's drawing, by its own defaults."""
    draw = contender("sfdp").prepare(what.graph, seed, 1)
    began = cpu_seconds()
    Y = draw()
    return Y, {"seconds": cpu_seconds() - began}


def stored_sfdp(name: str) -> dict[str, Any]:
    """The numbers of an earlier drawing by sfdp, where the program is not installed; {} if there are none."""
    of_set = json.loads((problems.data_folder() / "peers.json").read_text())
    row = of_set.get(f"{name}_knn{NEIGHBORS}" if name in VECTORS else name, {}).get("gv_sfdp", {})
    names = {"knn_auc": "auc", "knn_acc": "acc", "geo_r2": "r2", "geo_np": "near", "cpu_s": "seconds"}
    return {ours: row[theirs] for theirs, ours in names.items() if theirs in row}


def averaged(what: Given, draw: Callable[[int], tuple[np.ndarray, dict]], keep: Path | None) -> dict[str, Any]:
    """Means over the set's seeds, with the spread of each number; curve and positions are the first seed's."""
    rows = []
    for seed in what.seeds:
        Y, account = draw(seed)
        rows.append({**account, **measured(what, Y)})
        if keep is not None and seed == what.seeds[0]:
            keep.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(keep, Y=Y.astype(np.float32), labels=colors_of(what))
    number = [key for key, value in rows[0].items() if isinstance(value, (int, float))]
    found = {**rows[0], **{key: float(np.mean([row[key] for row in rows])) for key in number}}
    if len(rows) > 1:
        found["spread"] = {key: float(np.std([row[key] for row in rows], ddof=1)) for key in number}
    return found


def colors_of(what: Given) -> np.ndarray:
    """Integers for a picture: classes, or else where a node lies on the map from west to east."""
    if what.labels is not None:
        return what.labels
    assert what.coords is not None  # every set has one or the other
    return np.nan_to_num(what.coords[:, 0], nan=float(np.nanmean(what.coords[:, 0])))


def kept(file: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Numbers from a file, or made and written there if there is none."""
    if not file.exists():
        found = make()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found) + "\n")
    return json.loads(file.read_text())


def told(*words: Any) -> None:
    """A line of progress."""
    print(*(f"{word:.3f}" if isinstance(word, float) else word for word in words), flush=True)


def figure(name: str, folder: Path) -> dict[str, Any]:
    """A row of [Y14, figure 1]: {"ours" or "random": {method: numbers}, "repulsion": {lambda: numbers}}."""
    what = given(name)
    rows: dict[str, Any] = {"n": what.graph.shape[0], "m": what.graph.nnz // 2, "ours": {}, "random": {}}
    for manner, title, draw in manners(what):
        file = folder / f"{name}.{manner}.{title}"
        rows[manner][title] = kept(
            file.with_name(f"{file.name}.json"),
            lambda: averaged(what, draw, file.with_name(f"{file.name}.npz")),  # noqa: B023
        )
        told(name, manner, title, *(f"{k}={rows[manner][title].get(k)}" for k in ("auc", "near", "r2", "seconds")))
    if "sfdp" not in rows["ours"]:
        rows["ours"]["sfdp"] = {**stored_sfdp(name), "stored": True}
    if name in REPULSION_SETS:
        rows["repulsion"] = {}
        for strength in REPULSIONS:
            method = tune("ee", repulsion=strength)
            rows["repulsion"][str(strength)] = averaged(what, lambda s: drawn(what, method, s), None)  # noqa: B023
    return rows


def manners(what: Given) -> Iterator[tuple[str, str, Callable[[int], tuple[np.ndarray, dict]]]]:
    """How a set is drawn: (manner, method, function of the seed)."""
    if contender("sfdp").available:
        yield "ours", "sfdp", lambda seed: by_sfdp(what, seed)
    for title, name in METHOD_OF.items():
        method, own = METHODS[name], title == "t-SNE"
        yield "ours", title, lambda seed, method=method, own=own: drawn(what, method, seed, own)
        if title in RANDOM_SETS[what.name]:
            alone = replace(method, stages=RANDOM_STAGES[title])
            yield "random", title, lambda seed, method=alone, own=own: drawn(what, method, seed, own)


def smoothing(manner: str, folder: Path) -> dict[str, Any]:
    """[Y14, figure 3]: gamma-QuadLog of shuttle, smoothed by random walks and not, {rho: numbers}."""
    what, method = given("shuttle", similarities=False), METHODS["gamma-quadlog"]
    if manner == "random":
        method = replace(method, stages=(Descend("descend", 100, "majorize"),))
    found: dict[str, Any] = {}
    for rho in RHOS:
        Y, account = drawn(what, method, 0, smoothing=rho)
        found[str(rho)] = {**account, **measured(what, Y)}
        np.savez_compressed(folder / f"smoothing.{manner}.{rho}.npz", Y=Y.astype(np.float32), labels=what.labels)
        told("gamma-QuadLog", manner, rho, found[str(rho)]["auc"], account["seconds"])
    return found
