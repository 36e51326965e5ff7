"""Arrays on a device with NumPy's protocols, so that formulas run on them unchanged.

A `DeviceArray` holds a PyTorch tensor.  By NumPy's own protocols (``__array_ufunc__``, ``__array_function__``) a
function of NumPy calls the function of PyTorch with the same name.  Arrays of NumPy are brought to the device first.
Sums over a whole array come back as Python numbers; all other results stay until `numpy.asarray` copies them back.

>>> import pytest; torch = pytest.importorskip("torch")
>>> x = DeviceArray(torch.tensor([1.0, 4.0]))
>>> np.sum(np.sqrt(x) * np.array([1.0, 10.0]))
21.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nelayout.numerics.pytorch import torch_module

__all__ = ["DeviceArray", "array_of", "double_or_widest", "rows_of", "segment_sums"]

torch = torch_module()

# Mean length of segments that several threads of a device sum faster than one, estimated.
LONG_SEGMENT = 500
# Functions of NumPy with another name in PyTorch.
RENAMED = {
    "absolute": "abs", "invert": "bitwise_not", "divide": "true_divide", "power": "pow", "equal": "eq",
}  # fmt: skip
# Subscripts of sums of products -> the axis of the sum.
SUMMED: dict[str, Any] = {"ij,ij->i": 1, "...ij,...ij->...i": -1, "ij,ij->j": 0, "ij,ij->": None, "ij->j": 0}
# Functions of a tensor and a number that become `clamp`; that need a tensor first.
LIMITS = {"maximum": "min", "minimum": "max"}
TENSOR_FIRST = ["less", "less_equal", "greater", "greater_equal", "eq", "not_equal"]


class DeviceArray(NDArrayOperatorsMixin):
    """An array on a device: ``tensor`` holds the numbers."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return self.tensor.ndim

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

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __getitem__(self, key: Any) -> DeviceArray:
        return DeviceArray(self.tensor[self._key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tensor[self._key(key)] = self.here(value)

    def reshape(self, *shape: int) -> DeviceArray:
        return DeviceArray(self.tensor.reshape(*shape))

    def copy(self) -> DeviceArray:
        return DeviceArray(self.tensor.clone())

    def max(self, axis: int | None = None) -> Any:
        return np.max(self, axis=axis)

    def min(self, axis: int | None = None) -> Any:
        return np.min(self, axis=axis)

    def any(self) -> bool:
        return bool(self.tensor.any())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        out = keywords.pop("out", None)
        if method == "reduce" and ufunc is np.add and len(inputs) == 1:
            return np.sum(inputs[0], axis=keywords.get("axis", 0))
        name = RENAMED.get(ufunc.__name__, ufunc.__name__)
        function = getattr(torch, name, None) or getattr(torch.special, name, None)
        if method != "__call__" or keywords or function is None:
            return NotImplemented
        if out is not None and isinstance(out[0], np.ndarray):  # the result goes to an array of NumPy
            np.copyto(out[0], np.asarray(getattr(np, ufunc.__name__)(*inputs)))
            return out[0]
        operands = [self.here(each) for each in inputs]
        if name in LIMITS and not all(isinstance(each, torch.Tensor) for each in operands):
            function, (x, limit) = torch.clamp, sorted(operands, key=lambda each: not isinstance(each, torch.Tensor))
            operands, keywords = [x], {LIMITS[name]: limit}
        elif name in (*LIMITS, "matmul") or (name in TENSOR_FIRST and not isinstance(operands[0], torch.Tensor)):
            operands = [self.as_tensor(each) for each in operands]
        answer = function(*operands, **keywords)
        if out is None:
            return DeviceArray(answer)
        out[0].tensor.copy_(answer)
        return out[0]

    def __array_function__(self, function: Callable, types: Any, arguments: Any, keywords: Any) -> Any:
        own = OWN.get(function.__name__)
        if own is None:
            return NotImplemented
        on = next(_arrays(arguments))
        keywords = {key: value for key, value in keywords.items() if key != "axis" or value is not None}
        if "dtype" in keywords:
            keywords = {**keywords, "dtype": _type_on(keywords["dtype"], on.tensor)}
        answer = own(*map(on.here, arguments), **keywords)
        if not isinstance(answer, torch.Tensor):
            return answer
        return DeviceArray(answer) if answer.ndim else answer.item()

    def here(self, value: Any) -> Any:
        """Return a tensor on this device or a number; lists and tuples item by item."""
        if isinstance(value, DeviceArray):
            return value.tensor
        if isinstance(value, np.ndarray):
            return value.item() if value.ndim == 0 else self.as_tensor(value)
        if isinstance(value, (list, tuple)):
            return [self.here(each) for each in value]
        return value.item() if isinstance(value, np.generic) else value

    def as_tensor(self, value: Any) -> Any:
        """Return an array or a number as a tensor on this device."""
        if isinstance(value, torch.Tensor):
            return value
        if isinstance(value, np.ndarray):
            tensor = torch.from_numpy(np.require(value, requirements=("C", "W")))
            return tensor.to(self.tensor.device, _type_on(value.dtype, self.tensor))
        return torch.tensor(value, dtype=self.tensor.dtype, device=self.tensor.device)

    def _key(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(self._key(part) for part in key)
        return key if isinstance(key, slice) else self.here(np.array(key) if isinstance(key, list) else key)


def array_of(tensor: Any) -> Any:
    """Return a tensor as `DeviceArray`; typed Any, because formulas are typed for NumPy."""
    return DeviceArray(tensor)


def double_or_widest(device: Any) -> Any:
    """Return the widest float type of a device: double precision, or single on Apple's."""
    return torch.float32 if device.type == "mps" else torch.float64


def rows_of(X: Any, indices: Any) -> Any:
    """Return rows of a tensor (n, d) by columns: devices gather short rows slowly."""
    return torch.stack([column.index_select(0, indices) for column in X.unbind(1)], dim=1)


def segment_sums(values: Any, offsets: Any) -> Any:
    """Return sums (k,) or (k, d) of a tensor (m,) or (m, d) between ``offsets`` (k + 1,)."""
    if values.device.type == "mps":  # it lacks sums over segments: the order of the sums is not fixed
        counts = offsets[1:] - offsets[:-1]
        at = torch.repeat_interleave(torch.arange(len(counts), device=values.device), counts)
        return values.new_zeros((len(counts), *values.shape[1:])).index_add_(0, at, values)
    # No two threads add to one number: the order is fixed.  A column of one dimension is summed in parallel, and each
    # segment of two dimensions by one thread.
    long = len(values) > LONG_SEGMENT * (len(offsets) - 1)
    if long and values.ndim == 2:
        return torch.stack([segment_sums(column.contiguous(), offsets) for column in values.unbind(1)], dim=1)
    if long or values.ndim == 2:
        return torch.segment_reduce(values, "sum", offsets=offsets, initial=0.0, unsafe=True)
    return segment_sums(values[:, None], offsets)[:, 0]


def _type_on(dtype: Any, like: Any) -> Any:
    """Return PyTorch's name of a NumPy type (float64: the widest); None: type of ``like``."""
    if dtype is None:
        return like.dtype
    name = np.dtype(dtype).name
    return double_or_widest(like.device) if name == "float64" else getattr(torch, name)


def _arrays(values: Any) -> Iterator[DeviceArray]:
    """Yield the arrays on a device among the values, also in lists."""
    for each in values:
        if isinstance(each, DeviceArray):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _arrays(each)


def _extreme(name: str) -> Callable:
    def extreme(x: Any, axis: int | None = None, initial: float | None = None) -> Any:
        if initial is not None and not x.numel():
            return initial
        found = getattr(torch, name)(x, dim=() if axis is None else axis)
        return found if initial is None else found.clamp(min=initial) if name == "amax" else found.clamp(max=initial)

    return extreme


def _einsum(subscripts: str, *tensors: Any) -> Any:
    if subscripts not in SUMMED:
        return torch.einsum(subscripts, *tensors)
    whole = tensors[0] if len(tensors) == 1 else tensors[0] * tensors[1]  # faster than many small products
    return whole.sum(dim=SUMMED[subscripts])


def _where(condition: Any, x: Any, y: Any) -> Any:
    like = next(each for each in (x, y, condition) if isinstance(each, torch.Tensor))
    if not isinstance(condition, torch.Tensor):
        condition = torch.tensor(condition, device=like.device)
    if not any(isinstance(each, torch.Tensor) for each in (x, y)):
        y = torch.tensor(y, dtype=double_or_widest(like.device), device=like.device)
    return torch.where(condition, x, y)


# Functions of NumPy other than ufuncs: those that PyTorch has, lacks, or computes in another order.
OWN: dict[str, Callable] = {
    **{name: getattr(torch, name) for name in ("any", "all", "sum", "mean", "zeros_like")},
    "max": _extreme("amax"),
    "min": _extreme("amin"),
    "einsum": _einsum,
    "where": _where,
    "ndim": lambda x: x.ndim,
    "flatnonzero": lambda x: x.reshape(-1).nonzero()[:, 0].cpu().numpy(),
    "vdot": lambda a, b: (a * b).sum(),
    "array_equal": lambda a, b: a.shape == b.shape and bool((a == b).all()),
    "empty_like": lambda x, dtype=None, shape=None: x.new_empty(x.shape if shape is None else shape, dtype=dtype),
}
