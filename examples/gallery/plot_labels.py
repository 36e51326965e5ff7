"""
Make room for each label
========================

``node_size_from_labels`` measures the texts. The layout then keeps the boxes of the texts apart.

What to see: all 77 names are written, and no name touches another name.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
fig, ax = plt.subplots(figsize=(7, 6.2), layout="constrained")
size = nl.node_size_from_labels({v: v for v in G}, 7, (6, 6))
pos = nl.ws_sne_layout(G, node_size=size, seed=0)
nl.draw(G, pos, ax=ax, labels=True, node_size=0, font_size=7, edge_color="gray")
plt.show()
