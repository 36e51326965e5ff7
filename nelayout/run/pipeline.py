"""The way of a graph, one direction: read, take apart, draw each component, pack, orient, write back.

Empty graphs, single nodes, disconnected graphs, units and labels are settled here; below, graphs are connected and have
two or more nodes (or, for a joint drawing with a start, several components), and nothing is known of their hosts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack, cast

import numpy as np

from nelayout import graphs
from nelayout.catalogue import method_named, with_own
from nelayout.catalogue.record import Method
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.placing.final import Finished, finish
from nelayout.record.progress import LOG, Observer, Stopped, observe
from nelayout.record.solution import Solution
from nelayout.run.alike import REPEATED
from nelayout.run.alpha_walk import at_order, draw_at_best_alpha
from nelayout.run.assembly import assemble, units_of
from nelayout.run.assembly_kept import assemble_kept
from nelayout.run.auto.masses import masses_of
from nelayout.run.batch.drawing import batches, draw_batches, drawn_values
from nelayout.run.canvas import Frames
from nelayout.run.component import draw_component
from nelayout.run.costs import warn_of_memory
from nelayout.run.evidence import evidence_of, grows
from nelayout.run.gathering import gather
from nelayout.run.keywords import takes_common_keywords
from nelayout.run.options import LayoutOptions, MethodOptions, check_options
from nelayout.run.part_costs import NUMPY_PAIRS
from nelayout.run.parting import Neighborhoods, part_nodes
from nelayout.run.request import NOTHING_KNOWN, Known, Request, read_request
from nelayout.run.start import place_missing, random_positions
from nelayout.run.state import Component, Drawing, Run, Summation
from nelayout.run.taking_apart import take_apart
from nelayout.run.variational_component import draw_variational
from nelayout.sums.device import Device, device_named

__all__ = ["run_method", "run_parts", "solve"]

# Change of J, in parts of itself, from which a note says that coincident nodes were opened.
OPENED = 1e-3


@takes_common_keywords
def solve(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[MethodOptions]
) -> Solution:
    """Draw a graph and keep all the evidence: value, trace, connection scalar, reason of the end, cost of each node.

    Parameters
    ----------
    method : default "auto"
        a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a ``nelayout.Method``

    Returns
    -------
    Solution
        ``positions`` in the type of G, and the evidence

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> solution = nl.solve(nx.karate_club_graph(), "ws-sne", seed=1)
    >>> solution.reason in ("converged", "lull", "max_iter", "unbounded"), len(solution.trace) > 10
    (True, True)
    """
    record, common = with_own(method, options)
    return run_method(G, record, pos, fixed, cast("LayoutOptions", common))


def run_method(
    G: Any, method: str | Method, pos: Any, fixed: Any, options: LayoutOptions, known: Known = NOTHING_KNOWN
) -> Solution:
    """`solve` for callers who know more than the graph."""
    return run_parts(G, method, pos, fixed, options, known)[0]


def run_parts(
    G: Any, method: str | Method, pos: Any, fixed: Any, options: LayoutOptions, known: Known = NOTHING_KNOWN
) -> tuple[Solution, list[Component]]:
    """`run_method` for callers who go on with its components: their similarities, masses, drawings and methods."""
    began, G = time.perf_counter(), graphs.graph_of(G)
    with graphs.guard(G):
        recipe, o = method_named(method), check_options(dict(options))
        with threads_for(o["n_jobs"]) as threads:
            request = read_request(G, recipe, o, pos, fixed)
            if not known.memory:
                warn_of_memory(recipe, o, *request.sizes)
            size = len(request.labels), request.P.nnz // 2, int(request.labels.max(initial=-1)) + 1
            LOG.debug("%s of %d nodes, %d edges, %d components", recipe.name, *size)
            own = observe(recipe.name, o["callback"], o["progress"])
            device = device_named(o["device"])
            if device is not None:
                device.check_memory(*map(int, (request.sizes[0].max(initial=0), request.sizes[1].max(initial=0))))
            with (
                nullcontext(known.observer) if known.observer else own as observer,
                device.guard() if device else nullcontext(),
            ):
                reason, parts, run = _draw(request, known, threads, observer, device)
                observer.log_stages()
            Y, places, stay = _assembled(parts, request, known)
            units = units_of(parts, Y)
            done = finish(Y, places, stay, request.size, o["scale"], o["center"], _parting(request, stay))
            with device.guard() if device else nullcontext():
                found = _solution(request, done, units / done.factor, parts, run, reason, began)
            LOG.debug("%s: %s, J = %.6g, %.2f s", found.method, found.reason, found.value, found.seconds)
            for note in found.notes:
                LOG.debug("note: %s", note)
            return found, parts


def _assembled(parts: list[Component], request: Request, known: Known) -> tuple[np.ndarray, Any, Any]:
    """All positions (n, dim), and the places and mask of what stays; None where units are the method's own."""
    shape, start, fixed = (len(request.labels), request.options["dim"]), request.start, request.fixed
    if known.kept is None:
        return assemble(parts, start, fixed, shape, request.options["scale"]), start, fixed
    Y, stay = assemble_kept(parts, shape), np.zeros(shape, dtype=bool)
    for part in parts:
        stay[part.nodes] = part.rests
    if fixed is None or start is None:
        return Y, Y, stay
    return Y, np.where(fixed, start, Y), stay | fixed


