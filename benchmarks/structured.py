"""What structure costs where it is true and where it is not: `python -m benchmarks.structured`.

Each graph is drawn without a keyword, with one that says what the graph confirms, and with shuffled values of nodes.
Neighborhoods, stress and crossings count the edges alone.  `held` is what the keyword is for: the part of the
variance that is between groups, the correlation with a map or with distances from the middle, the part of arcs that
point down.  Circles stand beside the order given, which networkx.circular_layout and igraph's layout_circle take, and
beside greedy insertion (Baur & Brandes, WG 2004).  Rings about the node with most neighbors stand beside the angles of
igraph's layout_reingold_tilford_circular and of networkx.shell_layout, by crossings and the mean length of edges.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import networkx as nx
import numpy as np

import nelayout as nl

MEASURES = ["neighborhood", "stress", "crossings"]
Held = Callable[[nx.Graph, np.ndarray, Mapping], float]


def between(G: nx.Graph, Y: np.ndarray, value: Mapping) -> float:
    """Return the part of the variance that is between the groups of nodes."""
    kinds, Y = np.array([str(value[v]) for v in G]), Y - Y.mean(axis=0)
    means = np.zeros_like(Y)
    for kind in set(kinds):
        means[kinds == kind] = Y[kinds == kind].mean(axis=0)
    return float(np.sum(means**2) / np.sum(Y**2))


def correlation(G: nx.Graph, Y: np.ndarray, value: Mapping) -> float:
    """Return the correlation of positions with a map, after the best turn."""
    X = np.array([value[v] for v in G], dtype=float)
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    return float(np.sum(np.linalg.svd(X.T @ Y, compute_uv=False)) / np.linalg.norm(X) / np.linalg.norm(Y))


def downward(G: nx.Graph, Y: np.ndarray, _: Mapping) -> float:
    """Return the part of the arcs that point down."""
    height = dict(zip(G, Y[:, 1], strict=True))
    return float(np.mean([height[u] > height[v] for u, v in G.edges]))


def outward(G: nx.Graph, Y: np.ndarray, value: Mapping) -> float:
    """Return the correlation of the values with the distances from the node with the least value."""
    values = np.array([value[v] for v in G], dtype=float)
    return float(np.corrcoef(values, np.linalg.norm(Y - Y[np.argmin(values)], axis=1))[0, 1])


def shuffled(value: Mapping, seed: int = 0) -> dict:
    """Return the values with their nodes in another order."""
    order = np.random.default_rng(seed).permutation(len(value))
    kinds = list(value.values())
    return {v: kinds[k] for v, k in zip(value, order.tolist(), strict=True)}


def cases() -> Iterable[tuple[str, nx.Graph, str, dict, dict, Held]]:
    """Yield name, graph, keyword, values of nodes, further keywords, and what is to be held."""
    karate, lesmis = nx.karate_club_graph(), nx.les_miserables_graph()
    yield "karate", karate, "groups", dict(karate.nodes(data="club")), {}, between
    sets = nx.community.louvain_communities(lesmis, seed=0)
    yield "lesmis", lesmis, "groups", {v: k for k, own in enumerate(sets) for v in own}, {}, between
    blocks = nx.planted_partition_graph(6, 20, 0.4, 0.02, seed=1)
    yield "blocks", blocks, "groups", {v: v // 20 for v in blocks}, {}, between
    yield "blocks", blocks, "groups", {v: v // 20 for v in blocks}, {"groups_shape": "hull"}, between
    airports = nl.example_graph("airports")
    airports = airports.subgraph([v for v, data in airports.nodes(data=True) if "lon" in data])
    places = {v: (data["lon"], data["lat"]) for v, data in airports.nodes(data=True)}
    yield "airports", airports, "anchors", places, {"weight": None}, correlation
    yield "airports", airports, "features", places, {"weight": None}, correlation
    grid = nx.grid_2d_graph(12, 12)
    yield "grid", grid, "features", {v: v for v in grid}, {}, correlation
    dag = nx.gn_graph(80, seed=2).reverse()
    yield "tree", dag, "layers", nx.single_source_shortest_path_length(dag, 0), {}, downward
    yield "blocks", blocks, "columns", {v: v // 20 for v in blocks}, {}, between
    yield "lesmis", lesmis, "rings", nx.single_source_shortest_path_length(lesmis, "Valjean"), {}, outward


def row(name: str, G: nx.Graph, pos: Mapping, held: float) -> str:
    """Return one line of the table."""
    found = nl.measure(G, pos, measures=MEASURES, weight=None)
    values = [found[each].value for each in MEASURES]
    return f"{name:28} {values[0]:13.2f} {values[1]:8.3f} {values[2]:10.0f} {held:6.2f}"


def structure(seed: int) -> None:
    """Print the table of all keywords but circles."""
    print(f"{'graph, keyword':28} {'neighborhood':>13} {'stress':>8} {'crossings':>10} {'held':>6}")
    for name, G, keyword, values, more, held in cases():
        for kind, own in (("free", None), ("true", values), ("shuffled", shuffled(values))):
            given: dict[str, Any] = {**more} if own is None else {**more, keyword: own}
            if own is None:
                given.pop("groups_shape", None)
            pos = nl.layout(G, seed=seed, **given)
            Y = np.array([pos[v] for v in G])
            shape = "+shape" if "groups_shape" in given else ""
            kept = held(G, Y, values if own is None else own)
            print(row(f"{name} {keyword}{shape} {kind}", G, pos, kept), flush=True)


def greedy(G: nx.Graph) -> list:
    """Return the order in which each node, most placed neighbors first, goes to the end with fewer crossings."""
    line, placed = deque(), set()
    while len(line) < len(G):
        near = {v: sum(w in placed for w in G[v]) for v in G if v not in placed}
        v = min(near, key=lambda v: (-near[v], G.degree(v) - near[v]))
        at = {w: k for k, w in enumerate(line)}
        opened = np.cumsum([0, *(sum(x not in placed for x in G[w]) for w in line)])
        ends = [at[w] for w in G[v] if w in placed]
        right = sum(opened[-1] - opened[k + 1] for k in ends)
        (line.append if right <= sum(opened[k] for k in ends) else line.appendleft)(v)
        placed.add(v)
    return list(line)


def graphs() -> Iterable[tuple[str, nx.Graph]]:
    """Yield thirty graphs."""
    yield from (
        ("karate", nx.karate_club_graph()), ("lesmis", nx.les_miserables_graph()),
        ("florence", nx.florentine_families_graph()), ("davis", nx.davis_southern_women_graph()),
        ("petersen", nx.petersen_graph()), ("dodecahedron", nx.dodecahedral_graph()),
        ("desargues", nx.desargues_graph()), ("tutte", nx.tutte_graph()), ("heawood", nx.heawood_graph()),
        ("grid", nx.grid_2d_graph(6, 6)), ("triangles", nx.triangular_lattice_graph(6, 6)),
        ("hypercube", nx.hypercube_graph(5)), ("barbell", nx.barbell_graph(8, 4)),
        ("caves", nx.connected_caveman_graph(6, 6)), ("ternary tree", nx.balanced_tree(3, 3)),
        ("random tree", nx.random_labeled_tree(80, seed=1)),
    )  # fmt: skip
    for seed in (1, 2):
        yield f"preferential {seed}", nx.barabasi_albert_graph(60, 2, seed=seed)
        yield f"random {seed}", nx.gnm_random_graph(60, 120, seed=seed)
        yield f"small world {seed}", nx.watts_strogatz_graph(60, 4, 0.1, seed=seed)
        yield f"blocks {seed}", nx.planted_partition_graph(5, 12, 0.5, 0.03, seed=seed)
        yield f"clustered {seed}", nx.powerlaw_cluster_graph(80, 2, 0.5, seed=seed)
        yield f"geometric {seed}", nx.random_geometric_graph(80, 0.2, seed=seed)
        yield f"cubic {seed}", nx.random_regular_graph(3, 40, seed=seed)


def circles(seed: int) -> None:
    """Print the crossings of nodes on one circle."""

    def crossings(pos: Mapping) -> float:
        return nl.measure(G, pos, measures=["crossings"])["crossings"].value

    print(f"\n{'circle':18} {'nelayout':>9} {'greedy':>8} {'as given':>9}")
    counts = []
    for name, given in graphs():
        G = nx.Graph(given.subgraph(max(nx.connected_components(given), key=len)))
        found = nl.layout(G, seed=seed, circle=True, weight=None), nx.circular_layout(greedy(G)), nx.circular_layout(G)
        counts.append([crossings(pos) for pos in found])
        print(f"{name:18} {counts[-1][0]:9.0f} {counts[-1][1]:8.0f} {counts[-1][2]:9.0f}", flush=True)
    more = np.exp(np.mean(np.log(np.array(counts) + 1.0), axis=0))
    print(f"{'geometric mean + 1':18} {more[0]:9.1f} {more[1]:8.1f} {more[2]:9.1f}")


def rings(seed: int) -> None:
    """Print crossings, and mean lengths of edges in radii of the outer ring, of nodes on rings."""
    import igraph

    print(f"\n{'rings':18} {'nelayout':>15} {'igraph tree':>15} {'shell_layout':>15}")
    rows = []
    for name, given in graphs():
        G = nx.convert_node_labels_to_integers(given.subgraph(max(nx.connected_components(given), key=len)))
        hub = max(G, key=G.degree)
        hops = nx.single_source_shortest_path_length(G, hub)
        tree = igraph.Graph(n=len(G), edges=list(G.edges)).layout_reingold_tilford_circular(root=[hub]).coords
        shells = nx.shell_layout(G, [[v for v in G if hops[v] == k] for k in range(max(hops.values()) + 1)])
        found = [nl.layout(G, seed=seed, rings=hub, weight=None)]
        for pos in (dict(enumerate(tree)), shells):
            away = {v: np.subtract(pos[v], pos[hub]) for v in G}
            turned = {v: np.arctan2(*away[v][::-1]) for v in G}
            found.append({v: hops[v] * np.array([np.cos(turned[v]), np.sin(turned[v])]) for v in G})
        row = []
        for pos in found:
            reach = max(np.hypot(*place) for place in pos.values())
            length = np.mean([np.hypot(*(pos[u] - pos[v])) for u, v in G.edges]) / reach
            row.append((nl.measure(G, pos, measures=["crossings"])["crossings"].value, length))
        rows.append(row)
        print(f"{name:18} {' '.join(f'{count:9.0f} {length:5.2f}' for count, length in row)}", flush=True)
    table = np.array(rows)
    more, lengths = np.exp(np.mean(np.log(table[:, :, 0] + 1.0), axis=0)), table[:, :, 1].mean(axis=0)
    means = zip(more, lengths, strict=True)
    print(f"{'mean (crossings+1)':18} {' '.join(f'{count:9.1f} {length:5.2f}' for count, length in means)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structured", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--circles", action="store_true", help="circles and rings alone")
    arguments = parser.parse_args()
    if not arguments.circles:
        structure(arguments.seed)
    circles(arguments.seed)
    rings(arguments.seed)
