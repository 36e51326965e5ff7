"""Arrays on a device that speak NumPy: the formulas of this package run on them as they are written.

A `DeviceArray` holds a PyTorch tensor and answers NumPy's functions by its own protocols (``__array_ufunc__`` and
``__array_function__``), so that ``np.log(x)`` of one is computed where x lies, and ``x * mass`` brings a NumPy array
there first.  Sums over all of an array come back as Python numbers; everything else stays on the device until
`numpy.asarray` copies it back.

>>> import pytest; torch = pytest.importorskip("torch")
>>> x = DeviceArray(torch.tensor([1.0, 4.0]))
>>> np.sum(np.sqrt(x) * np.array([1.0, 10.0]))
21.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nelayout.numerics.pytorch import torch_module
from nelayout.sums.device.answers import HANDLED, double_or_widest, type_on

__all__ = ["DeviceArray", "array_of"]

# NumPy's names of functions of one or two arrays that PyTorch calls otherwise; all others are looked up as they are.
RENAMED = {"absolute": "abs", "invert": "bitwise_not", "divide": "true_divide", "power": "pow", "equal": "eq"}
# Functions whose operands PyTorch wants as arrays: both of them, and the first.
OF_ARRAYS = ("maximum", "minimum", "logaddexp", "matmul", "hypot", "logical_and", "logical_or")
FIRST_OF_ARRAYS = ("less", "less_equal", "greater", "greater_equal", "eq", "not_equal")


class DeviceArray(NDArrayOperatorsMixin):
    """An array on a device: ``tensor`` holds the numbers."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    # Facts about the array, as NumPy's arrays tell them.

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return self.tensor.ndim

    @property
    def size(self) -> int:
        return self.tensor.numel()

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of the same numbers."""
        return np.dtype(str(self.tensor.dtype).removeprefix("torch."))

    @property
    def T(self) -> DeviceArray:
        return DeviceArray(self.tensor.T)

    def __len__(self) -> int:
        return len(self.tensor)

    def __repr__(self) -> str:
        return f"DeviceArray({self.tensor!r})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.tensor.detach().cpu().numpy(), dtype=dtype)

    def __float__(self) -> float:
        return float(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __iter__(self):
        return (DeviceArray(row) for row in self.tensor)

    # Parts of it, and copies.

    def __getitem__(self, key: Any) -> DeviceArray:
        return DeviceArray(self.tensor[self._key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tensor[self._key(key)] = self.here(value)

    def reshape(self, *shape: int) -> DeviceArray:
        return DeviceArray(self.tensor.reshape(*shape))

    def astype(self, dtype: Any) -> DeviceArray:
        return DeviceArray(self.tensor.to(type_on(dtype, self)))

    def copy(self) -> DeviceArray:
        return DeviceArray(self.tensor.clone())

    # Sums and extremes, Python numbers of a whole array.

    def sum(self, axis: int | None = None) -> Any:
        return np.sum(self, axis=axis)

    def max(self, axis: int | None = None) -> Any:
        return np.max(self, axis=axis)

    def min(self, axis: int | None = None) -> Any:
        return np.min(self, axis=axis)

    def any(self) -> bool:
        return bool(self.tensor.any())

    def all(self) -> bool:
        return bool(self.tensor.all())

    # NumPy's protocols.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        torch = torch_module()

        out = keywords.pop("out", None)
        if method == "reduce" and ufunc is np.add and len(inputs) == 1:
            return np.sum(inputs[0], axis=keywords.get("axis", 0))
        name = RENAMED.get(ufunc.__name__, ufunc.__name__)
        function = getattr(torch, name, None) or getattr(torch.special, name, None)
        if method != "__call__" or keywords or function is None:
            return NotImplemented
        if out is not None and isinstance(out[0], np.ndarray):  # an array in NumPy's memory takes what comes back
            np.copyto(out[0], np.asarray(getattr(np, ufunc.__name__)(*inputs)))
            return out[0]
        operands = [self.here(each) for each in inputs]
        answer = _limited(name, *operands) if name in ("maximum", "minimum") else None
        if answer is None:
            both = name in OF_ARRAYS or (name in FIRST_OF_ARRAYS and not isinstance(operands[0], torch.Tensor))
            answer = function(*(_of_arrays(*operands) if both else operands))
        if out is None:
            return DeviceArray(answer)
        out[0].tensor.copy_(answer)
        return out[0]

    def __array_function__(self, function: Callable, types: Any, arguments: Any, keywords: Any) -> Any:
        if function not in HANDLED:
            return NotImplemented
        return HANDLED[function](*arguments, **keywords)

    def here(self, value: Any) -> Any:
        """The value as a tensor on this device, or as a number."""
        torch = torch_module()

        if isinstance(value, DeviceArray):
            return value.tensor
        if isinstance(value, np.ndarray):
            if value.ndim == 0:
                return value.item()
            tensor = torch.from_numpy(np.require(value, requirements=("C", "W")))
            if tensor.dtype == torch.float64:
                tensor = tensor.to(double_or_widest(self.tensor.device))
            return tensor.to(self.tensor.device)
        return value.item() if isinstance(value, np.generic) else value

    def _key(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(self._key(part) for part in key)
        if isinstance(key, list):
            key = np.array(key)
        return key if isinstance(key, slice) else self.here(key)


def _limited(name: str, a: Any, b: Any) -> Any:
    """The larger or smaller of an array and a number without a copy of the number to the device; None of two arrays."""
    torch = torch_module()

    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return None
    x, limit = (a, b) if isinstance(a, torch.Tensor) else (b, a)
    return x.clamp(min=limit) if name == "maximum" else x.clamp(max=limit)


def _of_arrays(a: Any, b: Any) -> tuple[Any, ...]:
    """Both operands as tensors."""
    torch = torch_module()

    like = a if isinstance(a, torch.Tensor) else b
    return tuple(
        x if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=like.dtype, device=like.device) for x in (a, b)
    )


def array_of(tensor: Any) -> Any:
    """The tensor as an array that answers NumPy; typed Any, as formulas are written for NumPy's."""
    return DeviceArray(tensor)
