"""The keywords of single methods: hssne's tail, ee's repulsion, nerv's kappa.

Layout functions and `nelayout.embed` (by ``method_options``) both come here, so both know the same keywords.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nelayout.catalogue import METHODS
from nelayout.method import Method
from nelayout.own_parts import own_parts

__all__ = ["own_keywords", "tuned"]


def own_keywords(method: str) -> dict[str, Any]:
    """The keywords that a method has beside those of all, and their defaults: they stand in its record in `METHODS`.

    >>> own_keywords("hssne"), list(own_keywords("nerv"))
    ({'tail': 2.0}, ['kappa', 'background'])
    """
    return dict(METHODS[method].own) if method in METHODS else {}


def tuned(method: str | Method, **own: Any) -> Method:
    """A method of the catalogue with other values of its own keywords.

    >>> tuned("hssne", tail=3.0).kernel.name
    'heavy-tailed:3'
    """
    method = METHODS[method] if isinstance(method, str) else method
    if not own:
        return method
    parts = own_parts(method.name, **{**dict(method.own), **own})
    if "kernel" in parts or "divergence" in parts:  # other parts may need another schedule
        parts["stages"] = ()
    return replace(method, **parts)
