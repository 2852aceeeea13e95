"""Decides which hazards and events of a run become findings, where each is reported, and how confident it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp import driver_run, requires_grad
from ..interp.access_paths import INSIDE, access_path
from ..interp.graph import leaves
from ..interp.guards import ALWAYS, NEVER, both, conjunction, either, implies, tests, whatever, where
from ..interp.storage import DOES
from ..interp.values import Tensor, Unknown, alternatives
from .arguments import overwritten
from .evidence import Evidence
from .finding import CERTAIN, HARMLESS, LIKELY, POSSIBLE, SILENT, Finding, SavedAt

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from ..interp.event import Event
    from ..interp.frames import Place
    from ..interp.graph import Node
    from ..interp.guards import Guard
    from ..interp.heap import Hazard, Saved, Write
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..syntax.module import FunctionSource, Module


def of_run(run: Run, module: Module, root: FunctionSource | None) -> list[Finding]:
    """The findings of a finished run at places in `module`; computed once."""
    if run.found.findings is None:
        run.found.findings = _found(run, module, root)
    return run.found.findings


def _found(run: Run, module: Module, root: FunctionSource | None) -> list[Finding]:
    context = Context(run, module, root)
    found: dict[tuple[object, ...], Finding] = {}
    for event in run.found.events:
        context.event(event, found)
    immediate = {f.at for f in found.values() if f.confidence >= LIKELY and f.kind not in HARMLESS}
    immediate |= context.raising
    # The same save and write can meet on several paths, and in several storages (a view on one path, a copy on
    # another): their guards are joined, since together they may cover every path.
    groups: dict[tuple[object, ...], tuple[Hazard, Guard]] = {}
    for hazard in run.heap.confirm(run.weighed()):
        saved, write = hazard.saved, hazard.write
        if not proved(hazard):
            continue
        key = (
            write.place.at,
            write.place.frame,
            saved.place.at,
            saved.place.frame,
            saved.attr,
            saved.grad,
            saved.certain,
            # Guards in different storages are joined only if the save surely needs a gradient, or if it is an op's
            # result in a run that takes gradients: then it is what the op returned, in whichever storage.
            None if saved.grad == DOES or (saved.result and run.steps.trains) else saved.storage,
        )
        known = groups.get(key)
        guard = both(hazard.guard, hazard.via)
        groups[key] = (hazard, guard if known is None else either(known[1], guard))
    for hazard, guard in groups.values():
        context.hazard(hazard, guard, found, immediate)
    if root is not None and root.module is module:
        given = _given(run)
        if any(write.storage in given for write in run.found.writes):
            for finding in overwritten(run, root, given):
                found.setdefault(finding.key(), finding)
    for finding in found.values():
        finding.saves.sort(key=lambda s: -s.confidence)
    return prevailing(found.values())


def _given(run: Run) -> dict[Storage, str]:
    """The storages of the arguments, by the argument's name."""
    found: dict[Storage, str] = {}
    for name, value in run.root.args.items():
        for _, atom in alternatives(value):
            tensor = atom.tensor if isinstance(atom, Unknown) else atom
            if isinstance(tensor, Tensor):
                found[tensor.storage] = name
    return found


def prevailing(findings: Iterable[Finding]) -> list[Finding]:
    """Keeps the findings of the best rank at each place: errors before silent hazards, these before useless writes."""
    ranks: dict[ast.AST, int] = {}
    listed = list(findings)
    for finding in listed:
        rank = _rank(finding)
        ranks[finding.at] = min(rank, ranks.get(finding.at, rank))
    return [f for f in listed if _rank(f) == ranks[f.at]]


def proved(hazard: Hazard) -> bool:
    """Whether the save and the write are known to be of one tensor, and the save may well need a gradient."""
    saved = hazard.saved
    through = hazard.write.through
    listed = saved.storage.parts_only or saved.taken is None or not saved.taken.perhaps
    if listed and saved.taken is not None and through is not None and saved.taken.is_another(through.taken):
        return False
    if not hazard.write.is_of_a_tensor() or not all(s.is_tensor() for s in saved.unproved):
        return False
    return saved.grad == DOES or not saved.sources or any(s.credible() for s in saved.sources)


def _is_of_another(hazard: Hazard) -> bool:
    """Whether the write may well be of another element of a list than the one that was saved."""
    saved, through = hazard.saved, hazard.write.through
    if saved.taken is not None and through is not None and saved.taken.may_be_another(through.taken):
        return True
    return _put_between(hazard)


