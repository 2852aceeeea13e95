"""Calls that were put off: what they saved of a tensor, and of what they returned it, is asked when it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import EARLY, EVIDENT, NONE, NOTHING, WEAK, Cell, Object, Store, cells
from .attributes import ATTRIBUTES
from .effects import is_evident

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .atoms import Made, Sketched
    from .calls import Call
    from .expressions import Scope
    from .flow import Flow
    from .summaries import Sketches

#: How many calls deep it is looked for what saved a tensor.
_CALLS = 6


def put_off(source: FunctionSource, arguments: dict[str, Sketched], made: Call) -> Sketched:
    """A call that writes nothing: what it saves and returns is asked when that matters."""
    scope = made.scope
    result = Store()
    result.made = call = (source, arguments, scope.recording)
    result.evident = None
    result.sources = ()
    for name, value in arguments.items():
        for cell in cells(value):
            hand(scope, cell, call, name, result)
        for atom in value:
            if isinstance(atom, Object):
                atom.passed.append((call, name, scope.arms, result))
    return NOTHING if source.gives_plain() else (Cell(result),)


def remember(scope: Scope, obj: Object, member: str, value: Sketched) -> None:
    """An attribute of an object is looked up: it was given to whatever call the object was given to before."""
    for atom in value:
        if not isinstance(atom, Cell):
            continue
        known = [(call, parameter) for call, parameter, _, _ in atom.store.passed]
        for call, parameter, arms, result in obj.passed:
            if (call, f"{parameter}.{member}") not in known:
                atom.store.passed.append((call, f"{parameter}.{member}", arms, result))
                atom.store.arms |= arms
                scope.remembers = True
                if atom.store.given and scope.recording:
                    scope.hands_on(atom.store.given, call[0], f"{parameter}.{member}")


def hand(scope: Scope, cell: Cell, call: Made, parameter: str, result: Store) -> None:
    """The tensor was given to a call that is put off."""
    scope.remembers = True
    cell.store.passed.append((call, parameter, scope.arms, result))
    cell.store.arms |= scope.arms
    if cell.store.given and scope.recording:
        scope.hands_on(cell.store.given, call[0], parameter)


def saves(sketches: Sketches, source: FunctionSource, name: str) -> bool:
    """Whether the function, or one that it hands the tensor on to, saves what its parameter holds."""
    known = sketches.saving.get((source, name))
    if known is None:
        known = sketches.saving[source, name] = _saves(sketches, source, name)
    return known


def _saves(sketches: Sketches, source: FunctionSource, name: str) -> bool:
    pending = [(source, name)]
    seen = set(pending)
    while pending:
        function, parameter = pending.pop()
        summary = sketches.of(function)
        if parameter in summary.saves:
            return True
        for given, callee, inner in summary.handed:
            if given == parameter and (callee, inner) not in seen:
                seen.add((callee, inner))
                pending.append((callee, inner))
    return False


def saved_by_calls(flow: Flow, cell: Cell, within: Made | None = None, path: tuple[Store, ...] = ()) -> int:
    """How sure it is that a call that the tensor was given to, or that returned it, saved it; `within` is looked at."""
    store = cell.store
    if store in path:
        return NONE  # a function that calls itself
    if len(path) > _CALLS:
        return EVIDENT
    path = (*path, store)
    level = NONE
    for made, name, arms, result in store.passed:
        if made is within or not (arms.isdisjoint(cell.without) and arms.isdisjoint(flow.without)):
            continue
        if made[2] and saves(flow.sketches, made[0], name):
            level = max(level, _how_sure(flow, made, store))
        # It may have come back, and been saved under another name.
        if (result.saved or result.passed) and name in _returned(flow.sketches, made[0]):
            other = Cell(result, without=cell.without)
            level = max(level, how_saved(other), saved_by_calls(flow, other, made, path))
        if level == EVIDENT:
            return level
    if store.made is not None and store.made is not within:
        level = max(level, _saved_where_made(flow, store, store.made, path))
    return level


def _saved_where_made(flow: Flow, store: Store, made: Made, path: tuple[Store, ...]) -> int:
    """How sure it is that what a call returned was saved in it, or is what it was given and was saved before."""
    source, arguments, recorded = made
    level = NONE
    for atom in flow.sketches.of(source).returns:
        if not isinstance(atom, Cell):
            continue
        if atom.store.leaf:
            return EVIDENT
        saved = how_saved(atom)
        if saved > NONE or atom.store.parted or atom.fragile > EARLY:
            level = max(level, saved, _how_sure(flow, made, atom.store))
        elif level < EVIDENT:
            level = max(level, saved_by_calls(flow, atom, None, path))
        given = atom.store.given
        if given and flow.recording and not recorded:
            level = max(
                level, _how_sure(flow, made, atom.store)
            )  # it may be a view that was made under no_grad
        if level == EVIDENT:
            return level
        for inner in reached(flow, arguments, given) if given else ():
            if inner.store.leaf and flow.recording:
                return EVIDENT
            level = max(level, how_saved(inner))
            if inner.fragile > EARLY:
                level = max(level, _how_sure(flow, made, inner.store))
            if level < EVIDENT and inner.store is not store:
                level = max(level, saved_by_calls(flow, inner, made, path))
    return level


def _how_sure(flow: Flow, made: Made, store: Store) -> int:
    """How sure it is that gradients flow where a call saves a tensor: as sure as of what the call is given."""
    if flow.trained:
        return EVIDENT  # how sure it is makes no difference
    given = (cell.store for value in made[1].values() for cell in cells(value))
    return EVIDENT if any(is_evident(flow, one) for one in (store, *given)) else WEAK


def is_tensor(sketches: Sketches, store: Store, depth: int = 0) -> bool:
    """Whether it is certain to be a tensor, made by operators from something that is, or returned as one by a call."""
    seen = {store}
    pending = [store]
    while pending:
        at_hand = pending.pop()
        if at_hand.sources is None:
            return True
        if at_hand.made is not None and depth < _CALLS and _gives_tensor(sketches, at_hand.made, depth + 1):
            return True
        pending.extend(source for source in at_hand.sources if source not in seen)
        seen.update(at_hand.sources)
    return False


def _gives_tensor(sketches: Sketches, made: Made, depth: int) -> bool:
    """Whether a call returns a tensor, or something that holds one."""
    function, arguments, _ = made
    for cell in cells(sketches.of(function).returns):
        if is_tensor(sketches, cell.store, depth):
            return True
        given = cells(arguments.get(cell.store.given, NOTHING)) if cell.store.given else ()
        if any(inner.store is not cell.store and is_tensor(sketches, inner.store, depth) for inner in given):
            return True
    return False


def _returned(sketches: Sketches, source: FunctionSource) -> set[str]:
    """Which of its parameters the function returns, or views of them."""
    return {a.store.given for a in sketches.of(source).returns if isinstance(a, Cell)}


def how_saved(cell: Cell) -> int:
    """How sure it is that gradients flow where an op saved it, on a path that leads here."""
    level = NONE
    store: Store | None = cell.store
    while store is not None:  # what shares its memory past its graph may be what was saved
        for arms, known in store.saved:
            if known > level and arms.isdisjoint(cell.without):
                level = known
        store = store.under
    return level


def reached(
    scope: Scope, arguments: dict[str, Sketched], key: str, known: bool = False, meets: bool = False
) -> list[Cell]:
    """The tensors that a parameter (`x`), or an attribute of the receiver (`self.x`), stands for in a call.

    Of what an object that the function at hand built holds, with `known` only what was looked up before, and with
    `meets` only that and what an earlier call may have saved.
    """
    name, dot, member = key.partition(".")
    value = arguments.get(name, NOTHING)
    if not dot:
        return cells(value)
    found: list[Cell] = []
    for atom in value:
        if isinstance(atom, Object):
            if (known or (meets and not atom.passed)) and not atom.given and member not in atom.slots:
                continue
            found.extend(cells(ATTRIBUTES[Object](scope, atom, member)))
        elif isinstance(atom, Cell) and atom.store.members is not None and member in atom.store.members:
            found.extend(cells(atom.store.members[member]))
    return found


def hand_objects(scope: Scope, call: Made) -> None:
    """A call saved something of the objects that it was given: who looks at their attributes later is told of it."""
    for name, value in call[1].items():
        for atom in value:
            if isinstance(atom, Object) and not atom.given:
                atom.passed.append((call, name, scope.arms, Store()))


def pass_on(flow: Flow, store: Store, differentiable: bool, depth: int = 0) -> None:
    """What a call returned is written: so is what was given to the call, where that is what it returns."""
    if store.made is None or depth > _CALLS:
        return
    source, arguments, _ = store.made
    for atom in flow.sketches.of(source).returns:
        if isinstance(atom, Cell) and atom.store.given:
            for inner in reached(flow, arguments, atom.store.given):
                if inner.store is store:
                    continue
                inner.store.writes += 1
                inner.store.grad = inner.store.grad or differentiable
                if inner.store.given:
                    flow.summary.writes.add(inner.store.given)
                    if flow.recording:
                        flow.summary.recorded.add(inner.store.given)
                else:
                    pass_on(flow, inner.store, differentiable, depth + 1)
