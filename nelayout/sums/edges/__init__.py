"""Sums over the entries of P: a matrix (`matrix`), row-stochastic rows (`rows`) and a random walk (`walk`)."""
