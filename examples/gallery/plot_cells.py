"""
Embed the neighbor graph of scanpy
==================================

``embed_cells`` reads ``obsp["connectivities"]`` and writes ``obsm`` and ``obs``. Digits stand in for cells here.

What to see: on the right, bright cells are far from their neighbors. Read such cells with care.
"""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import nelayout as nl

X, kind = load_digits(n_class=6, return_X_y=True)
graph = nl.entropic_affinity(X, perplexity=15)  # stands for sc.pp.neighbors(adata)
adata = SimpleNamespace(obs={}, obsm={}, obsp={"connectivities": graph}, uns={})
nl.embed_cells(adata)
Y, cost = adata.obsm["X_nelayout"], adata.obs["nelayout_cost"]

fig, axes = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
for ax, title, color in zip(axes, ["type of each cell", "cost of each cell"], [kind, cost], strict=True):
    nl.draw(None, Y, ax=ax, color=color, title=title, node_size=np.ptp(Y) / 100)
plt.show()
