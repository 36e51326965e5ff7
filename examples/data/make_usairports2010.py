"""Convert usairports2010.npz to usairports2010.graphml: python make_usairports2010.py NPZ [GRAPHML].

The npz holds `rows`, `cols` (each undirected edge once), `weights`, `names`, `labels` (indices into
`label_names`) and `coords` (longitude, latitude; NaN where unknown).
README.md beside this file says what they mean.
"""

import sys
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np


def graphml(npz: Path) -> str:
    """The GraphML text, one line a node or edge, in the order of the npz."""
    with np.load(npz) as data:
        names = data["names"].tolist()
        states = data["label_names"][data["labels"]].tolist()
        places = data["coords"].tolist()
        triples = zip(data["rows"].tolist(), data["cols"].tolist(), data["weights"].tolist(), strict=True)
        edges = [(names[i], names[j], int(weight)) for i, j, weight in triples]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="a" for="node" attr.name="name" attr.type="string"/>',
        '<key id="s" for="node" attr.name="state" attr.type="string"/>',
        '<key id="x" for="node" attr.name="lon" attr.type="double"/>',
        '<key id="y" for="node" attr.name="lat" attr.type="double"/>',
        '<key id="c" for="edge" attr.name="services" attr.type="int"/>',
        '<graph id="usairports2010" edgedefault="undirected">',
    ]
    for name, state, (longitude, latitude) in zip(names, states, places, strict=True):
        place = ""
        if np.isfinite(longitude) and np.isfinite(latitude):
            place = f'<data key="x">{longitude:.4f}</data><data key="y">{latitude:.4f}</data>'
        lines.append(
            f'<node id={quoteattr(name)}><data key="a">{escape(name)}</data>'
            f'<data key="s">{escape(state)}</data>{place}</node>'
        )
    for source, target, services in edges:
        ends = f"source={quoteattr(source)} target={quoteattr(target)}"
        lines.append(f'<edge {ends}><data key="c">{services}</data></edge>')
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    target = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).with_name("usairports2010.graphml")
    target.write_text(graphml(Path(sys.argv[1])), encoding="utf-8")
    print(f"{target}: {target.stat().st_size} bytes")
