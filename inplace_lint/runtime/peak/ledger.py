"""Counts live tensor memory: each storage from the operation that allocates it until its last reference is gone."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

from .lines import Line, Lines

#: What an allocation of so many bytes really takes, as the allocator of a device rounds it.
Rounding = Callable[[int], int]


@dataclass(slots=True)
class Allocation:
    """One storage: its bytes, who made it, and the moments between which it was alive (`freed` None: still is)."""

    size: int
    line: Line | None
    phase: str
    made: int
    kind: str = ""
    freed: int | None = None

    def alive_at(self, moment: int) -> bool:
        """Whether its bytes count right after the moment."""
        return self.made <= moment and (self.freed is None or moment < self.freed)


class Ledger(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch: untyped
    """While it is entered, notes each allocation and each release of tensor memory in this thread's operations.

    A moment is the number of an allocation or a release. Views add nothing: what counts are storages. Memory that
    a kernel takes and gives back within one operation is not seen.
    """

    def __init__(self, lines: Lines, rounding: Rounding = lambda size: size) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch: untyped
        self.allocations: list[Allocation] = []
        #: Live bytes after each moment.
        self.curve: list[int] = []
        self.phase = ""
        #: The moment at which the run begins, what was held before it being there.
        self.begun = 0
        self._lines = lines
        self._rounding = rounding
        self._live = 0
        self._known: dict[int, tuple[Allocation, weakref.ref[Any]]] = {}

    def hold(self, tensors: Iterable[torch.Tensor], kind: str) -> None:
        """Counts tensors that were there before the run, as what lasts or is given."""
        for tensor in tensors:
            self._note(tensor, None, kind)
        self.begun = max(len(self.curve) - 1, 0)

    def name(self, tensors: Iterable[torch.Tensor], kind: str) -> None:
        """Says what the storages of these tensors turned out to be, such as gradients."""
        for tensor in tensors:
            known = self._entry(tensor)
            if known is not None and not known.kind:
                known.kind = kind

    def alive(self) -> list[Allocation]:
        """What is allocated now."""
        return [allocation for allocation, _ in self._known.values()]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Runs one operation and notes what came of it."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        line = self._lines.here()
        # Arguments too: what was made where no operation is seen, or was resized.
        for value in itertools.chain(tree_iter(result), tree_iter(args), tree_iter(kwargs)):
            if isinstance(value, torch.Tensor):
                self._note(value, line)
        return result

    def _note(self, tensor: torch.Tensor, line: Line | None, kind: str = "") -> None:
        storage = _storage(tensor)
        if storage is None:
            return
        key, size = storage._cdata, self._rounding(storage.nbytes())
        known = self._known.get(key)
        if known is not None:
            if known[0].size == size:
                return
            self._release(known[0])
        allocation = Allocation(size, line, self.phase, len(self.curve), kind)

        def released(_: object) -> None:
            entry = self._known.get(key)
            if entry is not None and entry[1] is reference:
                del self._known[key]
                self._release(entry[0])

        reference = weakref.ref(storage, released)
        self._known[key] = (allocation, reference)
        self.allocations.append(allocation)
        self._live += size
        self.curve.append(self._live)

    def _release(self, allocation: Allocation) -> None:
        allocation.freed = len(self.curve)
        self._live -= allocation.size
        self.curve.append(self._live)

    def _entry(self, tensor: torch.Tensor) -> Allocation | None:
        storage = _storage(tensor)
        known = None if storage is None else self._known.get(storage._cdata)
        return None if known is None else known[0]


def _storage(tensor: torch.Tensor) -> Any:
    """The tensor's memory; None where it has none of its own, as a sparse one."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return None
