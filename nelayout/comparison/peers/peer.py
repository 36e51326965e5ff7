"""`Peer`: a layout of another package or program, called by name where that is installed."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Draw", "Peer", "Prepare"]

# Draws once: (n, 2) positions in node order.
Draw = Callable[[], np.ndarray]
# (adjacency or vectors, seed, threads or None for the peer's own number) -> what draws.  Imports and the making of the
# other package's own graph are done before, so that only the drawing is timed.
Prepare = Callable[[Any, int, int | None], Draw]


@dataclass(frozen=True, slots=True)
class Peer:
    """One layout of somebody else, with its own defaults.

    name      as it is called: "nx:spring", "graphviz:sfdp", "opentsne"
    prepare   makes it ready to draw
    package   the package to import, None for none
    install   the name by which that package is installed
    program   the program to run, None for none
    seeded    whether another seed may give another drawing
    weighted  whether it takes weights for similarities; one that takes them for distances, or not at all, gets none
    """

    name: str
    prepare: Prepare
    package: str | None = None
    install: str = ""
    program: str | None = None
    seeded: bool = True
    weighted: bool = False

    @property
    def missing(self) -> str | None:
        """The sentence that says what is not installed, and how it is; None where everything is there.

        >>> Peer("a", print, package="no_such_package", install="no-such-package").missing
        'no_such_package is not installed (pip install no-such-package)'
        """
        if self.package is not None and importlib.util.find_spec(self.package) is None:
            return f"{self.package} is not installed (pip install {self.install or self.package})"
        if self.program is not None and shutil.which(self.program) is None:
            return f"there is no program {self.program} ({self.install})"
        return None
