"""Maps operator nodes, and functions of Python's module `operator`, to operator signs."""

from __future__ import annotations

import ast

#: Node class of an operator -> its sign.
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

#: Function of Python's module `operator` -> the sign of the same operator.
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

#: Function of the module `operator` that writes its first argument where it can -> the sign of the operator.
IN_PLACE = {
    **{f"operator.i{name.removeprefix('operator.').strip('_')}": sign for name, sign in FUNCTIONS.items()},
    "operator.ilshift": "<<",
    "operator.irshift": ">>",
}
