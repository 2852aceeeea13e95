"""Builds the value graph by running the abstract interpreter: what torch computes becomes a term.

A *general* run describes the function in every configuration, as a fix requires: an attribute or a loop-carried name is
a symbolic term, and both arms of each test are followed. The other kind of run takes objects as `__init__` builds them
and executes loops round by round. It follows more code, but its findings are reported without a fix.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..interp import containers, names
from ..interp.budget import EVERYTHING, NESTED, OutOfBudget
from ..interp.class_value import ClassValue
from ..interp.execute import HANDLERS
from ..interp.standing import build
from ..interp.starts import new_run, run_body, run_function
from ..interp.values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Native,
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
from ..torchmodel import table
from . import calls, graph_steps, objects, ops
from .frames import Spent, Unfollowed
from .graph import Graph
from .terms import Term
from .value_terms import OF_MODULES, ValueTerms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..interp.program import Program
    from ..interp.run import Run
    from ..syntax.module import ClassSource, FunctionSource, Module

#: Budget of one function in instructions, helpers included; the depth of followed calls, and that from an `__init__`.
_BUDGET = 6_000
_DEPTH = 5
_BUILDERS = 1
#: Random tensors: at the top level of a file they stand for input data of any size.
_DRAWN = frozenset({"rand", "randn"})
#: Attributes of tensors, and of the result of `max`, that have terms of their own.
_OF_TENSORS = frozenset({"shape", "mT", "mH", "T", "values", "indices"})
#: Packages with functions that become terms of the graph instead of being run by the interpreter.
_FOREIGN = ("torch", "einops", "math")


def graph_of(program: Program, root: FunctionSource) -> Graph:
    """The general value graph of a function called with unknown arguments on any object. Raises Spent, Unfollowed."""
    run = GraphRun(program, root, general=True)
    obj = None
    if root.owner is not None and root.parameters and root.descriptor != "staticmethod":
        obj = build(program, _class_value(run, root.owner))
    run.follow(root, obj)
    return run.graph


def graph_as_built(program: Program, module: Module, root: FunctionSource | None) -> Graph:
    """The graph of a function on concrete objects, or of the file's top level if `root` is None. Raises Spent."""
    run = GraphRun(program, root or module.functions_in_order()[0], general=False)
    try:
        if root is None:
            run_body(program, module, EVERYTHING, run)
        else:
            run_function(program, root, EVERYTHING, run)
    except Unfollowed:
        raise Spent from None
    return run.graph


def _class_value(run: GraphRun, source: ClassSource) -> ClassValue:
    cls = run.program.class_value(source)
    if not cls.bases and source.bases:
        cls.bases = [names.evaluate_in(run, source.module, base) for base in source.bases]
    return cls


