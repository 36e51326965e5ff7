"""Pages: drawings of a graph to zoom, search and select in, in one HTML file that needs no network.

A page is data and a program. The data are what a reader may ask for: names, attributes, edges, one place per node and
drawing. The program, a few hundred lines of JavaScript beside this file, draws them with WebGL and answers the mouse
and the keys.

Why not a plotting library: bokeh puts 4 MB of its own into each file that needs no network, has one glyph of edges per
drawing that it draws anew on the processor at every step of a zoom, and linked selection, search and filter would be
custom JavaScript there as well. The program here is 1 % of that, keeps the edges of all drawings in one buffer of the
graphics card, and 20,000 nodes with 170,000 edges in four drawings follow the mouse.
"""

from nelayout.pages.columns import Column, hex_color
from nelayout.pages.opening import explore, page_of, solution_page
from nelayout.pages.page import Drawn, Page

__all__ = ["Column", "Drawn", "Page", "explore", "hex_color", "page_of", "solution_page"]