def _put_between(hazard: Hazard) -> bool:
    """Whether an element of a possible list was saved, and another element put in its place before the write."""
    saved = hazard.saved
    if not saved.storage.parts_only or saved.taken is None or not saved.taken.perhaps:
        return False
    return any(saved.time < put <= hazard.write.time for put in saved.storage.puts)


def once_for_each_write(findings: list[Finding]) -> list[Finding]:
    """Drops hazards of writes that raise at once, since the saves that these would spoil are never used.

    Drops a finding at a call as well, if its writes are reported by themselves, with the same saves.
    """
    immediate = {
        place
        for f in findings
        if f.confidence >= LIKELY
        and f.kind not in HARMLESS
        and f.kind not in SILENT
        and f.kind not in ("write", "step")
        and not f.used
        for place in ((f.at,) if f.write is None else (f.at, f.write.at))
    }
    kept: list[Finding] = []
    here = {
        (f.at, saved.place.at)
        for f in findings
        if f.kind == "write" and f.write is None and f.confidence >= LIKELY
        for saved in f.saves
    }
    for finding in findings:
        if finding.kind == "write":
            if finding.writes and all(
                (place.at, saved.place.at) in here for place in finding.writes for saved in finding.saves
            ):
                continue  # it is reported at the write itself
            others = [place for place in finding.writes if place.at not in immediate]
            if finding.at in immediate or (finding.writes and not others):
                continue
            finding.writes = others
        kept.append(finding)
    return kept


_RANKS = {"stale": 3, "lost": 4, "argument": 5, "no-derivative": 6, "no-gain": 6, "hidden": 6}


def _rank(finding: Finding) -> int:
    rank = _RANKS.get(finding.kind, 2 if finding.kind in SILENT else 1)
    # A finding that is only possible does not hide a surer one.
    return rank if finding.confidence > POSSIBLE or rank > 5 else rank + 3


