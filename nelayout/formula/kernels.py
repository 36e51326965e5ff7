"""Embedding kernels: how similar two drawn points are, as a function of their squared distance.

Every kernel of the literature that this package knows is a member of one family (Yang, Peltonen & Kaski 2015, sec. 3),

    q(xi) = (c + a xi)^(-b / a),        xi = |y_i - y_j|^2,

so a kernel is three numbers.  Two points at distance 2 (xi = 4) are similar to degree ``cauchy(4) = 1 / (1 + 4) = 0.2``
under the Cauchy kernel (a = b = c = 1) and ``exp(-4) = 0.018`` under the Gaussian (the limit a -> 0).  With c = 0 the
kernel is a pure power of the distance, infinite at 0: ``inverse_distance`` is LinLog's, ``inverse_square`` QuadLog's.

Gradients need only ``s = -d ln q / d xi = b / (c + a xi)``, the same expression for all of them.

N-body sums need the *radial functions* that objectives are made of: powers ``q^t``, their Box-Cox form ``(q^t - 1) /
t`` (which passes into ``ln q`` at t = 0), and ``q^t ln q``.  :class:`Radial` names one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.formula.part_names import as_number, number_count, spell, split

__all__ = ["KERNELS", "Kernel", "Radial", "boxcox", "heavy_tailed", "inverse_power", "kernel_named"]


def __dir__() -> list[str]:
    return sorted(__all__)


# Smallest c + a xi that is ever divided by: singular kernels (c = 0) stay finite at coincident points.  Forces vanish
# there (y_i - y_j = 0), and values are so large that no minimizer accepts the step.
SMALLEST = 1e-140


def boxcox(x: np.ndarray, order: float) -> np.ndarray:
    """(exp(order x) - 1) / order, continuous through order = 0 where it is x: the Box-Cox form of exp(x)."""
    return x if order == 0 else np.expm1(order * x) / order


@dataclass(frozen=True, slots=True)
class Kernel:
    """q(xi) = (c + a xi)^(-b/a) of a squared distance xi >= 0; a = 0 means exp(-b xi), where c must be 1.

    >>> KERNELS["cauchy"].value(np.array([0.0, 4.0]))
    array([1. , 0.2])
    """

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        if not (self.a >= 0 and self.b > 0 and self.c >= 0 and all(map(math.isfinite, (self.a, self.b, self.c)))):
            raise InputError(
                f"kernel (c + a xi)^(-b/a) was given a={self.a}, b={self.b}, c={self.c}: "
                "a and c must be finite and >= 0, b finite and > 0"
            )
        if self.a == 0 and self.c != 1:
            raise InputError(f"the Gaussian kernel (a = 0) needs c = 1, given c={self.c}")

    @property
    def name(self) -> str:
        """The name by which `kernel_named` finds it: of the table, of a family, or its three numbers."""
        for name, kernel in KERNELS.items():
            if kernel == self:
                return name
        if self.b == self.c == 1:
            return spell("heavy-tailed", self.a)
        if self.a == 1 and self.c == 0:
            return spell("inverse-power", 2 * self.b)
        return spell("kernel", self.a, self.b, self.c)

    @property
    def singular(self) -> bool:
        """Whether q is infinite at distance 0."""
        return self.c == 0

    @property
    def is_power(self) -> bool:
        """Whether q(scale^2 xi) is a multiple of q(xi): size and similarity scale can be traded for each other."""
        return self.c == 0

    def _base(self, xi: np.ndarray) -> np.ndarray:
        base = xi + self.c if self.a == 1 else self.c + self.a * xi
        return base if self.c >= SMALLEST else np.maximum(base, SMALLEST)

    def log(self, xi: np.ndarray) -> np.ndarray:
        """ln q(xi)."""
        if self.a == 0:
            return -self.b * xi
        return (-self.b / self.a) * np.log(self._base(xi))

    def power(self, xi: np.ndarray, order: float) -> np.ndarray:
        """q(xi)^order."""
        if self.a == 0:
            return np.exp((-self.b * order) * xi)
        exponent = -self.b * order / self.a
        if exponent == -1:  # a third of the time of a power
            return 1.0 / self._base(xi)
        return self._base(xi) ** exponent

    def value(self, xi: np.ndarray) -> np.ndarray:
        """q(xi)."""
        return self.power(xi, 1.0)

    def decay(self, xi: np.ndarray) -> np.ndarray | float:
        """s(xi) = -d ln q / d xi = b / (c + a xi)."""
        if self.a == 0:
            return self.b
        return self.b / self._base(xi)


def heavy_tailed(tail: float) -> Kernel:
    """(1 + tail xi)^(-1/tail): Gaussian at tail = 0, Cauchy at 1, heavier above (HSSNE, Yang et al. 2009).

    >>> heavy_tailed(1.0).value(np.array([4.0]))
    array([0.2])
    """
    if isinstance(tail, bool) or not (isinstance(tail, Real) and math.isfinite(tail) and tail >= 0):
        raise InputError(f"tail must be a finite number >= 0 (0 Gaussian, 1 Cauchy), given {tail!r}")
    return Kernel(float(tail), 1.0, 1.0)


def inverse_power(r: float) -> Kernel:
    """|y_i - y_j|^(-r) = xi^(-r/2): r = 1 is LinLog's kernel, 2 QuadLog's, any r > 0 a PolyLog's (Noack 2007).

    >>> inverse_power(1).value(np.array([4.0]))
    array([0.5])
    """
    if isinstance(r, bool) or not (isinstance(r, Real) and math.isfinite(r) and r > 0):
        raise InputError(f"r, the power of the distance, must be a finite number > 0, given {r!r}")
    return Kernel(1.0, float(r) / 2, 0.0)


KERNELS: dict[str, Kernel] = {
    "cauchy": Kernel(1.0, 1.0, 1.0),
    "gaussian": Kernel(0.0, 1.0, 1.0),
    "inverse-distance": inverse_power(1),
    "inverse-square": inverse_power(2),
}
_FAMILIES: dict[str, Callable[..., Kernel]] = {
    "heavy-tailed": heavy_tailed,
    "inverse-power": inverse_power,
    "kernel": Kernel,
}


def kernel_named(kernel: str | Kernel) -> Kernel:
    """The kernel of that name; a Kernel is given back as it is.

    Families carry numbers: "heavy-tailed:2", "inverse-power:3", and "kernel:a:b:c" for (c + a xi)^(-b/a).

    >>> kernel_named("cauchy").a, kernel_named("kernel:0.5:2:0.7").b
    (1.0, 2.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str):
        raise InputError(
            f"kernel must be a name or a nelayout.kernels.Kernel(a, b, c), given {type(kernel).__name__}; all kernels "
            "are of the family (c + a xi)^(-b/a) of the squared distance xi, and another function of it cannot be had"
        )
    family, words = split(kernel)
    if not words and family in KERNELS:
        return KERNELS[family]
    if family not in _FAMILIES:
        raise unknown("kernel", kernel, [*KERNELS, "heavy-tailed:NUMBER", "inverse-power:NUMBER", "kernel:A:B:C"])
    numbers = [as_number(word) for word in words]
    wanted = number_count(_FAMILIES[family])[1]
    if len(numbers) != wanted or None in numbers:
        how = f"a number behind the colon, as in '{family}:2'" if wanted == 1 else "three numbers, as in 'kernel:1:1:1'"
        raise InputError(f"kernel {kernel!r}: write {how}")
    return _FAMILIES[family](*numbers)  # which says what numbers it takes


