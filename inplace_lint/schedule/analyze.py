"""Runs the functions of a file that are worth it, then callers that know more, and gathers the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hazards.finding import Finding
from ..hazards.findings import of_run, once_for_each_write, prevailing
from ..interp.budget import FILE_LIMIT, NOT_REPEATED, TRAINING
from ..interp.observing import HANDLERS
from ..interp.program import Program
from ..interp.run import Run
from ..interp.starts import run_body, run_function
from ..interp.values import Unknown
from ..prefilter import driver_synthesis, scripts
from ..prefilter.selection import suspects, trains
from ..prefilter.text_screen import rows_of
from .callers import (
    ANYTHING,
    GRADIENTS,
    NO_NEED,
    callers_of,
    given_objects,
    has_no_other_caller,
    holds,
    is_private,
    needs,
    writes_what_is_kept,
)
from .left_open import called_abroad, callees_first, left_by, make_known, solve
from .passed_over import worth_entering
from .refine import refine

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from ..syntax.module import FunctionSource, Module

#: How many levels of callers of a function that writes its argument are run, within its file.
_CALLERS = 5


def analyze(module: Module, program: Program) -> list[Finding]:
    """All findings of a file, each place once, with the highest confidence that a run gives it."""
    return gathered(module, program, roots(module, program))


def roots(module: Module, program: Program) -> list[FunctionSource | None]:
    """The functions of a file to start from (None: its top level): those that write, and callers of such elsewhere."""
    program.files.add(module)
    found = suspects(program.prefilter, module)
    asked = called_abroad(program, module, found)
    program.begin()  # only now, since functions of other files were run
    calling = callers_of(program, module, asked)
    found += [f for f, runs_it in calling.items() if runs_it and f not in found]
    if found or rows_of(module):
        program.drivers = driver_synthesis.of_training(program.prefilter, module)
        if program.drivers and None not in found:
            found.append(None)
    if None not in found and scripts.leading_to_training(program.prefilter, module):
        found.append(None)
    return found


def gathered(module: Module, program: Program, pending: list[FunctionSource | None]) -> list[Finding]:
    """The findings of runs of these roots, and of callers that know more, after the second looks."""
    program.writers.clear()
    if None in pending:
        program.writers.update(scripts.leading_to_training(program.prefilter, module))
    found: dict[tuple[object, ...], tuple[Finding, FunctionSource | None]] = {}
    roots: dict[FunctionSource | None, None] = {}
    notes = program.prefilter.notes
    for run, root in runs(module, program, pending):
        for finding in _of_runs(run, module, root):
            known = found.get(finding.key())
            if known is None or known[0].confidence < finding.confidence:
                found[finding.key()] = (finding, root)
            else:
                known[0].join(finding)
            if notes or finding.is_shown():
                roots[root] = None
    if roots:
        refine(module, program, list(found.values()))
    findings = once_for_each_write([finding for finding, _ in found.values()])
    if roots:
        _observe(module, program, list(roots), [f for f in findings if notes or f.is_shown()])
    return prevailing(findings)


def _of_runs(run: Run, module: Module, root: FunctionSource | None) -> list[Finding]:
    """The findings of a run; where it ended before all was entered, also the steps that the run before it went on to.

    That one entered no networks: each is taken to save all of its parameters.
    """
    findings = of_run(run, module, root)
    if run.entering.shallow is None:
        return findings
    return findings + [one for one in of_run(run.entering.shallow, module, root) if one.kind == "step"]


def _observe(
    module: Module, program: Program, roots: list[FunctionSource | None], findings: list[Finding]
) -> None:
    """Run the roots again to record who shares the memory that findings write: a fix has to know."""
    by_place: dict[ast.AST, list[Finding]] = {}
    for finding in findings:
        if finding.kind != "step":
            at = finding.at if finding.write is None else finding.write.at
            by_place.setdefault(at, []).append(finding)
    if not by_place:
        return
    program.observed = frozenset(by_place)
    usual, program.handlers = program.handlers, HANDLERS
    try:
        for root in roots:
            for seen in deepened(program, module, root).found.observations:
                through = {place.at for place in seen.place.stack()}
                for finding in by_place.get(seen.place.at, ()):
                    # Of a call that writes: what other calls of the same function do does not concern it.
                    if finding.at in through:
                        finding.sharing.append(seen)
    finally:
        program.observed, program.handlers = frozenset(), usual


def runs(
    module: Module, program: Program, pending: list[FunctionSource | None]
) -> list[tuple[Run, FunctionSource | None]]:
    """A finished run for each root, and for callers that know more; without private ones that others cover."""
    done: dict[FunctionSource | None, Run] = {}
    #: callers not worth a run: they record no gradients, or compute nothing with the argument
    quiet: set[FunctionSource | None] = set()
    #: functions whose callers were looked up, and their names
    sought: set[FunctionSource] = set()
    names: set[str] = set()
    #: functions that only pass on an object which is written: they lead to the one that makes it
    between: set[FunctionSource | None] = set()
    if trains(module) and any(root is not None and trains(module, root) for root in pending):
        pending = [None, *pending]  # the top level comes first: it knows the arguments of the others
    roots_first = pending
    for _ in range(_CALLERS):
        first = not done
        asked, kept = _run_all(program, module, pending, done, between)
        names.update({root.name for root in asked}, _named_abroad(program, module))
        for root, run in done.items():
            # It calls a method of this name on an unknown object: its callers may know which one that is.
            if root is not None and root not in sought and not run.handed.unresolved.isdisjoint(names):
                asked[root] = ANYTHING
        sought.update(asked)
        if first and not program.drivers:
            program.drivers = driver_synthesis.of_entry_points(program.prefilter, module, {*asked, *kept})
            if program.drivers:
                done[None] = deepened(program, module, None)
        calling = callers_of(program, module, asked)
        quiet.update(f for f, runs_it in calling.items() if not runs_it)
        pending = [f for f, runs_it in calling.items() if runs_it and f not in done]
        between.difference_update(f for f, runs_it in calling.items() if runs_it)
        more = callers_of(program, module, kept)
        # One that has run already, for a write of its own, may lead there as well, unless it is wrong by itself.
        between.update(
            f
            for f in more
            if f in kept and not any(finding.is_shown() for finding in of_run(done[f], module, f))
        )
        more = {f: runs_it for f, runs_it in more.items() if runs_it and f not in done and f not in pending}
        between.update(more)
        pending += more
        program.writers.update(asked, kept)  # runs of callers have to enter it
        program.writers.update(f for f in pending if f is not None)
        if not pending:
            break
    for root in between:
        if root is not None and root in done:
            _forget_what_is_kept(done[root], root)
    program.cut_short.update((root, run.found.cut) for root, run in done.items() if run.found.cut)
    entered = {source for root, run in done.items() for source in run.entering.entered if source is not root}
    # In the order of the text: of runs that are equally sure of a finding, the first stands for it.
    in_order = [root for root in dict.fromkeys([*roots_first, *done]) if root in done]
    return [
        (done[root], root)
        for root in in_order
        if root is None
        or not is_private(root)
        or not (root in entered or has_no_other_caller(module, root, quiet.union(done)))
    ]


def _named_abroad(program: Program, module: Module) -> set[str]:
    """The names of the functions of other files that leave something to callers here."""
    prefilter = program.prefilter
    return {f.name for f in prefilter.writers.calls_abroad(module) if prefilter.left_open.get(f)}


def _run_all(
    program: Program,
    module: Module,
    pending: list[FunctionSource | None],
    done: dict[FunctionSource | None, Run],
    between: set[FunctionSource | None],
) -> tuple[dict[FunctionSource, int], dict[FunctionSource, int]]:
    """Run what is pending, callees first, into `done`.

    Returns what callers of these functions may know, and those that write an object which they are given.
    """
    asked: dict[FunctionSource, int] = {}
    kept: dict[FunctionSource, int] = {}
    known, callees = program.prefilter.left_open, program.prefilter.writers.callees
    for group in _in_groups(program, pending):
        left: dict[FunctionSource, int] = {}
        if len(group) > 1 or group[0] not in pending or program.writers or trains(module, group[0]):
            solve(program, [f for f in group if f is not None])
        for root in group:
            if root not in pending or root in done:
                continue
            if root is not None and _is_run_by_the_file(module, root, done):
                continue
            if root is not None:
                others = [f for called in callees(root) for f in called if f not in group]
                solve(program, others)
                make_known(program, others if len(group) == 1 else [f for f in group if f is not None])
            run = done[root] = deepened(program, module, root, left)
            need = needs(run, module, root) if root is not None else NO_NEED
            if root is not None and (root in between or not need) and writes_what_is_kept(run, root):
                kept[root] = GRADIENTS
            elif root is not None and need:
                asked[root] = need
        for root, need in left.items():
            known.setdefault(root, need)
    return asked, kept


def _in_groups(program: Program, roots: list[FunctionSource | None]) -> list[list[FunctionSource | None]]:
    """The functions in groups that call each other, callees first; the top level first or last, as it stands."""
    functions = callees_first(program, [root for root in roots if root is not None])
    found: list[list[FunctionSource | None]] = [[*group] for group in functions]
    if None in roots:
        found.insert(0 if roots[0] is None else len(found), [None])
    return found


def _is_run_by_the_file(
    module: Module, root: FunctionSource, done: Mapping[FunctionSource | None, Run]
) -> bool:
    """Whether the run of the top level has entered this function, which trains: then no caller knows more.

    If that run used up its budget, functions that call `backward` themselves are run as well.
    """
    whole = done.get(None)
    if whole is None or root not in whole.entering.entered or not trains(module, root):
        return False
    return not whole.budget.is_spent() or not root.mentions(b"backward")


def _forget_what_is_kept(run: Run, root: FunctionSource) -> None:
    """Drop the hazards with writes of memory that belongs to objects among the arguments."""
    objects = given_objects(run, root)
    run.heap.hazards = [
        hazard
        for hazard in run.heap.hazards
        if not any(holds(run, obj, {hazard.write.storage}) for obj in objects)
    ]
    run.found.findings = None  # compute them anew


#: How often a root is run at most, each time entering more calls.
_DEEPER = 4


def deepened(
    program: Program,
    module: Module,
    root: FunctionSource | None,
    left: dict[FunctionSource, int] | None = None,
) -> Run:
    """A run of a root (None: the top level), repeated until it has entered the calls that touch written memory.

    It begins with those that runs of other functions of the file had to enter. What a run that entered no such calls
    leaves open is put into `left`. In a file whose runs have taken very many steps already, it is not repeated, which
    it tells (IPL003), and goes no further for training.
    """
    deep = begun_with = frozenset(program.learnt.wanted)
    usual = program.soft_limit
    shallow: Run | None = None
    bounded = program.steps > FILE_LIMIT
    spent = False
    is_training = trains(module, root) or (root is None and any(way.trains for way in program.drivers))
    if is_training and not (usual or bounded):
        program.soft_limit = TRAINING
    try:
        for _ in range(_DEEPER):
            run = _run(program, module, root, deep)
            is_shallow = deep.isdisjoint(run.entering.entered)
            if left is not None and root is not None and is_shallow and program.soft_limit == usual:
                left[root] = left_by(run, root)
            if is_shallow and run.budget.trains and not run.budget.is_cut_short():
                shallow = run
            wanted = worth_entering(run) - deep
            program.learnt.wanted |= wanted
            learnt = root is not None and _learn_tensors(program, run, root)
            trained = run.steps.trains or run.steps.of_parameters
            spent, before = run.budget.trains and run.budget.is_cut_short(), spent
            if bounded:
                for source in sorted(wanted, key=lambda one: (one.module.filename, one.node.lineno))[:1]:
                    run.found.cut = run.found.cut or NOT_REPEATED.format(source.name)
                break
            if program.soft_limit == usual and run.budget.is_spent() and trained:
                program.soft_limit = TRAINING
            elif (spent and before) or not (wanted or learnt):
                break  # what two runs had no steps for, a third has none for either
            deep |= wanted
        if spent and shallow is None and not (bounded or begun_with.isdisjoint(run.entering.entered)):
            # All runs have entered what others of the file wanted: one that does not may come to the steps.
            first = _run(program, module, root, frozenset())
            shallow = None if first.budget.is_cut_short() else first
        run.entering.shallow = shallow if spent else None
    finally:
        program.soft_limit = usual
    return run


def _run(
    program: Program, module: Module, root: FunctionSource | None, deep: frozenset[FunctionSource]
) -> Run:
    """One run of a root (None: the top level), which enters the calls of `deep`."""
    run = run_function(program, root, deep) if root is not None else run_body(program, module, deep)
    program.steps += run.budget.steps
    return run


def _learn_tensors(program: Program, run: Run, root: FunctionSource) -> bool:
    """Remember arguments with an element taken that a write proved to be tensors; return whether any is new.

    When the root is run again, that element is a view of the tensor, and no element of a list.
    """
    known = program.learnt.tensors.setdefault(root, set())
    before = len(known)
    written = {write.storage for write in run.found.writes}
    for name, value in run.root.args.items():
        tensor = value.tensor if isinstance(value, Unknown) else None
        if tensor is None or tensor.storage not in written or tensor.storage.parts_only:
            continue
        if tensor.storage.proved and any(
            type(key) is tuple and len(key) == 3 and key[0] is value and type(key[2]) is int
            for key in run.bottom().slots
        ):
            known.add(name)
    return len(known) > before
