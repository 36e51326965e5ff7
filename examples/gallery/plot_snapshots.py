"""
Keep the map while a graph grows
================================

Three snapshots of *Les Misérables*. ``layout_sequence`` holds each layout to the layout before.

What to see: old characters keep their places. New characters appear beside their neighbors.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
snapshots = [G.subgraph(list(G)[:n]) for n in (40, 60, 77)]
film = nl.layout_sequence(snapshots, "ws-sne", seed=0)

fig, axes = plt.subplots(1, 3, figsize=(13, 4.5), layout="constrained", sharex=True, sharey=True)
for ax, each, pos in zip(axes, snapshots, film.positions, strict=True):
    color = {v: "first 40" if v in snapshots[0] else "later" for v in each}
    nl.draw(each, pos, ax=ax, color=color, title=f"{len(each)} characters", legend=False)
plt.show()
