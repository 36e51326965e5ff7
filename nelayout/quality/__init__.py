"""Measures of positions, as functions of arrays; `nelayout.quality.table.MEASURES` is the table."""
