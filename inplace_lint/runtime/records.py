"""The tracer's records: saves, writes, and hazards (a saved tensor that is written before backward reads it)."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from .stacks import Stack

#: Why PyTorch's own check is silent about a hazard; None where it raises.
DATA = "data"  # a write past the version counter: `.data`, `apply_`, a storage's own methods
SHARED = "shared"  # through memory that something else than PyTorch writes: NumPy, DLPack
HOOKS = "hooks"  # saved-tensor hooks of the program's own switch the check off
CHECKPOINT = "checkpoint"  # a checkpointed region is run again on other values
UNCOUNTED = "uncounted"  # an operation that writes without counting: fused optimizers, running statistics


@dataclass(frozen=True, slots=True)
class Region:
    """The elements of a storage that a tensor covers: offset, shape and strides in elements, and their width."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    width: int

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Region:
        offset, width = int(tensor.storage_offset()), tensor.element_size()
        return cls(offset, tuple(tensor.shape), tuple(tensor.stride()), width)

    def bounds(self) -> tuple[int, int]:
        """The first byte, and the one behind the last; equal where there are none."""
        if 0 in self.shape:
            return 0, 0
        last = self.offset + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return self.offset * self.width, (last + 1) * self.width

    def overlaps(self, other: Region) -> bool:
        """Whether any byte belongs to both. Exact up to a size, above it by the bounds."""
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
    """One in-place change: when in the order of writes, where, by which operation, from which version on.

    `counted` is False for what is known not to move a version; `optimizer` is the class of the optimizer whose
    step did it; `grad_mode` says whether gradients were recorded meanwhile; `region` is None where all of the storage
    may have changed.
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
    """A storage that some node keeps, with the writes to it since then."""

    __slots__ = ("__weakref__", "writes")

    def __init__(self) -> None:
        self.writes: list[Write] = []


class Save:
    """A tensor that a node keeps for backward.

    `tensor` shares the saved one's memory and version; it is None where hooks of the program's own keep something
    else. `origin` is the user's own object, as long as it lives. `hidden` says why PyTorch does not check this save.
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
        self.unread = False  # whether its node has no use for the values
        self.hazard: Hazard | None = None
        self.checked = (-1, -1)  # the backward and the number of writes at the last look at the bytes

    def later_writes(self) -> list[Write]:
        """The writes since this save."""
        return [write for write in self.home.writes if write.moment >= self.moment]


def _shape(tensor: torch.Tensor) -> tuple[int, ...]:
    try:
        return tuple(tensor.shape)
    except RuntimeError:  # a nested tensor has none
        return ()


@dataclass(slots=True)
class Hazard:
    """A save and the writes that changed it before a backward reads it.

    `silent` says why PyTorch does not raise, one of the words above, or None. `changed` is whether any byte of what
    was saved is another than it was; None if that is not known. `disjoint`: no byte belongs both to what was saved and
    to what was written. `read` is set when a backward has read it.
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
        """The write that the report is about."""
        return self.writes[0] if self.writes else None

    @property
    def kind(self) -> str:
        """Whether the operation saved its `result` or an `input`."""
        head = self.attribute.rstrip("0123456789")
        return "result" if head in ("result", "output", "out", "results") else "input"

    @property
    def op(self) -> str:
        """The operation that saved, in the words of the source as far as the node's name tells."""
        import re

        name = re.sub(r"Backward\d*$", "", self.node)
        if self.from_python:
            return name
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()

    def key(self) -> tuple[Any, ...]:
        """What hazards share that a person would call one: the same save and the same write."""
        write = self.write
        return (
            self.node,
            self.attribute,
            self.saved[:1],
            (write.stack[:1], write.op) if write else None,
            self.silent,
        )
