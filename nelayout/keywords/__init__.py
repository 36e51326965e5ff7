"""Keywords of layout functions: their types, texts, defaults and checks."""
