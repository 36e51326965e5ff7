"""The counts and costs of one component, from which estimates are added up."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import FINEST, LARGE_GRAPH, CoarseToFine, Descend, Stage, early_exaggeration
from nelayout.formula.kernels import Radial
from nelayout.optimizers import optimizer_named
from nelayout.optimizers.limited_memory import pairs_kept
from nelayout.run.alpha_walk import WALK_STEPS
from nelayout.run.auto.bending import bent_pairs
from nelayout.run.auto.masses import TRIAL_STEPS, mass_to_read
from nelayout.run.levels import method_of
from nelayout.run.several_starts import rough_drawings, steps_of_starts
from nelayout.similarities.truncated_walk import KEPT, WHOLE
from nelayout.sums.edges.walk import can_smooth_exactly

__all__ = ["BYTES_ENTRY", "BYTES_NODE", "COMPONENT", "NUMPY_PAIRS", "PARTED_NODE", "READ", "Part"]

# Pairs of nodes above which compiled loops pay for loading them: about 0.5 s in each process, some six seconds once on
# each machine.  A drawing of 250 nodes then takes as long on NumPy.
NUMPY_PAIRS = 300 * 300
# Seconds on one core of a 2.5 GHz server of the 2020s, compiled loops on disk: over random geometric graphs
# and preferential attachment of 300 to 5,000 nodes, by seven methods of the catalogue, and over grids and
# neighbor graphs of 10,000 to 200,000, by six.
NUMPY_PAIR, EXACT = 15e-9, 1.1e-9  # of an exact radial sum: per pair on NumPy, per unit of cost in compiled loops
NODE = {"mesh": (230e-9,) * 3, "tree": (500e-9, 900e-9, 1500e-9)}  # of the other backends, in 1, 2, 3 dimensions
LEAST_SUM = 3e-4  # of a radial sum that is not exact
ENTRY = {"numpy": 60e-9, "compiled": 7e-9}  # of an edge sum, per entry (two an edge)
# Of similarities by rows, where there are two passes over all pairs: per entry, and per node for those far from others.
ROW_ENTRY, ROW_NODE = {"numpy": 120e-9, "compiled": 40e-9}, 200e-9
CALL = {"numpy": 9e-5, "compiled": 6e-5}  # of an evaluation, however small the graph
SYSTEM_CALL = {"numpy": 1.2e-4, "compiled": 6e-5}  # of one linear system of majorization, however small
# And per entry, by how the attraction of an edge changes with its length d: as 1/d in LinLog, whose systems
# are the hardest, not at all in QuadLog, and so on.
SYSTEM_ENTRY = {"falls": 100e-9, "falls as 1/d": 200e-9, "constant": 150e-9, "grows": 30e-9}
MEMORY_NODE, MEMORY_CALL = 8e-9, 1.5e-4  # of one step of L-BFGS, per coordinate and curvature pair
PUSH = 0.5e-9  # of truncating a random walk: per node, entry kept, mean degree and 1/(1 - rho)
WALK_ENTRY = 110e-9  # of an evaluation with the walk as an operator, per entry and sqrt(1/(1 - rho))
# Of moving nodes apart (node_size), per node of graphs of up to 1,000 nodes and of larger ones, which mostly have no
# room: 2e-5 to 4e-4 over geometric and preferential graphs and trees by ws-SNE, LinLog and gamma-QuadLog.
PARTED_NODE = 1e-4, 5e-6
BEND = 2e-7, 3e-6  # of a bend, per pair that it looks at, and per node from which hops are counted
READ = 1.5e-6  # of reading and writing, per node and entry
# Of components drawn together, per node: of an evaluation or system, and of a step of L-BFGS.  Each component, drawn or
# a copy, also costs the rest.
TOGETHER_NODE, TOGETHER_MEMORY_NODE, COMPONENT = 5e-8, 9e-8, 1.1e-4

# Part of a second core's time that is used.
SECOND_CORE = 0.6
# Evaluations in a step, line searches and refused steps included.
TRIALS = 1.1
# Part of its most steps that a stage usually makes: majorization of a level comes to rest, and so do Gaussian kernels.
USUAL_MAJORIZE, USUAL_GAUSSIAN, USUAL = 0.6, 0.6, 0.95
# Part of the last two judged stages that a large graph usually goes through: where a heavier tail draws no better,
# "auto" ends.  Of eight graphs of 20,000 to 200,000 nodes three went through both, three through neither; with 0.2 five
# of them are estimated at 1.4 to 2.2 times what a machine takes that is 1.6 times as fast as the one above.
REACHED = 0.2
# A level of a coarse-to-fine stage has about half the nodes of the next; the coarsest is drawn from scratch.
LEVELS, COARSEST, COARSEST_EVALUATIONS = 2.0, 40, 60
SIZE_SEARCH = 7  # evaluations before a stage whose objective has a scale

# Bytes at the peak, as Python's tracemalloc counts them.  Over preferential graphs and grids of 150 to 90,000 nodes,
# by five methods on two threads, estimates were 0.66 to 2.00 of what was measured.
BYTES_ENTRY, BYTES_NODE = 55, 420
BYTES_MEMORY = 14  # of L-BFGS, per coordinate and curvature pair
BYTES_MESH, BYTES_MESH_LEAST = 290, 560_000
BYTES_PAIRS_ON_MESH, BYTES_PAIRS_ON_MESH_LEAST = 200, 100_000  # for singular kernels, whose grid is coarse
BYTES_COMPILED = 1_000_000  # of the compiled form, however small the graph
BYTES_NUMPY, NUMPY_BLOCK = 3_000_000, 1 << 15  # a block of pairs of the NumPy form, and the pairs in it
BYTES_ROUGH = 14  # of the rough drawings of small graphs, for each pair of nodes of each
BYTES_BENT = 60  # of a bend, for each pair of nodes that it looks at
BYTES_TRUNCATED = 63  # while a random walk is cut short, per entry


class Part:
    """The counts and costs of one component."""

    def __init__(
        self, method: Method, o: dict[str, Any], n: int, entries: int, pairs: int, threads: int, together: bool = False
    ) -> None:
        self.method, self.n, self.dim = method, n, o["dim"]
        self.seconds, self.bytes = 0.0, 0
        self.entries = self._smoothed(o["smoothing"], n, entries)
        self.compiled, self.together = together or pairs + 20 * self.entries > NUMPY_PAIRS, together
        self.backend = "exact" if together else o["nbody"]
        self.nbody = self._sum(_radials(method))[0]
        self.speed = 1.0 + SECOND_CORE * (min(threads, 4) - 1) if self.compiled else 1.0
        self.evaluations, self.calls, self.meshed = 0.0, 0.0, False
        optimizer = None if o["optimizer"] == "auto" else optimizer_named(o["optimizer"]).name
        schedule = early_exaggeration("momentum") if optimizer == "momentum" else method.stages
        stages = tuple(stage.at(n) if isinstance(stage, Descend) else stage for stage in schedule)
        last, judged = stages[-1], [stage for stage in stages if isinstance(stage, Descend) and stage.judged]
        chosen = o["mass"] is None and mass_to_read(method.mass) != method.mass
        if chosen and not together:  # and other masses are tried
            stages += (replace(stages[-1], max_iter=TRIAL_STEPS),)
        asked = last.max_iter if o["max_iter"] is None else o["max_iter"]
        others = 0 if together else steps_of_starts(last, asked, method)
        if others:  # and the last stage begins at other places as well
            assert isinstance(last, Descend)
            stages += (replace(last, max_iter=others),)
        if method.choose is not None:  # and drawings on the walk over the orders
            stages += (last, *(replace(last, max_iter=min(WALK_STEPS, last.max_iter)),) * method.choose.drawings)
        for stage in stages:
            if isinstance(stage, CoarseToFine):
                self._levels(stage)
            else:
                most = o["max_iter"] if stage is last else None
                share = 1.0 if most is None else most / max(stage.max_iter, 1)
                share *= REACHED if n > LARGE_GRAPH and stage in judged[-2:] else 1.0
                self._descent(stage, optimizer or stage.optimizer, share)
        if self.meshed:
            singular = method.kernel.singular
            self.bytes += (BYTES_PAIRS_ON_MESH_LEAST if singular else BYTES_MESH_LEAST) + n * (
                BYTES_PAIRS_ON_MESH if singular else BYTES_MESH
            )
        self.bytes += BYTES_COMPILED if self.compiled else round(BYTES_NUMPY * min(1.0, n**2 / NUMPY_BLOCK))
        if any((optimizer or stage.optimizer) == "lbfgs" for stage in method.stages):
            self.bytes += BYTES_MEMORY * pairs_kept(n) * n * self.dim
        if others:
            self.bytes = max(self.bytes, BYTES_ROUGH * rough_drawings(n, 1) * n**2)
        pairs_bent = bent_pairs(n) if any(isinstance(stage, Descend) and stage.judged for stage in stages) else 0
        if pairs_bent and not together:
            self.seconds += BEND[0] * pairs_bent + BEND[1] * n
            self.bytes = max(self.bytes, BYTES_BENT * pairs_bent)

    def _smoothed(self, rho: float, n: int, entries: int) -> int:
        """Entries of what stands in for the graph: its own or a truncated walk's."""
        method, self.walk = self.method, 0.0
        if not rho:
            return entries
        raw = method.affinity == "raw"
        if raw and can_smooth_exactly(method.kernel, method.divergence, method.connection):
            self.walk = WALK_ENTRY * entries * math.sqrt(1.0 / (1.0 - rho))
            return entries
        kept = min(n - 1, max(KEPT, WHOLE**2 // n))
        degree = entries / n
        self.seconds += PUSH * n * kept * degree / (1.0 - rho)
        self.bytes += BYTES_TRUNCATED * n * kept
        return n * kept

    def _levels(self, stage: CoarseToFine) -> None:
        """A stage through the levels, each with about half the nodes of the next."""
        steps = stage.max_iter * self._usual(stage, stage.optimizer)
        calls = max(1.0, math.log2(self.n / COARSEST)) * TRIALS * steps + COARSEST_EVALUATIONS
        seen = LEVELS if stage.finest or self.n <= LARGE_GRAPH else LEVELS * FINEST
        evaluations, steps = seen * TRIALS * steps, seen * steps
        self._add(stage, stage.optimizer, evaluations, calls, steps, min(self.n, COARSEST))
        self.seconds += evaluations / LEVELS * self.walk  # on the finest level

    def _descent(self, stage: Descend, optimizer: str, share: float) -> None:
        """A stage on the graph itself, of whose steps a part ``share`` is taken."""
        steps = share * stage.max_iter * self._usual(stage, optimizer)
        evaluations = TRIALS * steps
        if not (self.method.kernel.is_power and self.method.connection.name == "optimal"):  # which has no size to find
            evaluations += min(1.0, share) * SIZE_SEARCH
        self._add(stage, optimizer, evaluations, evaluations, steps, self.n)
        self.seconds += evaluations * self.walk

    def _add(self, stage: Stage, optimizer: str, evaluations: float, calls: float, steps: float, nodes: int) -> None:
        """Seconds of evaluations of the whole graph, of calls however small, and of an optimizer's steps.

        Of a graph that is drawn together with others, calls cost by their ``nodes``.
        """
        form = "compiled" if self.compiled else "numpy"
        call, system, memory = CALL[form], SYSTEM_CALL[form], MEMORY_CALL
        if self.together:
            call, system, memory = TOGETHER_NODE * nodes, TOGETHER_NODE * nodes, TOGETHER_MEMORY_NODE * nodes
        self.evaluations += evaluations
        self.calls += calls
        method = method_of(stage, self.method)
        carrier, each = self._sum(_radials(method))
        self.meshed |= carrier == "mesh"
        if method.connection.by_rows:
            each = 2.0 * each + ROW_ENTRY[form] * self.entries
            each += ROW_NODE * self.n if self.compiled else 0.0
        else:
            each += ENTRY[form] * self.entries
        self.seconds += evaluations * each / self.speed + calls * call
        if optimizer_named(optimizer).solves:
            self.seconds += steps * self._system(stage) * self.entries / self.speed + calls * system
        else:
            self.seconds += steps * (memory + MEMORY_NODE * pairs_kept(self.n) * self.n * self.dim)

    def _usual(self, stage: Stage, optimizer: str) -> float:
        """Part of its most steps that a stage usually makes."""
        if optimizer == "majorize":
            return USUAL_MAJORIZE if isinstance(stage, CoarseToFine) else USUAL
        own = isinstance(stage, CoarseToFine) or stage.kernel is None
        rests = self.method.kernel.a == 0 and own and not self.method.connection.by_rows
        return USUAL_GAUSSIAN if rests else USUAL

    def _power(self, stage: Stage) -> float:
        """r, where a stage's kernel is the distance to the power of -r; 0 where it is none."""
        kernel = method_of(stage, self.method).kernel
        return 2.0 * kernel.b / kernel.a if kernel.is_power else 0.0

    def _system(self, stage: Stage) -> float:
        """Seconds per entry of one linear system."""
        power = self._power(stage)
        if not power:
            return SYSTEM_ENTRY["falls"]
        return SYSTEM_ENTRY["falls as 1/d" if power < 2 else "constant" if power == 2 else "grows"]

    def _sum(self, radials: tuple[Radial, ...]) -> tuple[str, float]:
        """The backend for sums over all pairs in an even drawing, and the seconds that it takes once."""
        if not self.compiled:
            return "exact", len(radials) * NUMPY_PAIR * self.n**2
        from nelayout.sums.nbody.auto import EXACT_FREE, exact_cost  # not loaded for small graphs

        name, exact = self.backend, exact_cost(self.n, radials)
        if name == "auto":
            name = "exact" if exact <= EXACT_FREE else "mesh" if self.dim == 2 else "tree"
        if name == "exact":
            return name, EXACT * exact
        return name, len(radials) * max(LEAST_SUM, NODE[name][self.dim - 1] * self.n)


def _radials(method: Method) -> tuple[Radial, ...]:
    """The radial functions that an evaluation sums."""
    found = {radial for term in method.divergence.pairs for radial in term.radials(method.kernel)}
    return tuple(found | ({Radial(method.kernel)} if method.connection.needs_normalizer else set()))
