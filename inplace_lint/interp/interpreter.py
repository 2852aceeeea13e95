"""Assembles the abstract interpreter: a `Run` that hands each operation to the module which models it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    attributes,
    calls,
    execute,
    fields,
    module_parts,
    names,
    objects,
    operators,
    own_operators,
    subscripts,
)
from .run import Run

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from ..syntax import ir
    from .values import FunctionValue, Instance, Value


class Interpreter(Run):
    """A run whose operations are bound to the modules that implement them."""

    def block(self, instructions: ir.Block) -> None:
        execute.block(self, instructions)

    def call(
        self,
        func: Value,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool = True,
    ) -> Value:
        return calls.call(self, func, args, kwargs, at, exact)

    def enter(
        self,
        function: FunctionValue,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool = True,
        force: bool = False,
        on_yield: Callable[[Value], None] | None = None,
    ) -> Value:
        return calls.enter(self, function, args, kwargs, at, exact, force, on_yield)

    def call_unknown(
        self, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
    ) -> Value:
        return calls.unknown(self, func, args, kwargs, at)

    def attribute(self, obj: Value, name: str, at: ast.AST) -> Value:
        return attributes.get(self, obj, name, at)

    def load(self, name: str) -> Value:
        return names.load(self, name)

    def truth(self, obj: Instance) -> Value | None:
        return own_operators.truth(self, obj)

    def field(self, value: Value) -> Value:
        return fields.as_option(self, value)

    def negated(self, value: Value, at: ast.AST) -> Value:
        return operators.unary(self, "not", value, at)

    def item(self, obj: Value, index: Value, at: ast.AST) -> Value:
        return subscripts.get_item(self, obj, index, at)

    def set_part(self, obj: Value, name: str, value: Value) -> None:
        module_parts.put(self, obj, name, value)

    def materialise(self, obj: Instance) -> None:
        objects.materialise(self, obj)
