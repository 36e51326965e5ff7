"""f-divergences of input and drawn similarities (Csiszar; Im, Verma & Branson 2018).

    phi(p, b) = b f(p/b),      f convex, f(1) = f'(1) = 0

If both sides sum to one, f'(1) = 0 changes nothing; otherwise it makes phi >= 0. Let u = p/b and H(u) = f(0) - f(u) + u
f'(u) >= 0. Pairs are b f(0), an edge is b (f(u) - f(0)), and its slope is -b H(u). So every f with a finite f(0) takes
one pass over the edges and the sum of q over all pairs. Formulas are in ln u, because b may underflow for pairs at a
large distance.

    Kullback-Leibler   t ln t - t + 1                     f(0) = 1      H = u
    Jensen-Shannon     t ln t - (t + 1) ln((t + 1)/2)     f(0) = ln 2   H = ln(1 + u)
    Hellinger          (sqrt t - 1)^2                     f(0) = 1      H = sqrt u
    chi-square         (t - 1)^2                          f(0) = 1      H = u^2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nelayout.core.formula.divergences.alpha import BACKGROUND, reverse_kl, with_background
from nelayout.core.formula.divergences.beta import Beta, kl_divergence
from nelayout.core.formula.divergences.protocol import Divergence, PairTerm, Powers, Similarity
from nelayout.core.formula.part_names import number_within, spell
from nelayout.errors import InputError

__all__ = [
    "WITH_CONJUGATE", "FDivergence", "OwnFunction", "Type2Mixture", "chi_square", "conjugate_name", "f_divergence",
    "hellinger", "jensen_shannon", "jse_divergence",
]  # fmt: skip

# : names of divergences with a known Fenchel conjugate, for the variational form of ft-SNE
WITH_CONJUGATE = ("kl", "reverse-kl", "js", "hellinger", "chi2")

Function = Callable[[np.ndarray], np.ndarray]

# Arguments t of the checks, tolerance of slopes in ln t (relative to 1 + their size), and step in ln t.
CHECKED_AT = np.exp(np.linspace(-12.0, 12.0, 121))
SLOPE_TOL = 1e-5
STEP = 1e-3


class FDivergence(Divergence):
    """Base of b f(p/b) with a finite f(0), called ``at_zero``.

    ``halves(p, b, ln u)`` returns b (f(u) - f(0)) and b H(u).
    """

    __slots__ = ()
    at_zero: Any
    halves: Any

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(self.at_zero, 1.0),)

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        edge, pull = self.halves(p, b.power(1.0), np.log(p) - b.log())
        return edge, -pull


@dataclass(frozen=True, slots=True)
class Type2Mixture(FDivergence):
    """Type-2 mixture of Lee et al. (2013, equation 12), 0 < kappa < 1, ``times`` a factor.

        phi(p, b) = p ln(p/z) / (1 - kappa) + b ln(b/z) / kappa,      z = kappa p + (1 - kappa) b,

    with f(0) = -ln(1 - kappa) / kappa and H = ln(1 + kappa u / (1 - kappa)) / kappa.  ``said``: another name ("js").
    """

    kappa: float
    times: float = 1.0
    said: str = field(default="", compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.said or spell("jse", self.kappa)

    @property
    def at_zero(self) -> float:
        return -math.log1p(-self.kappa) / (self.kappa / self.times)

    def halves(self, p: np.ndarray, b: np.ndarray, log_u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # ln z = ln(1-kappa) + ln(1 + kappa u/(1-kappa)); ln(u/z) = -ln kappa - ln(1 + (1-kappa)/(kappa u))
        kappa = self.kappa
        up, down = _softplus_both_ways(log_u + math.log(kappa / (1.0 - kappa)))
        pull = b * up * (self.times / kappa)
        return p * ((-math.log(kappa) - down) / ((1.0 - kappa) / self.times)) - pull, pull


def _softplus_both_ways(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ln(1 + e^x) and ln(1 + e^-x), each with full precision.

    >>> [part.round(6).tolist() for part in _softplus_both_ways(np.array([0.0, 800.0, -800.0]))]
    [[0.693147, 800.0, 0.0], [0.693147, 0.0, 800.0]]
    """
    rest = np.log1p(np.exp(-np.abs(x)))
    return np.maximum(x, 0.0) + rest, np.maximum(-x, 0.0) + rest


