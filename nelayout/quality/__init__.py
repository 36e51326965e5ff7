"""Measures of positions, as functions of arrays; `quality.table.MEASURES` is the table."""
