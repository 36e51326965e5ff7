"""What a cold process loads: an import nearly nothing, a drawing of a small graph NumPy and scipy.sparse alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = pytest.mark.full
# Measured costs of an import, 0.06 to 0.65 s each: what draws thirty nodes in 0.1 s has no use for them.
HEAVY = (
    "igraph", "numba", "llvmlite", "scipy.optimize", "scipy.sparse.csgraph", "scipy.sparse.linalg", "scipy.fft",
    "scipy.linalg", "scipy.spatial", "scipy.special", "matplotlib", "pandas", "sklearn", "tqdm",
    "concurrent.futures.thread",
)  # fmt: skip
# Of these, what the package itself must not bring in, nor a look at its public names.
FOR_IMPORT = ("networkx", "igraph", "numba", "scipy.optimize", "scipy.fft", "matplotlib", "pandas", "sklearn", "tqdm")
# NeighborEmbedding is a class of scikit-learn's kind, which cannot be had without it.
NAMES = "for name in nl.__all__: name == 'NeighborEmbedding' or getattr(nl, name)"
ERROR = "from nelayout.errors import InputError, for_networkx; e = InputError('x'); assert for_networkx(e) is e"
SMALL = """
import networkx, numpy, nelayout.core.catalogue
from nelayout.core.objective import Affinity, Objective
from nelayout.core.optimizers import LBFGS, Majorize
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.sums.nbody import Exact
P = networkx.to_scipy_sparse_array(networkx.path_graph(6), dtype=float)
nerv = nelayout.core.catalogue.METHODS['nerv']
J = Objective(Affinity(P, numpy.ones(6)), nerv.kernel, nerv.divergence, nerv.connection, Exact())
Y = numpy.random.default_rng(0).normal(size=(6, 2))
for optimizer in (LBFGS(), Majorize()):
    minimize(J, Y, optimizer, 3, StoppingRule(move=1e-3, force=1e-3))
"""
FOREST = """
import networkx
trees = [networkx.random_labeled_tree(2 + k % 9, seed=k) for k in range(20)]
nl.solve(networkx.disjoint_union_all(trees), "nerv", seed=0, n_jobs=2, max_iter=2)
"""
EMBED = "nl.embed([[0.0], [1.0], [3.0]], n_neighbors=1, random_state=0)"
MATRIX = "import numpy, nelayout.graphs.files; nl.ws_sne_layout(numpy.ones((5, 5)), seed=0)"
FILE = str(Path(__file__).parents[2] / "examples" / "data" / "usairports2010.graphml")
COMMAND = f"""
from nelayout.cli import main
main(["layout", {FILE!r}, "-o", "/dev/null", "--format", ":json", "--quiet"])
"""
# Code that runs after the import, and modules that it must not load.
CODES = [
    ("", FOR_IMPORT),
    (NAMES, FOR_IMPORT),
    ("nl.Unsupported", ["nelayout.layouts"]),
    (ERROR, ["networkx"]),
    (MATRIX, ["networkx", "igraph", "pandas", "matplotlib", "scipy.io"]),  # a host is recognized by its object
    (SMALL, ["numba"]),
    (FOREST, ["numba"]),
    pytest.param(EMBED, ["torch"], marks=FULL),
    pytest.param(COMMAND, ["matplotlib"], marks=FULL),
    pytest.param("import networkx; nl.layout(networkx.path_graph(900), max_iter=1, seed=0)", ["igraph"], marks=FULL),
]


def run(program: str) -> str:
    """What a program prints in a fresh process, where no warning may come."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(("code", "never"), CODES)
def test_nothing_is_loaded_without_need(code, never):
    assert run(f"import nelayout as nl\n{code}\nimport sys; print(*({set(never)} & set(sys.modules)))").split() == []


def test_a_star_import_leaves_out_names_that_need_a_missing_package():
    program = """
import sys
sys.modules["anywidget"] = sys.modules["sklearn"] = None
from nelayout import *
import nelayout
print(layout.__name__, *sorted(set(nelayout._HOME) - set(nelayout.__all__)))
"""
    assert run(program).split() == ["layout", "NeighborEmbedding", "View", "view"]


CALLS = [
    "nl.ws_sne_layout(G, seed=0)",
    "nl.layout(G, seed=0)",
    "nl.gamma_quadlog_layout(G, seed=0)",
    "nl.tsne_layout(G, seed=0, dim=3, mass='degree')",
    "nl.linlog_layout(G, pos=nl.ee_layout(G, seed=0), fixed=[0, 33], node_size=0.01)",
    "nl.ws_sne_layout(networkx.disjoint_union(G, networkx.cycle_graph(5)), seed=0)",
    "nl.ws_sne_layout(networkx.to_scipy_sparse_array(G), seed=0)",
    "nl.ws_sne_layout(networkx.to_numpy_array(G), seed=0)",
    "nl.methods()",
]


def loads(calls: list[str]) -> str:
    """A line for each call that loads something heavy, one call after the other in one process."""
    return run(f"""
import io, sys
import networkx, numpy, scipy.sparse
before = set(sys.modules)
import nelayout as nl
G = networkx.karate_club_graph()
for call in {calls!r}:
    eval(call)
    heavy = [m for m in {HEAVY!r} if m in sys.modules and m not in before]
    if heavy:
        print(call, "loads", *heavy)
    before.update(heavy)
""")


def test_drawing_the_karate_club_loads_nothing_heavy():
    assert loads(CALLS) == ""


@pytest.mark.full
def test_progress_loads_its_bar_and_large_graphs_load_compiled_loops():
    quiet = "setattr(sys, 'stderr', io.StringIO())"
    assert loads([quiet, "nl.ws_sne_layout(G, progress=True)"]).split(" loads ")[1:] == ["tqdm\n"]
    assert "numba" in loads(["nl.gamma_quadlog_layout(networkx.path_graph(900), seed=0, max_iter=1)"])
