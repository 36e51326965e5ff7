"""
Order two columns with fewer crossings
======================================

Women and the events that they attended. ``fixed`` keeps the columns. nelayout chooses the order in each column.

What to see: edges cross less often, and women who attended the same events stand together.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.davis_southern_women_graph()
women, events = G.graph["top"], G.graph["bottom"]
start = nx.bipartite_layout(G, women)
pos = nl.ws_sne_layout(G, pos=start, fixed=dict.fromkeys(G, "x"), seed=0)
fig, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for ax, name, given in zip(axes, ["nx.bipartite_layout", "nelayout"], [start, pos], strict=True):
    even = {}
    for x, column, side in [(0, women, "right"), (1, events, "left")]:
        for k, v in enumerate(sorted(column, key=lambda v, given=given: given[v][1])):
            even[v] = (x, k / (len(column) - 1))
            ax.text(x + (0.04 if x else -0.04), even[v][1], v, ha=side, va="center", fontsize=8)
    crossings = nl.measure(G, even, measures="crossings")["crossings"].value
    nl.draw(G, even, ax=ax, title=f"{name}: {crossings:.0f} crossings", color="#3b6ea5", node_size=0.025)
plt.show()
