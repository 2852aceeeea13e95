"""Sketches the statements of a function in their order: what is saved before what is written."""

from __future__ import annotations

import _ast as ast

from ..syntax.operators import OPERATORS
from ..torchmodel import table
from ..torchmodel.spelling import MODES
from . import bindings, calls, effects
from .atoms import (
    EARLY,
    EVERYWHERE,
    EVIDENT,
    NEVER,
    NOTHING,
    RESULT,
    WEAK,
    WRITABLE,
    Box,
    Cell,
    Class,
    Function,
    Object,
    Store,
    Summary,
    Symbol,
    Text,
    apart,
    shadow,
    united,
)
from .expressions import Scope, elements, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..syntax.module import FunctionSource, Module
    from .atoms import Made, Sketched
    from .summaries import Sketches

#: Loops inside this many others are passed through once, not twice.
_LOOPS = 2
#: How many calls deep it is looked for what saved a tensor.
_CALLS = 6


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
        #: the arms of branches that were not taken on the way here
        self.without = EVERYWHERE
        #: what may be a finding: how sure its gradients are, and what must turn out to be a tensor
        self.doubts: list[tuple[int, Store | None]] = []
        #: what was written of all that came in
        self.written: list[Store] = []
        #: names bound to what another name held, with that name and the writes of each storage so far
        self.copies: dict[str, tuple[str, list[tuple[Store, int]]]] = {}
        #: what names stood for where the loop at hand began
        self.held: dict[str, Sketched] = {}
        #: the statement at hand
        self.at: ast.AST | None = None
        #: whether nobody takes the value of the statement at hand
        self.discards = False

    # What happens

    def save(self, store: Store, level: int = WEAK) -> None:
        if store.under is not None:
            self.save(store.under, level)
        if store.given:
            self.summary.saves.add(store.given)
        for arms, known in store.saved:
            if known >= level and arms <= self.arms:
                return
        store.saved = (*store.saved, (self.arms, level))
        if self.arms:
            store.arms |= self.arms

    def write(self, cell: Cell, differentiable: bool, initial: bool = False) -> None:
        store = cell.store
        store.writes += 1
        store.written_at = self.at
        if store.kept or (self.discards and store.born == self.statement):
            self.doubt(EVIDENT, store)
        if store.given:
            self.written.append(store)
            self.summary.writes.add(store.given)
            if self.recording and not initial:
                self.summary.recorded.add(store.given)
        if store.under is not None:
            if self.sketches.notes:
                self.doubt(EVIDENT, store.under)
            self._write_under(Cell(store.under, WRITABLE, cell.without))
        if store.made is not None:
            self._pass_on(store)
        if self.summary.suspicious:
            return
        if differentiable and store.leaf and not initial:
            self.doubt(EVIDENT, store)
        if cell.fragile == NEVER:
            self.doubt(EVIDENT, store)
        elif store.parted or (self.recording and (cell.fragile > EARLY or (cell.fragile and store.evident))):
            self.doubt(EVIDENT if store.evident else WEAK, store)
        self._meets_saves(cell)

    def _write_under(self, cell: Cell) -> None:
        """The memory of a tensor is written past its version counter."""
        store = cell.store
        store.writes += 1
        if store.given:
            self.summary.writes.add(store.given)
        if store.under is not None:
            self._write_under(Cell(store.under, WRITABLE, cell.without))
        self._meets_saves(cell)

    def _meets_saves(self, cell: Cell) -> None:
        store = cell.store
        for arms, level in store.saved:
            if arms.isdisjoint(cell.without) and arms.isdisjoint(self.without):
                self.doubt(level, store)
        if (store.passed or store.made) and self._saved_by_calls(cell):
            self.doubt(EVIDENT, store)

    def _saved_by_calls(self, cell: Cell, within: Made | None = None, depth: int = 0) -> bool:
        """Whether a call that the tensor was given to, or that returned it, saved it; `within` is looked at already."""
        store = cell.store
        for made, name, arms in store.passed:
            if (
                made is not within
                and arms.isdisjoint(cell.without)
                and arms.isdisjoint(self.without)
                and name in self.sketches.of(made[0]).saves
            ):
                return True
        if store.made is None:
            return False
        if depth > _CALLS:
            return True
        source, arguments, recorded = store.made
        for atom in self.sketches.of(source).returns:
            if isinstance(atom, Cell):
                if _is_saved(atom) or atom.store.parted or atom.fragile > EARLY or atom.store.leaf:
                    return True
                if self._saved_by_calls(atom, None, depth + 1):
                    return True
                if atom.store.given:
                    if self.recording and not recorded:
                        return True  # it may be a view that was made under no_grad
                    for inner in calls.reached(self, arguments, atom.store.given):
                        if _is_saved(inner) or inner.fragile > EARLY or (inner.store.leaf and self.recording):
                            return True
                        if inner.store is not store and self._saved_by_calls(inner, store.made, depth + 1):
                            return True
        return False

    def _pass_on(self, store: Store, depth: int = 0) -> None:
        """What a call returned is written: so is what was given to the call, where that is what it returns."""
        if store.made is None or depth > _CALLS:
            return
        source, arguments, _ = store.made
        for atom in self.sketches.of(source).returns:
            if isinstance(atom, Cell) and atom.store.given:
                for inner in calls.reached(self, arguments, atom.store.given):
                    if inner.store.given:
                        self.summary.writes.add(inner.store.given)
                        if self.recording:
                            self.summary.recorded.add(inner.store.given)
                    elif inner.store is not store:
                        self._pass_on(inner.store, depth + 1)

    def doubt(self, level: int, store: Store | None = None) -> None:
        if level == EVIDENT and (store is None or store.sources is None):
            self.summary.suspicious = True
        else:
            self.doubts.append((level, store))

    def conclude(self) -> None:
        """At the end of the function, when it has shown what is a tensor: whether anything is worth a run."""
        summary = self.summary
        summary.returns = united(self.returned)
        summary.tensors = {store.given for store in self.written if store.is_tensor()}
        for level, store in self.doubts:
            if summary.suspicious:
                return
            shown = (
                level == EVIDENT
                or self.trained
                or self.sketches.notes
                or (level == RESULT and bool(summary.returns))
            )
            if shown and (store is None or store.is_tensor()):
                summary.suspicious = True
            else:
                summary.weak = True

    def keep(self, value: Sketched, node: ast.expr | None) -> None:
        if not self.loops or isinstance(node, (ast.Call, ast.BinOp)):
            return
        for atom in value:
            if not isinstance(atom, Cell) or atom.store.leaf:
                continue
            if isinstance(node, ast.Attribute) or self._is_held(atom.store):
                atom.store.kept = True

    def _is_held(self, store: Store) -> bool:
        """Whether a name stood for the storage already before the loop at hand."""
        return any(
            isinstance(atom, Cell) and atom.store is store for value in self.held.values() for atom in value
        )

    def give(self, value: Sketched) -> None:
        self.returned.append(value)

    # Statements

    def run(self, body: list[ast.stmt]) -> bool:
        """Statements in order; whether the path ends among them."""
        for statement in body:
            self.statement += 1
            self.at = statement
            action = _STATEMENTS.get(type(statement))
            if action is not None and action(self, statement):
                return True
        return False

    def one_of(self, ways: list[Callable[[], Sketched]]) -> Sketched:
        arms, without = self.arms, self.without
        tokens = self.sketches.tokens(len(ways))
        all_of_them = frozenset(tokens)
        found = []
        for token, way in zip(tokens, ways):
            others = all_of_them - {token}
            self.arms, self.without = arms | {token}, without | others
            found.append((way(), others))
        self.arms, self.without = arms, without
        return united([apart(value, others) for value, others in found])

    def name(self, name: str) -> Sketched:
        known = self.copies.get(name)
        if known is not None:
            source, stores = known
            for store, before in stores:
                if store.writes > before and _names(store.written_at, source):
                    self.doubt(EVIDENT, store)
        return super().name(name)

    def overwrites(self, value: Sketched) -> None:
        """A statement says that it changes this."""
        if self.arms or self.without or self.returned or self.loops:
            return  # not on every path
        for atom in value:
            if isinstance(atom, Cell):
                atom.store.direct = True

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
                    elif target.attr == "data":
                        self.write(shadow(atom), False)
                    elif target.attr != "grad":
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
        value_of = self.value(target.value)
        self.overwrites(value_of)
        self.discards = not isinstance(target.value, ast.Name)
        for atom in value_of:
            if isinstance(atom, Box):
                atom.items.append(value)
                atom.ordered = False
            elif isinstance(atom, Cell) and not (key and isinstance(key[0], Text)):
                op = table.operator("[]=")
                index: Sketched = tuple(a for a in key if isinstance(a, Cell))
                if op is not None:
                    effects.apply(self, op, [(atom,), index, value], (), {})
        self.discards = False


