"""Pictures of drawings, with matplotlib.

Sizes follow from how full the sheet is: nodes together cover a small share of it, and edges are the fainter the more
ink they would need, so that 50 nodes look like a diagram and 400,000 like a map.  Only matplotlib's objects are used (a
`Figure` and its Agg canvas), never pyplot, and no global setting is changed.
"""

from nelayout.pictures.picture import FORMATS, draw, render
from nelayout.pictures.sizes import node_size_from_labels, node_size_from_points
from nelayout.pictures.vectors_picture import plot

__all__ = ["FORMATS", "draw", "node_size_from_labels", "node_size_from_points", "plot", "render"]
