"""N-body sums: the only thing that is big.

``fields(Y, charges, radials)`` gives, for each radial function r, the potential Phi(y_i) = sum_{j != i} c_j r(|y_i - y_j|^2)
and its gradient at every node.  Everything that repels, in every method, is made of these.
"""

from __future__ import annotations

from ..errors import unknown
from ..parallel import Workers
from .auto import Auto
from .exact import Exact
from .field import Field, NBody
from .mesh import Mesh

__all__ = ["BACKENDS", "Auto", "Exact", "Field", "Mesh", "NBody", "backend"]

BACKENDS = ("auto", "exact", "mesh")


def backend(name: str, crew: Workers, compiled: bool) -> NBody:
    """The backend of that name; small work that needs no compiled loops is summed exactly."""
    if name not in BACKENDS:
        raise unknown("nbody", name, BACKENDS)
    if name == "exact" or (name == "auto" and not compiled):
        return Exact(compiled, crew)
    return Mesh(crew) if name == "mesh" else Auto.on(crew, compiled)
