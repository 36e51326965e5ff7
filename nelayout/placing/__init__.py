"""Placing finished drawings: components packed, axes turned, nodes kept apart."""
