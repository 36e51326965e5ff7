"""`Live`: a drawing that goes on while its graph is edited."""

from __future__ import annotations

import math
import weakref
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.core import Settings
from nelayout.core.catalogue import with_own
from nelayout.core.catalogue.record import Method
from nelayout.core.live.drawing import LiveDrawing, Steps
from nelayout.core.passes.drawing import Summation
from nelayout.errors import InputError, InputTypeError, Unsupported, near_matches
from nelayout.graphs.to_floats import REAL, short_repr
from nelayout.keywords.signatures import checks_keywords
from nelayout.layouts.call import read_call
from nelayout.layouts.solving import drawn
from nelayout.numerics.parallel import Threads, thread_count

__all__ = ["Live"]


class Live:
    """Keep a layout going while nodes are dragged, added and removed, and weights change.

    Each call of `step` moves the nodes a little toward a minimum of the method's objective J, and returns the
    positions.  A program calls it for each picture that it shows.  No edit lets the drawing jump: in one timed step no
    free node moves farther than 0.03 of the drawing's radius (root mean squared distance to the centroid).  The
    drawing is not turned or rescaled.  At rest, a step returns at once.  G itself is not changed.

    Parameters
    ----------
    G
        as in `nelayout.layout`, but not of networkit or graph-tool
    method : default "auto"
        a name (``nelayout.methods()`` lists them) or a ``nelayout.Method``. "auto" takes the objective that
        `nelayout.layout` chooses, or with ``pos`` the objective with the best fit to these positions
    pos : dict, igraph.Layout, (n, dim) array or Solution, optional
        positions of all nodes, from which the drawing goes on in their units. None: the graph is laid out first, and
        brought to rest
    weight, weight_kind, mass, smoothing, nbody, n_jobs
        as in `nelayout.layout`
    dim : default 2
        dimensions; with ``pos`` those of ``pos``
    scale : default 1.0
        a first layout fits [-scale, scale]; it may grow beyond that later. None: the method's own units
    seed : default 0
        of the first layout, and of the positions of new nodes
    own : keywords of the method, explained at its layout function

    Attributes
    ----------
    nodes : list
        of the rows of ``array``: those of G, then those added
    array : (n, dim) array
        positions, read-only, until the next call
    positions
        a copy in the type that layouts of G have
    at_rest : bool
        whether nothing moves until the next edit
    value : float
        J now: the sum over the components, in the units of their objectives
    unit : float or (n, 1) array
        the factor from the positions to the units of J; an array if components have units of their own
    last : tuple of iterations, milliseconds and moved
        what the last step did; ``moved`` is the longest move of a free node in radii of the drawing

    Raises
    ------
    InputError
        for a node without a position in ``pos``, and as `nelayout.layout` does
    Unsupported
        for a variational method, for alpha="auto" with ``pos``, and for networkit and graph-tool

    Notes
    -----
    The minimizer is L-BFGS with a bound on the move of each node. It keeps its memory between steps and during a drag.
    Each component has its own objective, as in layouts. An edge between two components makes one of them, and its
    nodes move together. Two components that a removal leaves stay where they are. A component that overlaps a larger
    one glides aside.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> live = nl.Live(nx.path_graph(5), "ws-sne")
    >>> live.at_rest
    True
    >>> live.set_weight(0, 4)
    >>> live.add("new", [2])
    >>> while not live.at_rest:
    ...     pos = live.step(16)
    >>> len(pos), live.last.moved < 0.03
    (6, True)
    """

    @checks_keywords
    def __init__(
        self,
        G: Any,
        method: str | Method = "auto",
        *,
        pos: Any = None,
        weight: str | None = "weight",
        weight_kind: str = "auto",
        mass: Any = None,
        smoothing: float = 0.0,
        dim: int = 2,
        scale: float | None = 1.0,
        seed: Any = 0,
        nbody: str = "auto",
        n_jobs: int | None = None,
        **own: Any,
    ) -> None:
        record, emphasis = with_own(method, own)
        if record.variational:
            raise Unsupported(
                f"{record.name} plays a game for a bound of J, and a live drawing minimizes J: use variational=False"
            )
        options: dict[str, Any] = {
            "weight": weight, "weight_kind": weight_kind, "mass": mass, "smoothing": smoothing, "dim": dim,
            "scale": scale, "seed": seed, "nbody": nbody, "n_jobs": n_jobs, **emphasis,
        }  # fmt: skip
        if pos is not None:
            if record.choose is not None:
                raise Unsupported(
                    f"{record.name} chooses alpha while it draws, and pos is given: give a number for alpha"
                )
            opened = graphs.places(pos)
            options |= {"max_iter": 0, "dim": opened.dim, "scale": None}
        with read_call(G, record, options, pos) as call:
            network = call.network
            self._host = network.host.with_nodes(list(network.labels))
            if pos is not None:
                graphs.every_position(network, pos)
            result = drawn(call, evidence=False)
            settings = Settings(call.settings.dim, smoothing=call.settings.smoothing, rng=call.settings.rng)
            threads = Threads(thread_count(call.settings.n_jobs))
            weakref.finalize(self, threads.close)
            asked = replace(call.method, divergence=result.method.divergence, choose=result.method.choose)
            sums = Summation(call.settings.nbody, threads)
            self._drawing = LiveDrawing(call.problem, asked, settings, result, sums)
            if pos is None:
                self._drawing.settle(call.settings.scale)
        self._nodes: list[Hashable] = list(network.labels)
        self._rows = {node: k for k, node in enumerate(self._nodes)}
        self.last = Steps(0, 0.0, 0.0)

    @property
    def nodes(self) -> list[Hashable]:
        """Nodes in the order of the rows of `array`."""
        return list(self._nodes)

    @property
    def array(self) -> np.ndarray:
        """Positions (n, dim), read-only."""
        view = self._drawing.Y.view()
        view.flags.writeable = False
        return view

    @property
    def positions(self) -> Any:
        """Return a copy of the positions in the type that layouts of G have."""
        self._host.aliases = [self._nodes]
        return self._host.write(self._drawing.Y)

    @property
    def at_rest(self) -> bool:
        """Return True if nothing moves until the next edit."""
        return self._drawing.at_rest

    @property
    def value(self) -> float:
        """J at the positions: the sum over the components."""
        with self._guarded():
            return self._drawing.value

    @property
    def unit(self) -> float | np.ndarray:
        """Factor from the positions to the units of J; (n, 1) if components have their own."""
        with self._guarded():
            return self._drawing.unit

    def step(self, milliseconds: float | None = None, *, iterations: int | None = None, array: bool = False) -> Any:
        """Move the nodes for some milliseconds, or by a number of iterations; return positions.

        At least one iteration runs, and it may take longer on a large graph: ``last.milliseconds`` tells how long.  A
        timed step ends early if a node has moved far enough for one picture.  The same edits and iterations give the
        same bits.

        Parameters
        ----------
        milliseconds : > 0; 16 are a picture at 60 pictures a second
        iterations : whole number >= 1, in place of ``milliseconds``; each moves a node by at most 0.02 of the radius
        array : return the rows of `array`, which costs less on a large graph

        Returns
        -------
        dict, igraph.Layout, DataFrame or array
            positions of all nodes, as `positions`, or as `array`

        Raises
        ------
        InputError
            unless one of the two is given, in its range
        """
        with self._guarded():
            if (milliseconds is None) == (iterations is None):
                raise InputError("step takes milliseconds, such as step(16), or iterations=1 or more: give one of them")
            if iterations is not None:
                whole = isinstance(iterations, (int, np.integer)) and not isinstance(iterations, bool)
                if not whole or iterations < 1:
                    raise InputError(f"iterations must be a whole number >= 1; got {short_repr(iterations)}")
                self.last = self._drawing.run(None, int(iterations))
            else:
                milliseconds = self._number(milliseconds, "milliseconds", "a number > 0", lambda x: x > 0)
                self.last = self._drawing.run(milliseconds / 1e3, None)
        return self.array if array else self.positions

    def pin(self, node: Hashable, position: Any = None) -> None:
        """Hold a node where it is or at a position (dim,), until `release`."""
        with self._guarded():
            i = self._row_of(node)
            at = None if position is None else self._position(position)
            self._check_apart(i, self._drawing.Y[i] if at is None else at)
            self._drawing.hold(i, at)

    def move(self, node: Hashable, position: Any) -> None:
        """Drag a node to a position (dim,): it stays there until the next move or `release`."""
        with self._guarded():
            if position is None:
                raise InputError("move needs the position of the pointer; pin(node) holds a node where it is")
            self.pin(node, position)

    def release(self, node: Hashable) -> None:
        """Let a held node move freely again; nothing happens to a free node."""
        with self._guarded():
            self._drawing.let_go(self._row_of(node))

    def add(self, node: Hashable, neighbors: Any = (), *, position: Any = None, mass: float | None = None) -> None:
        """Add a node that is linked to others.

        Parameters
        ----------
        node : hashable, not in the graph yet
        neighbors : nodes, or a dict {node: weight}
            weights as in `set_weight`; 1 for nodes alone
        position : (dim,), optional
            where it starts; None: near its neighbors, or beside the drawing
        mass : >= 0, optional
            needed if ``mass`` was given by numbers, in their units; else it follows from the graph

        Raises
        ------
        InputError
            for a node that exists, an unknown neighbor, a wrong weight, position or mass; nothing is then changed
        """
        with self._guarded():
            if node is None or not isinstance(node, Hashable):
                raise InputTypeError(f"a node must be hashable and not None; got {short_repr(node)}")
            if node in self._rows:
                raise InputError(f"node {short_repr(node)} exists: set_weight links it to others")
            links = self._links(neighbors)
            at = None if position is None else self._position(position)
            numbers = not isinstance(self._drawing.mass, str)
            if numbers and mass is None:
                raise InputError("mass was given by numbers: give the mass of the new node as well, add(..., mass=1.0)")
            if not numbers and mass is not None:
                raise InputError(
                    f"masses are {self._drawing.mass!r}, and follow from the graph: leave out mass, or begin with a "
                    "dict of masses"
                )
            mass = 1.0 if mass is None else self._number(mass, "mass", "a number >= 0", lambda x: x >= 0)
            self._rows[node] = self._drawing.add(links, at, mass)
            self._nodes.append(node)

    def remove(self, node: Hashable) -> None:
        """Remove a node and its edges; `InputError` for an unknown node."""
        with self._guarded():
            i = self._row_of(node)
            self._drawing.remove(i)
            del self._nodes[i]
            self._rows = {each: k for k, each in enumerate(self._nodes)}

    def set_weight(self, u: Hashable, v: Hashable, weight: float = 1.0) -> None:
        """Set the weight of the edge between two nodes: 0 removes it, and a new edge is added.

        The weight is the similarity of the two nodes, which a larger number draws closer together.  With
        ``weight_kind="distance"`` an edge of mean length has the similarity 1, with "log" it is ln(1 + weight).  Edges
        have no direction.

        Raises
        ------
        InputError
            for an unknown node, u = v, and a weight that is negative or not finite; nothing is then changed
        """
        with self._guarded():
            i, j = self._row_of(u), self._row_of(v)
            if i == j:
                raise InputError(f"an edge joins two different nodes; got {short_repr(u)} twice")
            self._drawing.set_weight(i, j, self._weight(weight))

    def __len__(self) -> int:
        return len(self._nodes)

    def __repr__(self) -> str:
        name = self._drawing.method.name
        return f"Live by {name} of {len(self)} nodes, {'at rest' if self.at_rest else 'moving'}, value {self.value:.6g}"

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Let similarities of far nodes underflow, and give errors the types of the library."""
        with self._host.translated_errors(), np.errstate(under="ignore"):
            yield

    def _row_of(self, node: Hashable) -> int:
        """Return the row of a node."""
        try:
            return self._rows[node]
        except (KeyError, TypeError):
            near = near_matches(node, [name for name in self._nodes if isinstance(name, str)])
            hint = f"did you mean {near[0]!r}?" if near else "live.nodes lists them, and add(node) adds one"
            raise InputError(f"{short_repr(node)} is not a node of the graph; {hint}") from None

    def _links(self, neighbors: Any) -> dict[int, float]:
        """Return {row: weight} of a new node's neighbors."""
        if isinstance(neighbors, (str, bytes)) or not isinstance(neighbors, Iterable):
            raise InputTypeError(
                f"neighbors must be nodes, such as [node], or a dict {{node: weight}}; got {short_repr(neighbors)}"
            )
        given = neighbors.items() if isinstance(neighbors, Mapping) else ((node, 1.0) for node in neighbors)
        links = {self._row_of(node): self._weight(weight) for node, weight in given}
        return {row: weight for row, weight in links.items() if weight > 0}

    def _weight(self, weight: Any) -> float:
        return self._number(weight, "weight", "a number >= 0, and 0 removes the edge", lambda x: x >= 0)

    @staticmethod
    def _number(value: Any, name: str, rule: str, fits: Any) -> float:
        number = float(value) if isinstance(value, REAL) and not isinstance(value, (bool, np.bool_)) else math.nan
        if not (math.isfinite(number) and fits(number)):
            raise InputError(f"{name} must be {rule}; got {short_repr(value)}")
        return number

    def _position(self, position: Sequence[float]) -> np.ndarray:
        """Return a position (dim,) as floats."""
        dim = self._drawing.Y.shape[1]
        try:
            at = np.array(position, dtype=np.float64)
        except (TypeError, ValueError):
            at = np.zeros(0)
        if at.shape != (dim,) or not np.isfinite(at).all():
            raise InputError(f"position must be {dim} finite numbers; got {short_repr(position)}")
        return at

    def _check_apart(self, i: int, position: np.ndarray) -> None:
        """Refuse to hold two nodes at one place where J is infinite."""
        drawing = self._drawing
        if not drawing.main[0].method.kernel.singular:
            return
        same = drawing.held & ~np.any(drawing.Y - position, axis=1)
        same[i] = False
        if same.any():
            other = self._nodes[int(np.argmax(same))]
            raise InputError(
                f"node {short_repr(other)} is held at this position, and {drawing.method.name} repels nodes at one "
                "place without bound: hold one of them elsewhere"
            )
