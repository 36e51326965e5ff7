"""Graphs that change: new nodes in a finished drawing, and drawings of snapshots."""

from nelayout.changing.film import LayoutSequence
from nelayout.changing.sequence import add_nodes, layout_sequence

__all__ = ["LayoutSequence", "add_nodes", "layout_sequence"]
