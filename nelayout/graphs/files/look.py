"""Sizes, colors and names of nodes, and what weighs an edge, for the formats of viewers; others leave them out.

>>> Look(colors=["#0072b2"]).channels(0)
(0, 114, 178)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from nelayout.errors import InputError

__all__ = ["PLAIN", "Look", "text_labels"]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How a viewer shows the nodes.

    sizes   (n,) diameters in units of the positions, or None: the viewer's own
    colors  "#rrggbb" for each node, or None: the viewer's own
    names   the text beside each node, or None: the node's own
    weight  edge attribute with the weights, where the format has one number for each edge (Pajek)
    """

    sizes: np.ndarray | None = None
    colors: Sequence[str] | None = None
    names: Sequence[str] | None = None
    weight: str | None = "weight"

    def channels(self, k: int) -> tuple[int, int, int]:
        """Red, green and blue of a node, 0 to 255."""
        assert self.colors is not None
        r, g, b = (int(self.colors[k][i : i + 2], 16) for i in (1, 3, 5))
        return r, g, b

    @property
    def taken(self) -> set[str]:
        """Attributes that hold what is shown, so that those of a graph with the same names have to give way."""
        return {
            *(["size"] if self.sizes is not None else []),
            *(["color", "r", "g", "b"] if self.colors is not None else []),
            *(["label"] if self.names is not None else []),
        }


PLAIN = Look()


def text_labels(labels: Sequence[Hashable], name: str, spell: Callable[[Hashable], str] = str) -> list[str]:
    """The labels as text, for formats that know no other; `InputError` where two nodes would be called alike.

    >>> text_labels([1, "a", (2, 3)], "gexf")
    ['1', 'a', '(2, 3)']
    """
    texts = [spell(label) for label in labels]
    if len(set(texts)) < len(texts):
        seen: dict[str, Hashable] = {}
        for text, label in zip(texts, labels, strict=True):
            if text in seen:
                raise InputError(
                    f"the nodes {seen[text]!r} and {label!r} are both called {text!r} in {name}, whose names are text; "
                    "relabel one of them, or write json"
                )
            seen[text] = label
    return texts
