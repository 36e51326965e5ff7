"""Devices: sums on a GPU, for the same formulas and minimizers as on the CPU.

An objective on a device has its arrays there, and computes its sums over pairs and edges there.  Formulas and
minimizers run unchanged, since `arrays.DeviceArray` implements NumPy's protocols.  Only large graphs gain from a GPU.
Coarse levels and small components stay on the CPU.  PyTorch does the work and is imported at the first use of a device.

>>> device_named("cpu") is None
True
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import clear_frames
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import DeviceError, InputTypeError, missing_extra, unknown
from nelayout.numerics.distances import pivots_of
from nelayout.numerics.memory import size_in_words
from nelayout.numerics.parallel import Threads
from nelayout.numerics.pytorch import torch_module

if TYPE_CHECKING:
    from nelayout.core.similarities.affinity import Affinity
    from nelayout.core.similarities.random_walk import RandomWalk
    from nelayout.core.sums.device.nbody import DeviceSums
    from nelayout.core.sums.device.stress import DeviceStress
    from nelayout.numerics.distances import Distances

__all__ = ["DEVICES", "Device", "device_named"]

# Values of the keyword ``device``; a number behind "cuda:" selects one of several GPUs.
DEVICES = ("cpu", "cuda", "mps", "auto", "torch-cpu")
NUMBERED = re.compile(r"cuda:\d+")
# Libraries of devices, and the pattern of their errors; other errors are raised unchanged.
LIBRARIES = "CUDA|HIP|cuFFT|cuBLAS|CUBLAS|hipFFT|MPS"
FAILED = re.compile(rf"\b({LIBRARIES})( driver| backend)? (error|out of memory)|_STATUS_|CUFFT_")
# Number of nodes from which a GPU computes sums, estimated: an evaluation starts about 300 small programs there.  In
# this time, two CPU cores evaluate a graph of that size.
MIN_GPU_NODES = 10_000
# Entries or pairs in a block, on a GPU and in PyTorch on the CPU.  A dozen arrays of this length exist at a time:
# 400 MB on a GPU, and 4 MB on the CPU, which stay in cache.
BLOCK_ENTRIES, BLOCK_ENTRIES_CPU = 1 << 22, 1 << 15
# Memory of a layout in the plane, in bytes per node (positions, gradients, five pairs of L-BFGS, mesh with 16 points),
# per entry of the matrix (row, column, similarity, factor, two weights), per pair of a node and a pivot (two weights),
# and per entry of a block.
BYTES_NODE, BYTES_ENTRY, BYTES_PAIR, BYTES_BLOCK = 600, 50, 8, 100
# Number of pairs up to which sums are exact, estimated: four blocks take about as long as the mesh's programs.
EXACT_PAIRS, EXACT_PAIRS_CPU = 1 << 24, 1 << 20


@dataclass(frozen=True, slots=True)
class Device:
    """A device that computes sums.

    name   PyTorch's name of it: "cuda:0", "mps", or "cpu" for PyTorch's loops on the CPU, for tests on any machine
    least  smallest number of nodes of an objective on this device
    block  entries or pairs in a block
    exact  number of pairs up to which "auto" sums exactly
    """

    name: str
    least: int = MIN_GPU_NODES
    block: int = BLOCK_ENTRIES
    exact: int = EXACT_PAIRS

    @property
    def said(self) -> str:
        """Value of the keyword ``device`` for it."""
        return "torch-cpu" if self.name == "cpu" else self.name

    def array(self, x: Any) -> Any:
        """Return the array on this device; an array that is already there comes back unchanged."""
        torch = torch_module()
        from nelayout.core.sums.device.arrays import DeviceArray, array_of, double_or_widest

        if isinstance(x, DeviceArray):
            return x
        own = np.array(x) if self.name == "cpu" else np.require(x, requirements=("C", "W"))  # inputs are never changed
        tensor = torch.from_numpy(own)
        target = torch.device(self.name)
        if tensor.dtype.is_floating_point:
            tensor = tensor.to(double_or_widest(target))
        return array_of(tensor.to(target))

    def edges(self, affinity: Affinity, linear: bool, **given: Any) -> Any:
        """Bring the edge half of an objective to this device; ``given`` as for `Edges`."""
        from nelayout.core.sums.device.edges import DeviceEdges
        from nelayout.core.sums.edges.matrix import Edges

        return DeviceEdges(self, Edges(affinity.P, np.asarray(affinity.mass), linear, Threads(), False, **given))

    def walk(self, walk: RandomWalk) -> RandomWalk:
        """Bring the matrix and the sums of a random walk to this device."""
        from nelayout.core.sums.device.edges import walk_on

        return walk_on(self, walk)

    def stress(self, factor: float, distances: Distances) -> DeviceStress:
        """Return the stress of one graph, with its distances on this device."""
        from nelayout.core.sums.device.stress import DeviceStress

        return DeviceStress(factor, distances, on=self)

    def nbody(self, choice: str, threads: Threads) -> DeviceSums:
        """Make the backend of sums over pairs for a value of the keyword ``nbody``."""
        from nelayout.core.sums.device.mesh import DeviceMesh
        from nelayout.core.sums.device.nbody import DeviceSums
        from nelayout.core.sums.nbody.tree import Tree

        return DeviceSums(self, choice, DeviceMesh(self.block), Tree(threads))

    def nearest(self, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return indices and squared distances, (n, k), of the k nearest other rows of X (n, d)."""
        from nelayout.core.sums.device.nearest import nearest_rows

        with self.torch_errors():
            return nearest_rows(self, X, k)

    def needs(self, n: int, entries: int) -> int:
        """Return the bytes that a graph takes there; ``entries`` of its matrix, two per edge."""
        pairs = n * len(pivots_of(n)) if n else 0
        return BYTES_NODE * n + BYTES_ENTRY * entries + BYTES_PAIR * pairs + BYTES_BLOCK * self.block

    def check_memory(self, n: int, entries: int) -> None:
        """Raise `DeviceError` for a graph that does not fit, before the work starts."""
        needed, free = self.needs(n, entries), self.free()
        if n >= self.least and free is not None and needed > free:
            raise DeviceError(
                f"{n:,} nodes and {entries // 2:,} edges take about {size_in_words(needed)} on device {self.said!r}, "
                f"and {size_in_words(free)} are free there: use device='cpu'"
            )

    def free(self) -> int | None:
        """Return the free bytes on the device; None if unknown."""
        if not self.name.startswith("cuda"):
            return None
        torch = torch_module()
        kept = torch.cuda.memory_reserved(self.name) - torch.cuda.memory_allocated(self.name)  # PyTorch reuses it
        return torch.cuda.mem_get_info(self.name)[0] + kept

    @contextmanager
    def torch_errors(self) -> Iterator[None]:
        """Turn failures of the device into `DeviceError` with a remedy; finally free its memory."""
        torch = torch_module()
        threads = torch.get_num_threads()
        if self.name == "cpu":
            torch.set_num_threads(1)  # sums depend on the number of threads
        try:
            yield
        except RuntimeError as error:  # from drivers and programs on the device
            full, failed = isinstance(error, torch.cuda.OutOfMemoryError), getattr(torch, "AcceleratorError", ())
            if not full and not isinstance(error, failed) and not FAILED.search(str(error)):
                raise
            said, what = str(error).partition(". " if full else "\n")[0], "has too little memory" if full else "failed"
            clear_frames(error.__traceback__)  # a stored error must not keep arrays
            raise DeviceError(f"device {self.said!r} {what} ({said}): use device='cpu'") from None if full else error
        finally:
            torch.set_num_threads(threads)
            if self.name.startswith("cuda"):
                torch.cuda.empty_cache()
            elif self.name == "mps":
                torch.mps.empty_cache()


