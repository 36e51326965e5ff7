"""Passes: each takes a drawing of one connected graph, and returns another."""
