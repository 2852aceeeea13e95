"""Holds the abstract state of one run: path condition, values of names, grad mode, heap, and what was found so far.

A run interprets one function, and what that calls, along all paths at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import contents, guards, run_records
from .budget import Budget
from .class_value import ClassValue
from .frames import DEAD, LENGTH, Frame, Place, State
from .grad_evidence import of_one_kind
from .guards import ALWAYS, WEAKENED, both, literal
from .heap import Heap
from .iterators import Iteration
from .joins import join, later, read
from .literals import Literals
from .operations import Operations
from .storage import Storage
from .unmodeled import begin_graph
from .values import (
    ABSENT,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    OpValue,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    TorchModule,
    Unknown,
    Value,
    flatten,
    present,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Hashable, Iterable

    from ..syntax.module import FunctionSource
    from .frames import Loop
    from .guards import Guard
    from .heap import Saved
    from .program import Program


class Run(Literals, Operations):
    """The state of one run: its position, what names hold, which modes are on, what happened so far."""

    supposes = False  # calls the training of the file by supposed callers (`driver_run`)

    def __init__(self, program: Program, builds: bool = False) -> None:
        super().__init__(program, builds)
        self.heap = Heap()
        self.heap.doubtful = self.doubtful
        self.budget = Budget(0 if builds else program.soft_limit)
        #: the handlers of instructions, if a tracer replaces those of `execute` (`explain.tracing`)
        self.handlers = program.handlers
        # Its position
        self.base = program.built.base
        self.state = State(program.built.base)
        self.path: Guard = ALWAYS
        self.grad = "on"
        self.frame: Frame
        self.frames: dict[int, Frame] = {}
        self.loops: list[Loop] = []
        #: the loops of all frames
        self.within: list[Loop] = []
        self.inexact = 0  # loops around this point of which only sample rounds are run
        self.born: dict[Value, int] = {}
        # What it collects
        self.root = run_records.Root()
        self.trying = run_records.Trying()
        self.entering = run_records.Entering()
        self.top_levels = run_records.TopLevels(program.built.names if builds else {})
        self.keeping = run_records.Keeping()
        self.declared = run_records.Declared()
        self.handed = run_records.Handed()
        self.several = run_records.Several()
        self.asked = run_records.Asked()
        self.steps = run_records.Steps()
        self.found = run_records.Found(program.observed)
        self.made = run_records.Made()
        program.runs.append(self)

    def close(self) -> None:
        """Drop all that the run holds: its cycles of references would be left to the garbage collector."""
        for frame in self.frames.values():
            frame.forget()
        for value in self.made.stood_for:
            value.tensor = None
        vars(self).clear()

    def leave_out(self, source: FunctionSource) -> None:
        """Note that a call is not entered although the function may write or set state: the run is incomplete."""
        if self.builds or not self.path:
            return
        self.found.may_lack_writes = self.found.may_lack_writes or self.program.leaves_something(source)
        if not self.found.cut and self.program.enters(source):
            self.found.cut = (
                f"it calls `{source.name}`, which was not followed: calls go too deep or steps are used up"
            )

    def weighed(self) -> int:
        """The mask of literals that decide whether a path is possible, and how sure a finding on it is."""
        built = self.program.built
        found = self.doubtful | self.evaluation | self.numbered | self.turned[0] | self.turned[1]
        found |= self.asked_for_in_building | built.asked_for_in_building | built.other_words
        found |= self.asked.enabled
        for bit in self.asked.requires:
            found |= 1 << bit
        for pair in (*built.exclusive, *self.exclusive, *self.orders):
            found |= pair
        return found

    def takes_backward(self) -> None:
        """Note that a backward is run here, and raise the budget for code that trains."""
        self.steps.trains = True
        self.steps.differentiates = self.steps.differentiates or self.grad == "on"
        self.budget.begin_training()

    def uid(self) -> int:
        """A number that no other storage or frame of the program has."""
        self.program.last_uid += 1
        return self.program.last_uid

    def doubt(self, key: Hashable, usual: bool = False) -> tuple[Guard, Guard]:
        """The literals of the two outcomes of a guess, which the heap learns of too."""
        outcomes = super().doubt(key, usual)
        self.heap.doubtful = self.doubtful
        return outcomes

    def learn_from(self, maker: Run) -> None:
        """Take over what a run that built objects found of the literals on which these depend, and its closures."""
        self.program.built.frames.update(
            (uid, frame) for uid, frame in maker.frames.items() if frame.captured
        )
        for taught in (self.program.built, self):
            taught.doubtful |= maker.doubtful
            taught.evaluation |= maker.evaluation
            taught.usual |= maker.usual

    def place(self, at: ast.AST) -> Place:
        """The place of a node in the current frame; in a `DataParallel`, that of its call."""
        if self.frame.via is not None and self.program.declared.is_stand_in(self.frame.module):
            return self.frame.via
        return Place(self.frame, at, self.keeping.layer)

    # Saves

    def save(self, saved: Saved) -> None:
        """Record that an op saves a tensor for backward, unless hooks replace it by a copy."""
        if self.keeping.unsaved:
            return
        saved.unchecked = saved.unchecked or self.keeping.unchecked
        saved.evaluated = isinstance(self.keeping.mode, Constant) and not self.keeping.mode.value
        self.heap.save(saved)
        if self.keeping.region is not None:
            self.keeping.region.saves.append(saved)

    # Dtypes

    def keep_dtype(self, storage: Storage, dtype: str) -> None:
        """Set the dtype of a new parameter or buffer; how wide a float is may change when the module is converted."""
        if dtype in ("bool", "int", "?"):
            storage.dtype = dtype
        elif self.builds or self.made.unconverted is None:
            storage.dtype = "float"
        else:
            storage.dtype = dtype
            self.made.unconverted.append(storage)

    def forget_dtypes(self) -> None:
        """Note that modules may be converted (`half()`): how wide their floats are is not known any more."""
        for storage in self.made.unconverted or ():
            storage.dtype = "float"
        self.made.unconverted = None

    def hands_on(self, values: Iterable[Value]) -> None:
        """Note that values are passed to unknown code: it may call them, or convert a module to another dtype."""
        given = [atom for value in values for atom in flatten(value)]
        for value in [atom for atom in given if isinstance(atom, (Sequence_, Mapping_))]:
            given += [atom for element in self.elements(value) for atom in flatten(element)]
        callbacks = [(self.path, one) for one in given if isinstance(one, (Bound, FunctionValue, Instance))]
        self.entering.callbacks += callbacks
        if any(isinstance(atom, (Instance, TorchModule, Parameters)) for atom in given):
            self.forget_dtypes()

    # Paths

    def split(self, value: Value) -> tuple[Guard, Guard]:
        """The guards under which the value is true, and false."""
        if isinstance(value, Phi):
            true: Guard = DEAD
            false: Guard = DEAD
            for guard, atom in value.alternatives:
                if guards.compatible(guard, self.path):
                    t, f = self.split(atom)
                    true = guards.either(true, both(guard, t))
                    false = guards.either(false, both(guard, f))
            return true, false
        if isinstance(value, Constant):
            return (ALWAYS, DEAD) if value.value else (DEAD, ALWAYS)
        if isinstance(value, Test):
            return literal(value.bit, value.holds), literal(value.bit, not value.holds)
        if isinstance(value, Instance):
            own = self.truth(value)
            return (ALWAYS, DEAD) if own is None else self.split(own)
        value = self.field(value) if isinstance(value, (Bound, Native, Tensor)) else value
        held = contents.of(self, value)
        if held is not None:
            return self.split(held)
        if isinstance(value, (TorchModule, FunctionValue, Bound, OpValue, Native, Symbol, ClassValue)):
            return ALWAYS, DEAD
        if isinstance(value, (Sequence_, Mapping_)):
            length = self.state.get((value, LENGTH))
            if length is not None and all(isinstance(atom, Constant) for atom in flatten(length)):
                return self.split(length)
        if isinstance(value, Scalar) and value.rises is not None:
            return (ALWAYS, DEAD) if value.rises.holds(value, "!=", 0) else (DEAD, ALWAYS)
        bit = self.bit(("true", self.identity(value)))
        return literal(bit, True), literal(bit, False)

    def ways_out(self) -> int:
        """How often the current function has been left by `return`, and its innermost loop's round before its end."""
        loop = self.loops[-1] if self.loops else None
        rounds = 0 if loop is None else len(loop.breaks) + len(loop.continues)
        return len(self.frame.returns) + rounds

    def keep_exact(self, path: Guard) -> None:
        """Go on along `path`, which led here, where what comes out is too complex because the rest of it has raised.

        So code behind many checks is taken to be reached, and is no guess.
        """
        if self.trying.catching:
            return  # the handler goes on with the rest
        if self.path and self.path.positive & WEAKENED and not path.positive & WEAKENED:
            self.path = path

    def merge(
        self,
        outcomes: list[tuple[Guard, dict[Hashable, Value]]],
        conditions: list[Guard] | None = None,
        path: Guard | None = None,
    ) -> None:
        """Join the states of exclusive paths into the current state, and go on along all of them.

        An outcome is a path with what changed on it. `conditions`, by default the paths, become the guards of the
        joined values; `path` is the disjunction of the paths, if the caller knows it.
        """
        if conditions is None:
            conditions = [guard for guard, _ in outcomes]
        live = [(c, changes, guard) for (guard, changes), c in zip(outcomes, conditions) if guard]
        if not live:
            self.path = DEAD
            return
        if len(live) == 1:
            self.path = live[0][2] if path is None else path
            self.state.slots.update(live[0][1])
            return
        if path is None:
            path = live[0][2]
            for _, _, guard in live[1:]:
                path = guards.either(path, guard)
        keys: dict[Hashable, None] = dict.fromkeys(live[0][1])
        for _, changes, _ in live[1:]:
            keys.update(dict.fromkeys(changes))
        for key in keys:
            values: list[tuple[Guard, Value]] = []
            before = None
            for condition, changes, _ in live:
                value = changes.get(key)
                if value is None:
                    if before is None:
                        before = self.state.stored(key) or self._unbound(key)
                    value = before
                if value is not None:
                    values.append((condition, value))
            if values:
                joined = later(values)
                if self.program.second_look:
                    joined = read(joined)
                    joined = of_one_kind(self, joined) if isinstance(joined, Phi) else joined
                self.state.slots[key] = joined
        self.path = path

    def _unbound(self, key: Hashable) -> Value | None:
        """What a path leaves under the name of a local variable that it does not bind."""
        frame = self.frames.get(key[0]) if type(key) is tuple and type(key[0]) is int else None
        return None if frame is None or frame.function is None else ABSENT

    def each(self, value: Phi, action: Callable[[Value], Value | None]) -> Value:
        """The join of the results of an action for each alternative, each run on a path and state of its own."""
        base, path = self.state, self.path
        results: list[tuple[Guard, Value]] = []
        outcomes: list[tuple[Guard, dict[Hashable, Value]]] = []
        conditions: list[Guard] = []
        for guard, atom in value.alternatives:
            met = both(path, guard)
            if not met:
                continue
            self.path, self.state = met, State(base)
            results.append((met, action(atom) or Constant(None)))
            outcomes.append((self.path, self.state.slots))
            conditions.append(guard if self.path is met else guards.relative(self.path, path))
        self.path, self.state = path, base
        if any(changes for _, changes in outcomes):
            self.merge(outcomes, conditions, path)
        return join(results) if results else Unknown()

    def live(self, value: Value) -> list[tuple[Guard, Value]]:
        """The alternatives of a value that are possible on this path; their guards include the path."""
        if not isinstance(value, Phi):
            return [(self.path, value)]
        return [(met, atom) for guard, atom in value.alternatives if (met := both(self.path, guard))]

    def possible(self, value: Value) -> list[Value]:
        """The alternatives of a value that are possible on this path."""
        if not isinstance(value, Phi):
            return [value]
        return [atom for guard, atom in value.alternatives if guards.compatible(guard, self.path)]

    def settled(self, value: Value) -> Value:
        """The value without the alternatives that this path excludes."""
        if not isinstance(value, Phi) or self.path is ALWAYS:
            return value
        possible = [(g, atom) for g, atom in value.alternatives if guards.compatible(g, self.path)]
        if len(possible) == len(value.alternatives) or not possible:
            return value
        return possible[0][1] if len(possible) == 1 else Phi(tuple(possible))

    # Tensors

    def new_tensor(
        self, origin: str, grad: int, at: ast.AST | None, leaf: bool = False, dtype: str = "?"
    ) -> Tensor:
        """A contiguous tensor with a storage of its own, made at `at`."""
        place = None if at is None else self.place(at)
        storage = Storage(self.uid(), origin, grad, place, leaf, dtype)
        storage.standing = self.builds
        return Tensor(storage, contiguous=True)

    def as_tensor(self, value: Value) -> Tensor | None:
        """The tensor that a value is, or that stands for it if it may be one; None if it is none."""
        if isinstance(value, Tensor):
            return value
        if isinstance(value, Parameters):
            if value.tensor is None:
                value.tensor = self.new_tensor("parameter", value.grad, None, leaf=value.grad > 0)
            self.several.stand_ins[value.tensor.storage] = value
            return value.tensor
        if isinstance(value, Unknown):
            if value.tensor is None:
                tensor = self.new_tensor("unknown", 1, None)
                tensor.storage.value = value
                tensor.contiguous = tensor.dense = False
                tensor.storage.proved = value.of_module
                tensor.storage.moved = value.is_given()
                value.tensor = tensor
                self.made.stood_for.append(value)
                begin_graph(self, value, tensor.storage)
            return value.tensor
        return None

    def tensors(self, value: Value) -> list[tuple[Guard, Tensor]]:
        """The tensor alternatives of a value on this path."""
        if not isinstance(value, Phi):
            tensor = self.as_tensor(value)
            return [] if tensor is None else [(self.path, tensor)]
        found = []
        for guard, atom in value.alternatives:
            if (met := both(self.path, guard)) and (tensor := self.as_tensor(atom)) is not None:
                found.append((met, tensor))
        return found

    def tensors_within(self, value: Value, depth: int = 3) -> list[tuple[Guard, Tensor]]:
        """The tensors in a value, in containers in it, and in attributes of records that this run made."""
        found: list[tuple[Guard, Tensor]] = []
        for guard, atom in self.live(value):
            inside: list[Value] | None = None
            if isinstance(atom, Iteration):
                inside = atom.all()[1] if depth else None
            elif isinstance(atom, (Sequence_, Mapping_)) or (
                isinstance(atom, Instance) and atom not in self.root.outside and atom.cls.holds_data()
            ):
                inside = self.elements(atom) if depth else None
            if inside is None:
                tensor = self.as_tensor(atom)
                if tensor is not None:
                    found.append((guard, tensor))
                continue
            for value in inside:
                within = self.tensors_within(value, depth - 1)
                if guard is not self.path:  # which is part of the guards already
                    within = [(met, tensor) for g, tensor in within if (met := both(guard, g))]
                found += within
        return found

    def elements(self, container: Sequence_ | Mapping_ | Instance) -> list[Value]:
        """The values in a container or the attributes of an object, in the order in which their keys were added."""
        found = []
        for key in container.keys:
            value = present(self.state.get((container, key)))
            if value is not None:
                found.append(value)
        return found

    def member(self, owner: Value, key: Hashable) -> Value:
        """An attribute or element of an unknown value: unknown too, but the same at each access."""
        value = self.state.get((owner, "member", key))
        if value is None:
            value = Unknown(owner)
            self.bottom().slots[(owner, "member", key)] = value
        return value

    def members(self, owner: Value) -> dict[str, Value]:
        """The attributes of an unknown value that were set or read, by name."""
        return {
            key[2]: self.state[key]
            for key in self.state.all_keys()
            if type(key) is tuple and len(key) == 3 and key[0] is owner and isinstance(key[2], str)
        }

    def set_member(self, owner: Value, key: Hashable, value: Value) -> None:
        self.state.slots[(owner, "member", key)] = value

    def bottom(self) -> State:
        """The state below all branches of this run: what is stored here holds on every path."""
        if self.builds:
            return self.base
        state = self.state
        while state.parent is not None and state.parent is not self.base:
            state = state.parent
        return state

    def put(self, container: Sequence_ | Mapping_ | Instance, key: Hashable, value: Value) -> None:
        """Store an element or attribute."""
        container.keys[key] = None
        self.state.slots[(container, key)] = value
