"""Infers tensor shapes, as far as the source spells out sizes: `torch.zeros(3, 4)`.

None stands for an axis of unknown length: `(None, 4)` is a matrix of four columns. Where the shape itself is None, not
even the number of axes is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import shapes
from ..torchmodel.layout import FEW_ROWS, GIVES_A_NUMBER
from . import slices
from .frames import LENGTH
from .values import Array, Constant, Scalar, Sequence_, Symbol, Tensor, Test, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts
    from ..torchmodel.layout import Layout
    from .guards import Guard
    from .run import Run
    from .values import Sizes

    Found = Sequence[tuple[Guard, Tensor]]

#: Values that are no tensors, and have no axes.
_NO_TENSORS = (type(None), Constant, Scalar, Symbol)
#: Stands for an argument that is not a constant.
_UNKNOWN = object()


def count(
    run: Run, facts: Facts, binding: Sequence[int | str | None], args: Sequence[Value], result: Value
) -> None:
    """Sets the shape of a result from size arguments (`zeros(2, 3)`, `x.view(4, -1)`), or to one axis (`arange`)."""
    if facts.layout.axes.has_one_axis:
        if all(
            place is None or not param.name.endswith("dim") for param, place in zip(facts.params, binding)
        ):
            given = [tensor for value in args[:1] for _, tensor in run.tensors(value)]
            for _, tensor in run.tensors(result):
                if tensor not in given:
                    tensor.sizes = (None,)
        return
    for param, place in zip(facts.params, binding):
        if (
            param.code in ("v", "il")
            and isinstance(place, int)
            and (param.name == "size" or not facts.factory)
        ):
            sizes = written_out(run, args[place], args[place:] if param.code == "v" else ())
            length = run.state.get((args[place], LENGTH))
            none = isinstance(length, Constant) and length.value == 0  # `torch.zeros(())`
            if (sizes or none) and all(isinstance(size, (Constant, Scalar)) for size in sizes):
                lengths = facts.factory or not facts.layout.axes.keeps_axes
                for _, tensor in run.tensors(result):
                    tensor.sizes = tuple(_length(size) if lengths else None for size in sizes)
            return


def of_literal(run: Run, value: Value) -> Sizes | None:
    """The shape of numbers in nested lists, as in `torch.tensor([[1, 2], [3, 4]])`."""
    if not isinstance(value, Sequence_):
        return () if isinstance(value, Constant) else None
    elements = written_out(run, value, ())
    inner = {of_literal(run, element) for element in elements}
    first = inner.pop() if len(inner) == 1 else None
    return None if first is None else (len(elements), *first)


def of_result(
    run: Run, facts: Facts, operands: Sequence[Found], values: Sequence[Value | None]
) -> Sizes | None:
    """The shape of the new tensor that an op computes from these operands."""
    group = facts.layout.axes.group
    if not group:
        return None
    if group == "elements" or (group == "reduced" and _elementwise(facts, values)):
        return _spread(operands, values)
    if group == "loss":
        reduction = _plain(facts, values, "reduction")
        return () if reduction in ("mean", "sum", 1, 2) and _is_left_out(facts, values, "reduce") else None
    if group == "number":
        return ()
    if group == "equation":
        equation = next((value.value for value in values[:1] if isinstance(value, Constant)), None)
        each = [shape_of(found) for found in operands[1:]]
        return shapes.of_equation(equation, each) if isinstance(equation, str) else None
    if group == "looked up":
        rows = shape_of(_named(facts, operands, "input") or _named(facts, operands, "indices") or ())
        return None if rows is None else (*rows, None)
    if group in ("joined", "stacked"):
        return _put_together(facts, operands, values, group == "stacked")
    tensors = [i for i, param in enumerate(facts.params) if param.kind == "tensor" and i < len(operands)]
    first = shape_of(operands[tensors[0]]) if tensors else None
    if group == "reduced" and all(param.name != "dim" for param in facts.params):
        return ()  # it reduces all elements, whatever the number of axes
    if first is None and group in ("same", "rank", "rows", "reduced", "product", "distances"):
        return None
    second = shape_of(operands[tensors[1]]) if len(tensors) > 1 else None
    if group in ("matrices", "batches"):
        return _multiplied([operands[i] for i in tensors[-2:]], 2 if group == "matrices" else 3)
    if group == "outer":
        return (first or (None,))[:1] + (second or (None,))[:1]
    if first is None:
        return None
    if group == "same":
        return first
    if group == "rank":
        return (None,) * len(first)
    if group == "rows":
        return _rows(first, _named(facts, operands, "weight"))
    if group == "reduced":
        return _reduced(run, facts, values, first)
    if second is None or not first or not second:
        return None
    if group == "distances":
        return (*shapes.broadcast([first[:-2], second[:-2]]), *first[-2:-1], *second[-2:-1])
    return shapes.product(first, second)


def _multiplied(factors: Sequence[Found], rank: int) -> Sizes:
    """The shape of a product of two operands with `rank` axes each (`mm`, `bmm`)."""
    left, right = (shape_of(found) for found in factors) if len(factors) > 1 else (None, None)
    if left is None or right is None or len(left) != rank or len(right) != rank:
        return (None,) * rank
    return shapes.product(left, right)


def _rows(rows: Sizes, weight: Found | None) -> Sizes | None:
    """The shape of a linear layer's output, for an input of shape `rows`."""
    if weight is None:  # a module's own weight, of unknown size
        return (*rows[:-1], None)
    shape = shape_of(weight)
    return None if not shape else rows[:-1] + (shape[:1] if len(shape) > 1 else ())