class Context:
    """Judges the hazards and events of one run, and makes findings of them."""

    def __init__(self, run: Run, module: Module, root: FunctionSource | None) -> None:
        self.run = run
        self.module = module
        self.root = root
        self.evidence = Evidence(run, root)
        self.reached = run.steps.trains or self.evidence.of_module
        #: places that raise at once, though reported only as possible: the saves spoiled there are never used
        self.raising: set[ast.AST] = set()
        self._asked_for: dict[Node, bool] = {}
        #: the events of one kind at one place
        self._alike: dict[tuple[str, ast.AST], list[Event]] | None = None

    def hazard(
        self, hazard: Hazard, met: Guard, found: dict[tuple[object, ...], Finding], immediate: set[ast.AST]
    ) -> None:
        """Adds a finding for a hazard (`met`: its guard) to `found`, or merges it into the finding at that place."""
        saved, write = hazard.saved, hazard.write
        guard = self.credible(met, saved)
        if not guard:
            return
        at, beneath = self.site(write.place, saved.place)
        inner = beneath is not None
        if at is None or at in immediate:
            return
        confidence = POSSIBLE if _is_of_another(hazard) else self._confidence(saved, write, guard)
        if hazard.kind == "step" and not hazard.followed:
            confidence = POSSIBLE  # a value returned or kept after a step is usually only logged
        elif hazard.kind == "step":
            confidence = min(confidence, LIKELY) if saved.grad < DOES else confidence
        elif beneath and saved.grad < DOES:
            confidence = POSSIBLE  # the other file reports it: this one adds no fact
        finding = Finding(hazard.kind, at, write.op, confidence)
        finding.cause = saved.unchecked or write.cause
        finding.given = saved.grad < DOES
        finding.bare = finding.given and not self.evidence.of_module
        finding.asked_for = self._is_asked_for(saved.node)
        known = found.get(finding.key())
        if known is None:
            finding.write = write.place if inner else None
            finding.layer = write.place.layer
            finding.beneath = beneath or ()
            finding.passed = self.run.declared.passed.get((at, write.storage))
            finding.unrecorded = write.place.at in self.run.declared.unrecorded
            if inner:
                finding.passed = access_path(self.run, write, at)
            elif write.storage.made is not None and write.storage.made.at is at:
                finding.passed = INSIDE
            finding.versions = self._version(write.place, saved)
            found[finding.key()] = known = finding
        known.join(finding)
        if inner and all(place.at is not write.place.at for place in known.writes):
            known.writes.append(write.place)
        for other in known.saves:
            if (
                other.place.at is saved.place.at
                and other.node == saved.node_name
                and other.attr == saved.attr
            ):
                other.confidence = max(other.confidence, confidence)
                return
        known.saves.append(SavedAt(saved, confidence))

    def _is_asked_for(self, node: Node) -> bool:
        """Whether a leaf behind a node was made with `requires_grad=True`."""
        known = self._asked_for.get(node)
        if known is None:
            known = self._asked_for[node] = any(leaf.asked for leaf in leaves([(ALWAYS, node)], ALWAYS))
        return known

    def credible(self, guard: Guard, saved: Saved) -> Guard:
        """The paths on which gradients can have been recorded: without those that a test or a later use excludes."""
        sources = {s.uid for s in saved.sources}
        asked = {
            bit
            for bit, s in self.run.asked.requires.items()
            if s.uid in sources or (saved.result and s is saved.storage)
        }
        kept = both(self._recorded(guard, asked), requires_grad.flowing(self.run, [saved.node]))
        return NEVER if kept and self.run.heap.is_plain(saved, kept) else kept

    def _recorded(self, guard: Guard, asked: Iterable[int]) -> Guard:
        """The feasible paths on which gradients are enabled and these tests of `requires_grad` hold."""
        needed = self.run.asked.enabled
        for bit in asked:
            needed |= 1 << bit
        return self.run.without_exclusive(both(guard, conjunction(needed & tests(guard), 0)))

    def _confidence(self, saved: Saved, write: Write, guard: Guard) -> int:
        confidence = CERTAIN
        if saved.grad < DOES:
            confidence = LIKELY if self.evidence.is_likely(saved, write) else POSSIBLE
        if not saved.certain or (saved.moved and saved.grad < DOES):
            return POSSIBLE
        if saved.only or saved.autocast or self._is_supposed(saved.place, write.place):
            confidence = min(confidence, LIKELY)
        if not self.is_trained(guard) or (saved.evaluated and not self.run.steps.trains):
            return POSSIBLE
        if self.run.supposes and driver_run.is_guessed(self.run, saved.place, write.place):
            return POSSIBLE
        if not self.run.by_default(guard):
            return POSSIBLE  # it needs an option that is not the default: it is reported where one is passed
        if not (write.in_loop or self.run.is_of_any_round(guard)):
            return POSSIBLE  # it needs the last round of a loop to be the one with some given number
        if not self.run.is_of_any_order(guard):
            return POSSIBLE  # it needs two names of layers, of a list that is not known, in one order
        if not implies(write.guard, saved.ran) or not self.is_sure(guard):
            confidence = min(confidence, LIKELY)
        return confidence

    def _is_supposed(self, *places: Place) -> bool:
        """Whether a place is reached by a supposed caller, or through a method that was told by its name alone."""
        supposed = self.run.entering.supposed
        return self.run.supposes or (
            bool(supposed)
            and any(one.frame.function in supposed for place in places for one in place.stack())
        )

    def is_trained(self, guard: Guard) -> bool:
        """Whether one of the paths is not in evaluation mode, and rests on no guess but usual layouts and dtypes."""
        return self.is_sure(where(guard, self.run.usual, 0))

    def is_sure(self, guard: Guard) -> bool:
        """Whether one of the paths is neither a guess nor in evaluation mode."""
        run = self.run
        return bool(whatever(where(guard, run.evaluation, 0), run.doubtful))

    def _version(self, place: Place, saved: Saved) -> tuple[int, int] | None:
        """The version of the storage before and after the write at `place`; None if not all writes are in sight."""
        if saved.storage.made is None or saved.storage.initialised:
            return None
        writes = [w for w in self.run.found.writes if w.storage is saved.storage and w.counted]
        for before, write in enumerate(writes):
            if write.place.at is place.at:
                # `x[i] += y` writes twice: it adds in place, and then assigns the sum to `x[i]`.
                both = writes[before + 1 : before + 2]
                twice = any(w.place.at is place.at and w.op != write.op for w in both)
                return before, before + 1 + twice
        return None

    def event(self, event: Event, found: dict[tuple[object, ...], Finding]) -> None:
        """Adds a finding for an event to `found`, unless one as sure stands at the same place."""
        if not event.storage.is_tensor() or (event.grad < DOES and not event.storage.credible()):
            return
        if event.kind == "multi-view" and event.storage.parts_only:
            return  # it may be a list, whose elements are no views
        run = self.run
        guard = event.guard
        if not event.modeless:
            asked = (bit for bit, s in run.asked.requires.items() if s is event.storage)
            guard = self._recorded(guard, asked)
            if event.sources:
                nodes = [node for s in event.sources for _, node in run.heap.record(s).nodes]
                guard = both(guard, requires_grad.flowing(run, nodes))
        if not guard:
            return
        # A module's own parameter, or what its constructor made, is known wherever the module is: no facts of a caller
        # are needed.
        owned = (event.kind == "leaf" and event.storage.origin == "parameter") or event.is_of_a_constructor()
        at, beneath = self.site(event.place, event.place if owned else event.cause)
        if beneath and (event.kind in HARMLESS or event.grad < DOES):
            return  # the other file reports it: this one adds no fact
        # If the write itself has no place here, report the call through which the parameter reaches the write.
        if at is None and owned:
            at, beneath = self.site(event.place, event.storage.made)
        if at is None:
            return
        confidence = LIKELY if event.sometimes or self._is_supposed(event.place) else CERTAIN
        if event.grad < DOES:
            # That an argument may be a leaf is no evidence; that it may require grad is evidence for its views.
            if event.kind == "leaf" and not (event.early or event.stepped):
                return
            sure = run.steps.trains if event.stepped else self.reached and not event.is_bare()
            sure = sure or (event.kind == "multi-view" and self.evidence.is_for_a_number(event))
            is_data = event.kind != "leaf" and (
                self.evidence.is_of_data(event.place) or self.evidence.are_data(event.sources)
            )
            sure = sure and not (run.supposes or is_data)
            confidence = LIKELY if sure else POSSIBLE
        whichever = self._whichever(event, guard)
        if not self.is_trained(whichever) or event.by_argument or event.doubtful:
            confidence = POSSIBLE
        elif not self.is_sure(whichever):
            confidence = min(confidence, LIKELY)
        if event.kind == "multi-view" and event.is_by_a_flag() and not run.as_built_by_default(guard):
            # It raises at once for anyone who sets the flag and trains, so nobody does both.
            confidence = POSSIBLE
            self.raising.add(at)
        finding = self._of_event(event, at, beneath, confidence)
        known = found.get(finding.key())
        if known is None or known.confidence < confidence:
            found[finding.key()] = finding

    def _of_event(
        self, event: Event, at: ast.AST, beneath: tuple[FunctionSource, ...] | None, confidence: int
    ) -> Finding:
        """The finding for an event, told at a place: at its write, or at a call that leads there."""
        finding = Finding(event.kind, at, event.op, confidence)
        finding.write = None if beneath is None else event.place
        finding.layer = event.place.layer
        finding.beneath = beneath or ()
        declared = self.run.declared
        finding.passed = (
            declared.passed.get((at, event.storage)) if beneath is None else access_path(self.run, event, at)
        )
        finding.unrecorded = event.place.at in declared.unrecorded
        finding.cause = event.cause
        finding.given = event.grad < DOES
        finding.used = event.used
        return finding

    def _whichever(self, event: Event, guard: Guard) -> Guard:
        """The paths of an event, with those on which the same write meets another alias: `x.cpu()` or a copy of it."""
        if self._alike is None:
            self._alike = {}
            for one in self.run.found.events:
                self._alike.setdefault((one.kind, one.place.at), []).append(one)
        for other in self._alike[event.kind, event.place.at]:
            if other is not event:
                guard = either(guard, other.guard)
        return guard

    def site(
        self, write: Place, saved: Place | None
    ) -> tuple[ast.AST | None, tuple[FunctionSource, ...] | None]:
        """Where a finding is reported: at the write, or at the call to it in the innermost function with both places.

        If that function is in another file, at the call in this file. For a call, the second result lists the functions
        of other files that contain both places: they report it themselves if they need no facts of their callers.
        """
        stack = write.stack()
        depth = len(stack) - 1
        if saved is not None:
            other = saved.stack()
            depth = 0
            while (
                depth + 1 < len(stack)
                and depth + 1 < len(other)
                and stack[depth + 1].frame is other[depth + 1].frame
            ):
                depth += 1
        if depth == 0 and len(stack) > 1 and not hasattr(stack[0].at, "lineno"):
            depth = 1  # a driver makes the outermost call: it stands in no file
        within = depth
        if self.root is not None and self.root.module is not self.module:
            # An inherited method of another file: its class in this file is told where the path comes to this file.
            within = len(stack) - 1
            depth = next((i for i, one in enumerate(stack) if i and one.frame.module is self.module), 0)
        while depth and stack[depth].frame.module is not self.module:
            depth -= 1
        place = stack[depth]
        if place.frame.module is not self.module or not hasattr(place.at, "lineno"):
            return None, None
        decorators = () if self.root is None else getattr(self.root.node, "decorator_list", ())
        if depth == 0 < len(stack) - 1 and self.root is not None and place.at not in decorators:
            # Level 0 is the call that the run itself made: the caller is not in sight.
            return None, None
        if depth == len(stack) - 1:
            return place.at, None
        functions = [place.frame.function for place in stack[depth + 1 : within + 1]]
        beneath = tuple(function for function in functions if function is not None)
        return (place.at, beneath) if len(beneath) == len(functions) else (None, None)
