"""Maps operator nodes, and functions of Python's module `operator`, to operator signs."""

from __future__ import annotations

import ast

#: The class of an operator's node, and its sign.
OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}

#: Functions of Python's module `operator` that do the same.
FUNCTIONS = {
    "operator.add": "+",
    "operator.concat": "+",
    "operator.sub": "-",
    "operator.mul": "*",
    "operator.matmul": "@",
    "operator.truediv": "/",
    "operator.floordiv": "//",
    "operator.mod": "%",
    "operator.pow": "**",
    "operator.and_": "&",
    "operator.or_": "|",
    "operator.xor": "^",
}
