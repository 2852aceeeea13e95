"""IPL404: k and v are repeated for grouped queries where `enable_gqa=True` makes the copies unnecessary."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .attention import argument, call_change, diagnostic, is_plain, label, offered, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.frames import Moment
    from ..attention.terms import Term
    from ..model import Diagnostic
    from ..syntax.module import Module
    from .attention import Offer

CODE = "IPL404"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    found = []
    for ways in seen.calls("sdpa"):
        if not all(_narrow(seen, one.term) for one in ways):
            continue
        moment = ways[0]
        fix, refused = offered(seen, _fix, seen, moment)
        labels = (
            *label("alias", "k is copied for every head of its group", moment.term.args[1]),
            *label("alias", "v is copied for every head of its group", moment.term.args[2]),
        )
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                moment.at,
                "k and v are repeated to the number of query heads",
                "`enable_gqa=True` reads each head of k and v for its group of queries, without the copies",
                "pass k and v as they are, with `enable_gqa=True` (torch 2.5 or newer)",
                labels,
                plan=fix,
                refused=refused,
            )
        )
    return found


def _narrow(seen: Seen, call: Term) -> tuple[Term, Term] | None:
    """k and v of a call before they were repeated; None unless both were."""
    from ..attention.kernel import repeated

    key, value = repeated(seen.shapes, call.args[1]), repeated(seen.shapes, call.args[2])
    return None if key is None or value is None or call.args[7] is not None else (key, value)


def _fix(seen: Seen, moment: Moment) -> Offer:
    from ..attention.dead import dead
    from ..attention.spell import SUM, Speller, Unspellable
    from ..attention.tree import words_of

    call, narrow = moment.at, _narrow(seen, moment.term)
    nodes = argument(call, 1, "key"), argument(call, 2, "value")
    where = place_of(call, 1, "key"), place_of(call, 2, "value")
    lack = seen.target.lacks("enable_gqa")
    if lack is not None or narrow is None or None in nodes or not is_plain(call):
        return None, lack or "the call hands over its arguments in a way that is not known"
    speller, gone, texts = Speller(seen.graph, moment), [], {}
    try:
        for node, place, before, wide in zip(nodes, where, narrow, moment.term.args[1:3]):
            rebinding = _rebinding(seen, moment, node, before, wide)
            gone += [rebinding] if rebinding is not None else []
            texts[place] = "{}" if rebinding is not None else speller.text(before, SUM)
        if speller.moved:
            raise Unspellable
    except Unspellable:
        return None, "k and v as they were before have no name where the kernel is called"
    function = seen.graph.root
    left = [*(one for one in nodes if one is not None), *gone]
    gone += dead(function, left, {word for one in texts.values() for word in words_of(one)})
    fix = call_change(
        "safe",
        "hand over k and v as they are, with `enable_gqa=True` (torch 2.5 or newer)",
        function,
        {call: {"values": texts, "added": {"enable_gqa": "True"}}},
        gone=gone,
    )
    return fix, None


def _rebinding(
    seen: Seen, moment: Moment, node: ast.expr | None, narrow: Term, wide: Term
) -> ast.stmt | None:
    """The statement `k = repeat(k)` if only the kernel reads k afterwards; without it, `k` is the unrepeated k."""
    from ..attention.dead import has_its_lines
    from ..attention.tree import contains, nodes_of

    if not isinstance(node, ast.Name) or moment.names.get(node.id) is not wide:
        return None
    function, name = seen.graph.root, node.id
    body = getattr(function.node, "body", [])
    last = next((i for i, one in enumerate(body) if contains(one, moment.at)), None)
    if last is None:
        return None
    names = [n for n in nodes_of(function.node) if isinstance(n, ast.Name) and n.id == name]
    for statement in reversed(body[:last]):
        if not any(contains(statement, one) and not isinstance(one.ctx, ast.Load) for one in names):
            continue
        if (
            not isinstance(statement, ast.Assign)
            or len(statement.targets) != 1
            or not isinstance(statement.targets[0], ast.Name)
            or not isinstance(statement.value, ast.Call)
            or not has_its_lines(function, statement)
            or not _was(seen, statement.value, name, narrow)
        ):
            return None
        later = [n for n in names if n.lineno > (statement.end_lineno or 0)]
        return statement if later == [node] else None
    return None


def _was(seen: Seen, call: ast.Call, name: str, narrow: Term) -> bool:
    """Whether the name held the unrepeated tensor before the call."""
    for moment in seen.graph.moments:
        if moment.at is call and moment.depth == 0:
            return moment.names.get(name) is narrow
    func = call.func
    first = func.value if isinstance(func, ast.Attribute) and func.attr == "repeat_interleave" else None
    if isinstance(first, ast.Name) and first.id == name:
        return True
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == name
