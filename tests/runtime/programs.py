"""Runs a case: plainly, under the tracer, and with every saved tensor copied, which gives the true gradients."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from inplace_lint.runtime.snapshot import snapshot
from inplace_lint.runtime.tracer import Trace


def plain(source: str, path: Path) -> tuple[BaseException | None, list[torch.Tensor]]:
    """The error that a program ends in, or None, and the gradients that its backwards gave."""
    return _run(source, path, contextlib.nullcontext())


def traced(source: str, path: Path, **options: Any) -> tuple[BaseException | None, Trace]:
    """The error that a program ends in under the tracer, and the tracer."""
    trace = Trace(on_hazard=None, **options)
    error, _ = _run(source, path, trace)
    return error, trace


def copied(source: str, path: Path) -> list[torch.Tensor]:
    """The gradients of a program whose saves cannot be overwritten."""
    error, gradients = _run(source, path, snapshot())
    assert error is None, error
    return gradients


def _run(source: str, path: Path, around: Any) -> tuple[BaseException | None, list[torch.Tensor]]:
    path.write_text(source, encoding="utf-8")
    code = compile(source, str(path), "exec", dont_inherit=True)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    error: BaseException | None = None
    torch.compiler.reset()
    with warnings.catch_warnings(), around:
        warnings.simplefilter("ignore")
        try:
            exec(code, namespace)
        except Exception as raised:
            error = raised
        finally:
            torch.set_grad_enabled(True)
    return error, [tensor.grad for tensor in _leaves(namespace) if tensor.grad is not None]


def _leaves(namespace: dict[str, Any]) -> Iterator[torch.Tensor]:
    for value in namespace.values():
        if isinstance(value, torch.Tensor) and value.is_leaf:
            yield value
        elif isinstance(value, torch.nn.Module):
            yield from value.parameters()
