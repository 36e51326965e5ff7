"""The stored figures of a peer whose drawings are reproducible come out digit by digit."""

import json
import random

import igraph
import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks.drawing_quality import quality

EXACT = ("np1", "np2", "sns", "knn_auc", "knn_acc", "geo_r2", "geo_np", "crossings")


@pytest.mark.skipif(
    not igraph.__version__.startswith("1.0"), reason="the figures were stored with igraph 1.0"
)
@pytest.mark.parametrize("name", ["football", "worldtrade", "usair97", "london_underground", "jazz"])
def test_igraph_fruchterman_reingold(name, shared_data):
    stored = np.load(shared_data / "graphs" / f"{name}.npz")
    n, rows, cols = int(stored["n"]), stored["rows"].astype(int), stored["cols"].astype(int)
    random.seed(0)
    Y = np.array(igraph.Graph(n, np.column_stack([rows, cols]).tolist()).layout_fruchterman_reingold().coords)
    A = csr_array((np.ones(2 * len(rows)), (np.r_[rows, cols], np.r_[cols, rows])), shape=(n, n))
    A.sort_indices()
    coords = stored.get("coords")
    if coords is not None:
        coords = coords * [np.cos(np.radians(np.nanmedian(coords[:, 1]))), 1]
    found = quality(A, Y, stored.get("labels"), coords, crossings=True)
    expected = json.loads((shared_data / "peers.json").read_text())[name]["ig_fr"]
    for key in EXACT:
        if key in expected:
            assert found[key] == pytest.approx(expected[key], abs=0.6e-4), key
