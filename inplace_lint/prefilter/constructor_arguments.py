"""Finds the classes, functions and layers that files pass to constructors: `block` below can only be `BasicBlock`.

    def resnet18():
        return _resnet(BasicBlock, [2, 2, 2, 2])

`ResNet.__init__(self, block, layers)` alone does not say what `block` is, so its layers would be unknown. Where the
file says nothing of it, `Net(sizes, activation=F.relu)` in another file of the project does.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..project.package_files import folders_around
from ..syntax.module import ClassSource, FunctionSource
from ..syntax.nodes import walk
from ..torchmodel import table
from .mentioning_files import mentioning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..resolve.names import Names
    from ..syntax.module import Module
    from .prefilter import Prefilter

#: Limits: functions between a constructor and the class passed in; alternatives per parameter; files that are read.
_CLIMBS = 4
_CHOICES = 3
_FILES = 20


def from_other_files(prefilter: Prefilter, init: FunctionSource, name: str) -> list[tuple[Module, ast.expr]]:
    """What other files of the project pass to a constructor for a parameter, with the file; empty as in `choices`."""
    if init.owner is None:
        return []
    files, module = prefilter.files, init.module
    folders = folders_around(module.filename, files.project.root)
    others = mentioning(files, module, [init.owner.name], folders[-1], _FILES) if folders else None
    found = {
        ast.dump(one): (other, one)
        for other in others or ()
        if other is not module
        for one in prefilter.passed_in(other).choices(init, name)
    }
    return list(found.values()) if len(found) <= _CHOICES else []


class ConstructorArguments:
    """The calls in one file, and the expressions passed for each parameter."""

    def __init__(self, module: Module, names: Names) -> None:
        self.module = module
        self._names = names
        #: (function, parameter) -> the expressions passed for it, each with the calling function
        self._passed: dict[tuple[FunctionSource, str], list[tuple[FunctionSource | None, ast.expr]]] = {}
        #: name -> values of `dict(name=…)`, since such a dict is spread into calls
        self._kept: dict[str, list[ast.expr]] = {}
        inside: dict[ast.AST, FunctionSource] = {}
        for function in module.functions_in_order():  # inner functions come later, and override
            inside.update(dict.fromkeys(walk(function.node), function))
        for node in walk(module.tree):
            if isinstance(node, ast.Call):
                self._note(node, inside.get(node))

    def choices(self, init: FunctionSource, name: str) -> list[ast.expr]:
        """The classes, functions and layers that the file passes to a constructor for a parameter.

        Empty where it passes only other things, or more than `_CHOICES` of them.
        """
        found = {ast.dump(one): one for one in self._choices(init, name, _CLIMBS)}
        for one in self._kept.get(name, ()) if not found else ():
            found[ast.dump(one)] = one
        return list(found.values()) if len(found) <= _CHOICES else []

    def _choices(self, function: FunctionSource, name: str, climbs: int) -> Iterator[ast.expr]:
        for around, value in self._passed.get((function, name), ()):
            if self._is_built_with(value):
                yield value
            elif isinstance(value, ast.Name) and around is not None and climbs:
                yield from self._choices(around, value.id, climbs - 1)

    def _is_built_with(self, value: ast.expr) -> bool:
        """Whether an expression names a class or function of the project or of torch, or makes a layer of torch."""
        made = isinstance(value, ast.Call)
        found = self._names.resolve(self.module, value.func if isinstance(value, ast.Call) else value)
        what = None if found is None else found.what
        if isinstance(what, str) and table.module(what) is not None:
            return True
        known = isinstance(what, str) and table.function(what) is not None
        return not made and (known or isinstance(what, (ClassSource, FunctionSource)))

    def _note(self, call: ast.Call, around: FunctionSource | None) -> None:
        name = getattr(call.func, "id", "")
        if name == "dict":
            for keyword in call.keywords:
                if keyword.arg and self._is_built_with(keyword.value):
                    self._kept.setdefault(keyword.arg, []).append(keyword.value)
            return
        callee = self._callee(call.func, around)
        if callee is None:
            return
        parameters = callee.parameters[1:] if callee.owner is not None else callee.parameters
        for parameter, value in zip(parameters, call.args):
            if isinstance(value, ast.Starred):
                break
            self._passed.setdefault((callee, parameter.arg), []).append((around, value))
        for keyword in call.keywords:
            if keyword.arg:
                self._passed.setdefault((callee, keyword.arg), []).append((around, keyword.value))

    def _callee(self, func: ast.expr, around: FunctionSource | None) -> FunctionSource | None:
        """The function of the project that a call by name enters; for a class, its constructor."""
        found = self._names.resolve(self.module, func)
        if found is not None and isinstance(found.what, FunctionSource):
            return found.what
        if found is not None and isinstance(found.what, ClassSource):
            return self._constructor(found.what)
        if getattr(func, "attr", "") == "__init__" and around is not None and around.owner is not None:
            return self._constructor(around.owner, above=True)
        return None

    def _constructor(self, cls: ClassSource, above: bool = False) -> FunctionSource | None:
        """The `__init__` of a class, or of its bases in its file; with `above`, of the bases only."""
        init = None if above else cls.methods.get("__init__")
        seen = {cls}
        pending = [cls]
        while init is None and pending:
            for base in pending.pop().bases:
                one = cls.module.classes.get(getattr(base, "id", ""))
                if one is not None and one not in seen:
                    seen.add(one)
                    pending.append(one)
                    init = init or one.methods.get("__init__")
        return init
