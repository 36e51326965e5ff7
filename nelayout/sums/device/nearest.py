"""The nearest rows of every row, on a device: all pairs by matrix products, the near ones again.

Products in single precision choose some more candidates than are wanted; their distances are then taken in double
precision, and ties are ordered by index.  If the error of the products could have hidden a nearer row, the products of
this row are taken again in double precision.  The error is bounded by the rounding of products, and by the errors seen
in the candidates, since a device may be set to round products further.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nelayout.numerics.pytorch import torch_module

__all__ = ["nearest_rows"]

# Candidates beyond the k nearest, at least and as a part of k.
MORE, PART = 8, 0.25
# Largest error of a squared distance by products: in units of 2^-24 sqrt(columns) (|x| + |y|)^2, and in units of the
# largest error of the candidates.
SIGMAS, TIMES = 12.0, 4.0


def nearest_rows(on: Any, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices (n, k) of the k nearest other rows of each row of X (n, d), nearest first, and squared distances (n, k).

    ``on``: the device.  Memory there: the rows in double and single precision, and blocks of pairs.
    """
    torch = torch_module()
    from nelayout.sums.device.arrays import double_or_widest

    device = torch.device(on.name)
    n, d = X.shape
    wide = torch.from_numpy(np.require(X, requirements=("C", "W"))).to(device).to(double_or_widest(device))
    wide = wide - wide.mean(dim=0)
    rows = wide.to(torch.float32)
    take = min(n - 1, k + max(MORE, math.ceil(PART * k)))
    slack = SIGMAS * 2.0**-24 * math.sqrt(d)
    lengths = (wide * wide).sum(dim=1).sqrt()
    indices, squared, unsure = np.empty((n, k), dtype=np.int64), np.empty((n, k)), []
    size = max(1, on.block // max(n, take * d))  # rows: their products, and differences to candidates, fill a block

    def search(table: Any, own: Any) -> tuple[Any, Any, Any]:
        """The nearest of some rows by products of this table, their distances, and which rows may be wrong."""
        squares = (table * table).sum(dim=1)
        far = squares[None, :] - 2.0 * (table[own] @ table.T)
        far[torch.arange(len(own), device=device), own] = math.inf
        values, near = far.topk(take, dim=1, largest=False)
        found, distance, all_of = _measured(wide, own, near, k)
        off = (values + squares[own][:, None] - all_of).abs().amax(dim=1)
        # rows longer than this one by twice the k-th distance are farther than that, whatever the error
        bound = slack * (2.0 * (lengths[own] + distance[:, -1].sqrt())) ** 2
        beyond = values[:, -1] + squares[own] - torch.maximum(bound, TIMES * off)
        return found, distance, (distance[:, -1] >= beyond) & (take < n - 1)

    for start in range(0, n, size):
        own = torch.arange(start, min(start + size, n), device=device)
        found, distance, doubtful = search(rows, own)
        unsure.append(own[doubtful])
        indices[start : start + size], squared[start : start + size] = found.cpu().numpy(), distance.cpu().numpy()
    for own in torch.cat(unsure).split(size):
        if len(own):
            found, distance, _ = search(wide, own)
            at = own.cpu().numpy()
            indices[at], squared[at] = found.cpu().numpy(), distance.cpu().numpy()
    return indices, squared


def _measured(wide: Any, own: Any, near: Any, k: int) -> tuple[Any, Any, Any]:
    """The k nearest of the candidates ``near`` (m, t) of the rows ``own`` (m,), their distances, and those of all."""
    apart = wide[near] - wide[own][:, None, :]
    all_of = (apart * apart).sum(dim=2)
    by_index = near.argsort(dim=1)
    distance, order = all_of.gather(1, by_index).sort(dim=1, stable=True)
    return near.gather(1, by_index).gather(1, order[:, :k]), distance[:, :k], all_of
