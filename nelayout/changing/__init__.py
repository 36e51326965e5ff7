"""Graphs that change: new nodes placed beside old ones, and films of snapshots in which the reader's map is kept."""

from nelayout.changing.film import LayoutSequence
from nelayout.changing.new_nodes import add_nodes
from nelayout.changing.sequence import layout_sequence

__all__ = ["LayoutSequence", "add_nodes", "layout_sequence"]
