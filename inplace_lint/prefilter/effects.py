"""Applies the transfer function of a torch op, read from the op table: what it saves, writes, returns and aliases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.facts import WEIGHT, Const
from .atoms import (
    EARLY,
    EVIDENT,
    NEVER,
    NONE,
    NOTHING,
    RECORDED,
    RESULT,
    UNKNOWN,
    WEAK,
    WRITABLE,
    Box,
    Cell,
    Layer,
    Store,
    Text,
    shadow,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts, Ret
    from ..torchmodel.op import Binding, Op
    from .atoms import Atom, Atoms
    from .expressions import Scope

_chosen: dict[object, tuple[Facts, Binding] | None] = {}
_LIMIT = 50_000


def apply(
    scope: Scope,
    op: Op,
    args: Sequence[Atoms],
    nodes: Sequence[ast.expr | None],
    kwargs: dict[str, Atoms],
    named: dict[str, ast.expr] | None = None,
    proves: bool = False,
) -> Atoms:
    """The result of a torch op's call; `nodes` are the arguments' expressions, for the constants among them.

    `proves`: the op raises for anything but tensors, so its operands are tensors (an operator such as `+` proves
    nothing).
    """
    if scope.dry:
        return UNKNOWN
    offset = len(args) - len(nodes)
    kinds = tuple([kind(value, nodes[i - offset] if i >= offset else None) for i, value in enumerate(args)])
    keywords = (
        tuple([(name, kind(value, named.get(name) if named else None)) for name, value in kwargs.items()])
        if kwargs
        else ()
    )
    key = (op.name, kinds, keywords)
    if key in _chosen:
        found = _chosen[key]
    else:
        if len(_chosen) > _LIMIT:
            _chosen.clear()
        found = _chosen[key] = _choose(op, kinds, keywords)
    if found is None:
        return (Cell(Store()),)
    facts, binding = found
    values: list[Atoms] = [
        NOTHING if place is None else args[place] if isinstance(place, int) else kwargs[place]
        for place in binding
    ]
    return perform(scope, facts, values, None, proves)


def kind(value: Atoms, node: ast.expr | None) -> object:
    """The kind of an argument: T tensor, L tensors, N neither, ? maybe T, V N of unknown value, or a constant."""
    for atom in value:
        if isinstance(atom, Cell):
            # The result of arithmetic on possible numbers may itself be a number.
            return "T" if atom.store.tensor and atom.store.sources is None else "?"
    for atom in value:
        if isinstance(atom, Box):
            return "L" if any(_is_told(part) for item in atom.items for part in item) else "N"
        if isinstance(atom, Text):
            return (str, atom.value)
    if value:
        return "N"
    constant = getattr(node, "value", kind)
    if constant is kind or hasattr(node, "attr") or hasattr(node, "slice"):
        return "V"
    return (type(constant), constant) if isinstance(constant, (bool, int, float, type(None))) else "N"


def _is_told(part: Atom) -> bool:
    """Whether an element of a list may be a tensor, and was not merely guessed from writes by other methods."""
    return isinstance(part, Cell) and not part.store.part_of


def _choose(
    op: Op, kinds: tuple[object, ...], keywords: tuple[tuple[str, object], ...]
) -> tuple[Facts, Binding] | None:
    plain = [_in_table_words(k) for k in kinds]
    named = {name: _in_table_words(k) for name, k in keywords}
    found = op.facts(plain, named)
    if found is None:
        return None
    # An unknown argument counts as a tensor where the op takes one; an unknown flag stays open.
    facts, binding = found
    keys = dict(keywords)
    settled = True
    for param, place in zip(facts.params, binding):
        given = None if place is None else kinds[place] if isinstance(place, int) else keys[place]
        if param.kind in ("tensor", "tensors", "number"):
            better = ("L" if param.kind == "tensors" else "T") if given == "?" else None
        else:
            better = "?" if given == "V" else None
        if better is not None and place is not None:
            settled = False
            if isinstance(place, int):
                plain[place] = better
            else:
                named[place] = better
    return found if settled else (op.facts(plain, named) or found)


def _in_table_words(found: object) -> str | Const:
    if isinstance(found, tuple):
        return Const(found[1])
    return "N" if found == "V" else str(found)


def operator(
    scope: Scope,
    sign: str,
    left: Atoms,
    right: Atoms | None,
    left_node: ast.expr | None,
    right_node: ast.expr | None,
) -> Atoms:
    """`left sign right`; a unary operator if `right` is None."""
    tensor = boxed = False
    for value in (left, right or ()):
        for atom in value:
            tensor = tensor or isinstance(atom, Cell)
            boxed = boxed or isinstance(atom, Box)
    if boxed and right is not None and not tensor:
        return _joined(left, right)
    if not tensor:
        return NOTHING
    if scope.dry:
        return UNKNOWN
    if right is not None:
        for store in _same_written(left, right, left_node, right_node):
            scope.doubt(EVIDENT, store)
    op = table.operator(sign)
    if op is None:
        return (Cell(Store()),)
    if right is None:
        return apply(scope, op, [left], [left_node], {})
    return apply(scope, op, [left, right], [left_node, right_node], {})


def _same_written(
    left: Atoms, right: Atoms, left_node: ast.expr | None, right_node: ast.expr | None
) -> list[Store]:
    """Storages that were written and may be both operands, under two names, or as the result of a call on one side."""
    one, other = getattr(left_node, "id", None), getattr(right_node, "id", None)
    if (one == other) if one and other else not (one or other):
        return []
    if not all(hasattr(n, "id") or hasattr(n, "func") for n in (left_node, right_node)):
        return []
    stores = [atom.store for atom in right if isinstance(atom, Cell)]
    return [a.store for a in left if isinstance(a, Cell) and a.store.writes and a.store in stores]


def _joined(left: Atoms, right: Atoms) -> Atoms:
    """The sum of lists, or a repeated list."""
    items: list[Atoms] = []
    ordered = True
    role = ""
    for value in (left, right):
        for atom in value:
            if isinstance(atom, Box):
                items.extend(atom.items)
                ordered = ordered and atom.ordered and len(value) == 1
                role = role or atom.role
            else:
                ordered = False
        if not value:
            ordered = False
    return (Box(items, ordered, role),)


def index(scope: Scope, cell: Cell, key: Atoms, listed: bool) -> Atoms:
    """`cell[key]`: a view for a basic index, a copy for an advanced one, such as a list (`listed`)."""
    if scope.dry:
        return UNKNOWN
    advanced = listed or any(isinstance(atom, Cell) for atom in key)
    boxed = key[0] if key and isinstance(key[0], Box) else None
    if boxed is not None:
        advanced = advanced or any(isinstance(a, (Cell, Box)) for item in boxed.items for a in item)
    if not advanced:
        return (_view(scope, cell),)
    op = table.operator("[]")
    if op is None:
        return (Cell(Store()),)
    # An index of unknown type gives both: an integer makes a view, a tensor a copy.
    copy = apply(scope, op, [(cell,), indices(key) or (Cell(Store(grad=False, tensor=True)),)], (), {})
    if cell.store.sources is not None:  # a tensor index proves nothing: a dict may have such keys
        for atom in copy:
            if isinstance(atom, Cell) and atom.store is not cell.store:
                atom.store.sources = (cell.store,)
    return (*copy, _view(scope, cell))


def indices(key: Atoms) -> Atoms:
    """The tensors in an index, which the op saves."""
    found: list[Atom] = []
    for atom in key:
        if isinstance(atom, Cell):
            found.append(atom)
        elif isinstance(atom, Box):
            found.extend(a for item in atom.items for a in item if isinstance(a, Cell))
    return tuple(found)


def _view(scope: Scope, cell: Cell) -> Cell:
    if scope.recording and cell.store.evident:
        return cell
    return Cell(cell.store, max(_fragile(scope, cell), cell.fragile), cell.without)


def _fragile(scope: Scope, cell: Cell) -> int:
    """When writing a view of the tensor, taken now, is an error."""
    if scope.recording:
        return WRITABLE if cell.store.evident else EARLY
    return RECORDED


#: Codes of declared parameters: what a declaration says of a list holds for its elements.
_OPENED = frozenset(["a", "av", "m", "mv"])
#: The operands of a parameter that gets no tensor.
_NONE: list[Cell] = []


def perform(
    scope: Scope,
    facts: Facts,
    values: Sequence[Atoms],
    layer: Layer | None = None,
    proves: bool = True,
) -> Atoms:
    """Applies the effects that the facts list, with `values` bound to the op's parameters."""
    if facts.ways:
        return scope.one_of([partial(perform, scope, way, values, layer, proves) for way in facts.ways])
    certain = proves or facts.layout.takes_only_tensors
    operands, doubted = _operands(facts, values, certain)
    recording = scope.recording and not facts.no_grad
    level = NONE
    if recording and (facts.differentiable or facts.writes):
        level = EVIDENT if layer is not None else _evidence(facts.gradients, operands)
    records = recording and level > NONE
    if records:
        for cells in operands:
            for cell in cells:
                if cell.fragile and cell.is_stale():
                    scope.doubt(level, cell.store)
        if facts.saves:
            _save_operands(scope, facts, operands, layer)
        if layer is not None:
            scope.save(layer.weights, EVIDENT)
    if facts.writes:
        _write(scope, facts, operands, layer, level, recording)
    known = len(doubted) < sum(map(len, operands)) if doubted else True
    given = certain or any(cell.store.tensor for cells in operands for cell in cells)
    results = [
        _result(scope, facts, ret, operands, values, level, given, None if known else tuple(doubted))
        for ret in facts.returns
    ]
    if records and facts.saves:
        _save_results(scope, facts, operands, layer, results)
    if len(results) == 1:
        return results[0]
    return (Box(results, fields=facts.fields),) if results else NOTHING


