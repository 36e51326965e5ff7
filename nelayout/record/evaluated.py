"""`Evaluated`: the value of a drawing under an objective."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Evaluated"]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Value of a drawing under the objective of a method: the result of `nelayout.evaluate`.

    Attributes
    ----------
    value
        J of the positions times ``unit``: the sum over the components of the graph; infinite, with a note, if
        coincident nodes repel each other without bound
    gradient_norm
        sqrt(sum over all coordinates of (dJ/dy)^2), at the positions times ``unit``
    connection
        lambda (of the largest component)
    node_cost
        (n,) the cost of each node, see `nelayout.Solution`
    unit
        the factor of the positions: 1 for size="given", the best factor for size="best"
    components
        (n,) component of each node, 0 the largest
    notes
        sentences on how to read the value
    method
        the name of the method
    """

    value: float
    gradient_norm: float
    connection: float
    node_cost: np.ndarray
    unit: float
    components: np.ndarray
    notes: tuple[str, ...] = ()
    method: str = ""

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        notes = f" Notes: {'; '.join(self.notes)}." if self.notes else ""
        found = f"value {self.value:.6g}, gradient norm {self.gradient_norm:.3g}, connection {self.connection:.6g}"
        return f"Evaluated by {self.method} at {self.unit:.6g} times its size: {found}.{notes}"
