"""The tracer's records: saves, writes, and hazards (a saved tensor that is written before backward reads it)."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from .stacks import Stack

#: Reasons why PyTorch's own check is silent about a hazard; `silent` is None if it raises.
DATA = "data"  # a write past the version counter: `.data`, `apply_`, a storage's own methods
SHARED = "shared"  # a write through memory shared with code outside of PyTorch: NumPy, DLPack
HOOKS = "hooks"  # the program's own saved-tensor hooks switch the check off
CHECKPOINT = "checkpoint"  # a checkpointed region is recomputed from changed values
UNCOUNTED = "uncounted"  # an operation that does not bump the version: fused optimizers, running statistics


@dataclass(frozen=True, slots=True)
class Region:
    """The part of a storage that a tensor covers: offset and strides in elements, shape, and bytes of an element."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    width: int

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Region:
        offset, width = int(tensor.storage_offset()), tensor.element_size()
        return cls(offset, tuple(tensor.shape), tuple(tensor.stride()), width)

    def bounds(self) -> tuple[int, int]:
        """Returns the first byte and the one after the last; equal for an empty tensor."""
        if 0 in self.shape:
            return 0, 0
        last = self.offset + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return self.offset * self.width, (last + 1) * self.width

    def overlaps(self, other: Region) -> bool:
        """Whether two regions share a byte: exact if together they span at most 64 MiB, else by their bounds."""
        (start, end), (other_start, other_end) = self.bounds(), other.bounds()
        first, last = max(start, other_start), min(end, other_end)
        if first >= last:
            return False
        if max(end, other_end) - min(start, other_start) > 1 << 26:
            return True
        base = min(start, other_start)
        size = max(end, other_end) - base
        with torch._C._DisableTorchDispatch(), torch.no_grad():
            marks = torch.zeros(size, dtype=torch.bool)
            self._bytes(marks, base).fill_(True)
            return bool(other._bytes(marks, base).any())

    def _bytes(self, marks: torch.Tensor, base: int) -> torch.Tensor:
        return marks.as_strided(
            (*self.shape, self.width),
            (*(stride * self.width for stride in self.strides), 1),
            self.offset * self.width - base,
        )


@dataclass(frozen=True, slots=True)
class Write:
    """One in-place write: its number in the order of writes, its stack, the operation, and the version before it.

    `region` is None if the whole storage may have changed; `counted` is False for operations known not to bump the
    version; `optimizer` is the class of the optimizer whose step made the write; `grad_mode` is the mode at the write.
    """

    moment: int
    stack: Stack
    op: str
    version: int
    region: Region | None
    counted: bool = True
    optimizer: str | None = None
    grad_mode: bool = True


class Home:
    """A storage that a graph node has saved, with the writes to it since."""

    __slots__ = ("__weakref__", "writes")

    def __init__(self) -> None:
        self.writes: list[Write] = []


class Save:
    """A tensor that a graph node saves for backward.

    `tensor` is an alias that shares memory and version counter with the saved tensor; None if the program's own hooks
    keep something else. `origin` is a weak reference to the user's tensor object. `hidden` is the reason why PyTorch
    does not check this save, or None.
    """

    __slots__ = (
        "__weakref__",
        "attribute",
        "checked",
        "checksum",
        "dtype",
        "hazard",
        "hidden",
        "home",
        "moment",
        "node",
        "origin",
        "region",
        "shape",
        "stack",
        "storage",
        "tensor",
        "unread",
        "version",
    )

    def __init__(
        self, tensor: torch.Tensor | None, origin: torch.Tensor, home: Home, moment: int, stack: Stack
    ) -> None:
        self.tensor = tensor
        self.version = origin._version
        self.home = home
        self.moment = moment
        self.stack = stack
        self.shape = _shape(origin)
        self.dtype = origin.dtype
        self.origin: Callable[[], torch.Tensor | None] = weakref.ref(origin)
        self.storage = 0
        self.region: Region | None = None
        self.checksum: torch.Tensor | None = None
        self.hidden: str | None = None
        self.node: Any = None
        self.attribute = ""
        self.unread = False  # whether the node's backward does not read the values
        self.hazard: Hazard | None = None
        self.checked = (-1, -1)  # the backward and the number of writes when the bytes were last compared

    def later_writes(self) -> list[Write]:
        """Returns the writes to its storage since this save."""
        return [write for write in self.home.writes if write.moment >= self.moment]


def _shape(tensor: torch.Tensor) -> tuple[int, ...]:
    try:
        return tuple(tensor.shape)
    except RuntimeError:  # a nested tensor has none
        return ()


@dataclass(slots=True)
class Hazard:
    """A save, and the writes that hit its storage before a backward reads it.

    `silent` is one of the reasons above, or None if PyTorch raises. `changed`: whether a saved byte differs now; None
    if unknown. `disjoint`: the writes touched no saved byte, although the version moved. `door` is the function that
    shared the memory with code outside of PyTorch, with its stack. `read` is set when a backward has read the save.
    """

    node: str
    attribute: str
    from_python: bool
    shape: tuple[int, ...]
    dtype: torch.dtype
    saved: Stack
    writes: tuple[Write, ...]
    versions: tuple[int, int]
    silent: str | None
    changed: bool | None
    door: tuple[str, Stack] | None = None
    disjoint: bool = False
    read: bool = False
    reported: bool = field(default=False, compare=False)

    @property
    def write(self) -> Write | None:
        """The first write, which the report is about; None if none was observed."""
        return self.writes[0] if self.writes else None

    @property
    def kind(self) -> str:
        """`result` if the operation saved its own result, else `input`."""
        head = self.attribute.rstrip("0123456789")
        return "result" if head in ("result", "output", "out", "results") else "input"

    @property
    def op(self) -> str:
        """The name of the saving operation, derived from the node's: `SigmoidBackward0` gives `sigmoid`."""
        import re

        name = re.sub(r"Backward\d*$", "", self.node)
        if self.from_python:
            return name
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()

    def key(self) -> tuple[Any, ...]:
        """The key by which hazards are merged: the same save line and the same write line."""
        write = self.write
        return (
            self.node,
            self.attribute,
            self.saved[:1],
            (write.stack[:1], write.op) if write else None,
            self.silent,
        )
