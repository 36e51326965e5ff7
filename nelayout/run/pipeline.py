"""The way of a graph: read, take apart, draw each component, pack, orient, write back.

Empty graphs, single nodes, disconnected graphs, units and labels are settled here.  Below, graphs are connected and
have two or more nodes (or, for a joint drawing with initial positions, several components).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack, cast

import numpy as np

from nelayout import graphs
from nelayout.catalogue import method_named, with_own
from nelayout.catalogue.keywords import takes_common_keywords
from nelayout.catalogue.options import LayoutOptions, MethodOptions, check_options
from nelayout.catalogue.record import Method
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.placing.final import Finished, finish
from nelayout.record.progress import LOG, Observer, observe
from nelayout.record.solution import Solution
from nelayout.run.ahead import second_compiler
from nelayout.run.alpha_walk import at_order, draw_at_best_alpha
from nelayout.run.assembly import assemble, assemble_kept, gather, units_of
from nelayout.run.canvas import Frames
from nelayout.run.draw import draw_parts
from nelayout.run.drawing import Drawing, Part, Run, Summation, uses_loops
from nelayout.run.evaluation import evidence_of, grows
from nelayout.run.parting import Neighborhoods, part_nodes
from nelayout.run.placement import centered, place_missing, random_positions
from nelayout.run.plan_table import warn_of_memory
from nelayout.run.request import NOTHING_KNOWN, Known, Request, read_request
from nelayout.run.taking_apart import take_apart
from nelayout.run.variational_component import draw_variational
from nelayout.similarities.masses import node_mass
from nelayout.sums.device import Device, device_named

__all__ = ["positions_of", "run_parts", "solve"]

# Fraction of |J| from which a note reports opened coincident nodes.
OPENED_CHANGE = 1e-3


@takes_common_keywords
def solve(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[MethodOptions]
) -> Solution:
    """Draw a graph; return positions with J, its trace, the scale factor and all node costs.

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
    return run_parts(G, record, pos, fixed, cast("LayoutOptions", common))[0]


def run_parts(
    G: Any, method: str | Method, pos: Any, fixed: Any, options: LayoutOptions, known: Known = NOTHING_KNOWN
) -> tuple[Solution, list[Drawing]]:
    """Draw a graph as `solve` does; return also the drawings of its components."""
    began, G = time.perf_counter(), graphs.graph_of(G)
    with graphs.guard(G):
        request = read_request(G, method_named(method), check_options(dict(options)), pos, fixed)
        return _run(request, known, began, _solution)


def positions_of(
    G: Any, method: str | Method, pos: Any, fixed: Any, **options: Unpack[MethodOptions]
) -> Any:
    """Return the positions that `solve` finds, or the given ones if all nodes stay."""
    record, common = with_own(method, options)
    began, G = time.perf_counter(), graphs.graph_of(G)
    with graphs.guard(G):
        request = read_request(G, record, check_options(common), pos, fixed)
        if request.start is not None and request.fixed is not None and request.fixed.all():
            return _written(request, request.start)
        if LOG.isEnabledFor(logging.DEBUG):  # the log says what J is
            return _run(request, NOTHING_KNOWN, began, _solution)[0].positions
        return _run(request, NOTHING_KNOWN, began, lambda request, done, *_: _written(request, done.Y))


