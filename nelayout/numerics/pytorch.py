"""PyTorch, an optional package, imported at its first use."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["torch_module"]


def torch_module() -> Any:
    """Import PyTorch; typed Any, so that types are checked without it."""
    return importlib.import_module("torch")
