"""
Unroll a sheet
==============

Points of a rolled sheet, by t-SNE with its usual perplexity and by ``method="auto"``.

What to see: t-SNE cuts the sheet into pieces. ``auto`` unrolls it as one rectangle.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

import nelayout as nl

X, along = make_swiss_roll(1000, random_state=0)
fig, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for ax, options in zip(axes, [{"method": "tsne", "perplexity": 30}, {"method": "auto"}], strict=True):
    Y = nl.embed(X, **options, random_state=0)
    nl.draw(None, Y, ax=ax, color=along, title=options["method"], node_size=np.ptp(Y) / 90, legend=False)
plt.show()
