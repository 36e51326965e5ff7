"""
Scale your columns first
========================

Wines of three cultivars, 13 columns in different units, as they are and standardized.

What to see: one column with large numbers decides alone on the left. The cultivars come apart on the right.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import nelayout as nl

X, cultivar = load_wine(return_X_y=True)
fig, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
for ax, title, table in zip(axes, ["raw columns", "standardized columns"], [X, scale(X)], strict=True):
    Y = nl.embed(table, random_state=0)
    nl.draw(None, Y, ax=ax, color=cultivar, title=title, node_size=np.ptp(Y) / 60, legend=ax is axes[1])
plt.show()
