"""The nearest rows of every row, on a device: all pairs by matrix products in single precision, the near ones again.

Products in single precision choose candidates, a few more than are wanted; their distances are then taken in double
precision from differences of coordinates, and ties are ordered by index.  Where the error of the products could have
hidden a nearer row (its bound is that of sums of rounded products, with random signs), the row is compared with all
others in double precision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nelayout.numerics.pytorch import torch_module

__all__ = ["nearest_rows"]

# Candidates beyond the k nearest, at least and as a part of k.
MORE, PART = 8, 0.25
# Rounding errors of a product of rows of length 1, in units of 2^-24 sqrt(columns): four standard deviations of sums
# whose errors have random signs, for the two lengths and the product.
SIGMAS = 12.0


def nearest_rows(on: Any, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices (n, k) of the k nearest other rows of each row of X (n, d), nearest first, and squared distances (n, k).

    ``on``: the device.  Memory there: the rows in double and single precision, and blocks of pairs.
    """
    torch = torch_module()

    from nelayout.device.answers import double_or_widest

    device = torch.device(on.name)
    n, d = X.shape
    wide = torch.from_numpy(np.ascontiguousarray(X)).to(device).to(double_or_widest(device))
    wide = wide - wide.mean(dim=0)
    rows = wide.to(torch.float32)
    squares = (rows * rows).sum(dim=1)
    take = min(n - 1, k + max(MORE, math.ceil(PART * k)))
    slack = SIGMAS * 2.0**-24 * math.sqrt(d)
    longest = squares.max().sqrt()
    indices, squared = np.empty((n, k), dtype=np.int64), np.empty((n, k))
    # a block has the products of its rows with all others, and the differences to their candidates
    size = max(1, on.block // max(n, take * d))
    unsure = []
    for start in range(0, n, size):
        stop = min(start + size, n)
        far = squares[None, :] - 2.0 * (rows[start:stop] @ rows.T)
        own = torch.arange(start, stop, device=device)
        far[own - start, own] = math.inf
        values, near = far.topk(take, dim=1, largest=False)
        found, distance = _measured(wide, own, near, k)
        # the last candidate is no farther from here than any row left out
        error = slack * (squares[start:stop].sqrt() + longest) ** 2
        beyond = values[:, -1] + squares[start:stop] - error
        unsure.append(own[(distance[:, -1] >= beyond) & (take < n - 1)])
        indices[start:stop], squared[start:stop] = found.cpu().numpy(), distance.cpu().numpy()
    for row in torch.cat(unsure).split(max(1, on.block // (n * d))):
        everything = torch.arange(n, device=device).expand(len(row), n)
        others = everything[everything != row[:, None]].reshape(len(row), n - 1)
        found, distance = _measured(wide, row, others, k)
        at = row.cpu().numpy()
        indices[at], squared[at] = found.cpu().numpy(), distance.cpu().numpy()
    return indices, squared


def _measured(wide: Any, own: Any, near: Any, k: int) -> tuple[Any, Any]:
    """The k nearest of the candidates ``near`` (m, t) of the rows ``own`` (m,), by distances from differences."""
    near = near.sort(dim=1).values
    apart = wide[near] - wide[own][:, None, :]
    distance, order = (apart * apart).sum(dim=2).sort(dim=1, stable=True)
    return near.gather(1, order[:, :k]), distance[:, :k]
