"""Similarities between nodes, and node masses: CSR in, nothing of the hosts."""
