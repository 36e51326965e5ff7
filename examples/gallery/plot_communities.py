"""
Show communities as islands
===========================

Eight groups of twelve nodes, with few edges between groups, by LinLog.

What to see: each group is one island. Two islands are far apart if few edges join them.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.relaxed_caveman_graph(8, 12, 0.15, seed=1)
pos = nl.linlog_layout(G, seed=0)

color = {v: f"group {v // 12 + 1}" for v in G}
fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
nl.draw(G, pos, ax=ax, color=color)
plt.show()
