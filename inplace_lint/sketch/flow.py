"""Sketches the statements of a function in their order: what is saved before what is written."""

from __future__ import annotations

import _ast as ast

from ..syntax.lower import OPERATORS
from ..torchmodel import table
from ..torchmodel.spelling import MODES
from . import bindings, effects
from .atoms import NOTHING, Box, Cell, Class, Function, Object, Store, Summary, Symbol, Text, united
from .expressions import Scope, elements, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..syntax.module import FunctionSource, Module
    from .atoms import Sketched
    from .summaries import Sketches

#: Loops inside this many others are passed through once, not twice.
_LOOPS = 2


class Flow(Scope):
    """One pass over the statements of a function, or of a file's top level."""

    dry = False

    def __init__(
        self, sketches: Sketches, module: Module, source: FunctionSource | None = None, depth: int = 0
    ) -> None:
        super().__init__(sketches, module, source, depth)
        self.recording = True
        self.summary = Summary()
        self.returned: list[Sketched] = []
        self._saved: list[Store] = []

    # What happens

    def save(self, store: Store) -> None:
        if store.given:
            self.summary.saves.add(store.given)
        if not store.saved:
            store.saved = True
            self._saved.append(store)

    def write(self, cell: Cell, differentiable: bool, initial: bool = False) -> None:
        store = cell.store
        if store.given:
            self.summary.writes.add(store.given)
            if self.recording and not initial:
                self.summary.recorded.add(store.given)
        if store.saved or store.parted or cell.fragile or (differentiable and store.leaf and not initial):
            self.summary.suspicious = True
        elif (store.passed or store.made) and not self.summary.suspicious:
            self.summary.suspicious = self._saved_by_calls(store)

    def _saved_by_calls(self, store: Store) -> bool:
        from .calls import reached

        for source, name in store.passed:
            if name in self.sketches.of(source).saves:
                return True
        if store.made is None:
            return False
        source, arguments = store.made
        for atom in self.sketches.of(source).returns:
            if isinstance(atom, Cell):
                if atom.store.saved or atom.store.parted or atom.fragile or atom.store.leaf:
                    return True
                if atom.store.given:
                    for cell in reached(self, arguments, atom.store.given):
                        if cell.store.given:
                            self.summary.writes.add(cell.store.given)
                        if cell.store.saved or cell.fragile or (cell.store.leaf and self.recording):
                            return True
                        if cell.store is not store and self._saved_by_calls(cell.store):
                            return True
        return False

    def suspect(self) -> None:
        self.summary.suspicious = True

    def give(self, value: Sketched) -> None:
        self.returned.append(value)

    # Statements

    def run(self, body: list[ast.stmt]) -> bool:
        """Statements in order; whether the path ends among them."""
        for statement in body:
            action = _STATEMENTS.get(type(statement))
            if action is not None and action(self, statement):
                return True
        return False

    def either(self, node: ast.IfExp) -> Sketched:
        self.value(node.test)
        mark = len(self._saved)
        first = self.value(node.body)
        hidden = self._hide(mark)
        second = self.value(node.orelse)
        _show(hidden)
        return united([first, second])

    def _hide(self, mark: int) -> list[Store]:
        """Saves since the mark do not hold on the path that is sketched next."""
        hidden = self._saved[mark:]
        for store in hidden:
            store.saved = False
        return hidden

    def assign(self, target: ast.expr, value: Sketched) -> None:
        """target = value."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            for atom in self.value(target.value):
                if isinstance(atom, Object):
                    atom.slots[target.attr] = value
                elif isinstance(atom, Cell):
                    if target.attr == "requires_grad":
                        atom.store.leaf = atom.store.grad = True
                    elif target.attr not in ("data", "grad"):
                        members = atom.store.members
                        if members is None:
                            members = atom.store.members = {}
                        members[target.attr] = value
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for inner, part in zip(target.elts, unpacked(self, value, len(target.elts), target.elts)):
                self.assign(inner, part)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, (Box([value], ordered=False),))

    def _set_item(self, target: ast.Subscript, value: Sketched) -> None:
        key = self.value(target.slice)
        for atom in self.value(target.value):
            if isinstance(atom, Box):
                atom.items.append(value)
                atom.ordered = False
            elif isinstance(atom, Cell) and not (key and isinstance(key[0], Text)):
                op = table.operator("[]=")
                index: Sketched = tuple(a for a in key if isinstance(a, Cell))
                if op is not None:
                    effects.apply(self, op, [(atom,), index, value], (), {})


def _show(hidden: list[Store]) -> None:
    for store in hidden:
        store.saved = True


def _assign(flow: Flow, node: ast.Assign) -> bool:
    value = flow.value(node.value)
    for target in node.targets:
        flow.assign(target, value)
    return False


def _annotated(flow: Flow, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        flow.assign(node.target, flow.value(node.value))
    return False


def _augmented(flow: Flow, node: ast.AugAssign) -> bool:
    target = node.target
    old = flow.value(target)
    value = flow.value(node.value)
    sign = OPERATORS[type(node.op)]
    kept: list[Sketched] = []
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
    if type(node.value) is not ast.Constant:
        flow.value(node.value)
    return False


def _return(flow: Flow, node: ast.Return) -> bool:
    if node.value is not None:
        flow.returned.append(flow.value(node.value))
    return True


def _ends(flow: Flow, node: ast.stmt) -> bool:
    return True


def _if(flow: Flow, node: ast.If) -> bool:
    flow.value(node.test)
    return _branch(flow, [node.body, node.orelse])


def _branch(flow: Flow, arms: list[list[ast.stmt]]) -> bool:
    """Arms of which one runs: none sees the saves of another, and what follows sees those of all that go on."""
    before = flow.names
    recording = flow.recording
    hidden: list[Store] = []
    left: list[dict[str, Sketched]] = []
    for arm in arms:
        flow.names = dict(before)
        flow.recording = recording
        mark = len(flow._saved)
        ended = flow.run(arm)
        now = flow._hide(mark)
        if not ended:
            hidden.extend(now)
            left.append(flow.names)
    _show(hidden)
    if not left:
        flow.names = before
        return True
    flow.names = left[0] if len(left) == 1 else _joined(left)
    return False


def _joined(arms: list[dict[str, Sketched]]) -> dict[str, Sketched]:
    first, *others = arms
    for other in others:
        for name, value in other.items():
            known = first.get(name)
            if known is None:
                first[name] = value
            elif known is not value and known != value:
                first[name] = united([known, value])
    return first


def _for(flow: Flow, node: ast.For | ast.AsyncFor) -> bool:
    iterable = flow.value(node.iter)
    return _loop(flow, node.body, node.orelse, lambda: flow.assign(node.target, elements(flow, iterable)))


def _while(flow: Flow, node: ast.While) -> bool:
    return _loop(flow, node.body, node.orelse, lambda: flow.value(node.test))


def _loop(flow: Flow, body: list[ast.stmt], orelse: list[ast.stmt], start: Callable[[], object]) -> bool:
    before = dict(flow.names)
    flow.loops += 1
    for _ in range(2 if flow.loops <= _LOOPS else 1):
        start()
        flow.run(body)
        flow.names = _joined([flow.names, before])
    flow.loops -= 1
    flow.run(orelse)
    return False


def _with(flow: Flow, node: ast.With | ast.AsyncWith) -> bool:
    recording = flow.recording
    for item in node.items:
        mode = grad_mode(flow, item.context_expr)
        if mode is not None:
            flow.recording = mode
            continue
        value = flow.value(item.context_expr)
        if item.optional_vars is not None:
            flow.assign(item.optional_vars, value or (Cell(Store()),))
    ended = flow.run(node.body)
    flow.recording = recording
    return ended


def grad_mode(scope: Scope, node: ast.expr) -> bool | None:
    """Whether gradients are recorded under a context manager or decorator; None where it says nothing of that."""
    call = node if isinstance(node, ast.Call) else None
    func = node.func if isinstance(node, ast.Call) else node
    if not isinstance(func, (ast.Name, ast.Attribute)):
        return None
    for atom in scope.value(func):
        if isinstance(atom, Symbol) and atom.dotted in MODES:
            kind = MODES[atom.dotted]
            if kind == "autocast":
                return None
            flag = call.args[0] if call is not None and call.args else None
            if kind == "off":
                return False
            if kind == "on":
                return True
            return getattr(flag, "value", kind == "flag") is not (kind != "flag")
    return None


def _try(flow: Flow, node: ast.Try) -> bool:
    handlers = [h.body for h in node.handlers]
    if handlers:
        before = dict(flow.names)
        ended = flow.run(node.body) or flow.run(node.orelse)
        after = flow.names
        flow.names = _joined([dict(after), before])
        caught = _branch(flow, handlers)
        if not ended:
            flow.names = _joined([after, flow.names]) if not caught else after
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
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        module = alias.name if alias.asname else name
        flow.names[name] = bindings.imported(flow.sketches, flow.module, module, None, 0)
    return False


def _import_from(flow: Flow, node: ast.ImportFrom) -> bool:
    for alias in node.names:
        flow.names[alias.asname or alias.name] = bindings.imported(
            flow.sketches, flow.module, node.module or "", alias.name, node.level
        )
    return False


def _delete(flow: Flow, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            flow.names[target.id] = NOTHING
    return False


def _assert(flow: Flow, node: ast.Assert) -> bool:
    flow.value(node.test)
    return False


def _match(flow: Flow, node: Any) -> bool:
    flow.value(node.subject)
    return _branch(flow, [*[case.body for case in node.cases], []])


_STATEMENTS: dict[type[ast.AST], Callable[[Flow, Any], bool]] = {
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
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _try