def _operands(facts: Facts, values: Sequence[Atoms], certain: bool) -> tuple[list[list[Cell]], list[Store]]:
    """The tensors given for each parameter, and the storages that may not be tensors.

    `certain`: the operands are tensors, or the op would raise.
    """
    operands = [_NONE] * len(values)
    doubted: list[Store] = []
    for place in facts.operands:
        value = values[place]
        if not value:
            continue
        form = facts.params[place].kind
        operands[place] = cells = [atom for atom in value if type(atom) is Cell]
        if form == "tensors" or facts.params[place].code in _OPENED:
            boxes = [atom for atom in value if isinstance(atom, Box)]
            cells += [a for box in boxes for item in box.items for a in item if isinstance(a, Cell)]
        for cell in cells:
            if cell.store.sources is not None:
                if certain and form != "number":
                    cell.store.prove()
                else:
                    doubted.append(cell.store)
    return operands, doubted


def _save_operands(scope: Scope, facts: Facts, operands: list[list[Cell]], layer: Layer | None) -> None:
    """Records the operands that the op saves for backward."""
    for save in facts.saves:
        target = save.target
        if not facts.counted and target in facts.writes:
            continue  # running statistics: stored, but not read by the op's backward
        if 0 <= target < len(operands) and operands[target]:
            sure = _evidence(save.needs, operands, layer)
            if sure > NONE:
                for cell in operands[target]:
                    scope.save(cell.store, sure)


