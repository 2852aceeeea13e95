"""How ops that may alias decide, and what views do to the memory layout: by ATen name, each tested against torch.

`derivatives.yaml` says that `reshape` returns a view or a copy, not when. These are the rules, from
`aten/src/ATen/native/TensorShape.cpp` and `TensorConversions.cpp`.
"""

from __future__ import annotations

#: Returns its input (or a view of it) where the input is contiguous.
IF_CONTIGUOUS = frozenset(["reshape", "reshape_as", "flatten", "ravel", "contiguous"])

#: The result shares memory between its own elements.
EXPANDS = frozenset(["expand", "expand_as", "broadcast_to", "expand_copy"])

#: The view of a contiguous tensor is contiguous.
KEEPS_CONTIGUOUS = frozenset(
    [
        "view",
        "view_as",
        "_unsafe_view",
        "reshape",
        "reshape_as",
        "flatten",
        "unflatten",
        "ravel",
        "contiguous",
        "unsqueeze",
        "squeeze",
        "detach",
        "alias",
        "data",
        "requires_grad_",
    ]
)


def _name(key: str) -> str:
    return key.rpartition("::")[2].partition(".")[0]


def aliases_if_contiguous(key: str) -> bool:
    """Whether the op whose facts have this key aliases its input exactly where that is contiguous."""
    return _name(key) in IF_CONTIGUOUS


def expands(key: str) -> bool:
    """Whether elements of the result share memory."""
    return _name(key) in EXPANDS


def keeps_contiguous(key: str) -> bool:
    """Whether a view by this op of a contiguous tensor is contiguous."""
    return _name(key) in KEEPS_CONTIGUOUS
