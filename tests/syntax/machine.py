"""Runs lowered code on real Python values, so that a test can ask Python whether the instructions mean the same.

Only what needs no analysis is played: an `Opaque` gives a string of its own, but for what a `match` asks.
"""

from __future__ import annotations

import operator
from typing import Any

from inplace_lint.syntax import ir
from inplace_lint.syntax.module import FunctionSource, Module

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: operator.contains(b, a),
    "not in": lambda a, b: not operator.contains(b, a),
}
AUGMENTED = {**BINARY, "+": operator.iadd, "*": operator.imul, "|": operator.ior, "&": operator.iand}
UNARY = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "not": operator.not_}


def _part(subject: Any, cls: type, number: int) -> Any:
    """What a positional pattern matches."""
    builtin = cls in (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)
    return subject if builtin else getattr(subject, cls.__match_args__[number])  # type: ignore[attr-defined]


#: What a `match` statement asks.
MATCH = {
    "match sequence": lambda subject, count, open_: (
        isinstance(subject, (list, tuple)) and (len(subject) >= count if open_ else len(subject) == count)
    ),
    "match mapping": lambda subject: isinstance(subject, dict),
    "match class": isinstance,
    "match part": _part,
    "match rest": lambda subject, *keys: {key: one for key, one in subject.items() if key not in keys},
}


