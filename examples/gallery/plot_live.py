"""
Drag a node of a live layout
============================

``Live`` keeps a layout of a mesh going. The red corner is dragged and let go, then a heavy edge joins two corners.

What to see: neighbors follow the corner, the far side stays. After the release the mesh is even again.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.grid_2d_graph(12, 16)
live = nl.Live(G, "tsne")
(x, y), color = live.positions[0, 0], {v: "red" if v == (0, 0) else "gray" for v in G}
fig, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained", sharex=True, sharey=True)
panels = dict(zip((0, 20, 39, 99, 115, 140), axes.flat, strict=True))
for k in range(141):
    if k < 40:
        live.move((0, 0), (x * (1 - k / 50), y))
    elif k == 40:
        live.release((0, 0))
    elif k == 100:
        live.set_weight((0, 0), (0, 15), 20)
    live.step(iterations=1)
    if k in panels:
        nl.draw(G, live.positions, ax=panels[k], color=color, title=f"picture {k}")
plt.show()
