"""
Bundle long edges on a dark background
======================================

Flights of the 48 states at the true positions of the airports. Long edges run along shorter ones.

What to see: the main corridors. Every bundle follows edges that exist.
"""

import matplotlib.pyplot as plt

import nelayout as nl

G = nl.example_graph("airports")
true = {v: (0.78 * at["lon"], at["lat"]) for v, at in G.nodes(data=True) if "lon" in at}
G = G.subgraph([v for v, (x, y) in true.items() if -97.5 < x < -51 and 24.5 < y < 50])

fig, ax = plt.subplots(figsize=(10, 6), layout="constrained", facecolor="#111418")
pos = {v: true[v] for v in G}
nl.draw(G, pos, ax=ax, background="dark", edges="bundled", color="#ffb454", edge_color="#5c7fa8", node_size=0.25)
plt.show()
