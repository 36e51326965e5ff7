"""Numerical tools: threads, compiled loops, linear systems, principal components, memory."""
