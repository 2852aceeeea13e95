"""Decides what an attribute holds that `__init__` leaves out and another method sets, such as `setup`.

It is needed when a method is run on an object as its class builds it. If exactly one method of the class assigns
something newly built to the attribute, as a layer or a tensor that requires grad, and does not train by itself, that
method is run on the object first.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..prefilter.selection import trains
from ..syntax.nodes import walk
from . import lookup, names, objects
from .class_value import ClassValue
from .values import FunctionValue, Symbol

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .run import Run
    from .values import Instance, Value

#: Prefixes of the classes of torch whose objects count as newly built.
_BUILT = ("torch.nn.", "torch.optim.")


def value(run: Run, obj: Instance, name: str) -> Value | None:
    """What the attribute holds after the one method that sets it has run; None if there is no such method."""
    if run.builds or not obj.shared:
        return None
    found = [
        method
        for owner in obj.cls.order()
        for method in owner.source.methods.values()
        if method.name != "__init__" and _builds(run, method, name)
    ]
    if len(found) != 1 or found[0] in run.entering.active or trains(found[0].module, found[0]):
        return None
    function = lookup.find(run, obj.cls.order(), found[0].name)
    if not isinstance(function, FunctionValue) or function.source is not found[0]:
        return None
    if (obj, found[0]) in run.program.built.set_up:
        return None
    run.program.built.set_up.add((obj, found[0]))
    objects.run_on(run, obj, function)
    return run.program.built.base.get((obj, name))


def _builds(run: Run, method: FunctionSource, name: str) -> bool:
    """Whether a method assigns the attribute a call of a class or function of the project, or of a torch class.

    One that makes tensors leaves, and freezes nothing, may give it such a tensor.
    """
    return any(
        how == "=" and (_makes_leaves(method) or _is_made(run, method, expression))
        for how, expression, _ in run.program.prefilter.assigned(method).names.get(f".{name}", ())
    )


def _makes_leaves(method: FunctionSource) -> bool:
    """Whether a method asks for gradients of tensors, and freezes none."""
    flags = set(map(_flag, walk(method.node))) if method.mentions(b"requires_grad") else set()
    return True in flags and False not in flags


def _flag(node: ast.AST) -> bool | None:
    """The constant that a node of the source gives as `requires_grad`; None if it gives none."""
    given: ast.expr | None = None
    if (isinstance(node, ast.keyword) and node.arg == "requires_grad") or (
        isinstance(node, ast.Assign)
        and any(getattr(one, "attr", "") == "requires_grad" for one in node.targets)
    ):
        given = node.value
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "requires_grad_":
        given = node.args[0] if node.args else ast.Constant(True)
    return bool(given.value) if isinstance(given, ast.Constant) else None


def _is_made(run: Run, method: FunctionSource, node: ast.expr) -> bool:
    """Whether an expression is such a call, perhaps with methods called on its result: `Net().to(device)`."""
    while isinstance(node, ast.Call):
        func = node.func
        while isinstance(func, ast.Attribute):
            func = func.value
        if isinstance(func, ast.Name):
            made = names.evaluate_in(run, method.module, node.func)
            return isinstance(made, (ClassValue, FunctionValue)) or (
                isinstance(made, Symbol) and made.dotted.startswith(_BUILT)
            )
        node = func
    return False
