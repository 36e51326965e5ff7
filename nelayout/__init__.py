"""Graph layouts and embeddings by neighbor embedding: one formula with different parts.

>>> import networkx as nx
>>> import nelayout as nl
>>> pos = nl.ws_sne_layout(nx.karate_club_graph(), seed=0)
>>> len(pos)
34

Public names arrive when they are first asked for (PEP 562), so that `import nelayout` costs next to
nothing and imports neither networkx nor igraph: a host is recognised by its object, not imported.
"""

__version__ = "0.1.0"

# The one table of public names: module -> what the package offers from it. `__init__.pyi` says the same to
# type checkers and editors, and tests/test_house.py holds the two together.
_PUBLIC = {
    "layouts": (
        "layout",
        "ws_sne_layout",
        "gamma_quadlog_layout",
        "gamma_linlog_layout",
        "linlog_layout",
        "quadlog_layout",
        "polylog_layout",
        "ee_layout",
        "tsne_layout",
        "ssne_layout",
        "hssne_layout",
        "mds_ks_layout",
    ),
    "pipeline": ("solve",),
    "solution": ("Solution",),
    "catalogue": ("Method", "methods"),
    "drawing": ("draw",),
    "errors": ("Unsupported",),
}
_SUBMODULES = ("divergences", "kernels", "optimizers")
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = list((*_HOME, *_SUBMODULES))


def __getattr__(name: str):
    """Import a public name's module on first use; a misspelt name gets the near ones named."""
    import importlib

    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value  # the next look-up is an ordinary one
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("_"):
        import difflib

        near = difflib.get_close_matches(name, __all__, n=3)
        if near:
            message += "; did you mean " + " or ".join(map(repr, near)) + "?"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
