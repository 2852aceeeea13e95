"""Modules that are read when something of them is first asked for.

One finding needs few of the modules that a package's worth of them does, and reading a module takes longer than what
most of them then do. Where a package names a module here, `from . import module` gives an empty one, which fills
itself when it is first asked for something and is a module like any other from then on. (Python 3.15 has `lazy import`
for this.) A module of which others import names directly is read at once all the same.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType as Module
else:
    Module = type(sys)


def lazily(package: str, *names: str) -> None:
    """Of this package, these modules are read when something of them is first asked for."""
    parent = sys.modules[package]
    for name in names:
        module = _Unread(f"{package}.{name}")
        sys.modules[module.__name__] = module
        setattr(parent, name, module)


class _Unread(Module):
    """A module that has not been read yet."""

    def __getattr__(self, name: str) -> object:
        _read(self)
        return getattr(self, name)


def _read(module: Module) -> None:
    parent = sys.modules[module.__name__.rpartition(".")[0]]
    specs = (finder.find_spec(module.__name__, parent.__path__) for finder in sys.meta_path)
    spec = next(filter(None, specs), None)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {module.__name__!r}", name=module.__name__)
    module.__spec__, module.__loader__, module.__package__ = spec, spec.loader, spec.parent
    module.__file__ = spec.origin
    module.__class__ = Module
    try:
        spec.loader.exec_module(module)
    except BaseException:  # the stack is full, or somebody pressed Ctrl-C: the next use tries again
        module.__class__ = _Unread
        raise
