"""Compiles a file, or other text in its place, and runs it as the program `__main__`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch


def script(file: str, text: str | None = None, name: str | None = None) -> Callable[[], dict[str, Any]]:
    """Returns a function that runs the file, or `text` in its place, and returns its final global tensors by name.

    `name` is the file name of the compiled code, if not the file's own.
    """
    if text is None:
        with open(file, "rb") as stream:
            code = compile(stream.read(), file, "exec", dont_inherit=True)
    else:
        code = compile(text, name or file, "exec", dont_inherit=True)

    def run() -> dict[str, Any]:
        module = ModuleType("__main__")
        module.__file__ = file
        before, argv = sys.modules["__main__"], sys.argv
        sys.modules["__main__"], sys.argv = module, [os.path.basename(file)]
        try:
            exec(code, module.__dict__)
        except SystemExit as leaving:
            if leaving.code:
                raise RuntimeError(f"it called sys.exit({leaving.code!r})") from leaving
        finally:
            sys.modules["__main__"], sys.argv = before, argv
        return {name: one for name, one in vars(module).items() if isinstance(one, torch.Tensor)}

    return run
