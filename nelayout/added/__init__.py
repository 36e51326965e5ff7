"""Nodes added to a finished drawing, each placed alone among the old ones, which do not move."""
