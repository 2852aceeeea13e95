"""The value graph of a function as the interpreter runs it: through any form of Python that the analysis follows.

`evaluate` follows plain calls, and what it gives can be written as source again. Here the interpreter of the analysis
goes through generators, context managers, decorators, objects with `__call__`, containers, and notes of every value
which term it is. The terms, the operations of torch on them, and what is recognised in them are the same; a plan is
not made of them, because loops and branches are joined as they are for the analysis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp import containers
from ..interp.budget import EVERYTHING
from ..interp.execute import HANDLERS
from ..interp.interpreter import Interpreter
from ..interp.slices import Slice
from ..interp.starts import run_body, run_function
from ..interp.storage import NEVER
from ..interp.values import (
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    OpValue,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
)
from ..syntax import ir
from ..torchmodel import table
from . import calls, objects, ops
from .evaluate import Evaluation
from .frames import Frame, Spent, Unfollowed
from .terms import Term, items

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..interp.program import Program
    from ..interp.run import Run
    from ..syntax.module import FunctionSource, Module

#: Terms that are numbers or shapes, and no tensors.
_NUMBERS = frozenset(
    "size shape dim numel ndimension item finfo floordiv eq ne lt gt le ge and or not is".split()
)
_ARITHMETIC = frozenset("mul div add sub pow neg".split())
_DRAWN = frozenset({"rand", "randn"})
#: Terms that may be anything, or several tensors.
_OF_ANY_KIND = frozenset("call opaque member attr element param chunk split unbind max mha".split())
#: Attributes of tensors, and of what a maximum returns, that have terms of their own.
_OF_TENSORS = frozenset({"shape", "mT", "mH", "T", "values", "indices"})
#: Modules whose functions the interpreter does not play, and that the graph has terms for.
_FOREIGN = ("torch", "einops", "math")


def interpreted(program: Program, module: Module, root: FunctionSource | None) -> Evaluation:
    """The value graph of a function called with any arguments; None: of the top level of the file. Raises Spent."""
    graph = Evaluation(program.prefilter.classes, root or module.functions_in_order()[0])
    run = _Graphing(program, graph)
    try:
        if root is None:
            run_body(program, module, EVERYTHING, run)
        else:
            run_function(program, root, EVERYTHING, run)
    except Unfollowed:
        raise Spent from None
    return graph


class _Graphing(Interpreter):
    """A run that notes which term each value is. What torch computes becomes a term, and nothing else happens."""

    def __init__(self, program: Program, graph: Evaluation) -> None:
        super().__init__(program)
        self.graph = graph
        self.handlers = {**HANDLERS, **_NOTED}
        self._terms: dict[Value, Term] = {}
        self._frames: dict[int, Frame] = {}
        #: the condition under which a block runs that an `if` holds, by the identity of the block
        self.arms: dict[int, tuple[Term, bool]] = {}
        #: the blocks of these that were left early
        self.ended: set[int] = set()

    # Terms of values

    def term(self, value: Value) -> Term:
        """The term that a value is; one of which nothing is known is the same each time."""
        known = self._terms.get(value)
        if known is None:
            known = self._structure(value)
            if not isinstance(value, (Sequence_, Constant)):  # a list may hold something else later
                self._terms[value] = known
        return known

    def _structure(self, value: Value) -> Term:
        terms = self.graph.terms
        if isinstance(value, Constant):
            return terms.const(value.value)
        if isinstance(value, Phi):
            joined = self.term(value.alternatives[-1][1])
            for guard, atom in reversed(value.alternatives[:-1]):
                joined = self.graph.phi(terms("path", guard), self.term(atom), joined)
            return joined
        if isinstance(value, Symbol):
            return terms("symbol", value.dotted)
        if isinstance(value, Instance):
            return terms("instance", value.cls.source)
        if isinstance(value, ClassValue):
            return terms("class", value.source)
        if isinstance(value, FunctionValue):
            return terms("function", value.source, None, 0)
        if isinstance(value, TorchModule):
            config = {name: self.term(given) for name, given in value.config.items()}
            return terms("new", value.name, tuple(config), 0, *config.values())
        if isinstance(value, Slice):
            return terms("slice", *map(self.term, value.parts))
        if isinstance(value, Sequence_) and value.kind in ("tuple", "list"):
            elements = containers.items(self, value)
            if elements is not None:
                return terms(value.kind, *map(self.term, elements))
        return terms.opaque(None)

    def is_noted(self, value: Value) -> bool:
        return value in self._terms

    def note(self, value: Value, term: Term) -> Value:
        if not isinstance(value, (Constant, Sequence_)):
            self._terms[value] = term
        return value

    def value_of(self, term: Term) -> Value:
        """A new value that is this term."""
        if term.op == "const":
            return Constant(term.args[0])
        elements = items(term)
        if elements is not None and not any(one.op == "star" for one in elements):
            return containers.make(self, term.op, [self.value_of(one) for one in elements])
        made: Value
        if term.op in _NUMBERS or (term.op in _ARITHMETIC and all(map(_is_number, term.operands))):
            made = Scalar()
        elif term.op in _OF_ANY_KIND:
            made = Unknown()
        else:
            made = self.new_tensor("result", NEVER, None)
        return self.note(made, term)

    def stand(self) -> Evaluation:
        """The graph, told where the run stands."""
        frame, graph = self.frame, self.graph
        known = self._frames.get(frame.uid)
        if known is None:
            known = Frame(frame.module, frame.function, max(frame.depth - 1, 0))
            if frame.via is not None and frame.via.frame.uid in self._frames:
                known.conditions = self._frames[frame.via.frame.uid].conditions
            self._frames[frame.uid] = known
        graph.frame = known
        graph.terms.function = frame.function
        return graph

    # What the interpreter is asked

    def block(self, instructions: ir.Block) -> None:
        arm = self.arms.get(id(instructions))
        if arm is None:
            super().block(instructions)
            return
        frame = self.stand().frame
        conditions, frame.conditions = frame.conditions, (*frame.conditions, arm)
        super().block(instructions)
        frame.conditions = conditions
        if not self.path:
            self.ended.add(id(instructions))

    def attribute(self, obj: Value, name: str, at: ast.AST) -> Value:
        if name in _OF_TENSORS and self.is_noted(obj) and isinstance(obj, (Tensor, Unknown)):
            return self.value_of(objects.attribute(self.stand(), self.term(obj), name, at))
        value = super().attribute(obj, name, at)
        if isinstance(value, (Tensor, Unknown, Scalar)) and not self.is_noted(value):
            graph = self.stand()
            if isinstance(obj, Instance):
                term = graph.terms("attr", self.term(obj), name, at=at)
            else:
                term = objects.attribute(graph, self.term(obj), name, at)
            self.note(value, term)
        return value

    def enter(
        self,
        function: FunctionValue,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool = True,
        force: bool = False,
        on_yield: Callable[[Value], None] | None = None,
    ) -> Value:
        if function.source is self.entering.body_of and not self._frames:
            graph = self.stand()
            for name, value in kwargs.items():
                for atom in self.possible(value):
                    if isinstance(atom, (Tensor, Unknown, Scalar)):
                        self.note(atom, graph.parameter(function.source, name))
        if not exact:  # which parameter is given what decides which values meet
            return self.value_of(self.stand().terms.opaque(at, *map(self.term, (*args, *kwargs.values()))))
        return super().enter(function, args, kwargs, at, exact, force, on_yield)

    def call(
        self,
        func: Value,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool = True,
    ) -> Value:
        if isinstance(func, Phi):
            return super().call(func, args, kwargs, at, exact)
        inner, given, named = func, args, kwargs
        while isinstance(inner, Bound):
            given, named, inner = [*inner.args, *given], {**inner.kwargs, **named}, inner.func
        if isinstance(inner, OpValue) and given:
            name = inner.op.name.rpartition(".")[2]
            graph = self.stand()
            called = graph.terms("member", self.term(given[0]), name, at=at)
            return self._computed(called, given[1:], named, at, exact, given[0])
        if isinstance(inner, TorchModule) or (isinstance(inner, Symbol) and _is_computed(inner.dotted)):
            return self._computed(self.term(inner), given, named, at, exact, given[0] if given else None)
        if isinstance(inner, Unknown):
            return self._computed(self.term(inner), given, named, at, exact, None)
        result = super().call(func, args, kwargs, at, exact)
        if isinstance(result, (Tensor, Unknown)) and not self.is_noted(result):
            terms, operands = self.stand().terms, [*map(self.term, (*args, *kwargs.values()))]
            if isinstance(inner, Symbol) and calls.is_class(
                inner.dotted
            ):  # a parameter, whatever is drawn for it
                self.note(result, terms("new", inner.dotted, tuple(kwargs), len(args), *operands, at=at))
            else:
                self.note(result, terms.opaque(at, *operands))
        return result

    def _computed(
        self,
        func: Term,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool,
        receiver: Value | None,
    ) -> Value:
        """What torch computes, or something that is not known: a term. In place, its receiver is that from now on."""
        graph = self.stand()
        given = [self.term(value) for value in args]
        named = {name: self.term(value) for name, value in kwargs.items()}
        before = None if receiver is None else self.term(receiver)
        writes = len(graph.effects)
        term = calls.call(graph, func, given if exact else None, named, [] if exact else given, at)
        if receiver is not None and any(
            one.kind == "write" and one.term is before for one in graph.effects[writes:]
        ):
            return self.note(receiver, term)
        if term.op in _DRAWN and self.frame.function is None:
            # What the top level of a file makes up stands for data, and its sizes for any.
            return self.value_of(graph.terms("param", "data", id(at), at=at))
        return self.value_of(term)


def _is_number(term: Term) -> bool:
    return (
        term.op in _NUMBERS
        or term.op in ("const", "attr")
        or (term.op in _ARITHMETIC and all(map(_is_number, term.operands)))
    )


def _is_computed(dotted: str) -> bool:
    """Whether a function computes a value that the graph has a term for, and the interpreter has nothing to play."""
    if dotted.partition(".")[0] not in _FOREIGN:
        return False
    return bool(
        ops.of_function(dotted)[0]
        or dotted.rpartition(".")[2] == "einsum"
        or dotted.startswith(("einops.", "math."))
        or table.function(dotted) is not None
    )


# Instructions: what the interpreter makes of each, and the term of that


def _register(run: Run, number: int) -> Value:
    return run.frame.registers[number]


def _is_plain(*values: Value) -> bool:
    """Whether an operator on these is torch's or Python's own for numbers."""
    return all(isinstance(value, (Tensor, Unknown, Scalar, Constant)) for value in values) and not all(
        isinstance(value, Constant) for value in values
    )


def _binary(run: _Graphing, i: ir.Binary) -> None:
    left, right = _register(run, i.left), _register(run, i.right)
    if isinstance(left, Phi) or isinstance(right, Phi) or _is_plain(left, right):
        term = run.stand().binary(i.op, run.term(left), run.term(right), i.at)
        run.frame.registers[i.dst] = run.value_of(term)
    else:
        HANDLERS[ir.Binary](run, i)


def _augmented(run: _Graphing, i: ir.Augmented) -> None:
    left, right = _register(run, i.left), _register(run, i.right)
    if not (isinstance(left, Phi) or isinstance(right, Phi) or _is_plain(left, right)):
        HANDLERS[ir.Augmented](run, i)
        return
    graph = run.stand()
    term = graph.binary(i.op, run.term(left), run.term(right), i.at)
    if isinstance(left, (Tensor, Unknown)):
        graph.effect(i.at, "write", run.term(left))
        run.frame.registers[i.dst] = run.note(left, term)
    else:
        run.frame.registers[i.dst] = run.value_of(term)


def _compare(run: _Graphing, i: ir.Compare) -> None:
    left, right = _register(run, i.left), _register(run, i.right)
    HANDLERS[ir.Compare](run, i)
    graph, made = run.stand(), _register(run, i.dst)
    if not isinstance(made, Phi) and not run.is_noted(made):
        run.note(made, graph.terms(ops.OPERATORS.get(i.op, i.op), run.term(left), run.term(right), at=i.at))


def _unary(run: _Graphing, i: ir.Unary) -> None:
    operand = _register(run, i.operand)
    if i.op != "not" and not isinstance(operand, Constant):
        term = run.term(operand)
        run.frame.registers[i.dst] = run.value_of(
            term if i.op == "pos" else run.stand().terms(i.op, term, at=i.at)
        )
    else:
        HANDLERS[ir.Unary](run, i)


def _get_item(run: _Graphing, i: ir.GetItem) -> None:
    obj = _register(run, i.obj)
    if isinstance(obj, (Tensor, Unknown, Scalar)):
        term = run.stand().get_item(run.term(obj), run.term(_register(run, i.index)), i.at)
        run.frame.registers[i.dst] = run.value_of(term)
    else:
        HANDLERS[ir.GetItem](run, i)


def _set_item(run: _Graphing, i: ir.SetItem) -> None:
    obj, graph = _register(run, i.obj), run.stand()
    if isinstance(obj, (Tensor, Unknown)):
        before, given = run.term(obj), run.term(_register(run, i.src))
        graph.sink(i.at, "item", given)
        graph.effect(i.at, "write", before)
        run.note(obj, graph.terms("opaque", before, given, "write", at=i.at))
    else:
        HANDLERS[ir.SetItem](run, i)


def _unpack(run: _Graphing, i: ir.Unpack) -> None:
    source = _register(run, i.src)
    if isinstance(source, (Tensor, Unknown, Scalar)) and i.star < 0:
        graph, whole = run.stand(), run.term(source)
        for number, dst in enumerate(i.dsts):
            term = graph.element(whole, number, len(i.dsts), i.at)
            run.frame.registers[dst] = run.value_of(term)
    else:
        HANDLERS[ir.Unpack](run, i)


def _set_attribute(run: _Graphing, i: ir.SetAttribute) -> None:
    graph = run.stand()
    term = run.term(_register(run, i.src))
    graph.sink(i.at, "store", term)
    HANDLERS[ir.SetAttribute](run, i)


def _if(run: _Graphing, i: ir.If) -> None:
    frame = run.stand().frame
    test = run.term(_register(run, i.test))
    run.arms[id(i.then)], run.arms[id(i.orelse)] = (test, True), (test, False)
    run.ended -= {id(i.then), id(i.orelse)}
    HANDLERS[ir.If](run, i)
    for one, other, holds in ((i.then, i.orelse, False), (i.orelse, i.then, True)):
        if id(one) in run.ended and id(other) not in run.ended:
            frame.conditions = (*frame.conditions, (test, holds))


def _return(run: _Graphing, i: ir.Return) -> None:
    if i.src is not None and run.frame.function is run.entering.body_of:
        graph = run.stand()
        graph.sink(i.at, "return", run.term(_register(run, i.src)))
    HANDLERS[ir.Return](run, i)


_NOTED: dict[type[ir.Instruction], Callable[[Any, Any], None]] = {
    ir.Binary: _binary,
    ir.Augmented: _augmented,
    ir.Compare: _compare,
    ir.Unary: _unary,
    ir.GetItem: _get_item,
    ir.SetItem: _set_item,
    ir.Unpack: _unpack,
    ir.SetAttribute: _set_attribute,
    ir.If: _if,
    ir.Return: _return,
}
