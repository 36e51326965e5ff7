"""Placement of finished layouts: pack components, turn axes, remove overlaps."""
