"""f-divergences between the input and the drawn similarities (Csiszar; for drawings: Im, Verma & Branson 2018).

    phi(p, b) = b f(p/b),      f convex, f(1) = 0,

here with f'(1) = 0 too, which changes nothing where both sides sum to one and makes phi >= 0 where they do not.
With u = p/b and H(u) = f(0) - f(u) + u f'(u) >= 0: tail b f(0), edge b (f(u) - f(0)), slope -b H(u).  So every
f with a finite f(0) costs one pass over the edges and the sum of q over all pairs.

    Jensen-Shannon     t ln t - (t + 1) ln((t + 1)/2)         f(0) = ln 2       H = ln(1 + u)
    Hellinger          (sqrt t - 1)^2                         f(0) = 1          H = sqrt u
    chi-square         (t - 1)^2                              f(0) = 1          H = u^2
    JSE of kappa       t ln(t/z)/(1-kappa) - ln(z)/kappa,     f(0) = -ln(1-kappa)/kappa
                       z = kappa t + 1 - kappa                H = ln(1 + kappa u/(1-kappa)) / kappa

The last is the type-2 mixture of Lee et al. (2013): Kullback-Leibler at kappa = 0, its reverse at kappa = 1.
Formulas are written in ln u: a pair may be drawn so far apart that b underflows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.divergences.protocol import Similarity, Tail, number_within
from nelayout.divergences.with_background import BACKGROUND, reverse_kl, with_background
from nelayout.errors import InputError

__all__ = ["FDivergence", "chi_square", "f_divergence", "hellinger", "jensen_shannon", "jse_divergence", "kl"]

# Of three arrays p, b and ln(p/b).
Scaled = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class FDivergence:
    """b f(p/b) as two functions of p, b and L = ln(p/b): ``above`` = b (f(u) - f(0)) and ``pull`` = b H(u)."""

    name: str
    at_zero: float
    above: Scaled
    pull: Scaled
    linear: bool = False
    degree: float | None = None
    background: float = 0.0

    def bound(self, eps: Any) -> FDivergence:
        return self

    @property
    def tail(self) -> tuple[Tail, ...]:
        return (Tail(self.at_zero, 1.0),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self.above(p, b.power(1.0), np.log(p) - b.log())

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -self.pull(p, b.power(1.0), np.log(p) - b.log())

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        raise AssertionError("asked for divergences with a degree only")


def kl() -> FDivergence:
    """p ln(p/b) - p + b: the I-divergence with all its constants, for mixtures.

    >>> kl().at_zero
    1.0
    """
    return FDivergence("kl", 1.0, lambda p, _, L: p * L - p, lambda p, *_: p)


def jensen_shannon() -> FDivergence:
    """Twice the Jensen-Shannon divergence: p ln p + b ln b - (p + b) ln((p + b)/2).

    >>> round(jensen_shannon().at_zero, 4)
    0.6931
    """

    def above(p: np.ndarray, b: np.ndarray, L: np.ndarray) -> np.ndarray:
        # ln((1 + u)/2) = ln u + ln(1 + 1/u) - ln 2, whichever does not overflow
        return p * (math.log(2.0) - np.logaddexp(0.0, -L)) - b * np.logaddexp(0.0, L)

    return FDivergence("js", math.log(2.0), above, lambda _, b, L: b * np.logaddexp(0.0, L))


def hellinger() -> FDivergence:
    """(sqrt p - sqrt b)^2: half of alpha at 1/2.

    >>> hellinger().name
    'hellinger'
    """
    return FDivergence("hellinger", 1.0, lambda p, b, *_: p - 2.0 * np.sqrt(p * b), lambda p, b, *_: np.sqrt(p * b))


def chi_square() -> FDivergence:
    """(p - b)^2 / b: twice alpha at 2.

    >>> chi_square().name
    'chi2'
    """
    return FDivergence("chi2", 1.0, lambda p, _, L: p * np.exp(L) - 2.0 * p, lambda p, _, L: p * np.exp(L))


def jse_divergence(kappa: float, background: float = BACKGROUND) -> Any:
    """The type-2 mixture of Lee et al. (2013): KL(p, b) at kappa = 0 over Jensen-Shannon to KL(b, p) at kappa = 1.

    ``background``: as in `reverse_kl`, for kappa = 1 only; another than the usual one is refused below.

    >>> jse_divergence(0.5).name
    'jse:0.5'
    """
    kappa = number_within(kappa, "kappa", 0.0, 1.0)
    if kappa == 0.0:
        return with_background(kl(), background)
    if kappa == 1.0:
        return reverse_kl(background)
    odds = math.log(kappa / (1.0 - kappa))

    def above(p: np.ndarray, b: np.ndarray, L: np.ndarray) -> np.ndarray:
        # ln z = ln(1-kappa) + ln(1 + kappa u/(1-kappa)); ln(u/z) = -ln kappa - ln(1 + (1-kappa)/(kappa u))
        pull = np.logaddexp(0.0, L + odds)
        ratio = -math.log(kappa) - np.logaddexp(0.0, -L - odds)
        return p * ratio / (1.0 - kappa) - b * pull / kappa

    def pull(_: np.ndarray, b: np.ndarray, L: np.ndarray) -> np.ndarray:
        return b * np.logaddexp(0.0, L + odds) / kappa

    mixed = FDivergence(f"jse:{kappa:g}", -math.log1p(-kappa) / kappa, above, pull)
    return with_background(mixed, background)


# Where a user's f is looked at, and how far its own slope may be from the numerical one.
LOOKED_AT = np.exp(np.linspace(-12.0, 12.0, 121))
SLOPE_TOL = 1e-5
STEP = 1e-3


def f_divergence(
    f: Callable[[np.ndarray], np.ndarray],
    slope: Callable[[np.ndarray], np.ndarray] | None = None,
    name: str = "f",
) -> FDivergence:
    """The divergence sum b f(p/b) of a function of one's own.

    Parameters
    ----------
    f : array of t >= 0 -> array of its shape; convex, f(1) = 0, f(0) finite, smooth (differentiable) for t > 0
    slope : f'(t); None: by five-point differences in ln t
    name : how traces and errors call it

    Raises
    ------
    ValueError
        where f is not convex, has a kink, is straight (nothing to minimize), f(1) is not 0, values are infinite or NaN,
        f or slope fail on arrays or answer anything but real numbers, or the slope is not f's

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> triangle = nl.divergences.f_divergence(lambda t: (t - 1) ** 2 / (t + 1), name="triangular")
    >>> triangle.at_zero
    1.0
    """
    if not callable(f) or not (slope is None or callable(slope)):
        raise InputError("f and slope must be functions of an array; f = lambda t: (t - 1) ** 2, for example")
    _check_values(f)
    rough = _apart(_log_slope(f), _log_slope(f, STEP / 2))
    if rough is not None:
        raise InputError(
            f"f is not smooth near t = {rough:.3g}: it must be differentiable for t > 0, and no slope= mends a kink "
            "(or values of few digits). In place of abs(t - 1), say, give sqrt((t - 1)**2 + e**2) - e with e = 0.1"
        )
    steep = _log_slope(f) if slope is None else _in_log(slope)
    wrong = _apart(_log_slope(f), steep)
    if wrong is not None:
        raise InputError(f"the slope of f at t = {wrong:.3g} is not that of its values: slope must be f'(t)")
    zero, one = float(_values(f, np.zeros(1))[0]), float(steep(np.ones(1))[0])

    def value(t: np.ndarray) -> np.ndarray:  # with f(1) = f'(1) = 0
        return _values(f, t) - one * (t - 1.0)

    def above(p: np.ndarray, b: np.ndarray, L: np.ndarray) -> np.ndarray:
        return b * (value(np.exp(L)) - (zero + one))

    def pull(p: np.ndarray, b: np.ndarray, L: np.ndarray) -> np.ndarray:
        u = np.exp(L)
        return b * (zero - _values(f, u) + steep(u))

    return FDivergence(str(name), zero + one, above, pull)


def _values(f: Callable[[np.ndarray], np.ndarray], t: np.ndarray, what: str = "f") -> np.ndarray:
    """f of t, as floats; it may write into what it is given, which is a copy."""
    call = f"{what} is called with a float array and must give back an array of its shape, of real numbers: "
    try:
        given = f(t.copy())
        values = np.asarray(given)
    except Exception as error:
        raise InputError(f"{call}it raised {error!r}. Write it with numpy: np.log in place of math.log") from error
    if values.shape != t.shape or values.dtype.kind not in "fiu":
        what = f"{type(given).__name__} of shape {values.shape}, dtype {values.dtype}"
        raise InputError(f"{call}given shape {t.shape}, it answered a {what}")
    return values.astype(float, copy=False)


def _in_log(slope: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """df / d ln t of f'(t)."""
    return lambda t: t * _values(slope, t, "slope")