class Left(Exception):
    """Control leaves a block: `kind` is return, break, continue."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind, self.value = kind, value


class Raised(Exception):
    """What a lowered `raise` raises."""


class Machine:
    """One activation of a lowered body over `names`; `outer` is where names are looked up that it does not bind."""

    def __init__(self, module: Module, names: dict[str, Any], outer: dict[str, Any]) -> None:
        self.module = module
        self.names = names
        self.outer = outer
        self.registers: dict[int, Any] = {}

    def function(self, source: FunctionSource, defaults: list[Any], renamed: dict[str, str]) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            names = (
                dict(zip((p.arg for p in source.parameters[-len(defaults) :]), defaults)) if defaults else {}
            )
            names.update(zip((p.arg for p in source.parameters), args), **kwargs)
            hidden = {short: self.names[stored] for short, stored in renamed.items() if stored in self.names}
            inner = Machine(self.module, names, {**self.outer, **self.names, **hidden})
            return inner.run_function(source.body)

        return call

    def run_function(self, block: ir.Block) -> Any:
        try:
            self.run(block)
        except Left as left:
            assert left.kind == "return"
            return left.value
        return None

    def run(self, block: ir.Block) -> None:
        for instruction in block:
            getattr(self, f"do_{type(instruction).__name__}")(instruction)

    def items(self, parts: list[tuple[bool, int]]) -> list[Any]:
        found: list[Any] = []
        for starred, register in parts:
            value = self.registers[register]
            found.extend(value if starred else [value])
        return found

    def do_Constant(self, i: ir.Constant) -> None:
        self.registers[i.dst] = i.value

    def do_Load(self, i: ir.Load) -> None:
        self.registers[i.dst] = self.names[i.name] if i.name in self.names else self.outer[i.name]

    def do_Store(self, i: ir.Store) -> None:
        self.names[i.name] = self.registers[i.src]

    def do_Delete(self, i: ir.Delete) -> None:
        del self.names[i.name]

    def do_Move(self, i: ir.Move) -> None:
        self.registers[i.dst] = self.registers[i.src]

    def do_GetAttribute(self, i: ir.GetAttribute) -> None:
        self.registers[i.dst] = getattr(self.registers[i.obj], i.name)

    def do_SetAttribute(self, i: ir.SetAttribute) -> None:
        setattr(self.registers[i.obj], i.name, self.registers[i.src])

    def do_GetItem(self, i: ir.GetItem) -> None:
        self.registers[i.dst] = self.registers[i.obj][self.registers[i.index]]

    def do_SetItem(self, i: ir.SetItem) -> None:
        self.registers[i.obj][self.registers[i.index]] = self.registers[i.src]

    def do_Call(self, i: ir.Call) -> None:
        kwargs: dict[str, Any] = {}
        for name, register in i.kwargs:
            kwargs.update(self.registers[register] if name is None else {name: self.registers[register]})
        self.registers[i.dst] = self.registers[i.func](*self.items(i.args), **kwargs)

    def do_Binary(self, i: ir.Binary) -> None:
        self.registers[i.dst] = BINARY[i.op](self.registers[i.left], self.registers[i.right])

    do_Compare = do_Binary

    def do_Augmented(self, i: ir.Augmented) -> None:
        self.registers[i.dst] = AUGMENTED[i.op](self.registers[i.left], self.registers[i.right])

    def do_Unary(self, i: ir.Unary) -> None:
        self.registers[i.dst] = UNARY[i.op](self.registers[i.operand])

    def do_Build(self, i: ir.Build) -> None:
        items = self.items(i.items)
        kinds = {
            "tuple": tuple,
            "list": list,
            "iterator": list,
            "set": set,
            "slice": lambda parts: slice(*parts),
        }
        self.registers[i.dst] = kinds[i.kind](items)

    def do_BuildDict(self, i: ir.BuildDict) -> None:
        made: dict[Any, Any] = {}
        for key, value in i.items:
            made.update(
                self.registers[value] if key is None else {self.registers[key]: self.registers[value]}
            )
        self.registers[i.dst] = made

    def do_Append(self, i: ir.Append) -> None:
        target = self.registers[i.obj]
        if i.key is not None:
            target[self.registers[i.key]] = self.registers[i.src]
        else:
            (target.add if isinstance(target, set) else target.append)(self.registers[i.src])

    def do_Unpack(self, i: ir.Unpack) -> None:
        values = list(self.registers[i.src])
        if i.star >= 0:
            behind = len(i.dsts) - i.star - 1
            middle = values[i.star : len(values) - behind]
            values = [*values[: i.star], middle, *values[len(values) - behind :]]
        for register, value in zip(i.dsts, values, strict=True):
            self.registers[register] = value

    def do_MakeFunction(self, i: ir.MakeFunction) -> None:
        positional = len(i.node.args.defaults)
        defaults = [self.registers[r] for r in i.defaults[:positional] if r is not None]
        value = self.function(self.module.function_of(i.node), defaults, i.renamed)
        for register in reversed(i.decorators):
            value = self.registers[register](value)
        self.registers[i.dst] = value

    def do_Opaque(self, i: ir.Opaque) -> None:
        asked = MATCH.get(i.kind)
        operands = [self.registers[operand] for operand in i.operands]
        self.registers[i.dst] = f"<{i.kind}>" if asked is None else asked(*operands)

    def do_DeleteAttribute(self, i: ir.DeleteAttribute) -> None:
        delattr(self.registers[i.obj], i.name)

    def do_Yield(self, i: ir.Yield) -> None:
        self.registers[i.dst] = None

    def do_If(self, i: ir.If) -> None:
        self.run(i.then if self.registers[i.test] else i.orelse)

    def loop(self, rounds: Any, body: ir.Block, orelse: ir.Block) -> None:
        if not any(self.broke(body) for _ in rounds):
            self.run(orelse)

    def broke(self, body: ir.Block) -> bool:
        """Run one round; whether it ended by `break`."""
        try:
            self.run(body)
        except Left as left:
            if left.kind == "return":
                raise
            return left.kind == "break"
        return False

    def do_For(self, i: ir.For) -> None:
        def rounds() -> Any:
            for element in self.registers[i.iterable]:
                self.registers[i.element] = element
                yield element

        self.loop(rounds(), i.body, i.orelse)

    def do_While(self, i: ir.While) -> None:
        def rounds() -> Any:
            while True:
                self.run(i.condition)
                if not self.registers[i.test]:
                    return
                yield None

        self.loop(rounds(), i.body, i.orelse)

    def do_With(self, i: ir.With) -> None:
        manager = self.registers[i.manager]
        self.registers[i.dst] = manager.__enter__()
        try:
            self.run(i.body)
        finally:
            manager.__exit__(None, None, None)

    def do_Try(self, i: ir.Try) -> None:
        try:
            try:
                self.run(i.body)
            except Exception as error:
                if isinstance(error, Left) or not self.handled(i, error):
                    raise
            else:
                self.run(i.orelse)
        finally:
            self.run(i.final)

    def handled(self, i: ir.Try, error: Exception) -> bool:
        """Run the handler of an error; whether there is one."""
        for handler in i.handlers:
            self.run(handler.of_type)
            if handler.type is None or isinstance(error, self.registers[handler.type]):
                self.run(handler.body)
                return True
        return False

    def do_Return(self, i: ir.Return) -> None:
        raise Left("return", None if i.src is None else self.registers[i.src])

    def do_Raise(self, i: ir.Raise) -> None:
        raise Raised if i.src is None else self.registers[i.src]

    def do_Break(self, i: ir.Break) -> None:
        raise Left("break")

    def do_Continue(self, i: ir.Continue) -> None:
        raise Left("continue")

    def do_Assert(self, i: ir.Assert) -> None:
        assert self.registers[i.test]
