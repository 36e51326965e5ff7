"""Graph layouts and embeddings by neighbor embedding: one formula with different parts.

>>> import networkx as nx
>>> import nelayout as nl
>>> pos = nl.ws_sne_layout(nx.karate_club_graph(), seed=0)
>>> len(pos)
34

Graphs, by a method's own function
    neighbor embeddings  ws_sne_layout, tsne_layout, ssne_layout, hssne_layout, ftsne_layout, mds_ks_layout
    by path lengths      tsnet_layout, drgraph_layout
    row by row           sne_layout, nerv_layout, jse_layout, alpha_sne_layout; choose_alpha, AlphaChoice
    energies             gamma_quadlog_layout, gamma_linlog_layout, linlog_layout, quadlog_layout, polylog_layout,
                         ee_layout, forceatlas2_layout, tfdp_layout
Graphs, by any method
    layout               positions, by the name of a method, by a Method, or by "auto"
    solve, Solution      positions and all the evidence of the run
    evaluate, Evaluated  value, gradient and costs of any drawing under the objective of a method
    plan, Plan           the passes of a run, each with its reason, time and memory
    estimate             time and memory, before the run
    distributed          layouts on several machines, for graphs that do not fit one
    methods, method      the catalogue, and a method of it with parts or keywords changed
    Method               the record that a method is; CoarseToFine and Descend are its stages
    parts of a method    the modules kernels, divergences and optimizers
Graphs that change
    add_nodes            new nodes placed in a finished drawing, old ones still
    layout_sequence      snapshots drawn so that the map stays itself; LayoutSequence, with films of them
    Live                 a drawing that goes on while nodes are dragged, added and removed
Vectors
    embed, solve_vectors, knn_graph, entropic_affinity; NeighborEmbedding, an estimator of scikit-learn
    embed_cells          the neighbor graph in an AnnData object, for users of scanpy; add_cells for new cells
Drawings
    draw                 a picture; node_size_from_points and node_size_from_labels give sizes on paper in its units
    plot                 a picture of embedded vectors: classes, or what each point costs
    measure, measures    how good a drawing is; Measured; measure_vectors for embeddings
    rank_curves          Q_NX, B_NX, R_NX of all neighborhood sizes; rank_curves_vectors; RankCurves
    stability            how alike several drawings of one graph are
    explore, Page        a page to zoom, search and select in
    view, View           the same in a notebook, joined with Python
    to_json              a graph with its positions as text, for D3, sigma.js and Cytoscape.js
    compare, align       drawings beside each other, turned alike; Comparison; compare_vectors for embeddings
    benchmark, Benchmark  layouts of many graphs, ranked and tested
    audit, Audit         which claims of a drawing hold, and how good it is; Misplaced, Torn, Hidden, Cluster
    uncertainty          which positions other drawings would confirm; Uncertainty, SecondPlace
Examples
    example_graph        real graphs that come with the package
Errors
    InputError, InputTypeError, Unsupported, MissingExtra, DeviceError

``import nelayout`` costs next to nothing, and imports neither networkx nor igraph: a public name is imported when it is
first asked for (PEP 562), and a host is recognized by its object.
"""

from importlib.util import find_spec as _find_spec

__version__ = "0.1.0"

# The one table of public names: module -> the names in it (a module of this name is offered itself).
# `__init__.pyi` says the same to type checkers and editors; tests/project/test_house.py holds the two together.
_NAMES = {
    "layouts": (
        "layout", "ws_sne_layout", "gamma_quadlog_layout", "gamma_linlog_layout", "linlog_layout", "quadlog_layout",
        "polylog_layout", "ee_layout", "forceatlas2_layout", "tfdp_layout", "tsne_layout", "tsnet_layout",
        "drgraph_layout", "ssne_layout", "hssne_layout", "mds_ks_layout", "sne_layout", "nerv_layout", "jse_layout",
        "alpha_sne_layout", "ftsne_layout", "choose_alpha",
    ),
    "core.formula.alpha_choice": ("AlphaChoice",),
    "layouts.solving": ("solve",),
    "core.record.solution": ("Solution", "Evaluated"),
    "layouts.evaluating": ("evaluate",),
    "planning.calls": ("plan", "estimate"),
    "core.run.forecast": ("Plan",),
    "core.catalogue.record": ("Method",),
    "core.catalogue": ("method", "methods"),
    "core.catalogue.stages": ("CoarseToFine", "Descend"),
    "vectors.embedding": ("embed", "solve_vectors"),
    "vectors.estimator": ("NeighborEmbedding",),
    "vectors.knn": ("knn_graph", "entropic_affinity"),
    "vectors.cells": ("embed_cells",),
    "comparison": (
        "measure", "measures", "measure_vectors", "rank_curves", "rank_curves_vectors", "RankCurves", "stability",
        "Measured", "align", "compare", "compare_vectors", "Comparison", "benchmark", "Benchmark",
    ),
    "pictures": ("draw", "plot", "node_size_from_labels", "node_size_from_points"),
    "changing": ("add_nodes", "layout_sequence", "LayoutSequence"),
    "changing.cells": ("add_cells",),
    "live": ("Live",),
    "pictures.pages": ("explore", "Page"),
    "widgets": ("view", "View"),
    "trust.auditing": ("audit",),
    "trust.audited": ("Audit",),
    "trust.records": ("Misplaced", "Torn", "Hidden", "Cluster"),
    "trust.uncertain": ("uncertainty", "Uncertainty", "SecondPlace"),
    "graphs.files": ("to_json",),
    "graphs.examples": ("example_graph",),
    "errors": ("InputError", "InputTypeError", "Unsupported", "MissingExtra", "DeviceError"),
    "core.formula.divergences": ("divergences",),
    "core.formula.kernels": ("kernels",),
    "core.optimizers": ("optimizers",),
    "distributed": ("distributed",),
}  # fmt: skip
_HOME = {name: module for module, names in _NAMES.items() for name in names}

# Names that need another package; `from nelayout import *` leaves them out where it is missing.
_NEEDS = {"View": "anywidget", "view": "anywidget", "NeighborEmbedding": "sklearn"}

__all__ = [name for name in _HOME if name not in _NEEDS or _find_spec(_NEEDS[name])]  # pyright: ignore[reportUnsupportedDunderAll]  the .pyi is what type checkers read


def __getattr__(name: str):
    """Import a public name's module on first use; a misspelt name gets the near ones named."""
    if name in _HOME:
        import importlib

        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        value = module if _HOME[name].rpartition(".")[2] == name else getattr(module, name)
        globals()[name] = value  # the next look-up is an ordinary one
        return value
    from nelayout.errors import near_matches

    near = [] if name.startswith("_") else near_matches(name, _HOME)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
