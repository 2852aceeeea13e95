"""Runs a function again with every call entered, and decides whether a finding still holds there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hazards.finding import REFUSED
from ..hazards.findings import Context, proved
from ..interp.budget import EVERYTHING
from ..interp.grad_evidence import grounds, mark_alone, mark_filled
from ..interp.guards import NEVER, either
from ..interp.starts import run_body, run_function
from ..interp.storage import DOES
from ..interp.values import Unknown
from ..prefilter import outside_callers

if TYPE_CHECKING:
    import ast

    from ..hazards.finding import Finding
    from ..interp.event import Event
    from ..interp.heap import Hazard
    from ..interp.program import Program
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..interp.values import Value
    from ..syntax.module import FunctionSource, Module


#: Steps after which a second look enters no more calls: more than in a first look, since there are few.
_SOFT_LIMIT = 8_000


class SecondLooks:
    """The second looks at the functions of a file: runs that enter every call, each made once on demand."""

    def __init__(self, module: Module, program: Program) -> None:
        self.module = module
        self.program = program
        self._looked: dict[FunctionSource | None, Run] = {}
        self._quiet: dict[FunctionSource, bool] = {}

    def is_quiet_elsewhere(self, function: FunctionSource) -> bool:
        """Whether other files call a function, and only where no gradients are recorded."""
        if function not in self._quiet:
            self._quiet[function] = outside_callers.record_nothing(self.program.prefilter, function)
        return self._quiet[function]

    def at(self, root: FunctionSource | None) -> Run:
        """The run of a function; of the top level of the file if it is None."""
        run = self._looked.get(root)
        if run is None:
            program = self.program
            handlers, program.handlers, program.soft_limit = program.handlers, None, _SOFT_LIMIT
            program.second_look = True
            try:
                if root is None:
                    run = run_body(program, self.module, EVERYTHING)
                else:
                    run = run_function(program, root, EVERYTHING)
            finally:
                program.handlers, program.soft_limit, program.second_look = handlers, 0, False
            mark_filled(run)
            mark_alone(run)
            self._looked[root] = run
        return run

    def stands(self, root: FunctionSource | None, finding: Finding, needed: bool = False) -> bool | None:
        """Whether a finding holds in the run of `root` too; None if the run did not reach its write, or cannot tell."""
        if finding.kind not in REFUSED:
            return self._meets(root, finding, needed)
        run = self.at(root)
        met = _events(run, finding)
        if not met and (run.budget.is_cut_short() or self.leaves_out(root, finding)):
            return None
        return any(i.grad == DOES or i.storage.credible() for i in met)

    def leaves_out(self, root: FunctionSource | None, finding: Finding) -> bool:
        """Whether the run of `root` is whole, and the write of a finding is not on its way."""
        run, places = self.at(root), _writes(finding)
        return not run.budget.is_cut_short() and all(w.place.at not in places for w in run.found.writes)

    def _meets(self, root: FunctionSource | None, finding: Finding, needed: bool = False) -> bool | None:
        """`stands` for a finding of a write after a save: whether a saved tensor there may require grad.

        `needed`: a later backward, a return or an escape has to need the save as well.
        """
        run = self.at(root)
        met = _hazards(run, finding)
        if not met and (run.budget.is_cut_short() or self.leaves_out(root, finding)):
            return None
        if needed and met and not run.budget.is_cut_short():
            run.heap.confirm(run.weighed())
            if not any(hazard.reached for hazard in met):
                return False
        context = Context(run, self.module, None)
        together = NEVER  # the paths of all hazards: a guess splits them into alias and copy
        unknown = False
        for hazard in met:
            if not proved(hazard):
                unknown = unknown or _hangs_on_an_argument_called(run, hazard)
                continue
            if hazard.saved.grad < DOES and context.evidence.is_fed(hazard.saved):
                continue
            guard = context.credible(hazard.guard, hazard.saved)
            if context.is_trained(guard) and run.by_default(guard):
                return True
            if hazard.saved.grad == DOES or hazard.saved.result:
                together = either(together, guard)
        if context.is_trained(together) and run.by_default(together):
            return True
        return None if unknown else False

    def is_data_of_a_loss(self, caller: FunctionSource, finding: Finding) -> bool:
        """Whether a caller returns a model's loss, in which what the finding is about is the model's data."""
        run = self.at(caller)
        evidence = Context(run, self.module, caller).evidence
        met = [hazard.saved for hazard in _hazards(run, finding) if proved(hazard)]
        return bool(met) and all(s.grad < DOES and evidence.is_data_of_a_loss(s) for s in met)

    def moves_weights_given(self, root: FunctionSource, finding: Finding) -> bool:
        """Whether all leaves that a finding overwrites are parameters of unknown values, such as an argument."""
        run = self.at(root)
        met = _events(run, finding) if finding.kind == "leaf" else []
        return bool(met) and all(
            i.storage in run.several.stand_ins
            and all(isinstance(owner, Unknown) for owner in run.several.stand_ins[i.storage].owners)
            for i in met
        )

    def fills_what_it_made(self, root: FunctionSource, finding: Finding) -> bool:
        """Whether a finding is about a tensor that the run makes and fills: of a factory, or part by part in a loop."""
        run = self.at(root)
        met = _hazards(run, finding)
        if all(hazard.saved.storage.origin == "factory" for hazard in met):
            return bool(met)
        made = all(hazard.saved.storage.origin in ("factory", "result") for hazard in met)
        return made and any(
            write.in_loop and write.place.at is hazard.write.place.at and write.time <= hazard.saved.time
            for hazard in met
            for write in run.found.writes
            if write.storage is hazard.saved.storage and write.op == "setitem"
        )

    def hangs_on_arguments(self, root: FunctionSource, finding: Finding) -> bool:
        """Whether gradients can reach a finding only through arguments of the function, or parts of them."""
        run = self.at(root)
        return finding.kind not in REFUSED and all(
            hazard.saved.grad < DOES
            and all(
                is_argument(run, ground)
                for ground in grounds([*hazard.saved.sources])
                if run.heap.record(ground).grads
            )
            for hazard in _hazards(run, finding)
        )


def is_argument(run: Run, storage: Storage) -> bool:
    """Whether a storage is that of an argument of the run, or of a part of one."""
    value: Value | None = storage.value
    if not isinstance(value, Unknown) or not value.is_given():
        return False
    given = {id(value) for value in run.root.args.values()}
    while isinstance(value, Unknown) and id(value) not in given:
        value = value.owner
    return isinstance(value, Unknown)


def _writes(finding: Finding) -> set[ast.AST]:
    """The nodes of the writes of a finding."""
    places = {place.at for place in finding.writes}
    places.add(finding.at if finding.write is None else finding.write.at)
    return places


def _events(run: Run, finding: Finding) -> list[Event]:
    """The events of a run of the kind and at the places of a finding."""
    places = _writes(finding)
    return [i for i in run.found.events if i.kind == finding.kind and i.place.at in places]


def _hazards(run: Run, finding: Finding) -> list[Hazard]:
    """The hazards of a run between the writes and the saves of a finding."""
    places, saves = _writes(finding), {saved.place.at for saved in finding.saves}
    return [h for h in run.heap.hazards if h.write.place.at in places and h.saved.place.at in saves]


def _hangs_on_an_argument_called(run: Run, hazard: Hazard) -> bool:
    """Whether a save may depend on the result of calling an unknown value, perhaps a module."""
    results = {
        f.result for func, forwards in run.handed.forwards.items() if func.owner is None for f in forwards
    }
    pending = [*hazard.saved.unproved, *hazard.saved.sources]
    seen = set(pending)
    while pending:
        storage = pending.pop()
        value: Value | None = storage.value
        while value is not None and value not in results:
            value = value.owner if isinstance(value, Unknown) else None
        if value is not None:
            return True
        pending += [source for source in storage.evidence if source not in seen]
        seen.update(storage.evidence)
    return False
