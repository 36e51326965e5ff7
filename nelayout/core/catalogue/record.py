"""`Method`: a record of parts and of the stages that minimize its objective."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from nelayout.core.catalogue.stages import CoarseToFine, Descend, Stage, recipe
from nelayout.core.formula.alpha_choice import AlphaSearch, alpha_search
from nelayout.core.formula.connections import Connection, connection_named
from nelayout.core.formula.divergences import Divergence, alpha, divergence_named
from nelayout.core.formula.divergences.beta import Beta
from nelayout.core.formula.divergences.f_divergences import WITH_CONJUGATE, OwnFunction, conjugate_name
from nelayout.core.formula.kernels import KERNELS, Kernel, kernel_named
from nelayout.core.formula.part_names import as_number, number_within, spell, split
from nelayout.core.formula.potentials.gravity import Gravity
from nelayout.errors import InputError, Unsupported, near_matches, unknown

__all__ = ["AFFINITIES", "PERPLEXITY", "Method", "most_hops"]

# Perplexity of similarities from hops, unless another one is given.
PERPLEXITY = 10.0

# mu + 1 at an emphasis of 1, where hardly more stress can be left out.
ONLY_DISTANCES = 128.0

T = TypeVar("T")

# P is the weights as they are, divided by the sum over all ordered pairs, or divided by the sum of each node.
AFFINITIES = ("raw", "sum-1", "rows")


def _names_near_keywords(record: type[T]) -> type[T]:
    """Let a record's error for a misspelled keyword list near names."""
    init, names = record.__init__, [each.name for each in fields(record)]  # pyright: ignore[reportArgumentType]

    @functools.wraps(init)
    def checked(self: Any, *given: Any, **keywords: Any) -> None:
        for name in keywords:
            if name not in names:
                raise TypeError(str(unknown(f"keyword of {record.__name__}", name, names)))
        init(self, *given, **keywords)

    type.__setattr__(record, "__init__", checked)
    return record


def _equal(mine: Any, its: Any) -> bool:
    """Return whether two parts are equal; masses may be arrays."""
    if mine is its:
        return True
    if hasattr(mine, "equals") and type(mine) is type(its):  # a pandas Series: its index names nodes
        return bool(mine.equals(its))
    return bool(np.array_equal(mine, its) if hasattr(mine, "shape") or hasattr(its, "shape") else mine == its)


