"""Connections: where the scalar lambda between input and drawn similarities comes from, and whether it moves.

An objective is J = sum M phi(P/M, lambda q).  Its edges and its tail are evaluated once, at the lambda that ``at``
names; ``couple`` then says what they amount to.  Four rules (Yang, Peltonen & Kaski 2014, sec. 3-5):

fixed       lambda is given: Elastic Embedding's repulsion, LinLog's 1/attraction.
optimal     lambda = argmin J.  Homogeneous divergences have it in closed form, and J becomes scale-invariant (gamma,
            Renyi). With A = d edges / d ln lambda and T' = d tail / d ln lambda at lambda = 1, dJ = -d edges / A + d
            tail / T' for every one of them.
normalized  lambda = 1 / sum M q, so that the drawn similarities sum to one; it moves with the drawing, which adds
            one term to the derivative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Protocol

from nelayout.errors import InputError, Unsupported, unknown

__all__ = [
    "CONNECTIONS",
    "Connection",
    "Coupling",
    "Fixed",
    "Normalized",
    "NormalizedRows",
    "Optimal",
    "Sums",
    "connection_named",
]


@dataclass(frozen=True, slots=True)
class Sums:
    """What an evaluation has added up, at one lambda, before it is coupled."""

    edges: float  # sum M edge(P/M, b); NaN when no value was asked for
    edges_slope: float  # its derivative in ln lambda
    tail: float  # sum M phi(0, b)
    tail_slope: float  # its derivative in ln lambda
    mass: float  # sum M q, where the connection asks for it
    weight: float  # sum P
    total: float  # sum M


@dataclass(frozen=True, slots=True)
class Coupling:
    """The objective's value and its derivatives in the sums."""

    value: float
    d_edges: float
    d_tail: float
    d_mass: float
    connection: float


class Connection(Protocol):
    """The interface of a connection rule."""

    @property
    def name(self) -> str: ...

    @property
    def needs_mass(self) -> bool:
        """Whether sum M q is asked for."""
        ...

    @property
    def by_rows(self) -> bool:
        """Whether each node has a lambda of its own."""
        ...

    def check(self, divergence) -> None:
        """Unsupported, in words, when this rule does not go with the divergence."""
        ...

    def at(self, mass: float) -> float:
        """The lambda at which edges and tail are to be evaluated."""
        ...

    def couple(self, divergence, sums: Sums, attraction: float) -> Coupling: ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """lambda is given."""

    value: float = 1.0
    name: str = "fixed"
    needs_mass: bool = False
    by_rows: bool = False

    def __post_init__(self) -> None:
        value = self.value
        if isinstance(value, bool) or not (isinstance(value, Real) and math.isfinite(value) and value > 0):
            raise InputError(f"a fixed connection scalar (the repulsion) must be a finite number > 0, given {value!r}")
        object.__setattr__(self, "value", float(value))

    def check(self, divergence) -> None:
        return None

    def at(self, mass: float) -> float:
        return self.value

    def couple(self, divergence, sums: Sums, attraction: float) -> Coupling:
        return Coupling(attraction * sums.edges + sums.tail, attraction, 1.0, 0.0, self.value)


@dataclass(frozen=True, slots=True)
class Optimal:
    """lambda = argmin J: no trade-off is left to choose."""

    name: str = "optimal"
    needs_mass: bool = False
    by_rows: bool = False

    def check(self, divergence) -> None:
        if divergence.degree is None:
            raise Unsupported(
                "connection 'optimal' has a closed form for beta divergences and alpha divergences of order > 0 only, "
                f"given {divergence.name!r}: use connection='normalized' or 'fixed'"
            )

    def at(self, mass: float) -> float:
        return 1.0

    def couple(self, divergence, sums: Sums, attraction: float) -> Coupling:
        if not (sums.tail_slope > 0 and sums.edges_slope < 0):  # a kernel has underflowed: the drawing is far too large
            return Coupling(math.inf, 0.0, 0.0, 0.0, math.inf)
        pull, push = divergence.invariant(sums.edges, sums.tail, sums.weight, sums.total)
        degrees = divergence.tail[0].order - divergence.degree
        best = (-sums.edges_slope / sums.tail_slope) ** (1.0 / degrees)
        return Coupling(
            attraction * pull + push, -attraction / sums.edges_slope, 1.0 / sums.tail_slope, 0.0, best
        )


@dataclass(frozen=True, slots=True)
class Normalized:
    """lambda = 1 / sum M q, over the whole matrix."""

    name: str = "normalized"
    needs_mass: bool = True
    by_rows: bool = False

    def check(self, divergence) -> None:
        return None

    def at(self, mass: float) -> float:
        return 1.0 / mass if mass > 0 else math.inf  # mass 0: further apart than floats can tell

    def couple(self, divergence, sums: Sums, attraction: float) -> Coupling:
        if not sums.mass > 0:
            return Coupling(math.inf, 0.0, 0.0, 0.0, math.inf)
        moving = -(attraction * sums.edges_slope + sums.tail_slope) / sums.mass
        return Coupling(attraction * sums.edges + sums.tail, attraction, 1.0, moving, 1.0 / sums.mass)


@dataclass(frozen=True, slots=True)
class NormalizedRows:
    """lambda_i = 1 / sum_j m_j q_ij: each node's drawn similarities sum to one, as its input similarities do."""

    name: str = "normalized-rows"
    needs_mass: bool = True
    by_rows: bool = True

    def check(self, divergence) -> None:
        return None

    def at(self, mass):
        return 1.0 / mass

    def couple(self, divergence, sums: Sums, attraction: float) -> Coupling:
        raise AssertionError("rows are coupled one by one, in row_objective")


CONNECTIONS = {"normalized-rows": NormalizedRows, "fixed": Fixed, "optimal": Optimal, "normalized": Normalized}


def connection_named(connection: str | Connection) -> Connection:
    """The connection of that name ("fixed:0.5" carries its lambda); a Connection is given back as it is.

    >>> connection_named("fixed:0.5").at(1.0)
    0.5
    """
    if not isinstance(connection, str):
        parts = ("at", "couple", "needs_mass")
        if all(hasattr(connection, part) for part in parts) and not isinstance(connection, type):
            return connection
        raise InputError(f"connection must be a name or a Connection, given {type(connection).__name__}")
    name, colon, number = connection.strip().lower().partition(":")
    if name not in CONNECTIONS:
        raise unknown("connection", connection, CONNECTIONS)
    if not colon:
        return CONNECTIONS[name]()
    if name != "fixed":
        raise InputError(f"connection {connection!r}: only 'fixed' takes a number")
    try:
        return Fixed(float(number))
    except ValueError as error:
        raise InputError(f"connection {connection!r}: write a number > 0 behind the colon") from error
