"""Helpers shared by the attention rules: diagnostics at terms of the value graph, and fixes that edit one call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import Diagnostic, Label
from . import places
from .places import rule_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from ..attention.find import Seen
    from ..attention.rewrite import Changes
    from ..attention.terms import Term
    from ..model import FixPlan
    from ..syntax.module import FunctionSource, Module

    #: A fix, or the reason why there is none.
    Offer: TypeAlias = "tuple[FixPlan | None, str | None]"


def call_change(
    applicability: str,
    message: str,
    function: FunctionSource,
    changed: Mapping[ast.AST, Changes],
    *differences: str,
    gone: Sequence[ast.stmt] = (),
    importing: str | None = None,
    reshaped: Sequence[ast.AST] = (),
) -> FixPlan:
    """A fix that changes expressions of one function and removes the statements `gone`, which it makes dead.

    `reshaped` are calls of `view` on values whose memory layout the fix changes; they become `reshape`.
    """
    from ..attention.rewrite import of_function, reshapes

    changes = {**changed, **reshapes(reshaped)}
    return of_function(applicability, message, differences, function, changes, gone, importing)


def diagnostic(
    module: Module,
    code: str,
    severity: str,
    at: ast.AST,
    message: str,
    caption: str,
    help: str,
    labels: tuple[Label, ...] = (),
    plan: FixPlan | None = None,
    refused: str | None = None,
    confidence: str = "likely",
) -> Diagnostic:
    return Diagnostic(
        code,
        rule_name(code),
        severity,
        confidence,
        message,
        places.location(module, at),
        labels,
        caption=caption,
        help=help,
        plan=plan,
        fix_refused=refused,
    )


def label(role: str, message: str, term: Term) -> tuple[Label, ...]:
    """A label at the expression that computes a term; empty if that has no known place."""
    if term.at is None or term.function is None or not hasattr(term.at, "lineno"):
        return ()
    return (Label(role, message, places.location(term.function.module, term.at)),)


def offered(seen: Seen, fix: Callable[..., Offer], *given: Any) -> Offer:
    """The rule's fix or its reason for none; always `seen.refused` if no finding of this graph may be fixed."""
    return (None, seen.refused) if seen.refused is not None else fix(*given)


def argument(call: ast.AST, position: int, name: str) -> ast.expr | None:
    """The expression that a call passes for a parameter; None if it passes none, or perhaps through `*args`."""
    if not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
        return call.args[position]
    return None


def place_of(call: ast.AST, position: int, name: str) -> int | str | None:
    """How a call passes a parameter: its position, its keyword, or None if it does not."""
    if not isinstance(call, ast.Call):
        return None
    if any(one.arg == name for one in call.keywords):
        return name
    return position if argument(call, position, name) is not None else None


def is_plain(call: ast.AST) -> bool:
    """Whether a call passes its arguments one by one, without `*args` and `**kwargs`."""
    return (
        isinstance(call, ast.Call)
        and bool(call.args or call.keywords)
        and not any(isinstance(one, ast.Starred) for one in call.args)
        and all(one.arg is not None for one in call.keywords)
    )
