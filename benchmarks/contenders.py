"""Who draws: nelayout's methods and the peers that are installed, each on the same binary adjacency.

`prepare(adjacency, seed, threads)` returns a function that draws; only that function is timed, so that
building another library's graph object is not held against it. sfdp is a program: reading its answer is part
of it. Every peer runs with its own defaults; they are those that `nelayout.compare` knows by name.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.sparse import csr_array

from nelayout.comparison.peers import Draw, Prepare, graph_peer

# The peer's name -> nodes up to which it is sensible: beyond, it takes hours.
PEERS: dict[str, float] = {
    "graphviz:sfdp": float("inf"),
    "igraph:drl": float("inf"),
    "igraph:fr": 20_000,
    "igraph:kk": 2_000,
    "opentsne": float("inf"),
    "umap": float("inf"),
    "s_gd2": float("inf"),
    "nx:spring": 4_000,
    "nx:kamada_kawai": 2_000,
}
SPELLINGS = {
    "igraph DrL": "igraph:drl",
    "igraph FR": "igraph:fr",
    "openTSNE": "opentsne",
    "networkx spring": "nx:spring",
}
"""Older names in stored results."""


@dataclass(frozen=True)
class Contender:
    """A name, how it starts, whether it is installed, the most sensible nodes, whether seeds make a difference."""

    name: str
    prepare: Prepare
    available: bool = True
    largest: float = float("inf")
    seeded: bool = True


def nelayout(method: str) -> Contender:
    """One of our own methods."""

    def prepare(adjacency: csr_array, seed: int, threads: int | None) -> Draw:
        import nelayout as nl

        return lambda: nl.layout(adjacency, method=method, seed=seed, n_jobs=threads)

    return Contender(f"nelayout {method}", prepare)


def contender(name: str) -> Contender:
    """A peer by its name, or one of our methods."""
    peer = graph_peer(SPELLINGS.get(name, name))
    if peer is None:
        return nelayout(name.removeprefix("nelayout "))
    return Contender(name, peer.prepare, peer.missing is None, PEERS.get(peer.name, float("inf")), peer.seeded)
