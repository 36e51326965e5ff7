"""Sums over edges and over all pairs of nodes, on the CPU or on a device."""
