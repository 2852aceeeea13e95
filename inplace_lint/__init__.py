"""inplace-lint: finds in-place writes that break backward, and attention that eats the GPU."""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .runtime.tracer import Trace as trace

__all__ = ["__version__", "trace"]


def __getattr__(name: str) -> object:
    # `trace` needs torch, so it is imported when it is asked for. Raises ImportError where torch is missing.
    if name == "trace":
        from .runtime import require_torch

        require_torch()
        from .runtime.tracer import Trace

        return Trace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
