"""Drawing on a device, by PyTorch's loops on the CPU: the same sums and drawings, and errors that say what to do.

A GPU runs the same code; rounding and time differ there.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from oracles import NAMES, objective, part, random_case
from test_family import CONNECTIONS, HOMOGENEOUS, KERNEL_TABLE, SPACES
from test_nbody import BOUNDS, RADIALS, drawings, errors, masses

import nelayout as nl
from nelayout.core.formula.connections import Optimal
from nelayout.core.formula.kernels import KERNELS
from nelayout.core.formula.potentials import Springs
from nelayout.core.formula.potentials.gravity import Gravity
from nelayout.core.optimizers import OPTIMIZERS
from nelayout.core.similarities.random_walk import RandomWalk
from nelayout.core.sums.device import DEVICES, Device, device_named
from nelayout.core.sums.nbody import Exact, backend
from nelayout.core.sums.nbody.mesh import Mesh
from nelayout.errors import DeviceError, InputError, InputTypeError, MissingExtra
from nelayout.numerics.distances import Distances
from nelayout.numerics.parallel import Threads
from nelayout.numerics.pytorch import torch_module


def close(found, true, rtol: float = 1e-7, part: float = 0.0, atol: float = 0.0) -> None:
    """An array on a device and one of NumPy; ``part``: tolerance relative to the largest number."""
    np.testing.assert_allclose(np.asarray(found), true, rtol=rtol, atol=atol + part * np.abs(true).max())


def test_without_pytorch_the_error_names_the_command_and_the_cpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"device='cuda'.*pip install \"nelayout\[torch\]\", or use device='cpu'"):
        nl.layout(nx.path_graph(4), device="cuda")
    assert device_named("auto") is None
    notes = nl.solve(nx.path_graph(4), device="auto").notes
    assert "device='auto' found no GPU that PyTorch can use" in notes


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ("gpu", InputError, "unknown device 'gpu'"),
        ("cuda:x", InputError, "did you mean 'cuda:1' or 'cuda'"),
        (1, InputTypeError, "got int"),
        (None, InputTypeError, "got NoneType"),
    ],
)
def test_names_of_devices(given, error, said):
    with pytest.raises(error, match=said):
        nl.layout(nx.path_graph(4), device=given)


@pytest.mark.gpu
class TestOnTorch:
    """Everything that needs PyTorch."""

    @pytest.fixture(autouse=True)
    def one_thread(self):
        """Tests run beside each other, and the sums of PyTorch on the CPU depend on the number of its threads."""
        torch = pytest.importorskip("torch", reason="PyTorch, the extra [torch], is not installed")
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(before)

    @pytest.fixture
    def device(self) -> Device:
        found = device_named("torch-cpu")
        assert found is not None
        return found

    @staticmethod
    def on(device: Device, J, nbody: str = "exact"):
        """Bring an objective to the device."""
        return replace(J, device=device, nbody=device.nbody(nbody, Threads()), compiled=False)

    @pytest.mark.parametrize(
        ("connection", "name"),
        [(c, name) for c in CONNECTIONS for name in NAMES] + [(Optimal(), name) for name in HOMOGENEOUS],
        ids=lambda given: getattr(given, "name", given),
    )
    def test_value_gradient_and_weights_are_those_of_the_cpu(self, device, name, connection):
        """Kernel x divergence x connection x mass, whose values and gradients on the CPU are held to definitions."""
        small = replace(device, block=64)  # edges in several blocks
        for kernel, (mass, d) in itertools.product(KERNEL_TABLE, SPACES):
            P, m, Y = random_case(9, mass, n=40, d=d, density=0.1)
            J = objective(P, m, kernel, part(name), connection)
            here, there = J.evaluate(Y, weights=True), self.on(small, J).evaluate(Y, weights=True)
            for number in ("value", "lam", "strength"):
                assert getattr(there, number) == pytest.approx(getattr(here, number), rel=1e-9)
            close(there.gradient, here.gradient, part=1e-9)
            close(there.weights, here.weights, part=1e-9)
            close(self.on(small, J).node_cost(Y, here.lam), J.node_cost(Y, here.lam), atol=1e-10)

    @pytest.mark.parametrize("d", [1, 2])
    @pytest.mark.parametrize("cloud", ["uniform", "clusters", "expanded", "coincident", "line"])
    def test_the_mesh_is_the_mesh_of_the_cpu(self, device, cloud, d):
        Y, mass, radials = drawings(1200, d)[cloud], masses(1200), tuple(RADIALS.values())
        exact, cpu = Exact(True, Threads()).fields(Y, mass, radials), Mesh(Threads()).fields(Y, mass, radials)
        there = device.nbody("mesh", Threads()).fields(Y, mass, radials)
        for radial, true, plain, field in zip(radials, exact, cpu, there, strict=True):
            if not np.all(np.isfinite(true.force)):
                continue
            found = plain._replace(potential=np.asarray(field.potential), force=np.asarray(field.force))
            of_cpu, of_device = errors(plain, true, mass), errors(found, true, mass)
            # As near to the truth as the CPU's, but for rounding in single precision, which both have.  It differs
            # between processors, for forces more than for potentials.
            for a, b, factor in zip(of_device, of_cpu, (1.05, 1.25, 1.05), strict=True):
                assert a <= factor * b + 1e-5, (radial, of_device, of_cpu)
            assert max(errors(found, plain, mass)[:2]) < BOUNDS["mesh"][1] / 100

    @pytest.mark.parametrize(("name", "d"), [("exact", 1), ("exact", 3), ("tree", 2), ("tree", 3), ("auto", 3)])
    def test_sums_by_other_backends(self, device, name, d):
        Y, mass, radials = drawings(300, d)["gauss"], masses(300), tuple(RADIALS.values())
        here = backend("exact" if name == "auto" else name, Threads(), True).fields(Y, mass, radials)
        for field, other in zip(device.nbody(name, Threads()).fields(Y, mass, radials), here, strict=True):
            close(field.potential, other.potential, rtol=1e-9, atol=1e-200)
            close(field.force, other.force, part=1e-9)

    def test_auto_sums_few_pairs_exactly_and_many_on_the_mesh(self, device):
        radials = (RADIALS["cauchy q"],)
        sums = device.nbody("auto", Threads())
        for n, d, expected in ((100, 2, "exact"), (2000, 2, "mesh"), (2000, 3, "tree")):
            assert sums._plan(device.array(drawings(n, d)["uniform"]), radials)[0] == expected
        assert sums._plan(device.array(drawings(2000, 2)["outlier"]), radials)[0] == "tree"

    def test_far_nodes_of_rows_are_summed_pair_by_pair(self, device):
        P, m, Y = random_case(1, "varied", n=1500, density=0.004)
        Y = 20.0 * Y
        Y[7] = 4e3
        J = objective(P, m, KERNELS["cauchy"], part("nerv:0.3"), CONNECTIONS[-1], compiled=True)
        here, there = replace(J, nbody=Mesh(Threads())).evaluate(Y), self.on(device, J, "mesh").evaluate(Y)
        assert there.value == pytest.approx(here.value, rel=1e-5)
        close(there.gradient[7], here.gradient[7], rtol=1e-3)

    @pytest.mark.parametrize("strong", [False, True])
    def test_gravity_springs_and_fixed_nodes(self, device, strong):
        P, m, Y = random_case(4, "varied", n=30)
        free = np.repeat(np.arange(30)[:, None] % 3 > 0, 2, axis=1)
        free[4, 1] = False
        J = objective(P, m, KERNELS["cauchy"], part("kl"), CONNECTIONS[1], free=free, gravity=Gravity(0.3, strong))
        J = J.sharing(springs=Springs(Y[::-1].copy(), m))
        self.agree(J, device, Y)

    def agree(self, J, device: Device, Y: np.ndarray) -> float:
        """Value, gradient and stiffness there and on the CPU; the value."""
        here, there = J.evaluate(Y), self.on(device, J).evaluate(Y)
        assert there.value == pytest.approx(here.value, rel=1e-12)
        close(there.gradient, here.gradient, atol=1e-12)
        close(there.stiffness, here.stiffness, rtol=1e-12)
        return here.value

    @pytest.mark.parametrize("d", [1, 2, 3])
    @pytest.mark.parametrize("pivots", [9, 30])
    def test_stress(self, device, pivots, d):
        """In blocks of three nodes or one, with pairs that do not count and two nodes at one place."""
        P, m, Y = random_case(4, "varied", n=30, d=d)
        Y[5] = Y[8]
        lengths = np.random.default_rng(0).integers(0, 4, (30, pivots)).astype(float)
        some = np.sort(np.random.default_rng(1).permutation(30)[:pivots])
        lengths = np.maximum(lengths, lengths.T) if pivots == 30 else lengths
        lengths[some, np.arange(pivots)] = 0.0
        J = objective(P, m, KERNELS["cauchy"], part("kl"), CONNECTIONS[1], emphasis=0.7)
        J = replace(J, affinity=replace(J.affinity, distances=Distances.of(some, lengths)))
        assert self.agree(J, replace(device, block=30), Y) > replace(J, emphasis=0.0).evaluate(Y).value + 0.01

    def test_a_random_walk(self, device):
        P, _, Y = random_case(4, "unit", n=200, density=0.02)
        walk = RandomWalk(P, 0.95)
        there, right = device.walk(walk), Y - Y.mean(axis=0)
        close(there.laplacian(device.array(Y)), walk.laplacian(Y), atol=1e-7)
        solved = there.solve(1.0, 0.1, device.array(right), 1e-9, 400), walk.solve(1.0, 0.1, right, 1e-9, 400)
        for a, b in zip(*solved, strict=True):
            close(a, b, part=1e-6)

    @pytest.mark.parametrize("name", [each["name"] for each in nl.methods()])
    def test_every_method_draws_a_small_graph_as_the_cpu_does(self, name):
        """Few steps, so that rounding has not led to another valley."""
        G = nx.karate_club_graph()
        here, there = (nl.solve(G, name, seed=0, max_iter=3, device=at) for at in ("cpu", "torch-cpu"))
        assert there.value == pytest.approx(here.value, rel=1e-3, abs=1e-3)
        Y, Z = (np.array(list(solution.positions.values())) for solution in (here, there))
        if here.value == pytest.approx(there.value, rel=1e-9):
            np.testing.assert_allclose(Z, Y, atol=1e-3)

    @pytest.mark.parametrize("optimizer", OPTIMIZERS)
    @pytest.mark.parametrize("name", ["ws-sne", "ee", "nerv"])
    def test_every_optimizer(self, name, optimizer):
        G = nx.grid_2d_graph(7, 6)
        here, there = (
            nl.solve(G, name, seed=1, optimizer=optimizer, max_iter=20, device=at) for at in ("cpu", "torch-cpu")
        )
        assert there.value == pytest.approx(here.value, rel=0.02, abs=0.02)

    @pytest.mark.full
    @pytest.mark.parametrize(
        "options",
        [
            {"method": "ws-sne"},
            {"method": "gamma-quadlog", "smoothing": 0.5},
            {"method": "nerv", "nbody": "mesh"},
            {"method": "ee", "dim": 3},
            {"method": "tsne", "dim": 1},
        ],
        ids=str,
    )
    def test_a_larger_graph(self, options):
        """Meshes, trees, coarse levels and all stages: as low as on the CPU, and the same bits again."""
        G = nx.barabasi_albert_graph(1200, 3, seed=1)
        here = nl.solve(G, seed=0, **options)
        there, again = (nl.solve(G, seed=0, device="torch-cpu", **options) for _ in range(2))
        assert there.value <= here.value + 0.01 * abs(here.value)
        assert all((there.positions[v] == again.positions[v]).all() for v in G)

    @pytest.mark.full
    def test_strong_smoothing_goes_on_from_the_drawing_of_the_cpu(self):
        """As low as the CPU; J is then so near 0 that another start can have a sixth of it."""
        G = nx.barabasi_albert_graph(1200, 3, seed=1)
        options = {"method": "gamma-quadlog", "smoothing": 0.9, "seed": 0}
        here = nl.solve(G, max_iter=20, **options)
        there, again = (nl.solve(G, pos=here.positions, device="torch-cpu", **options) for _ in range(2))
        on = nl.solve(G, pos=here.positions, **options)
        assert there.value < here.value
        assert there.value <= 1.05 * on.value
        assert all((there.positions[v] == again.positions[v]).all() for v in G)

    def test_fixed_nodes_stay_and_callbacks_see_positions(self):
        G, seen = nx.cycle_graph(30), []
        pos = {v: np.array([np.cos(v / 5), np.sin(v / 4)]) for v in (0, 7, 15)}
        there = nl.ws_sne_layout(
            G, pos, [0, 15], seed=0, device="torch-cpu", callback=lambda state: seen.append(state.positions)
        )
        assert (there[0] == pos[0]).all()
        assert (there[15] == pos[15]).all()
        assert seen
        assert all(type(frame) is np.ndarray and frame.shape == (30, 2) for frame in seen)

    def test_small_graphs_stay_on_the_cpu(self, monkeypatch):
        """Below the least number of nodes nothing is brought to the device, and the bits are the CPU's."""
        import nelayout.core.run.whole as whole

        far = Device("cpu", least=40)
        monkeypatch.setattr(whole, "device_named", lambda name: None if name == "cpu" else far)
        monkeypatch.setattr(Device, "array", lambda self, x: pytest.fail("brought to the device"))
        G = nx.karate_club_graph()
        here, there = (nl.ws_sne_layout(G, seed=0, device=at) for at in ("cpu", "auto"))
        assert all((here[v] == there[v]).all() for v in G)

    def test_nearest_rows_whose_products_are_rounded_further(self, device, monkeypatch):
        """A device that is set to products of ten bits says so by its candidates, and the rows are looked at again."""
        torch, rng = torch_module(), np.random.default_rng(1)
        X = rng.normal(size=(300, 50)) + 30.0 * np.eye(50)[rng.integers(0, 3, 300)]
        exact, product = device.nearest(X, 9)[1], torch.Tensor.__matmul__

        def rounded(a, b):
            if a.dtype == torch.float32:
                a, b = ((x.view(torch.int32) & ~0x1FFF).view(torch.float32) for x in (a, b.contiguous()))
            return product(a, b)

        monkeypatch.setattr(torch.Tensor, "__matmul__", rounded)
        np.testing.assert_allclose(device.nearest(X, 9)[1], exact, rtol=1e-12)

    @pytest.mark.parametrize("columns", [2, 40])
    def test_nearest_rows_are_those_of_the_cpu(self, device, columns):
        """Ties, equal rows and rows far from the middle included."""
        rng = np.random.default_rng(0)
        X = np.round(rng.normal(size=(400, columns)), 1 if columns == 2 else 6) + 1e3
        X[5] = X[9]
        indices, squared = device.nearest(X, 7)
        pairs = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        np.fill_diagonal(pairs, np.inf)
        true = np.sort(pairs, axis=1)[:, :7]
        close(squared, true, rtol=1e-9, atol=1e-12)
        close(np.take_along_axis(pairs, indices, 1), true, rtol=1e-9, atol=1e-12)
        assert (indices != np.arange(400)[:, None]).all()

    def test_embedding_and_estimator(self):
        pytest.importorskip("sklearn", reason="scikit-learn, the extra [vectors], is not installed")
        rng = np.random.default_rng(0)
        X = np.concatenate([c + rng.normal(size=(60, 20)) for c in (0.0, 4.0, 8.0)])
        there = nl.embed(X, device="torch-cpu", random_state=0)
        groups = there.reshape(3, 60, 2)
        apart = np.linalg.norm(groups.mean(axis=1)[:, None] - groups.mean(axis=1)[None], axis=2)[np.triu_indices(3, 1)]
        assert apart.min() > 2 * groups.std(axis=1).max()
        estimator = nl.NeighborEmbedding(device="torch-cpu", random_state=0).fit(X)
        assert estimator.get_params()["device"] == "torch-cpu"
        assert (estimator.transform(X[:5]) == estimator.embedding_[:5]).all()

    def test_graphs_that_do_not_fit_are_refused_before_work_starts(self, monkeypatch):
        monkeypatch.setattr(Device, "free", lambda self: 1000)
        with pytest.raises(DeviceError, match=r"34 nodes and 78 edges take about \d+ MB .* 0 MB are free .*'cpu'"):
            nl.layout(nx.karate_club_graph(), device="torch-cpu")
        assert nl.estimate(nx.karate_club_graph(), device="torch-cpu").device_bytes > 34 * 600
        assert nl.estimate(nx.karate_club_graph()).device_bytes == 0

    @pytest.mark.parametrize(
        ("failure", "said"),
        [
            ("OutOfMemoryError", "too little memory"),
            ("CUDA error: gone", r"'torch-cpu' failed \(CUDA error: gone"),
            ("cuFFT error: CUFFT_ALLOC_FAILED", "failed"),
            ("HIP error: gone", "failed"),
        ],
    )
    def test_failures_on_the_way_name_the_remedy_and_the_next_call_works(self, monkeypatch, failure, said):
        from nelayout.core.sums.device.nbody import DeviceSums

        kind, seen = torch_module().cuda.OutOfMemoryError if failure == "OutOfMemoryError" else RuntimeError, []

        def fail(self, Y, charges, radials):
            there = self.on.array(Y)
            seen.append(weakref.ref(there.tensor))
            raise kind(f"{failure}. And so on")

        with monkeypatch.context() as broken:
            broken.setattr(DeviceSums, "fields", fail)
            with pytest.raises(DeviceError, match=f"{said}.*use device='cpu'") as failed:
                nl.layout(nx.karate_club_graph(), device="torch-cpu")
        assert failed.value is not None
        assert [tensor() for tensor in seen] == [None], "the error keeps what was allocated"
        assert len(nl.layout(nx.karate_club_graph(), device="torch-cpu", max_iter=1)) == 34

    def test_devices_that_are_not_there(self, monkeypatch):
        torch = torch_module()
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
        for count, name, said in (
            (1, "cuda:3", r"device='cuda:3': PyTorch .* finds 'cuda:0' .* use device='cpu'"),
            (1, "mps", r"Apple's GPU.*use device='cpu'"),
            (0, "cuda", "finds none"),
        ):
            monkeypatch.setattr(torch.cuda, "device_count", lambda count=count: count)
            with pytest.raises(DeviceError, match=said):
                device_named(name)
            assert device_named("auto") == (Device("cuda:0") if count else None)
            assert not count or device_named("cuda") == device_named("cuda:0") == Device("cuda:0")

    @pytest.mark.parametrize("name", [each for each in DEVICES if each not in ("cuda", "mps")])
    def test_the_command_line(self, name, tmp_path):
        from nelayout.cli import main

        edges = tmp_path / "a.csv"
        edges.write_text("source,target\n1,2\n2,3\n3,1\n")
        out = tmp_path / "o.csv"
        assert main(["layout", str(edges), "-o", str(out), "--device", name, "--quiet"]) == 0
        assert len(out.read_text().splitlines()) == 4


