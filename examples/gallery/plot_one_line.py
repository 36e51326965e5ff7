"""
Draw a graph in one line
========================

Characters of *Les Misérables* who meet in a chapter. One call lays out the graph, one call draws it.

What to see: people who meet often stand together. Colors are communities, found by networkx.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
pos = nl.layout(G, seed=0)

groups = nx.community.louvain_communities(G, seed=0)
color = {v: f"group {k + 1}" for k, members in enumerate(groups) for v in members}
fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
nl.draw(G, pos, ax=ax, color=color, labels=True, edges="faded", legend=False)
plt.show()
