"""Imports a file as its package would, and takes a class or function out of it."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ...project import Project
from ..problems import InputError


def load(filename: str, name: str, source: str | None = None) -> Any:
    """Imports the file and returns the object called `name`, such as `Model` or `Model.forward`.

    `source` is run in place of the file's own text. Raises InputError if the file cannot be imported, or has no
    callable of that name.
    """
    module = module_of(filename, source)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise InputError(f"{filename} has no `{name}`{_instead(module)}")
    if not callable(found):
        raise InputError(f"`{name}` in {filename} is neither a class nor a function")
    return found


def module_of(filename: str, source: str | None = None) -> ModuleType:
    """Imports a file under the dotted name that its package gives it, and returns the module. Raises InputError."""
    dotted = Project().module_name(filename)
    top = Path(os.path.abspath(filename)).parents[dotted.count(".") + (Path(filename).stem == "__init__")]
    path = os.path.abspath(filename)
    known = sys.modules.get(dotted)
    if (
        source is None
        and known is not None
        and os.path.realpath(getattr(known, "__file__", None) or "") == os.path.realpath(path)
    ):
        return known
    if str(top) not in sys.path:
        sys.path.insert(0, str(top))
    try:
        if "." in dotted and source is None:
            found = importlib.import_module(dotted)
            if os.path.realpath(found.__file__ or "") == os.path.realpath(path):
                return found
        # A script, or replaced text: import it under a name that clashes with no other module.
        alias = dotted if known is None and source is None else f"{dotted}__{abs(hash((path, source))):x}"
        return _run(alias, path, source)
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise InputError(f"{filename} cannot be imported: {what}") from error


def _run(name: str, path: str, source: str | None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        if source is None:
            spec.loader.exec_module(module)
        else:
            exec(compile(source, path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _instead(module: ModuleType) -> str:
    own = [
        name
        for name, value in vars(module).items()
        if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == module.__name__
    ]
    return f"; it has {', '.join(own[:8])}" if own else "; it has no class and no function"


def root_of(filename: str) -> str:
    """Returns the file's topmost package directory; for a script outside of any package its own directory."""
    path = os.path.abspath(filename)
    dotted = Project().module_name(filename)
    depth = dotted.count(".") + (Path(filename).stem == "__init__")
    return str(Path(path).parents[depth - 1]) if depth else os.path.dirname(path)
