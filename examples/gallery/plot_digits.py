"""
Embed a table in one call
=========================

Images of handwritten digits, 64 columns each. ``embed`` joins each image to similar images and lays out the graph.

What to see: ten groups, one for each digit. The labels give the colors only.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import nelayout as nl

X, digit = load_digits(return_X_y=True)
Y = nl.embed(X, random_state=0)

fig, ax = plt.subplots(figsize=(7.5, 6), layout="constrained")
nl.draw(None, Y, ax=ax, color=digit)
plt.show()
