"""Tests that `__init__` and other methods make alike: what one arm builds is not there in the other arm of the other.

if self.stride > 1:                              if self.stride > 1:
    self.scale = ConvBnAct(…)                        y = self.scale(x)      # the ConvBnAct
else:
    self.scale = nn.Identity()
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import construct
from .atoms import Layer, Object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .atoms import Sketched, Test
    from .expressions import Scope

#: Comparisons that say the opposite of another.
_OPPOSITE = {ast.IsNot: ast.Is, ast.NotEq: ast.Eq}
_NONE: dict[str, str] = {}


def test_of(node: ast.expr, receiver: str, held: Mapping[str, str] = _NONE) -> tuple[Test, bool] | None:
    """A test of an attribute of the receiver, or of an argument that an attribute holds, and whether it must hold."""
    holds = True
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, holds = node.operand, not holds
    how: type[ast.cmpop] | None = None
    constant: object = None
    if isinstance(node, ast.Compare):
        with_what = node.comparators[0]
        if len(node.ops) > 1 or not isinstance(with_what, ast.Constant):
            return None
        how, constant = type(node.ops[0]), with_what.value
        if how in _OPPOSITE:
            how, holds = _OPPOSITE[how], not holds
        node = node.left
    name = ""
    if isinstance(node, ast.Attribute):
        name = node.attr if isinstance(node.value, ast.Name) and node.value.id == receiver else ""
    elif isinstance(node, ast.Name):
        name = held.get(node.id, "")
    return ((name, how, constant), holds) if name else None


def possible(scope: Scope, obj: Object, name: str, value: Sketched) -> Sketched:
    """What an attribute may be in the arms in which the scope stands."""
    told = _told(scope)
    gone: set[object] = set()
    here: set[object] = set()
    for test, holds, built in obj.parts[name]:
        excluded = test is not None and (test, not holds) in told and _is_lasting(scope, obj, test[0])
        (gone if excluded else here).update(built)
    gone -= here
    if not gone:
        return value
    return tuple(atom for atom in value if atom not in gone or not isinstance(atom, (Layer, Object)))


def _told(scope: Scope) -> set[tuple[Test, bool]]:
    """Which tests of the receiver hold where the scope stands, and which do not."""
    source = scope.source
    if source is None or source.owner is None or not source.parameters:
        return set()
    receiver = source.parameters[0].arg
    told: set[tuple[Test, bool]] = set()
    for node, (here, there) in scope.asked:
        if here in scope.arms or there in scope.arms:
            found = test_of(node, receiver)
            if found is not None:
                told.add((found[0], found[1] is (here in scope.arms)))
    return told


def _is_lasting(scope: Scope, obj: Object, name: str) -> bool:
    """Whether an attribute is assigned once, by `__init__`."""
    entries = 0
    for cls in construct.classes_of(scope, obj.source):
        for method in () if isinstance(cls, str) else cls.methods.values():
            found = len(scope.sketches.assigned(method).names.get(f".{name}", ()))
            entries += found
            if found and method.name != "__init__":
                return False
    return entries == 1
