"""`STYLE`: the numbers that decide the looks of a picture, with units.

>>> STYLE.sheet, STYLE.max_vector_items
(8.0, 20000)
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["STYLE", "Style"]


@dataclass(frozen=True, slots=True)
class Style:
    """The looks of pictures.

    A point is 1/72 inch; an em is the font size of the letters beside it.
    """

    # The sheet
    sheet: float = 8.0  # inches, the longer side of a drawing
    margin: float = 0.2  # inches around the drawing of a new figure
    label_margin: float = 0.5  # inches around a drawing with labels, for the labels of its outer nodes
    max_border_share: float = 0.12  # of the axes' box for a border, so that small panels keep their drawing
    max_legend_share: float = 0.35  # of the axes' box for a legend or note, so that the drawing stays the main part
    max_foot_share: float = 0.5  # of the axes' box for a legend and note below the drawing
    narrow: float = 0.85  # size of a drawing beside its legend, relative to above it, from which the legend is below
    axes_margin: float = 0.05  # share of an axis that matplotlib keeps free on each side (axes.xmargin)

    # Sizes of graphs
    max_diagram_items: int = 1000  # nodes or edges, up to which dots have shapes and edges are arrows
    max_vector_items: int = 20_000  # nodes and edges; more are an image, also in a vector file
    max_image_pixels: int = 6000  # along the longer side of an image, for its memory

    # Dots
    min_stroke: float = 0.25  # points, the thinnest edge and the smallest dot by default
    min_dot: float = 1.1  # points, unless all dots have one color and the edges are an image
    shrink_from: int = 500  # nodes, above which dots of one color shrink faster: edges show the shape
    min_relative_dot: float = 0.5  # usual dots, for the least degree or strength
    max_relative_dot: float = 3.0  # usual dots, for the largest degree or strength

    cloud_ink: float = 0.08  # opacity of the soft disc around a dot

    # Edges
    group_ink: float = 0.07  # opacity of the shape of a group
    group_line: float = 0.35  # and of its border
    ink: float = 0.14  # share of the drawing that all edges darken together; half of it if dot colors have a meaning
    usual_width: float = 1.0  # points, the widest edge by default
    max_width: float = 4.0  # points, the widest edge if widths are in proportion to numbers
    min_opacity: float = 0.004  # of an edge: one step of 256 in a picture of eight bits
    max_opacity: float = 0.55  # of an edge, so that crossings show
    min_faded_opacity: float = 0.1  # of the longest faded edges, relative to short ones
    emphasis: float = 1.5  # factor of the opacity of arrow heads and of edges with a color of their own
    depth_fade: float = 0.5  # share of their opacity that the farthest edges and nodes of a 3-D drawing lose
    head_length: float = 5.5  # points of an arrow's head
    head_width: float = 3.6  # points of an arrow's head
    loop: float = 0.8  # radius of a self-loop in diameters of its dot
    min_loop: float = 3.0  # points, the least radius of a self-loop
    curve_points: int = 25  # on a bundled edge or a self-loop; odd, so that one is its middle
    detour: float = 2.0  # longest path of a bundled edge in its lengths, and the power of lengths that a path sums

    # Images of edges and dots
    max_shown_ink: float = 2.0  # of the densest pixels: exp(-2) of the paper shines through
    darker_share: float = 0.002  # of the inked pixels, which may be darker than that
    dot_ink: float = 0.8  # ink of one dot

    # Colors
    max_classes: int = 60  # different whole numbers that are classes, if the caller declares them so
    log_ratio: float = 30.0  # of the largest to the least degree, above which their scale is logarithmic
    dark_share: float = 0.3  # of viridis, which does not show on dark paper
    far_share: float = 0.02  # of the values at each end of a scale, which may lie beyond it
    flat_ratio: float = 2.0  # of the whole range to the range without these values, above which far values do
    min_robust: int = 10  # values, below which none lies beyond the scale

    # Letters
    small: float = 0.8  # font size of labels and notes, relative to other text
    line: float = 1.4  # ems, height of a line of a note or heading with the gap to the next
    label_gap: float = 1.0  # points between a label and its dot, and extra points to all other dots
    label_space: float = 0.3  # ems between two labels: half a letter
    leader: float = 0.5  # points, width of a line from a node to its label
    short_leader: float = 5.0  # ems, above which a line becomes shorter if its label comes first
    longest_leader: float = 0.5  # of the diagonal of the picture
    hinting: float = 1.1  # largest width of a text at some resolution, relative to the exact width
    label_rounds: int = 4  # attempts to write all labels of chosen nodes

    # Legends and color bars
    legend_gap: float = 0.12  # inches between drawing and legend
    entry_height: float = 1.6  # ems
    entry_side: float = 1.7  # ems beside a name, for the dot and its gap
    column_gap: float = 0.8  # ems
    max_columns: int = 4
    min_font_below: float = 0.8  # relative font size down to which a legend below a drawing gets more columns
    min_legend_font: float = 0.5  # relative font size, below which a legend gets one more column
    max_name_letters: int = 28  # of a name in a legend
    bar_width: float = 0.14  # inches
    bar_height: float = 0.8  # relative to the drawing
    tick: float = 0.08  # inches between a color bar and its numbers


STYLE = Style()
