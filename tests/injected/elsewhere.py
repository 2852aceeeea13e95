"""Whether a write that torch accepts in a model is an error in another configuration of the modules around it.

A model runs one configuration of its code. The modules that a write is reached through are built again with one option
changed at a time (a flag, another activation, a gate that was left out) or called with one argument more (a mask).
They are given what they were given, as if it needed gradients. What such a module computes and differentiates without
the write, and not with it, is an error that the model did not show.
"""

from __future__ import annotations

import ast
import copy
import inspect
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch import nn

#: Modules on the way to a write that are built anew, the nearest first, and configurations of each.
_MODULES = 4
_CONFIGURATIONS = 96

_LAYERS = (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.GELU, nn.SiLU, nn.Identity)
#: Numbers beyond these are sizes, and another size is no other path.
_NUMBERS = (0, 1, 2, 3)
_RATES = (0.0, 0.1, 0.5, 1.0)

#: How an object was made: positional and keyword arguments.
Arguments = tuple[list[Any], dict[str, Any]]


class Call(NamedTuple):
    """A module that was being called, and with what."""

    module: nn.Module
    args: Any
    options: Any


#: How a change is told, what makes the module, and what it is called with beside what it was.
Variant = tuple[str, Callable[[], nn.Module], dict[str, Any]]


class Configuration(NamedTuple):
    """A module that runs, and in what it differs from the model's."""

    told: str
    run: Callable[[], None]


#: The attribute that keeps it; copies of a module have it as well.
_MADE_WITH = "__made_with__"


