"""Traces runs through a few rows of a file: what names held there, what was saved and written, and how it got there.

The tracer gives the program a table of handlers (`Program.handlers`), one for each kind of instruction. Each records
the state before and after it calls the handler of `execute`. A run without a tracer pays nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.execute import HANDLERS
from ..interp.grad_mode import Mode
from ..interp.graph import reach
from ..interp.guards import compatible, ways
from ..interp.values import (
    Instance,
    Optimizer,
    Parameters,
    Sequence_,
    Tensor,
    TorchModule,
    Unknown,
    alternatives,
)
from ..syntax import ir

if TYPE_CHECKING:
    import ast
    from typing import Any

    from ..interp.execute import Handlers
    from ..interp.guards import Guard
    from ..interp.heap import Saved, Write
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..interp.values import Value
    from ..syntax.module import Module


#: The words for the one literal of `self.training`: if it holds, and if not.
TRAINING = ("the model is in training mode", "the model is in evaluation mode")


class Held:
    """One tensor that a name or an expression may hold, with the state of its storage at that moment.

    `aliases`: other names in scope with the same storage. `saves`: each with whether it is still live (its backward has
    not run) on some path to here. `sources`: the leaf storages that its gradient may flow to.
    """

    __slots__ = ("aliases", "grads", "guard", "saves", "sources", "tensor", "writes")

    def __init__(self, run: Run, guard: Guard, tensor: Tensor, known: list[Storage]) -> None:
        heap, storage = run.heap, tensor.storage
        self.guard = guard
        self.tensor = tensor
        self.grads = heap.gradients(tensor, guard)
        self.saves: list[tuple[Saved, bool]] = [
            (saved, not saved.node.is_freed(guard, saved.guard))
            for saved in heap.record(storage).saves
            if compatible(saved.guard, guard)
        ]
        self.writes = [w for w in writes_of(run, storage) if compatible(w.guard, guard)]
        nodes = reach(heap.nodes(tensor, guard))
        self.sources: list[Storage] = [
            source
            for source in known
            if source.grad and any(node in nodes and not node.edges for _, node in heap.record(source).nodes)
        ]
        self.aliases = _aliases(run, tensor, guard)


class Belief:
    """The value of one expression on the traced rows.

    `held`: its tensors. `weights`: its parameters, if it is a module or an optimizer. `unknown`: it may be anything.
    """

    __slots__ = ("held", "text", "unknown", "value", "weights")

    def __init__(self, text: str, value: Value) -> None:
        self.text = text
        self.value = value
        self.held: list[Held] = []
        self.weights: list[Held] = []
        self.unknown = False


class Visit:
    """One pass of a run through the traced rows: its modes and path, beliefs, saves and writes."""

    __slots__ = ("autocast", "beliefs", "frame", "grad", "path", "run", "saves", "stored", "writes")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.frame = run.frame
        self.path = run.path
        self.grad = run.grad
        self.autocast = run.keeping.autocast
        #: values that the rows read, by source text; and values that they bind
        self.beliefs: dict[str, Belief] = {}
        self.stored: dict[str, Belief] = {}
        self.writes: list[Write] = []
        self.saves: list[Saved] = []


class Tracer:
    """Traces rows `first` to `last` of a file in every run of a program whose `handlers` are set to `handlers()`."""

    def __init__(self, module: Module, first: int, last: int) -> None:
        self.module = module
        self.first, self.last = first, last
        self.visits: list[Visit] = []
        #: the words for each literal of a run: if it holds, and if not
        self.tests: dict[tuple[Run, int], tuple[str, str]] = {}
        self._open: dict[int, Visit] = {}
        self._came: dict[int, tuple[object, str, int]] = {}
        self._storages: dict[Run, dict[int, Storage]] = {}
        self._unknown: dict[Run, dict[Unknown, None]] = {}

    def handlers(self) -> Handlers:
        """The handlers of `execute`, each wrapped to record what it does."""
        return {kind: self._watching(handler) for kind, handler in HANDLERS.items()}

    def origin(self, storage: Storage) -> tuple[str, int]:
        """The source text that a storage first came from, and its row; empty and 0 if it was never seen."""
        for key in (*self._unknowns(storage), id(storage)):
            known = self._came.get(key)
            if known is not None:
                return known[1], known[2]
        return "", 0

    def words(self, module: Module, node: ast.AST) -> str:
        """The source of a node on one line, shortened to 70 characters."""
        first = getattr(node, "lineno", 0)
        if not first:
            return ""
        last: int = node.end_lineno or first  # type: ignore[attr-defined]  # instructions stand at nodes with a place
        rows = list(module.lines[first - 1 : last])
        rows[-1] = rows[-1][: node.end_col_offset]  # type: ignore[attr-defined]  # the same
        rows[0] = rows[0][node.col_offset :]  # type: ignore[attr-defined]  # the same
        text = " ".join(b" ".join(rows).decode("utf-8", "replace").split())
        return text if len(text) <= 70 else f"{text[:67]}..."

    def _unknowns(self, storage: Storage) -> list[int]:
        return [
            key
            for key, (atom, _, _) in self._came.items()
            if isinstance(atom, Unknown) and atom.tensor is not None and atom.tensor.storage is storage
        ]

    def _watching(self, handler: Any) -> Any:
        def watched(run: Run, i: ir.Instruction) -> None:
            visit = self._visit(run, i)
            self._before(run, i)
            doubtful, evaluation = run.doubtful, run.evaluation
            writes, hazards = len(run.found.writes), len(run.heap.hazards)
            known = self._known(run)
            counts = {} if visit is None else {u: len(run.heap.record(s).saves) for u, s in known.items()}
            handler(run, i)
            self._name_doubts(run, i, run.doubtful & ~doubtful)
            for bit in _bits(run.evaluation & ~evaluation):
                self.tests[run, bit] = TRAINING
            self._after(run, i, visit)
            if visit is not None and not isinstance(i, (ir.If, ir.For, ir.While, ir.With, ir.Try)):
                for write in (*run.found.writes[writes:], *(h.write for h in run.heap.hazards[hazards:])):
                    if write not in visit.writes:
                        visit.writes.append(write)
                for uid, storage in self._known(run).items():
                    new = run.heap.record(storage).saves[counts.get(uid, 0) :]
                    visit.saves.extend(s for s in new if s not in visit.saves)

        return watched

    def _known(self, run: Run) -> dict[int, Storage]:
        """The storages seen so far in a run, those of unknown values from their first use as a tensor."""
        known = self._storages.setdefault(run, {})
        waiting = self._unknown.setdefault(run, {})
        for atom in [atom for atom in waiting if atom.tensor is not None]:
            del waiting[atom]
            assert atom.tensor is not None
            known[atom.tensor.storage.uid] = atom.tensor.storage
        return known

    def _visit(self, run: Run, i: ir.Instruction) -> Visit | None:
        """The visit of an instruction on the rows; one outside of them ends the visit of its frame."""
        frame = run.frame
        row = getattr(i.at, "lineno", 0)
        if frame.module is not self.module or not self.first <= row <= self.last:
            self._open.pop(frame.uid, None)
            return None
        visit = self._open.get(frame.uid)
        if visit is None or not compatible(visit.path, run.path):
            visit = self._open[frame.uid] = Visit(run)
            self.visits.append(visit)
        return visit

    # Words for values and tests

    def _before(self, run: Run, i: ir.Instruction) -> None:
        if isinstance(i, (ir.If, ir.Assert)):
            self._name_test(
                run, run.frame.registers.get(i.test), f"`{self.words(run.frame.module, i.at)}`", i
            )
        elif isinstance(i, ir.With) and isinstance(manager := run.frame.registers[i.manager], Mode):
            self._name_test(run, manager.flag, "the flag that enables gradients", i)
        elif isinstance(i, ir.Try):
            row = getattr(i.at, "lineno", 0)
            raised = run.bit(("raises", i, run.frame.uid))
            self.tests[run, raised] = (
                f"an exception leaves the `try` of line {row}",
                f"no exception leaves the `try` of line {row}",
            )
            for number in range(len(i.handlers)):
                which = run.bit(("handler", i, number, run.frame.uid))
                words = f"takes it by `except` number {number + 1}"
                self.tests[run, which] = (words, f"not {words}")

    def _name_test(self, run: Run, value: Value | None, words: str, i: ir.Instruction) -> None:
        if value is None:
            return
        true, _ = run.split(value)
        told = ways(true, 2)
        if len(told) != 1:
            return
        positive, negative = told[0]
        new = [b for b in _bits(positive | negative) if (run, b) not in self.tests]
        if len(new) == 1:
            text = f"{words} is"
            line = f"(line {getattr(i.at, 'lineno', 0)})"
            both = (f"{text} true {line}", f"{text} false {line}")
            self.tests[run, new[0]] = both if positive >> new[0] & 1 else (both[1], both[0])

    def _name_doubts(self, run: Run, i: ir.Instruction, bits: int) -> None:
        for bit in _bits(bits):
            text = f"`{self.words(run.frame.module, i.at)}` (line {getattr(i.at, 'lineno', 0)})"
            self.tests.setdefault((run, bit), (f"{text} gives the same memory", f"{text} gives a copy"))

    def _came_from(self, key: object, text: str, row: int) -> None:
        self._came.setdefault(id(key), (key, text, row))

    def _after(self, run: Run, i: ir.Instruction, visit: Visit | None) -> None:
        if isinstance(i, ir.While):
            self._name_test(
                run, run.frame.registers.get(i.test), f"`{self.words(run.frame.module, i.at)}`", i
            )
        if isinstance(i, ir.Store):
            value = run.frame.registers.get(i.src)
            if value is None:
                return
            self._learn(run, i, value, f"`{i.name.partition('@')[0]}`")
            if visit is not None:
                self._believe(run, visit.stored, i.name.partition("@")[0], value)
            return
        register = getattr(i, "dst", None)
        if register is None or isinstance(i, ir.Constant):
            return
        value = run.frame.registers.get(register)
        if value is None:
            return
        text = self.words(run.frame.module, i.at)
        self._learn(run, i, value, f"`{text}`")
        if visit is not None and isinstance(i, (ir.Load, ir.GetAttribute, ir.GetItem)):
            self._believe(run, visit.beliefs, text, value)

    def _learn(self, run: Run, i: ir.Instruction, value: Value, text: str) -> None:
        """Remember the source text under which each value was first seen."""
        row = getattr(i.at, "lineno", 0)
        storages, waiting = self._storages[run], self._unknown[run]
        built = isinstance(i, (ir.Call, ir.Store))
        for _, atom in alternatives(value):
            tensor = atom.tensor if isinstance(atom, Unknown) else atom
            if isinstance(tensor, Tensor):
                storages[tensor.storage.uid] = tensor.storage
                # A parameter gets the name by which the code reads it, not the call that made it.
                if not isinstance(atom, Unknown) and not (built and tensor.storage.origin == "parameter"):
                    self._came_from(tensor.storage, text, row)
            if isinstance(atom, Unknown):
                waiting[atom] = None
                argument = next((n for n, v in run.root.args.items() if v is atom), None)
                if argument is not None:
                    self._came_from(atom, f"the argument `{argument}`", 0)
                elif isinstance(i, (ir.Call, ir.With)):
                    self._came_from(atom, f"what {text} returns", row)
                elif isinstance(i, ir.Store):
                    self._came_from(atom, f"what is stored in {text}", row)
                elif isinstance(i, (ir.Load, ir.GetAttribute, ir.GetItem)):
                    self._came_from(atom, text, row)
            elif isinstance(atom, TorchModule) and atom.weights is not None:
                weights = atom.weights.storage
                storages[weights.uid] = weights
                if not built:
                    self._came_from(weights, f"the weights of {text}", 0)

    def _believe(self, run: Run, into: dict[str, Belief], text: str, value: Value) -> None:
        belief = Belief(text, value)
        known = list(self._known(run).values())
        for guard, atom in run.live(value):
            if isinstance(atom, Unknown) and atom.tensor is None:
                belief.unknown = True
                continue
            for weights in _weights(run, atom):
                belief.weights.append(Held(run, guard, weights, known))
            tensor = run.as_tensor(atom) if isinstance(atom, (Tensor, Unknown)) else None
            if tensor is not None:
                belief.held.append(Held(run, guard, tensor, known))
        if belief.held or belief.unknown or belief.weights:
            into[text] = belief


def writes_of(run: Run, storage: Storage) -> list[Write]:
    """The writes of a storage so far that move its version; of those by optimizers, the ones that meet a save."""
    found = [w for w in run.found.writes if w.storage is storage and w.counted]
    for hazard in run.heap.hazards:
        if hazard.write.storage is storage and hazard.write.counted and hazard.write not in found:
            found.append(hazard.write)
    return sorted(found, key=lambda w: w.time)


def _weights(run: Run, value: Value, depth: int = 4) -> list[Tensor]:
    """The parameters of modules and optimizers; objects that are not built yet stay so."""
    found: list[Tensor] = []
    if depth == 0:
        return found
    for _, atom in alternatives(value):
        if isinstance(atom, TorchModule) and atom.weights is not None:
            found.append(atom.weights)
        elif isinstance(atom, (Optimizer, Parameters)):
            for owner in atom.owners:
                found += _weights(run, owner, depth - 1)
        elif (isinstance(atom, Sequence_) and atom.kind in ("Sequential", "ModuleList")) or (
            isinstance(atom, Instance) and atom.pending is None and depth < 4
        ):
            for element in run.elements(atom):
                found += _weights(run, element, depth - 1)
        elif isinstance(atom, Tensor) and depth < 4 and atom.storage.origin == "parameter":
            found.append(atom)
    return found


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _aliases(run: Run, tensor: Tensor, guard: Guard) -> dict[str, Tensor]:
    """The names and attributes in scope that hold the storage of `tensor`, as the source writes them."""
    found: dict[str, Tensor] = {}
    frame = run.frame
    places: dict[int, str] = {}
    outer: Any = frame
    while outer is not None:
        where = "" if outer is frame else f" in {outer.function.name}" if outer.function else " of the module"
        places.setdefault(outer.uid, where)
        outer = outer.enclosing if outer.enclosing is not None else outer.via and outer.via.frame
    for key in run.state.all_keys():
        if type(key) is not tuple or len(key) != 2:
            continue
        owner, name = key
        if isinstance(name, str) and owner in places:
            words = f"`{name.partition('@')[0]}`{places[owner]}"
        elif isinstance(owner, Instance) and isinstance(name, str) and name.isidentifier():
            receiver = _receiver(run, owner)
            words = f"`{receiver}.{name}`" if receiver else f"attribute `{name}` of a {owner.cls.source.name}"
        else:
            continue
        for g, atom in alternatives(run.state[key]):
            held = atom.tensor if isinstance(atom, Unknown) else atom
            if isinstance(held, Tensor) and held.storage is tensor.storage and compatible(g, guard):
                found[words] = held
    return found


def _receiver(run: Run, owner: Instance) -> str:
    """The name of the receiver (`self`) in the current method, if that is this object; else empty."""
    function = run.frame.function
    if function is None or not function.parameters:
        return ""
    name = function.parameters[0].arg
    return name if run.state.get((run.frame.uid, name)) is owner else ""
