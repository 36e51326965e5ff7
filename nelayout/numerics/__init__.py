"""Numbers below the formula: threads, compiled loops, linear systems, principal components, memory."""
