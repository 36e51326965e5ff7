"""
Lay out a graph in three dimensions
===================================

``dim=3`` works with each method. matplotlib turns the picture on its 3-D axes.

What to see: a cube of 6 x 6 x 6 nodes, seen from one corner.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.grid_graph((6, 6, 6))
pos = nl.layout(G, "gamma-quadlog", dim=3, seed=0)

ax = plt.figure(figsize=(7, 6)).add_subplot(projection="3d")
nl.draw(G, pos, ax=ax, color={v: float(v[0]) + 0.5 for v in G}, legend=False)
plt.show()
