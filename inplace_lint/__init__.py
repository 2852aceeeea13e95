"""inplace-lint: finds in-place writes that break backward, and attention that eats the GPU.

`check` and `check_paths` find them from Python, as the command line does; `trace` sees them while a program runs.
"""

from __future__ import annotations

__version__ = "0.2.0"

#: `typing` is not imported here: `python -m inplace_lint` would take it from the working directory, which is checked.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import (
        ConfigurationError,
        Diagnostic,
        Edit,
        Fix,
        Label,
        Location,
        Result,
        Settings,
        check,
        check_paths,
    )
    from .runtime.tracer import Trace as trace

__all__ = [
    "ConfigurationError",
    "Diagnostic",
    "Edit",
    "Fix",
    "Label",
    "Location",
    "Result",
    "Settings",
    "__version__",
    "check",
    "check_paths",
    "trace",
]


def __getattr__(name: str) -> object:
    # Imported when it is asked for: the command line needs none of it, and `trace` needs torch. Raises ImportError
    # where torch is missing.
    if name == "trace":
        from .runtime import require_torch

        require_torch()
        from .runtime.tracer import Trace

        return Trace
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
