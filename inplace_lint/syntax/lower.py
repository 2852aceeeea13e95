"""Lowers Python's syntax tree to instructions (`ir`), one function or module body at a time.

Every construct of the grammar is lowered; a construct of a newer Python becomes `Opaque`, with an unknown value.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import ir, patterns
from .expressions import Expressions, can_be_taken_apart, names_stored
from .operators import OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: Values with more parts are built as a whole and then unpacked.
_PARTS = 8


def lower_body(body: list[ast.stmt]) -> ir.Block:
    """Lowers the statements of a function or module."""
    lowering = _Lowering()
    lowering.statements(body)
    return lowering.block


def lower_function(body: list[ast.stmt]) -> tuple[ir.Block, bool, set[str]]:
    """Lowers a function: its instructions, whether it is a generator, and the names that it binds."""
    lowering = _Lowering()
    lowering.statements(body)
    return lowering.block, lowering.yields, lowering.stored


def lower_expression(node: ast.expr) -> tuple[ir.Block, int]:
    """Lowers one expression (a lambda's body, a default): its instructions, and the register of its value."""
    lowering = Expressions()
    register = lowering.expression(node)
    return lowering.block, register


class _Lowering(Expressions):
    def nested(self, body: list[ast.stmt]) -> ir.Block:
        outer, self.block = self.block, []
        self.statements(body)
        inner, self.block = self.block, outer
        return inner

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            method = _STATEMENTS.get(type(statement))
            if method is not None:
                method(self, statement)
            else:
                self.unknown_statement(statement)

    def unknown_statement(self, node: ast.AST) -> None:
        """A statement of a newer grammar: the names that it may bind get unknown values."""
        for name in names_stored(node):
            register = self.register()
            self.emit(ir.Opaque(node, register, "statement", []))
            self.store_name(node, name, register)

    def expression_statement(self, node: ast.Expr) -> None:
        if type(node.value) is not ast.Constant:
            self.expression(node.value)
            last = self.block[-1] if self.block else None
            if isinstance(last, ir.Call) and last.at is node.value:
                last.unused = True

    def assign(self, node: ast.Assign) -> None:
        first = node.targets[0]
        if (
            len(node.targets) == 1
            and isinstance(first, (ast.Tuple, ast.List))
            and len(first.elts) <= _PARTS
            and ast.Starred not in map(type, first.elts)
            and can_be_taken_apart(node.value)
        ):
            parts = self.parts_of(node.value, len(first.elts), first)
            for target, part in zip(first.elts, parts):
                self.store(target, part)
            return
        value = self.expression(node.value)
        for target in node.targets:
            self.store(target, value)

    def annotated_assign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.expression(node.value))
        elif isinstance(node.target, ast.Name):
            self.stored.add(node.target.id)

    def augmented_assign(self, node: ast.AugAssign) -> None:
        op = OPERATORS.get(type(node.op), "?")
        target = node.target
        old, new = self.register(), self.register()
        if isinstance(target, ast.Name):
            name = self.renamed.get(target.id, target.id)
            self.emit(ir.Load(target, old, name))
            value = self.expression(node.value)
            self.emit(ir.Augmented(node, new, op, old, value))
            self.store_name(node, name, new)
        elif isinstance(target, ast.Attribute):
            obj = self.expression(target.value)
            self.emit(ir.GetAttribute(target, old, obj, target.attr))
            value = self.expression(node.value)
            self.emit(ir.Augmented(node, new, op, old, value))
            self.emit(ir.SetAttribute(node, obj, target.attr, new))
        else:
            obj = self.expression(target.value)
            index = self.expression(target.slice)
            self.emit(ir.GetItem(target, old, obj, index))
            value = self.expression(node.value)
            self.emit(ir.Augmented(node, new, op, old, value))
            self.emit(ir.SetItem(node, obj, index, new, augmented=True))

    def delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.delete_target(target)

    def delete_target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            name = self.renamed.get(target.id, target.id)
            self.stored.add(name)
            self.emit(ir.Delete(target, name))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.delete_target(element)
        elif isinstance(target, ast.Attribute):
            self.emit(ir.DeleteAttribute(target, self.expression(target.value), target.attr))
        elif isinstance(target, ast.Subscript):
            obj = self.expression(target.value)
            self.emit(ir.DeleteItem(target, obj, self.expression(target.slice)))

    def if_statement(self, node: ast.If) -> None:
        test = self.expression(node.test)
        self.emit(ir.If(node.test, test, self.nested(node.body), self.nested(node.orelse)))

    def for_statement(self, node: ast.For | ast.AsyncFor) -> None:
        iterable = self.expression(node.iter)
        element = self.register()
        outer, self.block = self.block, []
        self.store(node.target, element)
        self.statements(node.body)
        body, self.block = self.block, outer
        self.emit(ir.For(node, element, iterable, body, self.nested(node.orelse)))

    def while_statement(self, node: ast.While) -> None:
        outer, self.block = self.block, []
        test = self.expression(node.test)
        condition, self.block = self.block, outer
        self.emit(ir.While(node.test, condition, test, self.nested(node.body), self.nested(node.orelse)))

    def with_statement(self, node: ast.With | ast.AsyncWith) -> None:
        outer_blocks: list[tuple[ast.withitem, int, int, ir.Block]] = []
        for item in node.items:
            manager = self.expression(item.context_expr)
            entered = self.register()
            outer_blocks.append((item, manager, entered, self.block))
            self.block = []
            if item.optional_vars is not None:
                self.store(item.optional_vars, entered)
        self.statements(node.body)
        for item, manager, entered, outer in reversed(outer_blocks):
            body, self.block = self.block, outer
            self.emit(ir.With(item.context_expr, manager, entered, body))

    def try_statement(self, node: ast.Try) -> None:
        body = self.nested(node.body)
        handlers = []
        for handler in node.handlers:
            outer, self.block = self.block, []
            kind = None if handler.type is None else self.expression(handler.type)
            of_type, self.block = self.block, []
            if handler.name is not None:
                register = self.register()
                self.emit(ir.Opaque(handler, register, "exception", []))
                self.store_name(handler, handler.name, register)
            self.statements(handler.body)
            handlers.append(ir.Handler(of_type, kind, self.block))
            self.block = outer
        self.emit(ir.Try(node, body, handlers, self.nested(node.orelse), self.nested(node.finalbody)))

    def return_statement(self, node: ast.Return) -> None:
        self.emit(ir.Return(node, None if node.value is None else self.expression(node.value)))

    def raise_statement(self, node: ast.Raise) -> None:
        self.emit(ir.Raise(node, None if node.exc is None else self.expression(node.exc)))

    def break_statement(self, node: ast.Break) -> None:
        self.emit(ir.Break(node))

    def continue_statement(self, node: ast.Continue) -> None:
        self.emit(ir.Continue(node))

    def assert_statement(self, node: ast.Assert) -> None:
        self.emit(ir.Assert(node, self.expression(node.test)))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = [self.expression(decorator) for decorator in node.decorator_list]
        register = self.make_function(node, decorators)
        self.store_name(node, node.name, register)

    def class_definition(self, node: ast.ClassDef) -> None:
        register = self.register()
        self.emit(ir.MakeClass(node, register, node))
        self.store_name(node, node.name, register)

    def import_statement(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            name, module = (top, top) if alias.asname is None else (alias.asname, alias.name)
            self.stored.add(name)
            self.emit(ir.Import(node, name, module, None, 0))

    def import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                name = alias.asname or alias.name
                self.stored.add(name)
                self.emit(ir.Import(node, name, node.module or "", alias.name, node.level))

    def nothing(self, node: ast.AST) -> None:
        """`pass`, `global` and `nonlocal` emit nothing; scopes are read from the tree (`FunctionSource.scope`)."""

    def match(self, node: ast.Match) -> None:
        """Lowers `match` to a chain of ifs over the tests of its patterns."""
        subject = self.expression(node.subject)
        self.match_cases(node, subject, 0)

    def match_cases(self, node: ast.Match, subject: int, number: int) -> None:
        if number == len(node.cases):
            return
        case = node.cases[number]
        test = patterns.test(self, case.pattern, subject)
        outer, self.block = self.block, []
        if case.guard is not None:
            # If the guard fails, the captures stay bound, and the next case is tried.
            guarded = self.register()
            guard = self.expression(case.guard)
            self.emit(ir.Move(case.guard, guarded, guard))
            inner, self.block = self.block, outer
            self.emit(ir.Move(case.pattern, guarded, test))
            self.emit(ir.If(case.pattern, test, inner, []))
            test, self.block = guarded, []
        self.statements(case.body)
        then, self.block = self.block, []
        self.match_cases(node, subject, number + 1)
        orelse, self.block = self.block, outer
        self.emit(ir.If(case.guard or case.pattern, test, then, orelse))


_STATEMENTS: dict[type[ast.stmt], Callable[[_Lowering, Any], None]] = {
    ast.Expr: _Lowering.expression_statement,
    ast.Assign: _Lowering.assign,
    ast.AnnAssign: _Lowering.annotated_assign,
    ast.AugAssign: _Lowering.augmented_assign,
    ast.Delete: _Lowering.delete,
    ast.If: _Lowering.if_statement,
    ast.For: _Lowering.for_statement,
    ast.AsyncFor: _Lowering.for_statement,
    ast.While: _Lowering.while_statement,
    ast.With: _Lowering.with_statement,
    ast.AsyncWith: _Lowering.with_statement,
    ast.Try: _Lowering.try_statement,
    ast.Return: _Lowering.return_statement,
    ast.Raise: _Lowering.raise_statement,
    ast.Break: _Lowering.break_statement,
    ast.Continue: _Lowering.continue_statement,
    ast.Assert: _Lowering.assert_statement,
    ast.FunctionDef: _Lowering.function,
    ast.AsyncFunctionDef: _Lowering.function,
    ast.ClassDef: _Lowering.class_definition,
    ast.Import: _Lowering.import_statement,
    ast.ImportFrom: _Lowering.import_from,
    ast.Pass: _Lowering.nothing,
    ast.Global: _Lowering.nothing,
    ast.Nonlocal: _Lowering.nothing,
    ast.Match: _Lowering.match,
}
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _Lowering.try_statement
