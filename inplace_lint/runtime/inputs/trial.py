"""Runs a target once on guessed inputs; for a failure it keeps the line, its variables and the layer that refused."""

from __future__ import annotations

import inspect
import linecache
import warnings
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn

from .. import immediate, stacks
from ..guarded import adding_at_most, quiet
from .call import Call

#: Bytes that one trial may add: what needs more on guessed sizes was guessed badly.
MEMORY = 2 * 2**30


@dataclass(slots=True)
class Failure:
    """An error of user code: the failing line with its variables, the innermost module's input shape and dtype, and the
    row of the outermost line of user code.
    """

    error: BaseException
    phase: str
    instance: Any = None
    text: str = ""
    names: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    module: nn.Module | None = None
    given: tuple[int, ...] = ()
    dtype: torch.dtype | None = None
    row: int = 0

    @property
    def reach(self) -> tuple[bool, int]:
        """How far the trial came, to compare by: into the call or not, and to which line of the target."""
        return self.phase == "forward", self.row

    def __str__(self) -> str:
        lines = str(self.error).strip().splitlines()
        return f"{type(self.error).__name__}: {lines[0] if lines else ''}"[:200].rstrip(": ")


def attempt(call: Call) -> tuple[Failure | None, Any]:
    """Constructs the target and runs its forward; returns the failure, None if both succeeded, and the instance.

    An error of PyTorch about an in-place write counts as success: the inputs were good enough to reach it.
    """
    instance = None
    with warnings.catch_warnings(), adding_at_most(MEMORY), quiet():
        warnings.simplefilter("ignore")
        try:
            instance = call.function()
        except Exception as error:  # user code
            return (None if immediate.codes(error) else _failure(error, "constructor", None)), None
        try:
            args, kwargs = call.inputs()
            instance(*args, **kwargs)
        except Exception as error:  # user code
            if immediate.codes(error):
                return None, instance
            return _failure(error, "forward", instance), instance
    return None, instance


def _failure(error: Exception, phase: str, instance: Any) -> Failure:
    found = Failure(error, phase, instance)
    frames = list(_frames(error.__traceback__))
    for frame, row in frames:
        first = frame.f_code.co_varnames[:1] if frame.f_code.co_argcount else ()
        part = frame.f_locals.get(*first) if first else None
        if isinstance(part, nn.Module) and frame.f_code.co_name == "forward":
            found.module = part
            tensor = _first_tensor(frame)
            if tensor is not None:
                found.given, found.dtype = tuple(tensor.shape), tensor.dtype
        if not stacks.is_foreign(frame.f_code.co_filename) and "/einops/" not in frame.f_code.co_filename:
            found.row = found.row or row
            found.text = linecache.getline(frame.f_code.co_filename, row).strip()
            found.values = dict(frame.f_locals)
            found.names = list(frame.f_code.co_varnames[: frame.f_code.co_argcount])
    error.__traceback__ = None  # its frames would keep the tensors of every trial alive
    return found


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    frames = []
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return [one for one in frames if one[0].f_code.co_filename != __file__]


def _first_tensor(frame: FrameType) -> torch.Tensor | None:
    for name in inspect.getargs(frame.f_code).args[1:]:
        value = frame.f_locals.get(name)
        if isinstance(value, torch.Tensor):
            return value
    return None
