"""One run: from a graph as it was given to positions, through levels and stages."""
