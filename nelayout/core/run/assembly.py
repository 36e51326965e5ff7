"""Assembly: the drawings of all components come together in one.

Drawings without a start are packed side by side; those with one go back there, and the others stand beside them.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.objective import Affinity
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.minimize import StoppingRule, minimize
from nelayout.core.optimizers.size import size_search
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.placement import as_before, centered, one_place, random_positions
from nelayout.core.placing.orient import canonical, transform
from nelayout.core.placing.packing import pack, pack_around, stacked
from nelayout.core.terms import Anchored
from nelayout.numerics.arithmetic import radius

__all__ = ["assemble", "assemble_kept", "on_map", "place_by_gravity", "scale_factors", "upright"]

# Factor between two components' typical distances from which initial positions do not set a component's size.
DIFFERENT = 2.0
# Space between fixed positions and the components beside them, in radii of the former.
BESIDE = 0.3
# Difference of a component's two sizes, in parts of them, that is a rounding error.
ROUNDING = 1e-12
# Iterations that arrange the components which gravity holds.
GATHERING_STEPS = 100


def assemble(
    components: list[Drawing], start: np.ndarray | None, fixed: np.ndarray | None, shape: tuple[int, int],
    scale: float | None,
) -> np.ndarray:
    """Return one drawing of the whole graph, (n, d), in the largest component's units.

    ``start`` (n, d) positions that the caller has given, NaN rows for missing positions; ``fixed`` (n, d) coordinates
    that stay; ``scale``: the size of components if no start has a size.
    """
    Y = np.zeros(shape)
    if start is None and not any(on_map(c) for c in components):
        drawings = [upright(c) for c in components]
        drawings = pack(drawings) if len(drawings) > 1 else drawings
        for component, drawing in zip(components, drawings, strict=True):
            Y[component.part.nodes] = drawing
        return Y
    placed = [c for c in components if c.part.placed or on_map(c)]
    starts = [c.part.start for c in placed if c.part.start is not None and c.part.placed and _distinct(c)]
    sized = [start[~np.isnan(start[:, 0])] for start in starts]
    sized += [anchored.to_map(c.Y) for c in placed if (anchored := on_map(c)) is not None]
    there = np.concatenate(sized) if sized else np.zeros((0, shape[1]))
    for component in placed:
        alone = len(components) == 1 and fixed is None
        size = radius(there) * (len(component.part.nodes) / len(there)) ** (1 / shape[1]) if len(there) else scale
        there_alone = alone and not on_map(component)
        Y[component.part.nodes] = component.Y if there_alone else _back(component, size)
    _stack(placed, Y)
    rest = [c for c in components if not c.part.placed and not on_map(c)]
    if rest:
        there = np.concatenate([c.part.nodes for c in placed]) if placed else np.array([], dtype=int)
        for component, drawing in zip(rest, _beside(Y[there], rest), strict=True):
            Y[component.part.nodes] = drawing
    return Y


def on_map(component: Drawing) -> Anchored | None:
    """Return the anchors of a component; None without any."""
    return next((term for term in component.affinity.terms if isinstance(term, Anchored)), None)


def upright(component: Drawing) -> np.ndarray:
    """Return a drawing turned as all are, unless a term or a line says what is up."""
    as_it_is = component.part.lines is not None or any(term.upright for term in component.affinity.terms)
    return centered(component.Y) if as_it_is else canonical(component.Y, component.affinity.mass)


def _back(component: Drawing, scale: float | None) -> np.ndarray:
    """Return a drawing at the size and position of its start; ``scale``: default size."""
    part = component.part
    if (anchored := on_map(component)) is not None:
        return anchored.to_map(component.Y)
    assert part.start is not None
    fixed = None if part.free is None else part.fixed
    if fixed is not None and not one_place(part.start, fixed):
        return component.in_place
    return as_before(component.Y, part.start, fixed, scale)


def _stack(placed: list[Drawing], Y: np.ndarray) -> None:
    """Put components with common layers behind each other in Y (n, d), scaled as their starts."""
    held = next((c.part.layers for c in placed if c.part.layers.any()), None)
    if held is None:
        return
    same = [c for c in placed if np.array_equal(c.part.layers, held)]
    layered = [c for c in same if c.part.fixed is not None and not c.part.fixed[:, ~held].any()]
    if len(layered) < 2:
        return
    nodes = np.concatenate([c.part.nodes for c in layered])
    stack = np.concatenate(stacked([Y[c.part.nodes] for c in layered], held))[:, ~held]
    start = np.concatenate([c.part.start for c in layered if c.part.start is not None])[:, ~held]
    Y[np.ix_(nodes, np.flatnonzero(~held))] = as_before(stack, start, None, None)


def _beside(placed: np.ndarray, rest: list[Drawing]) -> list[np.ndarray]:
    """Return drawings packed beside positioned nodes; their area follows their node count."""
    own = [c.Y for c in rest]
    packed = pack(own) if len(own) > 1 else [own[0] if rest[0].part.lines is not None else canonical(own[0])]
    if not len(placed):
        return packed
    block = np.concatenate(packed)
    factor = radius(placed) / max(radius(block), 1e-300) if len(block) > 1 else 1.0
    factor *= (len(block) / len(placed)) ** (1 / placed.shape[1])
    offset = (placed.min(axis=0) + placed.max(axis=0)) / 2
    offset[0] = placed[:, 0].max() - factor * block[:, 0].min() + BESIDE * max(radius(placed), 1e-12)
    return [factor * drawing + offset for drawing in packed]


def scale_factors(parts: list[Drawing], Y: np.ndarray) -> np.ndarray:
    """Return factors (C, d) from the sheet Y (n, d) to each component's drawing; 1 for points."""
    units = np.ones((len(parts), Y.shape[1]))
    for unit, part in zip(units, parts, strict=True):
        held = part.part.layers
        for axes in (held, ~held) if held.any() else (slice(None),):
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                ratio = radius(part.Y[:, axes]) / np.float64(radius(Y[part.part.nodes][:, axes]))
            if abs(ratio - 1.0) > ROUNDING and 0 < ratio < np.inf:
                unit[axes] = ratio
    return units


