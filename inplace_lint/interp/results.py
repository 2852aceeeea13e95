"""Computes what an op returns by the op table: new storages with dtype and gradients, views, or an operand itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel.facts import WEIGHT
from ..torchmodel.layout import GIVES_A_NUMBER, layout_of
from . import arrays, axes, batches, containers, contents, cuts, idempotent_writes
from .frames import LENGTH
from .guards import NEVER, both, compatible, either
from .joins import join
from .storage import DOES, Counter, Storage
from .values import (
    ANY,
    Constant,
    Expansion,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..torchmodel.facts import Facts, Ret
    from ..torchmodel.layout import Layout
    from .application import Application, Operands
    from .guards import Guard
    from .run import Run
    from .values import Sizes


def of(run: Run, op: Application) -> tuple[list[Operands], Value]:
    """The tensors of each result, for the saves of results, and the value of the call."""
    tensors: list[Operands] = []
    made: list[Value] = []
    for ret in op.facts.returns:
        value, alias = _result(run, op, ret)
        made.append(value)
        tensors.append(alias)
    if len(made) == 1:
        return tensors, made[0]
    if not made:
        return tensors, Constant(None)
    fields = op.facts.fields
    sequence = Sequence_("tuple")
    for i, value in enumerate(made):
        run.put(sequence, i, value)
        if i < len(fields):
            run.state.slots[(sequence, "member", fields[i])] = value
    run.state.slots[(sequence, LENGTH)] = Constant(len(made))
    return tensors, sequence


def _result(run: Run, op: Application, ret: Ret) -> tuple[Value, Operands]:
    """The value of one result, and the tensors that a save of it would keep."""
    layout, values, operands = op.facts.layout, op.values, op.operands
    source: Operands = [] if ret.of is None or ret.of >= len(operands) else operands[ret.of]
    if ret.kind == "other":
        return _no_tensor(run, op), []
    if ret.kind in ("unknown", "list") or layout.own_counter:
        # The result may share memory under another version counter: treat the operands as passed to unknown code.
        run.handed.given.update(tensor.storage for found in operands for _, tensor in found)
    if ret.kind == "unknown":
        return Unknown(), []
    if ret.kind == "list" or layout.own_counter:
        # Each element has its own version counter, and all have one graph.
        sequence = Sequence_("fresh")
        element = _fresh(run, op, ret)
        if layout.own_counter:
            run.handed.given.update(tensor.storage for _, tensor in run.tensors(element))
        run.put(sequence, ANY, element)
        return sequence, []
    if ret.kind == "same" and ret.of is not None:
        value = values[ret.of]
        return (value if value is not None else Unknown()), source
    if ret.kind in ("view", "views", "slices", "maybe") and source:
        views: list[tuple[Guard, Value]] = []
        copies: list[Tensor] = []

        def copy() -> Tensor:
            """One copy for all alternatives of the operand."""
            if not copies:
                copies.append(_fresh(run, op, ret))
            return copies[0]

        for guard, tensor in source:
            views += _view_or_copy(run, op, ret, guard, tensor, copy)
        value = join(views)
        if ret.kind in ("views", "slices"):
            return _several(run, op.facts, value, values), []
        return value, [(g, t) for g, t in views if isinstance(t, Tensor)]
    fresh = _fresh(run, op, ret)
    if run.grad == "off" and layout.ends_in_view([plain(value) for value in values]):
        fresh.no_grad_view = op.place
        fresh.made_at = run.heap.time
    return fresh, [(run.path, fresh)]


def _no_tensor(run: Run, op: Application) -> Value:
    """A result that is no tensor: a number, or an array that may share the memory of the operand."""
    first = op.values[0] if op.values else None
    if op.name == "item" and first is not None and (held := contents.of(run, first)) is not None:
        return held
    way = op.facts.layout.exposes_memory
    if way and first is not None:
        return arrays.look(run, first, way, op.place.at)
    if first is not None and op.name in GIVES_A_NUMBER and (op.name != "size" or _has_arguments(op.place.at)):
        return run.scalar((op.name, first, op.place.at))
    alone = all(value is None for value in op.values[1:])
    return run.scalar((op.name, first)) if alone and first is not None else Scalar()


def _has_arguments(at: ast.AST) -> bool:
    """Whether a call has arguments: `x.size(0)` is a number, `x.size()` a shape."""
    return isinstance(at, ast.Call) and bool(at.args or at.keywords)


def _view_or_copy(
    run: Run, op: Application, ret: Ret, guard: Guard, tensor: Tensor, copy: Callable[[], Tensor]
) -> list[tuple[Guard, Value]]:
    """The result for this operand: a view of it, itself, a copy, or a guess between two of them."""
    layout, values = op.facts.layout, op.values
    view = _view(run, op, ret, tensor)
    if layout.axes.goes_along_axis and plain(axes.argument(op.facts, values, "dim")) == 0:
        view.contiguous = tensor.contiguous  # consecutive whole rows
    by_layout = layout.aliases_if_contiguous
    converts = None
    if ret.kind == "maybe":
        converts = _converts(run, op.facts, [_along(value, guard) for value in values], tensor)
    if tensor.swapped and (layout.same_if_contiguous or (by_layout and _flattens(op.facts, values))):
        converts = True  # the elements have to be moved (unless all axes but one have size 1)
    if converts is False or (tensor.contiguous and layout.same_if_contiguous):
        return [(guard, tensor)]
    if converts is True:
        return [(guard, copy())]
    if ret.kind != "maybe" or (by_layout and tensor.contiguous) or layout.is_view:
        return [(guard, view)]
    # One copy for all alternatives of the operand, and one guess for those of a kind: only one of them is real.
    shares, copies = run.doubt((op.place.at, run.frame.uid), _shares_usually(run, op, tensor))
    fresh = copy()
    fresh.contiguous = fresh.contiguous or by_layout or layout.same_if_contiguous
    same = view if by_layout else tensor
    if fresh.storage.dtype in ("bool", "int"):  # `x.long()` gives x itself only if x has no gradient
        same = same.alias()
        same.detached, same.graph = True, fresh.storage
    if layout.same_if_contiguous:  # it returns itself only if it is contiguous already
        same = tensor.alias()
        same.contiguous, same.strided = True, False
    return [(both(guard, shares), same), (both(guard, copies), fresh)]


def _shares_usually(run: Run, op: Application, tensor: Tensor) -> bool:
    """Whether the op shares memory where all is float32, on the device that trains, and in the order of memory.

    Of conversions only what an op computed counts: what comes from elsewhere is data, which is converted on purpose,
    also where it was stacked before: a result of unknown dtype that has no gradient for sure.
    """
    layout = op.facts.layout
    if layout.aliases_if_contiguous or layout.same_if_contiguous:
        return not (tensor.view or tensor.strided) or (layout.aliases_if_contiguous and _splits(op, tensor))
    if layout.dtype_after is None and not layout.moves:
        return False  # dropout, say, which gives its operand back in evaluation mode
    if layout.moves_to_cpu or any(plain(value) == "cpu" for value in op.values[1:]):
        return False  # said where another device trains
    asked = [layout.dtype_after, *(dtype_of(value) for value in op.values[1:] if isinstance(value, Symbol))]
    usual = all(dtype in (None, "argument", "?", "float", "float32") for dtype in asked)
    storage = tensor.storage
    if not usual or storage.origin != "result" or storage.dtype in ("bool", "int"):
        return False
    return storage.dtype != "?" or any(evidence == DOES for _, evidence in run.heap.record(storage).grads)


def _splits(op: Application, tensor: Tensor) -> bool:
    """Whether `reshape` gives more axes than the tensor has: it takes one apart, which copies in no order of them."""
    call = op.place.at
    given = call.args if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else []
    sizes = given[-1].elts if given and isinstance(given[-1], (ast.Tuple, ast.List)) else given
    told = tensor.sizes is not None and not any(isinstance(one, ast.Starred) for one in sizes)
    # Of fewer than three, one may be the tensor: `torch.reshape(x, shape)`.
    return told and op.name == "reshape" and len(sizes) > max(2, len(tensor.sizes or ()))


#: Up to so many views from one `split` or `chunk` are separate values; more are one.
_VIEWS = 8


def _several(run: Run, facts: Facts, view: Value, values: Sequence[Value | None]) -> Value:
    """The views that `split` and its kin return: one value each, if an argument tells their number."""
    said = values[1] if facts.layout.axes.says_how_many and len(values) > 1 else None
    count = containers.length(run, said) if isinstance(said, Sequence_) else None
    if (
        isinstance(said, Constant)
        and type(said.value) is int
        and facts.params[1].name in ("chunks", "sections")
    ):
        count = said.value
    if count is not None and 0 < count <= _VIEWS:
        each = [view, *(_other_view(view) for _ in range(count - 1))]
        return containers.make(run, "tuple", each)
    sequence = Sequence_("unknown")
    run.put(sequence, ANY, view)
    return sequence


def _other_view(view: Value) -> Value:
    """Another view of the same storage with the same marks."""
    return join([(g, atom.alias() if isinstance(atom, Tensor) else atom) for g, atom in alternatives(view)])


def _expands_surely(run: Run, sizes: Sequence[Value | None]) -> bool:
    """Whether one of the sizes is a constant above 1; an unknown size may be 1, which shares no memory."""
    for value in sizes:
        if isinstance(value, Sequence_):
            if _expands_surely(run, run.elements(value)):
                return True
        elif isinstance(value, Constant) and isinstance(value.value, int) and value.value > 1:
            return True
    return False


def turn_in_place(run: Run, facts: Facts, operands: list[Operands], values: Sequence[Value | None]) -> None:
    """Change the axes of the written tensor as `t_` and its kin do."""
    for i in facts.writes:
        for _, tensor in operands[i] if i < len(operands) else ():
            _turn(run, facts, layout_of(facts.layout.name.rstrip("_")), tensor.alias(), tensor, values)


def plain(value: Value | None) -> object:
    """The Python value of a constant, else the value itself."""
    return value.value if isinstance(value, Constant) else value


def _along(value: Value | None, path: Guard) -> Value | None:
    """The value without the alternatives that the path excludes, if only one is left."""
    if not isinstance(value, Phi):
        return value
    possible = [atom for guard, atom in value.alternatives if compatible(guard, path)]
    return possible[0] if len(possible) == 1 else value


def _converts(run: Run, facts: Facts, values: Sequence[Value | None], tensor: Tensor) -> bool | None:
    """Whether a conversion (`to`, `float`) makes a copy: False if the tensor is so already, None if unknown."""
    after = facts.layout.dtype_after
    if facts.layout.moves_to_cpu and tensor.storage.device == "cpu":
        return False
    given = [value for value in values[1:] if value is not None]
    if facts.layout.moves and [getattr(value, "value", None) for value in given] == ["cpu"]:
        return None if tensor.storage.device != "cpu" else False
    if after == "argument":
        after = None
        for value in values[1:]:
            if isinstance(value, Tensor):
                if value.storage is tensor.storage:
                    return False
                after = _dtype_in_sight(run, value)
            elif isinstance(value, Symbol):
                after = dtype_of(value)
            elif isinstance(value, Constant) and value.value == "cpu" and tensor.storage.device == "cpu":
                after = tensor.storage.dtype
            elif isinstance(value, Scalar):
                key = run.key_of(value)
                if (
                    isinstance(key, tuple)
                    and key[0] == "attribute"
                    and key[2] == "device"
                    and key[1] is tensor
                ):
                    after = after or tensor.storage.dtype
                elif isinstance(key, tuple) and key[0] == "attribute" and key[2] == "dtype":
                    after = _dtype_in_sight(run, key[1]) if isinstance(key[1], Tensor) else None
                    if isinstance(key[1], Tensor) and key[1].storage is tensor.storage:
                        return False
                elif not isinstance(value, Test):
                    return None
    before = tensor.storage.dtype
    if after in (None, "?") or before == "?":
        return None
    if "float" in (after, before):
        return True if {after, before} & {"bool", "int"} else None
    return None if after == before == "int" else after != before


def _dtype_in_sight(run: Run, tensor: Tensor) -> str:
    """The dtype of a tensor; "float", of unknown width, where all that shows it is that it has gradients."""
    dtype = tensor.storage.dtype
    return "float" if dtype == "?" and run.heap.record(tensor.storage).grads else dtype


def _flattens(facts: Facts, values: Sequence[Value | None]) -> bool:
    """Whether the result has all elements in row-major order: `contiguous()`, `ravel()`, `reshape(-1)`."""
    rest = [value for value in values[1:] if value is not None]
    if facts.layout.same_if_contiguous or not rest:
        return True
    return len(rest) == 1 and isinstance(rest[0], Constant) and rest[0].value == -1


def _view(run: Run, op: Application, ret: Ret, tensor: Tensor) -> Tensor:
    """A view of a tensor as the op makes it, with its graph and version counter."""
    facts, place = op.facts, op.place
    view = tensor.alias()
    view.view = True
    if facts.detaches:
        view.detached = True
        view.graph = Storage(run.uid(), "detached", 0, tensor.storage.made)
        if not facts.shares_version:
            view.counter = Counter("data", place)
        view.multi = view.no_grad_view = None
        return view
    if ret.multi_view:
        view.multi = place
        view.made_at = run.heap.time
    if run.grad in ("off", "inference") and not tensor.detached:
        view.no_grad_view = view.no_grad_view or place
        view.made_at = run.heap.time
    view.early = run.grad == "on" and not view.no_grad_view and not run.heap.gradients(tensor, run.path)
    layout = facts.layout
    view.cut = cuts.axis_of(facts, tensor, op.values)
    if layout.axes.takes_axis_away:
        view.expanded = None
    if layout.expands:
        view.expanded = Expansion(place, _expands_surely(run, op.values[1:]))
    _turn(run, facts, layout, tensor, view, op.values)
    if not layout.expands and (ret.multi_view or _takes_one(tensor.sizes, view.sizes)):
        view.expanded = None  # it may be a single element of the expanded axis
    return view


def _takes_one(before: Sizes | None, after: Sizes | None) -> bool:
    """Whether an axis that was longer, or of unknown size, has size 1 in a view."""
    if before is None or after is None or len(before) != len(after):
        return False
    return any(new == 1 and old != 1 for old, new in zip(before, after))


def _turn(
    run: Run, facts: Facts, layout: Layout, tensor: Tensor, view: Tensor, values: Sequence[Value | None]
) -> None:
    """Set how the axes of `view`, made of `tensor` by the op, lie in memory."""
    view.sizes = axes.of_view(run, facts, layout, tensor, values)
    view.strided = tensor.strided or layout.scatters
    view.rows_apart = tensor.rows_apart or cuts.puts_rows_apart(facts, tensor, values)
    view.batch_cut = batches.is_cut(tensor, view.sizes)
    view.matrices_turned = batches.turns_matrices(layout, tensor, values)
    view.swapped = tensor.contiguous and layout.swaps
    view.dense = tensor.dense and not layout.permutes
    view.contiguous = tensor.contiguous and layout.keeps_contiguous


def _fresh(run: Run, op: Application, ret: Ret) -> Tensor:
    """A new tensor with the dtype, device, layout and gradients that follow from the operands."""
    facts, operands, weights = op.facts, op.operands, op.weights
    dtype = ret.dtype
    places = {t.storage.device for found in operands for _, t in found}
    device = "?"
    if facts.factory or len(places) == 1:
        device = "cpu" if facts.factory and not places else next(iter(places), "?")
    target = facts.layout.dtype_after
    if facts.layout.makes_default_dtype:
        dtype = "float32"
    elif target not in (None, "argument"):
        dtype = target
    elif dtype in ("same", "float", "?"):
        kinds = {t.storage.dtype for found in operands for _, t in found}
        if any(WEIGHT in save.needs for save in facts.saves):
            # an embedding: the result has the dtype of the weights, not of the indices
            kinds.add("?" if weights is None else weights.storage.dtype)
        if len(kinds) > 1:
            kinds -= {"bool", "int"}  # a float promotes them
        only = next(iter(kinds)) if len(kinds) == 1 else "?"
        if only == "bool" and facts.layout.counts and sum(map(bool, operands)) == 1:
            only = "?"
        converted = facts.layout.dtype_after is not None
        if dtype == "same" or (only == "float32" and not converted):
            dtype = only
        if run.keeping.autocast and facts.autocast and dtype == "float32":
            dtype = "float"
    fresh = run.new_tensor("factory" if facts.factory else "result", 0, op.place.at, dtype=dtype)
    fresh.storage.has_axes = facts.layout.axes.has_axes
    fresh.storage.bits = idempotent_writes.of_result(op)
    fresh.storage.device = "?" if facts.layout.moves else device
    fresh.contiguous = (
        facts.factory or facts.layout.makes_contiguous or all(t.dense for found in operands for _, t in found)
    )
    fresh.dense = fresh.contiguous
    fresh.sizes = axes.of_result(run, facts, operands, op.values)
    if facts.layout.is_pointwise:
        # The first operand without overlap decides the memory order of the result.
        given = (tensor for found in operands for _, tensor in found if tensor.expanded is None)
        fresh.strided = next((tensor.strided for tensor in given), False)
    if op.unproved and not any(t.storage.is_tensor() for found in operands for _, t in found):
        fresh.storage.proved = False
        unproved = [storage for _, storage in op.unproved]
        first = [t.storage for _, t in operands[0]] if facts.layout.proves_first else unproved
        fresh.storage.sources = tuple(storage for storage in unproved if storage in first)
    if op.grads and ret.differentiable and dtype not in ("bool", "int"):
        guard = NEVER
        for g, _ in op.grads:
            guard = either(guard, g)
        fresh.storage.moved = facts.layout.moves_elements and op.all_moved(run)
        run.heap.results_in(fresh.storage, guard, op.node, op.grads)
        fresh.storage.evidence = op.contributors(run)
    return fresh


def dtype_of(value: Value) -> str:
    """The dtype that a `dtype=` argument names (bool, int or a float type), else "?"."""
    if isinstance(value, Symbol):
        name = value.dotted.rpartition(".")[2]
        if name == "bool":
            return "bool"
        if name.startswith(("int", "uint")) or name in ("long", "short"):
            return "int"
        if "float" in name or name in ("double", "half"):
            return {"float": "float32", "double": "float64", "half": "float16"}.get(name, name)
    return "?"
