"""Records of a run: the solution, and its progress."""
