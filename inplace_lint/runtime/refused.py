"""Records writes that PyTorch refused with an error at once, also where the code catches that error."""

from __future__ import annotations

from typing import Any

from torch.overrides import TorchFunctionMode

from . import immediate, stacks


class Refused(TorchFunctionMode):
    """Keeps each such error with the stack of the call that raised it. Errors are passed on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[Exception, stacks.Stack]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        try:
            return func(*args, **(kwargs or {}))
        except RuntimeError as error:
            if immediate.codes(error) and not immediate.is_stale(error):
                self.seen.append((error, stacks.capture(2)))
            raise
