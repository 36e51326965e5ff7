"""What a divergence is made of: the similarity it looks at, the terms of its tail, and its interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from ..kernels import Kernel, Radial, boxcox

__all__ = ["Divergence", "Similarity", "Tail"]

# Below this order the Box-Cox form is summed itself; above, q^t is, which decays and loses no digits against 1/t.
SMALL_ORDER = 0.1


@dataclass(frozen=True, slots=True)
class Similarity:
    """b = lambda q(xi) over some pairs, evaluated only in the form that is asked for."""

    kernel: Kernel
    xi: np.ndarray
    connection: float = 1.0

    def log(self) -> np.ndarray:
        """ln b."""
        log_q = self.kernel.log(self.xi)
        return log_q if self.connection == 1.0 else log_q + np.log(self.connection)

    def power(self, order: float) -> np.ndarray:
        """b^order."""
        power = self.kernel.power(self.xi, order)
        return power if self.connection == 1.0 else power * self.connection**order

    def boxcox(self, order: float) -> np.ndarray:
        """(b^order - 1) / order, ln b at order 0."""
        return boxcox(self.log(), order)


@dataclass(frozen=True, slots=True)
class Tail:
    """One term coefficient * form(b, order) of phi(0, b), summed with measure M over all pairs by N-body.

    "boxcox" is (b^order - 1)/order, "power" b^order, "power-log" b^order ln b.
    """

    coefficient: float
    order: float
    form: Literal["power", "boxcox", "power-log"] = "power"

    def radials(self, kernel: Kernel) -> tuple[Radial, ...]:
        """The radial functions of q whose sums this term needs."""
        if self.form == "boxcox" and abs(self.order) <= SMALL_ORDER:
            return (Radial(kernel, self.order, "boxcox"),)
        if self.form == "power-log":
            return (Radial(kernel, self.order, "power-log"), Radial(kernel, self.order))
        return (Radial(kernel, self.order),)

    def combine(
        self, sums: tuple[Any, ...], total: Any, connection: float
    ) -> tuple[Any, tuple[float, ...], Any]:
        """Value, d value / d sums and d value / d ln(connection), for the sums of ``radials`` and total = sum M.

        Sums over all pairs are numbers; sums over each node's pairs, arrays, give each node's value.
        """
        scale = self.coefficient * connection**self.order
        if self.form == "power":
            return scale * sums[0], (scale,), self.order * scale * sums[0]
        if self.form == "power-log":
            log_scale = np.log(connection)
            value = scale * (sums[0] + log_scale * sums[1])
            return value, (scale, scale * log_scale), self.order * value + scale * sums[1]
        if abs(self.order) > SMALL_ORDER:
            value = (scale * sums[0] - self.coefficient * total) / self.order
            return value, (scale / self.order,), scale * sums[0]
        shift = self.coefficient * float(boxcox(np.log(np.array([connection])), self.order)[0])
        return scale * sums[0] + shift * total, (scale,), scale * (self.order * sums[0] + total)


@runtime_checkable
class Divergence(Protocol):
    """phi(p, b) in two halves; see the package docstring."""

    @property
    def name(self) -> str: ...

    @property
    def linear(self) -> bool:
        """Whether edge(p, b) is linear in p, so that M edge(P/M, b) = edge(P, b) and masses leave the edges."""
        ...

    @property
    def degree(self) -> float | None:
        """h with slope(p, lambda b) = lambda^h slope(p, b), where there is one: then the best lambda has a closed
        form.
        """
        ...

    @property
    def tail(self) -> tuple[Tail, ...]: ...

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """phi(p, b) - phi(0, b)."""
        ...

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        """d edge / d ln b."""
        ...

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        """The scale-invariant form at the best lambda (gamma of beta, Renyi of alpha), as attraction and repulsion.

        ``edges`` = sum M edge(P/M, q) and ``tail`` = sum M phi(0, q), both at lambda = 1; weight = sum P, total =
        sum M.
        """
        ...