class GraphRun(ValueTerms):
    """An interpreter run that records in a value graph what torch computes and which effects happen."""

    def __init__(
        self, program: Program, root: FunctionSource, general: bool, outer: GraphRun | None = None
    ) -> None:
        classes = objects.Classes(program.prefilter.classes, self) if outer is None else outer.graph.classes
        super().__init__(program, Graph(program.names, root, classes), general)
        self.graph.runner = self
        #: whether the run executes an `__init__`, to learn the attributes that it assigns
        self.initialises = outer is not None
        if outer is not None:
            self.graph.terms = outer.graph.terms
        self.depth = _DEPTH if outer is None else _BUILDERS
        more = graph_steps.GENERAL if general else {}
        self.handlers = {**HANDLERS, **graph_steps.NOTED, **more}
        if general:
            new_run(program, root.module, self)

    def follow(self, source: FunctionSource, obj: Instance | None) -> None:
        """Runs a function with unknown parameters on `obj`. Raises Spent, Unfollowed."""
        self.entering.deep, self.entering.body_of, self.receiver = EVERYTHING, source, obj
        self.budget.soft_limit = self.budget.end = _BUDGET
        function = FunctionValue(source)
        args: dict[str, Value] = {}
        for number, parameter in enumerate((*source.parameters, *source.node.args.kwonlyargs)):
            if number == 0 and obj is not None:
                args[parameter.arg] = obj
                function.cls = obj.cls
                self.root.outside.add(obj)
            else:
                args[parameter.arg] = self.value_of(self.graph.parameter(source, parameter.arg))
        terms = self.graph.terms
        before = terms.function, terms.activation, terms.copy
        try:
            self.enter(function, [], args, source.node, exact=False, force=True)
        except (OutOfBudget, RecursionError):
            self.found.cut = NESTED
            raise Spent from None
        finally:
            terms.function, terms.activation, terms.copy = before

    def constant(self, module: Module, node: ast.expr) -> Term:
        return self.term(names.evaluate_in(self, module, node))

    def built(self, cls: ClassSource) -> dict[str, Term]:
        init = self.graph.classes.method(cls, "__init__")
        if init is None or (self.initialises and self.frame.depth > self.depth):
            return {}
        run = GraphRun(self.program, init, general=True, outer=self)
        obj = Instance(_class_value(run, cls))
        try:
            run.follow(init, obj)
        except (Spent, Unfollowed):
            return {}
        held: dict[str, Term] = {}
        for key in obj.keys:
            value = run.state.get((obj, key))
            if isinstance(key, str) and value is not None:
                made = run.term(value)
                held[key] = self.graph.terms("buffer", made) if key in obj.buffers else made
        return held

    # Overridden operations of the interpreter

    def member(self, owner: Value, key: object) -> Value:
        value = super().member(owner, key)
        if isinstance(key, int) and self.is_noted(owner) and not self.is_noted(value):
            self.note(value, self.graph.element(self.term(owner), key, None, None))
        return value

    def attribute(self, obj: Value, name: str, at: ast.AST) -> Value:
        if (self.general and self.is_term(obj)) or (
            name in _OF_TENSORS and self.is_noted(obj) and isinstance(obj, (Tensor, Unknown))
        ):
            return self.value_of(self.current(objects.attribute(self.stand(), self.term(obj), name, at)))
        if self.initialises and obj is self.receiver and name == "register_buffer":
            return Native(self._register_buffer)
        value = super().attribute(obj, name, at)
        if self.general:
            return self._held(obj, name, value, at)
        if isinstance(value, (Tensor, Unknown, Scalar)) and not self.is_noted(value):
            graph = self.stand()
            if isinstance(obj, Instance):
                term = graph.terms("attr", self.term(obj), name, at=at)
            else:
                term = objects.attribute(graph, self.term(obj), name, at)
            self.note(value, term)
        return value

    def _register_buffer(
        self, run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
    ) -> Value:
        """Keeps the registered tensor as the attribute's value: a mask is recognised by how it was made."""
        given = [*args, *(kwargs[name] for name in ("name", "tensor") if name in kwargs)]
        if len(given) >= 2 and isinstance(given[0], Constant) and self.receiver is not None:
            self.receiver.buffers.add(str(given[0].value))
            self.put(self.receiver, str(given[0].value), given[1])
        return Constant(None)

    def _held(self, obj: Value, name: str, value: Value, at: ast.AST) -> Value:
        """The value of an attribute in a general run: a symbolic term, except for layers, methods and fresh stores."""
        graph = self.stand()
        plain = isinstance(value, (Tensor, Unknown, Scalar, Constant, Phi))
        if not isinstance(obj, Instance):
            if isinstance(obj, (TorchModule, Sequence_)) and plain:
                return self.value_of(objects.attribute(graph, self.term(obj), name, at))
            if isinstance(value, (Tensor, Unknown, Scalar)) and not self.is_noted(value):
                self.note(value, objects.attribute(graph, self.term(obj), name, at))
            return value
        if self.initialises and obj is self.receiver:
            if isinstance(value, (Tensor, Unknown, Scalar)) and not self.is_noted(value):
                self.note(value, graph.terms("attr", self.term(obj), name, at=at))
            return value
        if name not in obj.keys and not plain:
            return value  # a method, or something else of its class
        term = graph.terms("attr", self.term(obj), name, at=at)
        if name in graph.classes.written and (self.is_noted(value) or isinstance(value, Phi)):
            return value
        if self.current(term) is not term:
            return self.value_of(self.current(term))
        if isinstance(value, TorchModule) or (isinstance(value, Sequence_) and value.kind in OF_MODULES):
            return value if self.is_noted(value) else self.note(value, term)
        if not plain and not isinstance(value, Sequence_):
            made = graph.classes.definition(term)
            if made is not None and made.op in ("symbol", "function", "partial", "class", "instance"):
                return value
        return self.value_of(term)

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
        source = function.source
        if not self.general:
            if source is self.entering.body_of and not self._frames:
                graph = self.stand()
                for name, value in kwargs.items():
                    for atom in self.possible(value):
                        if isinstance(atom, (Tensor, Unknown, Scalar)):
                            self.note(atom, graph.parameter(source, name))
            if not exact:  # unknown which argument binds to which parameter, so the result is opaque
                given = map(self.term, (*args, *kwargs.values()))
                return self.value_of(self.stand().terms.opaque(at, *given))
            return super().enter(function, args, kwargs, at, exact, force, on_yield)
        if not self.entering.active:
            return super().enter(function, args, kwargs, at, exact, force, on_yield)
        if self.entering.decorates:  # of a decorator only the function matters that it returns
            return self._apart(lambda: super(GraphRun, self).enter(function, args, kwargs, at, exact, force))
        if not exact or not self.follows(function):
            return self._unfollowed(function, args, kwargs, at, exact)
        graph = self.stand()
        outermost = graph.site is None
        if outermost:
            graph.site = at
        if args and args[0] is self.receiver and source.owner is not None:
            graph.own_methods.add(source.name)
        result = super().enter(function, args, kwargs, at, exact, True, on_yield)
        graph = self.stand()
        if outermost:
            graph.site = None
        graph.moment(at, self.term(result))
        return result

    def _apart(self, action: Callable[[], Value]) -> Value:
        """The result of an action, whose moments, sinks and effects are dropped."""
        logs: tuple[list[Any], ...] = (self.graph.moments, self.graph.sinks, self.graph.effects)
        kept = [len(log) for log in logs]
        value = action()
        for log, length in zip(logs, kept):
            del log[length:]
        return value

    def follows(self, function: FunctionValue) -> bool:
        """Whether a general run enters calls of this function."""
        source = function.source
        return (
            self.frame.depth <= self.depth
            and source not in self.entering.active
            and not source.is_generator
            and (objects.is_plain(source) or not function.decorated)
        )

    def _unfollowed(
        self,
        func: Value,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool,
    ) -> Value:
        given = [self.term(value) for value in args]
        named = {name: self.term(value) for name, value in kwargs.items()}
        graph = self.stand()
        loose = [] if exact else given
        return self.value_of(
            calls.unfollowed(graph, self.term(func), given if exact else None, named, loose, at)
        )

    def call(
        self,
        func: Value,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool = True,
    ) -> Value:
        if not self.general or at is self.calling:
            return self._call(func, args, kwargs, at, exact)
        terms = self.graph.terms
        # No call of the source, and perhaps one of several there: `map` calls its function for each element.
        outer, terms.copy = terms.copy, -self.uid()
        result = self._call(func, args, kwargs, at, exact)
        terms.copy = outer
        return result

    def _call(
        self, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
    ) -> Value:
        if isinstance(func, Phi):
            return super().call(func, args, kwargs, at, exact)
        inner, given, named = func, args, kwargs
        while isinstance(inner, Bound):
            given, named, inner = [*inner.args, *given], {**inner.kwargs, **named}, inner.func
        if isinstance(inner, Symbol) and calls.is_maker(inner.dotted) and not _spreads(at):
            exact = True  # in `torch.ones(n, **factory)` the spread holds only device and dtype
        if self.general and isinstance(inner, TorchModule) and inner.many and self._is_nameless(inner):
            # It stands for any of several layers: each call may be of another.
            terms = map(self.term, (inner, *given, *named.values()))
            return self.value_of(self.graph.terms.opaque(None, *terms))
        if isinstance(inner, OpValue) and given:
            name = inner.op.name.rpartition(".")[2]
            graph = self.stand()
            called = graph.terms("member", self.term(given[0]), name, at=at)
            return self._computed(called, given[1:], named, at, exact)
        if (
            isinstance(inner, (TorchModule, Unknown))
            or (isinstance(inner, Symbol) and self._is_computed(inner.dotted))
            or (self.general and (self._is_layer(inner) or self.is_term(inner)))
        ):
            return self._computed(self.term(inner), given, named, at, exact)
        if self.general and isinstance(inner, Native) and _fills(at):
            graph = self.stand()
            for value in (*args, *kwargs.values()):
                graph.sink(at, "call", self.term(value))
        result = super().call(func, args, kwargs, at, exact)
        graph = self.stand()
        if isinstance(inner, Symbol) and calls.is_class(inner.dotted):
            operands = [*map(self.term, (*args, *kwargs.values()))]
            return self.note(
                result, graph.terms("new", inner.dotted, tuple(kwargs), len(args), *operands, at=at)
            )
        if isinstance(result, (Tensor, Unknown, Scalar)) and not self.is_noted(result):
            if self.general and isinstance(inner, Symbol) and exact:
                operands = [*map(self.term, given)]
                options = {name: self.term(value) for name, value in named.items()}
                return self.note(result, calls.call(graph, self.term(inner), operands, options, [], at))
            if isinstance(result, (Tensor, Unknown)):
                self.note(result, graph.terms.opaque(at, *map(self.term, (*args, *kwargs.values()))))
        return result

    def _is_nameless(self, layer: TorchModule) -> bool:
        """Whether a layer is neither an attribute nor made by this function, as an element of a list."""
        term = self.term(layer)
        return term.op == "new" and term.at is None

    def _is_layer(self, value: Value) -> bool:
        """Whether a value is an nn.Sequential that an object holds and that contains torch's layers only."""
        if not (isinstance(value, Sequence_) and value.kind == "Sequential" and self.is_noted(value)):
            return False
        elements = containers.items(self, value)
        return elements is not None and all(isinstance(one, TorchModule) for one in elements)

    def _is_computed(self, dotted: str) -> bool:
        """Whether the result of a library function becomes a term, instead of a value that the interpreter models."""
        space = dotted.partition(".")[0]
        if space not in _FOREIGN:
            if not self.general:
                return False
            return dotted not in _PLAYED if space == "builtins" else space not in _LIBRARIES
        return bool(
            ops.of_function(dotted)[0]
            or dotted.rpartition(".")[2] == "einsum"
            or dotted.startswith(("einops.", "math."))
            or table.function(dotted) is not None
        )

    def _computed(
        self, func: Term, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, exact: bool
    ) -> Value:
        """The value of a call that becomes a term: of torch, or of unknown code."""
        graph = self.stand()
        given = [self.term(value) for value in args]
        named = {name: self.term(value) for name, value in kwargs.items()}
        term = calls.call(graph, func, given if exact else None, named, [] if exact else given, at)
        if term.op in _DRAWN and self.frame.function is None:
            # A random tensor at the top level stands for input data; its sizes are arbitrary.
            return self.value_of(graph.terms("param", "data", id(at), at=at))
        return self.value_of(term)


def _spreads(call: ast.AST) -> bool:
    """Whether a call has a `*args` argument."""
    return any(isinstance(one, ast.Starred) for one in getattr(call, "args", ()))


def _fills(call: ast.AST) -> bool:
    """Whether a call adds to a list, set or dict, judging by the method's name."""
    return getattr(getattr(call, "func", None), "attr", "") in _FILLS


_FILLS = frozenset("append appendleft extend insert add update setdefault".split())
#: Builtins that the interpreter models; they have no effects besides those that it follows.
_PLAYED = frozenset(
    f"builtins.{name}"
    for name in (
        "range enumerate zip map filter list tuple dict set frozenset len isinstance getattr hasattr int float bool "
        "str min max abs round sum sorted reversed iter next super type any all slice callable object property "
        "staticmethod classmethod repr id pow divmod"
    ).split()
)
#: Modules of the standard library that the interpreter models in part.
_LIBRARIES = frozenset("functools itertools operator collections contextlib copy dataclasses typing".split())
