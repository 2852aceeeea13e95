"""Runs user code under torch: the version tracer, child processes, verdicts. The only layer that imports torch.

Importing this package imports nothing; each part is imported when it is used.
"""

from __future__ import annotations

#: The advice in error messages when torch is missing or too old.
ADVICE = "install PyTorch 2.4 or newer, for instance with: pip install 'inplace-lint[runtime]'"


class TorchMissing(ImportError):
    """Torch cannot be imported, or is too old; the text says so and what to install."""


def require_installed() -> None:
    """Raises TorchMissing where torch is not installed. Unlike `require_torch` it does not take a second."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise TorchMissing(f"this needs torch, which is not installed here: {ADVICE}")


def require_torch() -> None:
    """Raises TorchMissing unless a torch that the runtime works with can be imported."""
    try:
        import torch
    except ImportError as error:
        raise TorchMissing(f"this needs torch, which cannot be imported ({error}): {ADVICE}") from error
    version = getattr(torch, "__version__", "0")
    numbers = tuple(int(part) for part in version.split("+")[0].split(".")[:2] if part.isdigit())
    if numbers < (2, 4):
        raise TorchMissing(f"this needs torch 2.4 or newer, and torch {version} is installed: {ADVICE}")
