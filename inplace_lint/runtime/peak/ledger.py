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

#: Maps the bytes of an allocation to those that a device's allocator takes for it.
Rounding = Callable[[int], int]


@dataclass(slots=True)
class Allocation:
    """One storage: its bytes, the line that made it, and the moments of its life (`freed` None: still alive)."""

    size: int
    line: Line | None
    phase: str
    made: int
    kind: str = ""
    freed: int | None = None

    def alive_at(self, moment: int) -> bool:
        """Whether the storage is alive right after a moment."""
        return self.made <= moment and (self.freed is None or moment < self.freed)


class Ledger(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch: untyped
    """While entered, records each allocation and each release of a storage by operations of this thread.

    A moment is the number of an allocation or a release. Views add nothing, as they share a storage. Memory that a
    kernel allocates and frees within one operation is not seen.
    """

    def __init__(self, lines: Lines, rounding: Rounding = lambda size: size) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch: untyped
        self.allocations: list[Allocation] = []
        #: Live bytes after each moment.
        self.curve: list[int] = []
        self.phase = ""
        #: The moment at which the run begins: all storages held before it are counted.
        self.begun = 0
        self._lines = lines
        self._rounding = rounding
        self._live = 0
        self._known: dict[int, tuple[Allocation, weakref.ref[Any]]] = {}

    def hold(self, tensors: Iterable[torch.Tensor], kind: str) -> None:
        """Counts tensors that exist before the run, as of this kind."""
        for tensor in tensors:
            self._note(tensor, None, kind)
        self.begun = max(len(self.curve) - 1, 0)

    def name(self, tensors: Iterable[torch.Tensor], kind: str) -> None:
        """Sets the kind of these tensors' storages, such as gradients, unless they have one."""
        for tensor in tensors:
            known = self._entry(tensor)
            if known is not None and not known.kind:
                known.kind = kind

    def alive(self) -> list[Allocation]:
        """Returns the allocations that are alive now."""
        return [allocation for allocation, _ in self._known.values()]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Runs one operation and records new storages among its results and arguments."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        line = self._lines.here()
        # Arguments too: their storages may have been made unseen, or resized.
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
    """Returns the tensor's storage; None if it has none, as a sparse tensor."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return None
