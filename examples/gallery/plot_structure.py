"""
Draw what you know beside the edges
===================================

One graph, the characters of *Les Misérables*, by five keywords. Colors are communities.

What to see: each keyword holds one thing, exactly: areas, circles, columns or a line. The edges decide the rest.
"""

import matplotlib.pyplot as plt
import networkx as nx

import nelayout as nl

G = nx.les_miserables_graph()
group = {v: k for k, members in enumerate(nx.community.louvain_communities(G, seed=0)) for v in members}
heroes = sorted(G, key=G.degree)[-5:]
hulls, line = {"groups": group, "groups_shape": "hull"}, {"align": [(heroes, "y")]}
keywords = [{}, hulls, {"rings": "Valjean"}, {"circle": True}, {"columns": group}, line]
names = ["no keyword", "groups, groups_shape", "rings", "circle", "columns", "align"]
fig, axes = plt.subplots(2, 3, figsize=(12, 8), layout="constrained")
for ax, name, given in zip(axes.flat, names, keywords, strict=True):
    pos = nl.layout(G, seed=0, **given)
    shown = {"groups": group} if "groups" in given else {}
    nl.draw(G, pos, ax=ax, color=group, labels={v: v for v in heroes}, legend=False, title=name, **shown)
plt.show()