def device_named(name: str) -> Device | None:
    """Return the device of that name; None for "cpu", and for "auto" without a GPU."""
    if not isinstance(name, str):
        raise InputTypeError(
            f"device must be a name, {', '.join(map(repr, DEVICES))} or 'cuda:1'; got {type(name).__name__}"
        )
    if name not in DEVICES and not NUMBERED.fullmatch(name):
        raise unknown("device", name, [*DEVICES, "cuda:1"])
    if name == "cpu":
        return None
    try:
        torch = torch_module()
    except ImportError:
        if name == "auto":
            return None
        error = missing_extra("torch", "torch", f"device={name!r}")
        error.msg = f"{error}, or use device='cpu'"
        error.args = (error.msg,)
        raise error from None
    if name == "torch-cpu":
        return Device("cpu", 1, BLOCK_ENTRIES_CPU, EXACT_PAIRS_CPU)
    count, number = torch.cuda.device_count(), int(name.partition(":")[2] or 0)
    if name == "auto":
        name = "cuda" if count else "mps" if torch.backends.mps.is_available() else "cpu"
        return None if name == "cpu" else Device("cuda:0" if name == "cuda" else name)
    if name == "mps":
        if not torch.backends.mps.is_available():
            raise DeviceError("device='mps' is Apple's GPU, and PyTorch finds none: use device='cpu'")
        return Device("mps")
    if number >= count:
        found = ", ".join(repr(f"cuda:{k}") for k in range(count)) or "none"
        raise DeviceError(
            f"device={name!r}: PyTorch {torch.__version__} finds {found} (it needs an NVIDIA GPU, its driver and a "
            "PyTorch for CUDA): use device='cpu'"
        )
    return Device(f"cuda:{number}")
