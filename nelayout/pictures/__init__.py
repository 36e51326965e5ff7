"""Pictures of layouts and embeddings, with matplotlib.

The number of nodes and edges decides their size and strength: 50 nodes look like a diagram and 400,000 like a map. The
package never imports pyplot and changes no global setting of matplotlib.
"""

from nelayout.pictures.picture import FORMATS, draw, plot, render
from nelayout.pictures.sizes import node_size_from_labels, node_size_from_points

__all__ = ["FORMATS", "draw", "node_size_from_labels", "node_size_from_points", "plot", "render"]
