"""
Rebuild a map from borders
==========================

The graph says which US counties touch. The layout sees no coordinates.

What to see: the states lie side by side as on the map, with Florida and Maine at their ends.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import nelayout as nl

G = nl.example_graph("counties")
G = G.subgraph(max(nx.connected_components(G), key=len))
true = {v: np.array([0.78 * at["lon"], at["lat"]]) for v, at in G.nodes(data=True)}
pos = nl.align(nl.layout(G, seed=0), to=true)

fig, axes = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
options = {"color": "state", "legend": False, "edge_color": "#bbbbbb"}
nl.draw(G, pos, ax=axes[0], title="drawn from borders alone", node_size=0.37, **options)
nl.draw(G, true, ax=axes[1], title="the true map", node_size=0.37, **options)
plt.show()
