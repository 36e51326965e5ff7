"""Connections: rules for the scale factor lambda between input and drawn similarities.

An objective is J = sum M phi(P/M, lambda q). Its two halves, edges and pairs, are evaluated once, at the lambda that
``at`` returns. ``couple`` turns their sums into J and its derivatives (Yang, Peltonen & Kaski 2014, sec. 3-5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from nelayout.core.formula.divergences.protocol import Divergence
from nelayout.core.formula.part_names import as_number, number_within, spell, split
from nelayout.errors import InputError, Unsupported, unknown

__all__ = [
    "CONNECTIONS", "LARGEST", "LARGEST_OF_DRAWINGS", "Connection", "Coupling", "Fixed", "Normalized",
    "NormalizedRows", "Optimal", "Sums", "connection_named",
]  # fmt: skip


# Largest lambda of a row in a minimizer's step, and in a finished drawing: 1 / lambda is nearly 0.
LARGEST, LARGEST_OF_DRAWINGS = 1e280, 1e300


class Sums(NamedTuple):
    """Sums at one lambda, numbers or arrays (one per row or graph); slopes are in ln lambda."""

    edges: Any  # sum M edge(P/M, b); NaN if not requested
    edges_slope: Any
    pairs: Any  # sum M phi(0, b)
    pairs_slope: Any
    normalizer: Any  # sum M q, if the connection needs it
    weight: Any  # sum P
    total: Any  # sum M


class Coupling(NamedTuple):
    """The value of J and its derivatives in the sums: numbers or arrays, as the sums are."""

    value: Any
    d_edges: float
    d_pairs: float
    d_normalizer: Any
    lam: Any


LOST = Coupling(math.inf, 0.0, 0.0, 0.0, math.inf)  # of a drawing too large for floats


class Connection:
    """A rule for lambda; ``needs_normalizer``: from sum M q; ``by_rows``: one per node."""

    name: str
    needs_normalizer = False
    by_rows = False

    def check(self, divergence: Divergence) -> None:
        """Raise Unsupported if this rule cannot be used with the divergence."""

    def at(self, normalizer: Any) -> Any:
        """Return the lambda at which edges and pairs are evaluated."""
        return 1.0

    def couple(self, divergence: Any, sums: Sums, exaggeration: float) -> Coupling:
        """Return J and its derivatives, the edges counting ``exaggeration`` times."""
        return Coupling(exaggeration * sums.edges + sums.pairs, exaggeration, 1.0, 0.0, self.at(sums.normalizer))


@dataclass(frozen=True)
class Fixed(Connection):
    """lambda is a constant: the repulsion of Elastic Embedding, 1/attraction of LinLog."""

    value: float = 1.0

    def __post_init__(self) -> None:
        value = number_within(self.value, "a fixed scale factor (the repulsion)", 0.0, open_ends=True)
        object.__setattr__(self, "value", value)

    @property
    def name(self) -> str:
        return "fixed" if self.value == 1.0 else spell("fixed", self.value)

    def at(self, normalizer: Any) -> float:
        return self.value


@dataclass(frozen=True)
class Optimal(Connection):
    """lambda = argmin J, in closed form for divergences with a degree: J is scale-invariant.

    dJ = -d edges / A + d pairs / B with A = d edges / d ln lambda, B = d pairs / d ln lambda at lambda = 1.
    """

    name = "optimal"

    def check(self, divergence: Divergence) -> None:
        if divergence.degree is None:
            raise Unsupported(
                "connection 'optimal' needs a divergence with a degree: its slope is a power of b (beta of any order "
                f"and alpha of order > 0 have one); got {divergence.name!r}. Use connection='normalized' or 'fixed'"
            )

    def couple(self, divergence: Any, sums: Sums, exaggeration: float) -> Coupling:
        slopes = sums.edges_slope, sums.pairs_slope
        sound = (sums.pairs_slope > 0) & (sums.edges_slope < 0)  # otherwise the kernel has underflowed
        if not sound:
            return LOST
        pull, push = divergence.invariant(sums.edges, sums.pairs, slopes, sums.weight, sums.total)
        best = (-sums.edges_slope / sums.pairs_slope) ** (1.0 / (divergence.pairs[0].order - divergence.degree))
        return Coupling(exaggeration * pull + push, -exaggeration / sums.edges_slope, 1.0 / sums.pairs_slope, 0.0, best)


@dataclass(frozen=True)
class NormalizedRows(Connection):
    """lambda_i = 1 / sum_j m_j q_ij: each node's drawn and input similarities sum to one."""

    name = "normalized-rows"
    needs_normalizer = True
    by_rows = True

    def at(self, normalizer: Any) -> Any:
        return 1.0 / normalizer

    def couple(self, divergence: Any, sums: Sums, exaggeration: float) -> Coupling:
        lam = self.at(sums.normalizer)
        moving = -(exaggeration * sums.edges_slope + sums.pairs_slope) * lam
        return Coupling(exaggeration * sums.edges + sums.pairs, exaggeration, 1.0, moving, lam)


@dataclass(frozen=True)
class Normalized(NormalizedRows):
    """lambda = 1 / sum M q: all drawn similarities sum to one."""

    name = "normalized"
    by_rows = False

    def at(self, normalizer: float) -> float:
        return 1.0 / normalizer if normalizer > 0 else math.inf

    def couple(self, divergence: Any, sums: Sums, exaggeration: float) -> Coupling:
        return NormalizedRows.couple(self, divergence, sums, exaggeration) if sums.normalizer > 0 else LOST


CONNECTIONS = {"normalized-rows": NormalizedRows, "fixed": Fixed, "optimal": Optimal, "normalized": Normalized}


def connection_named(connection: str | Connection) -> Connection:
    """Return the connection of a name ("fixed:0.5" carries its lambda), or the Connection."""
    if not isinstance(connection, str):
        parts = ("at", "couple", "needs_normalizer")
        if all(hasattr(connection, part) for part in parts) and not isinstance(connection, type):
            return connection
        raise InputError(f"connection must be a name or a Connection; got {type(connection).__name__}")
    name, words = split(connection)
    if name not in CONNECTIONS:
        raise unknown("connection", connection, CONNECTIONS)
    if not words:
        return CONNECTIONS[name]()
    if name != "fixed":
        raise InputError(f"connection {connection!r}: only 'fixed' takes a number")
    value = as_number(":".join(words))
    if value is None or not value > 0:
        raise InputError(f"connection {connection!r}: write a number > 0 after the colon")
    return Fixed(value)
