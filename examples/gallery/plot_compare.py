"""
Compare four layouts in one table
=================================

``compare`` lays out a graph with several methods, measures each layout, and marks the best values with a star.

What to see: one layout keeps neighborhoods best, another one distances. No layout wins everywhere.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
methods = ["ws-sne", "auto", "nx:spring", "nx:kamada_kawai"]
comparison = nl.compare(G, methods, measures=["neighborhood", "stress", "crossings"], seed=0)
print(comparison)

groups = nx.community.louvain_communities(G, seed=0)
color = {v: f"group {k + 1}" for k, members in enumerate(groups) for v in members}
fig, axes = plt.subplots(2, 2, figsize=(6, 3.3), layout="constrained")
for ax, (name, pos) in zip(axes.flat, comparison.drawings.items(), strict=True):
    nl.draw(G, pos, ax=ax, title=name, color=color, node_size=0.05, edge_color="#cccccc", legend=False)
plt.show()
