"""Devices: the floor of sums on a GPU, below one formula and one set of minimizers.

An objective on a device has arrays there, and its sums over pairs and edges are taken there; formulas and minimizers
run as they are written, since `arrays.DeviceArray` answers NumPy.  Only graphs large enough to gain come here: coarse
levels and small components stay on the CPU.  PyTorch carries it and is imported when a device is asked for.

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
from nelayout.numerics.memory import size_in_words
from nelayout.numerics.pytorch import torch_module

if TYPE_CHECKING:
    from nelayout.numerics.parallel import Threads
    from nelayout.similarities.affinity import Affinity
    from nelayout.similarities.random_walk import RandomWalk
    from nelayout.sums.device.nbody import DeviceSums

__all__ = ["DEVICES", "Device", "device_named"]

# Words that the keyword ``device`` takes; a number behind "cuda:" picks one of several GPUs.
DEVICES = ("cpu", "cuda", "mps", "auto", "torch-cpu")
NUMBERED = re.compile(r"cuda:\d+")
# Libraries of devices, and the pattern of their errors; other errors are passed on.
LIBRARIES = "CUDA|HIP|cuFFT|cuBLAS|CUBLAS|hipFFT|MPS"
FAILED = re.compile(rf"\b({LIBRARIES})( driver| backend)? (error|out of memory)|_STATUS_|CUFFT_")
# Nodes from which sums are taken on a GPU, estimated: an evaluation starts some 300 small programs there, of about 10
# microseconds each, and in these 3 ms two cores evaluate 10,000 nodes.
LEAST_NODES = 10_000
# Entries or pairs that are looked at together, on a GPU and by PyTorch on the CPU: a dozen arrays of that length exist
# at a time, 400 MB, and 4 MB, which stay in cache.
BLOCK, BLOCK_CPU = 1 << 22, 1 << 15
# Bytes of a drawing in the plane, counted: of a node positions, gradients and five pairs of L-BFGS (17 of 2 x 8 bytes),
# places on the mesh, and the mesh at 16 points for a node; of an entry of the matrix its row and column, similarity,
# factor, and weights before and after a step; and of the arrays of a block.
BYTES_NODE, BYTES_ENTRY, BYTES_BLOCK = 600, 50, 100
# Pairs up to which all are summed one by one, estimated: four blocks, which take about as long as the mesh's programs.
EXACT_PAIRS, EXACT_PAIRS_CPU = 1 << 24, 1 << 20


@dataclass(frozen=True, slots=True)
class Device:
    """A device that sums.

    name   PyTorch's name of it: "cuda:0", "mps", or "cpu" for PyTorch's loops on the CPU, by which tests run anywhere
    least  nodes from which an objective comes here
    block  entries or pairs that are looked at together
    exact  pairs up to which "auto" sums them one by one
    """

    name: str
    least: int = LEAST_NODES
    block: int = BLOCK
    exact: int = EXACT_PAIRS

    @property
    def said(self) -> str:
        """The word that the keyword ``device`` has for it."""
        return "torch-cpu" if self.name == "cpu" else self.name

    def array(self, x: Any) -> Any:
        """The array on this device; one that is there already comes back as it is."""
        torch = torch_module()

        from nelayout.sums.device.arrays import DeviceArray, array_of, double_or_widest

        if isinstance(x, DeviceArray):
            return x
        own = np.array(x) if self.name == "cpu" else np.require(x, requirements=("C", "W"))  # inputs are never changed
        tensor = torch.from_numpy(own)
        target = torch.device(self.name)
        if tensor.dtype.is_floating_point:
            tensor = tensor.to(double_or_widest(target))
        return array_of(tensor.to(target))

    def edges(self, affinity: Affinity, linear: bool, **given: Any) -> Any:
        """Bring the edge half of an objective to this device; the rest as `nelayout.sums.edges.matrix.Edges` has it."""
        from nelayout.sums.device.edges import DeviceEdges

        return DeviceEdges(self, affinity.P, affinity.mass, linear, **given)

    def walk(self, walk: RandomWalk) -> RandomWalk:
        """Bring the matrix and the sums of a random walk to this device."""
        from nelayout.sums.device.matrix import walk_on

        return walk_on(self, walk)

    def nbody(self, choice: str, threads: Threads) -> DeviceSums:
        """Make the backend of sums over pairs that the keyword ``nbody`` names."""
        from nelayout.sums.device.mesh import DeviceMesh
        from nelayout.sums.device.nbody import DeviceSums
        from nelayout.sums.nbody.tree import Tree

        return DeviceSums(self, choice, self.exact, DeviceMesh(self.block), Tree(threads))

    def nearest(self, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Indices (n, k) of the k nearest other rows of each row of X (n, d), and squared distances (n, k)."""
        from nelayout.sums.device.nearest import nearest_rows

        with self.guard():
            return nearest_rows(self, X, k)

    def needs(self, n: int, entries: int) -> int:
        """Bytes on the device that drawing a graph takes, ``entries`` of its matrix counted, two an edge."""
        return BYTES_NODE * n + BYTES_ENTRY * entries + BYTES_BLOCK * self.block

    def check_memory(self, n: int, entries: int) -> None:
        """`DeviceError` for a graph that does not fit, before work starts."""
        needed, free = self.needs(n, entries), self.free()
        if n >= self.least and free is not None and needed > free:
            raise DeviceError(
                f"{n:,} nodes and {entries // 2:,} edges take about {size_in_words(needed)} on device {self.said!r}, "
                f"and {size_in_words(free)} are free there: use device='cpu'"
            )

    def free(self) -> int | None:
        """Bytes that can still be taken on it; None where it does not say."""
        torch = torch_module()

        if not self.name.startswith("cuda"):
            return None
        kept = torch.cuda.memory_reserved(self.name) - torch.cuda.memory_allocated(self.name)  # PyTorch gives it again
        return torch.cuda.mem_get_info(self.name)[0] + kept

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn failures of the device into `DeviceError`, which names the remedy; what it holds is given back.

        PyTorch on the CPU has one thread within: its sums depend on their number.
        """
        torch = torch_module()

        threads = torch.get_num_threads()
        if self.name == "cpu":
            torch.set_num_threads(1)
        try:
            yield
        except torch.cuda.OutOfMemoryError as error:
            said = str(error).partition(". ")[0]
            clear_frames(error.__traceback__)  # whoever keeps the error keeps no array
            raise DeviceError(f"device {self.said!r} has too little memory ({said}): use device='cpu'") from None
        except RuntimeError as error:  # of drivers and of programs on the device
            if not isinstance(error, getattr(torch, "AcceleratorError", ())) and not FAILED.search(str(error)):
                raise
            said = str(error).partition("\n")[0]
            clear_frames(error.__traceback__)
            raise DeviceError(f"device {self.said!r} failed ({said}): use device='cpu'") from error
        finally:
            torch.set_num_threads(threads)
            if self.name.startswith("cuda"):
                torch.cuda.empty_cache()
            elif self.name == "mps":
                torch.mps.empty_cache()


def device_named(name: str) -> Device | None:
    """The device of that name, checked to be there; None for "cpu", and for "auto" where there is no GPU.

    Raises
    ------
    MissingExtra
        PyTorch is not installed.
    DeviceError
        PyTorch finds no such device.
    """
    if not isinstance(name, str):
        raise InputTypeError(
            f"device must be a name, {', '.join(map(repr, DEVICES))} or 'cuda:1', given {type(name).__name__}"
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
        return Device("cpu", 1, BLOCK_CPU, EXACT_PAIRS_CPU)
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
            f"device={name!r}: PyTorch {torch.__version__} finds {found} (a GPU of NVIDIA's, its driver and a PyTorch "
            "that was built for it are needed): use device='cpu'"
        )
    return Device(f"cuda:{number}")
