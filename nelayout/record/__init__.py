"""Records that a run leaves: the solution, and its progress while it is made."""
