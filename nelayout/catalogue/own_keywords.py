"""The parts that a method's own keywords make: tail a kernel, kappa a divergence.

The keywords and their defaults stand in the record of the method (`table`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.formula.alpha_choice import auto_alpha
from nelayout.formula.connections import Fixed
from nelayout.formula.divergences import alpha as alpha_divergence
from nelayout.formula.divergences import (
    divergence_named,
    force_atlas,
    force_atlas_linlog,
    jse_divergence,
    nerv_divergence,
    t_forces,
)
from nelayout.formula.divergences.alpha import with_background
from nelayout.formula.kernels import heavy_tailed, inverse_power
from nelayout.formula.part_names import number_within
from nelayout.formula.potentials.gravity import Gravity

__all__ = ["own_parts"]


def _alpha_sne(alpha: Any, background: float) -> dict[str, Any]:
    if isinstance(alpha, str) and alpha == "auto":
        search = auto_alpha()
        with_background(alpha_divergence(search.first), background)  # refused if it has no effect
        return {"divergence": search}
    alpha = number_within(alpha, "alpha, unless it is 'auto',")
    return {"divergence": alpha_divergence(alpha, background), "choose": None}


def _forceatlas2(scaling_ratio: float, gravity: float, strong_gravity: bool, linlog: bool) -> dict[str, Any]:
    if not isinstance(linlog, (bool, np.bool_)):
        raise InputError(f"linlog must be True or False; got {linlog!r}")
    energy = force_atlas_linlog if linlog else force_atlas
    return {"divergence": energy(scaling_ratio), "gravity": Gravity(gravity, strong_gravity)}


def _tsnet(compression: Any) -> dict[str, Any]:
    strength = number_within(compression, "compression", 0.0)
    return {"gravity": Gravity(strength, strong=True, shared=True) if strength else None}


_MAKERS: dict[str, Callable[..., dict[str, Any]]] = {
    "ws-sne": lambda kernel: {"kernel": kernel},
    "polylog": lambda r: {"kernel": inverse_power(r)},
    "ee": lambda repulsion: {"connection": Fixed(repulsion)},
    "hssne": lambda tail: {"kernel": heavy_tailed(tail)},
    "nerv": lambda kappa, background: {"divergence": nerv_divergence(kappa, background)},
    "jse": lambda kappa, background: {"divergence": jse_divergence(kappa, background)},
    "alpha-sne": _alpha_sne,
    "ftsne": lambda divergence, variational, background: {
        "divergence": with_background(divergence_named(divergence), background), "variational": variational
    },
    "forceatlas2": _forceatlas2,
    "tfdp": lambda repulsion, attraction, exponent: {"divergence": t_forces(repulsion, attraction, exponent)},
    "tsnet": _tsnet,
}


def own_parts(method: str, **own: Any) -> dict[str, Any]:
    """Return fields of a `Method`: the parts that its own keywords make, and the keywords.

    >>> parts = own_parts("ee", repulsion=0.5)
    >>> parts["connection"] == Fixed(0.5), parts["own"]
    (True, (('repulsion', 0.5),))
    """
    return {**_MAKERS[method](**own), "own": tuple(own.items())}
