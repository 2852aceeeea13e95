"""Finds, by text, the functions of a file that may call a function: by its name, or as a method of an object."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from typing import TYPE_CHECKING

from ..syntax.nodes import is_special, walk
from ..torchmodel import table
from .source_words import (
    called_in,
    first_place,
    is_asked_of,
    is_called,
    is_kept,
    is_read,
    is_run,
    is_taken,
    mentions,
    rows_of_calls,
    rows_with,
    stands,
)
from .text_screen import around, chains_of, hands_on

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module

#: Above these limits (names; bytes of text) one index of all calls replaces a search per name.
_FEW = 30
_LARGE = 100_000


def _rows_of_call(
    module: Module, name: str, holds: Callable[[bytes, int, int], bool], names: int
) -> list[int]:
    """The rows that call the function of this name; `names` is the number of names searched for."""
    word = name.encode()
    if names <= _FEW and len(module.source) <= _LARGE:
        return rows_with(module, word, holds)
    known = module.memo.calls
    if known is None:
        known = module.memo.calls = rows_of_calls(module.source)
    starts, source = module.row_starts, module.source
    return [
        row
        for row in known.get(word, ())
        if first_place(source, word, starts[row - 1], starts[row], holds) >= 0
    ]


def _rows_of_inits(module: Module) -> list[int]:
    """All rows of `__init__` methods, any of which may build an object."""
    return [
        row
        for function in module.functions_in_order()
        if function.name == "__init__"
        for row in range(function.node.lineno + 1, (function.node.end_lineno or 0) + 1)
    ]


def _is_put_somewhere(text: bytes, word: bytes) -> bool:
    """Whether a name may stand in a list or as an argument."""
    return word + b"," in text or word + b"]" in text or word + b")" in text


#: Calls through which a built object is followed as a return value.
_HANDED_ON = 3


def that_build(module: Module, names: set[str]) -> set[str]:
    """Names of functions that may return what these classes or functions build, directly or through others."""
    found: set[str] = set()
    sought = names
    for _ in range(_HANDED_ON):
        around_it = {f for row in mentions(module, sought) for f in module.functions_at(row)}
        sought = {f.name for f in around_it if hands_on(f)} - found - names
        if not sought:
            break
        found |= sought
    return found


def _makers(module: Module, cls: ClassSource) -> set[str]:
    """The names by which a file may make an object that runs one of a class.

    The class, `Sequential` classes that hold its objects, and functions that return what it makes.
    """
    names = {cls.name} | chains_of(cls.module, {cls.name})
    if cls.module is not module:
        names |= that_build(cls.module, names)
        names |= _aliases(module, names)
        names |= chains_of(module, names)
    return names


def _aliases(module: Module, names: set[str]) -> set[str]:
    """The names under which a file imports what has these names elsewhere."""
    return {alias for alias, binding in module.imports.items() if binding.member in names}


def users_of_objects(module: Module, methods: set[FunctionSource]) -> dict[FunctionSource, None]:
    """Functions that may have an object with one of these methods: they name its class, or what is made with it.

    Such a function may call the method without its name: as an operator, in a `with`, from a table or a container.
    """
    unnamed = {name for name in {method.name for method in methods} if _may_be_called_unnamed(module, name)}
    owners = {method.owner for method in methods if method.owner is not None and method.name in unnamed}
    names = {name for owner in owners for name in _makers(module, owner)}
    if not names:
        return {}
    rows = set(mentions(module, names))
    names |= {
        name
        for name, value in module.assignments.items()
        if any(value.lineno <= row <= (value.end_lineno or 0) for row in rows)
    }
    named = mentions(module, names | that_build(module, names))
    found = around(module, named, named, named=True)
    return {f: None for f in found if f.owner is not None or computes(f)}


def _may_be_called_unnamed(module: Module, method: str) -> bool:
    """Whether Python or torch may call a method without its name, or the file uses the name for more than calls."""
    return method == "forward" or is_special(method) or bool(rows_with(module, method.encode(), _is_no_call))


def _is_no_call(text: bytes, start: int, end: int) -> bool:
    return text[end : end + 1] != b"(" and stands(text, start, end)


def computes(function: FunctionSource) -> bool:
    """Whether a function may compute with tensors: it calls an operation by its name, or has an operator."""
    text = function.text
    named = called_in(text) & _operations()
    if any(not hasattr(builtins, name) or f".{name}(".encode() in text for name in named):
        return True  # `x.sum()`, and not `sum(sizes)`
    return any(map(_is_operator, walk(function.node)))


def _is_operator(node: ast.AST) -> bool:
    """Whether a node is an operator that may have a tensor at one side."""
    return (
        isinstance(node, ast.BinOp)
        and not isinstance(node.right, ast.JoinedStr)
        and not (isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant))
    )


def does_more(function: FunctionSource, than: Container[str]) -> bool:
    """Whether a function may save a tensor other than in calls of these names: by an operator or another call.

    Constructors and methods of strings and containers do not count.
    """
    module = function.module
    for node in walk(function.node):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            harmless = (
                _OF_CONTAINERS if isinstance(node.func, ast.Attribute) else {*_BUILTINS, *module.classes}
            )
            if name not in than and name not in harmless:
                return True
        elif _is_operator(node):
            return True
    return False


@cache
def _operations() -> frozenset[str]:
    """The names of all operations, as methods or functions."""
    known = table.get()
    return frozenset(name for space in ("Tensor", *known.spaces()) for name in known.names(space))


#: What calls of these names do is no operation on a tensor.
_BUILTINS = frozenset(vars(builtins))
_OF_CONTAINERS = frozenset(name for kind in (dict, list, set, str) for name in dir(kind)) - {"index", "copy"}

#: Methods that iterating over an object runs.
_GONE_OVER = frozenset(["__iter__", "__next__", "__getitem__"])


def called_as(function: FunctionSource) -> tuple[object, ...]:
    """A key under which functions share their callers: methods of one name count as one."""
    owner = None if function.owner is None else function.owner.name
    by_class = owner is not None and function.name in _BY_CLASS
    return function.name, owner is None, function.descriptor, owner if by_class else None


#: Methods run by whoever runs an object of their class.
_BY_CLASS = _GONE_OVER | {"forward", "__call__"}


def _rows_of_itself(module: Module, cls: ClassSource, function: FunctionSource) -> Iterator[int]:
    """The rows on which another method of a class, of an heir or of a base uses its own object: `self(x)`."""
    related = [cls.name, *(base.id for base in cls.bases if isinstance(base, ast.Name))]
    for other in module.classes.values():  # a base is defined before its subclasses
        names = [other.name, *(base.id for base in other.bases if isinstance(base, ast.Name))]
        if not any(name in related for name in names):
            continue
        related.append(other.name)
        for method in other.methods.values():
            receiver = method.receiver.encode()
            if not receiver or method.name == function.name:
                continue
            for word in (receiver, b"%s.%s" % (receiver, function.name.encode())):
                if first_place(method.text, word, 0, len(method.text), is_called) >= 0:
                    yield from (
                        row
                        for row in rows_with(module, word, is_called)
                        if method.node.lineno < row <= (method.node.end_lineno or 0)
                    )


def callers(module: Module, asked: set[FunctionSource]) -> tuple[dict[FunctionSource, None], list[int]]:
    """Functions of the file that call one of these, and the rows of the calls.

    A `forward` is called by using an object: by the methods that use what `__init__` builds of its class. A function
    put into a list in `__init__` is called by the methods that use the list; `__iter__`, by a loop over the object.
    """
    rows: set[int] = set()
    built: set[str] = set()
    handed: set[int] = set()
    for function in {called_as(f): f for f in asked}.values():
        owner = function.owner
        over = owner is not None and function.name in _GONE_OVER
        forward = over or (owner is not None and function.name in ("forward", "__call__"))
        words = {function.name} | (
            _aliases(module, {function.name}) if function.module is not module else set()
        )
        if forward and owner is not None:
            makers = _makers(module, owner)
            words = {owner.name} | chains_of(module, makers)
            built |= makers
            rows.update(_rows_of_itself(module, owner, function))
        for word in sorted(words):
            run = is_run if forward and not over else is_taken
            found = _rows_of_call(module, word, run, len(asked))
            if owner is not None and not forward and found:
                of_objects = {*_rows_of_call(module, word, is_asked_of, len(asked))}
                found = [row for row in found if row in of_objects or not module.functions_at(row)]
            rows.update(found)
            if function.descriptor == "property":
                rows.update(rows_with(module, word.encode(), is_read))
            if owner is None and _is_put_somewhere(module.source, word.encode()):
                handed.update(rows_with(module, word.encode(), is_kept))
    builds: list[int] = []
    if built:
        built |= that_build(module, built)
        builds = [
            row
            for row in (mentions(module, built) if len(built) <= _FEW else _rows_of_inits(module))
            if any(f.name == "__init__" for f in module.functions_at(row))
        ]
    for row in handed:
        if any(f.name == "__init__" and f.node.lineno < row for f in module.functions_at(row)):
            builds.append(row)
    in_order = sorted(rows.union(builds))
    return around(module, in_order, builds), in_order