def _parting(request: Request, stay: np.ndarray | None) -> Callable[[np.ndarray], np.ndarray] | None:
    """The function that parts nodes which would hide each other, where that is wanted; the mask ``stay`` stays."""
    return (lambda Y: part_nodes(Y, Neighborhoods(request.P), stay)) if request.dots else None


def _draw(
    request: Request, known: Known, threads: Threads, observer: Observer, device: Device | None
) -> tuple[str, list[Component], Run]:
    """Draw all components: the reason of the end, the components with their drawings, and the run that they shared."""
    o, P = request.options, request.P
    mass = request.method.mass if o["mass"] is None else o["mass"]
    masses, about_mass = masses_of(
        P, mass, request.network.host, request.rng, request.method.gravity is None
    )
    parts, said = take_apart(request, masses, request.joint, known, threads)
    if known.kept is not None:
        for part in parts:
            if known.kept.same[part.nodes].all():
                part.fixed = np.ones((len(part.nodes), o["dim"]), dtype=bool)
    n, entries = len(request.labels), sum(part.affinity.P.nnz for part in parts)
    compiled = n**2 + 20 * entries > NUMPY_PAIRS
    if o["device"] == "auto" and device is None:
        said = [*said, "device='auto' found no GPU that PyTorch can use"]
    run = Run(
        request.method,
        o["dim"],
        Summation.of(o["nbody"], threads, compiled, device),
        request.rng,
        observer,
        _frames(request, parts),
        request.optimizer,
        o["max_iter"],
        o["tol"],
        known.kept.stability if known.kept else None,
        notes=[*request.notes, *about_mass, *said],
    )
    if request.joint and request.start is None:
        # Coarse levels of several components would drift apart without end: they start as they are drawn alone.
        alone, said = take_apart(request, masses, False, known, threads)
        run.notes.extend(said)
        reason, run = _draw_each(alone, run)
        together = run.method.gravity is not None
        parts[0].start = gather(alone, run) if together else assemble(alone, None, None, (n, run.dim), None)
        parts[0].own_start = True
        run = replace(run, canvas=_frames(request, parts))
        if reason == "stopped":
            parts[0].drawing = Drawing(parts[0].start, reason=reason)
            return reason, parts, run
    reason, run = _draw_each(parts, run)
    return reason, parts, run


def _frames(request: Request, parts: list[Component]) -> Frames:
    o, kept = request.options, request.start is not None
    stay = request.fixed is not None and bool(request.fixed.any())
    return Frames(parts, len(request.labels), o["dim"], kept, stay, o["scale"], o["center"])


