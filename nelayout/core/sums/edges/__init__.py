"""Sums over the entries of P: a matrix (`matrix`) or a random walk (`walk`)."""
