"""Nodes added to a finished drawing, each independently; old nodes do not move."""