def _apart(one: Callable[[np.ndarray], np.ndarray], other: Callable[[np.ndarray], np.ndarray]) -> float | None:
    """Where two slopes in ln t are furthest apart, None where they agree."""
    expected = one(LOOKED_AT)
    error = np.abs(other(LOOKED_AT) - expected) / (1.0 + np.abs(expected))
    if np.all(error < SLOPE_TOL):
        return None
    return float(LOOKED_AT[int(np.argmax(np.where(np.isnan(error), np.inf, error)))])


def _log_slope(f: Callable[[np.ndarray], np.ndarray], h: float = STEP) -> Callable[[np.ndarray], np.ndarray]:
    """df / d ln t by five-point differences."""

    def slope(t: np.ndarray) -> np.ndarray:
        near = _values(f, t * math.exp(h)) - _values(f, t * math.exp(-h))
        far = _values(f, t * math.exp(2 * h)) - _values(f, t * math.exp(-2 * h))
        return (8.0 * near - far) / (12.0 * h)

    return slope


def _check_values(f: Callable[[np.ndarray], np.ndarray]) -> None:
    """InputError unless f is finite and convex from 0 on, 0 at 1, and not straight."""
    t = np.concatenate([[0.0], LOOKED_AT])
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
        raise InputError(f"f(1) must be 0, given {at_one:.6g}: subtract it")
    rates = np.diff(values) / np.diff(t)
    if np.ptp(rates) <= 1e-9 * np.abs(rates).max():
        what = "0 everywhere" if not values.any() else "a straight line, which sums to 0 over all pairs"
        raise InputError(f"f is {what}: there is nothing to minimize. It must be curved, as (t - 1) ** 2 is")
    bent = np.diff(rates) < -1e-9 * (1.0 + np.abs(rates[1:]))
    if bent.any():
        raise InputError(f"f must be convex; its slope falls near t = {float(t[1 + int(np.argmax(bent))]):.3g}")
