"""Sizes, colors and names of nodes in files for viewers, by the options of pictures: the dots of `nelayout.draw`."""

from __future__ import annotations

import argparse
import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.cli import graph_input
from nelayout.errors import missing_extra

if TYPE_CHECKING:
    from nelayout.graphs.files import GraphFile, Look

__all__ = ["check_look", "viewer_look"]


def check_look(given: argparse.Namespace, file: GraphFile) -> None:
    """Raise, before the work starts, what --label or --color names and the graph does not have."""
    graph_input.texts(given.label, file)
    if given.color is not None and importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", "draw", "colors")
    graph_input.color(given.color, file)


def viewer_look(given: argparse.Namespace, file: GraphFile, pos: Any, weight: str | None) -> Look:
    """The look of a drawing: dots as large as in a picture, colors and names if they were asked for."""
    from nelayout.graphs import every_position, read
    from nelayout.graphs.files import Look
    from nelayout.placing.dots import dot_diameter

    network = read(file.graph, weight)
    Y = every_position(network, pos)
    sides = np.sort(np.ptp(Y, axis=0)) if len(Y) else np.ones(2)
    width = float(sides[-1])
    shape = float(sides[-2]) / width if len(sides) > 1 and width else 0.0
    sizes = np.full(len(Y), dot_diameter(len(Y), shape) * (width / 2 or 1.0))
    names = graph_input.texts(given.label, file)
    colors = None
    if given.color is not None:
        from matplotlib.colors import to_hex

        from nelayout.pictures.colors import coloring
        from nelayout.pictures.sizes import amounts

        color = graph_input.color(given.color, file)
        rgba = coloring(network, color, amounts(file.graph, network, color, weight)).rgba
        colors = [to_hex(each) for each in np.broadcast_to(rgba, (len(Y), 4))]
    return Look(sizes, colors, None if names is None else ["" if name is None else str(name) for name in names], weight)
