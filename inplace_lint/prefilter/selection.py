"""Selects the functions of a file that are worth an exact run, by their summaries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import bindings, construct, inherited, initializers
from .atoms import Class, File, Function, Partial, Symbol
from .callers import callers, that_build
from .source_words import called, called_in, has_word, mentions, runs_backward
from .text_screen import around, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .atoms import Atom, Atoms
    from .summaries import Prefilter
    from .summary import Summary

#: Calls by which a writer of its argument is followed to its callers, within its file.
_CALLERS = 6

_NONE: frozenset[str] = frozenset()


def suspects(prefilter: Prefilter, module: Module) -> list[FunctionSource | None]:
    """The functions that are worth a run, in text order; None stands for the top level of the file.

    What writes in its own text always is. Summaries only say who else is: callers of writers, and users of modules
    that write.
    """
    prefilter.declared.mark(module)
    building: set[str] = set()
    foreign = foreign_writers(prefilter, module, building)
    rows = rows_of(module)
    if not foreign and not rows and not building:
        return []
    candidates = prefilter.candidates(module)
    pending = [*candidates]
    if b"_(" in module.source:
        pending = [f for f in pending if not initializers.only_initialises(module, f, rows)]
    calls: list[int] = []
    if foreign:
        calling, calls = callers(module, foreign)
        every = sorted({*rows, *calls})
        pending += _running([f for f in calling if not initializers.only_initialises(module, f, every)])
    if building:
        named = mentions(module, building | that_build(module, building))
        pending += _running(around(module, named, named, named=True))
    summaries = _with_callers(prefilter, module, pending, calls)
    writing = {f for row in rows for f in module.functions_at(row)}
    chosen = set(_running(f for f in summaries if f in candidates and f in writing))
    chosen |= {
        f for f, told in summaries.items() if told.suspicious or (told.leaves_open and f.name != "__init__")
    }
    own = {f for f, told in summaries.items() if told.leaves_own and f.name != "__init__"}
    chosen |= _asked_for(module, own - chosen)
    functions = module.functions_in_order()
    if candidates:
        chosen |= _hooked(module, functions)
    found: list[FunctionSource | None] = [f for f in functions if f in chosen]
    if module.classes:
        swapped = inherited.of_subclasses(prefilter, module, candidates)
        found += [source for source in swapped if prefilter.of(source).suspicious]
    if (
        trains(module)
        or (
            any(not module.functions_at(row) for row in (*rows, *calls))
            and prefilter.of_body(module).suspicious
        )
        or prefilter.drivers(module)
    ):
        found.append(None)
    return found


def _with_callers(
    prefilter: Prefilter, module: Module, pending: list[FunctionSource], calls: list[int]
) -> dict[FunctionSource, Summary]:
    """The summaries of these functions, and of those that call writers among them; adds the rows of calls."""
    summaries: dict[FunctionSource, Summary] = {}
    for _ in range(_CALLERS):
        more = {f: prefilter.of(f) for f in pending if f not in summaries and not prefilter.passes_over(f)}
        summaries.update(more)
        writing = {f for f, told in more.items() if told.writes or told.weak or told.steps}
        if not writing:
            break
        calling, called_at = callers(module, writing)
        calls += called_at
        pending = _running(calling)
        # Who builds an object that writes when it is called may call it without its name.
        built = {f.owner.name for f in writing if f.owner is not None and f.name in ("forward", "__call__")}
        if built:
            named = mentions(module, built)
            pending += _running(around(module, named, named, named=True))
    return summaries


def _running(functions: Iterable[FunctionSource]) -> list[FunctionSource]:
    """The functions other than `__init__`: what an `__init__` calls fills new tensors, which nothing has saved."""
    return [f for f in functions if f.name != "__init__"]


def _asked_for(module: Module, own: set[FunctionSource]) -> set[FunctionSource]:
    """Functions that write an attribute of `self`, and are called by others than the methods that build the object."""
    calling = {f: callers(module, {f})[0] for f in own}
    found: set[FunctionSource] = set()
    while True:
        more = {
            f
            for f in own - found
            if any(one is not f and one.name != "__init__" and one not in own - found for one in calling[f])
        }
        if not more:
            return found
        found |= more


def _hooked(module: Module, functions: list[FunctionSource]) -> set[FunctionSource]:
    """The `forward` of classes that register hooks: a hook may write what its module saved."""
    if b".register_forward_" not in module.source:
        return set()
    owners = {f.owner for f in functions if f.owner is not None and b".register_forward_" in f.text}
    return {f for f in functions if f.owner in owners and f.name == "forward"}


def foreign_writers(prefilter: Prefilter, module: Module, building: set[str]) -> set[FunctionSource]:
    """Functions of other project files that this file calls, and that write a tensor or an optimizer's parameters.

    Adds to `building` the imported names that build in-place modules or are declared to write, where this file's own
    text does not show it.
    """
    found: set[FunctionSource] = set()
    if b"torch" not in module.source:
        return found  # it hands tensors on, if it has any: nothing in it saves or writes one
    words = {*called(module), "forward"}
    for name, value in _imported(prefilter, module, words):
        for atom in value:
            functions = _functions(prefilter, atom, words)
            if isinstance(atom, File):
                building.update(source.name for source in prefilter.declared.writers(atom.module))
            if _is_unsaid(prefilter, atom, module):
                building.add(name)
            elif module.classes and isinstance(atom, (File, Function)):
                building.update(
                    word if isinstance(atom, File) else name
                    for word in functions.keys() & words
                    if prefilter.builds_in_place(functions[word])
                )
            found.update(
                functions[word]
                for word in functions.keys() & words
                if prefilter.writes_tensor(functions[word])
            )
    return found


def _imported(prefilter: Prefilter, module: Module, words: set[str]) -> Iterator[tuple[str, Atoms]]:
    """Yields the names that a file imports from other project files, with their values.

    Names from `import *` are yielded only if they are among `words`, the names that the file calls.
    """
    project = prefilter.files.project
    for name, binding in module.imports.items():
        if project.resolve(binding.module, module.filename, binding.level) is not None:
            yield name, bindings.of_module(prefilter, module, name)
    for node in _inner_imports(module):
        if project.resolve(node.module or "", module.filename, node.level) is not None:
            for alias in node.names:
                name = alias.asname or alias.name
                yield name, bindings.imported(prefilter, module, node.module or "", alias.name, node.level)
    if any(project.resolve(star, module.filename, level) is not None for star, level in module.stars):
        for word in sorted(words):
            if not module.binds(word):
                yield word, bindings.of_module(prefilter, module, word)


def _inner_imports(module: Module) -> list[ast.ImportFrom]:
    """The `from … import` statements inside functions."""
    if b" import " not in module.source:
        return []
    functions = [function for function in module.functions_in_order() if b" import " in function.text]
    found = [node for function in functions for node in ast.walk(function.node)]
    return list(dict.fromkeys(node for node in found if isinstance(node, ast.ImportFrom)))


def _is_unsaid(prefilter: Prefilter, atom: Atom, module: Module) -> bool:
    """Whether an imported value builds in-place modules or is declared to write, unseen in this file's text."""
    if isinstance(atom, Function):
        source = atom.source
        return source in prefilter.declared.writers(source.module) or (
            source.module.memo.builders != _NONE and _builds_unsaid(source)
        )
    if isinstance(atom, Symbol):
        return prefilter.declared.writes(atom.dotted, module)
    return isinstance(atom, Partial) and "inplace" in atom.kwargs


