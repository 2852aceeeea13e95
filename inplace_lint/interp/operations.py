"""Declares what each part of the interpreter asks of the whole: call a value, look up an attribute, run a block.

Each part (calls, attributes, containers, operators, …) is a module whose functions take the run and call these methods
on it; only `interpreter.Interpreter` imports the parts. So there are no import cycles: recursion goes through the run.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from ..syntax import ir
    from .values import FunctionValue, Instance, Value


class Operations:
    """Operations of Python on abstract values, in the current state of the run."""

    @abstractmethod
    def block(self, instructions: ir.Block) -> None:
        """Run instructions one after the other until the path ends."""

    @abstractmethod
    def call(
        self,
        func: Value,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        at: ast.AST,
        exact: bool = True,
    ) -> Value:
        """func(*args, **kwargs); `exact` is False if some arguments come from a `*args` of unknown contents."""

    @abstractmethod
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
        """Interpret the body of a function of the project; `force`: even of a generator, or if nothing in it writes."""

    @abstractmethod
    def call_unknown(
        self, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
    ) -> Value:
        """Call an unknown value: its result may depend on every argument."""

    @abstractmethod
    def attribute(self, obj: Value, name: str, at: ast.AST) -> Value:
        """obj.name"""

    @abstractmethod
    def load(self, name: str) -> Value:
        """The value of a name where the run stands."""

    @abstractmethod
    def truth(self, obj: Instance) -> Value | None:
        """bool(obj), if its class defines it."""

    @abstractmethod
    def field(self, value: Value) -> Value:
        """A value that no code calls: of what could be an op of a tensor or a field of an object, the field."""

    @abstractmethod
    def negated(self, value: Value, at: ast.AST) -> Value:
        """not value"""

    @abstractmethod
    def item(self, obj: Value, index: Value, at: ast.AST) -> Value:
        """obj[index]"""

    @abstractmethod
    def set_part(self, obj: Value, name: str, value: Value) -> None:
        """obj.name = value, for an object of the project or a container of modules."""

    @abstractmethod
    def materialise(self, obj: Instance) -> None:
        """Run the `__init__` of an object that was put off until the object is used."""
