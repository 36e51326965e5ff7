"""Faults of groups in words.

A group is named by its size and by the node with the most weight of edges within the group.

>>> P = csr_array(np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]], dtype=float))
>>> group_name(P, (0, 1, 2), ["a", "b", "c", "d"])
'the 3 nodes around a'
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from nelayout.trust.records import Cluster, Hidden, Torn

__all__ = ["cluster_sentence", "gap_note", "group_name", "hidden_sentence", "torn_sentence"]


def group_name(P: csr_array, nodes: Sequence[int], names: Sequence[object], kind: str = "nodes") -> str:
    """Return words for a group of rows of P: their number and the name of the central one."""
    rows = np.asarray(nodes, dtype=np.int64)
    inside = np.zeros(P.shape[0])
    inside[rows] = 1.0
    central = int(rows[np.argmax(P[rows] @ inside)])
    return f"the {len(rows)} {kind} around {names[central]}"


def torn_sentence(P: csr_array, fault: Torn, names: Sequence[object], kind: str = "nodes") -> str:
    """Return a false gap in words; `names` has the names of the rows of P."""
    small, large = (group_name(P, nodes, names, kind) for nodes in fault.nodes)
    return f"The gap between {small} and {large} is false: {_counts(fault)}."


def gap_note(P: csr_array, gap: Torn, names: Sequence[object], kind: str = "nodes") -> str:
    """Return a gap in words that is wider than its edges explain."""
    small, large = (group_name(P, nodes, names, kind) for nodes in gap.nodes)
    return f"the gap between {small} and {large} is wider than its edges explain: {_counts(gap)}"


def _counts(gap: Torn) -> str:
    across = f"{gap.edges:.0f} {'edge crosses' if gap.edges == 1 else 'edges cross'} it"
    middle = f"about {gap.expected:.0f} {'crosses' if round(gap.expected) == 1 else 'cross'}"
    return f"{across}, and {middle} the middle of the smaller group"


def hidden_sentence(P: csr_array, fault: Hidden, names: Sequence[object], kind: str = "nodes") -> str:
    """Return two communities that are drawn as one in words."""
    small, large = (group_name(P, nodes, names, kind) for nodes in fault.nodes)
    return f"{small[0].upper()}{small[1:]} and {large} are drawn as one, and honest drawings keep them apart."


def cluster_sentence(P: csr_array, fault: Cluster, names: Sequence[object], kind: str = "rows") -> str:
    """Return a group that the drawing made in words."""
    group = group_name(P, fault.nodes, names, kind)
    return f"This drawing sets {group} apart, and larger neighborhoods leave no gap around them."
