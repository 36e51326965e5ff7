"""
Choose the number of neighbors
==============================

The same digits with 5, 15, 50 and 150 neighbors for each row.

What to see: few neighbors give many small pieces. With 150 neighbors the groups touch.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import nelayout as nl

X, digit = load_digits(n_class=6, return_X_y=True)
fig, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
for ax, neighbors in zip(axes.flat, [5, 15, 50, 150], strict=True):
    Y = nl.embed(X, n_neighbors=neighbors, random_state=0)
    title = f"n_neighbors={neighbors}"
    nl.draw(None, Y, ax=ax, color=digit, title=title, node_size=np.ptp(Y) / 100, legend=False)
plt.show()
