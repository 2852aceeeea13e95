"""What a torch op does in a sketch: by the op table, what it saves, writes, returns and aliases."""

from __future__ import annotations

from ..torchmodel import layout, table
from ..torchmodel.facts import WEIGHT, Const
from .atoms import NOTHING, UNKNOWN, Box, Cell, Layer, Store, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts, Ret
    from ..torchmodel.op import Binding, Op
    from .atoms import Sketched
    from .expressions import Scope

_chosen: dict[object, tuple[Facts, Binding] | None] = {}
_LIMIT = 50_000


def apply(
    scope: Scope,
    op: Op,
    args: Sequence[Sketched],
    nodes: Sequence[ast.expr | None],
    kwargs: dict[str, Sketched],
    named: dict[str, ast.expr] | None = None,
) -> Sketched:
    """The value of a call of a torch op; the nodes of the arguments say which of them are plain constants."""
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
    values: list[Sketched] = [
        NOTHING if place is None else args[place] if isinstance(place, int) else kwargs[place]
        for place in binding
    ]
    return perform(scope, facts, values)


def kind(value: Sketched, node: ast.expr | None) -> object:
    """T, L, N, ? (perhaps a tensor), V (none, but not known what) or a pair that stands for a constant."""
    for atom in value:
        if isinstance(atom, Cell):
            return "T" if atom.store.tensor else "?"
        if isinstance(atom, Box):
            return "L" if any(isinstance(a, Cell) for item in atom.items for a in item) else "N"
        if isinstance(atom, Text):
            return (str, atom.value)
    if value:
        return "N"
    constant = getattr(node, "value", kind)
    if constant is kind or hasattr(node, "attr") or hasattr(node, "slice"):
        return "V"
    return (type(constant), constant) if isinstance(constant, (bool, int, float, type(None))) else "N"


def _choose(
    op: Op, kinds: tuple[object, ...], keywords: tuple[tuple[str, object], ...]
) -> tuple[Facts, Binding] | None:
    plain = [_in_table_words(k) for k in kinds]
    named = {name: _in_table_words(k) for name, k in keywords}
    found = op.facts(plain, named)
    if found is None:
        return None
    # What is not known is taken for a tensor where one can stand; a flag stays open.
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
    left: Sketched,
    right: Sketched | None,
    left_node: ast.expr | None,
    right_node: ast.expr | None,
) -> Sketched:
    """left sign right; with `right` None a unary operator."""
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
    op = table.operator(sign)
    if op is None:
        return (Cell(Store()),)
    if right is None:
        return apply(scope, op, [left], [left_node], {})
    return apply(scope, op, [left, right], [left_node, right_node], {})


def _joined(left: Sketched, right: Sketched) -> Sketched:
    """Lists added, or a list repeated."""
    items: list[Sketched] = []
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


def index(scope: Scope, cell: Cell, key: Sketched) -> Sketched:
    """cell[key]: a view for a basic index, a copy for an advanced one."""
    if scope.dry:
        return UNKNOWN
    advanced = any(isinstance(atom, Cell) for atom in key)
    boxed = key[0] if key and isinstance(key[0], Box) else None
    if boxed is not None:
        advanced = advanced or any(isinstance(a, Cell) for item in boxed.items for a in item)
    if not advanced:
        return (_view(scope, cell),)
    op = table.operator("[]")
    if op is None:
        return (Cell(Store()),)
    # What an unknown index is cannot be told: a number makes a view, a tensor a copy.
    copy = apply(scope, op, [(cell,), (Cell(Store(grad=False, tensor=True)),)], (), {})
    return (*copy, _view(scope, cell))


def _view(scope: Scope, cell: Cell) -> Cell:
    if scope.recording:
        return cell
    return Cell(cell.store, True)


def perform(scope: Scope, facts: Facts, values: Sequence[Sketched], layer: Layer | None = None) -> Sketched:
    """Do what the facts say, with the values bound to their parameters."""
    operands: list[list[Cell]] = []
    for param, value in zip(facts.params, values):
        cells: list[Cell] = []
        if (value and param.kind in ("tensor", "tensors", "number")) or param.code == "x":
            for atom in value:
                if isinstance(atom, Cell):
                    cells.append(atom)
                elif isinstance(atom, Box) and param.kind == "tensors":
                    cells.extend(a for item in atom.items for a in item if isinstance(a, Cell))
        operands.append(cells)
    recording = scope.recording and not facts.no_grad
    carries = False
    if facts.differentiable or facts.writes:
        if layer is not None:
            carries = True
        else:
            for i in facts.gradients:
                if i < len(operands) and any(c.store.grad for c in operands[i]):
                    carries = True
                    break
    records = recording and carries
    if records:
        for save in facts.saves:
            target = save.target
            if 0 <= target < len(operands) and operands[target] and _needed(save.needs, operands, layer):
                for cell in operands[target]:
                    scope.save(cell.store)
        if layer is not None:
            layer.weights.saved = True
    if facts.writes:
        if recording and carries and _notable(scope, facts):
            scope.suspect()
        for i in facts.writes:
            if i < len(operands):
                out = facts.params[i].name == "out"
                for cell in operands[i]:
                    if out and carries:
                        scope.suspect()
                    if facts.counted:
                        scope.write(cell, recording and (carries or cell.store.leaf), facts.no_grad)
                    if records:
                        cell.store.grad = True
    results = [_result(scope, facts, ret, operands, values, carries) for ret in facts.returns]
    if records:
        for save in facts.saves:
            number = -1 - save.target
            if 0 <= number < len(results) and _needed(save.needs, operands, layer):
                for atom in results[number]:
                    if isinstance(atom, Cell):
                        scope.save(atom.store)
    if len(results) == 1:
        return results[0]
    return (Box(results),) if results else NOTHING


def _notable(scope: Scope, facts: Facts) -> bool:
    """Whether an in-place op has no derivative, or saves no memory where somebody wants to hear of that."""
    if facts.clones is not None:
        return scope.sketches.notes
    return facts.counted and not facts.differentiable


def _needed(needs: tuple[int, ...], operands: list[list[Cell]], layer: Layer | None) -> bool:
    for i in needs:
        if i == WEIGHT:
            if layer is not None:
                return True
        elif i < len(operands) and any(cell.store.grad for cell in operands[i]):
            return True
    return False


def _result(
    scope: Scope,
    facts: Facts,
    ret: Ret,
    operands: list[list[Cell]],
    values: Sequence[Sketched],
    carries: bool,
) -> Sketched:
    how, of, multi = ret.kind, ret.of, ret.multi_view
    grad = carries and ret.differentiable
    if how == "other":
        return NOTHING
    if how in ("fresh", "new"):
        return (Cell(Store(grad, tensor=True)),)
    if how == "unknown":
        return (Cell(Store()),)
    source = operands[of] if of is not None and of < len(operands) else []
    if how == "list":
        return (Box([(Cell(Store(grad, tensor=True)),)], ordered=False),)
    if how == "same" and of is not None:
        return values[of]
    if not source:
        return (Cell(Store(grad, tensor=True)),)
    views: list[Cell] = []
    for cell in source:
        if facts.detaches and not facts.shares_version:
            views.append(Cell(Store(grad=False, tensor=True)))
            continue
        cell.store.tensor = True
        fragile = multi or cell.fragile or layout.expands(facts.key) or not scope.recording
        views.append(Cell(cell.store, fragile))
        if multi:
            cell.store.parted = True
    if how == "maybe":
        views.append(Cell(Store(grad, tensor=True)))
    if how in ("views", "slices"):
        return (Box([tuple(views)], ordered=False),)
    return tuple(views)
