"""Decides what else relies on a written tensor being this very object, so that a new tensor in its place would not do.

Names, attributes and containers that share its memory are seen by a run (`interp.sharing`). Here is what only the text
tells: defaults that later calls are given, results that a `return` has handed out, what was set on the object itself.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import Refused
from ..syntax.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..interp.frames import Frame
    from ..interp.sharing import Sharing
    from ..syntax.module import Module
    from ..syntax.surroundings import Surroundings

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: What belongs to a tensor object, and not to its memory.
_OF_THE_OBJECT = frozenset({"retain_grad", "retains_grad", "data_ptr", "_version", "untyped_storage"})
#: Builtins that tell one object from another, or set something on one.
_ABOUT_OBJECTS = frozenset({"id", "setattr", "getattr", "hasattr"})


def check(module: Module, around: Surroundings, sharing: Sequence[Sharing]) -> Iterator[str]:
    """The differences that a new tensor makes to such holders. Raises Refused where the object itself is relied on."""
    if _handed_out(around.path, around.node):
        raise Refused("a `return` has handed this tensor out before the `finally` that writes it")
    for frame, spelled in _spellings(around, sharing).items():
        scope = frame.function.node if frame.function is not None else frame.module.tree
        if (use := _set_on_object(scope, spelled)) is not None:
            raise Refused(f"`{use}` belongs to this tensor, and a new one would not have it")
    for name in sorted(_defaults(sharing)):
        yield f"the default of `{name}`, which later calls get, no longer changes"
    if b".register_forward_" in module.source:
        yield "what a forward hook has kept no longer changes"


def _spellings(around: Surroundings, sharing: Sequence[Sharing]) -> dict[Frame, set[str]]:
    """For each activation, the expressions that name the tensor in its text."""
    found: dict[Frame, set[str]] = {}
    for seen in sharing:
        for frame, name, how in seen.names:
            if how == "tensor":
                found.setdefault(frame, set()).add(name)
        written = getattr(around.node, "target", getattr(getattr(around.node, "func", None), "value", None))
        if isinstance(written, ast.Attribute):
            found.setdefault(seen.place.frame, set()).add(ast.unparse(written))
    return found


def _defaults(sharing: Iterable[Sharing]) -> set[str]:
    """The parameters that hold the tensor and whose default is an object that all calls share: `acc=torch.zeros(3)`."""
    return {
        name
        for seen in sharing
        for frame, name, _ in seen.names
        if name in _default_names(frame) and _default_names(frame)[name]
    }


def _default_names(frame: Frame) -> dict[str, bool]:
    """For each parameter with a default, whether that may be or hold a tensor."""
    given = getattr(frame.function and frame.function.node, "args", None)
    if not isinstance(given, ast.arguments):
        return {}
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(positional), reversed(given.defaults)),
        *zip(given.kwonlyargs, given.kw_defaults),
    ]
    return {
        parameter.arg: not isinstance(default, (ast.Constant, ast.UnaryOp))
        for parameter, default in pairs
        if default is not None
    }


def _handed_out(path: Sequence[ast.AST], node: ast.AST) -> bool:
    """Whether the node stands in a `finally` that runs after a `return` of what the function computed."""
    for outer, inner in zip(path, [*path[1:], node]):
        if isinstance(outer, ast.Try) and inner in outer.finalbody:
            earlier = [
                *outer.body,
                *outer.orelse,
                *(one for handler in outer.handlers for one in handler.body),
            ]
            if any(isinstance(one, ast.Return) and one.value is not None for one in _statements(earlier)):
                return True
    return False


def _statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a block that its own function runs."""
    pending = [*block]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


def _set_on_object(scope: ast.AST, spelled: set[str]) -> str | None:
    """What the text sets on, or asks of, the object under one of its names; None if nothing: `h.retain_grad()`."""
    for node in walk(scope):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in spelled:
            if node.attr in _OF_THE_OBJECT or (
                isinstance(node.ctx, ast.Store) and node.attr not in ("data", "grad", "requires_grad")
            ):
                return f"{ast.unparse(node.value)}.{node.attr}"
        elif isinstance(node, ast.Call) and node.args and ast.unparse(node.args[0]) in spelled:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in _ABOUT_OBJECTS or (called in ("ref", "proxy", "finalize")):
                return f"{ast.unparse(node.func)}({ast.unparse(node.args[0])})"
    return None


def may_be_set(module: Module, node: ast.expr) -> None:
    """Raises Refused if an attribute may be one that cannot be assigned, or whose assignment does more."""
    if isinstance(node, ast.Attribute) and _cannot_be_set(module, node.attr):
        raise Refused(f"`{node.attr}` is computed, or cannot be set, in a class of this file")


def _cannot_be_set(module: Module, attribute: str) -> bool:
    """Whether a class of the file computes the attribute by a method, or lets none of its attributes be set."""
    for cls in (one for one in walk(module.tree) if isinstance(one, ast.ClassDef)):
        body = cls.body
        if any(isinstance(one, _FUNCTIONS[:2]) and one.name == attribute for one in body):
            return True
        fixed = any(
            isinstance(one, ast.Call)
            and any(k.arg == "frozen" and getattr(k.value, "value", None) is True for k in one.keywords)
            for one in cls.decorator_list
        )
        fields = (one.target for one in body if isinstance(one, ast.AnnAssign))
        if fixed and any(isinstance(one, ast.Name) and one.id == attribute for one in fields):
            return True
    return False


def keeps_dtype(top: ast.expr, links: int, node: ast.AST) -> bool:
    """Whether the calls of an in-place chain, other than `node`, are given numbers only: these never promote.

    In place, a number that would make another dtype of the result is an error.
    """
    for _ in range(links):
        if not isinstance(top, ast.Call) or not isinstance(top.func, ast.Attribute):
            break
        given = [*top.args, *(keyword.value for keyword in top.keywords)]
        if top is not node and not all(_is_plain(one) for one in given):
            return False
        top = top.func.value
    return True


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)
