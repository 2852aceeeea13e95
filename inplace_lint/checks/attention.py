"""What the rules of attention share: places in the graph, plans as fixes, small edits of one call."""

from __future__ import annotations

from ..model import Diagnostic, Edit, FixPlan, Label, Location
from . import places
from .places import rule_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from ..attention.find import Seen
    from ..attention.frames import Moment
    from ..attention.plan import Plan
    from ..attention.terms import Term
    from ..syntax.module import Module
else:
    import _ast as ast


class Rewrite(FixPlan):
    """One call of the kernel in place of the products and the softmax."""

    __slots__ = ("_plan",)

    def __init__(self, plan: Plan) -> None:
        message = "call `F.scaled_dot_product_attention`, which computes the same and keeps no scores"
        if plan.notes:
            message += f"; {'; '.join(plan.notes)}"
        super().__init__(plan.applicability, message, tuple(plan.differences))
        self._plan = plan

    def edits(self, source: str) -> tuple[Edit, ...]:
        from ..attention.rewrite import edits

        return edits(source, self._plan)


class Replacement(FixPlan):
    """Edits of single expressions that are known beforehand."""

    __slots__ = ("_edits",)

    def __init__(self, applicability: str, message: str, edits: tuple[Edit, ...], *differences: str) -> None:
        super().__init__(applicability, message, differences)
        self._edits = tuple(sorted(edits, key=lambda edit: edit.location.key()))

    def edits(self, source: str) -> tuple[Edit, ...]:
        return self._edits


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
    """A label where a term is computed, if that is in sight."""
    if term.at is None or term.function is None or not hasattr(term.at, "lineno"):
        return ()
    return (Label(role, message, places.location(term.function.module, term.at)),)


def calls(seen: Seen, op: str) -> list[Moment]:
    """The calls of one operation that stand in the function itself, each once."""
    found: dict[int, Moment] = {}
    for moment in seen.evaluation.moments:
        if moment.depth == 0 and moment.term.op == op and moment.term.at is moment.at:
            found.setdefault(id(moment.at), moment)
    return list(found.values())


def argument(call: ast.AST, position: int, name: str) -> ast.expr | None:
    """The expression that a call passes for a parameter."""
    if not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
        return call.args[position]
    return None


def keyword(call: ast.AST, name: str) -> ast.keyword | None:
    if isinstance(call, ast.Call):
        for one in call.keywords:
            if one.arg == name:
                return one
    return None


def more(module: Module, call: ast.AST, text: str) -> Edit:
    """One more argument at the end of a call."""
    whole = places.location(module, call)
    last = [*getattr(call, "args", ()), *getattr(call, "keywords", ())][-1]
    end = places.location(module, last)
    return Edit(
        f", {text}", Location(whole.filename, end.end_row, end.end_column, end.end_row, end.end_column)
    )


def instead(module: Module, node: ast.AST, text: str) -> Edit:
    return Edit(text, places.location(module, node))
