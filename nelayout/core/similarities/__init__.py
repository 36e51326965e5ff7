"""Input similarities of graphs: node masses, and random walks that smooth the weights."""
