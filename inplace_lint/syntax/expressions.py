"""Lowers expressions and assignment targets to instructions (`ir`).

A comprehension keeps its own scope by renaming: `x` inside becomes `x@3`, a name that no source can spell.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import ir
from .nodes import children
from .operators import OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_COMPARISONS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not"}


class Expressions:
    """Emits instructions to `block`; `stored`: names bound so far; `yields`: a `yield` was met."""

    def __init__(self) -> None:
        self.block: ir.Block = []
        self.registers = 0
        self.renamed: dict[str, str] = {}
        self.yields = False
        self.stored: set[str] = set()

    def register(self) -> int:
        self.registers += 1
        return self.registers

    def emit(self, instruction: ir.Instruction) -> None:
        self.block.append(instruction)

    # Targets

    def store_name(self, at: ast.AST, name: str, src: int) -> None:
        name = self.renamed.get(name, name)
        self.stored.add(name)
        self.emit(ir.Store(at, name, src))

    def store(self, target: ast.expr, src: int) -> None:
        if isinstance(target, ast.Name):
            self.store_name(target, target.id, src)
        elif isinstance(target, ast.Attribute):
            self.emit(ir.SetAttribute(target, self.expression(target.value), target.attr, src))
        elif isinstance(target, ast.Subscript):
            obj = self.expression(target.value)
            self.emit(ir.SetItem(target, obj, self.expression(target.slice), src))
        elif isinstance(target, (ast.Tuple, ast.List)):
            star = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), -1)
            registers = [self.register() for _ in target.elts]
            self.emit(ir.Unpack(target, registers, src, star))
            for element, register in zip(target.elts, registers):
                self.store(element.value if isinstance(element, ast.Starred) else element, register)

    # Expressions

    def expression(self, node: ast.expr) -> int:
        """Emits the instructions for `node`; returns the register of its value."""
        method = _EXPRESSIONS.get(type(node))
        if method is not None:
            return method(self, node)
        return self.opaque(node, "expression", self.parts(node))

    def parts(self, node: ast.AST) -> list[int]:
        """Emits every expression inside a node whose own meaning is not modelled."""
        operands: list[int] = []
        for field in node._fields:
            child = getattr(node, field, None)
            for part in child if isinstance(child, list) else [child]:
                if isinstance(part, ast.expr) and type(part) is not ast.Constant:
                    operands += [self.expression(part)]
        return operands

    def opaque(self, node: ast.AST, kind: str, operands: list[int]) -> int:
        dst = self.register()
        self.emit(ir.Opaque(node, dst, kind, operands))
        return dst

    def constant(self, node: ast.Constant) -> int:
        dst = self.register()
        self.emit(ir.Constant(node, dst, node.value))
        return dst

    def name(self, node: ast.Name) -> int:
        dst = self.register()
        self.emit(ir.Load(node, dst, self.renamed.get(node.id, node.id)))
        return dst

    def attribute(self, node: ast.Attribute) -> int:
        obj = self.expression(node.value)
        dst = self.register()
        self.emit(ir.GetAttribute(node, dst, obj, node.attr))
        return dst

    def subscript(self, node: ast.Subscript) -> int:
        obj = self.expression(node.value)
        index = self.expression(node.slice)
        dst = self.register()
        self.emit(ir.GetItem(node, dst, obj, index))
        return dst

    def slice_part(self, node: ast.Slice) -> int:
        items: list[tuple[bool, int]] = []
        for part in (node.lower, node.upper, node.step):
            if part is None:
                register = self.register()
                self.emit(ir.Constant(node, register, None))
            else:
                register = self.expression(part)
            items.append((False, register))
        dst = self.register()
        self.emit(ir.Build(node, dst, "slice", items))
        return dst

    def starred_items(self, nodes: list[ast.expr]) -> list[tuple[bool, int]]:
        return [
            (True, self.expression(n.value)) if isinstance(n, ast.Starred) else (False, self.expression(n))
            for n in nodes
        ]

    def build(self, node: ast.AST, kind: str, parts: list[ast.expr]) -> int:
        items = self.starred_items(parts)
        dst = self.register()
        self.emit(ir.Build(node, dst, kind, items))
        return dst

    def tuple_display(self, node: ast.Tuple) -> int:
        return self.build(node, "tuple", node.elts)

    def list_display(self, node: ast.List) -> int:
        return self.build(node, "list", node.elts)

    def set_display(self, node: ast.Set) -> int:
        return self.build(node, "set", node.elts)

    def dict_display(self, node: ast.Dict) -> int:
        items: list[tuple[int | None, int]] = []
        for key, value in zip(node.keys, node.values):
            key_register = None if key is None else self.expression(key)
            items.append((key_register, self.expression(value)))
        dst = self.register()
        self.emit(ir.BuildDict(node, dst, items))
        return dst

    def call(self, node: ast.Call) -> int:
        func = self.expression(node.func)
        args = self.starred_items(node.args)
        kwargs = [(keyword.arg, self.expression(keyword.value)) for keyword in node.keywords]
        dst = self.register()
        self.emit(ir.Call(node, dst, func, args, kwargs))
        return dst

    def binary(self, node: ast.BinOp) -> int:
        # `a + b + c + …` nests to the left: walked in a loop, since generated code would exceed the recursion limit.
        chain: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        value = self.expression(left)
        for link in reversed(chain):
            right = self.expression(link.right)
            dst = self.register()
            self.emit(ir.Binary(link, dst, OPERATORS.get(type(link.op), "?"), value, right))
            value = dst
        return value

    def unary(self, node: ast.UnaryOp) -> int:
        operand = node.operand
        if isinstance(node.op, ast.USub) and isinstance(operand, ast.Constant):
            dst = self.register()
            if isinstance(operand.value, (int, float, complex)):
                self.emit(ir.Constant(node, dst, -operand.value))
                return dst
        register = self.expression(operand)
        dst = self.register()
        self.emit(ir.Unary(node, dst, _UNARY.get(type(node.op), "?"), register))
        return dst

    def boolean(self, node: ast.BoolOp) -> int:
        """`a and b`: a, and if it holds b, as nested ifs that leave the value in one register."""
        dst = self.register()
        conjunction = isinstance(node.op, ast.And)
        outer = self.block
        pending: list[tuple[ast.expr, ir.Block]] = []
        for operand in node.values[:-1]:
            value = self.expression(operand)
            self.emit(ir.Move(operand, dst, value))
            pending.append((operand, self.block))
            self.block = []
        last = node.values[-1]
        self.emit(ir.Move(last, dst, self.expression(last)))
        for operand, enclosing in reversed(pending):
            inner, self.block = self.block, enclosing
            then, orelse = (inner, []) if conjunction else ([], inner)
            empty: ir.Block = []
            self.emit(ir.If(operand, dst, then or empty, orelse or empty))
        assert self.block is outer
        return dst

    def conditional(self, node: ast.IfExp) -> int:
        test = self.expression(node.test)
        dst = self.register()
        arms = []
        for arm in (node.body, node.orelse):
            outer, self.block = self.block, []
            self.emit(ir.Move(arm, dst, self.expression(arm)))
            arms.append(self.block)
            self.block = outer
        self.emit(ir.If(node.test, test, arms[0], arms[1]))
        return dst

    def compare(self, node: ast.Compare) -> int:
        return self.comparisons(node, self.expression(node.left), 0)

    def comparisons(self, node: ast.Compare, left: int, number: int) -> int:
        """The comparisons of a chain from one on: Python stops at the first that fails."""
        right, dst = self.expression(node.comparators[number]), self.register()
        self.emit(ir.Compare(node, dst, _COMPARISONS.get(type(node.ops[number]), "?"), left, right))
        if number == len(node.ops) - 1:
            return dst
        result = self.register()
        self.emit(ir.Move(node, result, dst))
        outer, self.block = self.block, []
        self.emit(ir.Move(node, result, self.comparisons(node, right, number + 1)))
        then, self.block = self.block, outer
        self.emit(ir.If(node, dst, then, []))
        return result

    def named(self, node: ast.NamedExpr) -> int:
        value = self.expression(node.value)
        # A walrus inside a comprehension binds outside of it, under the name as written.
        self.stored.add(node.target.id)
        self.emit(ir.Store(node, node.target.id, value))
        return value

    def make_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, decorators: list[int]
    ) -> int:
        arguments = node.args
        values: list[ast.expr | None] = [*arguments.defaults, *arguments.kw_defaults]
        defaults = [None if value is None else self.expression(value) for value in values]
        dst = self.register()
        self.emit(ir.MakeFunction(node, dst, node, decorators, defaults, dict(self.renamed)))
        return dst

    def lambda_expression(self, node: ast.Lambda) -> int:
        return self.make_function(node, [])

    def await_expression(self, node: ast.Await) -> int:
        return self.expression(node.value)

    def yield_expression(self, node: ast.Yield | ast.YieldFrom) -> int:
        src = None if node.value is None else self.expression(node.value)
        dst = self.register()
        self.yields = True
        self.emit(ir.Yield(node, dst, src))
        return dst

    def string(self, node: ast.JoinedStr) -> int:
        return self.opaque(node, "string", self.parts(node))

    def formatted(self, node: ast.FormattedValue) -> int:
        value = self.expression(node.value)
        if node.format_spec is not None:
            self.expression(node.format_spec)
        return value

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> int:
        result = self.register()
        if isinstance(node, ast.DictComp):
            self.emit(ir.BuildDict(node, result, []))
        else:
            self.emit(ir.Build(node, result, _COMPREHENSIONS[type(node)], []))
        outer_names = self.renamed
        self.renamed = dict(outer_names)
        self.generators(node, result, 0)
        self.renamed = outer_names
        return result

    def generators(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, result: int, depth: int
    ) -> None:
        if depth == len(node.generators):
            if isinstance(node, ast.DictComp):
                key = self.expression(node.key)
                self.emit(ir.Append(node, result, self.expression(node.value), key))
            else:
                self.emit(ir.Append(node, result, self.expression(node.elt)))
            return
        generator = node.generators[depth]
        iterable = self.expression(generator.iter)
        element = self.register()
        for name in names_stored(generator.target):
            self.renamed[name] = f"{name}@{element}"
        outer, self.block = self.block, []
        self.store(generator.target, element)
        enclosing: list[tuple[ast.expr, int, ir.Block]] = []
        for condition in generator.ifs:
            enclosing.append((condition, self.expression(condition), self.block))
            self.block = []
        self.generators(node, result, depth + 1)
        for condition, test, block in reversed(enclosing):
            inner, self.block = self.block, block
            self.emit(ir.If(condition, test, inner, []))
        body, self.block = self.block, outer
        self.emit(ir.For(node, element, iterable, body, []))

    def starred(self, node: ast.Starred) -> int:
        return self.expression(node.value)

    # Values that are unpacked where they are built

    def parts_of(self, node: ast.expr, count: int, at: ast.expr) -> list[int]:
        """Emits the `count` elements of a value one by one; returns their registers.

        The count tells how many elements a starred part has, and how often a comprehension runs.
        """
        if _is_open_display(node) and count >= len(node.elts):  # type: ignore[attr-defined]  # it is a display
            return self._display_parts(node, count, at)  # type: ignore[arg-type]
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and _is_plain_loop(node.generators):
            return self._rounds(node, count, at)
        registers = [self.register() for _ in range(count)]
        self.emit(ir.Unpack(at, registers, self.expression(node), -1))
        return registers

    def _display_parts(self, node: ast.Tuple | ast.List, count: int, at: ast.expr) -> list[int]:
        registers: list[int] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                registers += self.parts_of(element.value, count - len(node.elts) + 1, at)
            else:
                registers.append(self.expression(element))
        return registers

    def _rounds(self, node: ast.ListComp | ast.GeneratorExp, count: int, at: ast.expr) -> list[int]:
        generator = node.generators[0]
        registers: list[int] = []
        outer = self.renamed
        for element in self.parts_of(generator.iter, count, at):
            self.renamed = {**outer, **{name: f"{name}@{element}" for name in names_stored(generator.target)}}
            self.store(generator.target, element)
            registers.append(self.expression(node.elt))
        self.renamed = outer
        return registers


#: What a comprehension makes; a generator expression is consumed from its start.
_COMPREHENSIONS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}


def _is_open_display(node: ast.expr) -> bool:
    """Whether an expression is a tuple or list with one starred element."""
    return isinstance(node, (ast.Tuple, ast.List)) and [type(e) for e in node.elts].count(ast.Starred) == 1


def _is_plain_loop(generators: list[ast.comprehension]) -> bool:
    """Whether a comprehension makes exactly one element per element of its iterable."""
    return len(generators) == 1 and not generators[0].ifs and not generators[0].is_async


def can_be_taken_apart(node: ast.expr) -> bool:
    """Whether the elements of an expression can be told apart once their number is known."""
    return _is_open_display(node) or (
        isinstance(node, (ast.ListComp, ast.GeneratorExp)) and _is_plain_loop(node.generators)
    )


def names_stored(node: ast.AST) -> list[str]:
    """Names that a target or pattern binds."""
    names: list[str] = []
    stack: list[ast.AST] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name) and isinstance(current.ctx, ast.Store):
            names.append(current.id)
        for attribute in ("name", "rest"):
            value = getattr(current, attribute, None)
            if isinstance(value, str) and type(current).__name__.startswith("Match"):
                names.append(value)
        stack += children(current)
    return names


_EXPRESSIONS: dict[type[ast.expr], Callable[[Expressions, Any], int]] = {
    ast.Constant: Expressions.constant,
    ast.Name: Expressions.name,
    ast.Attribute: Expressions.attribute,
    ast.Subscript: Expressions.subscript,
    ast.Slice: Expressions.slice_part,
    ast.Tuple: Expressions.tuple_display,
    ast.List: Expressions.list_display,
    ast.Set: Expressions.set_display,
    ast.Dict: Expressions.dict_display,
    ast.Call: Expressions.call,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.BoolOp: Expressions.boolean,
    ast.IfExp: Expressions.conditional,
    ast.Compare: Expressions.compare,
    ast.NamedExpr: Expressions.named,
    ast.Lambda: Expressions.lambda_expression,
    ast.Await: Expressions.await_expression,
    ast.Yield: Expressions.yield_expression,
    ast.YieldFrom: Expressions.yield_expression,
    ast.JoinedStr: Expressions.string,
    ast.FormattedValue: Expressions.formatted,
    ast.ListComp: Expressions.comprehension,
    ast.SetComp: Expressions.comprehension,
    ast.GeneratorExp: Expressions.comprehension,
    ast.DictComp: Expressions.comprehension,
    ast.Starred: Expressions.starred,
}
