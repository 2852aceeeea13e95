"""A second look at what is only likely: is there anything in the file that says whether a gradient ever comes here?

A plain argument may require grad. Where a run that enters every call sees what no tensor with a gradient survives
(`numpy()`), it does not. And where all that the file's own calls of a function hand in never requires grad, that is
the best evidence at hand of what the function is for: its findings are possible, no more. Neither does what an
`__init__` computes once, as the buffers that a module starts with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sketch.screen import callers
from ..sketch.words import runs_backward
from .arguments import is_passed_on
from .finding import LIKELY, POSSIBLE
from .findings import Context, proved
from .guards import either
from .kinds import mark_filled
from .run import EVERYTHING
from .starts import run_body, run_function
from .storage import DOES
from .values import Unknown

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource, Module
    from .finding import Finding
    from .guards import Guard
    from .heap import Hazard
    from .program import Program
    from .run import Run
    from .values import Value


#: A second look goes further than a first one, and there are few.
_SOFT_LIMIT = 8_000


def reconsider(
    module: Module, program: Program, findings: list[tuple[Finding, FunctionSource | None]]
) -> None:
    """Lower the confidence of findings for which the second look finds that no gradient comes there."""
    looked: dict[FunctionSource | None, Run] = {}
    for finding, root in findings:
        if finding.confidence < LIKELY or finding.kind != "write":
            continue
        if _met(_look(program, module, root, looked), finding, needed=True) is False:
            finding.overruled = (
                "with every call entered, nothing is left that says that gradients are recorded here"
            )
        elif (
            finding.bare
            and root is not None
            and (
                _plain_from_the_top(module, program, finding, root, looked)
                or _only_plain(module, program, finding, root, looked)
            )
        ):
            finding.overruled = (
                "every call in this file is an `__init__`, or gives it only what never requires grad"
            )
        else:
            continue
        finding.confidence = POSSIBLE
        for saved in finding.saves:
            saved.confidence = POSSIBLE


def _plain_from_the_top(
    module: Module,
    program: Program,
    finding: Finding,
    root: FunctionSource,
    looked: dict[FunctionSource | None, Run],
) -> bool:
    """Whether the file's own top level trains, gets to the function, and brings nothing there that requires grad."""
    run = _look(program, module, None, looked) if runs_backward(module) else None
    return run is not None and run.trains and root in run.entered and _met(run, finding) is False


def _only_plain(
    module: Module,
    program: Program,
    finding: Finding,
    root: FunctionSource,
    looked: dict[FunctionSource | None, Run],
) -> bool:
    """Whether the file calls the function, and no call hands in anything that may require grad."""
    _, rows = callers(module, {root})
    around = [module.functions_at(row) for row in rows]
    calling = {f for functions in around for f in functions if f is not root}
    known: list[FunctionSource | None] = [*sorted(calling, key=lambda f: f.node.lineno)]
    if not all(around):
        known.append(None)
    if not known or is_passed_on(module, root) or _called_by_its_base(program, root):
        return False
    for caller in known:
        if caller is not None and caller.owner is not None and caller.name == "__init__":
            continue  # what an object starts with is computed once: no backward goes through it
        run = _look(program, module, caller, looked)
        if root not in run.entered or _met(run, finding) is not False:
            return False
    return True


def _look(
    program: Program, module: Module, root: FunctionSource | None, looked: dict[FunctionSource | None, Run]
) -> Run:
    run = looked.get(root)
    if run is None:
        deep = EVERYTHING
        handlers, program.handlers, program.soft_limit = program.handlers, None, _SOFT_LIMIT
        program.second_look = True
        try:
            run = run_body(program, module, deep) if root is None else run_function(program, root, deep)
        finally:
            program.handlers, program.soft_limit, program.second_look = handlers, 0, False
        mark_filled(run)
        looked[root] = run
    return run


def _met(run: Run, finding: Finding, needed: bool = False) -> bool | None:
    """Whether the write meets the saves in this run with what may require grad; None where that was not seen.

    `needed`: also whether anything that leaves the run, or is differentiated in it, hangs on what was saved.
    """
    places = {place.at for place in finding.writes}
    places.add(finding.at if finding.write is None else finding.write.at)
    saves = {saved.place.at for saved in finding.saves}
    met = [h for h in run.heap.hazards if h.write.place.at in places and h.saved.place.at in saves]
    if not met and (run.is_spent() or all(w.place.at not in places for w in run.writes)):
        return None
    if needed and met and not run.is_spent():
        run.heap.confirm()
        if not any(hazard.reached for hazard in met):
            return False
    context = Context(run, run.frame.module, None)
    together: Guard = ()  # memory that is shared on some paths, and a copy on the others
    unknown = False
    for hazard in met:
        if not proved(hazard):
            unknown = unknown or _hangs_on_an_argument_called(run, hazard)
            continue
        guard = context.credible(hazard.guard, hazard.saved)
        if context.is_trained(guard):
            return True
        if hazard.saved.grad == DOES or hazard.saved.result:
            together = either(together, guard)
    return context.is_trained(together) or (None if unknown else False)


def _hangs_on_an_argument_called(run: Run, hazard: Hazard) -> bool:
    """Whether what was saved may hang on the result of something given that is called: a module, perhaps."""
    results = {f.result for func, forwards in run.forwards.items() if func.owner is None for f in forwards}
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


def _called_by_its_base(program: Program, root: FunctionSource) -> bool:
    """Whether it is a method of a class with a base that is not in sight, which may call it."""
    if root.owner is None:
        return False
    bases = program.class_value(root.owner).external_bases()
    return any(not base.startswith(("builtins.", "typing.", "abc.")) for base in bases)
