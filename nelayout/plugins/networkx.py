"""A backend of networkx for ``nx.forceatlas2_layout``: it minimizes the forces' energy.

networkx finds this module by an entry point. It calls the function of the same name with the same arguments.

>>> import networkx as nx
>>> sorted(forceatlas2_layout(nx.path_graph(3), seed=0))
[0, 1, 2]
>>> can_run("forceatlas2_layout", (nx.path_graph(3),), {"distributed_action": True})
'distributed_action divides the attraction of each node by its mass, so that no energy has these forces'
"""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np

from nelayout.core.catalogue import tune
from nelayout.layouts.solving import solve

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "forceatlas2_layout"]

USUAL_STEPS = 100  # networkx's default of max_iter; nelayout then chooses the number
Positions = dict[Hashable, np.ndarray]


def forceatlas2_layout(
    G: nx.Graph, pos: Mapping[Hashable, object] | None = None, *, max_iter: int = USUAL_STEPS,
    jitter_tolerance: float = 1.0, scaling_ratio: float = 2.0, gravity: float = 1.0, distributed_action: bool = False,
    strong_gravity: bool = False, node_mass: Mapping[Hashable, float] | None = None,
    node_size: Mapping[Hashable, float] | None = None, weight: str | None = None, dissuade_hubs: bool = False,
    linlog: bool = False, seed: object = None, dim: int = 2, store_pos_as: str | None = None,
) -> Positions:  # fmt: skip
    """Draw a graph by the energy of ForceAtlas2, with networkx's parameters.

    Minimizes the energy of `nelayout.forceatlas2_layout` with ``components="joint"`` and ``scale=None``. Positions are
    in networkx's units. ``jitter_tolerance`` and ``dissuade_hubs`` have no effect. ``max_iter=100``, networkx's
    default, stands for nelayout's own number. The dimension of ``pos`` overrides ``dim``. A node without a mass in
    ``node_mass`` has its degree + 1. A directed graph needs the same weight in both directions.

    Raises
    ------
    NetworkXError
        For arguments that `can_run` refuses, and as `nelayout.forceatlas2_layout`.

    Examples
    --------
    >>> import networkx as nx
    >>> pos = nx.forceatlas2_layout(nx.karate_club_graph(), seed=0, backend="nelayout")  # doctest: +SKIP
    """
    if cache := getattr(G, "__networkx_cache__", None):
        cache.get("backends", {}).pop("nelayout", None)  # networkx would warn of its cached conversion
    refused = _refusal(G, pos, scaling_ratio, gravity, distributed_action, node_mass, node_size, weight, dim)
    if refused:
        raise nx.NetworkXError(refused)
    if not len(G):
        return {}
    if weight is not None and not any(weight in data for _, _, data in G.edges(data=True)):
        weight = None  # networkx then takes every edge as 1
    mass = {node: degree + 1.0 for node, degree in G.degree()} | {v: m for v, m in (node_mass or {}).items() if v in G}
    own = {"scaling_ratio": scaling_ratio, "gravity": gravity, "strong_gravity": strong_gravity, "linlog": linlog}
    drawn = G
    if G.is_directed():  # two opposite edges are one, with the weight of one
        drawn = nx.Graph()
        drawn.add_nodes_from(G)
        drawn.add_weighted_edges_from((u, v, w) for (u, v), w in _sums(G, weight).items())
    solution = solve(
        drawn,
        tune("forceatlas2", **own),
        dict(pos) if pos else None,
        weight="weight" if G.is_directed() else weight,
        mass=mass,
        components="joint",
        dim=_dimension(pos, dim),
        scale=None,
        max_iter=None if max_iter == USUAL_STEPS else max_iter,
        seed=nx.utils.create_random_state(seed),
    )
    positions: Positions = solution.positions
    if store_pos_as is not None:
        nx.set_node_attributes(G, positions, store_pos_as)
    return positions


def can_run(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> bool | str:
    """Return True, or a sentence with the reason why these arguments are refused."""
    if name != "forceatlas2_layout":
        return f"nelayout has no {name}"
    signature = inspect.signature(forceatlas2_layout)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    bound.apply_defaults()
    looked_at = inspect.signature(_refusal).parameters
    return _refusal(**{name: bound.arguments[name] for name in looked_at}) or True


def convert_from_nx(graph: object, **_facts: Any) -> Any:
    """Return the graph itself; positions by node, the result, are networkx's own type too."""
    return graph


convert_to_nx = convert_from_nx


def _refusal(
    G: nx.Graph, pos: object, scaling_ratio: float, gravity: float, distributed_action: bool, node_mass: Any,
    node_size: object, weight: str | None, dim: int
) -> str:  # fmt: skip
    """Return the reason why these arguments have no energy with a minimum; empty if they have."""
    reasons = {
        "distributed_action divides the attraction of each node by its mass, so that no energy has these forces":
            distributed_action,
        "node_size makes the repulsion of each pair another function of its distance, which nelayout does not have; "
        "nelayout.forceatlas2_layout(G, node_size=...) moves nodes apart at the end": node_size is not None,
        f"dim must be 1, 2 or 3; got {_dimension(pos, dim)}": not 1 <= _dimension(pos, dim) <= 3,
        f"scaling_ratio must be > 0; got {scaling_ratio!r}. Without repulsion all nodes fall together":
            not 0 < scaling_ratio < math.inf,
        f"gravity must be >= 0; got {gravity!r}. Negative gravity drives nodes apart": not 0 <= gravity < math.inf,
        "node_mass must be > 0 for every node": any(not 0 < m < math.inf for m in (node_mass or {}).values()),
        f"{weight} must be >= 0 for every edge: a negative weight drives its nodes apart":
            any(not 0 <= w < math.inf for _, _, w in _weighted_edges(G, weight)),
    }  # fmt: skip
    for reason, refused in reasons.items():
        if refused:
            return reason
    sums = _sums(G, weight) if G.is_directed() else {}
    if not all(math.isclose(w, sums.get((v, u), 0.0), rel_tol=1e-12) for (u, v), w in sums.items()):
        return "edges directed one way pull one of their nodes alone, and no energy has these forces: G.to_undirected()"
    if gravity == 0 and len(G) > 1 and not nx.is_connected(G.to_undirected(as_view=True)):
        return "gravity must be > 0 if the graph is not connected: components would part without end"
    return ""


def _dimension(pos: Any, dim: int) -> int:
    """Return the dimension of the first position, else `dim`."""
    return len(next(iter(pos.values()))) if pos else dim


def _weighted_edges(G: nx.Graph, weight: str | None) -> Iterator[tuple[Hashable, Hashable, float]]:
    return ((u, v, 1 if weight is None else data.get(weight, 1)) for u, v, data in G.edges(data=True))


def _sums(G: nx.Graph, weight: str | None) -> dict[tuple[Hashable, Hashable], float]:
    """Return {(tail, head): weight of all edges from tail to head}."""
    sums: dict[tuple[Hashable, Hashable], float] = defaultdict(float)
    for u, v, w in _weighted_edges(G, weight):
        sums[u, v] += w
    return sums
