"""The same program with every name of its own changed and the operands of commuting operations swapped."""

from __future__ import annotations

import ast
import random

_KEPT = {"forward", "__init__", "self", "training", "Block", "register_buffer", "train"}


def disguised(source: str, seed: int, swap: bool = True) -> str:
    """The program under other names: of variables, parameters, methods and attributes of `self`."""
    tree = ast.parse(source)
    rng = random.Random(seed)
    names: dict[str, str] = {}
    own: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            own.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            own.add(node.attr)
    buffers = {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "register_buffer"
    }
    for number, name in enumerate(sorted(own - _KEPT)):
        names[name] = f"{rng.choice('abcdefgh')}{rng.randrange(100, 999)}{number:02}"
    return (
        ast.unparse(ast.fix_missing_locations(_Disguise(names, {str(b) for b in buffers}, swap).visit(tree)))
        + "\n"
    )


class _Disguise(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], buffers: set[str], swap: bool) -> None:
        self.names, self.buffers, self.swap = names, buffers, swap

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            node.attr = self.names.get(node.attr, node.attr)
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if node.value in self.buffers:
            node.value = self.names.get(str(node.value), node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if self.swap and isinstance(node.op, (ast.Mult, ast.Add)):
            node.left, node.right = node.right, node.left
        return node
