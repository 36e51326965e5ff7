"""
Use nelayout from igraph
========================

A layout function of nelayout goes into ``Graph.layout``, and igraph draws the result.

What to see: the two sides of Zachary's karate club.
"""

import igraph
import matplotlib.pyplot as plt

import nelayout as nl

g = igraph.Graph.Famous("Zachary")
layout = g.layout(nl.layout, seed=0)

fig, ax = plt.subplots(figsize=(6, 6), layout="constrained")
sides = g.community_leading_eigenvector(clusters=2).membership
colors = [("#d98a00", "#3b6ea5")[side] for side in sides]
igraph.plot(g, layout=layout, target=ax, vertex_size=18, vertex_color=colors, edge_color="#999999")
plt.show()
