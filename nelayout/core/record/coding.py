"""Values as JSON and arrays, and back.

Values are numbers, texts, containers, arrays, and records of this package.  Reading runs no code from a file: it makes
only containers, arrays, and data classes and named tuples of this package.

>>> arrays = []
>>> form = encode({"Y": np.zeros((2, 2)), "names": ("a", None, np.inf)}, arrays)
>>> decode(form, arrays)
{'Y': array([[0., 0.],
       [0., 0.]]), 'names': ('a', None, inf)}
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["as_stored", "decode", "encode", "restored"]

PACKAGE = __name__.split(".", maxsplit=1)[0]
# Kinds of numbers that arrays may hold: bool, whole, real, complex, and characters.
KINDS = "biufcU"


def encode(value: Any, arrays: list[np.ndarray]) -> Any:
    """Return a value as JSON; its arrays are added to ``arrays``."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (np.ndarray, NDArrayOperatorsMixin)):  # the second: an array on a device
        arrays.append(np.asarray(value))
        return {"array" if isinstance(value, np.ndarray) else "device": len(arrays) - 1}
    if isinstance(value, np.generic):
        return {"number": [value.dtype.str, value.item()]}
    if type(value) in (list, tuple):
        return {type(value).__name__: [encode(each, arrays) for each in value]}
    if type(value) is dict:
        return {"dict": [[encode(key, arrays), encode(each, arrays)] for key, each in value.items()]}
    if _is_record(type(value)):
        inner = {name: encode(getattr(value, name), arrays) for name in _names(type(value))}
        return {"record": [f"{type(value).__module__}:{type(value).__qualname__}", inner]}
    raise TypeError(f"{type(value).__name__} cannot be stored")


def decode(form: Any, arrays: Sequence[np.ndarray], to_device: Callable[[Any], Any] | None = None) -> Any:
    """Return the value of a form; ``to_device`` brings arrays to where they were."""
    if not isinstance(form, dict):
        return form
    ((kind, inner),) = form.items()
    if kind == "array":
        return arrays[inner]
    if kind == "device":
        return arrays[inner] if to_device is None else to_device(arrays[inner])
    if kind == "number":
        return np.dtype(inner[0]).type(inner[1])
    if kind in ("list", "tuple"):
        found = [decode(each, arrays, to_device) for each in inner]
        return found if kind == "list" else tuple(found)
    if kind == "dict":
        return {decode(key, arrays): decode(each, arrays, to_device) for key, each in inner}
    return _record(inner[0], {name: decode(each, arrays, to_device) for name, each in inner[1].items()})


def as_stored(array: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Return type, shape and order of an array, and its numbers in one row of memory."""
    if array.dtype.kind not in KINDS:
        raise TypeError(f"an array of {array.dtype} cannot be stored")
    by_columns = array.ndim > 1 and array.strides[0] < array.strides[-1]  # sums go along memory: the order is kept
    row = np.ascontiguousarray(array.T if by_columns else array)
    return [array.dtype.str, list(array.shape), "F" if by_columns else "C"], row


def restored(kind: Sequence[Any], content: bytes | bytearray) -> np.ndarray:
    """Return the array of a type, shape and order."""
    dtype, shape, order = kind
    if np.dtype(dtype).kind not in KINDS:
        raise TypeError(f"{dtype} is no type of numbers")
    return np.frombuffer(bytearray(content), dtype).reshape(shape, order=order)


def _is_record(kind: type) -> bool:
    known = kind.__module__.split(".")[0] == PACKAGE
    return known and (is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")))


def _names(kind: Any) -> list[str]:
    return [each.name for each in fields(kind)] if is_dataclass(kind) else list(kind._fields)


def _record(path: str, values: dict[str, Any]) -> Any:
    module, _, name = path.partition(":")
    if module.split(".")[0] != PACKAGE:
        raise TypeError(f"{path} is no record of this package")
    kind: Any = getattr(importlib.import_module(module), name, None)
    if not (isinstance(kind, type) and _is_record(kind)):
        raise TypeError(f"{path} is no record of this package")
    if not is_dataclass(kind):
        return kind(**values)
    found = object.__new__(kind)
    for key, value in values.items():  # as they were checked before they were stored
        object.__setattr__(found, key, value)
    return found
