"""Python's syntax tree -> instructions (`ir`), for one function or module body at a time.

Every construct of the grammar has its lowering; one that a newer Python adds becomes `Opaque`: its value is unknown.
Scopes of comprehensions are kept by renaming: `x` inside becomes `x@3`, which no source can spell.
"""

from __future__ import annotations

from . import ir
from .operators import OPERATORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Any
else:
    import _ast as ast

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


def lower_body(body: list[ast.stmt]) -> ir.Block:
    """The instructions of a function's or module's statements."""
    lowering = _Lowering()
    lowering.statements(body)
    return lowering.block


def lower_function(body: list[ast.stmt]) -> tuple[ir.Block, bool, set[str]]:
    """The instructions of a function's statements, whether it is a generator, and the names that it binds."""
    lowering = _Lowering()
    lowering.statements(body)
    return lowering.block, lowering.yields, lowering.stored


def lower_expression(node: ast.expr) -> tuple[ir.Block, int]:
    """The instructions that compute one expression (a lambda's body, a default), and the register of its value."""
    lowering = _Lowering()
    register = lowering.expression(node)
    return lowering.block, register


class _Lowering:
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

    def nested(self, body: list[ast.stmt]) -> ir.Block:
        outer, self.block = self.block, []
        self.statements(body)
        inner, self.block = self.block, outer
        return inner

    # Statements

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            method = _STATEMENTS.get(type(statement))
            if method is not None:
                method(self, statement)
            else:
                self.unknown_statement(statement)

    def unknown_statement(self, node: ast.AST) -> None:
        """A statement of a newer grammar: the names that it may bind become unknown."""
        for name in _names_stored(node):
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
            self.expression(target.value)
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
            if handler.type is not None:
                self.expression(handler.type)
            if handler.name is not None:
                register = self.register()
                self.emit(ir.Opaque(handler, register, "exception", []))
                self.store_name(handler, handler.name, register)
            self.statements(handler.body)
            handlers.append(self.block)
            self.block = outer
        self.emit(ir.Try(node, body, handlers, self.nested(node.orelse), self.nested(node.finalbody)))

    def return_statement(self, node: ast.Return) -> None:
        self.emit(ir.Return(node, None if node.value is None else self.expression(node.value)))

    def raise_statement(self, node: ast.Raise) -> None:
        if node.exc is not None:
            self.expression(node.exc)
        self.emit(ir.Raise(node))

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
        """pass, global and nonlocal: the scope is read off the tree (`scope.bound_names`)."""

    def type_alias(self, node: ast.AST) -> None:
        self.unknown_statement(node)

    def match(self, node: ast.Match) -> None:
        """A chain of ifs whose tests are not evaluated; what the patterns capture is unknown."""
        subject = self.expression(node.subject)
        self.match_cases(node, subject, 0)

    def match_cases(self, node: ast.Match, subject: int, number: int) -> None:
        if number == len(node.cases):
            return
        case = node.cases[number]
        test = self.pattern(case.pattern, subject)
        outer, self.block = self.block, []
        self.captures(case.pattern, subject)
        if case.guard is not None:
            # The captures stay bound where the guard fails, and the next case is tried.
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

    def pattern(self, pattern: ast.pattern, subject: int) -> int:
        """Emit the test whether a pattern matches, as far as it is a plain comparison."""
        test = self.register()
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            self.emit(ir.Constant(pattern, test, True))
        elif isinstance(pattern, ast.MatchSingleton):
            literal = self.register()
            self.emit(ir.Constant(pattern, literal, pattern.value))
            self.emit(ir.Compare(pattern, test, "is", subject, literal))
        elif isinstance(pattern, ast.MatchValue):
            self.emit(ir.Compare(pattern, test, "==", subject, self.expression(pattern.value)))
        else:
            self.emit(ir.Opaque(pattern, test, "match", [subject]))
        return test

    def captures(self, pattern: ast.pattern, subject: int) -> None:
        """Bind the names of a pattern that matched: a name for the whole is the subject, the others are unknown."""
        if isinstance(pattern, ast.MatchAs) and pattern.name is not None:
            self.store_name(pattern, pattern.name, subject)
        inner = pattern.pattern if isinstance(pattern, ast.MatchAs) else pattern
        for name in [] if inner is None else _names_stored(inner):
            register = self.register()
            self.emit(ir.Opaque(pattern, register, "capture", [subject]))
            self.store_name(pattern, name, register)

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
        """Emit what computes `node`; the register that holds its value."""
        method = _EXPRESSIONS.get(type(node))
        if method is not None:
            return method(self, node)
        return self.opaque(node, "expression", self.parts(node))

    def parts(self, node: ast.AST) -> list[int]:
        """Emit every expression inside a node of which only that is known."""
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
        # A long chain `a + b + c + …` nests to the left: walk it down, or a generated file ends the recursion.
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
        left = self.expression(node.left)
        result = -1
        for op, comparator in zip(node.ops, node.comparators):
            right = self.expression(comparator)
            dst = self.register()
            self.emit(ir.Compare(node, dst, _COMPARISONS.get(type(op), "?"), left, right))
            result = dst
            left = right
        if len(node.ops) > 1:
            return self.opaque(node, "comparison", [result])
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
        self.emit(ir.MakeFunction(node, dst, node, decorators, defaults))
        return dst

    def lambda_expression(self, node: ast.Lambda) -> int:
        if self.renamed and not self.renamed.keys().isdisjoint(_names_read(node.body)):
            return self.opaque(node, "lambda", [])  # its body would have to be lowered with the renamed names
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
            kind = "set" if isinstance(node, ast.SetComp) else "list"
            self.emit(ir.Build(node, result, kind, []))
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
        for name in _names_stored(generator.target):
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


