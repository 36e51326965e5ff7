"""Embedding kernels: how similar two nodes are, as a function of their squared distance.

All kernels are members of one family (Yang, Peltonen & Kaski 2015, sec. 3)::

    q(xi) = (c + a xi)^(-b / a),        xi = |y_i - y_j|^2,

so a kernel has three numbers. At distance 2 (xi = 4) the Cauchy kernel (a = b = c = 1) is 1 / (1 + 4) = 0.2. The
Gaussian (the limit a -> 0) is exp(-4) = 0.018. If c = 0, the kernel is a power of the distance, infinite at 0:
``inverse_distance`` belongs to LinLog, ``inverse_square`` to QuadLog.

Gradients need ``s = -d ln q / d xi = b / (c + a xi)``. N-body sums need *radial functions*, see :class:`Radial`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nelayout.core.formula.part_names import as_number, number_within, spell, split
from nelayout.errors import InputError, unknown

__all__ = [
    "HALF_POWERS", "KERNELS", "Kernel", "Kind", "Radial", "boxcox", "heavy_tailed", "inverse_power", "kernel_named",
]


def __dir__() -> list[str]:
    return sorted(__all__)


#: How a radial function is computed: see `Radial.kind`.
Kind = Literal["inverse", "half power", "gaussian", "logarithm", "inverse and logarithm", "general"]
# Smallest c + a xi: kernels with c = 0 stay finite if two nodes coincide.
SMALLEST = 1e-140


def boxcox(x: np.ndarray, order: float) -> np.ndarray:
    """Return (exp(order x) - 1) / order, the Box-Cox form of exp(x); x at order 0."""
    return x if order == 0 else np.expm1(order * x) / order


@dataclass(frozen=True, slots=True)
class Kernel:
    """q(xi) = (c + a xi)^(-b/a) of a squared distance xi; exp(-b xi) if a = 0, where c = 1.

    >>> KERNELS["cauchy"].value(np.array([0.0, 4.0]))
    array([1. , 0.2])
    """

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        if not (self.a >= 0 and self.b > 0 and self.c >= 0 and all(map(math.isfinite, (self.a, self.b, self.c)))):
            raise InputError(
                "a and c of the kernel (c + a xi)^(-b/a) must be finite and >= 0, b finite and > 0; "
                f"got a={self.a}, b={self.b}, c={self.c}"
            )
        if self.a == 0 and self.c != 1:
            raise InputError(f"the Gaussian kernel (a = 0) needs c = 1; got c={self.c}")

    @property
    def name(self) -> str:
        """Name for `kernel_named`."""
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
        """True if q is a power of the distance, infinite at 0: size and scale factor trade off."""
        return self.c == 0

    def base(self, xi: np.ndarray) -> np.ndarray:
        """c + a xi; xi itself for the Gaussian kernel, which does not need it."""
        if self.a == 0:
            return xi
        base = xi if self.a == 1 else self.a * xi
        return base + self.c if self.c >= SMALLEST else np.maximum(base, SMALLEST)

    def log(self, xi: np.ndarray, base: Any = None) -> np.ndarray:
        """ln q(xi); ``base``: c + a xi, if known."""
        if self.a == 0:
            return -self.b * xi
        return (-self.b / self.a) * np.log(self.base(xi) if base is None else base)

    def power(self, xi: np.ndarray, order: float, base: Any = None) -> np.ndarray:
        """q(xi)^order; ``base``: c + a xi, if known."""
        if self.a == 0:
            return np.exp((-self.b * order) * xi)
        return _reciprocal_power(self.base(xi) if base is None else base, self.b * order / self.a)

    def value(self, xi: np.ndarray) -> np.ndarray:
        """q(xi)."""
        return self.power(xi, 1.0)

    def decay(self, xi: np.ndarray, base: Any = None) -> np.ndarray | float:
        """s(xi) = -d ln q / d xi = b / (c + a xi); ``base``: c + a xi, if known."""
        return self.b if self.a == 0 else self.b / (self.base(xi) if base is None else base)


def _reciprocal_power(base: np.ndarray, exponent: float) -> np.ndarray:
    """base^-exponent, by a root and products for the usual exponents: faster than a power."""
    if exponent not in (1.0, 1.5, 2.0, 3.0):
        return base**-exponent
    product = base * base if exponent >= 2.0 else base
    if exponent not in (1.0, 2.0):
        product = product * (base if exponent == 3.0 else np.sqrt(base))
    return 1.0 / product


def heavy_tailed(tail: float) -> Kernel:
    """Return (1 + tail xi)^(-1/tail): Gaussian at 0, Cauchy at 1 (HSSNE, Yang et al. 2009).

    >>> heavy_tailed(1.0).value(np.array([4.0]))
    array([0.2])
    """
    return Kernel(number_within(tail, "tail", 0.0), 1.0, 1.0)


def inverse_power(r: float) -> Kernel:
    """Return xi^(-r/2), a power of the distance: r = 1 LinLog, 2 QuadLog (Noack 2007).

    >>> inverse_power(1).value(np.array([4.0]))
    array([0.5])
    """
    return Kernel(1.0, number_within(r, "r, the power of the distance,", 0.0, open_ends=True) / 2, 0.0)


KERNELS: dict[str, Kernel] = {
    "cauchy": Kernel(1.0, 1.0, 1.0),
    "gaussian": Kernel(0.0, 1.0, 1.0),
    "inverse-distance": inverse_power(1),
    "inverse-square": inverse_power(2),
}
# Name -> maker, and its numbers in errors.
_FAMILIES: dict[str, tuple[Callable[..., Kernel], str]] = {
    "heavy-tailed": (heavy_tailed, "NUMBER"), "inverse-power": (inverse_power, "NUMBER"), "kernel": (Kernel, "A:B:C"),
}


def kernel_named(kernel: str | Kernel) -> Kernel:
    """Return the kernel of a name, or the Kernel itself.

    Families carry numbers: "heavy-tailed:2", "inverse-power:3", "kernel:a:b:c".

    >>> kernel_named("cauchy").a, kernel_named("kernel:0.5:2:0.7").b
    (1.0, 2.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str):
        raise InputError(
            f"kernel must be a name or a nelayout.kernels.Kernel(a, b, c); got {type(kernel).__name__}. "
            "Choose one of the family (c + a xi)^(-b/a) of the squared distance xi"
        )
    family, words = split(kernel)
    if not words and family in KERNELS:
        return KERNELS[family]
    if family not in _FAMILIES:
        raise unknown("kernel", kernel, [*KERNELS, *(f"{name}:{form}" for name, (_, form) in _FAMILIES.items())])
    make, form = _FAMILIES[family]
    numbers = [as_number(word) for word in words]
    if len(numbers) != len(form.split(":")) or None in numbers:
        three = make is Kernel
        how = "three numbers, as in 'kernel:1:1:1'" if three else f"a number after the colon, as in '{family}:2'"
        raise InputError(f"kernel {kernel!r}: write {how}")
    return make(*numbers)