def _save_results(
    scope: Scope, facts: Facts, operands: list[list[Cell]], layer: Layer | None, results: list[Atoms]
) -> None:
    """Records the results that the op saves for backward."""
    for save in facts.saves:
        number = -1 - save.target
        if 0 <= number < len(results):
            sure = _evidence(save.needs, operands, layer)
            if sure > NONE:
                for atom in results[number]:
                    if isinstance(atom, Cell):
                        scope.save(atom.store, max(sure, RESULT))


def _write(
    scope: Scope, facts: Facts, operands: list[list[Cell]], layer: Layer | None, level: int, recording: bool
) -> None:
    """Applies the op's writes; if a result requires grad, the written tensor becomes part of the graph."""
    records = recording and level > NONE
    notable = records and _notable(scope, facts)
    for i in facts.writes:
        if i == WEIGHT and layer is not None:
            scope.write(Cell(layer.weights), False, initial=True)
        if i >= len(operands):
            continue
        out = facts.params[i].is_out
        for cell in operands[i]:
            if notable or (out and level > NONE):
                scope.doubt(level, cell.store)
            scope.write(cell, recording and (level > NONE or cell.store.leaf), facts.no_grad)
            if not facts.no_grad:
                scope.leave(cell.store)
            if records:
                scope.remembers = True
                cell.store.grad = True
                cell.store.evident = cell.store.evident or level == EVIDENT


def _notable(scope: Scope, facts: Facts) -> bool:
    """Whether an in-place op has no derivative, or saves no memory although notes on that are wanted."""
    if facts.clones is not None:
        return scope.prefilter.notes
    return facts.counted and not facts.differentiable


def _evidence(of: tuple[int, ...], operands: list[list[Cell]], layer: Layer | None = None) -> int:
    """How likely one of the operands requires grad (NONE, WEAK or EVIDENT)."""
    level = NONE
    for i in of:
        if i == WEIGHT:
            if layer is not None:
                return EVIDENT
        elif i < len(operands):
            for cell in operands[i]:
                store = cell.store
                if store.grad:
                    if store.evident:
                        return EVIDENT
                    level = WEAK
    return level


def _text(value: Atoms) -> object:
    """The string that a value is; None for a missing argument."""
    return value[0].value if value and isinstance(value[0], Text) else value or None


def _result(
    scope: Scope,
    facts: Facts,
    ret: Ret,
    operands: list[list[Cell]],
    values: Sequence[Atoms],
    level: int,
    given: bool,
    doubted: tuple[Store, ...] | None,
) -> Atoms:
    how, of, multi = ret.kind, ret.of, ret.multi_view
    if how == "other":
        if facts.layout.exposes_memory and operands:
            return tuple(shadow(cell) for cell in operands[0])
        return NOTHING
    if how == "same" and of is not None:
        return values[of]
    made = Store(level > NONE and ret.differentiable, tensor=given)
    made.evident = made.grad and level == EVIDENT
    made.sources = doubted
    if how in ("fresh", "new"):
        made.born = scope.statement
        wraps = not scope.recording and facts.layout.ends_in_view([_text(value) for value in values])
        return (Cell(made, RECORDED if wraps else WRITABLE),)
    if how == "unknown":
        return (Cell(Store()),)
    source = operands[of] if of is not None and of < len(operands) else []
    if how == "list":
        return (Box([(Cell(made),)], ordered=False),)
    if not source:
        return (Cell(made),)
    views: list[Cell] = []
    for cell in source:
        if facts.detaches:
            views.append(shadow(cell))
            continue
        cell.store.tensor = True
        fragile = RECORDED if multi else _fragile(scope, cell)
        if facts.layout.expands:
            fragile = NEVER
        views.append(Cell(cell.store, max(fragile, cell.fragile), cell.without))
        if multi:
            cell.store.parted = True
    if how == "maybe":
        if facts.layout.aliases_if_contiguous:
            made.born = scope.statement
        views.append(Cell(made))
    if how in ("views", "slices"):
        return (Box([tuple(views)], ordered=False),)
    return tuple(views)