@dataclass(frozen=True)
class Hellinger(Divergence):
    """(sqrt p - sqrt b)^2."""

    name = "hellinger"
    pairs = (PairTerm(1.0, 1.0),)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(0.5, -2.0 * np.sqrt(p), p)


@dataclass(frozen=True)
class ChiSquare(Divergence):
    """(p - b)^2 / b."""

    name = "chi2"
    pairs = (PairTerm(1.0, 1.0),)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(-1.0, p * p, -2.0 * p)


def jensen_shannon() -> Type2Mixture:
    """Return twice the Jensen-Shannon divergence: p ln p + b ln b - (p + b) ln((p + b)/2).

    >>> round(jensen_shannon().pairs[0].coefficient, 4)
    0.6931
    """
    return Type2Mixture(0.5, 0.5, "js")


def hellinger() -> Hellinger:
    """Return (sqrt p - sqrt b)^2: half of alpha at 1/2."""
    return Hellinger()


def chi_square() -> ChiSquare:
    """Return (p - b)^2 / b: twice alpha at 2."""
    return ChiSquare()


def jse_divergence(kappa: float, background: float = BACKGROUND) -> Any:
    """Return the type-2 mixture: KL(p, b) at kappa 0, 4 Jensen-Shannon at 1/2, KL(b, p) at 1.

    ``background``: as in `reverse_kl`, for kappa = 1 only.

    >>> jse_divergence(0.5).name
    'jse:0.5'
    """
    kappa = number_within(kappa, "kappa", 0.0, 1.0)
    if kappa == 1.0:
        return reverse_kl(background)
    return with_background(Type2Mixture(kappa) if kappa else kl_divergence(), background)


def conjugate_name(divergence: Any) -> str | None:
    """Return the name in `WITH_CONJUGATE` ("kl" also for the I-divergence), or None.

    >>> conjugate_name(jensen_shannon()), conjugate_name(Beta(0.5))
    ('js', None)
    """
    name = "kl" if divergence == Beta(1.0) else divergence.name.partition(":")[0]
    return name if name in WITH_CONJUGATE and not isinstance(divergence, OwnFunction) else None