def _is_saved(cell: Cell) -> bool:
    return any(arms.isdisjoint(cell.without) for arms, _ in cell.store.saved)


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
    return False


def _stores(value: Sketched) -> list[tuple[Store, int]]:
    return [(atom.store, atom.store.writes) for atom in value if isinstance(atom, Cell)]


def _names(statement: ast.AST | None, name: str) -> bool:
    """Whether a statement mentions a name."""
    pending = [] if statement is None else [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if node.id == name:
                return True
            continue
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                pending.extend(inner for inner in value if isinstance(inner, ast.AST))
            elif isinstance(value, ast.AST):
                pending.append(value)
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


#: Receivers that may be made by the statement that calls their method.
_MADE_HERE = (ast.Call, ast.Subscript)


def _return(flow: Flow, node: ast.Return) -> bool:
    if node.value is not None:
        flow.returned.append(apart(flow.value(node.value), flow.without))
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
    around, without = flow.arms, flow.without
    tokens = flow.sketches.tokens(len(arms))
    all_of_them = frozenset(tokens)
    left: list[tuple[dict[str, Sketched], frozenset[int]]] = []
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
    flow.names = _joined(left)
    return False


def _joined(arms: list[tuple[dict[str, Sketched], frozenset[int]]]) -> dict[str, Sketched]:
    """What names may stand for after the arms, each given with the others, that were then not taken."""
    (first, without), *others = arms
    merged = False
    for other, elsewhere in others:
        for name, value in other.items():
            known = first.get(name)
            if known is None:
                first[name] = value
            elif known is not value and known != value:
                first[name] = united([known if merged else apart(known, without), apart(value, elsewhere)])
        merged = len(others) > 1
    return first


def _for(flow: Flow, node: ast.For | ast.AsyncFor) -> bool:
    iterable = flow.value(node.iter)
    return _loop(flow, node, lambda: flow.assign(node.target, elements(flow, iterable)))


def _while(flow: Flow, node: ast.While) -> bool:
    return _loop(flow, node, lambda: flow.value(node.test))


def _loop(flow: Flow, node: ast.For | ast.AsyncFor | ast.While, start: Callable[[], object]) -> bool:
    around = flow.held
    before = flow.held = dict(flow.names)
    without = flow.without
    flow.loops += 1
    for _ in range(2 if flow.loops <= _LOOPS else 1):
        flow.at = node
        start()
        flow.run(node.body)
        flow.names = _joined([(flow.names, EVERYWHERE), (before, EVERYWHERE)])
        flow.without = without  # an arm that ended with `continue` was taken in another round
    flow.loops -= 1
    flow.held = around
    flow.run(node.orelse)
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
            told = getattr(flag, "value", True)
            return told is not False if kind == "flag" else told is False
    return None


def _try(flow: Flow, node: ast.Try) -> bool:
    handlers = [h.body for h in node.handlers]
    if handlers:
        before = dict(flow.names)
        ended = flow.run(node.body) or flow.run(node.orelse)
        after = flow.names
        flow.names = _joined([(dict(after), EVERYWHERE), (before, EVERYWHERE)])
        caught = _branch(flow, handlers)
        if not ended:
            flow.names = after if caught else _joined([(after, EVERYWHERE), (flow.names, EVERYWHERE)])
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
