"""N-body sums: the only thing that is big.

``fields(Y, charges, radials)`` gives, for each radial function r, the potential Phi(y_i) = sum_{j != i} c_j r(|y_i - y_j|^2)
and its gradient at every node.  Everything that repels, in every method, is made of these.
"""

from __future__ import annotations

from .exact import Exact
from .field import Field, NBody

__all__ = ["Exact", "Field", "NBody"]