@pytest.mark.gpu
class TestArrays:
    """`DeviceArray` answers NumPy as an array of NumPy's would."""

    @pytest.fixture(autouse=True)
    def torch(self):
        return pytest.importorskip("torch", reason="PyTorch, the extra [torch], is not installed")

    @pytest.fixture
    def pair(self, torch):
        from nelayout.core.sums.device.arrays import DeviceArray

        x = np.random.default_rng(0).normal(size=(7, 3))
        return x, DeviceArray(torch.from_numpy(x.copy()))

    @pytest.mark.parametrize(
        "use",
        [
            np.sum, lambda x: np.sum(x, axis=0), lambda x: np.mean(x, axis=1), lambda x: x.max(),
            lambda x: np.min(x, initial=-9.0), lambda x: np.maximum(x, 0.5), lambda x: np.minimum(0.5, x),
            lambda x: np.maximum(x, -x), lambda x: np.where(x > 0, x, 0.0), lambda x: np.where(x > 0, 1.0, x),
            np.expm1, lambda x: np.log1p(x * x), lambda x: 2.0**x,
            lambda x: (x * x) ** -0.5, lambda x: np.power(x, 2), lambda x: np.einsum("ij,ij->i", x, x),
            lambda x: np.einsum("ij->j", x), lambda x: x[:, None][2], lambda x: x[x[:, 0] > 0], lambda x: x[[1, 3]],
            lambda x: np.add.reduce(x * x, axis=None), lambda x: np.float64(2.0) * x, lambda x: np.ones(3) * x,
            lambda x: np.flatnonzero(x[:, 0] > 0), np.isfinite, lambda x: np.any(x > 9), lambda x: np.all(x < 9),
            lambda x: x @ np.ones(3), lambda x: x.T[1], np.zeros_like, lambda x: np.zeros_like(x, dtype=bool),
            lambda x: np.array_equal(x, x + 0.0),
            lambda x: x == 0.0, lambda x: np.equal(x, x), lambda x: np.float64(0.5) < x, lambda x: np.less(1.0, x),
            lambda x: x != 1.0,
            lambda x: np.einsum("ij,ij->", x, x), lambda x: np.einsum("ij,ij->j", x, x),
            lambda x: x.reshape(-1)[5], len, lambda x: x.shape, np.ndim, lambda x: ~(x > 0),
        ],
    )  # fmt: skip
    def test_functions(self, pair, use):
        close(use(pair[1]), use(pair[0]), rtol=1e-14)

    def test_changes_in_place(self, pair):
        x, there = pair
        for a in (x, there):
            a *= 2.0
            a += np.ones(3)
            a[2] = 7.0
            a[np.arange(7) == 4] = 0.0
            np.multiply(a, 3.0, out=a)
        np.testing.assert_array_equal(np.asarray(there), x)
        plain = np.zeros((7, 3))
        plain += there
        np.testing.assert_array_equal(plain, x)

    def test_arrays_of_numpy_that_may_not_be_written(self, pair):
        x, there = pair
        fixed = np.broadcast_to(np.arange(3.0), (7, 3))
        np.testing.assert_array_equal(np.asarray(there * fixed), x * fixed)

    def test_a_function_without_an_answer_is_named(self, pair):
        with pytest.raises(TypeError, match="median"):
            np.median(pair[1])

    def test_segments_may_be_empty(self, torch):
        from nelayout.core.sums.device.arrays import segment_sums

        offsets = torch.tensor([0, 0, 2, 2, 3])
        for values in (torch.arange(3.0), torch.arange(6.0).reshape(3, 2)):
            sums = segment_sums(values, offsets)
            assert sums.tolist() == [values[a:b].sum(dim=0).tolist() for a, b in itertools.pairwise(offsets.tolist())]
