"""Find the nearest rows of every row, on a device, by matrix products over all pairs.

Products in single precision choose more candidates than needed.  Their distances are then computed in double
precision, and ties are ordered by index.  If the error of the products could hide a nearer row, the products of this
row are computed again in double precision.  The error is bounded by the rounding of products and by the errors of
the candidates.  The candidates count because a device may round products further.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nelayout.core.sums.device.arrays import double_or_widest, torch

__all__ = ["nearest_rows"]

# Additional candidates beyond the k nearest, at least, and as a fraction of k.
EXTRA_CANDIDATES, EXTRA_FRACTION = 8, 0.25
# Bounds on the error of a squared distance by products: in units of 2^-24 sqrt(columns) (|x| + |y|)^2, and relative to
# the largest error of the candidates.
MAX_ROUNDINGS, MAX_SEEN_ERRORS = 12.0, 4.0


def nearest_rows(on: Any, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and squared distances, (n, k), of the k nearest other rows of X (n, d)."""
    device = torch.device(on.name)
    n, d = X.shape
    wide = torch.from_numpy(np.require(X, requirements=("C", "W"))).to(device).to(double_or_widest(device))
    wide = wide - wide.mean(dim=0)
    rows = wide.to(torch.float32)
    take = min(n - 1, k + max(EXTRA_CANDIDATES, math.ceil(EXTRA_FRACTION * k)))
    slack = MAX_ROUNDINGS * 2.0**-24 * math.sqrt(d)
    lengths = (wide * wide).sum(dim=1).sqrt()
    indices, squared, unsure = np.empty((n, k), dtype=np.int64), np.empty((n, k)), []
    size = max(1, on.block // max(n, take * d))  # rows: their products, and differences to candidates, fill a block

    def search(table: Any, own: Any) -> tuple[Any, Any, Any]:
        """Return the nearest rows by products of this table, distances, and which may be wrong."""
        squares = (table * table).sum(dim=1)
        far = squares[None, :] - 2.0 * (table[own] @ table.T)
        far[torch.arange(len(own), device=device), own] = math.inf
        values, near = far.topk(take, dim=1, largest=False)
        found, distance, all_of = _measured(wide, own, near, k)
        off = (values + squares[own][:, None] - all_of).abs().amax(dim=1)
        # rows longer than this one by twice the k-th distance are farther away than that under any error
        bound = slack * (2.0 * (lengths[own] + distance[:, -1].sqrt())) ** 2
        beyond = values[:, -1] + squares[own] - torch.maximum(bound, MAX_SEEN_ERRORS * off)
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
    """Return the k nearest of candidates ``near`` (m, t) of rows ``own`` (m,), all distances."""
    apart = wide[near] - wide[own][:, None, :]
    all_of = (apart * apart).sum(dim=2)
    by_index = near.argsort(dim=1)
    distance, order = all_of.gather(1, by_index).sort(dim=1, stable=True)
    return near.gather(1, by_index).gather(1, order[:, :k]), distance[:, :k], all_of