def _run(request: Request, known: Known, began: float, result: Callable[..., Any]) -> Any:
    """Draw a graph that was read at ``began``; return its ``result``, such as `_solution`."""
    o, method, (sizes, entries) = request.options, request.method, request.sizes
    if not known.memory:
        warn_of_memory(method, o, sizes, entries)
    size = len(request.labels), request.P.nnz // 2, int(request.labels.max(initial=-1)) + 1
    LOG.debug("%s of %d nodes, %d edges, %d components", method.name, *size)
    device = device_named(o["device"])
    if device is not None:
        device.check_memory(int(sizes.max(initial=0)), int(entries.max(initial=0)))
    with threads_for(o["n_jobs"]) as threads:
        with (
            observe(method.name, o["callback"], o["progress"]) as observer,
            device.guard() if device else nullcontext(),
            second_compiler(device is None and uses_loops(sizes.sum(), entries.sum())) as compile_ahead,
        ):
            drawings, run, stopped = _draw(request, known, threads, observer, device, compile_ahead)
            observer.log_stages()
        shape, places, stay = (len(request.labels), o["dim"]), request.start, request.fixed
        if known.kept is None:
            Y = assemble(drawings, places, stay, shape, o["scale"])
        else:
            Y, rests = assemble_kept(drawings, shape), np.zeros(shape, dtype=bool)
            for drawing in drawings:
                rests[drawing.part.nodes] = drawing.part.rests
            if stay is None or places is None:
                places, stay = Y, rests
            else:
                places, stay = np.where(stay, places, Y), rests | stay
        units = units_of(drawings, Y)
        part = (lambda Y: part_nodes(Y, Neighborhoods(request.P), stay)) if request.dots else None
        done = finish(Y, places, stay, request.size, o["scale"], o["center"], part)
        with device.guard() if device else nullcontext():
            return result(request, done, units / done.factor, drawings, run, stopped, began)


def _draw(
    request: Request, known: Known, threads: Threads, observer: Observer, device: Device | None,
    compile_ahead: Callable[..., None],
) -> tuple[list[Drawing], Run, bool]:
    """Draw all components; return drawings, the shared run and True if a callback stopped it."""
    o, method = request.options, request.method
    host, relative = request.network.host, method.gravity is None
    mass, about_mass = node_mass(request.P, request.mass, host, request.rng, relative)
    parts, said = take_apart(request, mass, request.joint, known, threads)
    if known.kept is not None:
        same = known.kept.same
        parts = [
            replace(part, fixed=np.ones((len(part.nodes), o["dim"]), dtype=bool)) if same[part.nodes].all() else part
            for part in parts
        ]
    n = len(request.labels)
    if o["device"] == "auto" and device is None:
        said = [*said, "device='auto' found no GPU that PyTorch can use"]
    if request.optimizer is not None and request.optimizer.name == "momentum" and method.scheduled:
        note = "optimizer='momentum' takes its own schedule, early exaggeration, in place of the method's stages"
        said = [*said, note]
    sums, stability = Summation(o["nbody"], threads, device), known.kept.stability if known.kept else None
    run = Run(
        method, o["dim"], sums, request.rng, observer, _frames(request, parts), request.optimizer, o["max_iter"],
        o["tol"], stability, notes=[*request.notes, *about_mass, *said], compile_ahead=compile_ahead,
    )
    if request.joint and request.start is None:
        # Coarse levels of several components would drift apart without end: they start as they are drawn alone.
        alone, said = take_apart(request, mass, False, known, threads)
        run.notes.extend(said)
        drawings, run, stopped = _draw_each(alone, run)
        together = run.method.gravity is not None
        start = gather(drawings, run) if together else assemble(drawings, None, None, (n, run.dim), None)
        parts = [replace(parts[0], start=start, own_start=True)]
        run = replace(run, canvas=_frames(request, parts))
        if stopped:
            return [replace(Drawing.of(parts[0], run.dim), Y=start, reason="stopped")], run, True
    return _draw_each(parts, run)


def _frames(request: Request, parts: list[Part]) -> Frames:
    o, kept = request.options, request.start is not None
    stay = request.fixed is not None and bool(request.fixed.any())
    return Frames(parts, len(request.labels), o["dim"], kept, stay, o["scale"], o["center"])


