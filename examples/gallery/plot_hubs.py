"""
Hubs without a hairball
=======================

Flights between airports of the 48 states. t-SNE gives each airport the same mass, ws-SNE its degree as mass.

What to see: t-SNE stacks the hubs in one dot with a halo. ws-SNE spreads them and keeps their small airports near.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nl.example_graph("airports")
G = G.subgraph([v for v, state in G.nodes(data="state") if state not in {"AK", "HI", "PR", "TT", "VI"}])
G = G.subgraph(max(nx.connected_components(G), key=len))
size = {v: 0.008 * d**0.5 for v, d in G.degree}

fig, axes = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
for ax, method in zip(axes, ["tsne", "ws-sne"], strict=True):
    pos = nl.layout(G, method, weight=None, seed=0)
    nl.draw(G, pos, ax=ax, title=method, color="degree", node_size=size, edge_color="#dddddd", legend=ax is axes[1])
plt.show()
