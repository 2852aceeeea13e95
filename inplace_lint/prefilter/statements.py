"""Interprets each kind of statement: joins the arms of branches, and runs loop bodies up to twice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.operators import OPERATORS
from ..torchmodel import table
from . import bindings, effects, grad_mode
from .atoms import EVERYWHERE, EVIDENT, NOTHING, Box, Cell, Class, Function, Store, apart, united
from .expressions import elements, test
from .flow import STATEMENTS, Flow, every_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .atoms import Atoms

#: Loops nested deeper than this are run once, not twice.
_LOOPS = 2


def _assign(flow: Flow, node: ast.Assign) -> bool:
    value = flow.value(node.value)
    copied = _stores(value) if isinstance(node.value, ast.Name) else None
    for target in node.targets:
        flow.assign(target, value)
        if isinstance(target, ast.Name):
            if copied and isinstance(node.value, ast.Name):
                flow.copies[target.id] = (node.value.id, copied)
            else:
                flow.copies.pop(target.id, None)
        else:
            _exchange(flow, target, node.value)
    return False


def _exchange(flow: Flow, target: ast.expr, value: ast.expr) -> None:
    """Checks `x[i], x[j] = x[j], x[i]`, or `x[j] = kept`: a view of `x` may be overwritten before its use."""
    pairs: list[tuple[ast.expr, ast.expr]]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = [*zip(target.elts, value.elts)][1:]
    else:
        pairs = [(target, value)] if isinstance(value, ast.Name) else []
    for into, taken in pairs:
        if not isinstance(into, ast.Subscript) or not isinstance(taken, (ast.Name, ast.Subscript)):
            continue
        known = flow.names.get(taken.id, NOTHING) if isinstance(taken, ast.Name) else flow.value(taken)
        stores = [store for store, writes in _stores(known) if writes > 1 or isinstance(taken, ast.Subscript)]
        for store, _ in _stores(flow.value(into.value)) if stores else ():
            if store in stores:
                flow.doubt(EVIDENT, store)


def _stores(value: Atoms) -> list[tuple[Store, int]]:
    return [(atom.store, atom.store.writes) for atom in value if isinstance(atom, Cell)]


def _annotated(flow: Flow, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        flow.assign(node.target, flow.value(node.value))
    return False


def _augmented(flow: Flow, node: ast.AugAssign) -> bool:
    target = node.target
    old = flow.value(target)
    value = flow.value(node.value)
    sign = OPERATORS[type(node.op)]
    kept: list[Atoms] = []
    flow.overwrites(old)
    for atom in old:
        if isinstance(atom, Cell):
            op = table.operator(sign + "=")
            if op is not None and sign != "@":
                effects.apply(flow, op, [(atom,), value], [target, node.value], {})
                kept.append((atom,))
            else:
                kept.append(effects.operator(flow, sign, (atom,), value, target, node.value))
        elif isinstance(atom, Box):
            atom.items.append(elements(flow, value))
            atom.ordered = False
            kept.append((atom,))
        else:
            kept.append((atom,))
    if not old:
        kept.append(effects.operator(flow, sign, old, value, target, node.value))
    if isinstance(target, ast.Subscript):
        flow._set_item(target, united(kept))
    else:
        flow.assign(target, united(kept))
    return False


def _expression(flow: Flow, node: ast.Expr) -> bool:
    call = node.value
    if type(call) is ast.Call:
        func = call.func
        flow.discards = isinstance(func, ast.Attribute) and type(func.value) in _MADE_HERE
        flow.value(call)
        flow.discards = False
    elif type(call) is not ast.Constant:
        flow.value(call)
    return False


#: Receivers that the statement itself may create: `x[0].add_(1)`, `f(x).add_(1)`.
_MADE_HERE = (ast.Call, ast.Subscript)


def _return(flow: Flow, node: ast.Return) -> bool:
    if node.value is not None:
        flow.returned.append(apart(flow.value(node.value), flow.without, later=True))
    return True


def _ends(flow: Flow, node: ast.stmt) -> bool:
    return True


def _if(flow: Flow, node: ast.If) -> bool:
    test(flow, node.test)
    return _branch(flow, [node.body, node.orelse])


def _branch(flow: Flow, arms: list[list[ast.stmt]]) -> bool:
    """Interprets the arms of a branch and joins them: an arm sees no save of another arm; the code after sees all.

    Arms that return or raise do not take part in the join. Returns whether all arms end.
    """
    before = flow.names
    recording = flow.recording
    around, without = flow.arms, flow.without
    tokens = flow.prefilter.tokens(len(arms))
    all_of_them = frozenset(tokens)
    left: list[tuple[dict[str, Atoms], frozenset[int]]] = []
    ended: set[int] = set()
    for token, arm in zip(tokens, arms):
        flow.names = dict(before)
        flow.recording = recording
        others = all_of_them - {token}
        flow.arms, flow.without = around | {token}, without | others
        if flow.run(arm):
            ended.add(token)
        else:
            left.append((flow.names, others))
    flow.arms, flow.without = around, without | ended
    if not left:
        flow.names = before
        return True
    if ended and len(left) == 1:
        flow.arms = around | (all_of_them - ended)  # the rest runs only in this arm
    flow.names = _joined(flow, left)
    return False


#: Maximum number of alternatives of a name; most names have a few.
_MOST = 512


def _joined(flow: Flow, arms: list[tuple[dict[str, Atoms], frozenset[int]]]) -> dict[str, Atoms]:
    """Joins the names after the arms, each given with the arms not taken on its path."""
    (first, without), *others = arms
    merged = False
    for other, elsewhere in others:
        for name, value in other.items():
            known = first.get(name)
            if known is None:
                first[name] = value
            elif known is not value and known != value:
                both = united([known if merged else apart(known, without), apart(value, elsewhere)])
                first[name] = both if len(both) <= _MOST else flow.crowded(both)
        merged = len(others) > 1
    return first


def _for(flow: Flow, node: ast.For | ast.AsyncFor) -> bool:
    before, flow.draws = flow.draws, False
    iterable = flow.value(node.iter)
    again = flow.draws
    flow.draws = before
    target = node.target
    bound = {target.id} if isinstance(target, ast.Name) else {name.id for name in every_name(target)}
    rounds = 0

    def start() -> None:
        nonlocal rounds
        rounds += 1
        # A generator runs between the rounds.
        flow.assign(node.target, elements(flow, flow.value(node.iter) if again and rounds > 1 else iterable))
        if flow.copies:
            for name in [name for name, (source, _) in flow.copies.items() if source in bound]:
                del flow.copies[name]  # the round before bound it to another `x`

    return _loop(flow, node, start)


def _while(flow: Flow, node: ast.While) -> bool:
    return _loop(flow, node, lambda: test(flow, node.test))


def _loop(flow: Flow, node: ast.For | ast.AsyncFor | ast.While, start: Callable[[], object]) -> bool:
    around = (flow.held, flow.loop)
    before = flow.held = dict(flow.names)
    flow.loop = node
    arms, without = flow.arms, flow.without
    flow.loops += 1
    for _ in range(2 if flow.loops <= _LOOPS else 1):
        flow.at = node
        stored = flow.stored
        start()
        flow.run(node.body)
        flow.names = _joined(flow, [(flow.names, EVERYWHERE), (before, EVERYWHERE)])
        flow.arms, flow.without = (
            arms,
            without,
        )  # the arm of a `continue` may run in another round
        if flow.stored == stored or not (flow.remembers or flow.copies):
            break  # a write in another round hits no save
    flow.loops -= 1
    flow.held, flow.loop = around
    flow.run(node.orelse)
    return False


def _with(flow: Flow, node: ast.With | ast.AsyncWith) -> bool:
    recording = flow.recording
    for item in node.items:
        mode = grad_mode.grad_mode(flow, item.context_expr)
        if mode is not None:
            flow.recording = mode
            continue
        value = flow.value(item.context_expr)
        if item.optional_vars is not None:
            flow.assign(item.optional_vars, value or (Cell(Store()),))
    ended = flow.run(node.body)
    flow.recording = recording
    return ended


def _try(flow: Flow, node: ast.Try) -> bool:
    handlers = [h.body for h in node.handlers]
    arms = flow.arms
    if handlers:
        before = dict(flow.names)
        ended = flow.run(node.body) or flow.run(node.orelse)
        flow.arms = arms
        after = flow.names
        flow.names = _joined(flow, [(dict(after), EVERYWHERE), (before, EVERYWHERE)])
        caught = _branch(flow, handlers)
        if not ended:
            flow.names = after if caught else _joined(flow, [(after, EVERYWHERE), (flow.names, EVERYWHERE)])
        flow.arms = arms
        ended = ended and caught
    else:
        ended = flow.run(node.body)
    return flow.run(node.finalbody) or ended


def _function(flow: Flow, node: ast.FunctionDef) -> bool:
    source = flow.module.function_of(node)
    names = [flow.names, *flow.outer] if flow.source is not None else None
    flow.names[node.name] = (Function(source, names=names),)
    return False


def _class(flow: Flow, node: ast.ClassDef) -> bool:
    flow.names[node.name] = (Class(flow.module.class_of(node)),)
    return False


def _import(flow: Flow, node: ast.Import) -> bool:
    if flow.source is None:
        return False  # top-level imports are resolved on use
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        module = alias.name if alias.asname else name
        flow.names[name] = bindings.imported(flow.prefilter, flow.module, module, None, 0)
    return False


def _import_from(flow: Flow, node: ast.ImportFrom) -> bool:
    if flow.source is None:
        return False
    for alias in node.names:
        flow.names[alias.asname or alias.name] = bindings.imported(
            flow.prefilter, flow.module, node.module or "", alias.name, node.level
        )
    return False


def _delete(flow: Flow, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            flow.names[target.id] = NOTHING
    return False


def _assert(flow: Flow, node: ast.Assert) -> bool:
    test(flow, node.test)
    return False


def _capture(flow: Flow, pattern: Any, subject: Atoms) -> None:
    """Binds the names of a pattern to what they may be: the subject, its elements, or its attributes."""
    attributes = [
        (inner, flow.prefilter.attribute(flow, subject, name))
        for name, inner in zip(getattr(pattern, "kwd_attrs", ()), getattr(pattern, "kwd_patterns", ()))
    ]
    parts = [part for part in (getattr(pattern, "pattern", None), *getattr(pattern, "patterns", ())) if part]
    whole = isinstance(pattern, (ast.MatchAs, ast.MatchOr))
    within = subject if whole else united([subject, elements(flow, subject)])
    for inner, value in [*attributes, *((part, within) for part in parts)]:
        _capture(flow, inner, value)
    for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
        if isinstance(name, str):
            flow.assign(ast.Name(name, ast.Store()), within)


def _match(flow: Flow, node: Any) -> bool:
    subject = flow.value(node.subject)
    for case in node.cases:
        _capture(flow, case.pattern, subject)
    return _branch(flow, [*[case.body for case in node.cases], []])


STATEMENTS.update(
    {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Expr: _expression,
        ast.Return: _return,
        ast.Raise: _ends,
        ast.Break: _ends,
        ast.Continue: _ends,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Delete: _delete,
        ast.Assert: _assert,
        ast.Match: _match,
    }
)
if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = _try