def place_by_gravity(parts: list[Drawing], run: Run) -> np.ndarray:
    """Return all components' drawings (n, d), each placed by gravity as a node of its mass."""
    mass = np.array([float(np.sum(part.affinity.mass)) for part in parts])
    objective = run.sums.objective(run.method, Affinity(csr_array((len(parts), len(parts))), mass))
    places = random_positions(len(parts), run.dim, run.rng)
    places = places * size_search(objective, places)
    places, _, _ = minimize(objective, places, LBFGS(), GATHERING_STEPS, StoppingRule(stall=1e-4))
    Y = np.empty((sum(len(each.Y) for each in parts), run.dim))
    for each, place in zip(parts, places, strict=True):
        Y[each.part.nodes] = each.Y - each.center + place
    return Y


def assemble_kept(components: list[Drawing], shape: tuple[int, int]) -> np.ndarray:
    """One drawing of the whole graph, (n, d), in the units of the components' starts."""
    Y, placed = np.zeros(shape), [c for c in components if c.part.placed]
    if not placed:
        return assemble(components, None, None, shape, None)
    rest = [c for c in components if not c.part.placed and not on_map(c)]
    fresh = [canonical(c.Y, c.affinity.mass) for c in rest]
    sized = next((c for c in placed if _distinct(c)), None)
    room = None if sized is None else _room(_over_start(sized, None))
    there = [_over_start(c, None if c is sized else room) for c in placed]
    stays = [c.part.free is not None and not c.part.rests for c in placed]
    if len(components) == 1 or all(c.part.rests for c in components):
        around = []
    else:
        rests = [c.part.rests for c in placed]
        there, around = pack_around(there, stays, fresh, rests, _overlapped(placed, there, stays))
    for component, drawing in zip([*placed, *rest], [*there, *around], strict=True):
        Y[component.part.nodes] = drawing
    return Y


def _overlapped(placed: list[Drawing], there: list[np.ndarray], stays: list[bool]) -> list[bool]:
    """Return for each component if it overlapped a larger one before and may stay there."""
    starts = [
        start[~np.isnan(start[:, 0])] if (start := c.part.start) is not None and _distinct(c) else Y
        for c, Y in zip(placed, there, strict=True)
    ]
    parted = pack_around(starts, stays, [])[0]
    return [c.part.rests and Y is not start for c, Y, start in zip(placed, parted, starts, strict=True)]


def _over_start(component: Drawing, room: float | None) -> np.ndarray:
    """Return a drawing aligned with its start; ``room``: typical distance between nodes."""
    start, Y = component.part.start, component.Y
    assert start is not None
    if component.part.rests:
        return start
    if component.part.lines is not None:
        return as_before(Y, start, None, None)
    known = ~np.isnan(start[:, 0])
    there, fixed = known, component.part.fixed
    if fixed is not None and fixed.any():
        if not one_place(start, fixed):
            return component.in_place
        there = np.asarray(fixed.any(axis=1))
    over = transform(Y, Y[there], start[there], scale=_distinct(component), reflect=False)
    if room is None or not _room(Y) > 0 or (_distinct(component) and 1 / DIFFERENT < _room(over) / room < DIFFERENT):
        return over
    Y = Y * (room / _room(Y))
    return transform(Y, Y[there], start[there], scale=False, reflect=False)


def _distinct(component: Drawing) -> bool:
    """Return True if the start of a component has a size."""
    assert component.part.start is not None
    return not one_place(component.part.start[~np.isnan(component.part.start[:, 0])])


def _room(Y: np.ndarray) -> float:
    """Return the typical distance between nodes; 0 for a point."""
    return radius(Y) / len(Y) ** (1.0 / Y.shape[1])
