"""Maps each value of the interpreter to its term, and updates the mapping at branches and in-place writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp import containers
from ..interp.budget import OutOfBudget
from ..interp.class_value import ClassValue
from ..interp.frames import State
from ..interp.guards import ALWAYS, tests, where
from ..interp.interpreter import Interpreter
from ..interp.iterators import Iteration
from ..interp.slices import Slice
from ..interp.storage import NEVER
from ..interp.values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
)
from ..syntax.lower import lower_expression
from .aliases import are_disjoint
from .frames import Frame
from .terms import Term, items

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

    from ..interp.guards import Guard
    from ..interp.program import Program
    from ..syntax import ir
    from .frames import Moment
    from .graph import Graph

#: A value that depends on more tests than this is joined by whole paths, not by single tests.
_TESTS = 12
#: Operations whose value is a number or shape, never a tensor.
_NUMBERS = frozenset(
    "size shape dim numel ndimension item finfo floordiv eq ne lt gt le ge and or not is".split()
)
_ARITHMETIC = frozenset("mul div add sub pow neg".split())
#: Operations whose value may be of any type, or several tensors.
_OF_ANY_KIND = frozenset("call opaque member attr element param chunk split unbind max mha".split())
#: Module containers, whose term stays valid although they are sequences.
OF_MODULES = frozenset({"Sequential", "ModuleList"})
#: Operations whose value has no tensor storage.
_NO_MEMORY = frozenset("const symbol size shape function instance class module slice finfo not".split())


class ValueTerms(Interpreter):
    """An interpreter in which every tensor, number and unknown value has a term of `graph`.

    A *general* run assumes nothing that another configuration of the object would change.
    """

    def __init__(self, program: Program, graph: Graph, general: bool) -> None:
        super().__init__(program)
        self.graph = graph
        self.general = general
        self.receiver: Instance | None = None
        self._terms: dict[Value, Term] = {}
        #: values whose terms are under construction, to detect cycles
        self._open: set[Value] = set()
        self._containers: dict[tuple[Value | Term, ...], Term] = {}
        self._values: dict[Term, Value] = {}
        self._frames: dict[int, Frame] = {}
        #: guard bit -> (the term of its test, whether the set bit means that the test holds)
        self.tests: dict[int, tuple[Term, bool]] = {}
        #: the call in the source that is made
        self.calling: ast.AST | None = None
        #: by activation and place: the calls made there, which are more than one where a comprehension is written out
        self._copies: dict[tuple[int, int], list[ir.Call]] = {}
        #: by attribute: how often what it holds was written in place; then its value is another one
        self._changes: dict[Term, int] = {}
        #: an expression is evaluated again, to see whether it gives what it gave before
        self.replays = False
        #: names that an inner function rebinds (`nonlocal`): their value is unknown
        self.unstable: set[str] = set()

    def term(self, value: Value) -> Term:
        """The term of a value; an unknown value keeps its opaque term."""
        known = self._terms.get(value)
        if known is None:
            if value in self._open:
                return self.graph.terms.opaque(None)  # the value contains itself
            self._open.add(value)
            known = self._structure(value)
            self._open.discard(value)
            if not self._is_changeable(value):
                self._terms[value] = known
        return known

    def _is_changeable(self, value: Value) -> bool:
        """Whether the term of a value must not be cached, because its contents may change or it is a constant."""
        return isinstance(value, (Sequence_, Mapping_, Constant)) or self._is_made_here(value)

    def _is_made_here(self, value: Value) -> bool:
        """Whether a value is a plain object that the function creates; what it contains escapes with it."""
        return (
            self.general
            and isinstance(value, Instance)
            and value is not self.receiver
            and not (value.shared or value.cls.is_module())
        )

    def _structure(self, value: Value) -> Term:
        terms = self.graph.terms
        if isinstance(value, Constant):
            return terms.const(value.value)
        if isinstance(value, Phi):
            return self._chosen(value.alternatives)
        if isinstance(value, Symbol):
            return terms("symbol", value.dotted)
        if isinstance(value, Iteration):
            return terms.opaque(None, *map(self.term, value.over))
        if isinstance(value, Mapping_):
            return self._nameless(value, map(self.term, self.elements(value)))
        if self._is_made_here(value) and isinstance(value, Instance):
            return terms("new", terms("class", value.cls.source), *map(self.term, self.elements(value)))
        if isinstance(value, Instance):
            return terms("instance", value.cls.source, None if value is self.receiver else value)
        if isinstance(value, ClassValue):
            return terms("class", value.source)
        if isinstance(value, FunctionValue):
            return terms("function", value.source, None, 0)
        if isinstance(value, Bound):
            bound = (*map(self.term, value.args), *map(self.term, value.kwargs.values()))
            return terms("partial", self.term(value.func), tuple(value.kwargs), *bound)
        if isinstance(value, TorchModule):
            config = {name: self.term(given) for name, given in value.config.items()}
            return terms("new", value.name, tuple(config), 0, *config.values())
        if isinstance(value, Slice):
            return terms("slice", *map(self.term, value.parts))
        if isinstance(value, Sequence_) and value.kind in ("tuple", "list"):
            elements = containers.items(self, value)
            if elements is not None:
                return terms(value.kind, *map(self.term, elements))
            parts = containers.parts_of(self, value)
            if parts is not None:
                spread = [(starred, self.term(part)) for starred, part in parts]
                return terms(value.kind, *(terms("star", one) if star else one for star, one in spread))
        return self._nameless(value, ())

    def _nameless(self, value: Value, operands: Iterable[Term]) -> Term:
        """The opaque term of a value that contains `operands`; equal as long as the contents are."""
        given = tuple(operands)
        key: tuple[Value | Term, ...] = (value, *given)
        if key not in self._containers:
            self._containers[key] = self.graph.terms.opaque(None, *given)
        return self._containers[key]

    def _chosen(self, found: Sequence[tuple[Guard, Value]]) -> Term:
        """Joins guarded alternatives into nested `phi`s, the latest test outermost."""
        first = self.term(found[0][1])
        if all(self.term(atom) is first for _, atom in found[1:]):
            return first
        asked = 0
        for guard, _ in found:
            asked |= tests(guard)
        if not asked or asked.bit_count() > _TESTS:
            joined = self.term(found[-1][1])
            for guard, atom in reversed(found[:-1]):
                joined = self.graph.phi(self.graph.terms("path", guard), self.term(atom), joined)
            return joined
        bit = asked.bit_length() - 1
        high = [(met, atom) for guard, atom in found if (met := where(guard, 1 << bit, 0))]
        low = [(met, atom) for guard, atom in found if (met := where(guard, 0, 1 << bit))]
        if not high or not low:
            return self._chosen(high or low)
        test, holds = self.tests.get(bit) or (self.graph.terms("path", bit), True)
        then, orelse = (self._chosen(high), self._chosen(low))[:: 1 if holds else -1]
        return self.graph.phi(test, then, orelse)

    def is_noted(self, value: Value) -> bool:
        return value in self._terms

    def note(self, value: Value, term: Term) -> Value:
        if not self._is_changeable(value) or (isinstance(value, Sequence_) and value.kind in OF_MODULES):
            self._terms[value] = term
        return value

    def value_of(self, term: Term) -> Value:
        """The interpreter's value for a term."""
        if term.op == "const":
            return Constant(term.args[0])
        known = self._values.get(term)
        if known is not None:
            return known
        elements = items(term)
        if elements is None and term.op == "chunk":
            elements = self.graph.spread(term, term.at)
        if elements is not None and not any(one.op == "star" for one in elements):
            kind = term.op if term.op == "list" else "tuple"
            return containers.make(self, kind, [self.value_of(one) for one in elements])
        made: Value
        if term.op in _NUMBERS or (term.op in _ARITHMETIC and all(map(self._is_number, term.operands))):
            made = Scalar()
        elif term.op in _OF_ANY_KIND:
            made = Unknown()
        else:
            made = self.new_tensor("result", NEVER, None)
        self._values[term] = made
        return self.note(made, term)

    def _is_number(self, term: Term) -> bool:
        """Whether an operand is a number, as far as is known."""
        return (
            term.op in _NUMBERS or term.op in ("const", "attr") or isinstance(self._values.get(term), Scalar)
        )

    def stand(self) -> Graph:
        """The graph, after its current frame and function are set to those of the run."""
        frame, graph = self.frame, self.graph
        known = self._frames.get(frame.uid)
        if known is None:
            known = Frame(frame.module, frame.function, max(frame.depth - 1, 0))
            if frame.via is not None and frame.via.frame.uid in self._frames:
                known.conditions = self._frames[frame.via.frame.uid].conditions
            self._frames[frame.uid] = known
        graph.frame = known
        graph.terms.function, graph.terms.activation = frame.function, frame.uid
        return graph

    def change(self, attribute: Term) -> None:
        """Notes that what an attribute holds was written."""
        if self.general:
            self._changes[attribute] = self._changes.get(attribute, 0) + 1

    def _is_memo(self, attribute: Term) -> bool:
        """Whether a write stands where `key not in attribute` was asked: what is kept for a key stays the same."""
        tests = [test.first if test.op == "not" else test for test, _ in self.graph.frame.conditions]
        return any(test.op in ("in", "not in") and test.args[1] is attribute for test in tests)

    def current(self, attribute: Term) -> Term:
        """What an attribute holds now: once it was written, no expression stands for that any more."""
        changes = self._changes.get(attribute)
        return attribute if changes is None else self.graph.terms("opaque", attribute, "write", changes)

    def copy_of(self, call: ir.Call) -> int:
        """Which of the calls at its place this one is, in the current activation."""
        if self.replays:
            return 0
        known = self._copies.setdefault((self.frame.uid, id(call.at)), [])
        if all(one is not call for one in known):
            known.append(call)
        return next(number for number, one in enumerate(known) if one is call)

    def is_term(self, value: Value) -> bool:
        """Whether a value is a tensor, number or unknown with a term (or a choice between such): no object, no list."""
        if isinstance(value, Phi):
            return all(isinstance(a, Constant) or self.is_term(a) for _, a in value.alternatives)
        return self.is_noted(value) and isinstance(value, (Tensor, Unknown, Scalar))

    # The `Runner` interface of the graph

    def names(self) -> dict[str, tuple[Value, Term]]:
        function, uid = self.frame.function, self.frame.uid
        if function is None or not self.general:
            return {}
        found: dict[str, tuple[Value, Term]] = {}
        for name in sorted({*function.scope[0], *function.stored} - self.unstable):
            value = self.state.get((uid, name))
            if value is not None:
                value = self.settled(value)
                found[name] = value, self.term(value)
        return found

    def replace(self, old: Term, new: Term | None, at: ast.AST) -> None:
        memory = self.graph.memory(old)
        for one in memory:
            if one.op in ("attr", "member") and not self._is_memo(one):
                self.change(one)
        passed_over = _NO_MEMORY if any(one.op == "attr" for one in memory) else _NO_MEMORY | {"attr"}
        made: dict[Value, Value] = {}

        def after(value: Value) -> Value:
            if value not in made:
                made[value] = self._after_write(value, old, new, memory, passed_over, at)
            return made[value]

        for key in self.state.all_keys():
            value = self.state[key]
            if after(value) is not value:
                self.state.slots[key] = after(value)
        place = self.frame
        while True:  # the callers' registers may hold aliases, too
            for register, value in place.registers.items():
                place.registers[register] = after(value)
            if place.via is None:
                break
            place = place.via.frame

    def _after_write(
        self,
        value: Value,
        old: Term,
        new: Term | None,
        memory: frozenset[Term],
        passed_over: frozenset[str],
        at: ast.AST,
    ) -> Value:
        """The new value of `value` after `old` was written: exact for `old` itself, opaque for possible aliases."""
        if not isinstance(value, Phi) and not (
            isinstance(value, (Tensor, Unknown, Scalar)) and self.is_noted(value)
        ):
            return value
        term = self.term(value)
        if term is old and new is not None:
            return self.value_of(new)
        if term.op in passed_over or term is new or memory.isdisjoint(self.graph.memory(term)):
            return value
        if are_disjoint(term, old):
            return value
        # A value that an earlier write made opaque is wrapped only once, which keeps terms short.
        while term.op == "opaque" and term.args[1:] == ("write",):
            term = term.first
        return self.value_of(self.graph.terms("opaque", term, "write", at=at))

    def evaluated(self, node: ast.expr, moment: Moment) -> tuple[Term | None, bool]:
        graph = self.graph
        logs: tuple[list[Any], ...] = (graph.moments, graph.sinks, graph.effects)
        lengths = [len(log) for log in logs]
        frame = next((one for one in self.frames.values() if one.function is graph.root), None)
        if frame is None:
            return None, False
        outer = (self.frame, self.state, self.path, frame.registers)
        self.frame, self.state, self.path, frame.registers = frame, State(self.state), ALWAYS, {}
        known = self.stand().frame
        conditions, known.conditions = known.conditions, moment.conditions
        self.budget.steps, self.replays = 0, True
        held: dict[Hashable, Value] = {(frame.uid, name): value for name, value in moment.held.items()}
        self.state.slots.update(held)
        try:
            block, register = lower_expression(node)
            self.block(block)
            same = all(self.state.get(key) is value for key, value in held.items())
            value = frame.registers.get(register) if same else None
            return None if value is None else self.term(value), len(graph.effects) > lengths[2]
        except OutOfBudget:
            return None, True
        finally:
            self.frame, self.state, self.path, frame.registers = outer
            self.replays = False
            self.stand()
            known.conditions = conditions
            for log, length in zip(logs, lengths):
                del log[length:]
