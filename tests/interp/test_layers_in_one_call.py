"""A finding within one call of an `nn.Sequential` names the two layers where they are built, in whichever file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

PARTS = """from torch import nn


def head(size):
    return nn.Sequential(
        nn.Linear(size, size),
        nn.ReLU(),
        nn.Dropout(inplace=True),
    )
"""
USE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = head(3)

    def forward(self, x):
        return self.head(x)
"""


@pytest.mark.parametrize("apart", [False, True])
def test_labels_stand_where_the_layers_are_built(apart: bool, tmp_path: Path) -> None:
    parts, net = tmp_path / "parts.py", tmp_path / "net.py"
    parts.write_text(PARTS)
    text = "from torch import nn\nfrom parts import head\n" + USE if apart else PARTS + USE
    net.write_text(text)
    (found,) = check_source(str(net), text.encode(), Settings(), Project(str(tmp_path)))
    assert found.message == "Dropout changes in place what ReLU saved for backward, within one call"
    where = str(parts if apart else net)
    told = [(one.role, one.location.filename, one.location.row) for one in found.labels]
    row = next(i for i, line in enumerate(text.splitlines(), 1) if "self.head(x)" in line)
    assert told == [("alias", where, 7), ("alias", where, 8), ("save", str(net), row)]
    assert (found.plan is None) is apart
