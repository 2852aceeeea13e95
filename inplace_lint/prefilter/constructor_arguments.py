"""Finds the classes and functions of a file that it passes to constructors: `block` below can only be `BasicBlock`.

    def resnet18():
        return _resnet(BasicBlock, [2, 2, 2, 2])

`ResNet.__init__(self, block, layers)` alone does not say what `block` is, so its layers would be unknown.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module

#: Limits: functions between a constructor and the class passed in; alternatives per parameter.
_CLIMBS = 4
_CHOICES = 3


class ConstructorArguments:
    """The calls in one file, matched by name only, and the expressions passed for each parameter."""

    def __init__(self, module: Module) -> None:
        self.module = module
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
        """The classes and functions that the file passes to a constructor for a parameter, as top-level names.

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
        """Whether an expression is the name of a class or function of the file."""
        name = getattr(value, "id", "")
        return name in self.module.classes or name in self.module.functions

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
        """The function of the file that a call by name enters; for a class, its constructor."""
        name = getattr(func, "id", "")
        if name in self.module.functions:
            return self.module.functions[name]
        if name in self.module.classes:
            return self._constructor(self.module.classes[name])
        if getattr(func, "attr", "") == "__init__" and around is not None and around.owner is not None:
            return self._constructor(around.owner, above=True)
        return None

    def _constructor(self, cls: ClassSource, above: bool = False) -> FunctionSource | None:
        """The `__init__` of a class, or of its bases in the file; with `above`, of the bases only."""
        init = None if above else cls.methods.get("__init__")
        seen = {cls}
        pending = [cls]
        while init is None and pending:
            for base in pending.pop().bases:
                one = self.module.classes.get(getattr(base, "id", ""))
                if one is not None and one not in seen:
                    seen.add(one)
                    pending.append(one)
                    init = init or one.methods.get("__init__")
        return init
