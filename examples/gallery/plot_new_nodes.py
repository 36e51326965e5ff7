"""
Add nodes without moving the others
===================================

A network is laid out, then ten nodes join it. ``add_nodes`` places the new nodes only.

What to see: each old node (gray) has the same position in both pictures.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.random_internet_as_graph(150, seed=1)
old = G.subgraph(list(G)[:140])
pos = nl.layout(old, "ws-sne", seed=0)
more = nl.add_nodes(G, pos, "ws-sne", seed=0)

fig, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained", sharex=True, sharey=True)
color = {v: "#8a8a8a" if v in old else "#d1495b" for v in G}
options = {"node_size": 0.04, "edge_color": "#d0d0d0"}
nl.draw(old, pos, ax=axes[0], color={v: color[v] for v in old}, title="before", **options)
nl.draw(G, more, ax=axes[1], color=color, title="after", **options)
plt.show()
