from nelayout.comparison.tuning import quality

__all__ = ["quality"]
