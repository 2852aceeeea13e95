"""How large a tensor is, as far as the source says so: by sizes, or axes, that are written out one by one."""

from __future__ import annotations

from ..torchmodel import layout
from .run import LENGTH
from .values import Constant, Scalar, Sequence_, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts
    from .guards import Guard
    from .run import Run
    from .values import Sizes, Tensor


def count(
    run: Run, facts: Facts, binding: Sequence[int | str | None], args: Sequence[Value], result: Value
) -> None:
    """Note the sizes of an op's result: of a factory, or where each axis is named, or there is but one."""
    if facts.layout.has_one_axis:
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
            sizes = _written_out(run, args[place], args[place:] if param.code == "v" else ())
            if sizes and all(isinstance(size, (Constant, Scalar)) for size in sizes):
                for _, tensor in run.tensors(result):
                    tensor.sizes = tuple(_number(size) if facts.factory else None for size in sizes)
            return


def of_view(facts: Facts, tensor: Tensor) -> Sizes | None:
    """The sizes of a view by this op."""
    if tensor.sizes is None or not facts.layout.keeps_axes:
        return None
    return (None,) * len(tensor.sizes) if facts.layout.permutes else tensor.sizes


def is_matrix(tensor: Tensor) -> bool:
    """Whether it is known to have no more than two axes."""
    return tensor.sizes is not None and len(tensor.sizes) <= 2


def few_rows(operands: Sequence[Sequence[tuple[Guard, Tensor]]]) -> bool:
    """Whether all these tensors are known to have no more rows than what `cdist` computes pair by pair."""
    tensors = [tensor for found in operands for _, tensor in found]
    return all(
        tensor.sizes is not None
        and len(tensor.sizes) > 1
        and 0 <= (tensor.sizes[-2] or -1) <= layout.FEW_ROWS
        for tensor in tensors
    )


def _number(value: Value) -> int | None:
    number = value.value if isinstance(value, Constant) else None
    return number if type(number) is int else None


def _written_out(run: Run, value: Value, separate: Sequence[Value]) -> Sequence[Value]:
    """The sizes in one sequence, or given each by itself; none where they are not all known."""
    if not isinstance(value, Sequence_):
        return separate
    elements = run.elements(value)
    length = run.state.get((value, LENGTH))
    return elements if isinstance(length, Constant) and length.value == len(elements) else ()
