"""Plans of calls before any work: for graphs, for tables, and for sizes alone."""
