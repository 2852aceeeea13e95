"""Decides whether code in other files calls a function, and only where no gradients are recorded.

What calls a function is found by name, in the package around its file or, if nothing there does, in the project. Calls
may be named that are of another function, which leaves the answer open; an answer of True takes all calls in sight.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..project.package_files import folders_around
from ..resolve.binding import bind
from ..syntax.module import ClassSource
from ..syntax.nodes import walk
from .grad_mode import calls_quietly, is_unrecorded_method, records_nothing
from .mentioning_files import mentioning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource, Module
    from .prefilter import Prefilter

    #: a function that uses another (None: the top level of a file), and the name by which it does
    Use = tuple[FunctionSource | None, str]

#: Limits: functions that are asked for their callers; files that are parsed for one of them.
_ASKED = 16
_FILES = 60


def record_nothing(prefilter: Prefilter, function: FunctionSource) -> bool:
    """Whether there are calls from other files, and all of them, or all calls of their callers, record no gradients."""
    seen, pending = {function}, [function]
    while pending:
        one = pending.pop()
        uses = _uses(prefilter, one, function.module) if _is_called_by_name(prefilter, one) else []
        if not uses:
            return False
        for user, name in uses:
            if user is None:
                return False
            if user in seen or _is_quiet(prefilter, user, name):
                continue
            seen.add(user)
            pending.append(user)
            if len(seen) > _ASKED:
                return False
    return True


def _is_quiet(prefilter: Prefilter, user: FunctionSource, name: str) -> bool:
    """Whether a function uses a name only where nothing is recorded."""
    if user.owner is not None:
        bases = [base for base in prefilter.classes.order(user.owner) if isinstance(base, str)]
        if is_unrecorded_method(user.name, bases):
            return True
    return records_nothing(prefilter, user) or calls_quietly(prefilter, user, name)


def _is_called_by_name(prefilter: Prefilter, function: FunctionSource) -> bool:
    """Whether calls of a function bear its name: it is no protocol's, not nested, and no decorator hands it on."""
    if function.name.startswith("__") or function.name == "forward":
        return False
    holder = function.module.functions if function.owner is None else function.owner.methods
    if holder.get(function.name) is not function:
        return False
    found = [
        prefilter.names.resolve(function.module, one) for one in getattr(function.node, "decorator_list", ())
    ]
    return all(one is not None and one.what in _HARMLESS for one in found)


#: Decorators whose result is called in place of the function, by the same name.
_HARMLESS = (
    "builtins.staticmethod",
    "builtins.classmethod",
    "builtins.property",
    "abc.abstractmethod",
    "functools.cache",
    "functools.lru_cache",
    "torch.jit.script",
    "torch.compile",
)


def _uses(prefilter: Prefilter, function: FunctionSource, asking: Module) -> list[Use]:
    """All uses of a function in the innermost folder that has some; empty if they cannot all be told."""
    files = prefilter.files
    for folder in folders_around(function.module.filename, files.project.root):
        modules = mentioning(files, asking, [function.name], folder, _FILES)
        if modules is None:
            return []  # one that cannot be read may call it in any way
        within = _of_function if function.owner is None else _of_method
        uses = [use for module in modules for use in within(prefilter, function, module)]
        if function.owner is not None and not any(
            user is not None and _gets(prefilter, user.module, function.owner) for user, _ in uses
        ):
            continue
        if uses:
            return uses
    return []


def _of_function(prefilter: Prefilter, function: FunctionSource, module: Module) -> Iterator[Use]:
    """The uses of a plain function in a file, by the names under which that imports it."""
    names = prefilter.names
    local = set()
    own = names.definition(module, function.name)
    if own is not None and own.what is function:
        local.add(function.name)
    nodes = walk(module.tree)
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found = (
                    names.imported(module, node.module or "", alias.name, node.level)
                    if alias.name == function.name
                    else None
                )
                if found is not None and found.what is function:
                    local.add(alias.asname or alias.name)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in local:
            yield _around(module, node, function), node.id
        elif isinstance(node, ast.Attribute) and node.attr == function.name:
            found = names.resolve(module, node)
            if found is not None and found.what is function:
                yield _around(module, node, function), node.attr


def _of_method(prefilter: Prefilter, function: FunctionSource, module: Module) -> Iterator[Use]:
    """All attributes of a method's name in a file, on whichever object, but for calls that do not fit the method."""
    nodes = walk(module.tree)
    others = {node.func for node in nodes if isinstance(node, ast.Call) and not _may_be_call(function, node)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == function.name and node not in others:
            yield _around(module, node, function), node.attr


def _may_be_call(method: FunctionSource, call: ast.Call) -> bool:
    """Whether the arguments of a call fit a method, with the object it is called on or without."""
    names = [keyword.arg for keyword in call.keywords]
    if None in names or any(isinstance(one, ast.Starred) for one in call.args):
        return True
    given = {name: call for name in names if name is not None}
    for receiver in ([call], []):
        bound = bind(method, [*receiver, *call.args], given)
        if bound.fits and all(method.default_of(one) is not None for one in bound.missing):
            return True
    return False


def _around(module: Module, node: ast.expr, function: FunctionSource) -> FunctionSource | None:
    """The innermost function around a use; `function` itself where that calls itself."""
    around = module.functions_at(node.lineno)
    return function if function in around else next(iter(around), None)


def _gets(prefilter: Prefilter, module: Module, owner: ClassSource) -> bool:
    """Whether a file has a class from the file that defines it, or one that derives from it."""
    for name in (*module.classes, *module.imports):
        found = prefilter.names.definition(module, name)
        if found is None:
            continue
        if isinstance(found.what, ClassSource):
            if owner in prefilter.classes.order(found.what):
                return True
        elif found.what is owner.module or found.module is owner.module:
            return True
    return False
