"""Answers of arrays on a device to NumPy's functions that are no ufuncs: sums, choices, new arrays like others.

What formulas and minimizers use stands here; another function raises NumPy's TypeError, which names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nelayout.numerics.pytorch import torch_module

__all__ = ["HANDLED", "double_or_widest", "type_on"]

# Subscripts of sums of products -> the axis that is summed over.
SUMMED: dict[str, Any] = {"ij,ij->i": 1, "ij,ij->j": 0, "ij,ij->": "all", "ij->j": 0}
# NumPy's function -> what answers it.
HANDLED: dict[Any, Callable] = {}


def double_or_widest(device: Any) -> Any:
    """The type of numbers on a device: double precision, or single on Apple's, which have no other."""
    torch = torch_module()

    return torch.float32 if device.type == "mps" else torch.float64


def type_on(dtype: Any, like: Any) -> Any:
    """PyTorch's name of a type of NumPy's, of floats the widest that the device has; that of ``like`` for None."""
    torch = torch_module()

    if dtype is None:
        return like.tensor.dtype
    name = np.dtype(dtype).name
    return double_or_widest(like.tensor.device) if name == "float64" else getattr(torch, name)


def _first(values: Any) -> Any:
    """The first of the values that lies on a device."""
    return next(each for each in values if hasattr(each, "tensor"))


def _answers(function: Callable) -> Callable:
    """Enter a function as the answer to one of NumPy's."""

    def enter(own: Callable) -> Callable:
        HANDLED[function] = own
        return own

    return enter


def _plain(x: Any, answer: Any, axis: int | None) -> Any:
    return answer.item() if axis is None else type(x)(answer)


@_answers(np.sum)
def _sum(x: Any, axis: int | None = None) -> Any:
    return _plain(x, x.tensor.sum() if axis is None else x.tensor.sum(dim=axis), axis)


@_answers(np.mean)
def _mean(x: Any, axis: int | None = None) -> Any:
    return _plain(x, x.tensor.mean() if axis is None else x.tensor.mean(dim=axis), axis)


def _extreme(name: str) -> Callable:
    """The answer to `numpy.max` or `numpy.min`, by PyTorch's name of it along an axis."""

    def extreme(x: Any, axis: int | None = None, initial: float | None = None) -> Any:
        if initial is not None and not x.size:
            return initial
        found = _plain(x, getattr(x.tensor, name)(dim=() if axis is None else axis), axis)
        return found if initial is None else (max if name == "amax" else min)(found, initial)

    return extreme


HANDLED.update({np.max: _extreme("amax"), np.min: _extreme("amin")})


@_answers(np.any)
def _any(x: Any) -> bool:
    return x.any()


@_answers(np.all)
def _all(x: Any) -> bool:
    return x.all()


@_answers(np.ndim)
def _ndim(x: Any) -> int:
    return x.ndim


@_answers(np.where)
def _where(condition: Any, x: Any, y: Any) -> Any:
    torch = torch_module()

    on = _first((condition, x, y))
    condition, x, y = (on.here(each) for each in (condition, x, y))
    if not isinstance(condition, torch.Tensor):
        condition = torch.tensor(condition, device=on.tensor.device)
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        y = torch.tensor(y, dtype=double_or_widest(on.tensor.device), device=on.tensor.device)
    return type(on)(torch.where(condition, x, y))


@_answers(np.flatnonzero)
def _flatnonzero(x: Any) -> np.ndarray:
    return x.tensor.reshape(-1).nonzero()[:, 0].cpu().numpy()


@_answers(np.count_nonzero)
def _count_nonzero(x: Any) -> int:
    return int(x.tensor.count_nonzero())


@_answers(np.vdot)
def _vdot(a: Any, b: Any) -> float:
    on = _first((a, b))
    return float((on.here(a) * on.here(b)).sum())


@_answers(np.einsum)
def _einsum(subscripts: str, *operands: Any) -> Any:
    torch = torch_module()

    on = _first(operands)
    tensors = [on.here(each) for each in operands]
    summed = SUMMED.get(subscripts)
    if summed is not None:  # products of as many small matrices are slow on devices
        whole = tensors[0] if len(tensors) == 1 else tensors[0] * tensors[1]
        answer = whole.sum() if summed == "all" else whole.sum(dim=summed)
    else:
        answer = torch.einsum(subscripts, *tensors)
    return answer.item() if not answer.ndim else type(on)(answer)


@_answers(np.zeros_like)
def _zeros_like(x: Any, dtype: Any = None) -> Any:
    return type(x)(x.tensor.new_zeros(x.tensor.shape, dtype=type_on(dtype, x)))


@_answers(np.ones_like)
def _ones_like(x: Any, dtype: Any = None) -> Any:
    return type(x)(x.tensor.new_ones(x.tensor.shape, dtype=type_on(dtype, x)))


@_answers(np.empty_like)
def _empty_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    return type(x)(x.tensor.new_empty(x.tensor.shape if shape is None else shape, dtype=type_on(dtype, x)))


@_answers(np.broadcast_to)
def _broadcast_to(x: Any, shape: Any) -> Any:
    return type(x)(x.tensor.broadcast_to(shape))


@_answers(np.array_equal)
def _array_equal(a: Any, b: Any) -> bool:
    on = _first((a, b))
    a, b = on.here(a), on.here(b)
    return a.shape == b.shape and bool((a == b).all())


@_answers(np.concatenate)
def _concatenate(arrays: Any, axis: int = 0) -> Any:
    torch = torch_module()

    on = _first(arrays)
    return type(on)(torch.cat([on.here(each) for each in arrays], dim=axis))
