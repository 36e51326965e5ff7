"""Graph layouts and embeddings by neighbor embedding: one formula with different parts.

>>> import networkx as nx
>>> import nelayout as nl
>>> pos = nl.ws_sne_layout(nx.karate_club_graph(), seed=0)
>>> len(pos)
34

Public names arrive when they are first asked for (PEP 562), so that `import nelayout` costs next to
nothing and imports neither networkx nor igraph: a host is recognized by its object, not imported.
"""

__version__ = "0.1.0"

# The one table of public names: name -> the module it lives in (where both are the same, the module itself).
# `__init__.pyi` says the same to type checkers and editors; tests/test_house.py holds the two together.
_HOME = {
    "layout": "layouts.of_graphs",
    "ws_sne_layout": "layouts.of_graphs",
    "gamma_quadlog_layout": "layouts.of_graphs",
    "gamma_linlog_layout": "layouts.of_graphs",
    "linlog_layout": "layouts.of_graphs",
    "quadlog_layout": "layouts.of_graphs",
    "polylog_layout": "layouts.of_graphs",
    "ee_layout": "layouts.of_graphs",
    "tsne_layout": "layouts.of_graphs",
    "ssne_layout": "layouts.of_graphs",
    "hssne_layout": "layouts.of_graphs",
    "mds_ks_layout": "layouts.of_graphs",
    "sne_layout": "layouts.retrieval",
    "nerv_layout": "layouts.retrieval",
    "jse_layout": "layouts.retrieval",
    "alpha_sne_layout": "layouts.retrieval",
    "ftsne_layout": "layouts.retrieval",
    "choose_alpha": "layouts.retrieval",
    "AlphaChoice": "alpha.choice",
    "solve": "run.pipeline",
    "Solution": "record.solution",
    "estimate": "run.costs",
    "Estimate": "run.costs",
    "Method": "method",
    "CoarseToFine": "stages",
    "Descend": "stages",
    "methods": "catalogue",
    "embed": "vectors.embedding",
    "knn_graph": "vectors.knn",
    "entropic_affinity": "vectors.entropic",
    "measure": "comparison",
    "measures": "comparison",
    "Measured": "comparison",
    "align": "comparison",
    "compare": "comparison",
    "Comparison": "comparison",
    "draw": "drawing",
    "Unsupported": "errors",
    "divergences": "divergences",
    "kernels": "kernels",
    "optimizers": "optimizers",
}

__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]  the .pyi is what type checkers read


def __getattr__(name: str):
    """Import a public name's module on first use; a misspelt name gets the near ones named."""
    if name in _HOME:
        import importlib

        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        value = module if name == _HOME[name] else getattr(module, name)
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
