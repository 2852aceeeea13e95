"""Computes the summaries of a program's functions on demand, and caches them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..resolve.classes import Classes
from ..resolve.names import Names
from ..syntax.annotations import SCALARS, annotated
from ..syntax.module import Module
from ..torchmodel.declared import Declared
from ..torchmodel.spelling import TENSOR_TYPES
from . import (
    assignments,
    attributes,
    bindings,
    calls,
    construct,
    driver_synthesis,
    functions,
    grad_mode,
    initializers,
    statements,  # noqa: F401  says what runs each kind of statement
)
from .atoms import NOTHING, UNKNOWN, Box, Cell, Class, Function, Object, Store, cells, fresh, united
from .cached_answers import CachedAnswers
from .constructor_arguments import ConstructorArguments
from .flow import Flow
from .source_words import Pattern, called, runs_backward
from .summary import Summary
from .text_screen import with_candidates

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from ..syntax.argument_uses import ArgumentUses
    from ..syntax.files import Files
    from ..syntax.module import ClassSource, FunctionSource
    from .arguments import Call, Later
    from .assignments import Assignments
    from .atoms import Atoms
    from .construct import Scope
    from .driver_synthesis import Driver
    from .expressions import Scope as Expressions

_EMPTY = Summary()
#: The summary of a function too many calls deep: an unknown result.
_UNKNOWN = Summary()
_UNKNOWN.returns = fresh()
_TRAINS = Pattern(rb"autograd\.(?:grad|backward)\b|autograd[ \t]+import")
#: Limits: calls followed while objects are built; nested closures.
_DEPTH = 5
_CLOSURES = 3
#: After this many calls that neither saved nor wrote, a closure is not entered again in the same function.
_INERT = 6
#: Limit of the recursion through callees' summaries.
_NESTED = 40


class Prefilter:
    """The summaries of a program's functions, and the caches that the modules of the prefilter share."""

    #: evaluates `func(…)`
    call = staticmethod(calls.call)
    #: evaluates a call expression
    call_of = staticmethod(calls.of_node)
    #: evaluates `value.name`
    attribute = staticmethod(attributes.attribute)

    def __init__(self, files: Files) -> None:
        self.files = files
        self.declared = Declared(files)
        self.names = Names(files, self.declared)
        self.classes = Classes(self.names)
        #: whether notes on in-place ops that save no memory are wanted
        self.notes = False
        self.globals: dict[tuple[Module, str], Atoms] = {}
        self.builders: dict[ClassSource, frozenset[str]] = {}
        self._summaries: dict[FunctionSource, Summary] = {}
        self._assigned: dict[FunctionSource, Assignments] = {}
        #: the methods of a class and its bases, by name
        self.methods: dict[ClassSource, dict[str, FunctionSource]] = {}
        self._inlined: list[FunctionSource] = []
        self._building: list[FunctionSource] = []
        self._trains: dict[Module, bool] = {}
        self._arms = 0
        self._candidates: dict[Module, dict[FunctionSource, None]] = {}
        #: depth of nested summaries
        self._depth = 0
        self._asked: dict[FunctionSource, ArgumentUses] = {}
        self._keepers: dict[FunctionSource, bool] = {}
        self.earlier = CachedAnswers(files)
        self._drivers: dict[Module, list[Driver]] = {}
        self._given: dict[Module, ConstructorArguments] = {}

    def renewed(self, files: Files) -> Prefilter:
        """A prefilter for the next files, with all that is known of the files in `files.lasting`."""
        found = Prefilter(files)
        found.notes, found._arms = self.notes, self._arms

        def lasts(of: Module | ClassSource | FunctionSource) -> bool:
            module = of if isinstance(of, Module) else of.module
            return module.filename in files.lasting and files.holds(module)

        found._candidates = {key: value for key, value in self._candidates.items() if lasts(key)}
        found._trains = {key: value for key, value in self._trains.items() if lasts(key)}
        found._summaries = {key: value for key, value in self._summaries.items() if lasts(key)}
        found._assigned = {key: value for key, value in self._assigned.items() if lasts(key)}
        found._asked = {key: value for key, value in self._asked.items() if lasts(key)}
        found._keepers = {key: value for key, value in self._keepers.items() if lasts(key)}
        found.earlier.known = {key: value for key, value in self.earlier.known.items() if lasts(key[1])}
        found.globals = {key: value for key, value in self.globals.items() if lasts(key[0])}
        found.classes.orders = {key: value for key, value in self.classes.orders.items() if lasts(key)}
        found.builders = {key: value for key, value in self.builders.items() if lasts(key)}
        found.methods = {key: value for key, value in self.methods.items() if lasts(key)}
        return found

    def tokens(self, count: int) -> range:
        """New tokens for the arms of a branch."""
        self._arms += count
        return range(self._arms - count, self._arms)

    def trains(self, module: Module) -> bool:
        """Whether a file's text runs a backward or steps an optimizer."""
        known = self._trains.get(module)
        if known is None:
            text = module.source
            known = runs_backward(module) or ("step" in called(module) and b".step(" in text)
            known = known or (b"autograd" in text and _TRAINS().search(text) is not None)
            self._trains[module] = known
        return known

    def drivers(self, module: Module) -> list[Driver]:
        """The drivers for a file that does not call its own training; empty if none is known."""
        known = self._drivers.get(module)
        if known is None:
            known = self._drivers[module] = (
                driver_synthesis.drivers_of(self, module) if module.classes else []
            )
        return known

    def given(self, init: FunctionSource, name: str) -> list[ast.expr]:
        """What the file passes to a constructor for a parameter that methods of its class call: `block(…)`."""
        module, owner = init.module, init.owner
        if init.name != "__init__" or owner is None or name.encode() + b"(" not in owner.text:
            return []
        if module not in self._given:
            self._given[module] = ConstructorArguments(module)
        return self._given[module].choices(init, name)

    def of(self, source: FunctionSource) -> Summary:
        """The summary of a function, for unknown arguments."""
        known = self._summaries.get(source)
        if known is None:
            if self._depth >= _NESTED:
                return _UNKNOWN
            self._summaries[source] = _EMPTY  # for recursive calls, which add nothing
            self._depth += 1
            known = self._summaries[source] = self._told(source, self._summarise(source))
            self._depth -= 1
        return known

    def _told(self, source: FunctionSource, seen: Summary) -> Summary:
        """The summary for callers: that of the body, or the one that is declared."""
        said = self.declared.said(source)
        if said is None:
            return seen
        from .declared import told

        return told(said, seen)

    def _summarise(self, source: FunctionSource) -> Summary:
        flow = Flow(self, source.module, source)
        flow.trained = self.trains(source.module) or (
            source.owner is not None and construct.is_module(flow, source.owner)
        )
        arguments: dict[str, Atoms] = {}
        if source.owner is not None and source.parameters:
            how = source.descriptor
            if how != "staticmethod":
                name = source.parameters[0].arg
                receiver = Class(source.owner) if how == "classmethod" else Object(source.owner, given=name)
                arguments[name] = (receiver,)
        try:
            self._enter(flow, source, arguments)
        except RecursionError:
            flow.summary.suspicious = True
        flow.conclude()
        if not flow.summary.suspicious and self._changes_its_caller(flow, source):
            flow.summary.suspicious = True
        return flow.summary

    def _changes_its_caller(self, flow: Flow, source: FunctionSource) -> bool:
        """Whether the function writes an argument that it also returns, although its name does not end in `_`."""
        if source.name.endswith("_") and not self.notes:
            return False
        given = {p.arg for p in (*source.parameters, *source.node.args.kwonlyargs)}
        if self.notes:
            return any(name in given for name in flow.summary.writes)
        return any(
            cell.store.direct and cell.store.given in given and flow.is_tensor(cell.store)
            for value in flow.returned
            for cell in cells(value)
        )

    def of_body(self, module: Module) -> Summary:
        """The summary of the statements at a file's top level."""
        flow = Flow(self, module)
        flow.trained = self.trains(module)
        try:
            flow.run(module.tree.body)
        except RecursionError:
            flow.summary.suspicious = True
        flow.conclude()
        return flow.summary

    def _enter(self, flow: Flow, source: FunctionSource, arguments: dict[str, Atoms]) -> None:
        node = source.node
        for parameter in (*source.parameters, *node.args.kwonlyargs):
            value = arguments.get(parameter.arg)
            if value is None:
                value = _argument(flow, source, parameter)
            flow.names[parameter.arg] = value
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                given = arguments.get(extra.arg)
                flow.names[extra.arg] = given or (Box([_given(extra.arg)], ordered=False),)
        for decorator in getattr(node, "decorator_list", ()):
            mode = grad_mode.grad_mode(flow, decorator)
            if mode is not None:
                flow.recording = mode
        if source.owner is not None and any(
            isinstance(base, str) and base.endswith("autograd.Function")
            for base in construct.classes_of(flow, source.owner)
        ):
            flow.recording = False
        if isinstance(node, ast.Lambda):
            flow.give(flow.value(node.body))
        else:
            flow.run(node.body)

    def inline(self, function: Function, made: Call) -> Atoms:
        """Calls a function by interpreting its body in place, with the enclosing names of a closure."""
        caller = made.scope
        if function.source in self._inlined or not isinstance(caller, Flow):
            return (Cell(Store()),)
        if len(self._inlined) >= _CLOSURES:
            caller.summary.suspicious = True  # the exact run goes deeper
            return (Cell(Store()),)
        inert = caller.inert
        if inert.get(function.source, 0) >= _INERT:
            return (Cell(Store()), *made.given())
        self._inlined.append(function.source)
        flow = Flow(self, function.source.module, function.source, caller.depth + 1)
        flow.outer = function.names or []
        flow.recording, flow.loops = caller.recording, caller.loops
        flow.trained, flow.arms, flow.without = caller.trained, caller.arms, caller.without
        flow.doubts, flow.inert = caller.doubts, inert
        self._enter(flow, function.source, functions.bind(function.source, made))
        self._inlined.pop()
        caller.summary.suspicious = caller.summary.suspicious or flow.summary.suspicious
        caller.summary.saves |= flow.summary.saves
        caller.summary.writes |= flow.summary.writes
        caller.summary.recorded |= flow.summary.recorded
        caller.summary.kept += flow.summary.kept
        caller.summary.fills += flow.summary.fills
        caller.written_parts += flow.written_parts
        caller.stored += flow.stored
        caller.remembers = caller.remembers or flow.remembers
        if not (flow.stored or flow.remembers):
            inert[function.source] = inert.get(function.source, 0) + 1
        return united(flow.returned)

    def builds(self, function: Function, made: Call) -> Atoms:
        """The result of a call while attributes of objects are evaluated."""
        depth = made.scope.depth + 1
        if depth > _DEPTH or function.source in self._building:
            return UNKNOWN
        arguments = functions.bind(function.source, made)
        scope = construct.Scope(self, function.source.module, function.source, arguments, depth)
        scope.outer = function.names or []
        self._building.append(function.source)
        returned = self._returned(scope)
        self._building.pop()
        return returned

    def _returned(self, scope: Scope) -> Atoms:
        assert scope.source is not None
        node = scope.source.node
        if isinstance(node, ast.Lambda):
            return scope.value(node.body)
        assert scope.assigned is not None
        return united([scope.value(value) for value in scope.assigned.returns])

    def assigned(self, source: FunctionSource) -> Assignments:
        """The index of a function's assignments."""
        known = self._assigned.get(source)
        if known is None:
            node = source.node
            receiver = source.parameters[0].arg if source.owner is not None and source.parameters else ""
            body: list[ast.stmt] = [] if isinstance(node, ast.Lambda) else node.body
            known = self._assigned[source] = assignments.Assignments(body, receiver)
        return known

    def knows_assigned(self, source: FunctionSource) -> bool:
        """Whether that index is cached already."""
        return source in self._assigned

    def scope_of(
        self, obj: Object, method: FunctionSource, arguments: Mapping[str, Atoms | Later], depth: int
    ) -> Scope:
        """The scope of a method that builds an object, created once per object."""
        key = f"@{method.owner.name if method.owner else ''}.{method.name}"
        known = obj.scopes.get(key)
        if known is None:
            scope = construct.Scope(self, method.module, method, arguments, depth)
            if method.parameters:
                scope.names[method.parameters[0].arg] = (obj,)
            known = obj.scopes[key] = scope
        return known  # type: ignore[return-value]  # `Object` knows no `Scope`

    def top_of(self, module: Module) -> Scope:
        """The scope of a file's top level."""
        return construct.Scope(self, module)

    def contents(self, scope: Expressions, obj: Object) -> Atoms:
        """What indexing or iterating an object gives: its `__iter__`, or the modules in it."""
        return construct.contents(scope, obj)

    def may_write(self, source: FunctionSource) -> bool:
        """Whether a call of the function may write an argument, or the object of a method."""
        source = source.origin or source
        known = self.earlier.answer("writes", source, self.notes)
        if known is None:
            known = self._keeps(source) or source in self.candidates(source.module) or self._changes(source)
        return known

    def writes_tensor(self, source: FunctionSource) -> bool:
        """Whether a call of the function may write an argument known to be a tensor, or step an optimizer."""
        known = self.earlier.answer("tensors", source, self.notes)
        if known is not None:
            return known
        return self.may_write(source) and bool(self.of(source).tensors or self.of(source).steps)

    def builds_in_place(self, source: FunctionSource) -> bool:
        """Whether a function returns a module that may write its input."""
        if source.owner is not None or b"return" not in source.text:
            return False
        known = self.earlier.answer("builds", source, self.notes)
        return functions.builds_in_place(self, self.of(source).returns) if known is None else known

    def is_suspicious(self, source: FunctionSource) -> bool:
        """Whether an exact run of the function itself may find an error."""
        known = self.earlier.answer("suspicious", source, self.notes)
        return self.of(source).suspicious if known is None else known

    def settle(self) -> None:
        """Answers the open questions and stores the answers for later runs, once a file is done."""
        ways = {
            "writes": self.may_write,
            "tensors": self.writes_tensor,
            "suspicious": self.is_suspicious,
            "builds": self.builds_in_place,
        }
        for question, source in self.earlier.open_questions():
            if self.files.holds(source.module):
                self.earlier.keep(question, source, self.notes, ways[question](source))

    def asked(self, source: FunctionSource) -> ArgumentUses:
        """The uses of a function's arguments."""
        known = self._asked.get(source)
        if known is None:
            from ..syntax.argument_uses import ArgumentUses

            known = self._asked[source] = ArgumentUses(source)
        return known

    def _changes(self, source: FunctionSource) -> bool:
        summary = self.of(source)
        return bool(summary.writes) or summary.weak or summary.steps

    def candidates(self, module: Module) -> dict[FunctionSource, None]:
        """The functions of a file whose text shows a possible write."""
        known = self._candidates.get(module)
        if known is None:
            if b"_(" in module.source:
                initializers.of_project(self, module)
            self.declared.mark(module)
            known = self._candidates[module] = with_candidates(module)
            known.update(dict.fromkeys(self.declared.writers(module)))
        return known

    def passes_over(self, source: FunctionSource) -> bool:
        """Whether the function is summarised only on demand, since no error can be in it alone."""
        return not self.notes and grad_mode.concerns_nobody(self, source)

    def _keeps(self, source: FunctionSource) -> bool:
        """Whether the function may assign to an attribute of an argument."""
        known = self._keepers.get(source)
        if known is None:
            known = False
            if source.name != "__init__":
                given = {p.arg for p in (*source.parameters, *source.node.args.kwonlyargs)}
                known = not given.isdisjoint(source.module.kept_in(source))
            self._keepers[source] = known
        return known