@contextmanager
def arguments_kept() -> Iterator[None]:
    """The modules that are made meanwhile keep what they were made with."""
    init = nn.Module.__init__

    def watched(self: nn.Module, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        frame = _outermost_init(self, sys._getframe(1))
        if frame is not None:
            self.__dict__[_MADE_WITH] = _arguments(frame)

    with mock.patch.object(nn.Module, "__init__", watched):
        yield


def _outermost_init(made: nn.Module, frame: FrameType | None) -> FrameType | None:
    found = None
    while frame is not None and frame.f_code.co_name == "__init__":
        names = frame.f_code.co_varnames
        if not names or frame.f_locals.get(names[0]) is not made:
            break
        found, frame = frame, frame.f_back
    return found


def _arguments(frame: FrameType) -> Arguments:
    names, rest, options, values = inspect.getargvalues(frame)
    count = frame.f_code.co_argcount
    positional = [values[name] for name in names[1:count]]
    named = {name: values[name] for name in names[count:]}
    return [*positional, *(values[rest] if rest else ())], {**named, **(values[options] if options else {})}


def calls_above(frame: FrameType | None) -> list[Call]:
    """The modules that are being called, the nearest first, with copies of what they were given."""
    found: list[Call] = []
    while frame is not None and len(found) < _MODULES:
        if frame.f_code.co_name == "_call_impl" and isinstance(frame.f_locals.get("self"), nn.Module):
            values = frame.f_locals
            found.append(Call(values["self"], _copied(values["args"]), _copied(values["kwargs"])))
        frame = frame.f_back
    return found


class Configurations:
    """The configurations of a model's modules that run, each made once."""

    def __init__(self, loss: Callable[[object], torch.Tensor]) -> None:
        self._loss = loss
        self._known: dict[int, list[Configuration]] = {}

    def of(self, call: Call) -> list[Configuration]:
        """Those of one module, called as it was."""
        if id(call.module) not in self._known:
            self._known[id(call.module)] = list(self._that_run(call))
        return self._known[id(call.module)]

    def _that_run(self, call: Call) -> Iterator[Configuration]:
        for told, make, more in _variants(call):
            try:
                torch.manual_seed(0)
                module = make()
                run = self._runner(module, call, more)
                run()
            except Exception:  # most changes give a module that cannot be made, or does not fit its input
                continue
            yield Configuration(f"{type(module).__name__} with {told}", run)

    def _runner(self, module: nn.Module, call: Call, more: dict[str, Any]) -> Callable[[], None]:
        def run() -> None:
            torch.manual_seed(0)
            random.seed(0)
            args, options = _with_graph(call.args), _with_graph({**call.options, **more})
            self._loss(module(*args, **options)).backward()
            module.zero_grad()

        return run


def _variants(call: Call) -> Iterator[Variant]:
    """The module as it is, and with one thing changed."""
    module = call.module
    yield "inputs that need gradients", lambda: module, {}
    mode = not module.training
    yield f"training={mode}", lambda: copy.deepcopy(module).train(mode), {}
    for told, more in _more_arguments(call):
        yield told, lambda: module, more
    words, attributes = _words_of(type(module))
    changes = [*_changed_flags(module)]
    if _MADE_WITH in vars(module):
        changes += _changed_arguments(type(module), vars(module)[_MADE_WITH], words, attributes)
    rng = random.Random(type(module).__qualname__)
    for told, make in rng.sample(changes, min(len(changes), _CONFIGURATIONS)):
        yield told, make, {}


def _more_arguments(call: Call) -> Iterator[tuple[str, dict[str, Any]]]:
    """Masks and the like: tensors in the place of arguments that are None, of sizes that fit the first one."""
    try:
        given = inspect.signature(call.module.forward).bind(*call.args, **call.options)
    except TypeError:
        return
    given.apply_defaults()
    first = next((one for one in (*call.args, *call.options.values()) if isinstance(one, torch.Tensor)), None)
    if first is None or first.dim() < 2:
        return
    pair, square = first.shape[:2], (first.shape[1], first.shape[1])
    for name, value in given.arguments.items():
        if value is None and name in inspect.signature(call.module.forward).parameters:
            for shape in {pair, square, (first.shape[0], *square)}:
                yield f"{name} of bool{[*shape]}", {name: torch.ones(shape, dtype=torch.bool)}
            yield f"{name} like {type(first).__name__}{[*first.shape]}", {name: torch.rand(first.shape)}


def _changed_flags(module: nn.Module) -> Iterator[tuple[str, Callable[[], nn.Module]]]:
    for name, value in vars(module).items():
        if isinstance(value, bool) and name != "training":

            def make(name: str = name, value: bool = value) -> nn.Module:
                other = copy.deepcopy(module)
                setattr(other, name, not value)
                return other

            yield f"{name}={not value}", make


def _changed_arguments(
    kind: type[nn.Module], made_with: Arguments, words: list[str], attributes: set[str]
) -> Iterator[tuple[str, Callable[[], nn.Module]]]:
    positional, named = made_with
    names = [*inspect.signature(kind.__init__).parameters][1:]
    for place, value in enumerate(positional):
        name = names[place] if place < len(names) else str(place)
        for told, other in _others(name, value, words, attributes):
            args = [*positional[:place], other, *positional[place + 1 :]]
            yield told, lambda args=args: kind(*_again(args), **_again(named))
    for name, value in named.items():
        for told, other in _others(name, value, words, attributes):
            options = {**named, name: other}
            yield told, lambda options=options: kind(*_again(positional), **_again(options))


def _others(name: str, value: Any, words: list[str], attributes: set[str]) -> Iterator[tuple[str, Any]]:
    """Other values that an argument may have; of a configuration, one with one field changed."""
    for other in _alternatives(value, words):
        yield f"{name}={getattr(other, '__name__', None) or repr(other)}", other
    fields = getattr(value, "__dict__", None)
    if (
        isinstance(fields, dict)
        and not isinstance(value, (nn.Module, torch.Tensor, type))
        and not callable(value)
    ):
        for field in fields.keys() & attributes:
            for other in _alternatives(fields[field], words):
                changed = copy.deepcopy(value)
                vars(changed)[field] = other
                yield f"{name}.{field}={getattr(other, '__name__', None) or repr(other)}", changed


def _alternatives(value: object, words: list[str]) -> Iterable[Any]:
    if isinstance(value, bool):
        return [not value]
    if value is None:
        return [True, 1, nn.ReLU, nn.Identity]
    if isinstance(value, str):
        return [word for word in words if word != value]
    if isinstance(value, int):
        return [number for number in _NUMBERS if number != value] if value in _NUMBERS else []
    if isinstance(value, float):
        return [rate for rate in _RATES if rate != value]
    if isinstance(value, nn.Module):
        return [layer() for layer in _LAYERS]
    return [layer for layer in _LAYERS if layer is not value] if callable(value) else []


def _words_of(kind: type) -> tuple[list[str], set[str]]:
    """The short strings that the class's file compares or looks up, and the attributes that it reads."""
    try:
        tree = ast.parse(Path(inspect.getfile(kind)).read_text("utf-8"))
    except (OSError, TypeError, SyntaxError):
        return [], set()
    words: dict[str, None] = {}
    attributes = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, (ast.Compare, ast.Dict)):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) < 24:
                    words[part.value] = None
    return [*words], attributes


def _again(value: Any) -> Any:
    """The argument once more: modules are not shared between two configurations."""
    return _each(value, lambda one: copy.deepcopy(one) if isinstance(one, nn.Module) else one)


def _copied(value: Any) -> Any:
    return _each(value, lambda one: one.detach().clone() if isinstance(one, torch.Tensor) else one)


def _with_graph(value: Any) -> Any:
    """What was given, as results of something that is differentiated."""

    def one(part: Any) -> Any:
        if isinstance(part, torch.Tensor) and part.is_floating_point():
            return part.detach().clone().requires_grad_() * 1.0
        return part

    return _each(value, one)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_each(part, change) for part in value)
    if type(value) is dict:
        return {key: _each(part, change) for key, part in value.items()}
    return change(value)
