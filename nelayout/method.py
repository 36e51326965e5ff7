"""`Method`: a named recipe, made of parts and of the stages that minimize it.

A method is data.  t-SNE, for example, is ``Method(kernel="cauchy", divergence="i-divergence",
connection="normalized")``; give it degree masses and the optimal connection, and it is ws-SNE.  Parts are given by
name or as values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nelayout.connections import Connection, connection_named
from nelayout.divergences import AutoAlpha, Divergence, divergence_named
from nelayout.divergences.conjugates import CONJUGATES
from nelayout.errors import InputError, Unsupported, unknown
from nelayout.kernels import Kernel, kernel_named
from nelayout.stages import CoarseToFine, Descend, Stage, recipe

__all__ = ["AFFINITIES", "Method"]

#: what is done to a graph's weights before they are compared with the drawing
AFFINITIES = {
    "raw": "the weights as they are",
    "sum-1": "the weights divided by their sum over all ordered pairs",
    "rows": "each node's weights divided by their sum",
}


@dataclass(frozen=True, slots=True)
class Method:
    """One way of drawing: J = sum M phi(P/M, lambda q) and how to minimize it.

    Parameters
    ----------
    kernel : q; a name ("cauchy", "gaussian", "inverse-square", "heavy-tailed:2", ...) or a Kernel.
    divergence : phi; a name ("i-divergence", "itakura-saito", "beta:0.5", "alpha:auto", ...) or a Divergence.
    connection : lambda; "fixed" ("fixed:0.5"), "optimal", "normalized", "normalized-rows" or a Connection.
    mass : m; "unit", "degree", "strength", "closeness", "betweenness", "eigenvector", a node attribute, array or dict.
    affinity : "raw", "sum-1" or "rows"; None takes what the connection needs.
    stages : the schedule; None takes the recipe that suits the kernel.
    variational : minimize the variational form of an f-divergence in place of the divergence itself (needs torch).

    >>> Method(kernel="cauchy", divergence="beta:0.5", connection="optimal", mass="degree").divergence.name
    'beta:0.5'
    """

    kernel: Any = "cauchy"
    divergence: Any = "i-divergence"
    connection: Any = "optimal"
    mass: Any = "unit"
    affinity: str | None = None
    stages: tuple[Stage, ...] = ()
    variational: bool = False
    name: str = "custom"
    reference: str = ""
    summary: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        kernel: Kernel = kernel_named(self.kernel)
        divergence: Divergence = divergence_named(self.divergence)
        connection: Connection = connection_named(self.connection)
        connection.check(divergence)
        if isinstance(divergence, AutoAlpha) and not connection.by_rows:
            raise Unsupported(
                f"an order alpha is chosen from the similarities of each node, given connection {connection.name!r}: "
                "use connection='normalized-rows', or give alpha as a number"
            )
        suited = "rows" if connection.by_rows else "sum-1" if connection.needs_mass else "raw"
        affinity = self.affinity or suited
        if affinity not in AFFINITIES:
            raise unknown("affinity", affinity, AFFINITIES)
        if suited not in ("raw", affinity):
            what = "whose rows each sum to 1" if suited == "rows" else "of sum 1"
            raise InputError(f"connection {connection.name!r} compares P with similarities {what}: use {suited!r}")
        if affinity == "rows" and suited != "rows":
            raise InputError("affinity 'rows' is not symmetric: it needs connection='normalized-rows'")
        stages = (self.stages,) if isinstance(self.stages, (CoarseToFine, Descend)) else tuple(self.stages) or recipe(
            kernel, connection.needs_mass and divergence.degree is None
        )
        if not all(isinstance(stage, (CoarseToFine, Descend)) for stage in stages):
            raise InputError("stages must be nelayout.CoarseToFine and nelayout.Descend records")
        if any(isinstance(stage, Descend) and isinstance(stage.divergence, AutoAlpha) for stage in stages):
            raise Unsupported("alpha is chosen for a method as a whole: give a stage's divergence a number")
        if self.variational:
            _check_variational(kernel, divergence, connection)
        for name, value in {
            "kernel": kernel,
            "divergence": divergence,
            "connection": connection,
            "affinity": affinity,
            "stages": stages,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def conjugate(self) -> str:
        """What the divergence is called among the f-divergences whose conjugates are known."""
        return _f_name(self.divergence)


def _f_name(divergence: Divergence) -> str:
    return "kl" if divergence.name == "i-divergence" else divergence.name


def _check_variational(kernel: Kernel, divergence: Divergence, connection: Connection) -> None:
    if _f_name(divergence) not in CONJUGATES:
        known = ", ".join(map(repr, CONJUGATES))
        what = "a function" if divergence.name == "f" else repr(divergence.name)
        raise Unsupported(
            f"the variational form needs a divergence whose conjugate is known, given {what}: use {known}, or "
            "variational=False"
        )
    if kernel.name != "cauchy" or connection.name != "normalized":
        raise Unsupported(
            "the variational form is that of ft-SNE, with kernel='cauchy' and connection='normalized'; given are "
            f"{kernel.name!r} and {connection.name!r}: use these, or variational=False"
        )
