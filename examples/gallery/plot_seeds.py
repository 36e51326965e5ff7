"""
Check what another seed would show
==================================

Three layouts of one graph from three seeds, turned to match. ``stability`` measures how much they share.

What to see: the groups stay. Which group lies beside which other group is partly chance.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.planted_partition_graph(8, 16, 0.5, 0.03, seed=2)
drawings = [nl.tsne_layout(G, seed=seed) for seed in range(3)]
shared = nl.stability(drawings)
print(f"{shared['neighbors'].value:.2f} of the nearest nodes are shared")

fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
color = {v: f"group {v // 16 + 1}" for v in G}
for seed, (ax, pos) in enumerate(zip(axes, drawings, strict=True)):
    nl.draw(G, nl.align(pos, to=drawings[0]), ax=ax, color=color, title=f"seed={seed}", legend=False)
plt.show()
