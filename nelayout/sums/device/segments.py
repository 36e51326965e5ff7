"""Sums over sorted segments on a device, in a fixed order: no two threads add to one number."""

from __future__ import annotations

from typing import Any

from nelayout.numerics.pytorch import torch_module

__all__ = ["segment_sums"]


def segment_sums(values: Any, offsets: Any) -> Any:
    """Sums (k,) or (k, d) of the tensor ``values`` (m,) or (m, d) between ``offsets`` (k + 1,), which begin with 0.

    Apple's devices have no sums over segments: there, numbers are added to their segments as they come.
    """
    torch = torch_module()

    if values.device.type == "mps":
        counts = offsets[1:] - offsets[:-1]
        at = torch.repeat_interleave(torch.arange(len(counts), device=values.device), counts)
        return values.new_zeros((len(counts), *values.shape[1:])).index_add_(0, at, values)
    if values.ndim == 2:  # column by column, for which a device has one parallel sum over all of a segment
        return torch.stack([segment_sums(column.contiguous(), offsets) for column in values.unbind(1)], dim=1)
    return torch.segment_reduce(values, "sum", offsets=offsets, initial=0.0, unsafe=True)
