"""Runs programs of several files in torch."""

from __future__ import annotations

import runpy
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def refuses(program: Path, folder: Path) -> bool:
    """Whether torch refuses an in-place write when a program is run as a script that imports the files of a folder."""
    known = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        runpy.run_path(str(program), run_name="__main__")
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return True
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
    return False
