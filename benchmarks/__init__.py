"""Measurements of nelayout beside its peers: `python -m benchmarks.peers`, `python -m benchmarks.balance`."""
