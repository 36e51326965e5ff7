"""J and its gradient: of a whole graph, row by row, and of many graphs at once."""
