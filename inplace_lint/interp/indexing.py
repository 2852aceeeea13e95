"""Models `x[i]` and `x[i] = v`: basic indexing makes a view, indexing by a tensor, a mask or a list a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import axes, batches, cuts, ops
from .guards import both
from .joins import join
from .slices import Slice
from .storage import Taken
from .values import ANY, Array, Constant, Phi, Scalar, Sequence_, Tensor, Test, Unknown, Value, alternatives

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from .run import Run


def _index_kind(run: Run, index: Value) -> str:
    """N for basic indexing (a view), T for indexing by a tensor or a list (a copy), ? if it may be either."""
    index = _as_proved(index)
    if isinstance(index, Test):
        return "T"  # a comparison of unknown values: a mask
    if isinstance(index, Array):
        return "?"  # a copy, but a view for a number of NumPy's, such as `a.sum().astype(int)`
    if isinstance(index, (Slice, Scalar)):
        return "N"
    if isinstance(index, Constant):
        return "T" if isinstance(index.value, bool) else "N"
    if isinstance(index, Tensor):
        if index.sizes == () and index.storage.dtype != "bool":
            return "N"  # a number as a tensor
        return "T" if index.storage.dtype == "bool" or index.storage.is_tensor() else "?"
    if isinstance(index, Sequence_):
        if index.kind == "unknown":
            return "?"  # an argument that is annotated as a tuple or list
        if not _counts_as_tuple(run, index):
            return "T"
        kinds = {_index_kind(run, element) for element in run.elements(index)}
        return "T" if "T" in kinds else "?" if "?" in kinds else "N"
    if isinstance(index, Phi):
        kinds = {_index_kind(run, atom) for atom in run.possible(index)}
        return next(iter(kinds)) if len(kinds) == 1 else "?"
    return "?"


def _counts_as_tuple(run: Run, index: Sequence_) -> bool:
    """Whether torch takes a sequence for several indices: a tuple, or a list with a slice (`x[[slice(3)]]`)."""
    parts = (part for one in run.elements(index) for _, part in alternatives(one))
    return index.kind == "tuple" or any(isinstance(part, Slice) for part in parts)


def _as_proved(index: Value) -> Value:
    """The tensor that an unknown index stands for, if it is proved to be one (by an annotation, say)."""
    tensor = index.tensor if isinstance(index, Unknown) else None
    return index if tensor is None or not tensor.storage.proved else tensor


#: Stands in for any basic index: the op table only asks for the kind of an index.
_BASIC = Constant(0)


def index(run: Run, obj: Value, at_index: Value, at: ast.AST) -> Value:
    """tensor[index]."""
    op = table.operator("[]")
    found = _index_kind(run, at_index)
    if op is None:
        return Unknown()
    if is_position(at_index) and found != "T":
        obj = _of_a_list_perhaps(run, obj, at_index)
    if found == "?":
        shares, copies = run.doubt(("index", at, run.frame.uid))
        path = run.path
        run.path = both(path, shares)
        view = ops.apply(run, op, [obj, _BASIC], {}, at, function=False)
        run.path = both(path, copies)
        copy = ops.apply(run, op, [obj, at_index], {}, at, function=False)
        _proves_the_indexed_alone(run, obj, copy)
        run.path = path
        return join([(both(path, shares), view), (both(path, copies), copy)])
    value: Value = _BASIC if found == "N" else _one_tensor(run, at_index)
    part = ops.apply(run, op, [obj, value], {}, at, function=False)
    _proves_the_indexed_alone(run, obj, part)
    if isinstance(obj, Tensor) and isinstance(part, Tensor):
        part.sizes = axes.of_part(run, obj.sizes, at_index)
        part.batch_cut = batches.is_cut(obj, part.sizes)
        if found == "N" and _keeps_rows(at_index):
            part.contiguous = obj.contiguous
    sizes = obj.sizes if isinstance(obj, Tensor) else None
    if found == "N" and cuts.subscript_puts_rows_apart(sizes, _parts(run, at_index)):
        for _, one in alternatives(part):
            if isinstance(one, Tensor):
                one.rows_apart = True
    if found == "T" and isinstance(part, Tensor) and not _has_axes(run, at_index):
        part.storage.perhaps_part = True
    return part


def _has_axes(run: Run, index: Value) -> bool:
    """Whether an advanced index, or a part of it, is a mask or has an axis: it is no number as a tensor."""
    index = _as_proved(index)
    if isinstance(index, Sequence_):
        if index.kind == "unknown":
            return False
        return index.kind != "tuple" or any(_has_axes(run, part) for part in run.elements(index))
    if isinstance(index, Tensor):
        return (index.storage.has_axes and not index.view) or index.storage.dtype == "bool"
    return isinstance(index, Test) or (isinstance(index, Constant) and isinstance(index.value, bool))


def _proves_the_indexed_alone(run: Run, obj: Value, part: Value) -> None:
    """Let a later proof that the element is a tensor prove the indexed value to be one, but not the index."""
    indexed = run.as_tensor(obj)
    if isinstance(part, Tensor) and indexed is not None and part.storage is not indexed.storage:
        part.storage.sources = tuple(s for s in part.storage.sources if s is indexed.storage)


def _parts(run: Run, index: Value) -> Sequence[Value]:
    """What stands between the brackets of a subscript, one part for each comma."""
    return run.elements(index) if isinstance(index, Sequence_) and _counts_as_tuple(run, index) else [index]


def _keeps_rows(index: Value) -> bool:
    """Whether an index takes consecutive whole rows: such a part of a contiguous tensor is contiguous."""
    if isinstance(index, Slice):
        step = index.parts[2]
        return isinstance(step, Constant) and step.value in (None, 1)
    return isinstance(index, (Scalar, Constant))


def _is_everything(index: Value) -> bool:
    """Whether an index is `...` or `:`."""
    if isinstance(index, Slice):
        return all(isinstance(part, Constant) and part.value is None for part in index.parts)
    return isinstance(index, Constant) and index.value is ...


def is_position(index: Value) -> bool:
    """Whether a list could be indexed by it too: no slice, no tuple, no tensor, no mask.

    What is computed from an unknown value, as `levels - 1`, may be a number.
    """
    if isinstance(index, Tensor):
        return not index.storage.is_tensor() and index.storage.dtype != "bool"
    return not isinstance(index, (Slice, Sequence_, Test))


def _of_a_list_perhaps(run: Run, value: Value, index: Value | None) -> Value:
    """The value, marked as a possible list: what proves an element to be a tensor does not prove the value one."""
    tensor = run.as_tensor(value)
    if tensor is not None:
        tensor.storage.indexed = True
    if tensor is None or (tensor.storage.proved and not tensor.storage.parts_only):
        return value
    part = tensor.alias()
    part.part = True
    if part.taken is None and index is not None:
        name = (type(index.value), index.value) if isinstance(index, Constant) else run.identity(index)
        part.taken = Taken(name, run.within[-1] if run.within else None, perhaps=True)
    return part


def _one_tensor(run: Run, index: Value) -> Value:
    """The tensor in an advanced index: the first in a tuple or list, or a new one for a list of numbers."""
    if isinstance(index, Sequence_):
        for element in run.elements(index):
            if isinstance(element, Tensor):
                return element
        return run.new_tensor("factory", 0, None, dtype="int")
    return index


def set_index(run: Run, obj: Value, at_index: Value, value: Value, at: ast.AST) -> None:
    """tensor[index] = value."""
    op = table.operator("[]=")
    if op is not None:
        found = _index_kind(run, at_index)
        if found == "N" and run.grad == "on" and not _is_everything(at_index):
            ops.used(run, [run.tensors(obj)])  # Python takes the view `x[i]` first, which is a use of x
        ops.apply(
            run,
            op,
            [obj, _BASIC if found == "N" else _one_tensor(run, at_index), value],
            {},
            at,
            function=False,
        )


def iterate(run: Run, value: Value, at: ast.AST) -> Value:
    """One row of a tensor that is iterated over or unpacked: an output of unbind."""
    op = table.method("unbind")
    if op is None:
        return Unknown()
    rows = ops.apply(run, op, [_of_a_list_perhaps(run, value, None)], {}, at, function=False)
    if isinstance(rows, Sequence_):
        row = run.state.get((rows, ANY))
        if row is not None:
            return row
    return Unknown()