def _draw_each(parts: list[Component], run: Run) -> tuple[str, Run]:
    """Draw all components: the reason of the end, which is the largest's, and the run with its method."""
    first_of: dict[tuple[bytes, ...], Component] = {}
    twins, different = list[tuple[Component, Component]](), list[Component]()
    for part in parts:
        key = _key(part)
        if len(part.nodes) == 1:
            part.drawing = _as_it_is(part, run)
        elif key is not None and key in first_of:
            twins.append((part, first_of[key]))
        else:
            different.append(part)
            if key is not None:
                first_of[key] = part
    # The largest component decides for all if there is something to choose.
    decided = 1 if run.method.choose is not None else 0
    together = batches(different[decided:], replace(run, method=at_order(run.method)))
    batched = {id(part) for batch in together for part in batch}
    stopped = False
    try:
        for part in different:
            if id(part) not in batched:
                run = _draw_one(part, run)
        draw_batches(together, run)
    except Stopped:
        stopped = True
    for part in different:
        if not len(part.drawing.Y):  # a stopped run did not come to it
            part.drawing = _as_it_is(part, run)
    for part, twin in twins:
        part.drawing, part.affinity = twin.drawing, twin.affinity
    return "stopped" if stopped else parts[0].drawing.reason if parts else "converged", run


def _draw_one(part: Component, run: Run) -> Run:
    """Draw one component by its method's own way; the run with its method."""
    try:
        if run.method.choose is not None:
            run = draw_at_best_alpha(part, run)
        elif run.method.variational:
            draw_variational(part, run)
        else:
            draw_component(part, run)
    except Stopped:
        part.drawing = replace(part.drawing, reason="stopped")
    if part.drawing.reason == "stopped":
        raise Stopped
    run.canvas.settle([part])
    return run


def _key(part: Component) -> tuple[bytes, ...] | None:
    """A key that only equal small components share; None for others."""
    if len(part.nodes) > REPEATED or part.start is not None:
        return None
    P = part.affinity.P
    return tuple(a.tobytes() for a in (P.indptr, P.indices, P.data, part.affinity.mass))


def _as_it_is(part: Component, run: Run) -> Drawing:
    """Positions of a component that is not drawn: a single node, or one that a stopped run did not come to."""
    if len(part.nodes) == 1:
        known = part.start is not None and part.placed
        return Drawing(np.array(part.start) if known else np.zeros((1, run.dim)), reason="converged")
    if part.start is None:
        return Drawing(random_positions(len(part.nodes), run.dim, run.rng))
    return Drawing(place_missing(part.start, part.affinity.P, run.rng))


def _solution(
    request: Request,
    done: Finished,
    units: np.ndarray,
    parts: list[Component],
    run: Run,
    reason: str,
    began: float,
) -> Solution:
    """The record of a finished run; positions are written in the host's type.

    ``units`` (C, d): by how much each component's part of the drawing is smaller than its objective has it.
    """
    before, look = None, lambda: evidence_of(parts, run.method, run.sums, drawn_values(parts, run))
    if done.moved and request.size is None and not request.dots:
        before = look().value
    for part, unit in zip(parts, units, strict=True):
        here = done.Y[part.nodes]
        part.drawing = replace(part.drawing, Y=(here - np.sum(here, axis=0) / len(here)) * unit)
    found = look()
    if before is not None and abs(found.value - before) > OPENED * abs(before):
        note = f"nodes that coincide at the minimum were opened a little, which takes J from {before:.6g} to"
        run.notes.append(f"{note} {found.value:.6g}")
    run.notes.extend((*done.notes, *found.notes, *_bound_note(parts, found.value)))
    if reason in ("converged", "lull", "max_iter") and grows(parts, run.method, run.sums, found.largest):
        reason = "unbounded"
    each = np.ones(done.Y.shape)
    for part, unit in zip(parts, units, strict=True):
        each[part.nodes] = unit
    if (each == each[:, :1]).all():
        each = each[:, :1]
    return Solution(
        positions=request.network.host.write(done.Y, request.options["store_pos_as"]),
        value=found.value,
        trace=tuple(run.observer.trace),
        connection=found.connection,
        reason=reason,
        node_cost=found.node_cost,
        components=request.labels,
        notes=tuple(run.notes),
        seconds=time.perf_counter() - began,
        choice=run.choice,
        method=run.method.name,
        unit=float(units[0, 0]) if len(units) and (units == units[0, 0]).all() else each,
    )


def _bound_note(parts: list[Component], value: float) -> tuple[str, ...]:
    """The note on the gap between a variational form's bound and the divergence; none if a run was stopped."""
    bounds = [part.drawing.bound for part in parts if len(part.nodes) > 1]
    known = [bound for bound in bounds if bound is not None]
    if not known or len(known) < len(bounds):
        return ()
    return (f"the network's bound reached {sum(known):.3g} where the divergence is {value:.3g}",)
