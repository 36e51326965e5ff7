"""
Find the nodes that a picture gets wrong
========================================

``solve`` returns the cost of each node. A node with a high cost is far from some of its neighbors.

What to see: Valjean and Marius cost most. They belong to several groups and can stand in one place only.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
solution = nl.solve(G, "ws-sne", node_size="auto", seed=0)

cost = dict(zip(G, solution.node_cost, strict=True))
worst = sorted(G, key=cost.get, reverse=True)[:6]
fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
nl.draw(G, solution, ax=ax, color=cost, labels={v: v for v in worst}, edge_color="#cccccc")
plt.show()
