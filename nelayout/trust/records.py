"""Records of faults that an audit finds in a drawing.

Each record names its nodes, has a score and says its fault in one sentence.  A larger score is a worse fault of the
same kind.  Functions on arrays name nodes by their row; `nelayout.audit` gives the names of the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Cluster", "Fault", "Hidden", "Misplaced", "Torn"]

Nodes = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """Node that lies where it does not belong.

    node         its row, or its name
    score        what it would save at its best place, in units of J over the root of its degree, beyond the references
    p, q         how rarely a node of an honest drawing saves so much, alone and among all nodes (false discovery rate)
    better_near  the node beside its best place
    sentence     the fault in words
    """

    node: Any
    score: float
    p: float
    q: float
    better_near: Any
    sentence: str


@dataclass(frozen=True, slots=True)
class Torn:
    """False gap between two drawn groups: it is wide, and many edges cross it.

    nodes     rows, or names, of the nodes on both sides, the smaller side first
    score     edges across over the edges expected
    edges     edges across the gap
    expected  edges across the middle of the smaller side, its median over references and directions
    p         share of cuts through the middle of the smaller side with fewer edges
    sentence  the fault in words
    """

    nodes: tuple[Nodes, Nodes]
    score: float
    edges: float
    expected: float
    p: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """Two communities that are drawn as one.

    nodes     rows, or names, of the nodes of both communities, the smaller one first
    score     how mixed the two are drawn beyond the references: 0 not at all, 1 as by chance
    p         how rarely references differ so much from each other
    sentence  the fault in words
    """

    nodes: tuple[Nodes, Nodes]
    score: float
    p: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Drawn group that references at larger neighborhoods do not show.

    nodes     rows, or names, of the group
    score     1 - jaccard
    jaccard   the best Jaccard index with a group of a reference, its median over references
    sentence  the fault in words
    """

    nodes: Nodes
    score: float
    jaccard: float
    sentence: str


Fault = Misplaced | Torn | Hidden | Cluster
