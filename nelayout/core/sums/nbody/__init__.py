"""N-body sums: the only part of a layout with work that grows with the number of pairs.

``fields(Y, charges, radials)`` gives, for each radial function r, the potential Phi(y_i) = sum_{j != i} c_j r(|y_i -
y_j|^2) and its gradient at every node.  The repulsion of every method consists of these sums.

Two unit charges at distance 1 under r = 1/(1 + xi)::

    >>> import numpy as np
    >>> from nelayout.core.formula.kernels import KERNELS, Radial
    >>> nbody = backend("exact", Threads(), compiled=False)
    >>> field, = nbody.fields(np.array([[0.0, 0.0], [1.0, 0.0]]), np.ones(2), (Radial(KERNELS["cauchy"]),))
    >>> field.potential, field.force[:, 0]
    (array([0.5, 0.5]), array([ 0.5, -0.5]))
"""

from __future__ import annotations

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.exact import Exact
from nelayout.core.sums.nbody.field import Field, NBody
from nelayout.errors import Unsupported, unknown
from nelayout.numerics.parallel import Threads

__all__ = ["BACKENDS", "Exact", "Field", "NBody", "backend", "backend_note", "check_backend"]

# Values of the keyword ``nbody``.
BACKENDS = ("auto", "exact", "mesh", "tree")


def check_backend(name: str, dim: int) -> None:
    """Raise an error for an unknown name, or for a backend that does not support ``dim``."""
    if not isinstance(name, str) or name not in BACKENDS:
        raise unknown("nbody", name, BACKENDS)
    if name == "mesh" and dim > 2:
        able = " or ".join(f"nbody={other!r}" for other in BACKENDS if other != name)
        raise Unsupported(f"nbody={name!r} needs at most 2 dimensions; got dim={dim}: use {able}")


def backend(name: str, threads: Threads, compiled: bool) -> NBody:
    """Make the backend of that name; "auto" sums exactly if no loops are compiled."""
    check_backend(name, 1)
    exact = Exact(compiled, threads)
    if name == "exact" or (name == "auto" and not compiled):
        return exact
    from nelayout.core.sums.nbody.auto import Auto  # small graphs do not load the mesh and the tree
    from nelayout.core.sums.nbody.mesh import Mesh
    from nelayout.core.sums.nbody.tree import Tree

    mesh, tree = Mesh(threads), Tree(threads)
    return {"auto": Auto(exact, mesh, tree), "mesh": mesh, "tree": tree}[name]


def backend_note(nbody: NBody, Y: np.ndarray, radials: tuple[Radial, ...]) -> str:
    """Return a note for the user if "auto" takes the tree in the plane, else ""."""
    noted = getattr(nbody, "note", None)
    return noted(Y, radials) if noted else ""
