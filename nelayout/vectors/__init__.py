"""Vectors: neighbor graphs, perplexities and embeddings."""
