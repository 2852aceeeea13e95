"""Finds the top-level statements that fill an object which a file makes once, such as a registry.

`MODELS = Registry()` and `ACTIVATIONS = {}` are filled by decorators, calls and loops at the top level of their file
and of others. Python has run these before it calls any function that looks something up there.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..project.package_files import folders_around
from ..resolve.classes import heirs
from ..syntax.module import ClassSource, FunctionSource, Module
from ..syntax.nodes import inner_bodies, walk
from .mentioning_files import mentioning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from .prefilter import Prefilter

    #: a statement at the top level of a file
    Registration: TypeAlias = "tuple[Module, ast.stmt]"
    #: statements, each with the names that one of its expressions begins with: `a.b` and `a` of `a.b.add(…)`
    Index: TypeAlias = "list[tuple[ast.stmt, list[ast.expr]]]"

#: Limits: files that are parsed for one object, statements that fill it.
_FILES = 100
_STATEMENTS = 300
#: Methods that add elements to a list, a set or a dict.
FILLS = frozenset("append appendleft extend insert add update setdefault".split())


class Registrations:
    """What fills the objects that files of a program make at their top level."""

    def __init__(self, prefilter: Prefilter) -> None:
        self._prefilter = prefilter
        self._indices: dict[Module, Index] = {}
        self._known: dict[tuple[Module, str, bool], list[Registration] | None] = {}
        self._filled: dict[tuple[Module, str], bool] = {}

    def of(self, module: Module, name: str, from_anywhere: bool) -> list[Registration] | None:
        """The statements that fill what a file binds to a name, its own first; None if they are too many.

        Without `from_anywhere` those of other files are not looked for.
        """
        key = (module, name, from_anywhere)
        if key not in self._known:
            self._known[key] = self._find(module, name, from_anywhere)
        return self._known[key]

    def is_filled_by_functions(self, module: Module, name: str) -> bool:
        """Whether the text of a function of the file puts something into the object of this name."""
        key = (module, name)
        if key not in self._filled:
            self._filled[key] = any(_fills(function, name) for function in module.functions_in_order())
        return self._filled[key]

    def _find(self, module: Module, name: str, from_anywhere: bool) -> list[Registration] | None:
        registrars: dict[str, FunctionSource | ClassSource] = {}
        registrars.update((one.name, one) for one in module.functions.values() if _fills(one, name))
        for cls in module.classes.values():  # each of its subclasses is put into the table
            hook = cls.methods.get("__init_subclass__")
            if hook is not None and _fills(hook, name):
                registrars.update((one.name, one) for one in (cls, *heirs(cls)))
        aliases = [alias for alias, value in module.assignments.items() if _is_name(value, name)]
        others = self._others(module, [name, *aliases, *registrars]) if from_anywhere else []
        if others is None:
            return None
        found: list[Registration] = []
        for file in (module, *others):
            found += self._within(file, module, name, set(registrars.values()))
        return found if len(found) <= _STATEMENTS else None

    def _within(
        self, file: Module, module: Module, name: str, registrars: set[FunctionSource | ClassSource]
    ) -> Iterator[Registration]:
        """The statements of one file, in the order of its text."""
        names = self._prefilter.names
        found: dict[ast.stmt, None] = {}
        for statement, prefixes in self._index(file):
            for prefix in prefixes:
                at = names.bound(file, prefix)
                if at is None:
                    continue
                what = (
                    self._prefilter.classes.order(at.what) if isinstance(at.what, ClassSource) else [at.what]
                )
                if (at.module, at.name) == (module, name) or not registrars.isdisjoint(what):
                    found[statement] = None
        yield from ((file, statement) for statement in found)

    def _index(self, module: Module) -> Index:
        if module not in self._indices:
            index = self._indices[module] = []
            for statement in module.tree.body:
                for node in _touched(statement):
                    prefixes = _prefixes(node)
                    if prefixes:
                        index.append((statement, prefixes))
        return self._indices[module]

    def _others(self, module: Module, wanted: list[str]) -> list[Module] | None:
        """The other files of the project whose top level may use one of these names; None if they cannot be told."""
        files = self._prefilter.files
        names = b"|".join(re.escape(one.encode()) for one in wanted)
        begins = rb"^@?(?:\w+\.)*(?:%s)\b\s*[.(\[\n]|^class\s[^:]*\b(?:%s)\b|^@?[\w.]+\([^\n]*\b(?:%s)\b" % (
            names,
            names,
            names,
        )
        folders = folders_around(module.filename, files.project.root)
        if not folders:
            return []
        found = mentioning(files, module, wanted, folders[-1], _FILES, begins)
        return None if found is None else [one for one in found if one is not module]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _prefixes(node: ast.expr) -> list[ast.expr]:
    """The dotted names that an expression begins with, the whole first: `a.b` and `a` of `a.b(…)[0].c`."""
    found: list[ast.expr] = []
    while True:
        if isinstance(node, ast.Attribute):
            found.append(node)
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Name):
            return [*found, node]
        else:
            return []


def _touched(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, those in inner blocks too, whose object it may fill."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for decorator in statement.decorator_list:
            yield decorator
            yield from _given(decorator)
        if isinstance(statement, ast.ClassDef):
            yield from statement.bases
    elif isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Call):
            yield statement.value.func
        yield from _given(statement.value)
    elif isinstance(statement, ast.Assign):
        yield from (one for one in statement.targets if isinstance(one, (ast.Subscript, ast.Attribute)))
    elif isinstance(statement, ast.AugAssign):
        yield statement.target
    elif _is_about_tables(statement):
        for body in inner_bodies(statement):
            for inner in body:
                yield from _touched(inner)


def _given(node: ast.expr) -> Iterator[ast.expr]:
    """The arguments of a call, and of the call that makes its callee: `register(ACTIVATIONS, "relu")(nn.ReLU)`."""
    while isinstance(node, ast.Call):
        yield from node.args
        node = node.func


def _is_about_tables(statement: ast.stmt) -> bool:
    """Whether a compound statement may fill tables: not what only a script runs, and no loop over data or steps."""
    if isinstance(statement, ast.If):
        return not any(
            _is_name(node, "__name__") for node in walk(statement.test) if isinstance(node, ast.expr)
        )
    if isinstance(statement, ast.For):
        made_by = statement.iter.func if isinstance(statement.iter, ast.Call) else None
        return made_by is None or getattr(made_by, "attr", "") in ("items", "keys", "values")
    return isinstance(statement, ast.Try)


def _fills(function: FunctionSource, name: str) -> bool:
    """Whether the text of a function stores an item of the object of this name, or calls a method that adds to it."""
    if not function.mentions(name.encode()):
        return False
    for node in walk(function.node):
        place: ast.expr | None = None
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            place = node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILLS:
            place = node.func.value
        begins = [] if place is None else _prefixes(place)
        if begins and _is_name(begins[-1], name):
            return True
    return False
