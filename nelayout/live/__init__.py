"""Live editing: a drawing that follows its graph."""

from nelayout.live.editing import Live

__all__ = ["Live"]
