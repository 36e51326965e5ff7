"""The protocol of an N-body backend and the record that it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nelayout.formula.kernels import Radial

__all__ = ["Field", "NBody"]


@dataclass(frozen=True, slots=True)
class Field:
    """Sums of one radial function at every node."""

    potential: np.ndarray  # (n,)  sum_{j != i} c_j r(xi_ij)
    force: np.ndarray  # (n, d)  its gradient in y_i, 2 sum_j c_j r'(xi_ij) (y_i - y_j)


class NBody(Protocol):
    """A backend: it declares the relative error of its sums and takes any radial function of the family."""

    @property
    def name(self) -> str: ...

    @property
    def tolerance(self) -> float: ...

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]: ...