@_names_near_keywords
@dataclass(frozen=True, slots=True, repr=False)
class Method:  # noqa: PLW1641  the dataclass makes its hash
    """J = sum M phi(P/M, lambda q) and how to minimize it.

    Parameters
    ----------
    kernel : q; a name ("cauchy", "gaussian", "inverse-square", "heavy-tailed:2", ...) or a Kernel.
    divergence : phi; a name ("i-divergence", "itakura-saito", "beta:0.5", "mix:0.3:kl:js", ...), a function f(t) of an
        array (phi(p, q) = q f(p/q), f convex, finite at 0, 0 at 1) or a Divergence.  "alpha:auto" or
        `nelayout.divergences.auto_alpha` chooses an alpha divergence from the data.
    connection : lambda; "fixed" ("fixed:0.5"), "optimal", "normalized", "normalized-rows" or a Connection; None takes
        "optimal" where the divergence has a best scalar, else "normalized".
    mass : m; "unit", "degree", "degree+1", "strength", "closeness", "betweenness", "eigenvector", "auto" (a power of
        the strengths: 0.8 in crowded graphs, else 0.25), a node attribute, array or dict.
    affinity : "raw", "sum-1" or "rows"; None takes what the connection needs.  "hops" and "hops:20" take similarities
        from path lengths instead of weights, as ``perplexity`` does.
    stages : the schedule; None takes the recipe that suits the kernel.
    variational : play the paper's min-max game for an f-divergence, instead of minimizing it; needs torch.
    choose : the search for the order of an alpha divergence, see "alpha:auto"; None: the divergence is as given.
    perplexity : of similarities from path lengths, see the keyword ``affinity``; None: the weights are similarities.
    hops : most edges of these paths; None: as many as the perplexity needs.
    gravity : a pull to the middle of the drawing, as a number g or a ``Gravity(g, strong=True)`` of
        ``nelayout.core.formula.potentials.gravity``; masses are then not scaled.  None: no pull.
    emphasis : how much large distances count, from 0 to 1: the method minimizes F = J + mu sigma instead of J, with
        mu = 128^emphasis - 1 and the stress sigma of ``nelayout.core.formula.potentials.stress``.  "auto": 0, and
        stages that are candidates try several.
    own : (keyword, value) of the keywords that only this method has, as in ``nelayout.nerv_layout``.

    Examples
    --------
    >>> Method(kernel="cauchy", divergence="beta:0.5", connection="optimal", mass="strength")
    Method(cauchy, beta:0.5, optimal, mass=strength)
    """

    kernel: Any = "cauchy"
    divergence: Any = "i-divergence"
    connection: Any = None
    mass: Any = "unit"
    affinity: str | None = None
    stages: tuple[Stage, ...] = ()
    variational: bool = False
    name: str = "custom"
    reference: str = ""
    summary: str = ""
    choose: AlphaSearch | None = None
    perplexity: float | None = None
    hops: int | None = None
    gravity: Any = None
    emphasis: Any = 0.0
    own: tuple[tuple[str, Any], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        kernel: Kernel = _kernel(self.kernel)
        choose, given = _choice(self.choose, self.divergence)
        divergence: Divergence = divergence_named(given)
        usual = "normalized" if divergence.degree is None else "optimal"
        connection = connection_named(usual if self.connection is None else self.connection)
        connection.check(divergence)
        if choose is not None and not connection.by_rows:
            raise Unsupported(
                f"an order alpha is chosen from the similarities of each node, given connection {connection.name!r}: "
                "use connection='normalized-rows', or give alpha as a number"
            )
        suited = _suited(connection)
        perplexity, affinity = _perplexity(self.affinity, self.perplexity)
        hops = None if self.hops is None else most_hops(self.hops)
        if perplexity is None and hops is not None:
            raise InputError(f"hops must come with affinity='hops' or a perplexity; got hops={hops} alone. Give both")
        affinity = affinity or suited
        if affinity not in AFFINITIES:
            raise unknown("affinity", affinity, [*AFFINITIES, "hops"])
        if suited not in ("raw", affinity):
            what = "with rows of sum 1" if suited == "rows" else "of sum 1"
            raise InputError(f"connection {connection.name!r} compares P with similarities {what}: use {suited!r}")
        if affinity == "rows" and suited != "rows":
            raise InputError("affinity 'rows' is not symmetric: it needs connection='normalized-rows'")
        stages = (self.stages,) if isinstance(self.stages, (CoarseToFine, Descend)) else tuple(self.stages)
        stages = stages or _recipe(kernel, divergence, connection)
        if not all(isinstance(stage, (CoarseToFine, Descend)) for stage in stages):
            raise InputError("stages must be nelayout.CoarseToFine and nelayout.Descend records")
        for stage in stages:
            if isinstance(stage, Descend) and stage.divergence is not None:
                connection.check(stage.divergence)
        if not isinstance(self.variational, (bool, np.bool_)):
            raise InputError(f"variational must be True or False; got {self.variational!r}")
        variational, gravity = bool(self.variational), self.gravity
        if gravity is not None and not isinstance(gravity, Gravity):
            gravity = Gravity(gravity)
        if gravity is not None and (connection.by_rows or variational):
            raise Unsupported(
                "gravity is a term of one objective for the whole graph, and a connection by rows or a variational "
                "form has none: leave it out, or use connection='fixed', 'optimal' or 'normalized'"
            )
        if self.emphasis != "auto":
            number_within(self.emphasis, "emphasis", 0.0, 1.0)
        if self.emphasis and variational:
            raise Unsupported(
                "a variational form plays for J alone; got emphasis > 0. Use emphasis=0, or variational=False"
            )
        if variational:
            _check_variational(kernel, divergence, connection)
        read: dict[str, Any] = {
            "kernel": kernel, "divergence": divergence, "connection": connection, "affinity": affinity,
            "stages": stages, "variational": variational, "choose": choose, "perplexity": perplexity, "hops": hops,
            "gravity": gravity,
        }  # fmt: skip
        for name, value in read.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Method):
            return NotImplemented
        if self is other:
            return True
        compared = [each.name for each in fields(self) if each.compare]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in compared)

    def __repr__(self) -> str:
        divergence = "alpha:auto" if self.choose == AlphaSearch() else self.divergence.name
        said = [self.kernel.name, divergence, self.connection.name]
        if not (isinstance(self.mass, str) and self.mass == "unit"):
            said.append(f"mass={self.mass if isinstance(self.mass, str) else type(self.mass).__name__}")
        if self.affinity != _suited(self.connection):
            said.append(f"affinity={self.affinity}")
        if self.perplexity is not None:
            said.append(f"affinity={spell('hops', self.perplexity)}")
        if self.hops is not None:
            said.append(f"hops={self.hops}")
        if self.gravity is not None:
            said.append(f"gravity={self.gravity.name}")
        if self.emphasis:
            said.append(f"emphasis={self.emphasis if isinstance(self.emphasis, str) else f'{self.emphasis:g}'}")
        if self.variational:
            said.append("variational")
        if self.choose is not None and self.choose != AlphaSearch():
            said.append(f"choose={self.choose}")
        if self.scheduled:
            said.append(f"stages={'/'.join(stage.name for stage in self.stages)}")
        return f"Method({', '.join(said)})"

    @property
    def scheduled(self) -> bool:
        """Return True if the stages differ from the kernel's default stages."""
        return self.stages != _recipe(self.kernel, self.divergence, self.connection)

    def during(self, stage: Descend, emphasis: float | None = None) -> Method:
        """Return the method with a stage's parts; ``emphasis``: None keeps the method's."""
        own: dict[str, Any] = {"kernel": stage.kernel, "divergence": stage.divergence, "emphasis": emphasis}
        return self.with_checked(variational=False, **{name: own[name] for name in own if own[name] is not None})

    def with_checked(self, **parts: Any) -> Method:
        """Return the method with other parts that need no check."""
        other = object.__new__(Method)
        for name in self.__slots__:
            object.__setattr__(other, name, parts.get(name, getattr(self, name)))
        return other

    @property
    def mu(self) -> float:
        """Return the factor of stress beside J, in nats."""
        return 0.0 if self.emphasis == "auto" else ONLY_DISTANCES**self.emphasis - 1.0

    @property
    def conjugate(self) -> str:
        """Return the name of the divergence among divergences with a known conjugate."""
        return conjugate_name(self.divergence) or self.divergence.name


