"""Code that asks for a GPU runs on the CPU where there is none: hazards are confirmed there, and none is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_lint.runtime import blocks

from .command import about

pytestmark = [
    pytest.mark.usefixtures("no_traces"),
    pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU"),
]

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.register_buffer("offset", torch.zeros(width, device="cuda"))
        self.proj = nn.Linear(width, width).cuda()

    def forward(self, x):
        y = torch.tanh(self.proj(x.to(torch.device("cuda:0"))))
        {write}
        torch.cuda.synchronize()
        return y + self.offset
"""


def judged(folder: Path, write: str) -> dict[str, Any]:
    file = folder / "net_on_gpu.py"
    file.write_text(NET.format(write=write))
    (verdict,) = blocks.examine(about(file, "IPL101", write, "Net", "forward"), lambda *stage: None)
    return verdict


def test_a_hazard_is_confirmed(tmp_path: Path) -> None:
    verdict = judged(tmp_path, "y += 1")
    assert (verdict["status"], verdict["device"]) == ("confirmed", "cpu"), verdict


@pytest.mark.parametrize("copy", ["y.cuda()", "y.to('cuda')", "y.to(device='cuda')"])
def test_what_would_be_a_copy_on_the_gpu_is_one(tmp_path: Path, copy: str) -> None:
    verdict = judged(tmp_path, f"z = {copy}; z += 1")
    assert verdict["status"] == "inconclusive", verdict
    assert verdict["reason"].startswith("on the CPU in place of a GPU: ")


def test_code_that_asks_whether_there_is_one_is_judged_as_ever(tmp_path: Path) -> None:
    file = tmp_path / "net_of_both.py"
    file.write_text(
        "import torch\n\ndef gate(x: torch.Tensor):\n"
        "    y = x.sigmoid().to('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "    z = y * 2\n    z += 1\n    return z\n"
    )
    (verdict,) = blocks.examine(about(file, "IPL101", "z += 1", "gate"), lambda *stage: None)
    assert verdict["status"] == "refuted", verdict
