"""Explains in words what the analysis believes at one line: storages, aliases, saves, writes, modes, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp import starts
from ..interp.budget import SOFT_LIMIT
from ..interp.guards import ALWAYS, either
from ..interp.guards import NEVER as NOWHERE
from ..interp.program import Program
from ..interp.storage import DOES, NEVER
from ..prefilter import text_screen
from ..schedule import analyze
from ..syntax.module import Module
from ..syntax.statement import Statement
from . import verdicts
from .tracing import Tracer, writes_of

if TYPE_CHECKING:
    from ..interp.frames import Place
    from ..interp.guards import Guard
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..project.declarations import Declaration
    from ..project.modules import Project
    from ..syntax.module import FunctionSource
    from .tracing import Belief, Held, Visit

    Done = list[tuple[Run, FunctionSource | None]]

#: Most visits of the line that are described: a helper may be called from everywhere.
_PASSAGES = 3
#: Most parameter tensors of one module that are described.
_WEIGHTS = 4


def explain(filename: str, source: bytes, line: int, project: Project) -> str:
    """What the analysis believes at a line (from 1) of a file, as text for a terminal. Raises UnreadableFile."""
    module = Module(filename, source)
    rows = module.lines
    text = rows[line - 1].decode("utf-8", "replace").strip() if line <= len(rows) else ""
    head = f"{filename}:{line}" + (f": {text}" if text else "")
    place = Statement(module, line)
    if place.nothing:
        return "\n\n".join([head, place.nothing, *_declared_at(module, line, project)])
    return f"{head}\n\n" + _Account(module, place, project).text()


def _declared_at(module: Module, line: int, project: Project) -> list[str]:
    """The declaration of the function whose `def`, or whose declaring comment, is on the line."""
    program = Program(project)
    program.files.add(module)
    found = []
    for source in program.declared.functions(module):
        said = program.declared.said(source)
        comments = program.declared.comments(module).functions
        rows = {source.node.lineno, *([comments[source][1].row] if source in comments else ())}
        if said is not None and line in rows:
            where = ":".join(map(str, filter(None, said.place)))
            found.append(f"Declared of `{named(source)}` ({where}), for its callers: {said.text}")
    return found


class _Account:
    """The explanation of one statement: runs the analysis with a tracer, and words what it saw."""

    def __init__(self, module: Module, place: Statement, project: Project) -> None:
        self.module = module
        self.place = place
        self.tracer = Tracer(module, place.first, place.last)
        program = Program(project)
        program.handlers = self.tracer.handlers()
        program.files.add(module)
        program.declared.mark(module)
        rows = text_screen.rows_of(module)
        self.candidates = rows
        self.checked = bool(rows)
        self.done: Done = analyze.runs(module, program, analyze.roots(module, program))
        self.visits = self._kept()
        if not self.visits and not self.tracer.visits:
            self.checked = False
            self.done = [(_run(program, module, place.function), place.function)]
            self.visits = self._kept()

    def _kept(self) -> list[Visit]:
        """The last visit for each caller and grad mode: it has seen the effects of earlier loop rounds."""
        runs = {run for run, _ in self.done}
        last: dict[tuple[object, ...], Visit] = {}
        for visit in self.tracer.visits:
            if visit.run in runs:
                via = visit.frame.via
                last[visit.run, visit.frame.function, via and via.at, visit.grad] = visit
        return list(last.values())

    def text(self) -> str:
        parts: list[str] = []
        if self.place.last > self.place.first:
            parts.append(f"The statement stands on lines {self.place.first} to {self.place.last}.")
        if not self.checked:
            parts.append(self._unchecked())
        if not self.visits:
            parts.append(self._unreached())
            return "\n\n".join(parts)
        shown: list[str] = []
        for visit in self.visits:
            text = self._visit(visit)
            if text not in shown:
                shown.append(text)
        parts.extend(shown[:_PASSAGES])
        if len(shown) > _PASSAGES:
            parts.append(f"The line is reached in {len(shown) - _PASSAGES} more ways, which are left out.")
        parts.append(verdicts.words(self.tracer, self.done, self.checked))
        return "\n\n".join(parts)

    def _name(self) -> str:
        return (
            "the top level of the file" if self.place.function is None else f"`{named(self.place.function)}`"
        )

    def _unchecked(self) -> str:
        function = self.place.function
        if not self.candidates:
            why = "nothing in this file looks like a write in place"
        elif function is None:
            why = "nothing at the top level looks like a write in place, or calls a function that makes one"
        else:
            inside = [
                r for r in self.candidates if function.node.lineno <= r <= (function.node.end_lineno or 0)
            ]
            if inside:
                why = "it is built or mentioned by nothing that is analysed"
            else:
                why = "it holds nothing that looks like a write in place, and calls nothing that makes one"
        return (
            f"`check` does not analyse {self._name()}: {why}.\n"
            "So it gives no finding here. What follows is what the analysis would believe."
        )

    def _unreached(self) -> str:
        runs = [run for run, _ in self.done]
        if self.tracer.visits:
            return (
                f"{self._name()} is private and nothing in the file that is analysed calls it as it stands: "
                "what it does with any arguments counts for nothing."
            )
        end = next((run.budget.end for run in runs if run.budget.steps >= run.budget.end), 0)
        if end:
            return f"The analysis gave up before it came here: the run took more than {end} steps."
        return (
            "No path that the analysis follows reaches this line: "
            "it stands behind a return, a raise, or a test that never holds."
        )

    def _visit(self, visit: Visit) -> str:
        lines = [self._reached(visit), self._modes(visit)]
        if visit.path is not ALWAYS and visit.path != ALWAYS:
            lines.append(f"It is reached if {self._conditions(visit, visit.path)}.")
        blocks = ["\n".join(lines)]
        beliefs = [b for b in visit.beliefs.values() if b.held or b.weights or _as_tensor(b) is not None]
        blocks += [self._belief(visit, belief) for belief in beliefs]
        if not beliefs:
            others = [b.text for b in visit.beliefs.values() if b.unknown]
            unknown = f" (of {_listed([f'`{t}`' for t in others])} nothing is known)" if others else ""
            blocks.append(f"No tensor is read on this line{unknown}.")
        blocks.append(self._events(visit))
        return "\n\n".join(block for block in blocks if block)

    def _reached(self, visit: Visit) -> str:
        root = next((root for run, root in self.done if run is visit.run), None)
        stack = visit.frame.via.stack() if visit.frame.via is not None else []
        if root is None:
            first = "Reached from the top level of the file"
        else:
            built = "a new object" if root.name == "__init__" else "an object as its class builds it"
            given = f", on {built}" if root.owner is not None else ""
            first = f"Analysed in `{named(root)}` for any arguments{given}"
        calls = stack if root is None else stack[1:]
        for place, inner in zip(calls, [*(p.frame.function for p in calls[1:]), visit.frame.function]):
            row = getattr(place.at, "lineno", 0)
            if inner is not None and not row:
                first = f"Reached from a call of `{named(inner)}` with objects of the file's classes, as others make it"
            elif inner is not None:
                first += f";\nfrom there line {row} calls `{named(inner)}`"
        steps = visit.run.budget.steps
        if steps < SOFT_LIMIT:
            return f"{first}."
        return f"{first}.\nThe run is large ({steps} steps): calls after the first {SOFT_LIMIT} were not entered."

    def _modes(self, visit: Visit) -> str:
        grad = {
            "on": "Gradients are recorded (grad mode on)",
            "off": "Gradients are not recorded (grad mode off)",
            "inference": "Gradients are not recorded (inference mode)",
            "unknown": "Whether gradients are recorded is not known",
        }[visit.grad]
        return f"{grad}; autocast is {'on' if visit.autocast else 'off'}."

    def _conditions(self, visit: Visit, guard: Guard) -> str:
        return verdicts.conditions(self.tracer, visit.run, guard)

    # The value of a name

    def _belief(self, visit: Visit, belief: Belief) -> str:
        lines = [f"`{belief.text}`"]
        if belief.held:
            for held in belief.held:
                if len(belief.held) > 1:
                    rest = verdicts.beyond(held.guard, visit.path) or held.guard
                    lines.append(f"  if {self._conditions(visit, rest)}:")
                lines += self._held(visit, held)
        elif belief.weights:
            lines[0] += ": its parameters"
            for held in belief.weights[:_WEIGHTS]:
                lines.append(f"  {self._made(held.tensor.storage)}")
                lines += self._saves(visit, held) + self._version(visit, held)
            if len(belief.weights) > _WEIGHTS:
                lines.append(f"  and those of {len(belief.weights) - _WEIGHTS} more modules")
        else:
            storage = _as_tensor(belief)
            assert storage is not None
            lines.append(_row("storage", self._made(storage)))
            if not storage.is_tensor():
                lines.append(_row("", "nothing proves that it is a tensor: it might be a number"))
            lines.append(_row("gradient", "may require grad: it comes from where it is not known"))
            lines.append(_row("before", "nothing saved it, nothing wrote it"))
        return "\n".join(lines)

    def _held(self, visit: Visit, held: Held) -> list[str]:
        tensor = held.tensor
        lines = [_row("storage", self._made(tensor.storage))]
        if not tensor.storage.is_tensor():
            lines.append(_row("", "nothing proves that it is a tensor: it might be a number"))
        marks = []
        if tensor.detached:
            marks.append("detached: no gradient flows through it")
        if tensor.counter is not None:
            marks.append("writes through it do not move the version (`.data`)")
        if tensor.multi is not None:
            marks.append(f"one of several views made on line {_at(tensor.multi)}")
        if tensor.no_grad_view is not None:
            marks.append(f"a view made without recording gradients on line {_at(tensor.no_grad_view)}")
        if tensor.expanded is not None:
            marks.append(f"expanded on line {_at(tensor.expanded.place)}: elements share memory")
        if tensor.view and not marks:
            marks.append("a view of it")
        if marks:
            lines.append(_row("this one", "; ".join(marks)))
        own = f"`{_plain(held, visit)}`"
        aliases = [
            f"{name} ({_relation(tensor, other)})" for name, other in held.aliases.items() if name != own
        ]
        if aliases:
            lines.append(_row("aliases", _listed(aliases)))
        lines.append(_row("gradient", self._gradient(held)))
        return lines + self._saves(visit, held) + self._version(visit, held)

    def _version(self, visit: Visit, held: Held) -> list[str]:
        since = "" if held.tensor.storage.made is not None else " here"
        if not held.writes:
            return [_row("version", f"0{since}: not written before")]
        writes = [
            f"{w.op} {self._when(visit, w.place)}{self._if(visit, w.guard, held.guard)}" for w in held.writes
        ]
        return [_row("version", f"{len(writes)}{since}: {_listed(writes)}")]

    def _saves(self, visit: Visit, held: Held) -> list[str]:
        said: list[str] = []
        for saved, live in held.saves:
            state = "live" if live else "freed, its backward has run"
            when = self._when(visit, saved.place)
            text = f"{verdicts.save_words(saved, when)}{self._if(visit, saved.guard, held.guard)}: {state}"
            if text not in said:
                said.append(text)
        return [_row("saved by" if n == 0 else "", text) for n, text in enumerate(said or ["nothing so far"])]

    def _if(self, visit: Visit, guard: Guard, path: Guard) -> str:
        """`, if …`: the conditions of a fact beyond those of the path; empty if there are none."""
        rest = verdicts.beyond(guard, path)
        return "" if rest is None else f", if {self._conditions(visit, rest)}"

    def _when(self, visit: Visit, place: Place) -> str:
        again = place.frame is visit.frame and self.place.first <= _at(place) <= self.place.last
        return "on this line in the round before" if again else f"on line {_at(place)}"

    def _made(self, storage: Storage) -> str:
        words, row = self.tracer.origin(storage)
        line = f", line {row}" if row else ""
        place = storage.made
        made = ""
        if place is not None and hasattr(place.at, "lineno"):
            made = f"`{self.tracer.words(place.frame.module, place.at)}`, line {_at(place)}"
            if place.frame.module is not self.module:
                made += f" of {place.frame.module.filename}"
        dtype = f" ({storage.dtype})" if storage.dtype not in ("?", "float") else ""
        if storage.origin == "unknown":
            return f"{words or 'a value that is not known'}{line}{dtype}"
        if storage.origin == "parameter":
            name = (
                words
                if words.startswith("the weights")
                else f"the parameter {words}"
                if words
                else "a parameter"
            )
            return f"{name}{f', made by {made}' if made else ''}{dtype}"
        if storage.origin == "buffer":
            return f"a buffer{f', {words}' if words else ''}{dtype}"
        return f"the result of {made or words or 'an operation'}{dtype}"

    def _gradient(self, held: Held) -> str:
        tensor, storage = held.tensor, held.tensor.storage
        evidence = max((e for _, e in held.grads), default=NEVER)
        if evidence == NEVER:
            if storage.dtype in ("bool", "int"):
                return f"never: {storage.dtype} tensors have none"
            if tensor.detached:
                return "never: detached"
            if storage.origin in ("factory", "buffer"):
                return f"never: a {storage.origin} without `requires_grad`"
            return "never: nothing that it is computed from requires grad, or it was not recorded"
        strong = [s for s in held.sources if s.grad == evidence and s is not storage]
        if storage.grad >= evidence and (storage.leaf or storage.origin != "result"):
            why = (
                "it is a parameter"
                if storage.origin == "parameter"
                else "it comes from where it is not known"
            )
            why = "it is a leaf made so" if storage.leaf and storage.origin != "parameter" else why
        elif strong:
            names = [self.tracer.origin(s)[0] or "a parameter" for s in strong]
            why = f"computed from {_listed(list(dict.fromkeys(names)))}"
        else:
            why = "something that it is computed from"
            why += " does" if evidence == DOES else " may"
        return f"{'requires grad' if evidence == DOES else 'may require grad'}: {why}"

    # Saves and writes of the line

    def _events(self, visit: Visit) -> str:
        guards: dict[str, Guard] = {}
        versions: dict[str, set[int]] = {}
        for saved in visit.saves:
            text = f"saved:   {self._subject(visit, saved.storage)} by {verdicts.save_words(saved)}"
            guards[text] = either(guards.get(text, NOWHERE), saved.guard)
        for write in visit.writes:
            inner = f" (line {_at(write.place)})" if write.place.frame is not visit.frame else ""
            text = f"written: {self._subject(visit, write.storage)} by {write.op}{inner}"
            if not write.counted:
                text += ", which moves no version"
            guards[text] = either(guards.get(text, NOWHERE), write.guard)
            if write.counted:
                versions.setdefault(text, set()).add(writes_of(visit.run, write.storage).index(write))
        lines = []
        for text, guard in guards.items():
            before = versions.get(text, set())
            moved = "".join(f", version {n} to {n + 1}" for n in before) if len(before) == 1 else ""
            lines.append(f"  {text}{moved}{self._if(visit, guard, visit.path)}")
        for name, belief in visit.stored.items():
            held = belief.held
            if len(held) == 1 and name not in visit.beliefs:
                made, gradient = self._made(held[0].tensor.storage), self._gradient(held[0])
                lines.append(f"  bound:   `{name}` to {made}; {gradient}")
        for said in self._declared(visit):
            where = ":".join(map(str, filter(None, said.place)))
            lines.append(f"  declared: {said.text} ({where})")
        return "On this line\n" + "\n".join(lines) if lines else "Nothing is saved or written on this line."

    def _declared(self, visit: Visit) -> list[Declaration]:
        """The declarations of the functions that the line calls."""
        inside = range(self.place.first, self.place.last + 1)
        found = [
            said
            for at, (said, module) in visit.run.declared.told.items()
            if module is self.module and getattr(at, "lineno", 0) in inside
        ]
        return list(dict.fromkeys(said for said in found if said is not None))

    def _subject(self, visit: Visit, storage: Storage) -> str:
        for belief in (*visit.beliefs.values(), *visit.stored.values()):
            if any(h.tensor.storage is storage for h in belief.held) or _as_tensor(belief) is storage:
                return f"`{belief.text}`"
            if any(h.tensor.storage is storage for h in belief.weights):
                return f"the parameters of `{belief.text}`"
        words, _ = self.tracer.origin(storage)
        return words or "a tensor without a name"


def _run(program: Program, module: Module, function: FunctionSource | None) -> Run:
    if function is None:
        return starts.run_body(program, module)
    return starts.run_function(program, function)


def named(function: FunctionSource) -> str:
    """The name of a function in its module: `function`, or `Class.method`."""
    return f"{function.owner.name}.{function.name}" if function.owner is not None else function.name


def _as_tensor(belief: Belief) -> Storage | None:
    """The storage of an unknown value that has been used as a tensor since it was read."""
    from ..interp.values import Unknown, alternatives

    for _, atom in alternatives(belief.value):
        if isinstance(atom, Unknown) and atom.tensor is not None:
            return atom.tensor.storage
    return None


def _relation(tensor: object, other: object) -> str:
    from ..interp.values import Tensor

    assert isinstance(other, Tensor)
    if other is tensor:
        return "the same tensor"
    if other.counter is not None:
        return "`.data`"
    if other.detached:
        return "detached"
    return "a view" if other.view else "its base"


def _plain(held: Held, visit: Visit) -> str:
    return next((b.text for b in visit.beliefs.values() if held in b.held), "")


def _at(place: object) -> int:
    return int(getattr(getattr(place, "at", None), "lineno", 0))


def _row(label: str, text: str) -> str:
    return f"    {label:<10}{text}"


def _listed(parts: list[str]) -> str:
    if len(parts) > 6:
        parts = [*parts[:5], f"{len(parts) - 5} more"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
