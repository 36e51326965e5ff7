"""N-body sums: the only thing that is big.

``fields(Y, charges, radials)`` gives, for each radial function r, the potential Phi(y_i) = sum_{j != i} c_j r(|y_i -
y_j|^2) and its gradient at every node.  Everything that repels, in every method, is made of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nelayout.errors import unknown
from nelayout.nbody.exact import Exact
from nelayout.nbody.field import Field, NBody
from nelayout.numerics.parallel import Threads

if TYPE_CHECKING:
    import numpy as np

    from nelayout.kernels import Radial
    from nelayout.nbody.auto import Auto
    from nelayout.nbody.mesh import Mesh
    from nelayout.nbody.tree import Tree

__all__ = ["BACKENDS", "Auto", "Exact", "Field", "Mesh", "NBody", "Tree", "backend", "surprise"]

BACKENDS = ("auto", "exact", "mesh", "tree")


def backend(name: str, threads: Threads, compiled: bool) -> NBody:
    """The backend of that name; small work that needs no compiled loops is summed exactly."""
    if name not in BACKENDS:
        raise unknown("nbody", name, BACKENDS)
    if name == "exact" or (name == "auto" and not compiled):
        return Exact(compiled, threads)
    from nelayout.nbody.auto import Auto  # not loaded for small graphs, nor are the mesh and the tree
    from nelayout.nbody.mesh import Mesh
    from nelayout.nbody.tree import Tree

    return Mesh(threads) if name == "mesh" else Tree(threads) if name == "tree" else Auto.on(threads, compiled)


def surprise(nbody: NBody, Y: np.ndarray, radials: tuple[Radial, ...]) -> str | None:
    """What the reader may not expect of the backend that "auto" takes for a drawing, in a sentence."""
    if nbody.name != "auto":
        return None
    from nelayout.nbody.auto import Auto

    return nbody.surprise(Y, radials) if isinstance(nbody, Auto) else None


def __getattr__(name: str):
    if name in ("Auto", "Mesh", "Tree"):
        from importlib import import_module

        return getattr(import_module(f".{name.lower()}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
