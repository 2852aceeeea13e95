"""Decides what a caller may know that a run could not, and which callers are worth a run of their own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..hazards.finding import HARMLESS, LOCAL, POSSIBLE, REFUSED
from ..hazards.findings import of_run, proved
from ..interp.storage import DOES
from ..interp.values import Instance, Tensor, Unknown, alternatives
from ..prefilter import grad_mode
from ..prefilter.source_words import mentions
from ..prefilter.text_screen import callers

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..interp.program import Program
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..syntax.module import FunctionSource, Module

#: What a caller is asked for: nothing; what it computed with an argument before that is written; whether gradients flow
#: at all; whether they are recorded where it calls, though no backward be run; anything.
NO_NEED, WRITTEN, GRADIENTS, RECORDED, ANYTHING = range(5)

#: Kinds of findings that are none where nothing is recorded.
_OF_GRADIENTS = frozenset({"write", "leaf", "multi-view", "out", "no-grad-view", "no-derivative", "no-gain"})


def is_private(root: FunctionSource) -> bool:
    """Whether all callers are in sight: nested, or with a leading underscore. Their facts are then its own."""
    if root.owner is None and root.module.functions.get(root.name) is not root:
        return True
    return root.name.startswith("_") and not root.name.endswith("__")


def has_no_other_caller(
    module: Module, root: FunctionSource, done: Collection[FunctionSource | None]
) -> bool:
    """Whether the file mentions a private function only to call it, in functions whose runs did not get there."""
    calling, calls_here = callers(module, {root})
    if len(mentions(module, {root.name})) > len(calls_here) + 1:
        return False  # passed on as a value: whoever gets it may call it
    return all(caller in done for caller in calling if caller is not root)


def needs(run: Run, module: Module, root: FunctionSource) -> int:
    """What a caller may know that this run could not: that an argument it writes is saved, or requires grad."""
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
        # using it raises
        or any(t.multi and run.heap.written_since(t.storage, t.made_at, g) for g, t in run.root.returned)
    ):
        return GRADIENTS
    return _of_what_is_given(run)


def _of_what_is_given(run: Run) -> int:
    """What a caller is asked for because an argument is written, or what it holds: it may have computed with it before.

    Of arguments its summary says whether it did; not of what the objects hold that it goes over.
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
    """Whether one of the tensors that were written is an attribute of the object, or of an object that it keeps."""
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
    """The objects in sight that a function is given, but for its own."""
    receiver = root.receiver if root.owner is not None else ""
    return [obj for name, obj in run.root.args.items() if isinstance(obj, Instance) and name != receiver]


def writes_what_is_kept(run: Run, root: FunctionSource) -> bool:
    """Whether memory of an object that is given is written: who hands it on twice may write what was saved first."""
    written = {write.storage for write in run.found.writes if not write.initial}
    return bool(written) and any(holds(run, obj, written) for obj in given_objects(run, root))


def _names_axes(at: ast.AST) -> bool:
    """Whether it is an element under several indices, which neither a list nor, as a rule, a dict has."""
    return isinstance(at, ast.Subscript) and isinstance(at.slice, ast.Tuple)


def _leaves_parts(run: Run) -> bool:
    """Whether a part of what was given is written: it may be a view of it, as only the caller knows."""
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
    """Whether it matters to what was done here what an argument is, or what becomes of it after the call."""
    for hazard in run.heap.hazards:
        value = hazard.write.storage.value
        if not hazard.reached and isinstance(value, Unknown) and value.is_given() and proved(hazard):
            return True  # the caller may use what the saving op gave its tensor for
    return any(
        event.kind not in HARMLESS
        and event.grad < DOES
        and (event.kind != "leaf" or not event.storage.credible())
        for event in run.found.events
    )


def as_own(program: Program, caller: FunctionSource, method: FunctionSource) -> FunctionSource:
    """A method of a base that calls what a class has of its own, as that class inherits it; any other as it is."""
    cls, base = method.owner, caller.owner
    if cls is None or base is None or cls is base or caller.name in cls.methods:
        return caller
    bases = [value.source for value in program.class_value(cls).order()]
    return cls.module.as_method_of(caller, cls) if base in bases else caller


def callers_of(
    program: Program, module: Module, asked: dict[FunctionSource, int]
) -> dict[FunctionSource | None, bool]:
    """Functions whose text calls one of these, or an object of the class that one of these is the forward of.

    With each whether it is worth a run: one that records nothing knows nothing of gradients, and of one that computed
    with what it hands on its summary says so.
    """
    found: dict[FunctionSource | None, bool] = {}
    for need in set(asked.values()):
        roots = {root for root, what in asked.items() if what == need}
        calling, rows = callers(module, roots)
        as_inherited = [as_own(program, caller, root) for caller in calling for root in roots]
        for function in dict.fromkeys([*as_inherited, *calling]):
            # No backward goes through what an object computes once, as it is built; what is refused needs none.
            built = function.name == "__init__" and function.owner is not None and need != RECORDED
            runs_it = need == ANYTHING or not (
                built or grad_mode.records_nothing(program.prefilter, function)
            )
            if need == WRITTEN:
                runs_it = runs_it and program.prefilter.of(function).is_open()
            found[function] = found.get(function, False) or runs_it
        if any(not module.functions_at(row) for row in rows):
            found[None] = True
    return found
