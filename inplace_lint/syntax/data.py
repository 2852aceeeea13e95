"""Rejects files that hold data but are also valid Python: JSON, and notebooks that are not named `.ipynb`."""

from __future__ import annotations

from .unreadable import UnreadableFile

_PYTHON = (".py", ".pyi", ".pyw")


def refuse(filename: str, source: bytes) -> None:
    """Raises UnreadableFile for a notebook; for other JSON too, unless the file is called a Python file."""
    import json

    try:
        held = json.loads(source)
    except (ValueError, RecursionError):
        return
    if isinstance(held, dict) and "nbformat" in held and "cells" in held:
        raise UnreadableFile(
            "this is a Jupyter notebook, and not called one: give it a name that ends in `.ipynb`, "
            "standard input with `--stdin-filename`",
            1,
            1,
        )
    if isinstance(held, (dict, list)) and not filename.endswith(_PYTHON):
        raise UnreadableFile("this is JSON, not Python", 1, 1)
