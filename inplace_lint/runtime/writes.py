"""Observes every in-place write that passes through PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .graph import STATISTICS

#: Callback after a write: the tensor, the operation, the version before, and whether the write bumps the version.
OnWrite = Callable[[torch.Tensor, str, int, bool], None]

#: Arguments by which batch normalisation is in training mode, and so writes its running statistics.
_TRAINING = ("training", "train", "use_input_stats")


class WriteMode(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch: untyped
    """A dispatch mode that calls `on_write` for each tensor written in place. One object serves one thread."""

    supports_higher_order_operators = True

    def __init__(self, on_write: OnWrite) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch: untyped
        self._on_write = on_write

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Tells torch that this mode only observes, so compiled code may stay compiled."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        mutable = _MUTABLE.get(func)
        if mutable is None:
            mutable = _MUTABLE[func] = _Mutable(func)
        if not mutable.any:
            return func(*args, **kwargs)
        written = mutable.tensors(args, kwargs)
        versions = [_version(tensor) for tensor, _ in written]
        result = func(*args, **kwargs)
        if mutable.bumps_lost:
            for tensor, _ in written:
                torch.autograd.graph.increment_version(tensor)
        for (tensor, counted), version in zip(written, versions):
            self._on_write(tensor, mutable.name, version, counted)
        return result


#: Operations that rebind a tensor object to other memory, and do not write the old memory.
_REBINDS = frozenset({"aten::set_", "aten::detach_", "aten::set_data"})
_MUTABLE: dict[Any, _Mutable] = {}


class _Mutable:
    """The arguments that an operation writes, read from its schema."""

    __slots__ = ("any", "bumps_lost", "name", "places", "training")

    def __init__(self, func: Any) -> None:
        schema = getattr(func, "_schema", None)
        self.places: list[tuple[int, str, bool]] = []
        self.training: tuple[int, str] | None = None
        self.name = ""
        self.bumps_lost = False
        if schema is not None and schema.name not in _REBINDS:
            self.name = schema.name.partition("::")[2]
            for index, argument in enumerate(schema.arguments):
                if argument.alias_info is not None and argument.alias_info.is_write:
                    self.places.append((index, argument.name, not self.name.startswith("_fused_")))
                elif argument.name in STATISTICS:
                    self.places.append((index, argument.name, False))
                if argument.name in _TRAINING:
                    self.training = (index, argument.name)
            self.bumps_lost = (
                self.name.startswith("_foreach_") and bool(self.places) and foreach_loses_bumps()
            )
        self.any = bool(self.places)

    def tensors(self, args: Any, kwargs: Any) -> list[tuple[torch.Tensor, bool]]:
        """Returns the tensors that a call writes, each with whether the operation bumps its version."""
        found: list[tuple[torch.Tensor, bool]] = []
        for index, name, counted in self.places:
            if name in STATISTICS and not counted and self.training is not None:
                place, key = self.training
                if not (args[place] if place < len(args) else kwargs.get(key, False)):
                    continue
            value = args[index] if index < len(args) else kwargs.get(name)
            several = value if isinstance(value, (list, tuple)) else (value,)
            found += [(one, counted) for one in several if isinstance(one, torch.Tensor)]
        return found


def _version(tensor: torch.Tensor) -> int:
    try:
        return tensor._version
    except RuntimeError:  # inference tensors have none
        return 0


@cache
def foreach_loses_bumps() -> bool:
    """Whether `_foreach_*_` fails to bump versions under a dispatch mode (PyTorch issue 191154); found by a probe."""

    class Plain(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch: untyped
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    probe = torch.zeros(1)
    with Plain():  # type: ignore[no-untyped-call]  # torch: untyped
        torch._foreach_add_([probe], 1)
    return probe._version == 0
