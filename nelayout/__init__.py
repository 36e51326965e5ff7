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
    estimate, Estimate   time and memory, before the run
    distributed          layouts on several machines, for graphs that do not fit one
    methods, method      the catalogue, and a method of it with parts or keywords changed
    Method               the record that a method is; CoarseToFine and Descend are its stages
    parts of a method    the modules kernels, divergences and optimizers
Graphs that change
    add_nodes            new nodes placed in a finished drawing, old ones still
    layout_sequence      snapshots drawn so that the map stays itself; LayoutSequence, with films of them
Vectors
    embed, solve_vectors, knn_graph, entropic_affinity; NeighborEmbedding, an estimator of scikit-learn
    embed_cells          the neighbor graph in an AnnData object, for users of scanpy
Drawings
    draw                 a picture; node_size_from_points and node_size_from_labels give sizes on paper in its units
    plot                 a picture of embedded vectors: classes, or what each point costs
    measure, measures    how good a drawing is; Measured; measure_vectors for embeddings
    rank_curves          Q_NX, B_NX, R_NX of all neighborhood sizes; rank_curves_vectors; RankCurves
    stability            how alike several drawings of one graph are
    explore, Page        a page to zoom, search and select in
    compare, align       drawings beside each other, turned alike; Comparison; compare_vectors for embeddings
Errors
    InputError, InputTypeError, Unsupported, MissingExtra, DeviceError

``import nelayout`` costs next to nothing, and imports neither networkx nor igraph: a public name is imported when it is
first asked for (PEP 562), and a host is recognized by its object.
"""

__version__ = "0.1.0"

# The one table of public names: name -> the module it lives in (where both are the same, the module itself).
# `__init__.pyi` says the same to type checkers and editors; tests/project/test_house.py holds the two together.
_HOME = {
    "layout": "layouts",
    "ws_sne_layout": "layouts",
    "gamma_quadlog_layout": "layouts",
    "gamma_linlog_layout": "layouts",
    "linlog_layout": "layouts",
    "quadlog_layout": "layouts",
    "polylog_layout": "layouts",
    "ee_layout": "layouts",
    "forceatlas2_layout": "layouts",
    "tfdp_layout": "layouts",
    "tsne_layout": "layouts",
    "tsnet_layout": "layouts",
    "drgraph_layout": "layouts",
    "ssne_layout": "layouts",
    "hssne_layout": "layouts",
    "mds_ks_layout": "layouts",
    "sne_layout": "layouts",
    "nerv_layout": "layouts",
    "jse_layout": "layouts",
    "alpha_sne_layout": "layouts",
    "ftsne_layout": "layouts",
    "choose_alpha": "layouts",
    "AlphaChoice": "formula.alpha_choice",
    "solve": "run.pipeline",
    "Solution": "record.solution",
    "evaluate": "run.evaluation",
    "Evaluated": "record.solution",
    "plan": "run.plan_table",
    "Plan": "run.plan_table",
    "estimate": "run.plan_table",
    "Estimate": "run.plan_table",
    "Method": "catalogue.record",
    "method": "catalogue",
    "CoarseToFine": "catalogue.stages",
    "Descend": "catalogue.stages",
    "methods": "catalogue",
    "embed": "vectors.embedding",
    "solve_vectors": "vectors.embedding",
    "NeighborEmbedding": "vectors.estimator",
    "knn_graph": "vectors.knn",
    "entropic_affinity": "vectors.knn",
    "embed_cells": "vectors.cells",
    "measure": "comparison",
    "measures": "comparison",
    "measure_vectors": "comparison",
    "rank_curves": "comparison",
    "rank_curves_vectors": "comparison",
    "RankCurves": "comparison",
    "stability": "comparison",
    "Measured": "comparison",
    "align": "comparison",
    "compare": "comparison",
    "compare_vectors": "comparison",
    "Comparison": "comparison",
    "draw": "pictures",
    "plot": "pictures",
    "node_size_from_labels": "pictures",
    "node_size_from_points": "pictures",
    "add_nodes": "changing",
    "layout_sequence": "changing",
    "LayoutSequence": "changing",
    "explore": "pictures.pages",
    "Page": "pictures.pages",
    "InputError": "errors",
    "InputTypeError": "errors",
    "Unsupported": "errors",
    "MissingExtra": "errors",
    "DeviceError": "errors",
    "divergences": "formula.divergences",
    "kernels": "formula.kernels",
    "optimizers": "optimizers",
    "distributed": "distributed",
}

__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]  the .pyi is what type checkers read


def __getattr__(name: str):
    """Import a public name's module on first use; a misspelt name gets the near ones named."""
    if name in _HOME:
        import importlib

        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        value = module if _HOME[name].rpartition(".")[2] == name else getattr(module, name)
        globals()[name] = value  # the next look-up is an ordinary one
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("_"):
        import difflib

        near = difflib.get_close_matches(name, _HOME, n=3)
        if near:
            message += "; did you mean " + " or ".join(map(repr, near)) + "?"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
