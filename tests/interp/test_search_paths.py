"""Folders that a script adds to its search path are looked for imports, as Python does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from inplace_lint import check_paths

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """\
import os
import pathlib
import sys

here = os.path.dirname(os.path.abspath(__file__))
{adds}
import torch
from gates import opened

y = torch.sigmoid(torch.ones(2, requires_grad=True))
opened(y).sum().backward()
"""
GATES = """\
def opened(y):
    y += 1
    return y
"""


@pytest.mark.parametrize(
    "adds",
    [
        "sys.path.append(os.path.join(here, 'core/parts'))",
        "sys.path.insert(0, here + '/core/parts')",
        "sys.path.insert(0, os.path.join(here, 'core', 'parts'))",
        "sys.path.append(str(pathlib.Path(here) / 'core' / 'parts'))",
        "sys.path.append(os.path.join(here, '..', 'scripts', 'core', 'parts'))",
    ],
)
def test_a_write_in_a_file_of_such_a_folder_is_told(
    adds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "scripts"
    (folder / "core" / "parts").mkdir(parents=True)
    (folder / "core" / "parts" / "gates.py").write_text(GATES)
    script = folder / "train.py"
    script.write_text(SCRIPT.format(adds=adds))
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert refuses(script, folder)
    assert [one.code for one in check_paths([tmp_path]).diagnostics] == ["IPL101"]
    script.write_text(SCRIPT.format(adds="sys.path.append(os.path.join(here, 'elsewhere'))"))
    assert not check_paths([tmp_path]).diagnostics
