"""
Minimize an objective of your own
=================================

``nelayout.optimizers`` minimizes functions that you write: here springs along edges, and a repulsion of all pairs.

What to see: from random positions the ring opens.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import nelayout as nl

G = nx.cycle_graph(40)
L = nx.laplacian_matrix(G).toarray()


def objective(Y):
    """Return sum of squared edge lengths + sum of 1 / (1 + d^2) over pairs, and the gradient."""
    near = 1 / (1 + ((gaps := Y[:, None] - Y) ** 2).sum(axis=2))
    return (Y * (L @ Y)).sum() + near.sum(), 2 * L @ Y - 4 * (near[..., None] ** 2 * gaps).sum(axis=1)


start = np.random.default_rng(0).normal(size=(40, 2))
found = nl.optimizers.lbfgs(objective, start, max_iter=500)
fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
nl.draw(G, found.positions, ax=ax, color="#3b6ea5")
plt.show()
