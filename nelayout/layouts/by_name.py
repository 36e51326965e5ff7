"""Layout by any method: by its name, by a record of its parts, or by "auto"."""

from __future__ import annotations

from typing import Any, Unpack

from nelayout.catalogue.record import Method
from nelayout.run.keywords import takes_layout_keywords
from nelayout.run.options import MethodOptions
from nelayout.run.pipeline import solve

__all__ = ["layout"]


@takes_layout_keywords
def layout(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[MethodOptions]
) -> Any:
    """Draw a graph by any method.

    Parameters
    ----------
    method : default "auto"
        a name ("ws-sne", "gamma-quadlog", ...; ``nelayout.methods()`` lists them; "nerv:0.3" carries a number), a
        ``nelayout.Method``, or "auto": the best drawing with no parameter set

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> pos = nl.layout(nx.petersen_graph(), "gamma-quadlog", seed=0)
    >>> len(pos), pos[0].shape
    (10, (2,))
    """
    return solve(G, method, pos, fixed, **options).positions
