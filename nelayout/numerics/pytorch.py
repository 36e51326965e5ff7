"""PyTorch, an optional package, imported on first use."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["torch_module"]


def torch_module() -> Any:
    """Import PyTorch; typed Any, so that types are checked where it is not installed."""
    return importlib.import_module("torch")