@dataclass(frozen=True, slots=True)
class Radial:
    """A radial function of the squared distance, made of a kernel: what N-body sums add up.

    form "power": q^order; "boxcox": (q^order - 1)/order, ln q at order 0; "power-log": q^order ln q.

    >>> Radial(KERNELS["cauchy"], 2.0).value(np.array([4.0]))
    array([0.04])
    """

    kernel: Kernel
    order: float = 1.0
    form: Literal["power", "boxcox", "power-log"] = "power"

    def value(self, xi: np.ndarray) -> np.ndarray:
        """r(xi)."""
        if self.form == "power":
            return self.kernel.power(xi, self.order)
        log_q = self.kernel.log(xi)
        return boxcox(log_q, self.order) if self.form == "boxcox" else np.exp(self.order * log_q) * log_q

    def slope(self, xi: np.ndarray) -> np.ndarray:
        """dr / d xi."""
        decay, power = self.kernel.decay(xi), self.kernel.power(xi, self.order)
        if self.form == "power":
            return -self.order * decay * power
        if self.form == "boxcox":
            return -decay * power
        return -decay * power * (1.0 + self.order * self.kernel.log(xi))

    def value_and_slope(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r(xi) and dr / d xi, in less time than one after the other."""
        if self.form == "boxcox":
            return self.value(xi), self.slope(xi)
        kernel, power = self.kernel, self.kernel.power(xi, self.order)
        if self.form == "power-log":
            log_q = kernel.log(xi)
            return power * log_q, power * (1.0 + self.order * log_q) * -kernel.decay(xi)
        if kernel.a > 0 and kernel.b * self.order == kernel.a:  # the power is 1 / (c + a xi), and so is the decay
            return power, power * power * (-self.order * kernel.b)
        return power, power * (-self.order * kernel.decay(xi))

    @property
    def at_zero(self) -> float:
        """r(0): what a node would do to itself.  Asked for kernels with c > 0 only."""
        return float(self.value(np.zeros(1))[0])

    @property
    def bounded(self) -> bool:
        """Whether r is finite at distance 0."""
        if not self.kernel.singular:
            return True
        return (self.form != "power-log" and self.order < 0) or (self.form == "power" and self.order == 0)