def _kernel(kernel: Any) -> Kernel:
    try:
        return kernel_named(kernel)
    except InputError as error:
        if isinstance(kernel, str) and not near_matches(kernel, KERNELS):
            raise InputError(f"{error}; a method of the catalogue is changed by nelayout.method") from None
        raise


def _choice(choose: AlphaSearch | None, divergence: object) -> tuple[AlphaSearch | None, Any]:
    """Return the search for an order, or None, and the divergence with which it begins."""
    asked = alpha_search(divergence)
    if asked is not None:
        return asked, alpha(asked.first)
    if choose is None:
        return None, divergence
    if not isinstance(choose, AlphaSearch):
        raise InputError(f"choose must be nelayout.divergences.auto_alpha(...), given {choose!r}")
    if divergence not in ("i-divergence", alpha(choose.first)):
        raise InputError(
            f"choose looks for the order of an alpha divergence, given divergence {divergence!r}: leave out one of them"
        )
    return choose, alpha(choose.first)


def most_hops(hops: object) -> int:
    """Return the most edges of a path; `InputError` unless it is a whole number >= 1."""
    if isinstance(hops, (bool, np.bool_)) or not isinstance(hops, (int, np.integer)) or hops < 1:
        raise InputError(f"hops must be None or a whole number >= 1; got {hops!r}")
    return int(hops)


def _perplexity(affinity: Any, perplexity: Any) -> tuple[float | None, str | None]:
    """Return the perplexity of similarities from hops, or None, and the rest of ``affinity``."""
    words = split(affinity) if isinstance(affinity, str) else ("", [])
    if words[0] == "hops":
        affinity, numbers = None, [as_number(word) for word in words[1]]
        if len(numbers) > 1 or None in numbers:
            raise InputError("affinity must be 'hops' or, with a perplexity, such as 'hops:20'")
        perplexity = numbers[0] if numbers else perplexity or PERPLEXITY
    if perplexity is not None:
        perplexity = number_within(perplexity, "perplexity", 1.0, open_ends=True)
    return perplexity, affinity


def _suited(connection: Connection) -> str:
    """Return the affinity that the connection needs."""
    return "rows" if connection.by_rows else "sum-1" if connection.needs_normalizer else "raw"


def _recipe(kernel: Kernel, divergence: Divergence, connection: Connection) -> tuple[Stage, ...]:
    keeps_edges = isinstance(divergence, Beta) or divergence == alpha(1.0)  # under these every edge pulls
    return recipe(kernel, connection.needs_normalizer and not keeps_edges)


def _check_variational(kernel: Kernel, divergence: Divergence, connection: Connection) -> None:
    """Raise Unsupported unless the parts are those of variational ft-SNE."""
    if conjugate_name(divergence) is None:
        known = ", ".join(map(repr, WITH_CONJUGATE))
        what = "a function" if isinstance(divergence, OwnFunction) else repr(divergence.name)
        raise Unsupported(
            f"the variational form needs a divergence with a known conjugate; got {what}. Use {known}, or "
            "variational=False"
        )
    if kernel != KERNELS["cauchy"] or connection.name != "normalized":
        raise Unsupported(
            "the variational form needs kernel='cauchy' and connection='normalized', as ft-SNE has; got "
            f"{kernel.name!r} and {connection.name!r}. Use these, or variational=False"
        )
