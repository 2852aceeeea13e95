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
from ..syntax.nodes import is_special, walk, walk_at
from ..torchmodel.spelling import MODES
from .grad_mode import calls_quietly, is_unrecorded_method, records_nothing
from .mentioning_files import mentioning
from .object_uses import Use, has_class, of_class
from .scripts import leading_to_training
from .source_words import BACKWARDS, mentions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource, Module
    from .prefilter import Prefilter


#: Limits: functions that are asked for their callers; files that are parsed for one of them.
_ASKED = 16
_FILES = 60


def record_nothing(prefilter: Prefilter, function: FunctionSource) -> bool:
    """Whether there are calls from other files, and all of them, or all calls of their callers, record no gradients."""
    seen, pending = {function}, [function]
    while pending:
        one = pending.pop()
        uses = _uses(prefilter, one, function.module)
        if not uses:
            return False
        for use in uses:
            user = use.user
            if user in seen or _is_quiet(prefilter, use):
                continue
            if user is None or _differentiates(prefilter, user.module, user.node):
                return False
            seen.add(user)
            pending.append(user)
            if len(seen) > _ASKED:
                return False
    return True


def _is_quiet(prefilter: Prefilter, use: Use) -> bool:
    """Whether nothing is recorded where a function is used, or a script calls it that never runs a backward."""
    user = use.user
    if user is None:
        return (
            use.calls
            and not _differentiates(prefilter, use.module, use.module.tree)
            and not leading_to_training(prefilter, use.module)
        )
    if user.owner is not None:
        bases = [base for base in prefilter.classes.order(user.owner) if isinstance(base, str)]
        if is_unrecorded_method(user.name, bases):
            return True
    return records_nothing(prefilter, user) or calls_quietly(prefilter, user, use.name)


def _differentiates(prefilter: Prefilter, module: Module, within: ast.AST) -> bool:
    """Whether code runs a backward, or calls a function of torch that takes gradients, under whichever name."""
    for node in walk(within):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in BACKWARDS:
            return True
        found = prefilter.names.resolve(module, node.func)
        dotted = found.what if found is not None and isinstance(found.what, str) else ""
        if dotted.startswith(("torch.autograd.", "torch.func.")) and dotted not in MODES:
            return True
    return False


def _is_called_by_name(prefilter: Prefilter, function: FunctionSource) -> bool:
    """Whether calls of a function bear its name: it is no protocol's, not nested, and no decorator hands it on."""
    if is_special(function.name):
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
    """All uses of a function in the innermost folder that has some; empty if they cannot all be told.

    Of what is called without its name those of the objects of its class.
    """
    if function.name in ("forward", "__call__") and function.owner is not None:
        return of_class(prefilter, function.owner, asking)
    if not _is_called_by_name(prefilter, function):
        return []
    files = prefilter.files
    for folder in folders_around(function.module.filename, files.project.root):
        modules = mentioning(files, asking, [function.name], folder, _FILES)
        if modules is None:
            return []  # one that cannot be read may call it in any way
        within = _of_function if function.owner is None else _of_method
        uses = [use for module in modules for use in within(prefilter, function, module)]
        if function.owner is not None and not any(
            has_class(prefilter, use.module, function.owner) for use in uses
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
    for node in _mentioning(module, {function.name}):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found = (
                    names.imported(module, node.module or "", alias.name, node.level)
                    if alias.name == function.name
                    else None
                )
                if found is not None and found.what is function:
                    local.add(alias.asname or alias.name)
    nodes = _mentioning(module, {function.name, *local})
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in local:
            yield Use(module, _around(module, node, function), node.id, node in called)
        elif isinstance(node, ast.Attribute) and node.attr == function.name:
            found = names.resolve(module, node)
            if found is not None and found.what is function:
                yield Use(module, _around(module, node, function), node.attr, node in called)


def _of_method(prefilter: Prefilter, function: FunctionSource, module: Module) -> Iterator[Use]:
    """All attributes of a method's name in a file, on whichever object, but for calls that do not fit the method."""
    nodes = _mentioning(module, {function.name})
    called = {node.func: node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if not isinstance(node, ast.Attribute) or node.attr != function.name:
            continue
        if node in called and not _may_be_call(function, called[node]):
            continue
        user = _around(module, node, function)
        if user is None or not asks_another(prefilter, user, function):
            yield Use(module, user, node.attr, node in called)


def _mentioning(module: Module, names: set[str]) -> list[ast.AST]:
    """The nodes of a file, without statements in whose text none of the names stands."""
    return walk_at(module.tree, mentions(module, names))


def asks_another(prefilter: Prefilter, user: FunctionSource, method: FunctionSource) -> bool:
    """Whether a method asks only its own object for a name, which in its class stands for another method."""
    own, owner = user.owner, method.owner
    if own is None or owner is None or own is owner or not user.receiver:
        return False
    order = prefilter.classes.order(own)
    if own in prefilter.classes.order(owner) or owner in order:
        return False
    if not any(isinstance(one, ClassSource) and method.name in one.methods for one in order):
        return False
    asked = [
        node.value for node in walk(user.node) if isinstance(node, ast.Attribute) and node.attr == method.name
    ]
    return bool(asked) and all(isinstance(one, ast.Name) and one.id == user.receiver for one in asked)


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
