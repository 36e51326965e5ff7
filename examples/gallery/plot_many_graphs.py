"""
Rank layouts on many graphs
===========================

Each graph ranks the layouts, 1 for the best. The axis of a diagram has the mean ranks, the best at the right. A bar
joins layouts that do not differ beyond chance.

What to see: no layout leads in both measures. The best at stress is behind in neighborhoods.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

graphs = {}
for k in range(5):
    graphs[f"tree {k}"] = nx.random_labeled_tree(40, seed=k)
    graphs[f"hubs {k}"] = nx.barabasi_albert_graph(40, 2, seed=k)

layouts = ["ws-sne", "tsne", "nx:spring", "nx:kamada_kawai", "nx:circular"]
found = nl.benchmark(graphs, layouts, seeds=2, measures=["neighborhood", "stress"])
diagram = found.plot(["neighborhood", "stress"])
diagram.set_dpi(150)
diagram.canvas.draw()
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.imshow(diagram.canvas.buffer_rgba())
ax.set_axis_off()
plt.show()
