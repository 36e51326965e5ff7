"""
Keep streets straight
=====================

A street grid with a quarter of its streets removed, by nelayout and by networkx.

What to see: blocks and long streets can be followed on the left. The spring layout folds the grid.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import nelayout as nl

G = nx.grid_2d_graph(25, 25)
rng = np.random.default_rng(0)
G.remove_edges_from([edge for edge in list(G.edges) if rng.random() < 0.25])
G = G.subgraph(max(nx.connected_components(G), key=len))

fig, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
options = {"color": {v: float(v[0]) + 0.5 for v in G}, "legend": False, "node_size": 0.04}
nl.draw(G, nl.layout(G, seed=0), ax=axes[0], title="nl.layout", **options)
nl.draw(G, nx.spring_layout(G, seed=0), ax=axes[1], title="nx.spring_layout", **options)
plt.show()