def of_view(
    run: Run, facts: Facts, layout: Layout, tensor: Tensor, values: Sequence[Value | None]
) -> Sizes | None:
    """The shape of a view of `tensor` by an op of this layout."""
    name = layout.name
    if name in ("view_as", "expand_as", "reshape_as"):
        return shape_of([found for value in values[1:2] if value is not None for found in run.tensors(value)])
    sizes = tensor.sizes
    if sizes is None:
        return None
    rank = len(sizes)
    if layout.swaps:
        axes = [_axis(value, rank) for value in values[1:]] if len(values) == 3 else [rank - 2, rank - 1]
        if rank < 2 or None in axes:
            return (None,) * rank
        order = [*range(rank)]
        if name in ("T", "numpy_T"):
            order.reverse()
        else:
            a, b = axes
            assert a is not None and b is not None
            order[a], order[b] = b, a
        return tuple(sizes[axis] for axis in order)
    if layout.axes.keeps_axes:
        return (None,) * rank if layout.permutes else sizes
    if name == "diagonal":
        return (None,) * (rank - 1) if rank > 1 else None
    if name in ("select", "unbind", "narrow", "split", "chunk", "tensor_split", "unsqueeze"):
        added = name == "unsqueeze"
        axis = _axis(argument(facts, values, "dim"), rank + added)
        if layout.axes.drops_axis:
            return None if not rank else (None,) * (rank - 1) if axis is None else _without(sizes, axis)
        if axis is None:
            return (None,) * (rank + added)
        if added:
            return (*sizes[:axis], 1, *sizes[axis:])
        length = _number(argument(facts, values, "length"))
        return (*sizes[:axis], length, *sizes[axis + 1 :])
    return None


def of_part(run: Run, sizes: Sizes | None, index: Value) -> Sizes | None:
    """The shape of `tensor[index]`, for a tensor of shape `sizes`."""
    if sizes is None:
        return None
    tuple_ = isinstance(index, Sequence_) and index.kind == "tuple"
    parts = written_out(run, index, ()) if tuple_ else [index]
    if tuple_ and not parts:
        return None
    taken = 0
    for part in parts:
        if isinstance(part, Tensor) and part.storage.dtype == "bool":
            if part.sizes is None:
                return None
            taken += len(part.sizes)
        else:
            taken += not (isinstance(part, Constant) and (part.value is None or part.value is ...))
    if taken > len(sizes) or sum(_is_list_like(part) for part in parts) > 1:
        return None
    found: list[int | None] = []
    rest = list(sizes)
    for part in parts:
        if isinstance(part, slices.Slice):
            found.append(_sliced(rest.pop(0), part))
        elif isinstance(part, Tensor):
            if part.sizes is None:
                return None
            mask = part.storage.dtype == "bool"
            if not mask and part.storage.dtype != "int":
                return None
            found += [None] if mask else part.sizes
            del rest[: len(part.sizes) if mask else 1]
        elif isinstance(part, Constant):
            if part.value is ...:
                free = len(sizes) - taken
                found += rest[:free]
                del rest[:free]
            elif part.value is None:
                found.append(1)
            elif type(part.value) is int:
                rest.pop(0)
            else:
                return None
        elif (
            isinstance(part, Scalar)
            and (part.number or part.bound is not None)
            and not isinstance(part, Test)
        ):
            rest.pop(0)
        else:
            return None
    return (*found, *rest)


