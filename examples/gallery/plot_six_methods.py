"""
Six methods, one graph
======================

*Les Misérables*, drawn by six methods with their defaults.

What to see: LinLog separates groups most. Elastic Embedding fills the plane evenly. ``auto`` keeps distances.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
groups = nx.community.louvain_communities(G, seed=0)
color = {v: f"group {k + 1}" for k, members in enumerate(groups) for v in members}
methods = ["auto", "ws-sne", "tsne", "gamma-quadlog", "linlog", "ee"]
fig, axes = plt.subplots(2, 3, figsize=(11, 7.5), layout="constrained")
for ax, method in zip(axes.flat, methods, strict=True):
    pos = nl.layout(G, method, seed=0)
    nl.draw(G, pos, ax=ax, color=color, title=method, node_size=0.06, edge_color="#cccccc", legend=False)
plt.show()
