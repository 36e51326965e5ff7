"""Pages: drawings of a graph to zoom, search and select in, in one HTML file that needs no network.

A page is data and a program. The data are what a reader may ask for: names, attributes, edges, one place per node and
drawing. The program, a few hundred lines of JavaScript beside this file, draws them with WebGL and answers the mouse
and the keys.

Why not a plotting library: bokeh 3.9 puts 1.3 MB of its own into each file that needs no network and holds the ends
of every edge once for each drawing, so that four drawings of 170,000 edges are 8 MB. Its segments are drawn by the
processor, 1.3 seconds for each step of a zoom in one of the drawings; as one WebGL line with gaps they take ten. Linked
selection, search and the choice of edges would be JavaScript of our own there as well. The program here has 57 kB,
keeps the edges of all drawings in one buffer of the graphics card, and all four drawings follow the mouse.
"""

from nelayout.pictures.pages.columns import Column, hex_color
from nelayout.pictures.pages.opening import explore, page_of, solution_page
from nelayout.pictures.pages.page import Drawn, Page

__all__ = ["Column", "Drawn", "Page", "explore", "hex_color", "page_of", "solution_page"]