@dataclass(frozen=True, slots=True)
class OwnFunction(FDivergence):
    """b f(p/b) of a user's f, made by `f_divergence`.

    ``zero`` = f(0), ``one`` = f'(1).  f and f(t) - f'(1) (t - 1) have the same divergence.
    """

    f: Function
    own_slope: Function | None
    name: str
    zero: float
    one: float

    @property
    def at_zero(self) -> float:
        return self.zero + self.one

    def halves(self, p: np.ndarray, b: np.ndarray, log_u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u = np.exp(log_u)
        f = _values(self.f, u)
        pull = b * (self.zero - f + _steepness(self.f, self.own_slope)(u))
        return b * (f - self.one * (u - 1.0) - self.at_zero), pull


def f_divergence(f: Function, slope: Function | None = None, name: str = "f") -> OwnFunction:
    """Return the divergence sum b f(p/b) of a function; the same function gives an equal one.

    Parameters
    ----------
    f : array of t >= 0 -> array of its shape; convex, f(1) = 0, f(0) finite, smooth (differentiable) for t > 0
    slope : f'(t); None: by five-point differences in ln t
    name : its name in traces and errors

    Raises
    ------
    ValueError
        if f is not finite, smooth, convex, curved and 0 at t = 1, or slope is not its derivative

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> triangle = nl.divergences.f_divergence(lambda t: (t - 1) ** 2 / (t + 1), name="triangular")
    >>> triangle.pairs[0].coefficient
    1.0
    """
    if not callable(f) or not (slope is None or callable(slope)):
        raise InputError("f and slope must be functions of an array; f = lambda t: (t - 1) ** 2, for example")
    _check_values(f)
    if (rough := _apart(_log_slope(f), _log_slope(f, STEP / 2))) is not None:
        raise InputError(
            f"f is not smooth near t = {rough:.3g}: it must be differentiable for t > 0, and slope= repairs no kink "
            "(or values of few digits). Instead of abs(t - 1) give sqrt((t - 1)**2 + e**2) - e with e = 0.1"
        )
    steep = _steepness(f, slope)
    if (wrong := _apart(_log_slope(f), steep)) is not None:
        raise InputError(f"the slope of f at t = {wrong:.3g} does not fit the values of f: slope must be f'(t)")
    zero, one = float(_values(f, np.zeros(1))[0]), float(steep(np.ones(1))[0])
    return OwnFunction(f, slope, str(name), zero, one)


def _values(f: Function, t: np.ndarray, what: str = "f") -> np.ndarray:
    """Return f(t) as floats."""
    call = f"{what} is called with a float array and must give back an array of its shape, of real numbers: "
    try:
        given = f(t.copy())
        values = np.asarray(given)
    except Exception as error:
        raise InputError(f"{call}it raised {error!r}. Write it with numpy: np.log, not math.log") from error
    if values.shape != t.shape or values.dtype.kind not in "fiu":
        what = f"{type(given).__name__} of shape {values.shape}, dtype {values.dtype}"
        raise InputError(f"{call}given shape {t.shape}, it answered a {what}")
    return values.astype(float, copy=False)


def _steepness(f: Function, slope: Function | None) -> Function:
    """Return df / d ln t, from the slope if it is given."""
    return _log_slope(f) if slope is None else lambda t: t * _values(slope, t, "slope")


def _apart(one: Function, other: Function) -> float | None:
    """Return the t of the largest difference of two slopes in ln t, or None if they agree."""
    expected = one(CHECKED_AT)
    error = np.abs(other(CHECKED_AT) - expected) / (1.0 + np.abs(expected))
    if np.all(error < SLOPE_TOL):
        return None
    return float(CHECKED_AT[int(np.argmax(np.where(np.isnan(error), np.inf, error)))])


def _log_slope(f: Function, h: float = STEP) -> Function:
    """Return df / d ln t by five-point differences."""

    def slope(t: np.ndarray) -> np.ndarray:
        near = _values(f, t * math.exp(h)) - _values(f, t * math.exp(-h))
        far = _values(f, t * math.exp(2 * h)) - _values(f, t * math.exp(-2 * h))
        return (8.0 * near - far) / (12.0 * h)

    return slope


def _check_values(f: Function) -> None:
    """Raise InputError unless f is finite and convex from 0 on, 0 at 1, and not straight."""
    t = np.concatenate([[0.0], CHECKED_AT])
    with np.errstate(all="ignore"):
        values = _values(f, t)
    missing = ~np.isfinite(values)
    if missing.any():
        at = int(np.argmax(missing))
        value, at_zero_only = values[at], not missing[1:].any()
        if at_zero_only and value == np.inf:
            advice = (
                "pairs without an edge would cost infinitely much. Of such divergences 'reverse-kl' and alpha of order "
                "<= 0 can be had, with a background"
            )
        elif at_zero_only and np.isnan(value):
            advice = "f must give its limit at 0, as scipy.special.xlogy(t, t) does where t * np.log(t) is NaN"
        else:
            advice = f"so at {missing.sum()} of {t.size} t looked at, up to {t[-1]:.3g}: f must be finite at all t >= 0"
        raise InputError(f"f is {'NaN' if np.isnan(value) else value} at t = {t[at]:.3g}, not finite; {advice}")
    at_one = float(_values(f, np.ones(1))[0])
    if abs(at_one) > 1e-9:
        raise InputError(f"f(1) must be 0; got {at_one:.6g}. Subtract it")
    rates = np.diff(values) / np.diff(t)
    if np.ptp(rates) <= 1e-9 * np.abs(rates).max():
        what = "0 everywhere" if not values.any() else "a straight line, which sums to 0 over all pairs"
        raise InputError(f"f is {what}: there is nothing to minimize. It must be curved, as (t - 1) ** 2 is")
    bent = np.diff(rates) < -1e-9 * (1.0 + np.abs(rates[1:]))
    if bent.any():
        raise InputError(f"f must be convex; its slope falls near t = {float(t[1 + int(np.argmax(bent))]):.3g}")