# Exponents of powers from roots and products only; the compiled loops have a form for each.
HALF_POWERS = 1.0, 2.5, 3.0, 4.0, 6.0


@dataclass(frozen=True, slots=True)
class Radial:
    """A radial function of the squared distance, made of a kernel: a summand of N-body sums.

    form "power": q^order; "boxcox": (q^order - 1)/order, ln q at order 0; "power-log": q^order ln q.

    >>> Radial(KERNELS["cauchy"], 2.0).value(np.array([4.0]))
    array([0.04])
    """

    kernel: Kernel
    order: float = 1.0
    form: Literal["power", "boxcox", "power-log"] = "power"

    def __hash__(self) -> int:  # sums are looked up by it at every step
        return hash(self.order)

    @property
    def kind(self) -> Kind:
        """Cheapest closed form."""
        kernel = self.kernel
        if kernel.a == 0:
            return "gaussian"
        if self.form == "boxcox":
            return "general" if self.order else "logarithm"
        halves = 2.0 * kernel.b * self.order / kernel.a
        if self.form == "power-log":
            return "inverse and logarithm" if halves == 2 else "general"
        return "inverse" if halves == 2 else "half power" if halves in HALF_POWERS else "general"

    @property
    def code(self) -> tuple[tuple[Kind, str], float, float, float, float]:
        """Key (kind, form) of the compiled loops, and their parameters a, b, c and order."""
        kernel, form = self.kernel, "log" if self.form == "boxcox" and self.order == 0 else self.form
        return (self.kind, form), kernel.a, kernel.b, kernel.c, self.order

    def value(self, xi: np.ndarray) -> np.ndarray:
        """r(xi)."""
        if self.form == "power":
            return self.kernel.power(xi, self.order)
        log_q = self.kernel.log(xi)
        return boxcox(log_q, self.order) if self.form == "boxcox" else np.exp(self.order * log_q) * log_q

    def value_and_slope(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r(xi) and dr / d xi."""
        kernel, order = self.kernel, self.order
        base = kernel.base(xi)
        if self.kind == "inverse":  # the power is 1 / (c + a xi), and so is the decay
            power = kernel.power(xi, order, base)
            return power, power * power * (-order * kernel.b)
        steep: Any = -kernel.b / base if kernel.a else -kernel.b
        if self.form == "boxcox" and order == 0 and kernel.a:  # the power is 1
            return kernel.log(xi, base), steep
        power = kernel.power(xi, order, base)
        if self.form == "boxcox":
            return boxcox(kernel.log(xi, base), order), steep * power
        if self.form == "power-log":
            log_q = kernel.log(xi, base)
            return power * log_q, power * (1.0 + order * log_q) * steep
        slope = steep * power
        if order != 1.0:
            slope *= order
        return power, slope

    def slope(self, xi: np.ndarray) -> np.ndarray:
        """dr / d xi."""
        return self.value_and_slope(xi)[1]

    @property
    def at_zero(self) -> float:
        """r(0), for kernels with c > 0: a node's term with itself."""
        return float(self.value(np.zeros(1))[0])
