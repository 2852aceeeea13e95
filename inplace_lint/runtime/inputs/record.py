"""Records the arguments of module constructors and of forward calls while a program runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.utils._pytree import tree_map

from .values import spec_of


@dataclass(frozen=True, slots=True)
class Seen:
    """One call of a module with its constructor's arguments and its mode: tensors as Specs, other values unchanged."""

    target: type
    constructor: Mapping[str, Any]
    positional: tuple[Any, ...]
    leading: tuple[Any, ...]
    arguments: Mapping[str, Any]
    training: bool = True


class Recorder:
    """While entered, passes each call of a module that `wanted` accepts to `take`."""

    def __init__(self, wanted: Callable[[nn.Module], bool], take: Callable[[Seen], None]) -> None:
        self._wanted = wanted
        self._take = take
        self._made: WeakKeyDictionary[nn.Module, tuple[dict[str, Any], tuple[Any, ...]]] = WeakKeyDictionary()
        self._begin = nn.Module.__init__
        self._hook: Any = None

    def __enter__(self) -> Recorder:
        recorder, begin = self, self._begin

        def init(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            begin(module, *args, **kwargs)
            if recorder._wanted(module):
                recorder._made[module] = _constructed(module)

        nn.Module.__init__ = init  # type: ignore[assignment, method-assign]  # in place of it
        self._hook = register_module_forward_pre_hook(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        nn.Module.__init__ = self._begin  # type: ignore[method-assign]  # as it was
        self._hook.remove()

    def _called(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        if not self._wanted(module):
            return
        kwargs = _keywords(module)
        constructor, positional = self._made.get(module, ({}, ()))
        leading, arguments = tree_map(_spec, (tuple(args), kwargs))
        self._take(Seen(type(module), constructor, positional, leading, arguments, module.training))


def _spec(value: Any) -> Any:
    return spec_of(value) if isinstance(value, torch.Tensor) else value


def _constructed(module: nn.Module) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Reads the arguments of the module's outermost running `__init__` (the subclass's) from its frame."""
    frame: FrameType | None = sys._getframe(2)
    found: tuple[dict[str, Any], tuple[Any, ...]] = ({}, ())
    while frame is not None:
        code = frame.f_code
        if code.co_name != "__init__" or not code.co_argcount:
            break
        if frame.f_locals.get(code.co_varnames[0]) is not module:
            break
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        place = code.co_argcount + code.co_kwonlyargcount
        given = {name: frame.f_locals[name] for name in names if name in frame.f_locals}
        positional: tuple[Any, ...] = ()
        if code.co_flags & 0x04:
            rest = tuple(frame.f_locals.get(code.co_varnames[place], ()))
            place += 1
            if rest:
                positional = (*(given.pop(name) for name in list(given)[: code.co_argcount - 1]), *rest)
        if code.co_flags & 0x08:
            given.update(frame.f_locals.get(code.co_varnames[place], {}))
        found = given, positional
        frame = frame.f_back
    return found


def _keywords(module: nn.Module) -> dict[str, Any]:
    """Reads the call's keyword arguments from the frame of `_call_impl`: a global pre-hook does not get them."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name in ("_call_impl", "inner") and frame.f_locals.get("self") is module:
            return dict(frame.f_locals.get("kwargs", {}))
        frame = frame.f_back
    return {}
