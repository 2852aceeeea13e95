"""Imports a block's file as its project does, takes the class or function from it, and finds calls of it."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import torch

from .inputs import Call, NoInputs, build
from .inputs.trial import attempt
from .supervisor import describe


def on_path(file: str, top: str) -> None:
    """Adds the file's directory, and `top`, that of its topmost package, to `sys.path`."""
    for path in (os.path.dirname(file), top):
        if path not in sys.path:
            sys.path.insert(0, path)


def imported(name: str, file: str) -> ModuleType:
    """Imports a file under the name that the project gives it, and returns the module."""
    if "." in name:
        module = importlib.import_module(name)
        if os.path.realpath(module.__file__ or "") == os.path.realpath(file):
            return module
    # A script: its name may belong to another module, or be no importable name.
    alias = f"_inplace_lint_{name}" if name in sys.modules else name
    spec = importlib.util.spec_from_file_location(alias, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def calls_in(
    module: ModuleType, names: Sequence[str], factories: Mapping[str, str], captured: Mapping[str, Any]
) -> list[Call] | NoInputs:
    """Returns calls of the named block: for a module class its forward, then the named method if it runs alone."""
    target = target_in(module, names)
    if isinstance(target, NoInputs):
        return target
    call = build(target, factories, captured)
    if isinstance(call, NoInputs):
        return call
    other = _by_method(call, names[-1])
    return [call] if other is None else [call, other]


def _by_method(call: Call, name: str) -> Call | None:
    """Returns a call of a method other than forward, on the forward's arguments or on its own; None if neither runs."""
    if not inspect.isclass(call.target) or call.factory is not None or name in ("forward", "__init__"):
        return None
    if not inspect.isfunction(inspect.getattr_static(call.target, name, None)):
        return None
    same = replace(call, method=name)
    if attempt(same)[0] is None:
        return same
    try:
        own = build(getattr(call.function(), name))
    except Exception:  # user code
        return None
    if isinstance(own, NoInputs):
        return None
    return replace(call, method=name, leading=own.leading, arguments=own.arguments, sizes=own.sizes)


def target_in(module: ModuleType, names: Sequence[str]) -> Any:
    """Returns the function of these names, or the module class that the method belongs to; or why there is none."""
    found: Any = module
    for name in names:
        if inspect.isclass(found) and issubclass(found, torch.nn.Module):
            return found
        try:
            if inspect.isclass(found) and not isinstance(inspect.getattr_static(found, name), staticmethod):
                instance = _instance(found)
                if isinstance(instance, NoInputs):
                    return instance
                found = instance
            found = getattr(found, name)
        except AttributeError:
            return NoInputs(f"{'.'.join(names)} is not there once the file has been imported")
    while hasattr(found, "__wrapped__") and not inspect.signature(found).parameters:
        found = found.__wrapped__
    if inspect.isclass(found) and not issubclass(found, torch.nn.Module):
        return NoInputs(f"the body of the class {'.'.join(names)} runs when the file is imported")
    return found


def _instance(owner: type) -> Any:
    """Creates an object of a non-module class without arguments; or returns why that is impossible."""
    try:
        required = [
            one.name
            for one in inspect.signature(owner).parameters.values()
            if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        required = ["?"]
    if required:
        return NoInputs(f"no inputs known for `{required[0]}` of {owner.__qualname__}")
    try:
        return owner()
    except Exception as error:
        return NoInputs(f"{owner.__qualname__}() fails: {describe(error)[1]}")
