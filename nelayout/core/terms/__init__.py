"""Terms: wishes beside the edges, as potentials that are added to J.

    F(Y) = J(Y) + sum_t strength_t u T_t(Y)

T is a pure number: it does not change if the drawing is moved or scaled.  So terms leave the choice of the size to J.
u is the unit of J, nats or weights of edges, see `Objective.unit`.  A strength of 1 is then as strong as the edges are
on the scale of the whole drawing.  Stress counts in the same way, see `nelayout.core.formula.potentials.stress`.

Each kind of term is one file and one line in `TERMS`.  A term of a graph gives the terms of its parts (`of`) and of its
coarse graphs (`merged`), where a node stands for several.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nelayout.core.terms.anchored import Anchored
from nelayout.core.terms.directed import Directed
from nelayout.core.terms.gathered import Gathered
from nelayout.core.terms.pull import Pull
from nelayout.core.terms.repelled import Repelled

__all__ = ["TERMS", "Anchored", "Directed", "Gathered", "Repelled", "Term"]


class Term(Protocol):
    """One kind of wish.

    name      the caller's keyword
    strength  > 0, in units of the edges
    upright   whether T changes if the drawing is turned
    """

    @property
    def name(self) -> str: ...
    @property
    def strength(self) -> float: ...
    @property
    def upright(self) -> bool: ...

    def at(self, Y: np.ndarray) -> Pull:
        """Return T at positions Y (n, d) as costs of nodes, its gradient and curvature bounds."""
        ...

    def of(self, nodes: np.ndarray) -> Term | None:
        """Return the term of some nodes; None if nothing of it is left."""
        ...

    def merged(self, cluster: np.ndarray, n: int) -> Term | None:
        """Return the term of n clusters of nodes; None if nothing of it is left."""
        ...


# The caller's keyword -> the kind of its term.
TERMS = {"groups": Gathered, "anchors": Anchored, "direction": Directed, "negative": Repelled}
