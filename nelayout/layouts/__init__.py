"""The layout functions: a docstring and one line each."""
