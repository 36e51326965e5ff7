"""US airports, laid out from their flights alone, beside the true map: python us_airports.py [PICTURE].

ws-SNE never sees a coordinate, and yet Alaska, Hawaii with the Pacific, the Caribbean and the mainland's
regions come apart: airports that are linked to the same airports lie near each other.  Needs nelayout[draw].
"""

import argparse
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import nelayout as nl

DATA = Path(__file__).parent / "data" / "usairports2010.graphml"

REGIONS = {
    "Northeast": "CT MA ME NH NJ NY PA RI VT",
    "Midwest": "IA IL IN KS MI MN MO ND NE OH SD WI",
    "South": "AL AR DC DE FL GA KY LA MD MS NC OK SC TN TX VA WV",
    "West": "AZ CA CO ID MT NM NV OR UT WA WY",
    "Alaska": "AK",
    "Hawaii, Pacific": "HI TT",
    "Caribbean": "PR VI",
}
"""The Census Bureau's regions, with Alaska, Hawaii and the territories apart."""

REGION_OF = {state: region for region, states in REGIONS.items() for state in states.split()}


def true_map(G: nx.Graph) -> dict[str, np.ndarray]:
    """Airports with known coordinates on a flat map, x shortened by the mean latitude's cosine."""
    known = {v: (d["lon"], d["lat"]) for v, d in G.nodes(data=True) if "lon" in d}
    narrow = np.cos(np.radians(np.mean([latitude for _, latitude in known.values()])))
    # Guam lies west of Hawaii, not east of Maine
    return {v: np.array([(x - 360 if x > 0 else x) * narrow, y]) for v, (x, y) in known.items()}


def main() -> None:
    """Lay out, draw both, write the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("picture", nargs="?", default="us_airports.png", help="PNG, SVG or PDF to write")
    picture = parser.parse_args().picture

    G = nx.read_graphml(DATA)
    region = {v: REGION_OF[state] for v, state in G.nodes(data="state")}
    drawn = nl.ws_sne_layout(G, weight=None, seed=0)
    mapped = true_map(G)

    figure = Figure(figsize=(16, 8), facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.add_axes((0.01, 0.02, 0.42, 0.9)), figure.add_axes((0.46, 0.02, 0.42, 0.9))
    nl.draw(G, drawn, ax=left, color=region, labels=True, legend=False, title="ws-SNE: flights alone")
    known = G.subgraph(mapped)
    nl.draw(known, mapped, ax=right, color=region, labels=True, title="where the airports are")
    figure.savefig(picture, dpi=150)
    print(f"{picture}: {len(G)} airports, {G.number_of_edges()} connections, {len(mapped)} on the map")


if __name__ == "__main__":
    main()
