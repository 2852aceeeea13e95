"""Interprets the statements of a function in order, so that a write is checked against the saves before it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import children
from ..torchmodel import table
from . import effects
from .atoms import (
    EARLY,
    EVERYWHERE,
    EVIDENT,
    NEVER,
    RESULT,
    WEAK,
    WRITABLE,
    Box,
    Cell,
    Object,
    Store,
    Text,
    apart,
    cells,
    shadow,
    united,
)
from .expressions import CROWD, Scope, unpacked
from .summary import Handed, Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..syntax.module import FunctionSource, Module
    from .atoms import Atom, Atoms
    from .summaries import Prefilter

#: The handler of each kind of statement, filled in by `statements`; it returns whether the path ends there.
STATEMENTS: dict[type[ast.AST], Callable[[Flow, Any], bool]] = {}

#: Size of the cache of names per statement.
_REMEMBERED = 1000


class Flow(Scope):
    """One pass of abstract interpretation over a function, or over a file's top level."""

    dry = False

    def __init__(
        self, prefilter: Prefilter, module: Module, source: FunctionSource | None = None, depth: int = 0
    ) -> None:
        super().__init__(prefilter, module, source, depth)
        self.recording = True
        self.summary = Summary()
        self.returned: list[Atoms] = []
        #: branch arms not taken on the way here
        self.without = EVERYWHERE
        #: possible findings: how sure the gradients are, and the storage that must turn out to be a tensor
        self.doubts: list[tuple[int, Store | None]] = []
        #: written parameters and attributes
        self.written: list[Store] = []
        #: written parts of these, each with whether gradients were recorded
        self.written_parts: list[tuple[Store, bool]] = []
        #: `y = x`: y -> (x, the number of writes of each storage at that time)
        self.copies: dict[str, tuple[str, list[tuple[Store, int]]]] = {}
        #: values of names at the start of the current loop
        self.held: dict[str, Atoms] = {}
        self.loop: ast.AST | None = None
        #: number of writes, and of stores into attributes and containers
        self.stored = 0
        #: whether a later write could hit something: a save, a call that may save, a list that holds a tensor
        self.remembers = False
        #: closure -> number of calls of it without a save or write
        self.inert: dict[FunctionSource, int] = {}
        #: the current statement
        self.at: ast.AST | None = None
        #: whether the value of the current statement is discarded
        self.discards = False

    def crowded(self, value: Atoms) -> Atoms:
        value = _on_any_path(value)
        if len(value) <= CROWD:
            return value
        self.summary.suspicious = True  # the exact run tells them apart
        return super().crowded(value)

    # Effects

    def save(self, store: Store, level: int = WEAK) -> None:
        self.remembers = True
        if store.under is not None:
            self.save(store.under, level)
        if store.given or store.part_of:
            self.summary.saves.add(store.given or store.part_of)
        for arms, known in store.saved:
            if known >= level and arms <= self.arms:
                return
        store.saved = (*store.saved, (self.arms, level))
        if self.arms:
            store.arms |= self.arms

    def write(self, cell: Cell, differentiable: bool, initial: bool = False) -> None:
        store = cell.store
        self.stored += 1
        store.writes += 1
        store.written_at = self.at
        if store.kept or (self.discards and store.born == self.statement):
            self.doubt(EVIDENT, store)
        if store.entrusted:
            self.summary.weak = True
        if store.found:
            self.step()
        if store.given:
            self.written.append(store)
            self.summary.writes.add(store.given)
            if self.recording and not initial:
                self.summary.recorded.add(store.given)
            if not initial and "." in store.given:
                self.summary.leaves_own = True
        elif store.part_of:
            self.written_parts.append((store, self.recording and not initial))
        if store.under is not None:
            if self.is_tensor(store):
                store.under.prove()
            if self.prefilter.notes:
                self.doubt(EVIDENT, store.under)
            self._write_under(Cell(store.under, WRITABLE, cell.without))
        if self.summary.suspicious:
            return
        if differentiable and store.leaf and not initial:
            self.doubt(EVIDENT, store)
        if cell.fragile == NEVER:
            self.doubt(EVIDENT, store)
        elif store.parted or (self.recording and (cell.fragile > EARLY or (cell.fragile and store.evident))):
            self.doubt(EVIDENT if store.evident else WEAK, store)
        self._meets_saves(cell)

    def leave(self, store: Store) -> None:
        """Note that the function's own statements write an argument or a part of one."""
        if self.recording and (store.outside or (store.given and "." not in store.given)):
            self.summary.leaves_open = True

    def _write_under(self, cell: Cell) -> None:
        """Notes a write through a detached alias: it hits the memory, but not the graph, of this tensor."""
        store = cell.store
        store.writes += 1
        if store.found:
            self.step()
        if store.given:
            self.written.append(store)
            self.summary.writes.add(store.given)
        if store.under is not None:
            self._write_under(Cell(store.under, WRITABLE, cell.without))
        self._meets_saves(cell)

    def _meets_saves(self, cell: Cell) -> None:
        store = cell.store
        for arms, level in store.saved:
            if arms.isdisjoint(cell.without) and arms.isdisjoint(self.without):
                self.doubt(level, store)

    def step(self) -> None:
        self.summary.steps = True

    def doubt(self, level: int, store: Store | None = None) -> None:
        if level == EVIDENT and (store is None or store.sources is None):
            self.summary.suspicious = True
        else:
            self.doubts.append((level, store))

    def conclude(self) -> None:
        """Completes the summary at the function's end, and decides whether the possible findings make it suspicious."""
        summary = self.summary
        handed = Handed()
        given = united(self.returned)
        if self.source is not None and self.source.is_generator:
            given = (Box([given], ordered=False),)
        summary.returns = handed.value(given)
        summary.kept = [(key, name, handed.value(value)) for key, name, value in summary.kept]
        filled: dict[str, list[Atoms]] = {}
        for key, value in summary.fills:
            filled.setdefault(key, []).append(value)
        summary.fills = [(key, handed.value(united(values))) for key, values in filled.items()]
        for part, recorded in self.written_parts:
            if self.is_tensor(part):  # and not a list inside a list
                summary.writes.add(part.part_of)
                summary.tensors.add(part.part_of)
                if recorded:
                    summary.recorded.add(part.part_of)
        summary.tensors.update(store.given for store in self.written if self.is_tensor(store))
        for level, store in self.doubts:
            if summary.suspicious:
                return
            shown = (
                level == EVIDENT
                or self.trained
                or self.prefilter.notes
                or (level == RESULT and bool(summary.returns))
            )
            if shown and (store is None or self.is_tensor(store)):
                summary.suspicious = True
            else:
                summary.weak = True

    def is_tensor(self, store: Store) -> bool:
        """Whether the function's code shows that the storage is a tensor, or was computed from one."""
        seen = {store}
        pending = [store]
        while pending:
            source = pending.pop()
            if source.sources is None:
                return True
            pending += [one for one in source.sources if one not in seen]
            seen.update(source.sources)
        return False

    def keep(self, value: Atoms, node: ast.expr | None) -> None:
        self.stored += 1
        if not self.loops or isinstance(node, (ast.Call, ast.BinOp)) or self._is_another_each_time(node):
            return
        for atom in value:
            if not isinstance(atom, Cell) or atom.store.leaf:
                continue
            if isinstance(node, ast.Attribute) or self._is_held(atom.store):
                atom.store.kept = self.remembers = True

    def _is_another_each_time(self, node: ast.expr | None) -> bool:
        """Whether each round of the loop gives the expression a new value, as the loop's own elements."""
        part = isinstance(node, (ast.Subscript, ast.Attribute))
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        return node.id in _names(self.loop if part else getattr(self.loop, "target", None))[1]

    def _is_held(self, store: Store) -> bool:
        """Whether some name held the storage before the current loop."""
        return any(
            isinstance(atom, Cell) and atom.store is store for value in self.held.values() for atom in value
        )

    def give(self, value: Atoms) -> None:
        self.returned.append(value)

    # Statements

    def run(self, body: list[ast.stmt]) -> bool:
        """Runs statements in order; returns whether the path ends among them."""
        for statement in body:
            self.statement += 1
            self.at = statement
            action = STATEMENTS.get(type(statement))
            if action is not None and action(self, statement):
                return True
        return False

    def one_of(self, ways: list[Callable[[], Atoms]]) -> Atoms:
        arms, without = self.arms, self.without
        tokens = self.prefilter.tokens(len(ways))
        all_of_them = frozenset(tokens)
        found = []
        for token, way in zip(tokens, ways):
            others = all_of_them - {token}
            self.arms, self.without = arms | {token}, without | others
            found.append((way(), others))
        self.arms, self.without = arms, without
        return united([apart(value, others) for value, others in found])

    def name(self, name: str) -> Atoms:
        if name in self.copies:
            source, stores = self.copies[name]
            for store, before in stores:
                if store.writes > before and source in _names(store.written_at)[0]:
                    self.doubt(EVIDENT, store)
        found = self.names.get(name)
        return super().name(name) if found is None else found

    def overwrites(self, value: Atoms) -> None:
        """A statement says that it changes this."""
        if self.arms or self.without or self.returned or self.loops:
            return  # it does not run on every path
        for atom in value:
            if isinstance(atom, Cell):
                atom.store.direct = True

    def assign(self, target: ast.expr, value: Atoms) -> None:
        """Performs `target = value`."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
            if self.outer and self.source is not None and target.id in self.source.declared:
                around = next((names for names in self.outer if target.id in names), self.names)
                around[target.id] = united([around[target.id], value])
        elif isinstance(target, ast.Attribute):
            owners = self.value(target.value)
            is_parameter = any(isinstance(atom, Cell) and atom.store.leaf for atom in value)
            if is_parameter and self.stored and not any(isinstance(owner, Object) for owner in owners):
                # The parameter that it replaces may have been written before.
                self.doubt(EVIDENT)
            self.set_attribute(owners, target.attr, value)
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for inner, part in zip(target.elts, unpacked(self, value, len(target.elts), target.elts)):
                self.assign(inner, part)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, (Box([value], ordered=False),))

    def set_attribute(self, owner: Atoms, name: str, value: Atoms) -> None:
        self.stored += 1
        for atom in owner:
            if isinstance(atom, Object):
                atom.slots[name] = value
                if atom.given and value:
                    self.summary.kept.append((atom.given, name, value))
            elif isinstance(atom, Cell):
                if name == "requires_grad":
                    atom.store.leaf = atom.store.grad = True
                elif name == "data":
                    self.write(shadow(atom), False)
                elif name != "grad":
                    atom.store.opened()[name] = value
                    if atom.store.given:
                        self.summary.kept.append((atom.store.given, name, value))

    def fill(self, key: str, value: Atoms) -> None:
        if key and cells(value):
            self.summary.fills.append((key, value))

    def _set_item(self, target: ast.Subscript, value: Atoms) -> None:
        self.stored += 1
        key = self.value(target.slice)
        value_of = self.value(target.value)
        self.overwrites(value_of)
        self.discards = not isinstance(target.value, ast.Name)
        for atom in value_of:
            if isinstance(atom, Box):
                atom.items.append(value)
                atom.ordered = False
                self.fill(atom.given, value)
            elif isinstance(atom, Cell) and key and isinstance(key[0], Text):
                atom.store.opened()[key[0].value] = value
                self.fill(atom.store.given, value)
            elif isinstance(atom, Cell):
                op = table.operator("[]=")
                if op is not None:
                    effects.apply(self, op, [(atom,), effects.indices(key), value], (), {})
        self.discards = False


def _on_any_path(value: Atoms) -> Atoms:
    """The value with one view per storage, in place of one view for each path."""
    found: dict[object, Atom] = {}
    for atom in value:
        key: object = atom
        if isinstance(atom, Cell):
            key = (atom.store, atom.fragile)
            known = found.get(key)
            if isinstance(known, Cell):
                seen = min(atom.seen, known.seen)
                atom = Cell(atom.store, atom.fragile, atom.without & known.without)
                atom.seen = seen
        found[key] = atom
    return tuple(found.values())


_known: dict[ast.AST, tuple[set[str], set[str]]] = {}


def _names(statement: ast.AST | None) -> tuple[set[str], set[str]]:
    """The names that a statement mentions, and those that it binds, nested statements included."""
    if statement is None:
        return set(), set()
    found = _known.get(statement)
    if found is None:
        if len(_known) > _REMEMBERED:
            _known.clear()
        mentioned: set[str] = set()
        bound: set[str] = set()
        for node in every_name(statement):
            mentioned.add(node.id)
            if isinstance(node.ctx, ast.Store):
                bound.add(node.id)
        found = _known[statement] = (mentioned, bound)
    return found


def every_name(statement: ast.AST | None) -> Iterator[ast.Name]:
    """The names in a statement or expression."""
    pending = [] if statement is None else [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node
            continue
        pending.extend(children(node))
