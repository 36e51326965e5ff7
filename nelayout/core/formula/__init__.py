"""The formula: kernels, divergences, connections, potentials, and the choice of alpha."""
