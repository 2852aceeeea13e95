"""Records, as JSON, the arguments that modules get while the user's program runs, and rebuilds calls from them."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from ...project import Project
from ..problems import InputError
from ..program import run_program
from ..uses import KEPT, Uses
from .call import Call
from .guess import EMPTY, constructor_value, parameters
from .record import Recorder, Seen
from .sizes import with_sizes
from .stated import shown
from .trial import attempt
from .values import Built, Spec, parse_spec


@contextlib.contextmanager
def capturing(
    script: str | None = None, note: Callable[[str, dict[str, Any]], None] = lambda name, use: None
) -> Iterator[Uses]:
    """Records the arguments of all modules outside of torch in the yielded uses, and calls `note` for each new one.

    `script` is the file that runs as `__main__`: its classes are recorded under the name that others import it by.
    """
    uses: Uses = {}
    main = Project().module_name(script) if script is not None else "__main__"

    def take(seen: Seen) -> None:
        name = shown(seen.target)
        module, _, rest = name.partition(":")
        key = f"{main}:{rest}" if module == "__main__" else name
        known = uses.setdefault(key, [])
        if len(known) < KEPT:
            one = _use(seen)
            if one not in known:
                known.append(one)
                note(key, one)

    with Recorder(lambda module: not type(module).__module__.startswith("torch."), take):
        yield uses


def main() -> None:
    """In the child process: runs the program in `sys.argv` and appends each recorded use to a file immediately.

    `sys.argv[1:]` is that file, `-m` or `-`, the program, and the program's own arguments.
    """
    file, kind, program, *arguments = sys.argv[1:]
    is_module = kind == "-m"
    with open(file, "a", encoding="utf-8") as stream:

        def note(name: str, use: dict[str, Any]) -> None:
            stream.write(json.dumps([name, use]) + "\n")
            stream.flush()

        status = run_program(program, is_module, arguments, capturing(None if is_module else program, note))
    sys.exit(status)


def from_capture(target: Any, captured: Mapping[str, Any]) -> Call | None:
    """Rebuilds the first recorded call of the target that runs; None if none does."""
    for use in captured.get(shown(target), ()):
        try:
            call = _call(target, use)
        except (InputError, KeyError, TypeError, ImportError, AttributeError):
            continue
        if attempt(call)[0] is None:
            return with_sizes(call)
    return None


def _call(target: Any, use: Mapping[str, Any]) -> Call:
    own = parameters(target) if inspect.isclass(target) else {}
    constructor = {}
    for name, value in use["constructor"].items():
        if _opaque(value):
            parameter = own.get(name)
            if parameter is not None and parameter.default is EMPTY:
                constructor[name] = constructor_value(name, parameter)
        else:
            constructor[name] = _decoded(value)
    return Call(
        target,
        "capture",
        constructor,
        tuple(map(_decoded, use["positional"])),
        {name: _decoded(value) for name, value in use["arguments"].items()},
        tuple(map(_decoded, use["leading"])),
        training=use.get("training", True),
    )


def _use(seen: Seen) -> dict[str, Any]:
    return {
        "constructor": {
            name: _encoded(value) for name, value in seen.constructor.items() if name != "__class__"
        },
        "positional": [_encoded(value) for value in seen.positional],
        "leading": [_encoded(value) for value in seen.leading],
        "arguments": {name: _encoded(value) for name, value in seen.arguments.items()},
        **({} if seen.training else {"training": False}),
    }


def _encoded(value: Any) -> Any:
    """Returns a value as JSON: tensors by dtype and sizes, classes and functions by import path, others as opaque."""
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and value == value):
        return value
    if isinstance(value, Spec):
        return {"tensor": str(value)}
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [_encoded(one) for one in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _encoded(one) for key, one in value.items()}}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            one.name: _encoded(getattr(value, one.name)) for one in dataclasses.fields(value) if one.init
        }
        return {"object": [f"{type(value).__module__}:{type(value).__qualname__}", fields]}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).rpartition(".")[2]}
    name = getattr(value, "__qualname__", "<locals>")
    if callable(value) and not isinstance(value, nn.Module) and "<" not in name:
        return {"import": f"{value.__module__}:{name}"}
    return {"opaque": type(value).__name__}


def _opaque(value: Any) -> bool:
    return isinstance(value, dict) and "opaque" in value


def _decoded(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    kind, inside = next(iter(value.items()))
    if kind == "tensor":
        return parse_spec(inside)
    if kind in ("tuple", "list"):
        parts = [_decoded(one) for one in inside]
        return tuple(parts) if kind == "tuple" else parts
    if kind == "dict":
        return {key: _decoded(one) for key, one in inside.items()}
    if kind == "dtype":
        return getattr(torch, inside)
    if kind == "object":
        name, fields = inside
        return Built(_imported(name), {key: _decoded(one) for key, one in fields.items()})
    if kind == "import":
        return _imported(inside)
    raise InputError(f"a value of the kind {inside} cannot be made again")


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
