"""Vectors: neighbor graphs, perplexities and the embedding that stands on them."""
