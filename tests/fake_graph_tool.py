"""A small graph-tool, by its documentation: just the calls that nelayout makes, for machines where it is not installed.

https://graph-tool.skewed.de/static/doc/autosummary/graph_tool.Graph.html says what they do. Vertices are numbers,
edges come as (source, target, number).
"""

from __future__ import annotations

import numpy as np

__version__ = "of the tests"


class PropertyMap:
    def __init__(self, G, kind, keys, vals):
        self.G, self.kind = G, kind
        empty = [] if kind.startswith("vector") else "" if kind == "string" else 0
        given = [empty] * len(keys) if vals is None else vals
        self.held = dict(zip(keys, given, strict=True))

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        assert key in self.held
        self.held[key] = value

    def __call__(self, key):  # graph-tool's can be called, too
        return self.held[key]

    def value_type(self):
        return self.kind

    def get_graph(self):
        return self.G


class VertexPropertyMap(PropertyMap):
    pass


class EdgePropertyMap(PropertyMap):
    pass


class Graph:
    def __init__(self, directed=True):
        self.directed, self.n, self.ends, self.gone = directed, 0, [], set()
        self.vertex_properties, self.edge_properties = {}, {}

    vp = property(lambda self: self.vertex_properties)
    ep = property(lambda self: self.edge_properties)

    def add_vertex(self, n=1):
        self.n += n

    def add_edge_list(self, edges):
        self.ends.extend((u, v, len(self.ends) + k) for k, (u, v) in enumerate(edges))
        self.n = max([self.n, *(max(u, v) + 1 for u, v, _ in self.ends)])

    def new_vertex_property(self, kind, vals=None):
        return VertexPropertyMap(self, kind, list(range(self.n)), vals)

    def new_edge_property(self, kind, vals=None):
        return EdgePropertyMap(self, kind, list(self.ends), vals)

    def is_directed(self):
        return self.directed

    def vertices(self):
        return (v for v in range(self.n) if v not in self.gone)

    def vertex(self, number):
        return number

    def get_vertices(self):
        return np.array(list(self.vertices()), dtype=np.int64)

    def edges(self):
        return (e for e in self.ends if not self.gone & set(e[:2]))

    def get_edges(self, eprops=()):
        if any(values.kind in {"string", "object"} for values in eprops):
            raise ValueError("edge property map must be of scalar type")
        rows = [[*edge[:2], *(values[edge] for values in eprops)] for edge in self.edges()]
        return np.array(rows, dtype=float if eprops else np.int64).reshape(-1, 2 + len(eprops))


class GraphView(Graph):
    def __init__(self, G, vfilt):
        self.__dict__.update(G.__dict__)
        self.gone = {v for v in G.vertices() if not vfilt(v)}
