"""
Pack many components
====================

A graph of sixty components: a large one, rings, pairs and single nodes.

What to see: no component covers another one. The distance between two components has no meaning.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

parts = [nx.barabasi_albert_graph(120, 1, seed=0), *[nx.cycle_graph(n) for n in range(3, 15)]]
parts += [nx.path_graph(2)] * 20 + [nx.path_graph(1)] * 27
G = nx.disjoint_union_all(parts)
pos = nl.layout(G, seed=0)

fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
nl.draw(G, pos, ax=ax, color="#3b6ea5", edge_color="#777777")
plt.show()