def is_matrix(tensor: Tensor) -> bool:
    """Whether the tensor is known to have at most two axes."""
    return tensor.sizes is not None and len(tensor.sizes) <= 2


def one_batch_axis(facts: Facts, operands: Sequence[Found]) -> bool:
    """Whether the op multiplies two batches of several matrices (3 axes each), which `matmul` saves without a copy.

    (With a batch of one matrix, the other operand is folded into one large matrix, which may take a copy.)
    """
    if facts.layout.axes.group != "product":
        return False
    shapes_ = [shape_of(found) for found in operands[:2]]
    return all(shape is not None and len(shape) == 3 and (shape[0] or 0) > 1 for shape in shapes_)


def keeps_both(operands: Sequence[Found]) -> bool:
    """Whether `cdist` is known to save both operands themselves, and no copy of one repeated for each batch."""
    tensors = [tensor for found in operands for _, tensor in found]
    shapes_ = [shape_of(found) for found in operands]
    if len({*tensors}) == 1 or all(shape is not None and len(shape) == 2 for shape in shapes_):
        return True  # nothing is repeated
    return all(
        tensor.sizes is not None and len(tensor.sizes) > 1 and 0 <= (tensor.sizes[-2] or -1) <= FEW_ROWS
        for tensor in tensors
    )


def shape_of(found: Found) -> Sizes | None:
    """The common shape of all alternatives: None for an axis on which they differ, None if their ranks differ."""
    common: Sizes | None = None
    for i, (_, tensor) in enumerate(found):
        sizes = tensor.sizes
        if sizes is None or (common is not None and len(common) != len(sizes)):
            return None
        common = (
            sizes if i == 0 or common is None else tuple(a if a == b else None for a, b in zip(common, sizes))
        )
    return common


def argument(facts: Facts, values: Sequence[Value | None], name: str) -> Value | None:
    """The value of the parameter `name`, or its default."""
    for param, value in zip(facts.params, values):
        if param.name == name:
            if value is None and param.default is not None:
                return Constant(param.default.value)
            return value
    return None


def _elementwise(facts: Facts, values: Sequence[Value | None]) -> bool:
    """Whether the call is `torch.max(a, b)` of two tensors, which is no reduction."""
    return len(values) > 1 and facts.params[1].kind == "tensor"


def _spread(operands: Sequence[Found], values: Sequence[Value | None]) -> Sizes | None:
    """The shape that the operands broadcast to; None unless the shapes of all tensors are known."""
    known: list[Sizes] = []
    for found, value in zip(operands, values):
        if found:
            shape = shape_of(found)
            if shape is None:
                return None
            known.append(shape)
        elif not isinstance(value, _NO_TENSORS) or isinstance(value, (Array, Test)):
            return None  # it may be an array or a mask, of unknown shape
    return shapes.broadcast(known) if known else None


def _put_together(
    facts: Facts, operands: Sequence[Found], values: Sequence[Value | None], adds: bool
) -> Sizes | None:
    """The shape of `cat`, or of `stack` (`adds`: it adds an axis)."""
    common = shape_of([found for each in operands for found in each])
    if common is None:
        return None
    rank = len(common) + adds
    axis = _axis(argument(facts, values, "dim"), rank)
    if axis is None:
        return (None,) * rank
    return (*common[:axis], None, *common[axis + (not adds) :])


def _reduced(run: Run, facts: Facts, values: Sequence[Value | None], sizes: Sizes) -> Sizes | None:
    names = [param.name for param in facts.params]
    if "dim" not in names:
        return ()
    axes: Sequence[int] | None = None
    dim = argument(facts, values, "dim")
    if isinstance(dim, Sequence_):
        numbers = [_number(element) for element in written_out(run, dim, ())]
        axes = [number for number in numbers if number is not None]
        if not axes or len(axes) < len(numbers):
            return None
    elif isinstance(dim, Constant) and type(dim.value) is int:
        axes = [dim.value]
    elif not isinstance(dim, Constant) or dim.value is not None:
        return None
    keep = _plain(facts, values, "keepdim") if "keepdim" in names else False
    return shapes.reduced(sizes, axes, keep) if isinstance(keep, bool) else None


