"""What names and attributes mean: modules, imports, classes of the project, what `__init__` set on an object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..syntax.lower import lower_expression
from ..syntax.module import ClassSource, FunctionSource, Module
from ..syntax.nodes import inner_bodies
from .frames import Frame
from .terms import Term, is_const, items

if TYPE_CHECKING:
    import ast
    from typing import Any

    from ..resolve.classes import Classes as Hierarchy
    from ..resolve.names import Definition
    from .evaluate import Evaluation

#: How many calls deep it is followed what `__init__` builds.
_BUILDERS = 1


class Classes:
    """The classes that an evaluation meets, and what their `__init__` leaves on an object."""

    def __init__(self, evaluation: Evaluation, hierarchy: Hierarchy) -> None:
        self.evaluation, self.hierarchy = evaluation, hierarchy
        #: the call in which a function or lambda was made: it reads the names as they stand when it runs
        self.closures: dict[Term, Frame] = {}
        #: attributes that the evaluated functions assign
        self.written: set[str] = set()
        self._attributes: dict[ClassSource, dict[str, list[Term]]] = {}
        #: what `__init__` gives a value besides None and numbers
        self._first: dict[ClassSource, set[str]] = {}
        self._running: set[ClassSource] = set()

    def instance(self, source: ClassSource) -> Term:
        return self.evaluation.terms("instance", source)

    def order(self, source: ClassSource) -> list[ClassSource]:
        """The class and its bases of the project, nearest first."""
        return [one for one in self.hierarchy.order(source) if not isinstance(one, str)]

    def is_module(self, source: ClassSource) -> bool:
        return self.hierarchy.is_module(source)

    def method(self, source: ClassSource, name: str) -> FunctionSource | None:
        return self.hierarchy.method(source, name)

    def definitions(self, term: Term) -> list[Term]:
        """What an attribute `obj.name` may hold: the values that `__init__` gives it; empty if unknown."""
        obj, name = term.args
        if obj.op != "instance" or name in self.written:
            return []
        for cls in self.order(obj.args[0]):
            held = self._of(cls)
            if name in held:
                return held[name]
            value = cls.assignments.get(name)
            if value is not None:
                return [evaluate_at(self.evaluation, cls.module, value)]
        return []

    def is_passed(self, term: Term) -> bool:
        """Whether an attribute holds what a method besides `__init__` puts there: one method hands it to another."""
        obj, name = term.args
        if obj.op != "instance":
            return False
        classes = self.order(obj.args[0])
        if any(name in self._first[cls] for cls in classes if self._of(cls) is not None):
            return False  # a memory of a fixed size, which is written
        return name in self.written or any(name in _assigned_later(cls) for cls in classes)

    def definition(self, term: Term) -> Term | None:
        """The one value of an attribute, or None."""
        found = self.definitions(term)
        return found[0] if len(found) == 1 else None

    def _of(self, cls: ClassSource) -> dict[str, list[Term]]:
        held = self._attributes.get(cls)
        if held is not None:
            return held
        held = self._attributes[cls] = {}
        self._first[cls] = set()
        init = cls.methods.get("__init__")
        if init is None or cls in self._running:
            return held
        self._running.add(cls)
        written = set(self.written)
        try:
            held.update(self.evaluation.attributes_from(init, cls, _BUILDERS))
        finally:
            self._running.discard(cls)
            self.written = written
        self._first[cls] = {name for name, some in held.items() if not all(map(is_const, some))}
        for one in self.order(cls):
            for name in _assigned_later(one):
                held.pop(name, None)
        return held


class Attributes:
    """Listens to the attributes that `__init__` sets on its object."""

    def __init__(self, obj: Term) -> None:
        self.obj = obj
        self.held: dict[str, list[Term]] = {}

    def set(self, name: str, value: Term, conditional: bool) -> None:
        known = self.held.get(name)
        if known is None or not conditional:
            self.held[name] = [value]
        elif value not in known:
            known.append(value)


def _assigned_later(cls: ClassSource) -> set[str]:
    """Attributes that other methods than `__init__` assign: what they hold is not told by that one."""
    if cls.assigned_later is None:
        cls.assigned_later = set()
        for method in cls.methods.values():
            if method.name != "__init__":
                cls.assigned_later |= assigned(method)
    return cls.assigned_later


def assigned(method: FunctionSource) -> set[str]:
    """Attributes of its object that a method assigns, or assigns something of (`self.drop.p = …`)."""
    if not method.parameters:
        return set()
    receiver = method.parameters[0].arg
    found: set[str] = set()
    pending: list[ast.stmt] = list(getattr(method.node, "body", ()))
    while pending:
        statement = pending.pop()
        targets: list[Any] = [*getattr(statement, "targets", ()), getattr(statement, "target", None)]
        targets += [item.optional_vars for item in getattr(statement, "items", ())]
        while targets:
            target = targets.pop()
            targets += getattr(target, "elts", ())
            while hasattr(target, "value"):  # an attribute, an element, the rest of what is unpacked
                if getattr(target.value, "id", "") == receiver and hasattr(target, "attr"):
                    found.add(target.attr)
                target = target.value
        for inner in inner_bodies(statement):
            pending += inner
    if b"setattr(" in method.text:
        found.update(name.decode() for name in re.findall(rb"['\"](\w+)['\"]", method.text))
    return found


def is_plain(source: FunctionSource) -> bool:
    """Whether a call of the function runs its body: decorated ones may do anything else."""
    decorators = getattr(source.node, "decorator_list", ())
    return all(
        getattr(d, "id", getattr(d, "attr", "")) in ("staticmethod", "classmethod", "ignore")
        for d in decorators
    )


def load(evaluation: Evaluation, name: str) -> Term:
    """The value of a name where the evaluation stands."""
    frame = evaluation.frame
    term = frame.names.get(name)
    if term is not None and not frame.unstable:
        return term
    scope: Frame | None = frame
    while scope is not None:
        if name in scope.unstable:
            return evaluation.terms.opaque(None)
        if name in scope.names:
            return scope.names[name]
        if scope.function is not None and name in scope.function.stored:
            return evaluation.terms.opaque(None)
        scope = scope.enclosing
    return of_module(evaluation, frame.module, name)


def of_module(evaluation: Evaluation, module: Module, name: str) -> Term:
    """What the top level of a file binds to a name."""
    key = (module, name)
    known = evaluation.globals.get(key)
    if known is None:
        evaluation.globals[key] = evaluation.terms("global", module.filename, name)  # ends circles
        found = evaluation.names.definition(module, name)
        known = evaluation.globals[key] = _value(evaluation, found, module, name)
    return known


def imported(evaluation: Evaluation, module: Module, name: str, member: str | None, level: int) -> Term:
    """What an import statement binds."""
    found = evaluation.names.imported(module, name, member, level)
    return _value(evaluation, found, module, name if member is None else f"{name}.{member}", False)


def _value(
    evaluation: Evaluation, found: Definition | None, module: Module, name: str, here: bool = True
) -> Term:
    """What was found for a name of a file; with `here` False, for something that is imported there by that name."""
    terms = evaluation.terms
    what = None if found is None else found.what
    if isinstance(what, str):
        return terms("symbol", what)
    if isinstance(what, Module):
        return terms("module", what)
    if found is None or what is None or not found.sure:
        return terms("global", module.filename, name)
    if isinstance(what, FunctionSource):
        return terms("function", what, None, 0)
    if isinstance(what, ClassSource):
        return terms("class", what)
    if here and (found.module, found.name) == (module, name):
        return evaluate_at(evaluation, module, what)
    return of_module(evaluation, found.module, found.name)


def evaluate_at(evaluation: Evaluation, module: Module, node: ast.expr) -> Term:
    """The value of an expression at the top level of a file."""
    instructions, register = lower_expression(node)
    outer = evaluation.frame
    frame = Frame(module, None, outer.depth + 1)
    evaluation.frame = frame
    try:
        evaluation.block(instructions)
        return frame.registers.get(register) or evaluation.terms.opaque(node)
    finally:
        evaluation.frame = outer


def attribute(evaluation: Evaluation, obj: Term, name: str, at: ast.AST) -> Term:
    """The value of `obj.name`."""
    terms = evaluation.terms
    if obj.op == "symbol":
        here = evaluation.frame.module
        return _value(evaluation, evaluation.names.attribute(here, obj.args[0], name), here, name, False)
    if obj.op == "module":
        return of_module(evaluation, obj.args[0], name)
    if obj.op == "instance":
        method = evaluation.classes.method(obj.args[0], name)
        if method is not None:
            if method.descriptor == "property":
                return terms("attr", obj, name, at=at)
            return terms("function", method, None if method.descriptor == "staticmethod" else obj, 0, at=at)
        recorder = evaluation.recorder
        if recorder is not None and obj is recorder.obj and name in recorder.held:
            return recorder.held[name][-1]
        if recorder is not None and obj is recorder.obj and name == "register_buffer":
            return terms("registers", obj)
        return terms("attr", obj, name, at=at)
    if obj.op == "class" and name in obj.args[0].methods:
        method = obj.args[0].methods[name]
        bound = evaluation.classes.instance(obj.args[0]) if method.descriptor == "classmethod" else None
        return terms("function", method, bound, 0, at=at)
    if name == "shape":
        return terms("shape", obj, at=at)
    if name in ("mT", "mH"):
        return terms("mT", obj, at=at)
    if name == "T":
        return terms("t", obj, at=at)
    if name in ("values", "indices") and obj.op == "max":
        return terms("amax", *obj.args, at=at) if name == "values" else terms.opaque(at, obj)
    if obj.op == "tuple" and items(obj) is not None:
        return terms.opaque(at, obj)
    return terms("member", obj, name, at=at)
