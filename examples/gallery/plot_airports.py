"""
Name regions, not nodes
=======================

Flights between US airports. 755 names would cover the picture, so only regions have a name.

What to see: each region is one area, Alaska stands alone. The layout sees flights, not coordinates.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import nelayout as nl

REGIONS = {
    "Alaska": "AK", "West": "AZ CA CO HI ID MT NM NV OR TT UT WA WY", "Northeast": "CT MA ME NH NJ NY PA RI VT",
    "Midwest": "IA IL IN KS MI MN MO ND NE OH SD WI",
}  # fmt: skip
region = {state: name for name, states in REGIONS.items() for state in states.split()}
G = nl.example_graph("airports")
G = G.subgraph(max(nx.connected_components(G), key=len))
pos = nl.ws_sne_layout(G, weight="services", weight_kind="log", seed=0)
color = {v: region.get(state, "South") for v, state in G.nodes(data="state")}
fig, ax = plt.subplots(figsize=(10, 6), layout="constrained")
nl.draw(G, pos, ax=ax, color=color, edges="faded", edge_color="#d4d4d4", legend=False)
for name in sorted(set(color.values())):
    x, y = np.median([pos[v] for v in G if color[v] == name], axis=0)
    ax.text(x, y, name, fontsize=15, ha="center", va="center", bbox={"fc": "white", "ec": "none", "alpha": 0.85})
plt.show()
