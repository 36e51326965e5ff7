"""The formula: kernels, divergences, connections, potentials, and the choice of an order alpha."""
