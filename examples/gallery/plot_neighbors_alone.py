"""
Recover positions from neighbors
================================

Points in a square are joined if they are near. The layout gets the edges only.

What to see: the drawing has the shape of the true map, including its gaps.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.random_geometric_graph(250, 0.13, seed=4)
G = G.subgraph(max(nx.connected_components(G), key=len))
true = dict(G.nodes(data="pos"))
pos = nl.align(nl.layout(G, seed=0), to=true)

fig, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
color = {v: x for v, (x, _) in true.items()}
nl.draw(G, pos, ax=axes[0], title="drawn from edges", color=color, legend=False)
nl.draw(G, true, ax=axes[1], title="true positions", color=color, legend=False)
plt.show()
