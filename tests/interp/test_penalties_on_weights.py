"""A penalty that goes over all parameters saves each of them; torch says whether a write before backward raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
other = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
other_opt = torch.optim.SGD(other.parameters(), lr=0.1)
x = torch.randn(2, 3)
for step in range(2):
    {loss}
    opt.zero_grad()
    {rest}
"""
LOSSES = {
    "loop": "loss = 0.0\n    for p in model.parameters():\n        loss = loss + p.pow(2).sum()",
    "sum": "loss = sum(p.abs().sum() for p in model.parameters())",
    "norms": "loss = torch.stack([p.norm() for p in model.parameters()]).sum()",
    "by name": (
        "loss = 0.0\n    for name, p in model.named_parameters():\n        if 'weight' in name:\n"
        "            loss = loss + (p ** 2).sum()"
    ),
    "linear": "loss = sum(p.sum() for p in model.parameters())",  # saves nothing
}
RESTS = {
    "step": "model(x).sum().backward()\n    opt.step()\n    loss.backward()",
    "write": "with torch.no_grad():\n        model[2].weight.clamp_(-1, 1)\n    loss.backward()",
    "in order": "loss.backward()\n    opt.step()",
    "step of another": "other(x).sum().backward()\n    other_opt.step()\n    loss.backward()\n    opt.step()",
    "write of another": "with torch.no_grad():\n        other.weight.clamp_(-1, 1)\n    loss.backward()",
    "write afterwards": "loss.backward()\n    with torch.no_grad():\n        model[2].weight.clamp_(-1, 1)",
}


@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_write_of_one_parameter_meets_what_was_saved_of_any(tmp_path: Path, loss: str, rest: str) -> None:
    text = PROGRAM.format(loss=LOSSES[loss], rest=RESTS[rest])
    raises = False
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        raises = True
    assert raises == (rest in ("step", "write") and loss != "linear")
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == raises
