"""`AlphaSearch`: which orders of an alpha divergence to try."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nelayout.errors import InputError
from nelayout.formula.alpha.choice import GRID, order_number
from nelayout.formula.part_names import split

__all__ = ["AlphaSearch", "alpha_search", "auto_alpha"]

# Approximate number of drawings in the search between orders of the grid.
REFINEMENTS = 7


@dataclass(frozen=True, slots=True)
class AlphaSearch:
    """How to choose the order of an alpha divergence.

    grid    orders to try, decreasing
    refine  whether to search between the orders of the grid
    """

    grid: tuple[float, ...] = GRID
    refine: bool = True

    @property
    def first(self) -> float:
        """First order of the search: the largest of the grid up to 1, else its smallest."""
        return max((order for order in self.grid if order <= 1.0), default=min(self.grid))

    @property
    def drawings(self) -> int:
        """Approximate number of drawings in the search."""
        return len(self.grid) + (REFINEMENTS if self.refine and len(self.grid) > 1 else 0)


def alpha_search(divergence: Any) -> AlphaSearch | None:
    """Return an AlphaSearch in the role of a divergence ("alpha:auto": the default), or None.

    >>> alpha_search("alpha:auto") == AlphaSearch(), alpha_search("alpha:0.5")
    (True, None)
    """
    if isinstance(divergence, str) and split(divergence) == ("alpha", ["auto"]):
        return AlphaSearch()
    return divergence if isinstance(divergence, AlphaSearch) else None


def auto_alpha(*, grid: Iterable[float] = GRID, refine: bool = True) -> AlphaSearch:
    """Return a search for the best-fitting alpha divergence (Amid, Dikmen & Oja 2015, sec. 3).

    Give it to `nelayout.Method` instead of a divergence. The name "alpha:auto" has the defaults.

    Parameters
    ----------
    grid : default 1, 0.9, ..., 0.1
        orders to try, > 0 (for other orders, pairs without an edge need a background, which cannot be fitted)
    refine : default True
        whether to search between the orders of the grid

    Examples
    --------
    >>> auto_alpha(grid=[1.0, 0.5]).grid
    (1.0, 0.5)
    """
    if not isinstance(refine, bool):
        raise InputError(f"refine must be True or False; got {refine!r}")
    try:
        orders = tuple(sorted({order_number(order) for order in grid}, reverse=True))
    except TypeError:
        raise InputError(f"grid must be a list of orders > 0; got {grid!r}") from None
    if not orders or orders[-1] <= 0:
        raise InputError(f"grid must hold at least one order, all > 0; got {orders}")
    return AlphaSearch(orders, refine)