def _argument(flow: Flow, source: FunctionSource, parameter: ast.arg) -> Atoms:
    """The unknown argument of a parameter, as far as its annotation and default describe it."""
    name = annotated(parameter.annotation)
    if name in SCALARS:
        return NOTHING
    default = source.default_of(parameter)
    if isinstance(default, ast.Constant):
        if isinstance(default.value, (bool, int, float, str)):
            return NOTHING
    elif default is not None:
        value = flow.prefilter.top_of(source.module).value(default)
        if value and not any(isinstance(atom, (Cell, Box)) for atom in value):
            return value
    kind = TENSOR_TYPES.get(name)
    module = _module(flow, source, parameter.arg, name) if name and kind is None else NOTHING
    return module or _given(parameter.arg, kind)


def _module(flow: Flow, source: FunctionSource, parameter: str, name: str) -> Atoms:
    """The argument of a parameter annotated with a project module, if the function uses more than its methods."""
    names = flow.prefilter.asked(source).called(parameter)
    if not names:
        return NOTHING
    found = bindings.of_module(flow.prefilter, source.module, name)
    if len(found) != 1 or not isinstance(found[0], Class) or not construct.is_module(flow, found[0].source):
        return NOTHING
    cls = found[0].source
    if all(construct.find_method(flow, cls, name) is not None for name in names):
        return NOTHING
    flow.trained = True
    return (Object(cls, given=parameter),)


def _given(name: str, kind: str | None = None) -> Atoms:
    """An argument; `kind` is the element type of a tensor annotation: only floating point can require grad."""
    store = Store(not kind, given=name, tensor=kind is not None)
    if kind is None:
        store.sources = ()
    return (Cell(store),)
