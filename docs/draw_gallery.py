"""Draw the gallery: every method of the catalogue on the graphs that everybody has. A step of its own.

    python docs/draw_gallery.py        writes docs/gallery/index.md and its pictures; then build the pages

The documentation builds without it. The pictures are not kept in the repository.
"""

import re
import sys
from pathlib import Path

import matplotlib as mpl
import networkx as nx

import nelayout as nl

mpl.use("agg")

DOCS = Path(__file__).resolve().parent
AIRPORTS = DOCS.parent / "examples" / "data" / "usairports2010.graphml"


def graphs() -> dict[str, nx.Graph]:
    """Small graphs with a known shape or known groups, and the one that is shipped."""
    shown = {
        "grid": nx.grid_2d_graph(12, 12),
        "tree": nx.balanced_tree(3, 4),
        "miserables": nx.les_miserables_graph(),
        "caveman": nx.connected_caveman_graph(8, 8),
    }
    if AIRPORTS.is_file():
        shown["airports"] = nx.Graph(nx.read_graphml(AIRPORTS))
    return shown


def main() -> int:
    folder = DOCS / "gallery"
    folder.mkdir(exist_ok=True)
    page = ["# Gallery", "", "Every method on the same graphs, seed 0, no parameter set.", ""]
    names = [re.sub(r"[^a-z0-9]+", "-", row["name"].lower()) for row in nl.methods()]
    for graph_name, G in graphs().items():
        page += [f"## {graph_name}, {len(G)} nodes, {G.number_of_edges()} edges", ""]
        for name in names:
            picture = f"{graph_name}-{name}.png"
            nl.draw(G, nl.layout(G, method=name, seed=0), str(folder / picture))
            page += [f"### {graph_name}: {name}", "", f"![{graph_name} drawn by {name}]({picture})", ""]
            print(picture)
    (folder / "index.md").write_text("\n".join(page))
    return 0


if __name__ == "__main__":
    sys.exit(main())
