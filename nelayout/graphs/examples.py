"""Two real graphs that come with the package, in the public domain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nelayout.errors import unknown

__all__ = ["example_graph"]

FILES = {"airports": "usairports2010.graphml", "counties": "us_counties.graphml.gz"}
PACKAGE = Path(__file__).resolve().parents[1]
# A wheel holds the files within the package; a clone holds them beside it.
FOLDERS = PACKAGE / "data", PACKAGE.parent / "examples" / "data"


def example_graph(name: str) -> Any:
    """Return a graph to try layouts on, as a networkx graph.

    The nodes of both graphs have the attributes ``state``, ``lon`` and ``lat``.

    Parameters
    ----------
    name : str
        "airports": 755 airports of the United States, joined by flights; ``name`` of a node, ``services`` of an edge.
        11 airports have no ``lon`` and ``lat``.  "counties": 3,143 counties of the United States, joined where they
        touch

    Returns
    -------
    networkx.Graph

    Raises
    ------
    InputError
        for an unknown name

    Examples
    --------
    >>> import nelayout as nl
    >>> G = nl.example_graph("airports")
    >>> len(G), G.nodes["LAX"]["state"]
    (755, 'CA')
    """
    import networkx as nx

    if name not in list(FILES):
        raise unknown("example", name, FILES)
    folder = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
    return nx.read_graphml(folder / FILES[name])
