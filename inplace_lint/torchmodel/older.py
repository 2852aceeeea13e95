"""Reorders the arguments of PyTorch's deprecated signatures: `p.add_(-lr, gradient)`, `addmm(beta, x, a, b)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: By op, its parameters in the deprecated order: numbers, today keyword-only, stand among tensors.
ORDERS = {
    "add sub": ("self alpha other",),
    "addcdiv addcmul": ("self value tensor1 tensor2",),
    "addbmm baddbmm": ("beta self alpha batch1 batch2", "beta self batch1 batch2"),
    "addmm sspaddmm": ("beta self alpha mat1 mat2", "beta self mat1 mat2"),
    "addmv": ("beta self alpha mat vec", "beta self mat vec"),
    "addr": ("beta self alpha vec1 vec2", "beta self vec1 vec2"),
}
_NUMBERS = frozenset(("alpha", "beta", "value"))
_BY_NAME = {name: orders for names, orders in ORDERS.items() for name in names.split()}


def places(op: str, count: int) -> tuple[Sequence[int], dict[str, int]] | None:
    """The positions of the tensors among `count` arguments and of numbers by name; None if in today's order.

    `op` is the name in the table; a method (`Tensor.add`) takes its tensor first.
    """
    owner, _, name = op.rpartition(".")
    for order in _BY_NAME.get(name.rstrip("_"), ()):
        names = order.split()
        if len(names) == count:
            if owner == "Tensor":
                names.sort(key=lambda one: one != "self")
            tensors = [i for i, one in enumerate(names) if one not in _NUMBERS]
            return tensors, {one: i for i, one in enumerate(names) if one in _NUMBERS}
    return None
