"""
Say what a weight means
=======================

The 40 largest airports of the 48 states, all pairs joined. The weight of an edge is a distance in degrees.

What to see: read as similarities, far airports attract each other. ``weight_kind="distance"`` draws the map.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import nelayout as nl

flights = nl.example_graph("airports")
place = {v: np.array([0.78 * at["lon"], at["lat"]]) for v, at in flights.nodes(data=True) if "lon" in at}
large = [v for v, (x, y) in place.items() if -97.5 < x < -51 and 24.5 < y < 50]
large = sorted(large, key=flights.degree, reverse=True)[:40]
G = nx.complete_graph(large)
for u, v, edge in G.edges(data=True):
    edge["degrees"] = float(np.linalg.norm(place[u] - place[v]))
true = {v: place[v] for v in large}
fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for ax, kind in zip(axes, ["similarity", "distance", "true map"], strict=True):
    pos = true if kind == "true map" else nl.ws_sne_layout(G, weight="degrees", weight_kind=kind, seed=0)
    pos = nl.align(pos, to=true)
    ax.scatter(*np.array([pos[v] for v in G]).T, c=[place[v][0] for v in G])
    ax.set(title=kind, aspect="equal", xticks=[], yticks=[])
plt.show()
