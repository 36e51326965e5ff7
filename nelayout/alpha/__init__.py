"""The choice of alpha from data: a density over similarities, and the order that fits it best."""
