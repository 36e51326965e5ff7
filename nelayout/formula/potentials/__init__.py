"""Potentials that are added to J: gravity to the middle, springs to places."""
