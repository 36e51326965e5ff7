"""What a method of the catalogue takes of its own: hssne's tail, ee's repulsion, nerv's kappa, and what they change.

Layout functions and `nelayout.embed` (by ``method_options``) both come here, so both know the same keywords.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from nelayout import divergences
from nelayout.catalogue import METHODS, Method
from nelayout.connections import Fixed
from nelayout.divergences import (
    BACKGROUND,
    Divergence,
    divergence_named,
    f_divergence,
    jse_divergence,
    nerv_divergence,
)
from nelayout.divergences.with_background import with_background
from nelayout.errors import InputError
from nelayout.kernels import heavy_tailed, inverse_power

__all__ = ["own_keywords", "tuned"]


def _ws_sne(kernel: Any = "cauchy") -> dict[str, Any]:
    return {"kernel": kernel}


def _polylog(r: float = 3.0) -> dict[str, Any]:
    return {"kernel": inverse_power(r)}


def _ee(repulsion: float = 1.0) -> dict[str, Any]:
    return {"connection": Fixed(repulsion)}


def _hssne(tail: float = 2.0) -> dict[str, Any]:
    return {"kernel": heavy_tailed(tail)}


def _nerv(kappa: float = 0.5, background: float = BACKGROUND) -> dict[str, Any]:
    return {"divergence": nerv_divergence(kappa, background)}


def _jse(kappa: float = 0.5, background: float = BACKGROUND) -> dict[str, Any]:
    return {"divergence": jse_divergence(kappa, background)}


def _alpha_sne(alpha: float | Literal["auto"] = 0.5, background: float = BACKGROUND) -> dict[str, Any]:
    if isinstance(alpha, str) and alpha == "auto":
        return {"divergence": with_background(divergences.auto_alpha(), background)}
    if isinstance(alpha, bool) or not (isinstance(alpha, Real) and math.isfinite(alpha)):
        raise InputError(f"alpha must be a finite number, or 'auto' to choose it from the data; given {alpha!r}")
    return {"divergence": divergences.alpha(float(alpha), background)}


def _ftsne(divergence: Any = "kl", variational: bool = False, background: float = BACKGROUND) -> dict[str, Any]:
    if not isinstance(variational, (bool, np.bool_)):
        raise InputError(f"variational must be True or False, given {variational!r}")
    if callable(divergence) and not isinstance(divergence, (type, Divergence)):
        f: Callable[..., Any] = divergence
        divergence = f_divergence(f)
    made = with_background(divergence_named(divergence), background)
    return {"divergence": made, "variational": bool(variational)}


_OWN: dict[str, Callable[..., dict[str, Any]]] = {
    "ws-sne": _ws_sne,
    "polylog": _polylog,
    "ee": _ee,
    "hssne": _hssne,
    "nerv": _nerv,
    "jse": _jse,
    "alpha-sne": _alpha_sne,
    "ftsne": _ftsne,
}


def own_keywords(method: str) -> dict[str, Any]:
    """The keywords that a method has beside those of all, and their defaults.

    >>> own_keywords("hssne"), list(own_keywords("nerv"))
    ({'tail': 2.0}, ['kappa', 'background'])
    """
    parameters = inspect.signature(_OWN[method]).parameters if method in _OWN else {}
    return {name: parameter.default for name, parameter in parameters.items()}


def tuned(method: str | Method, **own: Any) -> Method:
    """A method of the catalogue with keywords of its own.

    >>> tuned("hssne", tail=3.0).kernel.name
    'heavy-tailed:3'
    """
    method = METHODS[method] if isinstance(method, str) else method
    if not own:
        return method
    parts = _OWN[method.name](**own)
    if "kernel" in parts or "divergence" in parts:  # other parts may need another schedule
        parts["stages"] = ()
    return replace(method, **parts)
