"""Plugins for networkx and igraph."""
