"""Audited data, and honest drawings of the same data: the references.

A reference is what a careful person could have drawn: the default drawing of a graph, from five seeds.  References are
never by the audited method, which might share its faults.  A table has references at wider neighborhoods than most
embeddings take, because groups that are there remain there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.graphs import Network
from nelayout.quality.table import MeasuredDrawing

__all__ = ["Audited", "Recipe", "drawings"]

# Method and keywords of one drawing.
Recipe = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """Graph or table with one drawing.

    network     names of the nodes
    P           (n, n) symmetric weights of the edges, or of the graph of nearest rows
    facts       what measures know, with the drawing Y (n, dim)
    draw        (method, its keywords, seed) -> positions (n, dim)
    references  recipes of the references
    rivals      recipes of other drawings, for what is reachable
    measures    measures of the table
    decisive    measures with a say in the verdict; J has one, too
    is_table    whether the nodes are rows of a table
    """

    network: Network
    P: csr_array
    facts: MeasuredDrawing
    draw: Callable[[str, dict[str, Any], int], np.ndarray]
    references: Sequence[Recipe]
    rivals: Sequence[Recipe]
    measures: Sequence[str]
    decisive: Sequence[str]
    is_table: bool = False

    @property
    def kind(self) -> str:
        """Word for the nodes."""
        return "rows" if self.is_table else "nodes"

    @property
    def Y(self) -> np.ndarray:
        """Positions (n, dim) of the audited drawing."""
        return self.facts.Y


def drawings(of: Audited, recipes: Sequence[Recipe], seed: int, kind: int) -> list[np.ndarray]:
    """Draw by each recipe; its seed follows from ``seed``, the place in the list and ``kind``."""
    seeds = np.random.default_rng([seed, kind]).integers(2**31 - 1, size=len(recipes)).tolist()
    return [of.draw(*recipe, one) for recipe, one in zip(recipes, seeds, strict=True)]
