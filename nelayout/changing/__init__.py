"""Graphs that change: new nodes in a finished drawing, and drawings of snapshots."""

from nelayout.changing.film import LayoutSequence
from nelayout.changing.new_nodes import add_nodes
from nelayout.changing.sequence import layout_sequence

__all__ = ["LayoutSequence", "add_nodes", "layout_sequence"]
