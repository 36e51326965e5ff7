"""Doors into the tools that people already use: networkx, igraph."""
