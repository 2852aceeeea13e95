"""Asks torch whether programs are refused, and the analysis what it says of them."""

from __future__ import annotations

import runpy
import sys
from typing import TYPE_CHECKING

import inplace_lint

if TYPE_CHECKING:
    from pathlib import Path

    import torch


#: What PyTorch says where it refuses: in backward, and at the write of a leaf.
_REFUSALS = (
    "modified by an inplace operation",
    "used in an in-place operation",
    "is a view and is being modified inplace",
)


def spoils(result: torch.Tensor) -> bool:
    """Whether torch refuses a backward from this tensor because what it needs was written in place."""
    try:
        result.sum().backward()
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return True
    return False


def told(source: str) -> list[str]:
    """The codes of the findings IPL1xx in a program."""
    return [one.code for one in inplace_lint.check(source, filename="a.py").diagnostics if one.code < "IPL2"]


def refuses(program: Path, folder: Path) -> bool:
    """Whether torch refuses an in-place write when a program is run as a script that imports the files of a folder."""
    own = {path.stem for path in folder.iterdir()}  # other tests may have imported files of these names
    hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in own}
    known = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        runpy.run_path(str(program), run_name="__main__")
    except RuntimeError as error:
        assert any(said in str(error) for said in _REFUSALS)
        return True
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
        sys.modules.update(hidden)
    return False