def _named(facts: Facts, operands: Sequence[Found], name: str) -> Found | None:
    """The operand for the parameter `name`; None if the op has no such parameter."""
    return next((found for param, found in zip(facts.params, operands) if param.name == name), None)


def _plain(facts: Facts, values: Sequence[Value | None], name: str) -> object:
    value = argument(facts, values, name)
    return value.value if isinstance(value, Constant) else _UNKNOWN


def _is_left_out(facts: Facts, values: Sequence[Value | None], name: str) -> bool:
    return argument(facts, values, name) is None or _plain(facts, values, name) is None


def _axis(value: Value | None, rank: int) -> int | None:
    """The axis that an argument names, as an index from 0; None if it is not known."""
    number = _number(value)
    return None if number is None or not -rank <= number < rank else number % rank


def _without(sizes: Sizes, axis: int) -> Sizes:
    return sizes[:axis] + sizes[axis + 1 :]


def _is_list_like(part: Value) -> bool:
    return isinstance(part, (Tensor, Sequence_))


def _sliced(size: int | None, part: Value) -> int | None:
    assert isinstance(part, slices.Slice)
    plain = [bound.value for bound in part.parts if isinstance(bound, Constant)]
    bounds = [bound for bound in plain if bound is None or type(bound) is int]
    if size is None or size < 0 or len(bounds) != 3 or bounds[2] == 0:
        return None
    return len(range(*slice(*bounds).indices(size)))


def _length(value: Value) -> int | None:
    """A size as a number; None if it is not known, and for -1, which torch infers."""
    number = _number(value)
    return None if number is None or number < 0 else number


def _number(value: Value | None) -> int | None:
    number = value.value if isinstance(value, Constant) else None
    return number if type(number) is int else None


def is_number(run: Run, value: object, depth: int = 6) -> bool:
    """Whether a value is known to be one number: a length, a size of a tensor, or computed from such numbers."""
    if isinstance(value, tuple) and value[0] == "constant":  # `operators.identity`
        return type(value[1]) in (int, float)
    if not isinstance(value, Scalar):
        return False
    key = run.key_of(value)
    if value.number or not isinstance(key, tuple) or not depth:
        return value.number
    if key[0] == "len" or "ndim" in (key[0], key[-1]):
        return True
    if key[0] in ("item", "part"):
        return _is_shape(run, key[1]) and not isinstance(key[2], slices.Slice)
    if key[0] in GIVES_A_NUMBER:
        return len(key) == 3
    return key[0] in _ARITHMETIC and all(is_number(run, part, depth - 1) for part in key[1:])


#: Operators that make a number of numbers.
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "neg"})


def _is_shape(run: Run, value: object) -> bool:
    """Whether a value is the shape of a tensor, of which each part is a number."""
    key = run.key_of(value) if isinstance(value, Scalar) else None
    return isinstance(key, tuple) and (key[-1] == "shape" or (key[0] == "size" and len(key) == 2))


def tensor_of_shape(run: Run, value: Value) -> Tensor | None:
    """The tensor whose shape a value is: `x.shape`, `x.size()`."""
    key = run.key_of(value) if isinstance(value, Scalar) else None
    if not isinstance(key, tuple) or not _is_shape(run, value) or not isinstance(key[1], Value):
        return None
    return run.as_tensor(key[1])


def written_out(run: Run, value: Value, separate: Sequence[Value]) -> Sequence[Value]:
    """The sizes, given in one sequence or as `separate` arguments; empty if it is not known how many there are."""
    if not isinstance(value, Sequence_):
        # A single argument that is not known to be a number may be the whole shape.
        alone = len(separate) == 1 and isinstance(value, Scalar) and not is_number(run, value)
        return () if alone else separate
    elements = run.elements(value)
    length = run.state.get((value, LENGTH))
    return elements if isinstance(length, Constant) and length.value == len(elements) else ()
