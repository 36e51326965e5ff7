"""
Place new rows on a finished map
================================

Half of the digits are fitted. The other half is placed on the map, row by row.

What to see: gray points are fitted rows, which do not move. New rows land in the group of their digit.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import nelayout as nl

X, digit = load_digits(n_class=5, return_X_y=True)
estimator = nl.NeighborEmbedding(random_state=0).fit(X[::2])
new = estimator.transform(X[1::2])

fig, ax = plt.subplots(figsize=(7.5, 6), layout="constrained")
ax.scatter(*estimator.embedding_.T, s=12, color="lightgray", label="fitted")
for each in range(5):
    ax.scatter(*new[digit[1::2] == each].T, s=12, label=f"new: {each}")
ax.set_aspect("equal")
ax.axis("off")
ax.legend()
plt.show()
