"""Decides where gradients are recorded, from context managers and decorators such as `torch.no_grad`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import inner_bodies, is_special, walk
from ..torchmodel.spelling import MODES
from .source_words import first_place, stands

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..syntax.module import FunctionSource, Module
    from .prefilter import Prefilter


def grad_mode(prefilter: Prefilter, module: Module, node: ast.expr) -> bool | None:
    """Whether a context manager or decorator turns gradient recording on or off; None if it does neither."""
    call = node if isinstance(node, ast.Call) else None
    found = prefilter.names.resolve(module, node.func if isinstance(node, ast.Call) else node)
    kind = MODES.get(found.what) if found is not None and isinstance(found.what, str) else None
    if kind is None or kind == "autocast":
        return None
    if kind == "off":
        return False
    if kind == "on":
        return True
    told = getattr(call.args[0] if call is not None and call.args else None, "value", True)
    return told is not False if kind == "flag" else told is False


#: Words that turn recording on again inside a no_grad function, or that run a backward.
_RECORDS = (b"enable_grad", b"set_grad_enabled", b"inference_mode", b"backward", b"autograd")

#: Words without which no function turns recording off.
MODES_OFF = (b"no_grad", b"inference_mode", b"set_grad_enabled")

#: Nodes whose code runs at another time than where it stands.
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Yield, ast.YieldFrom)


def records_nothing(prefilter: Prefilter, source: FunctionSource) -> bool:
    """Whether a function is decorated to record nothing, and its text does not turn recording on again.

    The exception is an optimizer's `step(closure)`: it only records the call of `closure` under `enable_grad`.
    """
    decorators = getattr(source.node, "decorator_list", ())
    if not any(grad_mode(prefilter, source.module, decorator) is False for decorator in decorators):
        return False
    text = _body_of(source)
    told = sum(text.count(word) for word in _RECORDS)
    return told == 0 or told == _closures(prefilter, source)


def has_quiet_part(prefilter: Prefilter, source: FunctionSource) -> bool:
    """Whether a function is decorated to record nothing, has a block that records nothing, or cuts something off."""
    if source.mentions(b".detach(") and any(
        isinstance(node, ast.Attribute) and node.attr == "detach" for node in walk(source.node)
    ):
        return True
    if not any(map(source.mentions, MODES_OFF)):
        return False
    modes = list(getattr(source.node, "decorator_list", ()))
    for node in walk(source.node):
        if isinstance(node, ast.With):
            modes += [item.context_expr for item in node.items]
    return any(grad_mode(prefilter, source.module, mode) is False for mode in modes)


#: What Lightning's evaluation loops call of modules and callbacks, all under `no_grad`.
_EVALUATES = frozenset(
    name.format(stage)
    for stage in ("validation", "test", "predict")
    for name in (
        *("{}_step", "{}_step_end", "{}_epoch_end", "on_{}_start", "on_{}_end", "on_{}_epoch_start"),
        *("on_{}_epoch_end", "on_{}_batch_start", "on_{}_batch_end"),
    )
)


def is_unrecorded_method(name: str, bases: Iterable[str]) -> bool:
    """Whether one of a class's bases outside the project (dotted names) calls the method where nothing is recorded.

    Autograd calls `forward` and `backward` of a Function so, and these call its other methods.
    """
    return any(
        base.endswith("autograd.Function")
        or (name in _EVALUATES and base.rpartition(".")[2] in ("LightningModule", "Callback"))
        for base in bases
    )


def calls_quietly(prefilter: Prefilter, source: FunctionSource, name: str) -> bool:
    """Whether a function uses a name, or an attribute of that name, and only in blocks that record nothing.

    One that calls something by way of others does not use its name.
    """
    body = source.node.body
    if not isinstance(body, list) or not _names(walk(source.node), name):
        return False
    return not any(_is_recorded(prefilter, each, source, name) for each in body)


def _is_recorded(prefilter: Prefilter, statement: ast.stmt, source: FunctionSource, name: str) -> bool:
    whole = walk(statement)
    if not _names(whole, name):
        return False
    if isinstance(statement, ast.With) and any(
        grad_mode(prefilter, source.module, item.context_expr) is False for item in statement.items
    ):
        text = source.module.text(statement.body[0].lineno, statement.end_lineno or statement.lineno)
        return any(isinstance(node, _LATER) for node in whole) or any(word in text for word in _RECORDS)
    inner = [each for body in inner_bodies(statement) for each in body]
    own = walk(statement, set(inner))
    return _names(own, name) or any(_is_recorded(prefilter, each, source, name) for each in inner)


def _names(nodes: list[ast.AST], name: str) -> bool:
    return any(name in (getattr(node, "id", ""), getattr(node, "attr", "")) for node in nodes)


def _body_of(source: FunctionSource) -> bytes:
    """The text of a function's body without its docstring."""
    body: list[ast.stmt] = source.node.body  # type: ignore[assignment]  # a lambda has no decorator
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(body) > 1:
        first = body[1]
    return source.module.text(first.lineno, source.node.end_lineno or first.lineno)


def concerns_nobody(prefilter: Prefilter, source: FunctionSource) -> bool:
    """Whether a function records nothing, is not called in its file, and returns no argument that it may have written.

    Its writes then matter only to callers in other files, which ask for its summary.
    """
    if not getattr(source.node, "decorator_list", None) or is_special(source.name):
        return False
    module = source.module
    text = _body_of(source)
    if b"return" in text:
        given = {p.arg.encode() for p in (*source.parameters, *source.node.args.kwonlyargs)}
        if source.owner is not None and source.parameters:
            given.discard(source.parameters[0].arg.encode())
        given |= {p.arg.encode() for p in (source.node.args.vararg, source.node.args.kwarg) if p is not None}
        if any(first_place(text, one, 0, len(text), _is_tensor) >= 0 for one in given):
            return False
    named = _is_asked_of if source.owner is not None else _is_named
    if first_place(module.source, source.name.encode(), 0, len(module.source), named) >= 0:
        return False
    return records_nothing(prefilter, source)


def _is_tensor(text: bytes, start: int, end: int) -> bool:
    """Whether an argument's name may stand for the tensor here: it is not called, or compared with None."""
    return stands(text, start, end) and not text.startswith((b"(", b" is None", b" is not None"), end)


def _is_asked_of(text: bytes, start: int, end: int) -> bool:
    return text[start - 1 : start] == b"." and stands(text, start, end)


def _is_named(text: bytes, start: int, end: int) -> bool:
    return text[start - 4 : start] != b"def " and stands(text, start, end)


def _closures(prefilter: Prefilter, source: FunctionSource) -> int:
    """How many `with enable_grad():` blocks only call parameters without arguments: `loss = closure()`."""
    given = {parameter.arg for parameter in source.parameters}
    found = 0
    pending: list[ast.stmt] = list(getattr(source.node, "body", ()))
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.With) and grad_mode(
            prefilter, source.module, statement.items[0].context_expr
        ):
            calls = [getattr(inner, "value", None) for inner in statement.body]
            found += all(
                isinstance(call, ast.Call)
                and not (call.args or call.keywords)
                and getattr(call.func, "id", "") in given
                for call in calls
            )
        pending.extend(inner for body in inner_bodies(statement) for inner in body)
    return found
