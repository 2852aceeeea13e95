"""The command line in a process of its own, and what a child process is asked about one finding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def inplace_lint(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder; its code, output and errors."""
    return subprocess.run(
        [sys.executable, "-m", "inplace_lint", *argv],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "OMP_NUM_THREADS": "1"},
        timeout=500,
        check=False,
    )


def about(file: Path, code: str, write: str, *names: str) -> dict[str, Any]:
    """What `examine` is given for a finding that we make up, whose write is at the line with this text."""
    row = next(row for row, line in enumerate(file.read_text().splitlines(), 1) if write in line)
    finding = {"code": code, "writes": [[os.path.realpath(file), row, row]], "saves": [], "only": None}
    return {
        "file": os.path.realpath(file),
        "module": file.stem,
        "top": str(file.parent),
        "names": list(names),
        "factories": {},
        "captured": {},
        "findings": [finding],
        "device": None,
        "seconds": 60.0,
    }
