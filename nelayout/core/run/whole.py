"""A whole graph: plan all passes, then draw it by them.  The plan is the run.

A graph falls apart into components.  Each component gets its similarities and takes its passes.  Then all components
come together, are turned and scaled, and nodes that hide each other move apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import Descend, Stage
from nelayout.core.catalogue.table import AUTO, METHODS
from nelayout.core.formula.alpha_choice import AlphaChoice
from nelayout.core.passes.align import aligned
from nelayout.core.passes.costs import finishing
from nelayout.core.passes.drawing import Drawing, Part, Run, Summation, uses_loops
from nelayout.core.passes.facts import Facts
from nelayout.core.passes.on_rings import OnRings
from nelayout.core.passes.passes import Pass
from nelayout.core.passes.placement import centered, place_missing, random_positions
from nelayout.core.passes.separation import Neighborhoods, separate_nodes
from nelayout.core.placing.final import Finished, finish, growth
from nelayout.core.placing.orient import fit
from nelayout.core.placing.shapes import gathered, part_shapes, shape_gap
from nelayout.core.problem import Problem, Settings
from nelayout.core.record.progress import ENDING, Observer, Ran, Step
from nelayout.core.run.ahead import second_compiler
from nelayout.core.run.alpha_walk import at_order, draw_at_best_alpha
from nelayout.core.run.animation import Animation
from nelayout.core.run.assembly import assemble, assemble_kept, on_map, place_by_gravity, scale_factors
from nelayout.core.run.draw import draw_parts, plans_from, plans_of
from nelayout.core.run.evaluation import Evidence, evidence_of, is_unbounded
from nelayout.core.run.splitting import split, with_similarities
from nelayout.core.run.twins import twins_of
from nelayout.core.similarities.masses import NAMED, node_mass
from nelayout.core.sums.device import device_named
from nelayout.numerics.parallel import threads_for

__all__ = [
    "ASSEMBLE", "JOINT", "SEPARATE", "SHAPES", "SIMILARITIES", "SPLIT", "WALK", "Result", "Together", "Work", "draw",
    "plan",
]  # fmt: skip

# Names of the passes over the whole graph.
SPLIT, SIMILARITIES, WALK = "split into components", "similarities", "walk over alpha"
JOINT, ASSEMBLE, SEPARATE = "start all together", "assemble, turn and scale", "move nodes apart"
SHAPES = "move groups apart"
# Largest part of a time limit that is kept for what follows the last descent.
MAX_FINISHING = 0.1
# Fraction of |J| from which a note reports opened coincident nodes.
OPENED_CHANGE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Connected graphs, the largest first, with the facts and passes of each."""

    parts: tuple[Part, ...]
    facts: tuple[Facts, ...]
    passes: tuple[tuple[Pass, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """All passes on a problem, decided before they begin.

    components  drawn one by one; empty if a joint drawing has initial positions
    joint       the whole graph as one, if it is drawn jointly
    rings       the whole graph, which then goes onto circles; None: nothing does
    notes       sentences for the reader
    """

    problem: Problem
    method: Method
    settings: Settings
    components: Together
    joint: Together | None
    rings: Together | None
    notes: tuple[str, ...]


def plan(problem: Problem, method: Method, settings: Settings, quick: bool = False) -> Work:
    """Decide on all passes that draw a problem by a method; draw nothing.

    Facts come from the weights, because similarities are a pass.  ``quick``: strengths stand in for named
    centralities, which may take long.
    """
    named = quick and isinstance(problem.mass, str) and problem.mass in NAMED and problem.mass != "unit"
    mass = "strength" if named else problem.mass
    mass, notes = node_mass(problem.P, mass, None, settings.rng, method.gravity is None)
    said = list(notes)

    def together(joint: bool) -> Together:
        parts, more = split(problem, method, settings, mass, joint)
        said.extend(note for note in more if note not in said)
        if joint and problem.start is None:  # the components' drawings will be the initial positions
            parts = [replace(part, start=np.zeros((problem.n, settings.dim)), own_start=True) for part in parts]
        return Together(tuple(parts), *plans_of(parts, method, settings))

    if problem.start is not None and settings.max_iter != 0 and len(method.stages) > 1 and _own_schedule(method):
        *left_out, last = (repr(stage.name) for stage in method.stages)
        said.append(
            f"pos begins with the last stage, {last}: nelayout leaves out {', '.join(left_out)}, which would move the "
            "given positions far; leave out pos for all stages"
        )
    nothing = Together((), (), ())
    components = nothing if problem.joint and problem.start is not None else together(False)
    joint, rings = together(True) if problem.joint else None, None
    if problem.rings is not None and problem.n > 1:
        (part,), _ = split(problem, method, settings, mass, True)
        facts = Facts(problem.n, problem.P.nnz, rings=problem.rings.kind)
        rings = Together((replace(part, rings=problem.rings),), (facts,), plans_from((facts,), method, settings))
    return Work(problem, method, settings, components, joint, rings, tuple(said))


def _own_schedule(method: Method) -> bool:
    """Return True if the caller has chosen the stages; ``small`` does not count."""

    def of_any_size(stages: tuple[Stage, ...]) -> list[Stage]:
        return [replace(stage, small=None) if isinstance(stage, Descend) else stage for stage in stages]

    known = (of_any_size(each.stages) for each in (AUTO, *METHODS.values()))
    return method.scheduled and of_any_size(method.stages) not in known


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A drawn graph, as arrays.

    Y         (n, dim) positions
    units     (C, dim) factors from the result to each component's own units
    drawings  of the components, the largest first, where the result has them and in their own units
    evidence  J and where it comes from; None: not asked for
    reason    why the largest component's run ended
    method    the method, with the order alpha that was chosen; ``choice`` says how
    passes    those that ran, in order, with their steps and seconds
    """

    Y: np.ndarray
    units: np.ndarray
    drawings: tuple[Drawing, ...]
    evidence: Evidence | None
    reason: str
    method: Method
    choice: AlphaChoice | None
    notes: tuple[str, ...]
    trace: tuple[Step, ...]
    passes: tuple[Ran, ...]


def draw(work: Work, observer: Observer | None = None, evidence: bool = True) -> Result:
    """Draw what `plan` decided.

    ``observer``: None: a silent one.  ``evidence``: evaluate the result.
    """
    observer = Observer() if observer is None else observer
    problem, settings = work.problem, work.settings
    sizes, entries = (int(each.max(initial=0)) for each in problem.sizes(work.method))
    device = device_named(settings.device)
    if device is not None:
        device.check_memory(sizes, entries)
    with threads_for(settings.n_jobs) as threads:
        with (
            device.torch_errors() if device else nullcontext(),
            second_compiler(device is None and uses_loops(sizes, entries)) as compile_ahead,
        ):
            notes = list(work.notes)
            if settings.device == "auto" and device is None:
                notes.append("device='auto' found no GPU that PyTorch can use")
            if settings.optimizer is not None and settings.optimizer.name == "momentum" and work.method.scheduled:
                notes.append(
                    "optimizer='momentum' takes its own schedule, early exaggeration, in place of the method's stages"
                )
            sums = Summation(settings.nbody, threads, device)
            if settings.limit is not None:
                count, seconds = int(problem.labels.max(initial=-1)) + 1, settings.limit.seconds
                after = sum(finishing(problem.n, problem.P.nnz, count, problem.dots or problem.size is not None))
                observer.limit = observer.end = settings.limit.end - min(after, MAX_FINISHING * seconds)
            first = work.components if work.joint is None or work.components.parts else work.joint
            frames = _frames(problem, settings, first.parts)
            run = Run(
                work.method, settings.dim, sums, settings.rng, observer, frames, settings.optimizer, settings.max_iter,
                settings.tol, settings.stability, settings.effort, notes=notes, compile_ahead=compile_ahead,
                journal=settings.journal,
            )
            drawings, run, stopped = _drawn(work, run)
            observer.log_stages()
        with observer.within(ASSEMBLE):
            done, units = _finished(problem, settings, drawings, observer)
        if not stopped:
            observer.finish(done.Y)
        with device.torch_errors() if device else nullcontext():
            return _result(problem, done, units, drawings, run, stopped, evidence)


def _frames(problem: Problem, settings: Settings, parts: Sequence[Part]) -> Animation:
    kept, stay = problem.start is not None, problem.fixed is not None and bool(problem.fixed.any())
    return Animation(parts, problem.n, settings.dim, kept, stay, settings.scale, settings.center)


def _drawn(work: Work, run: Run) -> tuple[list[Drawing], Run, bool]:
    """Draw all components, jointly and on rings if asked; return True if a run was stopped."""
    drawings, run, stopped = _freely_drawn(work, run)
    drawings = [aligned(drawing) for drawing in drawings]  # a run may have ended before
    if work.rings is None:
        return drawings, run, stopped
    problem, settings, shape = work.problem, work.settings, (work.problem.n, run.dim)
    start = assemble(drawings, problem.start, None, shape, None)
    part = replace(work.rings.parts[0], start=start, fixed=None)
    chosen = next((each.method for each in drawings if each.method is not None), at_order(run.method))
    frames = Animation((part,), problem.n, run.dim, True, False, settings.scale, settings.center)
    own = replace(run, method=chosen, animation=frames)
    if stopped:
        whole = OnRings(name="rings")(Drawing.of(part, run.dim), own)
    else:
        (whole,), _, stopped = _each_drawn(replace(work.rings, parts=(part,)), problem, settings, own)
    there = [replace(each, Y=whole.Y[each.part.nodes], reason=whole.reason) for each in drawings]
    return there, run, stopped


def _freely_drawn(work: Work, run: Run) -> tuple[list[Drawing], Run, bool]:
    """Draw all components, then jointly if asked; return True if a callback stopped the run."""
    problem, settings = work.problem, work.settings
    drawings, stopped = list[Drawing](), False
    if work.components.parts:
        drawings, run, stopped = _each_drawn(work.components, problem, settings, run)
    if work.joint is None:
        return drawings, run, stopped
    joint = work.joint
    if problem.start is None:
        # Coarse levels of several components would drift apart without end: they start as they are drawn alone.
        with run.observer.within(JOINT):
            shape = problem.n, run.dim
            held = run.method.gravity is not None
            start = place_by_gravity(drawings, run) if held else assemble(drawings, None, None, shape, None)
        joint = replace(joint, parts=(replace(joint.parts[0], start=start),))
        run = replace(run, animation=_frames(problem, settings, joint.parts))
        if stopped:
            return [replace(Drawing.of(joint.parts[0], run.dim), Y=start, reason="stopped")], run, True
    return _each_drawn(joint, problem, settings, run)


def _each_drawn(
    graphs: Together, problem: Problem, settings: Settings, run: Run
) -> tuple[list[Drawing], Run, bool]:
    """Draw connected graphs, of equal ones the first; return True if a callback stopped."""
    with run.observer.within(SIMILARITIES):
        method = run.method
        if method.emphasis == "auto" and not run.effort.compare:  # no candidate has an emphasis
            method = replace(method, emphasis=0.0)
        parts, said = with_similarities(graphs.parts, problem, method, settings.smoothing, run.sums.threads)
    run.notes.extend(said)
    if problem.previous is not None:
        same = problem.previous.same
        parts = [
            replace(part, fixed=np.ones((len(part.nodes), run.dim), dtype=bool)) if same[part.nodes].all() else part
            for part in parts
        ]
    twins = twins_of(parts)
    different = [k for k, twin in twins.items() if twin.first == k]
    drawn, stopped = dict[int, Drawing](), False
    if different and run.method.choose is not None:  # the largest component decides for all
        largest = different.pop(0)
        with run.observer.within(WALK):
            drawn[largest], run = draw_at_best_alpha(parts[largest], run)
        stopped = drawn[largest].reason == "stopped"
    if not stopped:
        own, plans = replace(run, method=at_order(run.method)), [graphs.passes[k] for k in different]
        done, complete = draw_parts([parts[k] for k in different], plans, own)
        drawn.update({different[k]: drawing for k, drawing in done.items()})
        stopped = not complete
    found = [
        twins[k].drawn(drawn[twins[k].first], part) if k in twins and twins[k].first in drawn else _as_given(part, run)
        for k, part in enumerate(parts)
    ]
    return found, run, stopped


def _as_given(part: Part, run: Run) -> Drawing:
    """Return positions of a component that is not drawn: one node, or not reached by the run."""
    nothing = Drawing.of(part, run.dim)
    if len(part.nodes) == 1:
        known = part.start is not None and part.placed
        return replace(nothing, Y=np.array(part.start) if known else nothing.Y, reason="converged")
    if part.start is None:
        return nothing.at(random_positions(len(part.nodes), run.dim, run.rng))
    return nothing.at(place_missing(part.start, part.affinity.P, run.rng))


def _finished(
    problem: Problem, settings: Settings, drawings: list[Drawing], observer: Observer
) -> tuple[Finished, np.ndarray]:
    """Bring the components together, turn, scale and separate; return layout and units."""
    shape, places, stay = (problem.n, settings.dim), problem.start, problem.fixed
    if problem.rings is not None:
        return _on_rings(shape, settings, drawings)
    if problem.previous is None:
        Y = assemble(drawings, places, stay, shape, settings.scale)
    else:
        Y, rests = assemble_kept(drawings, shape), np.zeros(shape, dtype=bool)
        for drawing in drawings:
            rests[drawing.part.nodes] = drawing.part.rests
        if stay is None or places is None:
            places, stay = Y, rests
        else:
            places, stay = np.where(stay, places, Y), rests | stay
    if problem.shape is not None:
        with observer.within(SHAPES):
            Y = part_shapes(gathered(Y, problem.groups), problem.groups, problem.shape, shape_gap(Y))
    if problem.lines is not None:
        Y = Y if any(on_map(drawing) for drawing in drawings) else fit(Y, settings.scale)
        places, stay = Y, (problem.lines >= 0) | (False if stay is None else stay)
    units = scale_factors(drawings, Y)

    def apart(Y: np.ndarray) -> np.ndarray:
        with observer.within(SEPARATE):
            return separate_nodes(Y, Neighborhoods(problem.P), stay)

    part = apart if problem.dots else None
    with observer.within(SEPARATE) if problem.size is not None else nullcontext():
        scale, center = settings.scale, settings.center
        if any(on_map(drawing) for drawing in drawings):  # the result has the units of the anchors
            scale = center = None
            middle = np.sum(Y, axis=0) / len(Y)
            done = finish(Y, places, stay, problem.size, scale, middle if stay is None else None, part)
        else:
            done = finish(Y, places, stay, problem.size, scale, center, part)
        if problem.shape is not None:  # dots that have moved apart may have widened a shape
            Y = part_shapes(done.Y, problem.groups, problem.shape, shape_gap(done.Y))
            done = done._replace(Y=Y, moved=True)
        moved = problem.lines is not None and problem.dots and scale is not None  # dots may have moved apart
        if problem.tied or problem.shape is not None or moved:
            framed = fit(done.Y, scale)
            done = done._replace(Y=framed if center is None else framed + center, factor=growth(done.Y, framed))
    return done, units / done.factor


def _on_rings(
    shape: tuple[int, int], settings: Settings, drawings: list[Drawing]
) -> tuple[Finished, np.ndarray]:
    """Scale a layout on rings about their middle, the center; return layout and units."""
    Y = np.zeros(shape)
    for drawing in drawings:
        Y[drawing.part.nodes] = drawing.Y
    reach = math.sqrt(float(np.max(np.sum(Y * Y, axis=1), initial=0.0)))
    factor = settings.scale / reach if settings.scale is not None and reach > 0 else 1.0
    Y = factor * Y if settings.center is None else factor * Y + settings.center
    return Finished(Y, factor, False), np.full((len(drawings), shape[1]), 1.0 / factor)


def _result(
    problem: Problem, done: Finished, units: np.ndarray, drawings: list[Drawing], run: Run, stopped: bool, wanted: bool
) -> Result:
    """Return the result; ``wanted``: evaluate it."""
    each = zip(drawings, units, strict=True)
    back = [drawing.at(centered(done.Y[drawing.part.nodes]) * unit) for drawing, unit in each]
    reason, found = back[0].reason if back else "converged", None
    reason = "stopped" if stopped or ENDING.asked else "time_limit" if run.observer.cut else reason
    if wanted:
        before = None
        if done.moved and problem.size is None and not problem.dots:
            before = evidence_of(drawings, run.method, run.sums).value
        found = evidence_of(back, run.method, run.sums)
        if before is not None and abs(found.value - before) > OPENED_CHANGE * abs(before):
            note = f"nodes that coincide at the minimum were opened a little, which takes J from {before:.6g} to"
            run.notes.append(f"{note} {found.value:.6g}")
        run.notes.extend((*done.notes, *found.notes, *_bound_note(back, found.value)))
        if len(back) > 1 and problem.start is None and problem.rings is None:
            run.notes.append(f"{len(back):,} components, packed; distances between components have no meaning")
        sized = problem.rings is not None or reason not in ("converged", "lull", "max_iter")
        if not sized and is_unbounded(back, run.method, run.sums, found.largest):
            reason = "unbounded"
    return Result(
        done.Y, units, tuple(back), found, reason, run.method, run.choice, tuple(run.notes), tuple(run.observer.trace),
        tuple(run.observer.passes),
    )


def _bound_note(drawings: list[Drawing], value: float) -> tuple[str, ...]:
    """Return the note on a variational form's bound minus the divergence; () if stopped."""
    bounds = [drawing.bound for drawing in drawings if len(drawing.Y) > 1]
    known = [bound for bound in bounds if bound is not None]
    if not known or len(known) < len(bounds):
        return ()
    return (f"the network's bound reached {sum(known):.3g} where the divergence is {value:.3g}",)
