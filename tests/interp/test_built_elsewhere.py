"""What other files pass to a constructor is what its object calls: judged in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size, activation):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.activation = activation{made}

    def forward(self, x):
        y = self.activation(self.inner(x))
        y += x
        return y
"""
RUN = """import torch
import torch.nn.functional as F
from torch import nn
{imported}


class Squash(nn.Module):
    def forward(self, x):
        return torch.tanh(x)


class Pass(nn.Module):
    def forward(self, x):
        return x * 2


{called}.forward(torch.ones(2, 3)).sum().backward()
"""
IMPORT = "from parts.net import Net"


@pytest.mark.parametrize(
    ("made", "imported", "called", "raises"),
    [
        ("", IMPORT, "Net(3, F.relu)", True),
        ("", IMPORT, "Net(3, activation=torch.sigmoid)", True),
        ("", IMPORT, "Net(3, F.gelu)", False),
        ("", IMPORT, "Net(3, nn.Tanh())", True),
        ("", IMPORT, "Net(3, nn.GELU())", False),
        ("()", IMPORT, "Net(3, nn.ReLU)", True),
        ("()", IMPORT, "Net(3, nn.SiLU)", False),
        ("()", "import parts.net", "parts.net.Net(3, Squash)", True),
        ("()", "from parts import net as nets", "nets.Net(3, Pass)", False),
    ],
)
def test_what_another_file_passes(
    made: str, imported: str, called: str, raises: bool, tmp_path: Path
) -> None:
    net, run = tmp_path / "parts" / "net.py", tmp_path / "run.py"
    net.parent.mkdir()
    net.write_text(NET.format(made=made))
    run.write_text(RUN.format(imported=imported, called=called))
    assert refuses(run, tmp_path) == raises
    found = check_source(str(net), net.read_bytes(), Settings(), Project(str(tmp_path)))
    assert [one.code for one in found] == (["IPL101"] if raises else [])
