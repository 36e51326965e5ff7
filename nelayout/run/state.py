"""The records of a run: a `Component` with its `Drawing`, and the `Run` that all components share.

A drawing is a value in the units of its objective that knows where its warm start lay:

>>> Drawing(np.array([[0.0, 0.0], [2.0, 0.0]]), size=2.0).in_place.tolist()
[[0.0, 0.0], [1.0, 0.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.formula.alpha.choice import AlphaChoice
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity, Objective
from nelayout.optimizers import Optimizer
from nelayout.optimizers.minimize import Report
from nelayout.record.progress import Observer
from nelayout.run.bending import Goal
from nelayout.sums.device import Device
from nelayout.sums.nbody import NBody, backend

__all__ = ["Canvas", "Component", "Drawing", "OtherStart", "Run", "Summation"]


@dataclass(frozen=True, slots=True)
class Summation:
    """The N-body backend, the threads and the form (compiled or NumPy) that all objectives of a run share.

    device    where large objectives are summed; None: none of them
    on_device  the N-body backend there
    """

    nbody: NBody
    threads: Threads
    compiled: bool
    device: Device | None = None
    on_device: NBody | None = None

    @classmethod
    def of(cls, nbody: str, threads: Threads, compiled: bool, device: Device | None = None) -> Summation:
        """The summation by the backend of that name."""
        on_device = None if device is None else device.nbody(nbody, threads)
        return cls(backend(nbody, threads, compiled), threads, compiled, device, on_device)

    @property
    def on_cpu(self) -> Summation:
        """The summation by which all objectives stay on the CPU."""
        return replace(self, device=None, on_device=None)

    def objective(self, method: Method, affinity: Affinity, free: np.ndarray | None = None) -> Objective:
        """The objective of a method on an affinity; ``free`` masks the coordinates that may change."""
        if self.device is not None and self.on_device is not None and len(affinity.mass) >= self.device.least:
            return Objective(
                affinity, method.kernel, method.divergence, method.connection, self.on_device, self.threads,
                free=free, gravity=method.gravity, device=self.device,
            )
        return Objective(
            affinity, method.kernel, method.divergence, method.connection, self.nbody, self.threads, self.compiled,
            free=free, gravity=method.gravity,
        )


@dataclass(frozen=True, slots=True)
class Drawing:
    """Positions of a component's nodes, and how they came about.

    Y       (n, dim), in the units of the objective
    method  whose objective Y minimizes; None: none yet
    reason  why the last stage ended
    place, size  a warm start of the caller's lies at Y / size + place; a size (d,) differs from axis to axis
    bound   of a variational form: what the network's bound on the divergence came to; None: there is none
    """

    Y: np.ndarray
    method: Method | None = None
    reason: str = "max_iter"
    place: np.ndarray | float = 0.0
    size: np.ndarray | float = 1.0
    bound: float | None = None

    @property
    def in_place(self) -> np.ndarray:
        """Y at the size and place of its warm start."""
        with np.errstate(over="ignore"):  # a start near the end of the range of floats may have grown
            return self.Y / self.size + self.place


class OtherStart(NamedTuple):
    """Positions to start from beside those of the method's own way.

    draw   makes them (n, dim), told whom its steps are shown to
    steps  most steps of that
    said   the note on a drawing that has gone on from there
    """

    draw: Callable[[Observer], np.ndarray]
    steps: int
    said: str


@dataclass
class Component:
    """A connected part of the graph on its way to a drawing (or all of it, drawn jointly).

    nodes     (n,) where its nodes stand in the graph
    affinity  input similarities and masses
    start     (n, dim) positions that the caller has given, NaN rows where there is none; None: no start
    fixed     (n, dim) mask of the coordinates that stay; None: all are free
    drawing   the best drawing so far
    sketch    (n, dim) an outline of the drawing, from which a coarse level is also drawn; None: there is none
    other_mass  (n,) masses that the method "auto" tries beside those of the affinity; None: none
    goal      distances that the drawing is bent towards on its way; None: there are none
    unrolled  whether that would roll up what lies flat; None: not known yet
    other_start  a start that is compared with the drawing before the last stage; None: there is none
    own_start  whether the start is none that the caller has given: others may be tried beside it
    """

    nodes: np.ndarray
    affinity: Affinity
    start: np.ndarray | None = None
    fixed: np.ndarray | None = None
    drawing: Drawing = field(default_factory=lambda: Drawing(np.zeros((0, 2))))
    other_mass: np.ndarray | None = None
    sketch: np.ndarray | None = None
    goal: Goal | None = None
    unrolled: bool | None = None
    other_start: OtherStart | None = None
    own_start: bool = False

    @property
    def placed(self) -> bool:
        """Whether some node has a position to start from."""
        return self.start is not None and not np.isnan(self.start).all()

    @property
    def rests(self) -> bool:
        """Whether all of its nodes stay."""
        return self.fixed is not None and bool(self.fixed.all())

    @property
    def free(self) -> np.ndarray | None:
        """(n, dim) mask of the coordinates that may change; None: all."""
        return ~self.fixed if self.fixed is not None and self.fixed.any() else None


class Canvas(Protocol):
    """Frames for a callback: positions of the whole graph while its components are drawn, one or many at a time."""

    def show(self, components: Sequence[Component]) -> np.ndarray:
        """A new array with all positions, those of the components as they are now."""
        ...

    def settle(self, components: Sequence[Component]) -> None:
        """Leave the components as they are."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """The settings, sums and records that all components of a run share.

    optimizer, max_iter, tol  in place of the stages' own; None: the stages' own
    stability  how firmly components with a start are held to it, see `nelayout.run.held`; None: they are free to go
    choice  how alpha was chosen, where it was
    notes   sentences for the reader, added to as they arise
    """

    method: Method
    dim: int
    sums: Summation
    rng: np.random.Generator
    observer: Observer
    canvas: Canvas
    optimizer: Optimizer | None = None
    max_iter: int | None = None
    tol: float | None = None
    stability: float | None = None
    choice: AlphaChoice | None = None
    notes: list[str] = field(default_factory=list)

    def report(
        self, component: Component, stage: str, whole: Callable[[np.ndarray], np.ndarray] | None = None
    ) -> Report:
        """The function that each step of a stage calls; ``whole`` turns the stage's positions into the component's."""

        def positions(Y: np.ndarray) -> np.ndarray:
            Y = np.asarray(Y)
            component.drawing = replace(component.drawing, Y=Y if whole is None else whole(Y))
            return self.canvas.show([component])

        return lambda value, Y: self.observer.record(stage, value, lambda: positions(Y))
