"""
Compose a method of your own
============================

A method is a record of parts. This one has a divergence between LinLog's and t-SNE's, which no paper has used.

What to see: the islands of LinLog, but with room between their nodes.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.relaxed_caveman_graph(8, 12, 0.15, seed=1)
mine = nl.Method(kernel="cauchy", divergence="beta:0.5", connection="optimal", mass="strength")

fig, axes = plt.subplots(1, 3, figsize=(13, 4.5), layout="constrained")
color = {v: f"group {v // 12 + 1}" for v in G}
for ax, title, method in zip(axes, ["linlog", "beta:0.5", "tsne"], ["linlog", mine, "tsne"], strict=True):
    nl.draw(G, nl.layout(G, method, seed=0), ax=ax, color=color, title=title, legend=False)
plt.show()
