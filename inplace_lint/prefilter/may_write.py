"""Finds, by text, the functions of a file through which a call may come to a write: writers, and all that call them.

An over-approximation: it decides which calls an exact run enters, and whose callers in other files are looked at.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.module import ClassSource, FunctionSource, Module
from ..syntax.nodes import is_special, walk
from ..syntax.return_values import returned_calls
from .callers import called_as, callers, computes, users_of_objects
from .source_words import Pattern, called

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from typing import TypeAlias

    from ..resolve.names import Definition
    from .prefilter import Prefilter

    #: functions that a call may enter, told apart only by its object
    Callees: TypeAlias = tuple[FunctionSource, ...]

#: Calls through which a writer is followed to its callers, within one file.
_CALLERS = 6
#: Calls through which what a function returns is followed to the class that it is built of.
_BUILT = 2


class MayWrite:
    """The functions of each file whose call may lead to a write, with what these files import from each other."""

    def __init__(self, prefilter: Prefilter) -> None:
        self._prefilter = prefilter
        self.known: dict[Module, frozenset[FunctionSource]] = {}
        self._imports: dict[Module, dict[FunctionSource, None]] = {}
        self._sole: dict[Module, list[FunctionSource]] = {}
        #: the methods by which a file may know the class of an object that it calls, by file and `forward`
        self._shown: dict[tuple[Module, FunctionSource], set[FunctionSource]] = {}
        self._callers: dict[tuple[Module, Hashable], list[FunctionSource]] = {}
        self._callees: dict[Module, dict[FunctionSource, list[Callees]]] = {}

    def of(self, module: Module) -> frozenset[FunctionSource]:
        """The functions of a file that write, or that may call one that does, here or in another file."""
        if module not in self.known:
            self._solve(module)
        return self.known[module]

    def _solve(self, module: Module) -> None:
        """Solves a file together with all files that it rests on: they may import each other in a circle."""
        order: dict[Module, None] = {}
        pending = [module]
        while pending:
            one = pending.pop()
            if one not in order and one not in self.known:
                order[one] = None
                pending += {function.module: None for function in self.imported(one)}
        found = {one: frozenset(self._prefilter.candidates(one)) for one in order}

        def solved(other: Module) -> frozenset[FunctionSource]:
            return self.known.get(other) or found.get(other, frozenset())

        abroad: dict[Module, set[FunctionSource]] = {}
        pending = [*order][::-1]  # what a file rests on usually comes before it
        while pending:
            for one in pending:
                writers = {f for f in self.imported(one) if f in solved(f.module)}.union(self.sole(one))
                if writers != abroad.get(one):
                    abroad[one] = writers
                    found[one] = _closed(one, found[one], writers)
            pending = [
                one
                for one in order
                if any(
                    f in found[f.module]
                    for f in self.imported(one)
                    if f.module in found and f not in abroad[one]
                )
            ]
        self.known.update(found)

    def imported(self, module: Module) -> dict[FunctionSource, None]:
        """The functions of other project files that a file may call: by name, or as methods of imported classes."""
        known = self._imports.get(module)
        if known is None:
            known = self._imports[module] = {}
            words = {*called(module), "forward"}
            for name, definition in imports(self._prefilter, module, words):
                picked = _picked_by_name(module, name, definition)
                functions = _functions(self._prefilter, definition, words | picked if picked else words)
                known.update(dict.fromkeys(f for f in functions if f.module is not module))
        return known

    def sole(self, module: Module) -> list[FunctionSource]:
        """The methods of other files that a file may call on unknown objects, of those that write by their own text.

        An object that shows its class by a method is known by its others too, and by its `forward`.
        """
        known = self._sole.get(module)
        if known is None:
            known, words = self._sole.setdefault(module, []), {*called(module)}
            for method in self._prefilter.sole_methods.among(module, _asked_of_objects(module)):
                owner = method.owner
                if method.module is module or owner is None:
                    continue
                writers = [
                    f for f in owner.methods.values() if f in self._prefilter.candidates(method.module)
                ]
                forward = owner.methods.get("forward")
                known += [f for f in writers if f.name in words and f is not forward]
                if writers and forward is not None:
                    known.append(forward)
                    self._shown.setdefault((module, forward), set()).add(method)
        return known

    def calls_abroad(self, module: Module) -> list[FunctionSource]:
        """Those of the functions that a file may call in other files which may lead to a write."""
        writers = [function for function in self.imported(module) if function in self.of(function.module)]
        return [*dict.fromkeys((*writers, *self.sole(module)))]

    def callers(self, module: Module, function: FunctionSource) -> list[FunctionSource]:
        """The functions of a file that may call a function, of this file or another."""
        key = (module, (function.module, *called_as(function)))
        if key not in self._callers:
            self._callers[key] = _callers(module, {function, *self.shown_by(module, function)})
        return self._callers[key]

    def shown_by(self, module: Module, forward: FunctionSource) -> set[FunctionSource]:
        """The methods by which a file knows that what it calls is an object with this `forward`."""
        return self._shown.get((module, forward), set())

    def is_called_at_top(self, module: Module, function: FunctionSource) -> bool:
        """Whether the top level of a file may call a function."""
        return any(not module.functions_at(row) for row in callers(module, {function})[1])

    def callees(self, function: FunctionSource) -> list[Callees]:
        """The functions, here and in other files, that a function may call and that may lead to a write.

        Methods that are called in one way, as by one name, stand together.
        """
        module = function.module
        known = self._callees.get(module)
        if known is None:
            alike: dict[Hashable, list[FunctionSource]] = {}
            # In the order of the text: a set has none.
            writers = [f for f in module.functions_in_order() if f in self.of(module)]
            for callee in (*writers, *self.calls_abroad(module)):
                alike.setdefault((callee.module, *called_as(callee)), []).append(callee)
            known = self._callees[module] = {}
            for functions in alike.values():
                together = tuple(functions)
                for caller in self.callers(module, functions[0]):
                    known.setdefault(caller, []).append(together)
        return known.get(function, [])


def _callers(module: Module, functions: set[FunctionSource]) -> list[FunctionSource]:
    """The functions of a file that may call one of these by its name, or through an object that they compute with."""
    found = callers(module, functions)[0]
    found.update((f, None) for f in users_of_objects(module, functions) if computes(f))
    return [*found]


def _closed(
    module: Module, own: frozenset[FunctionSource], abroad: set[FunctionSource]
) -> frozenset[FunctionSource]:
    """The writers of a file with all functions that may call one of them, or one of the writers `abroad`."""
    found = {*own}
    new = found | abroad
    for _ in range(_CALLERS):
        if not new:
            break
        # What an `__init__` calls fills new tensors, which nothing has saved.
        new = {f for f in _callers(module, new) if f.name != "__init__"} - found
        found |= new
    return frozenset(found)


#: A method that is called, with the name or bracket before it.
_CALL = Pattern(rb"(\w+|[)\]])\.(\w+)\(")


def _asked_of_objects(module: Module) -> list[str]:
    """The names of the methods that a file calls on other objects than its own, and on no module that it imports."""
    found = {
        name: None
        for before, name in _CALL().findall(module.source)
        if before not in (b"self", b"cls") and before.decode(errors="replace") not in module.imports
    }
    return [name.decode(errors="replace") for name in found]


def imports(prefilter: Prefilter, module: Module, words: Iterable[str]) -> Iterator[tuple[str, Definition]]:
    """Yields the names that a file imports from other project files, with their definitions.

    Names from `import *` are yielded only if they are among `words`, the names that the file calls.
    """
    project, names = prefilter.files.project, prefilter.names
    found: list[tuple[str, Definition | None]] = []
    for name, binding in (*module.imports.items(), *module.instead.items()):
        if project.resolve(binding.module, module.filename, binding.level) is not None:
            found.append((name, names.definition(module, name)))
    for node in _inner_imports(module):
        if project.resolve(node.module or "", module.filename, node.level) is not None:
            for alias in node.names:
                definition = names.imported(module, node.module or "", alias.name, node.level)
                found.append((alias.asname or alias.name, definition))
    if any(project.resolve(star, module.filename, level) is not None for star, level in module.stars):
        found += [(word, names.definition(module, word)) for word in sorted(words) if not module.binds(word)]
    for name, definition in found:
        if definition is not None:
            yield name, definition


def _inner_imports(module: Module) -> list[ast.ImportFrom]:
    """The `from … import` statements inside functions."""
    if b" import " not in module.source:
        return []
    functions = [function for function in module.functions_in_order() if b" import " in function.text]
    found = [node for function in functions for node in ast.walk(function.node)]
    return list(dict.fromkeys(node for node in found if isinstance(node, ast.ImportFrom)))


#: Tables of classes or functions, from which code picks one.
_TABLES = (ast.Dict, ast.List, ast.Tuple)
#: Limits: entries of a table that are looked at; and statements that fill one, of which larger ones are not told apart.
_ENTRIES, _REGISTERED = 64, 8


def _named_in(value: ast.expr) -> list[ast.expr]:
    """The expressions in the value of a name that may name a class or function: of a call, or of a table."""
    if isinstance(value, ast.Call):  # an object of a class, or a function with some arguments bound
        return [value.func, *value.args[:1], *(keyword.value for keyword in value.keywords[:_ENTRIES])]
    entries = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    return [one for one in entries[:_ENTRIES] if isinstance(one, (ast.Name, ast.Attribute))]


def _picked_by_name(module: Module, name: str, definition: Definition) -> set[str]:
    """What a file may take from an imported module by a name that it computes: `getattr(models, args.model)`."""
    made, word = definition.what, name.encode()
    ways = (b"getattr(%s," % word, b"%s.__dict__[" % word, b"vars(%s)[" % word)
    if not isinstance(made, Module) or not any(way in module.source for way in ways):
        return set()
    return {*[*made.functions, *made.classes][:_ENTRIES]}


def _functions(prefilter: Prefilter, definition: Definition, words: set[str]) -> Iterator[FunctionSource]:
    """The functions that an imported name gives access to; `words` are the names that the file calls."""
    what = definition.what
    if isinstance(what, (ast.Call, *_TABLES)):
        for one in _named_in(what):
            inner = prefilter.names.resolve(definition.module, one)
            if inner is not None and not isinstance(inner.what, Module):
                yield from _functions(prefilter, inner, words)
        yield from _registered(prefilter, definition, words)
    elif isinstance(what, FunctionSource):
        yield what
        for cls in _built_by(prefilter, what):
            yield from _methods(prefilter, cls, words)
    elif isinstance(what, ClassSource):
        yield from _methods(prefilter, what, words)
    elif isinstance(what, Module):
        for name in sorted(what.functions.keys() & words):
            yield what.functions[name]
        for name in sorted(what.classes.keys() & words):
            yield from _methods(prefilter, what.classes[name], words)
        for name, value in what.assignments.items():
            table = prefilter.names.definition(what, name) if isinstance(value, _TABLES) else None
            if table is not None and not isinstance(table.what, Module):
                yield from _functions(prefilter, table, words)
        for name in {call: name for name, call in what.unpacked.items()}.values():
            registry = prefilter.names.definition(what, name)
            if registry is not None:
                yield from _registered(prefilter, registry, words)


def _registered(prefilter: Prefilter, definition: Definition, words: set[str]) -> Iterator[FunctionSource]:
    """The functions, and methods of classes, that a decorator puts into a table or registry, in whatever file."""
    made, within = definition.what, definition.module
    # `build, register = make_registry("model")`: one of them fills what another looks up
    names = [name for name, call in within.unpacked.items() if call is made] or [definition.name]
    if isinstance(made, ast.Call) and names == [definition.name]:
        maker = prefilter.names.resolve(definition.module, made.func)
        if maker is None or not isinstance(maker.what, ClassSource):
            return
    filling = [one for name in names for one in prefilter.registrations.of(within, name, True) or ()]
    for module, statement in filling if len(filling) <= _REGISTERED else ():
        if isinstance(statement, ast.ClassDef):
            yield from _methods(prefilter, module.class_of(statement), words)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield module.function_of(statement)


def _built_by(prefilter: Prefilter, source: FunctionSource, calls: int = _BUILT) -> Iterator[ClassSource]:
    """The classes whose objects a function may return, put into what it returns, or pick from a table."""
    if b"return" not in source.text:
        return
    returned = {call.func for call in returned_calls(source) if isinstance(call, ast.Call)}
    mentioned = {node.id: node for node in walk(source.node) if isinstance(node, ast.Name)}.values()
    for node in sorted(returned.union(mentioned), key=lambda one: (one.lineno, one.col_offset)):
        made = prefilter.names.bound(source.module, node)
        if made is None:
            continue
        if isinstance(made.what, (ast.Call, *_TABLES)):
            inner = [prefilter.names.resolve(made.module, one) for one in _named_in(made.what)]
            yield from (one.what for one in inner if one is not None and isinstance(one.what, ClassSource))
        elif isinstance(made.what, ClassSource):
            yield made.what
        elif isinstance(made.what, FunctionSource) and calls and node in returned:
            yield from _built_by(prefilter, made.what, calls - 1)


def _methods(prefilter: Prefilter, cls: ClassSource, words: set[str]) -> Iterator[FunctionSource]:
    """The methods of a class and its bases that may be called: by name, or by Python for an operator."""
    for name, method in prefilter.methods(cls).items():
        if name in words or is_special(name):
            yield method