def _names_stored(node: ast.AST) -> list[str]:
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
        for field in current._fields:
            child = getattr(current, field, None)
            if isinstance(child, ast.AST):
                stack.append(child)
            elif isinstance(child, list):
                stack.extend(c for c in child if isinstance(c, ast.AST))
    return names


def _names_read(node: ast.AST) -> list[str]:
    """Names that an expression mentions."""
    names: list[str] = []
    stack: list[ast.AST] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name):
            names.append(current.id)
        for field in current._fields:
            child = getattr(current, field, None)
            stack.extend(c for c in (child if isinstance(child, list) else [child]) if isinstance(c, ast.AST))
    return names


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

_EXPRESSIONS: dict[type[ast.expr], Callable[[_Lowering, Any], int]] = {
    ast.Constant: _Lowering.constant,
    ast.Name: _Lowering.name,
    ast.Attribute: _Lowering.attribute,
    ast.Subscript: _Lowering.subscript,
    ast.Slice: _Lowering.slice_part,
    ast.Tuple: _Lowering.tuple_display,
    ast.List: _Lowering.list_display,
    ast.Set: _Lowering.set_display,
    ast.Dict: _Lowering.dict_display,
    ast.Call: _Lowering.call,
    ast.BinOp: _Lowering.binary,
    ast.UnaryOp: _Lowering.unary,
    ast.BoolOp: _Lowering.boolean,
    ast.IfExp: _Lowering.conditional,
    ast.Compare: _Lowering.compare,
    ast.NamedExpr: _Lowering.named,
    ast.Lambda: _Lowering.lambda_expression,
    ast.Await: _Lowering.await_expression,
    ast.Yield: _Lowering.yield_expression,
    ast.YieldFrom: _Lowering.yield_expression,
    ast.JoinedStr: _Lowering.string,
    ast.FormattedValue: _Lowering.formatted,
    ast.ListComp: _Lowering.comprehension,
    ast.SetComp: _Lowering.comprehension,
    ast.GeneratorExp: _Lowering.comprehension,
    ast.DictComp: _Lowering.comprehension,
    ast.Starred: _Lowering.starred,
}