def _draw_each(parts: list[Part], run: Run) -> tuple[list[Drawing], Run, bool]:
    """Draw different components; return drawings, run and True if a callback stopped it."""
    first_of: dict[object, int] = {}
    twin_of = {k: first_of.setdefault(part.key or k, k) for k, part in enumerate(parts) if len(part.nodes) > 1}
    different = list(first_of.values())
    drawn, stopped = dict[int, Drawing](), False
    if different and run.method.choose is not None:  # the largest component decides for all
        largest = different.pop(0)
        drawn[largest], run = draw_at_best_alpha(parts[largest], run)
        stopped = drawn[largest].reason == "stopped"
    if run.method.variational:
        for k in different if not stopped else ():
            drawn[k] = draw_variational(parts[k], run)
            if drawn[k].reason == "stopped":
                stopped = True
                break
    elif not stopped:
        done, complete = draw_parts([parts[k] for k in different], replace(run, method=at_order(run.method)))
        drawn.update({different[k]: drawing for k, drawing in done.items()})
        stopped = not complete
    found = [drawn.get(twin_of.get(k, k)) for k in range(len(parts))]
    each = zip(parts, found, strict=True)
    drawings = [_as_it_is(part, run) if own is None else replace(own, given=part) for part, own in each]
    return drawings, run, stopped


def _as_it_is(part: Part, run: Run) -> Drawing:
    """Return positions of a component that is not drawn: one node, or not reached by the run."""
    nothing = Drawing.of(part, run.dim)
    if len(part.nodes) == 1:
        known = part.start is not None and part.placed
        return replace(nothing, Y=np.array(part.start) if known else nothing.Y, reason="converged")
    if part.start is None:
        return nothing.at(random_positions(len(part.nodes), run.dim, run.rng))
    return nothing.at(place_missing(part.start, part.affinity.P, run.rng))


def _solution(
    request: Request, done: Finished, units: np.ndarray, drawings: list[Drawing], run: Run, stopped: bool, began: float
) -> tuple[Solution, list[Drawing]]:
    """Return the record of a finished run, with positions in the library's type, and drawings.

    ``units`` (C, d): by how much each component's part of the drawing is smaller than its objective has it.
    """
    before = None
    if done.moved and request.size is None and not request.dots:
        before = evidence_of(drawings, run.method, run.sums).value
    each = zip(drawings, units, strict=True)
    back = [drawing.at(centered(done.Y[drawing.part.nodes]) * unit) for drawing, unit in each]
    found = evidence_of(back, run.method, run.sums)
    if before is not None and abs(found.value - before) > OPENED_CHANGE * abs(before):
        note = f"nodes that coincide at the minimum were opened a little, which takes J from {before:.6g} to"
        run.notes.append(f"{note} {found.value:.6g}")
    run.notes.extend((*done.notes, *found.notes, *_bound_note(back, found.value)))
    if len(back) > 1 and request.start is None:
        run.notes.append(f"{len(back):,} components, packed; distances between components have no meaning")
    reason = "stopped" if stopped else back[0].reason if back else "converged"
    if reason in ("converged", "lull", "max_iter") and grows(back, run.method, run.sums, found.largest):
        reason = "unbounded"
    each = np.ones(done.Y.shape)
    for drawing, unit in zip(back, units, strict=True):
        each[drawing.part.nodes] = unit
    if (each == each[:, :1]).all():
        each = each[:, :1]
    unit = float(units[0, 0]) if len(units) and (units == units[0, 0]).all() else each
    solution = Solution(
        positions=_written(request, done.Y), value=found.value, trace=tuple(run.observer.trace),
        connection=found.connection, reason=reason, node_cost=found.node_cost, components=request.labels,
        notes=tuple(run.notes), seconds=time.perf_counter() - began, choice=run.choice, method=run.method.name,
        unit=unit,
    )
    LOG.debug("%s: %s, J = %.6g, %.2f s", solution.method, reason, found.value, solution.seconds)
    for note in solution.notes:
        LOG.debug("note: %s", note)
    return solution, back


def _written(request: Request, Y: np.ndarray) -> Any:
    """Return positions (n, dim) in the library's type."""
    return request.network.host.write(Y, request.options["store_pos_as"])


def _bound_note(drawings: list[Drawing], value: float) -> tuple[str, ...]:
    """Return the note on a variational form's bound minus the divergence; () if stopped."""
    bounds = [drawing.bound for drawing in drawings if len(drawing.Y) > 1]
    known = [bound for bound in bounds if bound is not None]
    if not known or len(known) < len(bounds):
        return ()
    return (f"the network's bound reached {sum(known):.3g} where the divergence is {value:.3g}",)
