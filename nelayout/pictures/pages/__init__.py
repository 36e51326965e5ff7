"""Pages: drawings to zoom, search and select in, as one HTML file that needs no network."""

from nelayout.pictures.pages.opening import explore, page_of, solution_page
from nelayout.pictures.pages.page import Column, Drawn, Frames, Page, fitted, hex_color, shortened

__all__ = [
    "Column", "Drawn", "Frames", "Page", "explore", "fitted", "hex_color", "page_of", "shortened", "solution_page",
]  # fmt: skip