def _builds_unsaid(source: FunctionSource) -> bool:
    """Whether a function builds an in-place module through a global, such as `Act = partial(ReLU, inplace=True)`.

    Neither its own text nor that of its callers then mentions `inplace`.
    """
    module = source.module
    names = module.memo.builders
    if names is None:
        names = module.memo.builders = frozenset(
            name for name, value in module.assignments.items() if _says_in_place(module, value)
        )
    if not names or source.owner is not None:
        return False
    text = source.text
    return b"inplace" not in text and any(has_word(text, name.encode()) for name in names)


def _says_in_place(module: Module, value: ast.expr) -> bool:
    return b"inplace=" in module.source and b"inplace=True" in module.text(
        value.lineno, value.end_lineno or value.lineno
    )


def _functions(prefilter: Prefilter, atom: Atom, words: set[str]) -> dict[str, FunctionSource]:
    """The functions that an imported value gives access to, by name; `words` are the names that the file calls."""
    if isinstance(atom, Function):
        return {atom.source.name: atom.source}
    if isinstance(atom, Class):
        return _methods(prefilter, atom.source)
    if isinstance(atom, File):
        named = atom.module.classes.keys() & words
        if not named:
            return atom.module.functions
        methods = [_methods(prefilter, atom.module.classes[name]) for name in sorted(named)]
        return {name: method for one in (*methods, atom.module.functions) for name, method in one.items()}
    return {}


def _methods(prefilter: Prefilter, cls: ClassSource) -> dict[str, FunctionSource]:
    found = prefilter.methods.get(cls)
    if found is None:
        found = prefilter.methods[cls] = {}
        for owner in construct.classes_of(construct.Scope(prefilter, cls.module), cls):
            if not isinstance(owner, str):
                for name, method in owner.methods.items():
                    found.setdefault(name, method)
        found.pop("__init__", None)
    return found


#: Calls through which a backward is searched for.
_DEEP = 5


def trains(module: Module, function: FunctionSource | None = None) -> bool:
    """Whether a function runs a backward, directly or through functions of its file; so its inputs are known there.

    Without a function: whether the file's top level does.
    """
    if not runs_backward(module):
        return False
    text = _statements(module) if function is None else function.text
    by_name: dict[str, list[FunctionSource]] = {}
    for function in module.functions_in_order() if text else ():
        by_name.setdefault(function.name, []).append(function)
    entered: set[FunctionSource] = set()
    for _ in range(_DEEP):
        if b".backward(" in text:
            return True
        called = {f for name in called_in(text) for f in by_name.get(name, ())} - entered
        if not called:
            return False
        entered |= called
        text = b"\n".join([f.text for f in called])
    return False


def _statements(module: Module) -> bytes:
    """The text of the file's top level without definitions and imports."""
    return b"\n".join(
        module.text(statement.lineno, statement.end_lineno or statement.lineno)
        for statement in module.tree.body
        if not isinstance(statement, _DEFINITIONS)
    )


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
