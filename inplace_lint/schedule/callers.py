"""Decides what a caller may know that a run could not, and which callers are worth a run of their own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..hazards.finding import HARMLESS, LOCAL, POSSIBLE, REFUSED
from ..hazards.findings import of_run, proved
from ..interp.storage import DOES
from ..interp.values import Instance, Tensor, Unknown, alternatives
from ..prefilter import grad_mode
from ..prefilter.callers import callers, users_of_objects
from ..prefilter.source_words import mentions

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..interp.program import Program
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..syntax.module import FunctionSource, Module

#: What a caller may know, in rising order: nothing; whether it computed with an argument before the write; whether
#: gradients flow; whether grad mode is on at the call, even without a backward; anything.
NO_NEED, WRITTEN, GRADIENTS, RECORDED, ANYTHING = range(5)

#: Kinds of findings that need recorded gradients.
_OF_GRADIENTS = frozenset({"write", "leaf", "multi-view", "out", "no-grad-view", "no-derivative", "no-gain"})


def is_private(root: FunctionSource) -> bool:
    """Whether all callers are in the file (nested, or a leading underscore), so that only their facts count."""
    if root.owner is None and root.module.functions.get(root.name) is not root:
        return True
    return root.name.startswith("_") and not root.name.endswith("__")


def has_no_other_caller(
    module: Module, root: FunctionSource, done: Collection[FunctionSource | None]
) -> bool:
    """Whether the file mentions a private function only in calls, all of them in functions that are done."""
    calling, calls_here = callers(module, {root})
    if len(mentions(module, {root.name})) > len(calls_here) + 1:
        return False  # passed as a value: other code may call it
    return all(caller in done for caller in calling if caller is not root)


def needs(run: Run, module: Module, root: FunctionSource) -> int:
    """What a caller may know that this run could not (`NO_NEED` … `ANYTHING`)."""
    if run.root.takes_test_for_mask or (run.steps.of_unknown and run.steps.trains) or _leaves_parts(run):
        return ANYTHING
    private = is_private(root)
    notes = run.program.prefilter.notes
    open_findings = [
        finding.kind
        for finding in of_run(run, module, root)
        if (private or finding.confidence == POSSIBLE)
        and (notes or finding.kind != "no-gain")
        and (
            finding.kind not in LOCAL
            or (finding.kind in ("lost", "stale") and finding.confidence == POSSIBLE)
        )
    ]
    if not all(kind in _OF_GRADIENTS for kind in open_findings):
        return ANYTHING
    if private and any(f.kind in REFUSED and f.confidence > POSSIBLE for f in of_run(run, module, root)):
        return RECORDED
    if (
        open_findings
        or any(hazard.saved.unproved or not proved(hazard) for hazard in run.heap.confirm(run.weighed()))
        or _leaves_open(run)
        # a caller that uses this view gets an error
        or any(t.multi and run.heap.written_since(t.storage, t.made_at, g) for g, t in run.root.returned)
    ):
        return GRADIENTS
    return _of_what_is_given(run)


def _of_what_is_given(run: Run) -> int:
    """What a caller may know of a written argument: it may have computed with it before, so that it is saved.

    For the argument itself the summary of the caller tells (`WRITTEN`); for attributes of it the caller has to be run.
    """
    found = NO_NEED
    for write in run.found.writes:
        if write.initial or not (write.is_of_a_tensor() or _names_axes(write.place.at)):
            continue
        value = write.storage.value
        if write.storage.standing:
            return GRADIENTS
        if isinstance(value, Unknown) and value.is_given():
            if value.owner is not None:
                return GRADIENTS
            found = WRITTEN
    return found


def holds(run: Run, obj: Instance, written: set[Storage]) -> bool:
    """Whether a tensor of a written storage is an attribute of the object, or of an object inside it."""
    seen: set[Instance] = set()
    pending = [obj]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        for value in run.elements(one):
            for _, atom in alternatives(value):
                if isinstance(atom, Tensor) and atom.storage in written:
                    return True
                if isinstance(atom, Instance):
                    pending.append(atom)
    return False


def given_objects(run: Run, root: FunctionSource) -> list[Instance]:
    """The arguments of a function that are objects of the project, without its receiver."""
    receiver = root.receiver if root.owner is not None else ""
    return [obj for name, obj in run.root.args.items() if isinstance(obj, Instance) and name != receiver]


def writes_what_is_kept(run: Run, root: FunctionSource) -> bool:
    """Whether an object among the arguments is written: a caller that passes it twice may overwrite a save."""
    written = {write.storage for write in run.found.writes if not write.initial}
    return bool(written) and any(holds(run, obj, written) for obj in given_objects(run, root))


def _names_axes(at: ast.AST) -> bool:
    """Whether a node is `x[i, j]`: neither a list nor, usually, a dict is indexed so."""
    return isinstance(at, ast.Subscript) and isinstance(at.slice, ast.Tuple)


def _leaves_parts(run: Run) -> bool:
    """Whether an unpacked part of an argument is written: only the caller knows whether it is a view."""
    taken_apart = {part.owner for part in run.several.parts}
    for write in run.found.writes:
        value = write.storage.value
        if (
            isinstance(value, Unknown)
            and (value in run.several.parts or value in taken_apart)
            and value.is_given()
        ):
            return True
    return False


def _leaves_open(run: Run) -> bool:
    """Whether a hazard or event depends on what an argument is, or on its use after the call."""
    for hazard in run.heap.hazards:
        value = hazard.write.storage.value
        if not hazard.reached and isinstance(value, Unknown) and value.is_given() and proved(hazard):
            return True  # the caller may run backward through the saving op
    return any(
        event.kind not in HARMLESS
        and event.grad < DOES
        and (event.kind != "leaf" or not event.storage.credible())
        for event in run.found.events
    )


def as_own(program: Program, caller: FunctionSource, method: FunctionSource) -> FunctionSource:
    """The caller, as inherited by the class of `method` if it is a method of a base of that class."""
    cls, base = method.owner, caller.owner
    if cls is None or base is None or cls is base or caller.name in cls.methods:
        return caller
    bases = [value.source for value in program.class_value(cls).order()]
    return cls.module.as_method_of(caller, cls) if base in bases else caller


def callers_of(
    program: Program, module: Module, asked: dict[FunctionSource, int]
) -> dict[FunctionSource | None, bool]:
    """The functions (None: the top level) that call one of `asked`, by name or as the forward of an object.

    Each with whether it is worth a run: one that records no gradients does not tell whether they flow, and if only
    `WRITTEN` is asked, its summary has to say that it computes with what it passes.
    """
    found: dict[FunctionSource | None, bool] = {}
    for need in set(asked.values()):
        roots = {root for root, what in asked.items() if what == need}
        calling, rows = callers(module, roots)
        users = users_of_objects(module, roots)
        calling.update(users)
        as_inherited = [as_own(program, caller, root) for caller in calling for root in roots]
        for function in dict.fromkeys([*as_inherited, *calling]):
            # No backward goes through what an `__init__` computes; an error at the write (RECORDED) needs none.
            built = function.name == "__init__" and function.owner is not None and need != RECORDED
            runs_it = need == ANYTHING or not (
                built or grad_mode.records_nothing(program.prefilter, function)
            )
            if need == WRITTEN and function not in users:
                runs_it = runs_it and program.prefilter.of(function).is_open()
            found[function] = found.get(function, False) or runs_it
        if any(not module.functions_at(row) for row in rows):
            found[None] = True
    return found
