"""What a cold process loads to draw a small graph: networkx, NumPy and scipy.sparse, and nothing heavy beside them."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Measured costs of an import, 0.06 to 0.65 s each: what draws thirty nodes in 0.1 s has no use for them.
HEAVY = (
    "igraph", "numba", "llvmlite", "scipy.optimize", "scipy.sparse.csgraph", "scipy.sparse.linalg", "scipy.fft",
    "scipy.linalg", "scipy.spatial", "scipy.special", "matplotlib", "pandas", "sklearn", "tqdm",
    "concurrent.futures.thread",
)  # fmt: skip


def loaded(code: str) -> set[str]:
    """The heavy modules that are in a fresh process after the code has run and that were not before it."""
    program = f"""
import sys
import networkx, numpy, scipy.sparse
before = set(sys.modules)
import nelayout as nl
{code}
print(*sorted(m for m in {HEAVY!r} if m in sys.modules and m not in before))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


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


def test_drawing_the_karate_club_loads_nothing_heavy():
    """One call after the other in one process; each that loads something is named with it."""
    program = f"""
import sys
import networkx, numpy, scipy.sparse
before = set(sys.modules)
import nelayout as nl
G = networkx.karate_club_graph()
for call in {CALLS!r}:
    eval(call)
    heavy = [m for m in {HEAVY!r} if m in sys.modules and m not in before]
    if heavy:
        print(call, "loads", *heavy)
    before.update(heavy)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.full
def test_progress_alone_loads_its_bar():
    code = "import io; sys.stderr = io.StringIO(); nl.ws_sne_layout(networkx.path_graph(3), progress=True)"
    assert loaded(code) == {"tqdm"}


@pytest.mark.full
def test_compiled_loops_are_loaded_for_large_graphs_only():
    code = "nl.gamma_quadlog_layout(networkx.path_graph(900), seed=0, max_iter=1)"
    assert "numba" in loaded(code)
    assert "igraph" not in loaded(code)


def test_hosts_are_not_imported():
    """A matrix is drawn without networkx: a host is recognized by its object."""
    program = (
        "import sys, numpy\nimport nelayout as nl, nelayout.graphs.files\n"
        "nl.ws_sne_layout(numpy.ones((5, 5)), seed=0)\n"
        "print(*{'networkx', 'igraph', 'pandas', 'matplotlib', 'scipy.io'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
