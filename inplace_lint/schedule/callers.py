"""Decides what a caller may know that a run could not, and which callers are worth a run of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..hazards.finding import HARMLESS, LOCAL, POSSIBLE, REFUSED
from ..hazards.findings import of_run, proved
from ..interp.storage import DOES
from ..interp.values import Instance, Tensor, Unknown, alternatives, flatten
from ..interp.weights import weights_of
from ..prefilter import grad_mode
from ..prefilter.callers import callers, does_more, users_of_objects
from ..prefilter.source_words import mentions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..interp.program import Program
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..interp.values import Value
    from ..syntax.module import FunctionSource, Module

#: What a caller may know, in rising order: nothing; whether gradients flow, and through what it computed before the
#: call; whether grad mode is on at the call, even without a backward; anything.
NO_NEED, GRADIENTS, RECORDED, ANYTHING = range(4)

#: Limit: attributes, elements and calls through which a written value is followed to an argument.
_CHAIN = 8
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
    """Whether nothing but calls in functions that are done, if any, knows of a private function."""
    calling, calls_here = callers(module, {root})
    taken = re.search(rb"\b%s\b(?![ \t]*\()" % re.escape(root.name.encode()), module.source)
    passed = taken is not None and root.descriptor != "property"
    if passed or len(mentions(module, {root.name})) > len(calls_here) + 1:
        return False  # passed as a value: other code may call it
    decorators: list[object] = getattr(root.node, "decorator_list", [])
    if decorators and not calling:
        return False  # whoever its decorator hands it to may call it
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
        or _writes_what_was_passed(run)
    ):
        return GRADIENTS
    return GRADIENTS if _writes_what_is_given(run, root) else NO_NEED


def _writes_what_was_passed(run: Run) -> bool:
    """Whether a tensor is written that a function or module among the arguments got before, which may have saved it."""
    written = {
        write.storage: write.time
        for write in run.found.writes
        if write.recorded and not write.initial and (write.op != "setitem" or write.storage.value is None)
    }
    given = {atom for value in run.root.args.values() for atom in flatten(value)} if written else set()
    for func, forwards in run.handed.forwards.items():
        for forward in forwards if func in given else ():
            for atom in (atom for value in forward.values for atom in flatten(value)):
                tensor = atom.tensor if isinstance(atom, Unknown) else atom
                if isinstance(tensor, Tensor) and written.get(tensor.storage, 0) > forward.time:
                    return True
    return False


def _writes_what_is_given(run: Run, root: FunctionSource) -> bool:
    """Whether an argument, or an attribute or element of one, is written: a caller may have saved it before.

    So may an earlier call have saved what the object of a method keeps.
    """
    written = {write.storage: None for write in run.found.writes if not write.initial}
    if not written:
        return False
    asked = {
        forward.result: func
        for func, forwards in run.handed.forwards.items()
        for forward in forwards
        if not any(isinstance(atom, (Tensor, Unknown)) for value in forward.values for atom in flatten(value))
    }
    if any(storage.standing or _is_given(storage.value, asked) for storage in written):
        return True
    standing = [run.several.stand_ins[storage] for storage in written if storage in run.several.stand_ins]
    if any(_is_given(owner, asked) for one in standing for owner in one.owners):
        return True
    if _is_of_the_file(run, written.keys()):
        return True
    receiver = run.root.args.get(root.receiver) if root.owner is not None else None
    return isinstance(receiver, Instance) and holds(run, receiver, written.keys())


def _is_of_the_file(run: Run, written: Collection[Storage]) -> bool:
    """Whether a global name holds a written tensor, or a network that a written weight is of."""
    for value in run.top_levels.globals.values():
        for _, atom in alternatives(value):
            if isinstance(atom, Instance) and holds(run, atom, written):
                return True
            held = [*weights_of(run, atom, builds=False), *(tensor for _, tensor in run.tensors_within(atom))]
            if any(tensor.storage in written for tensor in held):
                return True
    return False


def _is_given(value: Value | None, asked: Mapping[Unknown, Unknown]) -> bool:
    """Whether a value came from outside the run, or a method of such gave it without a tensor: `batch.get("x")`.

    `asked` are the results of such calls, with what was called.
    """
    for _ in range(_CHAIN):
        if not isinstance(value, Unknown):
            return False
        if value.is_given():
            return True
        value = asked.get(value, value.owner)
    return False


def holds(run: Run, obj: Instance, written: Collection[Storage]) -> bool:
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
    given = [atom for name, value in run.root.args.items() if name != receiver for atom in flatten(value)]
    return [atom for atom in given if isinstance(atom, Instance)]


def writes_what_is_kept(run: Run, root: FunctionSource) -> bool:
    """Whether an object among the arguments is written: a caller that passes it twice may overwrite a save."""
    written = {write.storage for write in run.found.writes if not write.initial}
    return bool(written) and any(holds(run, obj, written) for obj in given_objects(run, root))


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

    Each with whether it is worth a run: one that records no gradients does not tell whether they flow.
    """
    found: dict[FunctionSource | None, bool] = {}
    for need in set(asked.values()):
        roots = {root for root, what in asked.items() if what == need}
        roots.update(*(program.prefilter.writers.shown_by(module, root) for root in roots))
        calling, at_top = _calling(module, roots, need)
        as_inherited = [as_own(program, caller, root) for caller in calling for root in roots]
        for root in roots:
            as_inherited += _inherited(program, root) if root.module is module else ()
        for function in dict.fromkeys([*as_inherited, *calling]):
            # No backward goes through what an `__init__` computes; an error at the write (RECORDED) needs none.
            built = function.name == "__init__" and function.owner is not None and need != RECORDED
            runs_it = need == ANYTHING or not (
                built or grad_mode.records_nothing(program.prefilter, function)
            )
            found[function] = found.get(function, False) or runs_it
        if at_top:
            found[None] = True
    return found


def _inherited(program: Program, method: FunctionSource) -> Iterator[FunctionSource]:
    """The methods that a class has from bases in other files and that call a method of it by its name, as its own."""
    cls = method.owner
    if cls is None or method.name == "forward":
        return
    order = [value.source for value in program.class_value(cls).order()]
    for base in order:
        if base.module is method.module:
            continue
        for caller in callers(base.module, {method})[0]:
            has = next((one for one in order if caller.name in one.methods), None)
            if caller.owner is base and has is base:
                yield cls.module.as_method_of(caller, cls)


def _calling(module: Module, roots: set[FunctionSource], need: int) -> tuple[list[FunctionSource], bool]:
    """The functions of the file that may call one of `roots`, and whether its top level does.

    A caller that does nothing else has saved nothing: if that is asked, its own callers take its place.
    """
    found: dict[FunctionSource, None] = {}
    passed: set[FunctionSource] = set()
    at_top = False
    names = {root.name for root in roots} | {root.owner.name for root in roots if root.owner is not None}
    while roots:
        calling, rows = callers(module, roots)
        calling.update(users_of_objects(module, roots))
        at_top = at_top or any(not module.functions_at(row) for row in rows)
        between = {
            f for f in calling if need == GRADIENTS and f.name != "__init__" and not does_more(f, names)
        }
        found.update(dict.fromkeys(f for f in calling if f not in between))
        roots = between - passed
        passed |= between
        names |= {f.name for f in roots}
    return [*found], at_top
