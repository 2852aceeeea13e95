"""Notebooks made up for the tests."""

from __future__ import annotations

import json
from typing import Any


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": []}
    return {**cell, "source": source, **more}


def lines(text: str) -> list[str]:
    """A cell's code as Jupyter writes it."""
    return text.splitlines(keepends=True)


def prose(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": lines(text)}


def book(*cells: dict[str, Any] | str, **more: Any) -> dict[str, Any]:
    """A notebook; a text is a code cell."""
    listed = [code(lines(cell)) if isinstance(cell, str) else cell for cell in cells]
    listed = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(listed)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": listed, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **more}


def raw(*cells: dict[str, Any] | str, **more: Any) -> bytes:
    """The file as Jupyter writes it."""
    return (json.dumps(book(*cells, **more), indent=1, ensure_ascii=False) + "\n").encode()


def sources(data: bytes) -> list[str]:
    """The code of all cells of a file."""
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
